/** `effect-txc host`: serves any number of venues until it is stopped. */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Config from "effect/Config"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as Json from "../protocol/Json.ts"
import * as ControlApi from "../sandbox/control/ControlApi.ts"
import * as Host from "../sandbox/host/Host.ts"
import * as HostServer from "../sandbox/host/HostServer.ts"
import * as Dashboard from "../sandbox/page/Dashboard.ts"
import * as Data from "./Data.ts"
import * as Ports from "./Ports.ts"
import { Refused } from "./Refused.ts"
import * as Screen from "./Screen.ts"

const count = (name: string, what: string) =>
  Flag.Int(name).pipe(
    Flag.withDescription(what),
    Flag.filter((value) => value > 0, (value) => `${value} is not a number above zero`),
    Flag.optional
  )

const flags = {
  host: Ports.host,
  port: Ports.port,
  publicUrl: Flag.String("public-url").pipe(
    Flag.withDescription(
      "The base URL by which others reach the host, where that is not its address: http://exchange.example.com:8080"
    ),
    Flag.optional
  ),
  json: Flag.Boolean("json").pipe(
    Flag.withDescription(
      "On a terminal, behave as for a program: the first line is JSON, and the port is any free one"
    ),
    Flag.withDefault(false)
  ),
  data: Data.folder.pipe(
    Flag.withDescription(
      "The folder of all venues, which are there again when the host starts with it. By default a folder of this project " +
        "under your state folder on a terminal, and effect-txc-host for a program"
    )
  ),
  memory: Flag.Boolean("memory").pipe(
    Flag.withDescription("Keep nothing: the venues are in a temporary folder, which is removed at the end"),
    Flag.withDefault(false)
  ),
  idle: count("idle", "How many seconds a venue is awake after it was last needed; 60 by default"),
  ttl: count("ttl", "How many seconds venues live that are made without a time to live; for ever by default"),
  maxVenues: count("max-venues", "How many venues there are in all; 10000 by default"),
  maxPerOwner: count("max-per-owner", "How many venues one owner has; 1000 by default"),
  maxAwake: count("max-awake", "How many venues and forks are awake at once; 200 by default"),
  maxCommands: count("max-commands", "How many commands one venue has; 500000 by default"),
  maxPorts: count("max-ports", "How many venues have a port of their own; 100 by default"),
  maxMemory: count(
    "max-memory",
    "How many MiB of memory venues take before no more are woken; 70 % of Node's by default"
  ),
  cluster: Flag.String("cluster").pipe(
    Flag.withDescription(
      "Be a node of a cluster over this PostgreSQL, such as postgres://user@db.internal/effect_txc; TXC_CLUSTER_URL, where it " +
        "holds a password. Any node takes any call, and venues move from nodes that end"
    ),
    Flag.optional
  ),
  migrate: Flag.Boolean("migrate").pipe(
    Flag.withDescription(
      "Make the cluster's tables, or bring them to this version, and end. With TXC_HOST_TOKEN the cluster has that token"
    ),
    Flag.withDefault(false)
  ),
  nodeHost: Flag.String("node-host").pipe(
    Flag.withDescription("The address under which the other nodes reach this one: of a private network"),
    Flag.withDefault("127.0.0.1")
  ),
  nodePort: Flag.Int("node-port").pipe(
    Flag.withDescription("The port on which it takes the other nodes' requests"),
    Flag.withDefault(7300)
  ),
  clusterPort: Flag.Int("cluster-port").pipe(
    Flag.withDescription("The port on which the nodes agree who has which venue"),
    Flag.withDefault(7301)
  ),
  untilStdinEnds: Flag.Boolean("until-stdin-ends").pipe(
    Flag.withDescription("Stop when standard input ends: with the program that holds it, however that ends"),
    Flag.withDefault(false)
  )
}

/** What there is to say of a host that serves. */
interface Started {
  readonly baseUrl: string
  readonly controlToken: string
  readonly folder: Option.Option<string>
  /** Whether the venues are in a database that other nodes share. */
  readonly isNode: boolean
}

const pageOf = ({ baseUrl, controlToken }: Started): string => `${baseUrl}${Dashboard.path}#token=${controlToken}`

const curlOf = ({ baseUrl, controlToken }: Started): string =>
  `curl -X POST ${baseUrl}${ControlApi.prefix}Venues -H 'Authorization: Bearer ${controlToken}'`

const whereOf = ({ folder, isNode }: Started): string =>
  isNode
    ? "the database that the nodes share"
    : Option.getOrElse(folder, () => "a temporary folder; nothing survives this process")

/** The first line is for programs, the rest is for who reads along. */
const tellProgram = (started: Started) => {
  const { baseUrl: url, controlToken } = started
  return Effect.forEach(
    [
      Json.stringify({ url, controlUrl: url + ControlApi.prefix, controlToken }),
      `The venues are in ${whereOf(started)}`,
      `Make a venue: ${curlOf(started)}`,
      `Watch and control them: ${pageOf(started)}`
    ],
    (line) => Console.log(line),
    { discard: true }
  )
}

const tellPerson = (started: Started, { paint: { bold, cyan, dim } }: Screen.Screen) => {
  const row = (name: string, value: string) => `  ${bold(name.padEnd(9))}${value}`
  return Console.log(
    [
      "",
      `  ${bold("effect-txc host")}  ${dim("any number of exchanges, none of them made yet by starting it")}`,
      "",
      row("Host", cyan(started.baseUrl)),
      row("Page", cyan(pageOf(started))),
      row("Venues", whereOf(started)),
      row("Make one", curlOf(started)),
      row("Stop", "Ctrl-C"),
      ""
    ].join("\n")
  )
}

/** The options that are there. */
const withoutAbsent = <Given extends object>(options: Given) =>
  // What is left out is what was `undefined`, hence the type.
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as {
    readonly [Name in keyof Given]?: Exclude<Given[Name], undefined>
  }

const millis = (seconds: Option.Option<number>): number | undefined =>
  Option.getOrUndefined(Option.map(seconds, (value) => value * 1000))

const farewell = (isKept: boolean): string =>
  isKept ? "Stopped. The same command goes on from here." : "Stopped. Nothing was kept."

/** Where the cluster's database is. It may hold a password, which belongs into the environment. */
const clusterUrl = (given: Option.Option<string>) =>
  Effect.map(
    Config.option(Config.Redacted("TXC_CLUSTER_URL")),
    (kept) => Option.orElse(given, () => Option.map(kept, (url) => Redacted.value(url)))
  )

/** How long calls in progress have when a node stops, in milliseconds. */
const drainTimeout = 5000

const noCluster = new Refused({
  wrong: "There is no cluster whose tables could be made.",
  remedy: "Say where its database is: --cluster postgres://user@host/name, or TXC_CLUSTER_URL."
})

/** What a cluster needs is loaded for a cluster alone. */
const clusterNode = Effect.promise(() => import("./ClusterNode.ts"))

export const host = Command.make(
  "host",
  flags,
  Effect.fn(function*({ data, host, idle, json, memory, migrate, port, publicUrl, ttl, untilStdinEnds, ...given }) {
    const screen = yield* Screen.current
    const isForPeople = screen.isTerminal && !json
    const { clusterPort, nodeHost, nodePort, ...bounds } = given
    const cluster = yield* clusterUrl(given.cluster)
    if (migrate && Option.isNone(cluster)) return yield* noCluster
    const token = Option.getOrUndefined(
      Option.map(yield* Config.option(Config.Redacted("TXC_HOST_TOKEN")), (token) => Redacted.value(token))
    )
    if (migrate && Option.isSome(cluster)) return yield* (yield* clusterNode).migrate(cluster.value, token)
    const isNode = Option.isSome(cluster)
    const folder = memory || isNode ? Option.none() : Option.some(yield* Data.forHost(data, isForPeople))
    if (Option.isSome(folder)) yield* Data.make(folder.value)
    const options = withoutAbsent({
      folder: Option.getOrUndefined(folder),
      token,
      idleMillis: millis(idle),
      timeToLiveMillis: millis(ttl),
      maxVenues: Option.getOrUndefined(bounds.maxVenues),
      maxPerOwner: Option.getOrUndefined(bounds.maxPerOwner),
      maxAwake: Option.getOrUndefined(bounds.maxAwake),
      maxCommands: Option.getOrUndefined(bounds.maxCommands),
      maxPorts: Option.getOrUndefined(bounds.maxPorts),
      maxMemory: Option.getOrUndefined(Option.map(bounds.maxMemory, (mebibytes) => mebibytes * 1024 ** 2))
    })
    const where = Option.getOrElse(folder, () => "memory")
    const serve = Effect.gen(function*() {
      const opened = isNode
        ? yield* (yield* clusterNode).open({ ...options, url: cluster.value, nodeHost, nodePort, clusterPort })
        : yield* Host.open(options)
      const { baseUrl } = yield* Ports.listen(
        (port) =>
          Effect.provideService(
            HostServer.serve(withoutAbsent({
              host,
              port,
              publicUrl: Option.getOrUndefined(publicUrl),
              drainTimeout: isNode ? drainTimeout : undefined
            })),
            Host.Host,
            opened
          ),
        port,
        isForPeople
      )
      if (Option.isSome(folder)) yield* Data.hold(folder.value, baseUrl)
      const started = { baseUrl, controlToken: opened.token, folder, isNode }
      yield* isForPeople ? tellPerson(started, screen) : tellProgram(started)
      const { stdin } = yield* Stdio.Stdio
      return yield* untilStdinEnds ? Stream.runDrain(stdin) : Effect.never
    })
    return yield* Effect.scoped(serve).pipe(
      Effect.catchTag("JournalError", (error) => Effect.flatMap(Data.refusalOf(error, where), Effect.fail)),
      Effect.onInterrupt(() =>
        isForPeople ? Console.log(`\r${farewell(isNode || Option.isSome(folder))}`) : Effect.void
      )
    )
  })
).pipe(
  Command.withDescription(
    "Serve any number of exchanges from one process until it is stopped. A POST to its control plane makes one, with a " +
      "base URL, keys and a control token of its own; those that nobody needs sleep on the disk. The control token is " +
      "TXC_HOST_TOKEN, or else a random one that stays the same for the folder. For programs (--json, or when standard " +
      "output is no terminal) the first line is JSON: url, controlUrl, controlToken"
  ),
  Command.withShortDescription(
    "Serve many exchanges from one process: one for each test, or for each member of a team"
  ),
  Command.withExamples([
    { command: "effect-txc host", description: "For a team: on port 8080, and it remembers" },
    {
      command: "effect-txc host --memory --json --ttl 3600",
      description: "For a CI: it keeps nothing for longer than an hour"
    }
  ])
)

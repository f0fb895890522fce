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
import * as Browser from "./Browser.ts"
import * as Flags from "./Flags.ts"
import * as HostAdmin from "./hostAdmin.ts"
import * as JournalFolder from "./JournalFolder.ts"
import * as Listening from "./Listening.ts"
import { Refused } from "./Refused.ts"
import * as Running from "./Running.ts"
import * as Screen from "./Screen.ts"

const count = (name: string, what: string) => Flags.optional(Flags.count(name), what)

const flags = {
  host: Listening.host,
  port: Listening.port,
  allowHosts: Listening.allowHosts,
  publicUrl: Flags.optional(
    Flags.url("public-url"),
    "The public base URL of the host, if it differs from its address: http://exchange.example.com:8080"
  ),
  json: Flags.json,
  open: Flags.open,
  data: JournalFolder.folder.pipe(
    Flag.withDescription(
      "The folder of all venues; a host resumes the venues in it. Default: a folder of this project " +
        "under your state folder on a terminal, effect-txc-host for a program"
    )
  ),
  memory: Flags.toggle("memory", "Save nothing: store the venues in a temporary folder"),
  idle: count("idle", "Seconds that an unused venue stays awake; 60 by default"),
  ttl: count("ttl", "Seconds that a venue lives if it is created without a time to live; forever by default"),
  maxVenues: count("max-venues", "Maximum number of venues; 10000 by default"),
  maxPerOwner: count("max-per-owner", "Maximum number of venues per owner; 1000 by default"),
  maxAwake: count("max-awake", "Maximum number of venues and forks awake at the same time; 200 by default"),
  maxCommands: count("max-commands", "Maximum number of commands per venue; 500000 by default"),
  maxPorts: count("max-ports", "Maximum number of venues with their own port; 100 by default"),
  maxMemory: count(
    "max-memory",
    "MiB of memory above which no more venues are woken; 70 % of Node's limit by default"
  ),
  cluster: Flags.optional(
    Flags.text("cluster", "the URL of a PostgreSQL database"),
    "Join a cluster over this PostgreSQL, such as postgres://user@db.internal/effect_txc; use TXC_CLUSTER_URL if the URL " +
      "contains a password. Any node accepts any call, and venues move away from stopped nodes"
  ),
  migrate: Flags.toggle(
    "migrate",
    "Create or migrate the cluster's tables and exit. With TXC_HOST_TOKEN, also set the cluster's token"
  ),
  nodeHost: Flags.text("node-host", "an address of this machine").pipe(
    Flag.withDescription("The address at which the other nodes reach this node, in a private network"),
    Flag.withDefault("127.0.0.1")
  ),
  nodePort: Flags.port("node-port").pipe(
    Flag.withDescription("The port for requests from the other nodes"),
    Flag.withDefault(7300)
  ),
  clusterPort: Flags.port("cluster-port").pipe(
    Flag.withDescription("The port on which the nodes assign venues"),
    Flag.withDefault(7301)
  ),
  untilStdinEnds: Flags.untilStdinEnds
}

/** The data about a started host that the command prints. */
interface Started {
  readonly baseUrl: string
  readonly controlToken: string
  readonly folder: Option.Option<string>
  /** Whether the host is a cluster node, with its venues in a shared database. */
  readonly isNode: boolean
}

const pageOf = ({ baseUrl, controlToken }: Started): string => `${baseUrl}${Dashboard.path}#token=${controlToken}`

const curlOf = ({ baseUrl, controlToken }: Started): string =>
  `curl -X POST ${baseUrl}${ControlApi.prefix}Venues -H 'Authorization: Bearer ${controlToken}'`

const locationOf = ({ folder, isNode }: Started): string =>
  isNode
    ? "the database that the nodes share"
    : Option.getOrElse(folder, () => "a temporary folder; nothing survives this process")

/** Prints the output if a program started this command: JSON on the first line, then lines for human readers. */
const printForProgram = (started: Started) => {
  const { baseUrl: url, controlToken } = started
  return Effect.forEach(
    [
      Json.stringify({ url, controlUrl: url + ControlApi.prefix, controlToken }),
      `The venues are in ${locationOf(started)}`,
      `Create a venue: ${curlOf(started)}`,
      `Watch and control them: ${pageOf(started)}`
    ],
    (line) => Console.log(line),
    { discard: true }
  )
}

const printForPerson = (started: Started, { paint: { bold, cyan, dim } }: Screen.Screen) => {
  const row = (name: string, value: string) => `  ${bold(name.padEnd(9))}${value}`
  return Console.log(
    [
      "",
      `  ${bold("effect-txc host")}  ${dim("serves any number of exchanges; create the first one")}`,
      "",
      row("Host", cyan(started.baseUrl)),
      row("Page", cyan(pageOf(started))),
      row("Venues", locationOf(started)),
      row("Create", curlOf(started)),
      row("Stop", "Ctrl-C"),
      ""
    ].join("\n")
  )
}

/** Removes the options whose value is `undefined`. */
const withoutAbsent = <Given extends object>(options: Given) =>
  // The cast is safe, because only undefined values are removed.
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as {
    readonly [Name in keyof Given]?: Exclude<Given[Name], undefined>
  }

const millis = (seconds: Option.Option<number>): number | undefined =>
  Option.getOrUndefined(Option.map(seconds, (value) => value * 1000))

const farewell = (isKept: boolean): string =>
  isKept ? "Stopped. Run the same command to resume." : "Stopped. Nothing was saved."

/**
 * Returns the URL of the cluster's database, from the flag or else from `TXC_CLUSTER_URL`. A URL with a password
 * belongs in the environment, because every process on the machine can read arguments.
 */
const clusterUrl = (given: Option.Option<string>) =>
  Effect.map(
    Config.option(Config.Redacted("TXC_CLUSTER_URL")),
    (kept) => Option.orElse(given, () => Option.map(kept, (url) => Redacted.value(url)))
  )

/** The maximum time that a stopping node waits for calls in progress, in milliseconds. */
const drainTimeout = 5000

const noCluster = new Refused({
  wrong: "No cluster to migrate was given.",
  remedy: "Pass the URL of its database with --cluster postgres://user@host/name or TXC_CLUSTER_URL."
})

/**
 * Refuses the combination of a cluster and a flag for a single host's storage, because a cluster stores its venues in
 * the database.
 */
const elsewhere = (flag: string) =>
  new Refused({
    wrong: `${flag} and a cluster exclude each other: the venues of a cluster are in its database.`,
    remedy: `Leave out ${flag}, or leave out --cluster and unset TXC_CLUSTER_URL.`
  })

/** Imports the cluster code on demand, because its dependencies are optional. */
const clusterNode = Effect.promise(() => import("./ClusterNode.ts"))

export const host = Command.make(
  "host",
  flags,
  Effect.fn(
    function*(
      { allowHosts, data, host, idle, json, memory, migrate, open, port, publicUrl, ttl, untilStdinEnds, ...given }
    ) {
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
      if (isNode && Option.isSome(data)) return yield* elsewhere("--data")
      if (isNode && memory) return yield* elsewhere("--memory")
      yield* JournalFolder.unlessMemory(memory, data)
      const folder = memory || isNode ? Option.none() : Option.some(yield* JournalFolder.forHost(data, isForPeople))
      if (Option.isSome(folder)) yield* JournalFolder.make(folder.value)
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
        const { baseUrl } = yield* Listening.listen(
          (port) =>
            Effect.provideService(
              HostServer.serve(withoutAbsent({
                host,
                port,
                allowHosts,
                publicUrl: Option.getOrUndefined(publicUrl),
                drainTimeout: isNode ? drainTimeout : undefined
              })),
              Host.Host,
              opened
            ),
          port,
          isForPeople
        )
        const started = { baseUrl, controlToken: opened.token, folder, isNode }
        yield* Running.announce({
          kind: "host",
          url: baseUrl,
          controlToken: opened.token,
          data: Option.getOrUndefined(folder)
        })
        yield* isForPeople ? printForPerson(started, screen) : printForProgram(started)
        if (open) yield* Browser.open(pageOf(started))
        const { stdin } = yield* Stdio.Stdio
        return yield* untilStdinEnds ? Effect.raceFirst(Stream.runDrain(stdin), opened.drained) : opened.drained
      })
      return yield* Effect.scoped(serve).pipe(
        Effect.catchTag("JournalError", (error) => Effect.flatMap(JournalFolder.refusalOf(error, where), Effect.fail)),
        Effect.onInterrupt(() =>
          isForPeople ? Console.log(`\r${farewell(isNode || Option.isSome(folder))}`) : Effect.void
        )
      )
    }
  )
).pipe(
  Command.withDescription(
    "Serve any number of exchanges from one process until it is stopped. A POST to the control plane creates one with its own " +
      "base URL, keys and control token; unused exchanges sleep on disk. The host's control token is " +
      "TXC_HOST_TOKEN, or a random token that is stored in the folder. For programs (--json, or if standard " +
      "output is not a terminal) the first line is JSON: url, controlUrl, controlToken"
  ),
  Command.withShortDescription(
    "Serve many exchanges from one process: one per test or per team member"
  ),
  Command.withSubcommands([HostAdmin.status, HostAdmin.drain, HostAdmin.exported, HostAdmin.imported, HostAdmin.check]),
  Command.withExamples([
    { command: "effect-txc host", description: "For a team: on port 8080, with persistent venues" },
    {
      command: "effect-txc host --memory --json --ttl 3600",
      description: "For CI: in memory, each venue for at most an hour"
    }
  ])
)

/**
 * The subcommands of `effect-txc host` for operators: they show nodes and venues, drain nodes, and export, import and
 * check journals.
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Config from "effect/Config"
import * as Console from "effect/Console"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as FileProblem from "../client/FileProblem.ts"
import * as ConnectionFailure from "../client/transport/ConnectionFailure.ts"
import * as Json from "../protocol/Json.ts"
import { HostApi } from "../sandbox/host/HostApi.ts"
import * as HostArchive from "../sandbox/host/HostArchive.ts"
import type * as Models from "../sandbox/host/HostModels.ts"
import * as Registry from "../sandbox/host/Registry.ts"
import type { JournalError } from "../sandbox/store/JournalError.ts"
import * as Answer from "./Answer.ts"
import * as Flags from "./Flags.ts"
import * as JournalFolder from "./JournalFolder.ts"
import { Refused } from "./Refused.ts"
import * as Screen from "./Screen.ts"

const cluster = Flags.optional(
  Flags.text("cluster", "the URL of a PostgreSQL database"),
  "The URL of the cluster's database; use TXC_CLUSTER_URL if it contains a password"
)

const url = Flags.optional(
  Flags.url("url"),
  "The base URL of a running host or node, such as http://127.0.0.1:8080, instead of a database. Its token is TXC_HOST_TOKEN"
)

/** Returns a flag for the folder of a stopped host, as an alternative to a cluster. */
const hostFolder = (name: string, what: string) =>
  Flags.optional(Flags.text(name, "a folder"), `The folder of a stopped host ${what}, instead of a cluster`)

/** Replaces the error for a locked journal with the explanation that a running host uses the folder. */
const unlessRunning = (folder: string, error: JournalError): JournalError | Refused =>
  error.why === "locked"
    ? new Refused({
      wrong: `The folder ${folder} is in use by a running host.`,
      remedy: "Stop that host, and start it again afterwards."
    })
    : error

const venue = Argument.String("venue").pipe(Argument.withDescription("The id of the venue"))

/** Imports the cluster code on demand, because its dependencies are optional. */
const clusterNode = Effect.promise(() => import("./ClusterNode.ts"))

const variable = (name: string) =>
  Effect.map(Config.option(Config.Redacted(name)), (found) => Option.map(found, (value) => Redacted.value(value)))

/** Returns the database URL. Fails if no URL is given. */
const databaseOf = Effect.fnUntraced(function*(given: Option.Option<string>) {
  const kept = yield* variable("TXC_CLUSTER_URL")
  const found = Option.orElse(given, () => kept)
  if (Option.isSome(found)) return found.value
  return yield* new Refused({
    wrong: "No cluster is given.",
    remedy: "Pass the URL of its database with --cluster postgres://user@host/name or TXC_CLUSTER_URL."
  })
})

/** Returns a client for the control plane of a running host. */
const planeOf = Effect.fnUntraced(function*(baseUrl: string) {
  const token = yield* variable("TXC_HOST_TOKEN")
  if (Option.isNone(token)) {
    return yield* new Refused({
      wrong: "The token of the host is not set.",
      remedy: "Set TXC_HOST_TOKEN to the token with which the host was started, or which it printed."
    })
  }
  return yield* HttpApiClient.make(HostApi, {
    baseUrl,
    transformClient: HttpClient.mapRequest(HttpClientRequest.bearerToken(token.value))
  })
})

const unreachable = (baseUrl: string) => (error: { readonly message: string } | HttpClientError.HttpClientError) => {
  const reason = HttpClientError.isHttpClientError(error) ? ConnectionFailure.ofError(error).reason : error.message
  return new Refused({
    wrong: `The host at ${baseUrl} did not respond as expected: ${reason}`,
    remedy: "Check --url, TXC_HOST_TOKEN, and that the host is running."
  })
}

interface Found {
  readonly nodes: ReadonlyArray<Models.NodeStatus>
  readonly venues: ReadonlyArray<Models.Placed & { readonly id: string; readonly owner: string }>
}

/** Reads the nodes and venues from a running host if its URL is given, otherwise from the database. */
const found = (database: Option.Option<string>, baseUrl: Option.Option<string>) =>
  Effect.gen(function*() {
    if (Option.isNone(baseUrl)) return yield* (yield* clusterNode).status(yield* databaseOf(database))
    const plane = yield* planeOf(baseUrl.value)
    const [status, venues] = yield* Effect.mapError(
      Effect.all([plane.status(), plane.list({ query: {} })]),
      unreachable(baseUrl.value)
    )
    return { nodes: status.nodes ?? [], venues } satisfies Found
  })

const time = (micros: number | undefined): string =>
  micros === undefined ? "-" : DateTime.formatIso(DateTime.makeUnsafe(Math.floor(micros / 1000))).slice(0, 19)

const show = ({ nodes, venues }: Found, columns: number): string => {
  const nodeRows = nodes.map((
    { awake, engine, node, shards, since, state, troubles }
  ) => [node, state, time(since), String(engine), String(shards), String(awake), troubles.join(". ")])
  const venueRows = venues.map((
    { engine = "-", id, node = "-", owner, since, stage = "-" }
  ) => [id, owner, stage, time(since), String(engine), node])
  return [
    ...(nodes.length === 0
      ? []
      : [
        ...Answer.lines([["NODE", "STATE", "SINCE", "ENGINE", "SHARDS", "AWAKE", "TROUBLES"], ...nodeRows], columns),
        ""
      ]),
    ...Answer.lines([["VENUE", "OWNER", "STAGE", "SINCE", "ENGINE", "NODE"], ...venueRows], columns)
  ].join("\n")
}

export const status = Command.make(
  "status",
  { cluster, url, json: Flags.toggle("json", "Print JSON, with times in Unix microseconds") },
  Effect.fn(function*({ cluster, json, url }) {
    const all = yield* found(cluster, url)
    yield* Console.log(
      json ? Json.stringify({ nodes: all.nodes, venues: all.venues }) : show(all, (yield* Screen.current).columns)
    )
  })
).pipe(
  Command.withDescription(
    "List the nodes of a cluster, with the reasons why a node is not ready, and the venues, each with its stage, the " +
      "time when the stage began (UTC), and its node. Asks a running host (--url), or only the database (--cluster)"
  ),
  Command.withShortDescription("List the nodes and the venues")
)

export const drain = Command.make(
  "drain",
  {
    node: Argument.String("node").pipe(
      Argument.withDescription("The address of the node, as effect-txc host status lists it: 10.0.0.7:7300")
    ),
    cluster,
    url
  },
  Effect.fn(function*({ cluster, node, url }) {
    const unknown = new Refused({
      wrong: `There is no node ${node} in this cluster.`,
      remedy: "effect-txc host status lists the nodes."
    })
    if (Option.isSome(url)) {
      const plane = yield* planeOf(url.value)
      yield* plane.drain({ payload: { node } }).pipe(
        Effect.mapError((error) => error._tag === "UnknownNode" ? unknown : unreachable(url.value)(error))
      )
    } else if (!(yield* (yield* clusterNode).drain(yield* databaseOf(cluster), node))) return yield* unknown
    yield* Console.log(`The node ${node} is draining: its venues move to the other nodes, and its process ends.`)
  })
).pipe(
  Command.withDescription(
    "Stop a node of a cluster, as SIGTERM does: it reports not ready, finishes its calls, gives up its venues, and exits"
  ),
  Command.withShortDescription("Stop a node, so that its venues move to the other nodes")
)

const summary = ({ commands, digest }: { readonly commands: number; readonly digest: string }): string =>
  `${commands} commands, hash ${digest}`

export const exported = Command.make(
  "export",
  {
    venue,
    cluster,
    from: hostFolder("from", "that has the venue"),
    data: Flags.text("data", "a folder").pipe(
      Flag.withDescription("The folder for the journal. It must not contain one yet")
    )
  },
  Effect.fn(function*({ cluster, data, from, venue }) {
    yield* JournalFolder.make(data)
    const file = JournalFolder.journalIn(data)
    const written = Option.isSome(from)
      ? yield* Effect.catchTag(
        HostArchive.exportTo(from.value, venue, file),
        "JournalError",
        (error) => Effect.fail(unlessRunning(from.value, error))
      )
      : yield* (yield* clusterNode).exportTo(yield* databaseOf(cluster), venue, file)
    const { dialect, reduceOnly } = written.registered
    const files = yield* FileSystem.FileSystem
    const record = JournalFolder.recordIn(data)
    yield* Effect.mapError(
      files.writeFileString(record, Registry.encode(written.registered), { mode: 0o600 }),
      (error) =>
        new Refused({ wrong: `${record} can't be written: ${FileProblem.of(error)}`, remedy: "Choose another folder." })
    )
    yield* Console.log(
      [
        summary(written),
        `Serve it: effect-txc sandbox --data ${data} --dialect ${dialect} --reduce-only ${reduceOnly}`,
        `Import it into a cluster: effect-txc host import --data ${data}`,
        `Import it into a host: effect-txc host import --data ${data} --into FOLDER`
      ].join("\n")
    )
  })
).pipe(
  Command.withDescription(
    "Write a venue of a cluster, or of a stopped host, to a folder: its journal, which effect-txc sandbox serves, and its " +
      "record, with its token and keys. effect-txc host import reads both. A cluster's venue keeps running"
  ),
  Command.withShortDescription("Write a venue to a folder")
)

export const imported = Command.make(
  "import",
  {
    cluster,
    into: hostFolder("into", "that gets the venue"),
    data: Flags.text("data", "a folder").pipe(
      Flag.withDescription("The folder that effect-txc host export has written")
    )
  },
  Effect.fn(function*({ cluster, data, into }) {
    const files = yield* FileSystem.FileSystem
    const record = yield* Effect.mapError(
      files.readFileString(JournalFolder.recordIn(data)),
      () =>
        new Refused({
          wrong: `${data} is not an exported venue: ${JournalFolder.recordIn(data)} can't be read.`,
          remedy: "Pass --data with a folder that effect-txc host export has written."
        })
    )
    const file = JournalFolder.journalIn(data)
    const written = Option.isSome(into)
      ? yield* Effect.catchTag(
        HostArchive.importFrom(into.value, file, record),
        "JournalError",
        (error) => Effect.fail(unlessRunning(into.value, error))
      )
      : yield* (yield* clusterNode).importFrom(yield* databaseOf(cluster), file, record)
    const owner = Option.isSome(into) ? `The host in ${into.value}` : "The cluster"
    yield* Console.log(`${owner} has the venue ${written.registered.id}: ${summary(written)}`)
  })
).pipe(
  Command.withDescription(
    "Replay an exported venue with this release, and add it to a cluster, or to a stopped host, under its id, with its token " +
      "and keys. An existing venue with this id is replaced only if another release wrote it, and if it has not changed " +
      "since the export. The cluster's nodes can keep running"
  ),
  Command.withShortDescription("Import an exported venue into a cluster or a host")
)

export const check = Command.make(
  "check",
  { venue, cluster },
  Effect.fn(function*({ cluster, venue }) {
    const checked = yield* (yield* clusterNode).check(yield* databaseOf(cluster), venue)
    const snapshot = checked.snapshot === undefined
      ? "there is no snapshot to compare with"
      : `the state after command ${checked.snapshot} equals the snapshot`
    yield* Console.log(`The journal is intact: ${summary(checked)}; ${snapshot}.`)
  })
).pipe(
  Command.withDescription(
    "Replay the journal of a cluster's venue from its first command, and compare the hashes of its commands and of its " +
      "snapshot. The venue keeps running"
  ),
  Command.withShortDescription("Replay a cluster's venue and compare hashes")
)

/** The code that `effect-txc host` and its subcommands need only for a cluster. Without a cluster, it is not loaded. */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type * as SqlError from "effect/sql/SqlError"
import * as Archive from "../sandbox/cluster/Archive.ts"
import * as Database from "../sandbox/cluster/Database.ts"
import * as Node from "../sandbox/cluster/Node.ts"
import * as Nodes from "../sandbox/cluster/Nodes.ts"
import * as PostgresRegistry from "../sandbox/cluster/PostgresRegistry.ts"
import * as Tables from "../sandbox/cluster/Tables.ts"
import * as Watchdog from "../sandbox/cluster/Watchdog.ts"
import * as Host from "../sandbox/host/Host.ts"
import type { ListenFailed } from "../sandbox/server/Listening.ts"
import type { JournalError } from "../sandbox/store/JournalError.ts"
import { Refused } from "./Refused.ts"

/**
 * How long a stopping node still accepts calls, in milliseconds. This is long enough for a load balancer that polls
 * every second to notice that the node is stopping.
 */
const leavingMillis = 2000

/** The time limit of a node's shutdown, in milliseconds. After that, the process exits, which damages no venue. */
const stopping = 20_000

/**
 * The exit code of a node that lost its venues or took too long to stop. A process supervisor should restart the node.
 */
const lostCode = 1

/** Exits the process if it is still running when the time limit of the shutdown has passed. */
const end = () => void setTimeout(() => process.exit(lostCode), stopping).unref()

/**
 * Exits the process as soon as it notices that it was suspended for too long, or if a shutdown takes too long.
 */
const endInTime: Effect.Effect<unknown, never, Scope.Scope> = Effect.gen(function*() {
  process.once("SIGTERM", end)
  process.once("SIGINT", end)
  // Skips the graceful shutdown. It would take time, and other nodes already own this node's venues.
  const ended = Effect.catch(
    Watchdog.watch,
    ({ message }) => Effect.andThen(Console.error(message), Effect.sync(() => process.exit(lostCode)))
  )
  return yield* Effect.forkScoped(ended)
})

/** Tells the user why the cluster can't be used. */
const refusalOf = ({ reason }: JournalError): Refused =>
  new Refused({
    wrong: "The cluster cannot be used",
    remedy: reason.slice(0, 1).toUpperCase() + reason.slice(1)
  })

/** Explains why the node cannot listen on the address. */
const addressRefused = (clusterPort: number, { message, port, reason }: ListenFailed): Refused => {
  const flag = port === clusterPort ? "--cluster-port" : "--node-port"
  return new Refused({
    wrong: message,
    remedy: reason.includes("EADDRNOTAVAIL") || reason.includes("cannot reach")
      ? "Pass --node-host with an address of this machine that the other nodes can reach"
      : `Choose another port with ${flag}, or stop the program that uses it`
  })
}

/** Starts this node's host. Exits the process if the node is suspended for too long, or takes too long to stop. */
export const open = Effect.fnUntraced(function*(
  options: Omit<Node.Options, "leavingMillis" | "onWaiting">
): Effect.fn.Return<Host.Host["Service"], Refused, Scope.Scope> {
  const context = yield* Layer.build(Node.layer({ ...options, leavingMillis, onWaiting: Console.error })).pipe(
    Effect.catchTags({
      JournalError: (error) => Effect.fail(refusalOf(error)),
      ListenFailed: (error) => Effect.fail(addressRefused(options.clusterPort, error))
    })
  )
  yield* endInTime
  const host = Context.get(context, Host.Host)
  return Host.Host.of({ ...host, drained: Effect.tap(host.drained, () => Effect.sync(end)) })
})

const migrating = Effect.fnUntraced(function*(token: string | undefined) {
  const before = yield* Database.whenReachable(Tables.migrate, Console.error)
  yield* Console.log(
    before === Tables.version
      ? `The tables already have version ${Tables.version}.`
      : `The tables now have version ${Tables.version}, previously ${before === 0 ? "none" : before}.`
  )
  if (token === undefined) return
  yield* PostgresRegistry.setToken(token)
  yield* Console.log("The cluster has the token in TXC_HOST_TOKEN. Restart nodes that run with another token.")
})

/**
 * Creates a cluster's tables, or migrates them to this version, and prints what has changed. If a token is given, it
 * replaces the cluster's control token.
 */
export const migrate = (url: string, token: string | undefined): Effect.Effect<void, Refused> =>
  migrating(token).pipe(
    Effect.provide(Node.database(url)),
    Effect.catchTag("SqlError", (error) => Effect.fail(Database.unreachable(error))),
    Effect.catchTag("JournalError", (error) => Effect.fail(refusalOf(error)))
  )

/** Runs an effect with a cluster's database, without starting a node. */
const inDatabase = <A>(
  url: string,
  work: Effect.Effect<A, JournalError | Host.UnknownVenue | SqlError.SqlError, PgClient.PgClient>
): Effect.Effect<A, Refused | JournalError | Host.UnknownVenue> =>
  Effect.andThen(Tables.check, work).pipe(
    Effect.provide(Node.database(url)),
    Effect.catchTags({
      SqlError: (error) => Effect.fail(refusalOf(Database.unreachable(error))),
      JournalError: (error) => Effect.fail(error.file === "of the cluster" ? refusalOf(error) : error)
    })
  )

/** Reads a cluster's nodes and venues from its database. */
export const status = (url: string) =>
  inDatabase(
    url,
    Effect.gen(function*() {
      const nodes = yield* Nodes.list(yield* PgClient.PgClient)
      const registry = yield* PostgresRegistry.listing(undefined)
      const venues = registry.map(({ placed, registered: { id, owner } }) => ({ id, owner, ...placed }))
      return { nodes: nodes.map(({ stages: _stages, ...node }) => node), venues }
    })
  )

/** Tells a node to hand over its venues and stop. Returns `false` if the node does not exist. */
export const drain = (url: string, node: string) =>
  inDatabase(url, Effect.flatMap(PgClient.PgClient, (sql) => Nodes.drain(sql, node)))

/** Writes a venue's journal to a file. */
export const exportTo = (url: string, venue: string, file: string) => inDatabase(url, Archive.exportTo(venue, file))

/** Imports an exported venue into a cluster. */
export const importFrom = (url: string, file: string, record: string) =>
  inDatabase(url, Archive.importFrom(file, record))

/** Checks a venue's journal by replaying it. */
export const check = (url: string, venue: string) => inDatabase(url, Archive.check(venue))

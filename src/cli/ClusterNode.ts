/** The additions of `effect-txc host --cluster` to a host, loaded only for a cluster. */
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Database from "../sandbox/cluster/Database.ts"
import * as Node from "../sandbox/cluster/Node.ts"
import * as PostgresRegistry from "../sandbox/cluster/PostgresRegistry.ts"
import * as Tables from "../sandbox/cluster/Tables.ts"
import * as Watchdog from "../sandbox/cluster/Watchdog.ts"
import * as Host from "../sandbox/host/Host.ts"
import type { ListenFailed } from "../sandbox/server/Listening.ts"
import type { JournalError } from "../sandbox/store/JournalError.ts"
import { Refused } from "./Refused.ts"

/**
 * How long a stopping node still accepts calls, in milliseconds. A load balancer that polls every second stops sending
 * calls before that.
 */
const leavingMillis = 2000

/** The time limit of a node's shutdown, in milliseconds. After that the process ends; its venues are intact. */
const stopping = 20_000

/** The exit code of a node that has lost its venues or stopped too slowly. Start such a node again. */
const lostCode = 1

/** Ends the process immediately if it was suspended for too long, and after the time limit of a shutdown. */
const endInTime: Effect.Effect<unknown, never, Scope.Scope> = Effect.gen(function*() {
  const end = () => void setTimeout(() => process.exit(lostCode), stopping).unref()
  process.once("SIGTERM", end)
  process.once("SIGINT", end)
  // A graceful shutdown takes time, and other nodes already own this node's venues.
  const ended = Effect.catch(
    Watchdog.watch,
    ({ message }) => Effect.andThen(Console.error(message), Effect.sync(() => process.exit(lostCode)))
  )
  return yield* Effect.forkScoped(ended)
})

/** Explains to the user why the cluster is unavailable. */
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
    remedy: reason.includes("EADDRNOTAVAIL")
      ? "Pass --node-host with an address of this machine that the other nodes can reach"
      : `Choose another port with ${flag}, or stop the program that uses it`
  })
}

/** Opens the host of this node. */
export const open = Effect.fnUntraced(function*(
  options: Omit<Node.Options, "leavingMillis">
): Effect.fn.Return<Host.Host["Service"], Refused, Scope.Scope> {
  const context = yield* Layer.build(Node.layer({ ...options, leavingMillis })).pipe(
    Effect.catchTags({
      JournalError: (error) => Effect.fail(refusalOf(error)),
      ListenFailed: (error) => Effect.fail(addressRefused(options.clusterPort, error))
    })
  )
  yield* endInTime
  return Context.get(context, Host.Host)
})

const migrating = Effect.fnUntraced(function*(token: string | undefined) {
  const before = yield* Tables.migrate
  yield* Console.log(
    before === Tables.version
      ? `The tables already have version ${Tables.version}.`
      : `The tables now have version ${Tables.version}, previously ${before === 0 ? "none" : before}.`
  )
  if (token === undefined) return
  yield* PostgresRegistry.setToken(token)
  yield* Console.log("The cluster now has the token in TXC_HOST_TOKEN. Restart running nodes to use it.")
})

/**
 * Creates the tables of a cluster, or migrates them to this version, and reports what it did. If a token is given, the
 * cluster uses it from now on.
 */
export const migrate = (url: string, token: string | undefined): Effect.Effect<void, Refused> =>
  migrating(token).pipe(
    Effect.provide(Node.database(url)),
    Effect.catchTag("SqlError", (error) => Effect.fail(Database.unreachable(error))),
    Effect.catchTag("JournalError", (error) => Effect.fail(refusalOf(error)))
  )

/** What `effect-txc host --cluster` does besides what a host does. It is loaded only then. */
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
 * How long a node that was told to stop goes on taking calls, in milliseconds: a load balancer that looks every second stops
 * sending it calls first.
 */
const leavingMillis = 2000

/** How long a node may take to stop, in milliseconds. Then it ends as it is: its venues are whole all the same. */
const stopping = 20_000

/** The exit code of a node that ended because it had lost its venues, or was too slow to stop: start it again. */
const lostCode = 1

/** Ends the process at once when it has stood still for too long, and some time after it was told to stop. */
const endInTime: Effect.Effect<unknown, never, Scope.Scope> = Effect.gen(function*() {
  const end = () => void setTimeout(() => process.exit(lostCode), stopping).unref()
  process.once("SIGTERM", end)
  process.once("SIGINT", end)
  // Its own end would take time, and other nodes have its venues.
  const ended = Effect.catch(
    Watchdog.watch,
    ({ message }) => Effect.andThen(Console.error(message), Effect.sync(() => process.exit(lostCode)))
  )
  return yield* Effect.forkScoped(ended)
})

/** What a cluster that can't be used is to the user. */
const refusalOf = ({ reason }: JournalError): Refused =>
  new Refused({
    wrong: "The cluster can't be used",
    remedy: reason.slice(0, 1).toUpperCase() + reason.slice(1)
  })

/** What is wrong with the address on which a node should listen for others. */
const addressRefused = (clusterPort: number, { message, port, reason }: ListenFailed): Refused => {
  const flag = port === clusterPort ? "--cluster-port" : "--node-port"
  return new Refused({
    wrong: message,
    remedy: reason.includes("EADDRNOTAVAIL")
      ? "Name an address of this machine with --node-host, at which the other nodes reach it"
      : `Choose another port with ${flag}, or stop the program that has it`
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
      ? `The database has the tables of version ${Tables.version} already.`
      : `The database has the tables of version ${Tables.version} now; it had ${before === 0 ? "none" : before}.`
  )
  if (token === undefined) return
  yield* PostgresRegistry.setToken(token)
  yield* Console.log("The cluster has the token of TXC_HOST_TOKEN. Nodes that run have it once they are started again.")
})

/**
 * Makes the tables of a cluster, or brings them to this version, and says what it did. The cluster has this token from then
 * on, if one is given.
 */
export const migrate = (url: string, token: string | undefined): Effect.Effect<void, Refused> =>
  migrating(token).pipe(
    Effect.provide(Node.database(url)),
    Effect.catchTag("SqlError", (error) => Effect.fail(Database.unreachable(error))),
    Effect.catchTag("JournalError", (error) => Effect.fail(refusalOf(error)))
  )

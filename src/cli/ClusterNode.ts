/**
 * What `effect-txc host --cluster` does besides what a host does. It is loaded only then.
 *
 * @since 0.1.0
 */
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Database from "../sandbox/cluster/Database.ts"
import * as Node from "../sandbox/cluster/Node.ts"
import * as Pause from "../sandbox/cluster/Pause.ts"
import * as Tables from "../sandbox/cluster/Tables.ts"
import type { ListenFailed } from "../sandbox/gateway/Listening.ts"
import * as Host from "../sandbox/host/Host.ts"
import type { JournalError } from "../sandbox/store/JournalError.ts"

/**
 * How long a node that was told to stop goes on taking calls, in milliseconds: a load balancer that looks every second stops
 * sending it calls first.
 */
const leavingMillis = 2000

/** How long a node may take to stop, in milliseconds. Then it ends as it is: its venues are whole all the same. */
const stopping = 20_000

/** The exit code of a node that ended because it had lost its venues, or was too slow to stop: start it again. */
const lostCode = 1

/**
 * Ends the process at once when it has stood still for too long, and some time after it was told to stop.
 *
 * @category running
 * @since 0.1.0
 */
const endInTime: Effect.Effect<unknown, never, Scope.Scope> = Effect.gen(function*() {
  const end = () => void setTimeout(() => process.exit(lostCode), stopping).unref()
  process.once("SIGTERM", end)
  process.once("SIGINT", end)
  // Its own end would take time, and other nodes have its venues.
  const ended = Effect.catch(
    Pause.watch,
    ({ message }) => Effect.andThen(Console.error(message), Effect.sync(() => process.exit(lostCode)))
  )
  return yield* Effect.forkScoped(ended)
})

/**
 * Opens the host of this node.
 *
 * @category running
 * @since 0.1.0
 */
export const open = Effect.fnUntraced(function*(
  options: Omit<Node.Options, "leavingMillis">
): Effect.fn.Return<Host.Host["Service"], JournalError | ListenFailed, Scope.Scope> {
  const context = yield* Layer.build(Node.layer({ ...options, leavingMillis }))
  yield* endInTime
  return Context.get(context, Host.Host)
})

/**
 * Makes the tables of a cluster, or brings them to this version, and says what it did.
 *
 * @category running
 * @since 0.1.0
 */
export const migrate = (url: string): Effect.Effect<void, JournalError> =>
  Tables.migrate.pipe(
    Effect.flatMap((before) =>
      Console.log(
        before === Tables.version
          ? `The database has the tables of version ${Tables.version} already.`
          : `The database has the tables of version ${Tables.version} now; it had ${before === 0 ? "none" : before}.`
      )
    ),
    Effect.provide(Node.database(url)),
    Effect.catchTag("SqlError", (error) => Effect.fail(Database.unreachable(error)))
  )

/**
 * Forwards a request to the node that has its venue.
 *
 * A request that may have been carried out is resent only if this is safe. Calls to the exchange are safe, because each
 * has an id by which the venue recognizes a repetition. Control plane reads are safe, because they change nothing. An
 * owner action is sent only once.
 *
 * A 503 response guarantees that nothing was carried out. If the outcome is unknown, the connection is reset instead.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Metric from "effect/Metric"
import { randomUUID } from "node:crypto"
import { prefix } from "../control/ControlApi.ts"
import { type Answer, type Outcome, type Request, reset } from "../gateway/Message.ts"
import * as Refusal from "../server/Refusal.ts"
import * as Sockets from "../server/Sockets.ts"
import type { Membership } from "./Membership.ts"
import * as NodeMetrics from "./NodeMetrics.ts"
import type * as NodeTransport from "./NodeTransport.ts"

/**
 * The time limit for a request to reach its venue, in milliseconds after its arrival in the cluster. This limit covers
 * all waits on the way. It is longer than the time that other nodes need to take over a lost node's venues.
 */
export const patience = 8000

/**
 * The time limit for the venue's response, in milliseconds after {@link patience} has passed. Together, these limits
 * mean that a 503 arrives within ten seconds, and a reset within ten seconds plus the silence after which a node is
 * considered lost.
 */
export const answerTime = 2000

/** The pause between attempts to find a venue, in milliseconds. */
const pause = 100

/** Whether a request that may have been carried out can be resent. */
export const isRepeatable = ({ method, path }: Request): boolean =>
  method === "GET" || method === "HEAD" || !path.startsWith(prefix)

const notPlaced = (path: string): Answer =>
  Refusal.busy(path, "NotPlaced", "No node has this venue at present: a node was lost, or the nodes are starting")

/** The outcomes without a response from the venue. */
const unanswered: ReadonlySet<NodeTransport.Outcome["_tag"]> = new Set(["NotTheirs", "NotSent", "Busy", "Lost"])

const isAnswer = (outcome: NodeTransport.Outcome): outcome is Outcome => !unanswered.has(outcome._tag)

/** Forwards requests to the nodes that have their venues. */
export interface Forward {
  /** Sends a request to the node that has the venue. Returns the venue's response or WebSocket. */
  readonly send: (venue: string, request: Request) => Effect.Effect<Outcome>
  /** Drops the cached locations of deleted venues. */
  readonly forget: (isEnded: (venue: string) => boolean) => void
}

/** Creates a forwarder. `ours` handles requests for this node's venues. */
export const make = (
  membership: Pick<Membership["Service"], "locate">,
  { send }: Pick<NodeTransport.Sender, "send">,
  self: string,
  ours: NodeTransport.Receive
): Forward => {
  /** The last known locations of venues. */
  const known = new Map<string, string>()

  /**
   * The searches in progress. All requests for a venue share one search, which repeats until a node responds. A
   * thousand separate searches would use up the CPU time that other requests need.
   */
  const searches = new Map<string, Fiber.Fiber<string | undefined>>()

  const search = (venue: string): Effect.Effect<string | undefined> =>
    Effect.suspend(() => {
      const found = searches.get(venue)
      if (found !== undefined) return Fiber.join(found)
      const searching = membership.locate(venue).pipe(
        Effect.tap((located) => Effect.sync(() => known.set(venue, located))),
        Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.undefined }),
        Effect.ensuring(Effect.sync(() => searches.delete(venue)))
      )
      return Effect.flatMap(Effect.forkDetach(searching), (fiber) => {
        searches.set(venue, fiber)
        return Fiber.join(fiber)
      })
    })

  const locate = (venue: string, millis: number): Effect.Effect<string | undefined> =>
    Effect.suspend(() => {
      const found = known.get(venue)
      if (found !== undefined) return Effect.succeed(found)
      // This search may have been started by an earlier request, so the search might time out before this request does.
      return search(venue).pipe(
        Effect.repeat({ until: (located) => located !== undefined }),
        Effect.timeoutOrElse({ duration: Math.max(millis, 0), orElse: () => Effect.undefined })
      )
    })

  const attempt = (address: string, venue: string, request: Request): Effect.Effect<NodeTransport.Outcome> =>
    address === self
      ? ours(venue, request)
      : Effect.andThen(Metric.update(NodeMetrics.passedOn, 1), send(address, venue, request))

  return {
    send: Effect.fnUntraced(function*(venue, given) {
      const request = { ...given, delivery: randomUUID() }
      const end = (yield* Clock.currentTimeMillis) + (given.patience ?? patience)
      const remaining = Effect.map(Clock.currentTimeMillis, (now) => end - now)
      let mayBeDone = false
      for (;;) {
        const address = yield* locate(venue, yield* remaining)
        const left = yield* remaining
        // A venue stores its response for longer than this time limit. If this node was suspended for longer still, the
        // response may be gone, and a resent request would be carried out twice.
        if (address === undefined || left <= 0) return mayBeDone ? reset : notPlaced(request.path)
        const outcome = yield* attempt(address, venue, { ...request, patience: left })
        if (isAnswer(outcome)) {
          // The outcome of an earlier attempt is unknown, so a 503 now does not prove that nothing was carried out.
          return mayBeDone && outcome._tag === "Answer" && outcome.status === 503 ? reset : outcome
        }
        if (outcome._tag === "Busy" && !mayBeDone) return Refusal.overloaded(request.path)
        if (outcome._tag !== "Busy") known.delete(venue)
        if (outcome._tag === "Lost") {
          if (!isRepeatable(request)) return reset
          // A request to open a WebSocket changes nothing by itself, so it can be resent.
          mayBeDone = !Sockets.isUpgrade(request)
        }
        yield* Effect.sleep(pause)
      }
    }),
    forget: (isEnded) => {
      for (const venue of known.keys()) if (isEnded(venue)) known.delete(venue)
    }
  }
}

/**
 * Forwards a request to the node that has its venue.
 *
 * A request that may have been carried out is resent only if that is safe: a call of the exchange has an id by which
 * the venue recognises it, and a read of the control plane changes nothing. An owner action is sent once.
 *
 * The answer is reliable: 503 means that nothing was carried out. If that is unknown, the connection breaks.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { randomUUID } from "node:crypto"
import { prefix } from "../control/ControlApi.ts"
import { type Answer, type Request, reset } from "../gateway/Message.ts"
import * as Refusals from "../host/Refusals.ts"
import type { Membership } from "./Membership.ts"
import type * as NodeTransport from "./NodeTransport.ts"

/**
 * How long a request may look for its venue, in milliseconds: longer than other nodes take to get the venues of a lost
 * node.
 */
const patience = 10_000

/** The pause before the next attempt to find a venue, in milliseconds. */
const pause = 100

/** Whether a request that may have been carried out can be resent. */
export const isRepeatable = ({ method, path }: Request): boolean =>
  method === "GET" || method === "HEAD" || !path.startsWith(prefix)

const notPlaced = (path: string): Answer =>
  Refusals.refuse(
    path,
    503,
    "NotPlaced",
    "No node has this venue at the moment: a node was lost, or the nodes are starting. Nothing was carried out. Retry shortly"
  )

const isAnswer = (outcome: NodeTransport.Outcome): outcome is Answer =>
  outcome._tag === "Answer" || outcome._tag === "Stream" || outcome._tag === "Reset"

/** Forwards requests to the nodes that have their venues. */
export interface Forward {
  /** Sends a request to the node that has the venue. Returns its answer. */
  readonly send: (venue: string, request: Request) => Effect.Effect<Answer>
  /** Forgets the cached location of a venue. */
  readonly forget: (venue: string) => void
}

/** Makes a forwarder. `ours` handles requests for venues of this node. */
export const make = (
  membership: Membership["Service"],
  { send }: NodeTransport.Sender,
  self: string,
  ours: NodeTransport.Receive
): Forward => {
  /** The last known locations of venues. */
  const known = new Map<string, string>()

  const locate = Effect.fnUntraced(function*(venue: string, millis: number) {
    const found = known.get(venue)
    if (found !== undefined) return found
    const located = yield* Effect.timeoutOrElse(membership.locate(venue), {
      duration: Math.max(0, millis),
      orElse: () => Effect.undefined
    })
    if (located !== undefined) known.set(venue, located)
    return located
  })

  const attempt = (address: string, venue: string, request: Request): Effect.Effect<NodeTransport.Outcome> =>
    address === self ? ours(venue, request) : send(address, venue, request)

  return {
    send: Effect.fnUntraced(function*(venue, given) {
      const request = { ...given, delivery: randomUUID() }
      const end = (yield* Clock.currentTimeMillis) + patience
      let mayBeDone = false
      for (;;) {
        const left = end - (yield* Clock.currentTimeMillis)
        const address = left <= 0 ? undefined : yield* locate(venue, left)
        // The venue remembers answers long enough for requests sent in time, but not for one sent after this node was
        // suspended.
        const isLate = (yield* Clock.currentTimeMillis) >= end
        if (address === undefined || isLate) return mayBeDone ? reset : notPlaced(request.path)
        const outcome = yield* attempt(address, venue, request)
        if (isAnswer(outcome)) {
          // The outcome of an earlier attempt is unknown, so a 503 now does not prove that nothing was carried out.
          return mayBeDone && outcome._tag === "Answer" && outcome.status === 503 ? reset : outcome
        }
        known.delete(venue)
        if (outcome._tag === "Lost") {
          if (!isRepeatable(request)) return reset
          mayBeDone = true
        }
        yield* Effect.sleep(pause)
      }
    }),
    forget: (venue) => known.delete(venue)
  }
}

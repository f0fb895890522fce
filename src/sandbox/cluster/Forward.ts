/**
 * How a node brings a request to the node that has its venue.
 *
 * A request that may have been carried out is sent again only where that does no harm: a call of the exchange has an id, by which
 * the venue knows it again; a look of its owner changes nothing. What an owner does is sent once.
 *
 * What the caller gets holds: 503 says that nothing was carried out. Where that is not known the connection breaks.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { randomUUID } from "node:crypto"
import { prefix } from "../control/ControlApi.ts"
import { type Answer, type Request, reset } from "../gateway/Message.ts"
import * as Refusals from "../host/Refusals.ts"
import type { Membership } from "./Membership.ts"
import type * as NodeTransport from "./NodeTransport.ts"

/** How long a request may look for its venue, in milliseconds: longer than it takes until other nodes have a lost node's. */
const patience = 10_000

/** How long to wait before a venue is looked for again, in milliseconds. */
const pause = 100

/** Whether a request that may have been carried out can be sent again. */
export const isRepeatable = ({ method, path }: Request): boolean =>
  method === "GET" || method === "HEAD" || !path.startsWith(prefix)

const notPlaced = (path: string): Answer =>
  Refusals.refuse(
    path,
    503,
    "NotPlaced",
    "No node has this venue at the moment: one was lost, or they are starting. Nothing was carried out. Call again in a moment"
  )

const isAnswer = (outcome: NodeTransport.Outcome): outcome is Answer =>
  outcome._tag === "Answer" || outcome._tag === "Stream" || outcome._tag === "Reset"

/** What brings requests to the nodes that have their venues. */
export interface Forward {
  /** Sends a request to the node that has the venue, and gives its answer. */
  readonly send: (venue: string, request: Request) => Effect.Effect<Answer>
  /** Forgets where a venue was. */
  readonly forget: (venue: string) => void
}

/** What brings requests to other nodes. `ours` takes a request here. */
export const make = (
  membership: Membership["Service"],
  { send }: NodeTransport.Sender,
  self: string,
  ours: NodeTransport.Receive
): Forward => {
  /** Where venues were when they were last looked for. */
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
        // The venue knows an answer long enough for what is sent in time, not for what a node sends after it stood still.
        const isLate = (yield* Clock.currentTimeMillis) >= end
        if (address === undefined || isLate) return mayBeDone ? reset : notPlaced(request.path)
        const outcome = yield* attempt(address, venue, request)
        if (isAnswer(outcome)) {
          // What an earlier attempt came to is not known: that this one came to nothing proves nothing.
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

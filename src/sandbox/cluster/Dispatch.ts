/**
 * Sends a request to the node that has its venue, or reports why this is impossible. No step takes longer than the
 * request's remaining time.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Answer, Outcome, Request, Upgraded } from "../gateway/Message.ts"
import * as Models from "../host/HostModels.ts"
import * as Refusals from "../host/Refusals.ts"
import * as Refusal from "../server/Refusal.ts"
import * as Sockets from "../server/Sockets.ts"
import { JournalError } from "../store/JournalError.ts"
import type { Engines } from "./Engines.ts"
import * as Forward from "./Forward.ts"
import type { KnownVenues } from "./KnownVenues.ts"

/** The venues and the engine versions that a node knows. */
interface Parts {
  readonly known: KnownVenues
  readonly engines: Engines
}

/** Looks for a venue for at most `millis`. */
export const foundWithin = (millis: number, id: string) => <A>(look: Effect.Effect<A, JournalError>) =>
  Effect.timeoutOrElse(look, {
    duration: millis,
    orElse: () => Effect.fail(new JournalError({ why: "failed", file: id, reason: "the database does not respond" }))
  })

/** The outcome of a request at the node that has the venue. */
export type Given = Answer | Upgraded

/** The outcome of the request is not known. */
interface Lost {
  readonly _tag: "Lost"
}

/**
 * Waits at most `millis` for a venue's response. After that, the outcome is treated as unknown. The limit does not
 * include a fault's delay or the time that the control plane takes.
 */
export const answeredWithin = (
  run: (effect: Effect.Effect<Answer>) => unknown,
  millis: number,
  send: (resume: (given: Outcome | Effect.Effect<Outcome>) => void) => void
): Effect.Effect<Given | Lost> =>
  Effect.callback<Effect.Effect<Given | Lost>>((resume) => {
    let isLate = false
    send((given) => {
      // A request for a venue on this node never needs a tunnel.
      const outcome = Effect.map(
        Effect.isEffect(given) ? given : Effect.succeed(given),
        (outcome) => outcome._tag === "Tunneled" ? Sockets.decline(outcome) : outcome
      )
      if (!isLate) return resume(Effect.succeed(outcome))
      // Runs even if no caller is waiting anymore, because the venue is considered in use until this effect ends.
      run(Effect.map(outcome, Sockets.decline))
    })
    return Effect.sync(() => {
      isLate = true
    })
  }).pipe(
    Effect.timeoutOrElse({ duration: millis, orElse: () => Effect.succeed(Effect.succeed<Lost>({ _tag: "Lost" })) }),
    Effect.flatten
  )

/** Sends a request for a venue that this node knows, unless no node can open it. */
const sendToKnown = (
  { engines }: Parts,
  forward: Forward.Forward,
  id: string,
  request: Request
): Effect.Effect<Outcome> => {
  const refusal = engines.refusal(id)
  return refusal === undefined
    ? forward.send(id, request)
    : Effect.succeed(Refusal.make(request.path, 503, "OtherEngine", refusal))
}

/** The response to a request whose venue can't be looked up in the database. */
export const notFound = ({ path }: Request, { message }: JournalError): Answer =>
  Refusal.busy(path, "JournalError", message)

/** Sends a request for a venue that this node does not know. Another node may have created the venue just now. */
const sendToUnknown = Effect.fnUntraced(
  function*(parts: Parts, forward: Forward.Forward, id: string, request: Request) {
    const began = yield* Clock.currentTimeMillis
    const isKnown = yield* foundWithin(Forward.patience, id)(parts.known.has(id))
    if (!isKnown) return Refusals.unknown(request.path, Models.unknownVenue(id))
    const patience = Forward.patience - ((yield* Clock.currentTimeMillis) - began)
    return yield* sendToKnown(parts, forward, id, { ...request, patience })
  },
  (sending, _parts, _forward, _id, request) =>
    Effect.catch(sending, (error) => Effect.succeed(notFound(request, error)))
)

/** Sends a request for any venue. */
export const send = (parts: Parts, forward: Forward.Forward, id: string, request: Request): Effect.Effect<Outcome> =>
  (parts.known.get(id) === undefined ? sendToUnknown : sendToKnown)(parts, forward, id, request)

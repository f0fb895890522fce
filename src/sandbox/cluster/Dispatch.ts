/** Sends a request to the node that has its venue, or says why no node has it. */
import * as Effect from "effect/Effect"
import type { Answer, Request } from "../gateway/Message.ts"
import * as Models from "../host/HostModels.ts"
import * as Refusals from "../host/Refusals.ts"
import * as Refusal from "../server/Refusal.ts"
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
    orElse: () =>
      Effect.fail(new JournalError({ why: "failed", file: id, reason: "the database does not answer; retry shortly" }))
  })

/** Sends a request for a venue that this node knows, unless no node can open it. */
const sendToKnown = ({ engines }: Parts, forward: Forward.Forward, id: string, request: Request) => {
  const refusal = engines.refusal(id)
  return refusal === undefined
    ? forward.send(id, request)
    : Effect.succeed(Refusal.make(request.path, 503, "OtherEngine", refusal))
}

/** Sends a request for a venue that this node does not know. Another node may have created the venue a moment ago. */
const sendToUnknown = (parts: Parts, forward: Forward.Forward, id: string, request: Request) =>
  Effect.matchEffect(foundWithin(Forward.patience, id)(parts.known.has(id)), {
    onSuccess: (isKnown): Effect.Effect<Answer> =>
      isKnown
        ? sendToKnown(parts, forward, id, request)
        : Effect.succeed(Refusals.unknown(request.path, Models.unknownVenue(id))),
    onFailure: ({ message }) => Effect.succeed(Refusal.make(request.path, 503, "JournalError", message))
  })

/** Sends a request for any venue. */
export const send = (parts: Parts, forward: Forward.Forward, id: string, request: Request): Effect.Effect<Answer> =>
  (parts.known.get(id) === undefined ? sendToUnknown : sendToKnown)(parts, forward, id, request)

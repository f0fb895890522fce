/** Answers requests, independently of the transport. */
import type * as Clock from "effect/Clock"
import type * as Effect from "effect/Effect"
import type { Head, Outcome, Request, Written } from "../gateway/Message.ts"
import * as Responses from "../gateway/Responses.ts"
import * as Protocol from "../page/Protocol.ts"
import type { Streams } from "../streams/Streams.ts"
import type { Venue } from "../venue/Venue.ts"
import type * as ControlPlane from "./ControlPlane.ts"
import * as Sockets from "./Sockets.ts"

/** The part of a server that answers requests, for a venue or for a host. */
export interface Backend {
  /** Whether a request comes from the owner of the sandbox. The owner's request bodies may be larger. */
  readonly isOwners: (head: Head) => boolean
  /**
   * The name of the venue that a request is for; `undefined` if it is for none. If the backend has only one venue, its
   * name is empty.
   */
  readonly venueOf: (head: Head) => string | undefined
  /** The answer to a request whose body is too large. */
  readonly refuse: (head: Head) => Written
  /** Answers a request. `resume` is called once: with the outcome, or with an effect that produces it. */
  readonly receive: (
    request: Request,
    clock: Clock.Clock,
    resume: (outcome: Outcome | Effect.Effect<Outcome>) => void
  ) => void
}

/** The backend of a venue: its exchange with its WebSocket, its control plane if it has one, and its page. */
export const backendOf = (
  venue: Venue["Service"],
  control: ControlPlane.ControlPlane | undefined,
  streams: Streams
): Backend => ({
  isOwners: ({ headers, path }) => control !== undefined && control.isFor(path) && control.isOpenTo(headers),
  venueOf: () => "",
  refuse: ({ path }) => Responses.refuse(venue.dialect, path, "bodyTooLarge"),
  receive: (request, clock, resume) => {
    const known = Protocol.answer(request, venue.dialect) ?? Sockets.answer(request, venue.dialect, streams)
    if (known !== undefined) return resume(known)
    if (control?.isFor(request.path) === true) resume(control.handle(request))
    else venue.receive(request, clock, resume)
  }
})

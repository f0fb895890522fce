/** Handles requests, independently of the transport. */
import type * as Clock from "effect/Clock"
import type * as Effect from "effect/Effect"
import type { Head, Outcome, Request, Written } from "../gateway/Message.ts"
import * as Responses from "../gateway/Responses.ts"
import * as Protocol from "../page/Protocol.ts"
import type { Streams } from "../streams/Streams.ts"
import type { Venue } from "../venue/Venue.ts"
import type * as ControlPlane from "./ControlPlane.ts"
import * as Sockets from "./Sockets.ts"

/** The part of a server that handles the requests to a venue or to a host. */
export interface Backend {
  /** Whether a request comes from the sandbox's owner, whose request bodies may be larger. */
  readonly isOwners: (head: Head) => boolean
  /**
   * The name of the venue that a request is for; `undefined` if the request is for no venue. If the backend has only
   * one venue, that venue's name is empty.
   */
  readonly venueOf: (head: Head) => string | undefined
  /** The response to a request whose body is too large. */
  readonly refuse: (head: Head) => Written
  /** Handles a request. `resume` is called once, with the outcome or with an effect that produces the outcome. */
  readonly receive: (
    request: Request,
    clock: Clock.Clock,
    resume: (outcome: Outcome | Effect.Effect<Outcome>) => void
  ) => void
}

/** A venue's backend: the exchange including its WebSocket, the control plane if there is one, and the page. */
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

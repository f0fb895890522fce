/** Answers requests, independently of the transport. */
import type * as Clock from "effect/Clock"
import type * as Effect from "effect/Effect"
import type { Answer, Head, Request, Written } from "../gateway/Message.ts"
import * as Responses from "../gateway/Responses.ts"
import * as Protocol from "../page/Protocol.ts"
import type { Venue } from "../venue/Venue.ts"
import type * as ControlPlane from "./ControlPlane.ts"

/** Answers requests. */
export interface Backend {
  /** Whether a request comes from the owner, whose request bodies may be larger. */
  readonly isOwners: (head: Head) => boolean
  /** The venue that a request is for; `undefined` if it is for none. The name is empty if there is only one venue. */
  readonly venueOf: (head: Head) => string | undefined
  /** The answer to a request whose body is too large. */
  readonly refuse: (head: Head) => Written
  /** Answers a request. `resume` is called once: with the answer, or with an effect that produces it. */
  readonly receive: (
    request: Request,
    clock: Clock.Clock,
    resume: (answer: Answer | Effect.Effect<Answer>) => void
  ) => void
}

/** The backend of a venue: its exchange, its control plane if it has one, and its page. */
export const backendOf = (
  venue: Venue["Service"],
  control: ControlPlane.ControlPlane | undefined
): Backend => ({
  isOwners: ({ headers, path }) => control !== undefined && control.isFor(path) && control.isOpenTo(headers),
  venueOf: () => "",
  refuse: ({ path }) => Responses.refuse(venue.dialect, path, "bodyTooLarge"),
  receive: (request, clock, resume) => {
    const protocol = Protocol.answer(request, venue.dialect)
    if (protocol !== undefined) return resume(protocol)
    if (control?.isFor(request.path) === true) resume(control.handle(request))
    else venue.receive(request, clock, resume)
  }
})

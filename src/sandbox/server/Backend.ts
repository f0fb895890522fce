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
  /** Whether a request comes from the owner, whose body may be larger. */
  readonly isOwners: (head: Head) => boolean
  /** The answer to a request whose body is not read. */
  readonly refuse: (head: Head, kind: "bodyTooLarge" | "unavailable") => Written
  /** Answers a request. `resume` is called once: with the answer, or with an effect that gives it. */
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
  refuse: ({ path }, kind) => Responses.refuse(venue.dialect, path, kind),
  receive: (request, clock, resume) => {
    const protocol = Protocol.answer(request, venue.dialect)
    if (protocol !== undefined) return resume(protocol)
    if (control?.isFor(request.path) === true) resume(control.handle(request))
    else venue.receive(request, clock, resume)
  }
})

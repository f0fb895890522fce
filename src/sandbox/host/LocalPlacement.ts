/** The placement of a host in one process: every venue is here. */
import * as Cause from "effect/Cause"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Dialect from "../../protocol/Dialect.ts"
import { prefix } from "../control/ControlApi.ts"
import { type Answer, isReading, type Request } from "../gateway/Message.ts"
import * as Dashboard from "../page/Dashboard.ts"
import * as Protocol from "../page/Protocol.ts"
import type { Backend } from "../server/Backend.ts"
import * as ControlPlane from "../server/ControlPlane.ts"
import type { JournalError } from "../store/JournalError.ts"
import { BoundReached, type Bounds, reached } from "./HostBounds.ts"
import { unknownVenue } from "./HostModels.ts"
import type { Placement } from "./Placement.ts"
import * as Refusals from "./Refusals.ts"
import type { Registered } from "./Registry.ts"
import * as Resident from "./Resident.ts"

/** Why a venue can't be woken. */
export type WakeFailure = BoundReached | JournalError

/** A venue of this process. */
export interface Entry {
  /** What is known of it while it sleeps. */
  readonly registered: Registered
  /** The venue itself. */
  readonly resident: Resident.Resident<WakeFailure>
}

/** The path as the venue or its fork sees it. */
const innerPath = (path: string): string => path.startsWith("/fork/") ? path.replace(/^\/fork\/\d+/u, "") : path

/**
 * The page of a venue: no page that opened it, or that it opens, gets hold of it, not even another venue's of the same
 * origin.
 */
const page = Effect.map(
  Dashboard.page,
  (answer): Answer =>
    answer._tag === "Reset"
      ? answer
      : { ...answer, headers: { ...answer.headers, "cross-origin-opener-policy": "noopener-allow-popups" } }
)

/** What needs no venue: the page, the document of the protocol, and what is refused without the token. Nobody is woken for it. */
const withoutVenue = (
  { controlToken, dialect }: Registered,
  request: Request
): Answer | Effect.Effect<Answer> | undefined => {
  const path = innerPath(request.path)
  if (!ControlPlane.isFor(path)) return Protocol.answer({ ...request, path }, Dialect.byName[dialect])
  if (Dashboard.paths.has(path) && isReading(request)) return page
  if (ControlPlane.isForeign(request)) return ControlPlane.foreign
  return ControlPlane.isAuthorized(request.headers, controlToken) ? undefined : ControlPlane.unauthorized
}

/** Whether a request can add a command to a venue. */
const mayAdd = ({ method, path }: Request): boolean => !path.startsWith(prefix) || method === "POST"

/** Why a venue was not woken, as the caller is told. */
const refusalOf = (id: string, path: string, cause: Cause.Cause<WakeFailure | "ended">): Answer => {
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  if (error === "ended") return Refusals.unknown(path, unknownVenue(id))
  if (error?._tag === "BoundReached") return Refusals.bound(path, error)
  // What is wrong names files of the host: it is for the owner.
  const message = error !== undefined && innerPath(path).startsWith(prefix)
    ? error.message
    : "This venue can't be opened. Its control plane says why"
  return Refusals.refuse(path, 503, "JournalError", message)
}

/** Where the venues of a host are, when all are in this process. */
export const placement = (
  entries: ReadonlyMap<string, Entry>,
  bounds: Bounds,
  run: (effect: Effect.Effect<unknown>) => void
): Placement["Service"] => {
  const find = (id: string, clock: Clock.Clock): Entry | undefined => {
    const entry = entries.get(id)
    const { endsAt = Infinity, partial = true } = entry?.registered ?? {}
    return partial || endsAt <= clock.currentTimeMillisUnsafe() ? undefined : entry
  }

  /** What answers a request, given the venue or why there is none. */
  const chooseFor = (id: string, request: Request) =>
  (
    exit: Exit.Exit<Resident.Awake, WakeFailure | "ended">
  ): Backend | Answer => {
    const { path } = request
    if (Exit.isFailure(exit)) {
      if (Cause.hasDies(exit.cause)) run(Effect.logError("A venue can't be opened", exit.cause))
      return refusalOf(id, path, exit.cause)
    }
    if (exit.value.venue.sequence() >= bounds.maxCommands && mayAdd(request)) {
      return Refusals.bound(path, reached(bounds, "maxCommands"))
    }
    return Resident.backendFor(exit.value, request) ??
      Refusals.refuse(path, 404, "UnknownFork", "This venue has no such fork: it was never made, or it has ended")
  }

  return {
    ownerOf: (id) => Effect.clockWith((clock) => Effect.succeed(find(id, clock) === undefined ? undefined : "here")),
    send: (id, request, clock, resume) => {
      const entry = find(id, clock)
      if (entry === undefined) return resume(Refusals.unknown(request.path, unknownVenue(id)))
      const answer = withoutVenue(entry.registered, request)
      if (answer !== undefined) return resume(answer)
      entry.resident.receive(request, clock, resume, chooseFor(id, request))
    }
  }
}

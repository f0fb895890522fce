/** The placement for a host in one process: every venue is in that process. */
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
import * as Refusal from "../server/Refusal.ts"
import type { JournalError } from "../store/JournalError.ts"
import { BoundReached, type Bounds, reached } from "./HostBounds.ts"
import { unknownVenue } from "./HostModels.ts"
import type { Placement } from "./Placement.ts"
import * as Refusals from "./Refusals.ts"
import type { Registered } from "./Registry.ts"
import * as Resident from "./Resident.ts"

/** The reasons why a venue can't be woken. */
export type WakeFailure = BoundReached | JournalError

/** A venue in this process. */
export interface Entry {
  /** The venue's record. */
  readonly registered: Registered
  /** The venue, asleep or awake. */
  readonly resident: Resident.Resident<WakeFailure>
}

/** A path without its fork prefix, `/fork/{number}`, if it has one. */
const innerPath = (path: string): string => path.startsWith("/fork/") ? path.replace(/^\/fork\/\d+/u, "") : path

/**
 * The page of a venue. Pages that open this page, or that this page opens, get no reference to it, even if they have
 * the same origin.
 */
const page = Effect.map(
  Dashboard.page,
  (answer): Answer =>
    answer._tag === "Reset"
      ? answer
      : { ...answer, headers: { ...answer.headers, "cross-origin-opener-policy": "noopener-allow-popups" } }
)

/**
 * Handles the requests that don't need the venue, without waking it: requests for the page or the protocol document,
 * and control plane requests that are refused because they come from another origin or lack the token.
 */
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

/** The response to a caller whose venue can't be woken. */
const refusalOf = (id: string, path: string, cause: Cause.Cause<WakeFailure | Resident.Unready>): Answer => {
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  if (error === "ended") return Refusals.unknown(path, unknownVenue(id))
  if (error === "late") return Refusals.late(path)
  if (error?._tag === "BoundReached") return Refusals.bound(path, error)
  // Only the owner sees the details, because they name files on the host.
  const message = error !== undefined && innerPath(path).startsWith(prefix)
    ? error.message
    : "This venue can't be opened. Its control plane has the reason"
  return Refusal.make(path, 503, "JournalError", message)
}

/** The placement of a host whose venues are all in this process. */
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

  /** Chooses the response to a request, given the venue or the reason why it can't be woken. */
  const chooseFor = (id: string, request: Request) =>
  (
    exit: Exit.Exit<Resident.Awake, WakeFailure | Resident.Unready>
  ): Backend | Answer => {
    const { path } = request
    if (Exit.isFailure(exit)) {
      if (Cause.hasDies(exit.cause)) run(Effect.logError(`The venue ${id} can't be opened`, exit.cause))
      return refusalOf(id, path, exit.cause)
    }
    if (exit.value.venue.sequence() >= bounds.maxCommands && mayAdd(request)) {
      return Refusals.bound(path, reached(bounds, "maxCommands"))
    }
    return Resident.backendFor(exit.value, request) ??
      Refusal.make(path, 404, "UnknownFork", "This venue has no such fork: it was never created, or it has been closed")
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

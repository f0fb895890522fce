/**
 * Routes the requests that a host receives: finds the venue that a request names by its path or host name, and sends
 * the request to that venue. The router refuses a request that names no venue of this host, because there is no default
 * venue. The server has already checked the host name.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Dialect from "../../protocol/Dialect.ts"
import { prefix } from "../control/ControlApi.ts"
import { type Head, header, isReading, type Written } from "../gateway/Message.ts"
import * as Responses from "../gateway/Responses.ts"
import * as Dashboard from "../page/Dashboard.ts"
import type { Backend } from "../server/Backend.ts"
import * as ControlPlane from "../server/ControlPlane.ts"
import { nameOf } from "../server/Names.ts"
import * as Refusal from "../server/Refusal.ts"
import * as HostPage from "./HostPage.ts"
import * as HostPlane from "./HostPlane.ts"
import type { Host } from "./HostService.ts"

/** The suffix of names like `{id}.localhost`. Resolvers that support such names resolve them to the local machine. */
const local = ".localhost"

/** The target of a request. */
type Target =
  | { readonly _tag: "Host" }
  | { readonly _tag: "Venue"; readonly id: string; readonly path: string }
  | { readonly _tag: "Refused"; readonly answer: Written }

/**
 * The id of the venue that a request names by its host name; `undefined` if the host name does not belong to a venue.
 */
const venueOf = (head: Head): string | undefined => {
  const name = nameOf(header(head, "host"))
  return name?.endsWith(local) === true ? name.slice(0, -local.length) : undefined
}

const venuePath = /^\/v\/([^/]*)(.*)$/su

const redirected = (path: string): Written => ({
  _tag: "Answer",
  status: 308,
  headers: { location: `${path}/` },
  body: ""
})

/** Finds the target of a request. */
const targetOf = (host: Host["Service"], head: Head): Target => {
  const { path } = head
  const named = venueOf(head)
  if (named !== undefined) return { _tag: "Venue", id: named, path }
  const [, id, rest = ""] = path.startsWith("/v/") ? venuePath.exec(path) ?? [] : []
  if (id === undefined) return { _tag: "Host" }
  // If this process does not know the id, the placement finds out whether the venue exists.
  if (rest !== "" || host.registered(id) === undefined) return { _tag: "Venue", id, path: rest === "" ? "/" : rest }
  // The page's relative URLs need a trailing slash.
  return { _tag: "Refused", answer: redirected(path) }
}

const venueIn = (target: Target): string | undefined => target._tag === "Venue" ? target.id : undefined

const isOwners = (host: Host["Service"], target: Target, { headers, path }: Head): boolean => {
  if (target._tag === "Host") return path.startsWith(prefix) && ControlPlane.isAuthorized(headers, host.token)
  const token = target._tag === "Venue" ? host.registered(target.id)?.controlToken : undefined
  return target._tag === "Venue" && token !== undefined && target.path.includes(prefix) &&
    ControlPlane.isAuthorized(headers, token)
}

const noExchange = (path: string): Written =>
  Refusal.make(
    path,
    404,
    "UnknownVenue",
    "This host serves many exchanges, but none at this path. POST to /control/v1/Venues to create one; the response has its URL"
  )

/** The backend of a host and all its venues. */
export const make = Effect.fnUntraced(function*(
  host: Host["Service"]
): Effect.fn.Return<Backend, never, Scope.Scope> {
  const plane = yield* HostPlane.make(host)
  return {
    isOwners: (head) => isOwners(host, targetOf(host, head), head),
    venueOf: (head) => venueIn(targetOf(host, head)),
    refuse: ({ path }) => Responses.refuse(Dialect.document, path, "bodyTooLarge"),
    receive: (request, clock, resume) => {
      const target = targetOf(host, request)
      if (target._tag === "Refused") return resume(target.answer)
      const { path } = request
      if (target._tag === "Venue") {
        return host.placement.send(target.id, { ...request, path: target.path }, clock, resume)
      }
      if (path.startsWith(prefix)) return resume(plane(request))
      if (Dashboard.paths.has(path) && isReading(request)) return resume(HostPage.page)
      resume(noExchange(path))
    }
  }
})

/** The backend of a port that belongs to one venue. */
export const ofVenue = (host: Host["Service"], id: string): Backend => {
  const target = (head: Head): Target => {
    const { path } = head
    return (venueOf(head) ?? id) === id
      ? { _tag: "Venue", id, path }
      : { _tag: "Refused", answer: Refusal.make(path, 421, "UnknownHost", "This port belongs to another venue") }
  }
  return {
    isOwners: (head) => isOwners(host, target(head), head),
    venueOf: (head) => venueIn(target(head)),
    refuse: ({ path }) => Responses.refuse(Dialect.document, path, "bodyTooLarge"),
    receive: (request, clock, resume) => {
      const found = target(request)
      if (found._tag === "Refused") resume(found.answer)
      else host.placement.send(id, request, clock, resume)
    }
  }
}

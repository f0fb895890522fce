/**
 * Routes the requests to a host: finds the venue that a request names, by path or by host name, and sends it there. A
 * request for no venue of this host is refused; there is no default venue.
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
import * as HostPage from "./HostPage.ts"
import * as HostPlane from "./HostPlane.ts"
import type { Host } from "./HostService.ts"
import * as Refusals from "./Refusals.ts"

/** A host name without its port, in lower case and without a trailing dot. */
const nameOf = (authority: string): string => authority.toLowerCase().replace(/:\d*$/u, "").replace(/\.$/u, "")

const address = /^(?:\[[0-9a-f:.]+\]|\d{1,3}(?:\.\d{1,3}){3})$/u

/** The suffix of names like `{id}.localhost`. Every resolver that knows them resolves them to its own machine. */
const local = ".localhost"

/** The target of a request. */
type Target =
  | { readonly _tag: "Host" }
  | { readonly _tag: "Venue"; readonly id: string; readonly path: string }
  | { readonly _tag: "Refused"; readonly answer: Written }

/**
 * Whether a request that names this host is for the host itself: it names an IP address, `localhost`, or a name that
 * the host was given. A foreign site whose DNS name was rebound to this machine names something else.
 */
const isKnown = (name: string, names: ReadonlySet<string>): boolean =>
  name === "localhost" || address.test(name) || names.has(name)

const misdirected = (path: string, name: string): Written =>
  Refusals.refuse(
    path,
    421,
    "UnknownHost",
    name === ""
      ? "The request names no host. Send the Host header"
      : `The name of this host is not ${
        name.slice(0, 100)
      }. Use its address, or configure the name when you start it ` +
        "(--public-url)"
  )

const venuePath = /^\/v\/([^/]*)(.*)$/su

const redirected = (path: string): Written => ({
  _tag: "Answer",
  status: 308,
  headers: { location: `${path}/` },
  body: ""
})

/** Finds the target of a request. */
const targetOf = (names: ReadonlySet<string>, host: Host["Service"], head: Head): Target => {
  const { path } = head
  const name = nameOf(header(head, "host"))
  if (name.endsWith(local)) return { _tag: "Venue", id: name.slice(0, -local.length), path }
  if (!isKnown(name, names)) return { _tag: "Refused", answer: misdirected(path, name) }
  const [, id, rest = ""] = path.startsWith("/v/") ? venuePath.exec(path) ?? [] : []
  if (id === undefined) return { _tag: "Host" }
  // If the id is not known here, its placement decides.
  if (rest !== "" || host.registered(id) === undefined) return { _tag: "Venue", id, path: rest === "" ? "/" : rest }
  // The page's addresses are relative to a trailing slash.
  return { _tag: "Refused", answer: redirected(path) }
}

const isOwners = (host: Host["Service"], target: Target, { headers, path }: Head): boolean => {
  if (target._tag === "Host") return path.startsWith(prefix) && ControlPlane.isAuthorized(headers, host.token)
  const token = target._tag === "Venue" ? host.registered(target.id)?.controlToken : undefined
  return target._tag === "Venue" && token !== undefined && target.path.includes(prefix) &&
    ControlPlane.isAuthorized(headers, token)
}

const noExchange = (path: string): Written =>
  Refusals.refuse(
    path,
    404,
    "UnknownVenue",
    "This host serves many exchanges, and none of them at this path. POST to /control/v1/Venues to create one; the answer has its URL"
  )

/** The backend of a host and all its venues. `names` are the names of the host, in addition to its addresses. */
export const make = Effect.fnUntraced(function*(
  host: Host["Service"],
  names: ReadonlyArray<string> = []
): Effect.fn.Return<Backend, never, Scope.Scope> {
  const plane = yield* HostPlane.make(host)
  const known = new Set(names.map(nameOf))
  return {
    isOwners: (head) => isOwners(host, targetOf(known, host, head), head),
    refuse: (head, kind) => Responses.refuse(Dialect.document, head.path, kind),
    receive: (request, clock, resume) => {
      const target = targetOf(known, host, request)
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
export const ofVenue = (host: Host["Service"], id: string, names: ReadonlyArray<string> = []): Backend => {
  const known = new Set(names.map(nameOf))
  const target = (head: Head): Target => {
    const name = nameOf(header(head, "host"))
    return isKnown(name, known) || name === `${id}${local}`
      ? { _tag: "Venue", id, path: head.path }
      : { _tag: "Refused", answer: misdirected(head.path, name) }
  }
  return {
    isOwners: (head) => isOwners(host, target(head), head),
    refuse: (head, kind) => Responses.refuse(Dialect.document, head.path, kind),
    receive: (request, clock, resume) => {
      const found = target(request)
      if (found._tag === "Refused") resume(found.answer)
      else host.placement.send(id, request, clock, resume)
    }
  }
}

/** Finds the endpoint of a request. */
import * as Result from "effect/Result"
import * as Endpoint from "../../protocol/Endpoint.ts"
import * as Paths from "../../protocol/Paths.ts"
import { type Route, routes } from "../handlers/Routes.ts"
import type { Request } from "./Message.ts"
import * as Unserved from "./Unserved.ts"

/** A route, with the request's fields that were found in the path. */
export interface Routed {
  /** The endpoint and its handler. */
  readonly route: Route
  /** The fields in the path, keyed by their wire names. */
  readonly inPath: Readonly<Record<string, string>>
}

const byPath: ReadonlyMap<string, Route> = new Map(routes.map((route) => [route.endpoint.path, route]))

/** The routes whose paths contain request fields. */
const templates = routes.filter(({ endpoint }) => endpoint.path.includes("{"))

/** The paths of all endpoints. */
export const paths: ReadonlyArray<string> = [...byPath.keys()]

/** The route with this path, if an endpoint has the path. */
export const find = (path: string): Routed | undefined => {
  const route = byPath.get(path)
  if (route !== undefined) return { route, inPath: {} }
  for (const route of templates) {
    const inPath = Paths.match(route.endpoint, path)
    if (inPath !== undefined) return { route, inPath }
  }
  return undefined
}

/**
 * The route of a request, or the reason why the request has no route. `found` is the route with the request's path,
 * whatever the method.
 */
export const route = (
  found: Routed | undefined,
  { method, path }: Pick<Request, "method" | "path">
): Result.Result<Routed, "notFound" | "notServed" | "methodNotAllowed"> => {
  if (found === undefined) return Result.fail(Unserved.find(path) === undefined ? "notFound" : "notServed")
  return method === found.route.endpoint.method ? Result.succeed(found) : Result.fail("methodNotAllowed")
}

/**
 * The area of the exchange that a path belongs to, such as `/api/v4/main-account/` for `/api/v4/main-account/balance`.
 */
const areaOf = (path: string): string => `${path.split("/", 4).join("/")}/`

const publicAreas: ReadonlyArray<string> = [
  ...new Set([
    ...routes.flatMap(({ endpoint }) => endpoint.access === "public" ? [areaOf(endpoint.path)] : []),
    ...Unserved.subjects.flatMap(({ paths }) => paths.map(areaOf)).filter((area) => area.endsWith("/public/"))
  ])
]

/**
 * Whether a path is public or private. An unknown or unserved path has no endpoint, so it is treated like the endpoints
 * in the same area.
 */
export const accessOf = (path: string): Endpoint.Any["access"] =>
  find(path)?.route.endpoint.access ?? (publicAreas.some((area) => path.startsWith(area)) ? "public" : "private")

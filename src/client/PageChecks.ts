/** Checks that a response contains the requested page. */
import * as Effect from "effect/Effect"
import * as Errors from "../protocol/Errors.ts"
import type { Page, Request } from "./Pages.ts"

/**
 * Checks that a page is the requested page. Fails with `UnexpectedResponse` when the response echoes a different limit
 * or offset, or contains more records than the limit.
 */
export const checkEcho =
  (endpoint: string, request: Request) =>
  <A, P extends Page<A>>(page: P): Effect.Effect<P, Errors.UnexpectedResponse> => {
    const unexpected = (problem: string) =>
      Effect.fail(new Errors.UnexpectedResponse({ endpoint, status: 200, problem, body: "" }))
    if (request.limit !== undefined && page.limit !== request.limit) {
      return unexpected(`limit ${request.limit} was requested, but the response has limit ${page.limit}`)
    }
    if (request.offset !== undefined && page.offset !== request.offset) {
      return unexpected(`offset ${request.offset} was requested, but the response has offset ${page.offset}`)
    }
    if (page.records.length > page.limit) {
      return unexpected(`the page has ${page.records.length} records, but its limit is ${page.limit}`)
    }
    return Effect.succeed(page)
  }

/**
 * Builds a page from a plain list of records. Such a response contains neither limit nor offset, so only the number of
 * records is checked. Fails with `UnexpectedResponse` when there are more records than the limit.
 */
export const ofRecords =
  (endpoint: string, request: Request, defaultLimit: number) =>
  <A>(records: ReadonlyArray<A>): Effect.Effect<Page<A>, Errors.UnexpectedResponse> =>
    checkEcho(endpoint, request)({ limit: request.limit ?? defaultLimit, offset: request.offset ?? 0, records })

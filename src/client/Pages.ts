/**
 * Reading a list that comes in pages.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { Limit, maxLimit, maxOffset, Offset } from "../domain/Paging.ts"
import * as Errors from "../protocol/Errors.ts"

/**
 * One page: the records from index `offset` on, at most `limit` of them.
 *
 * @category models
 * @since 0.1.0
 */
export interface Page<A> {
  readonly offset: number
  readonly limit: number
  readonly records: ReadonlyArray<A>
}

/**
 * Which page is asked for. What is left out is the exchange's default.
 *
 * @category models
 * @since 0.1.0
 */
export interface Request {
  readonly limit?: Limit
  readonly offset?: Offset
}

/**
 * Refuses a page that is not the one that was asked for: another limit or offset echoed, or more records than the limit.
 *
 * @category checks
 * @since 0.1.0
 */
export const checkEcho =
  (endpoint: string, request: Request) =>
  <A, P extends Page<A>>(page: P): Effect.Effect<P, Errors.UnexpectedResponse> => {
    const unexpected = (problem: string) =>
      Effect.fail(new Errors.UnexpectedResponse({ endpoint, status: 200, problem, body: "" }))
    if (request.limit !== undefined && page.limit !== request.limit) {
      return unexpected(`asked for limit ${request.limit}, answered with limit ${page.limit}`)
    }
    if (request.offset !== undefined && page.offset !== request.offset) {
      return unexpected(`asked for offset ${request.offset}, answered with offset ${page.offset}`)
    }
    if (page.records.length > page.limit) {
      return unexpected(`${page.records.length} records in a page of limit ${page.limit}`)
    }
    return Effect.succeed(page)
  }

/**
 * The page that a bare list of records is: such an answer echoes nothing, so only its length can be judged.
 *
 * @category checks
 * @since 0.1.0
 */
export const ofRecords =
  (endpoint: string, request: Request, defaultLimit: number) =>
  <A>(records: ReadonlyArray<A>): Effect.Effect<Page<A>, Errors.UnexpectedResponse> =>
    checkEcho(endpoint, request)({ limit: request.limit ?? defaultLimit, offset: request.offset ?? 0, records })

/** Where the next page starts, or that all that can be reached has been read. */
type Next = { readonly offset: number } | "ceiling"

/**
 * All records, page by page, as they are asked for.
 *
 * Answers carry no total, so a page shorter than its limit is the last. No page can start beyond index 10000: the last
 * one starts there, holds 100 records, and leaves out what was already emitted. So indices 0 to 10099 can be reached; if
 * that page is full there may be more, and the stream fails with `PageCeilingReached` after having emitted it.
 *
 * Every record comes once and in order while the data stands still. Records added or removed meanwhile shift the pages,
 * and then a record may come twice or be missed.
 *
 * @category streams
 * @since 0.1.0
 */
export const stream = <A, E, R>(
  endpoint: string,
  page: (request: { readonly limit: Limit; readonly offset: Offset }) => Effect.Effect<Page<A>, E, R>,
  limit: Limit = Limit.make(maxLimit)
): Stream.Stream<A, E | Errors.PageCeilingReached, R> =>
  Stream.paginate<Next, A, E | Errors.PageCeilingReached, R>({ offset: 0 }, (next) => {
    if (next === "ceiling") {
      return Effect.fail(new Errors.PageCeilingReached({ endpoint, emitted: maxOffset + maxLimit }))
    }
    const last = next.offset >= maxOffset
    const size = last ? Limit.make(maxLimit) : limit
    const offset = Offset.make(Math.min(next.offset, maxOffset))
    return Effect.map(page({ limit: size, offset }), ({ records }) => {
      const fresh = records.slice(next.offset - offset)
      if (records.length < size) return [fresh, Option.none<Next>()]
      return [fresh, Option.some<Next>(last ? "ceiling" : { offset: next.offset + size })]
    })
  })

/**
 * Reading a list that comes in pages.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 * import { Pages, SubAccounts } from "effect-txc"
 *
 * // What `SubAccounts.stream` does: pages of 100 records, each read when it is needed.
 * const all = Effect.gen(function*() {
 *   const subAccounts = yield* SubAccounts.SubAccounts
 *   return yield* Stream.runCollect(Pages.stream("SubAccounts.stream", subAccounts.page))
 * })
 * ```
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
  /** The index of the first record in the whole list. */
  readonly offset: number
  /** The most records that a page of this size has. */
  readonly limit: number
  /** The records. Fewer than `limit` of them mean that the list ends here. */
  readonly records: ReadonlyArray<A>
}

/**
 * Which page to read.
 *
 * @category models
 * @since 0.1.0
 */
export interface Request {
  /** The most records in the page, 1 to 100. The exchange has a default for each list. */
  readonly limit?: Limit
  /** The index of the first record, 0 to 10000. Default 0. */
  readonly offset?: Offset
}

/**
 * Checks that a page is the one that was asked for. Fails with `UnexpectedResponse` when the answer echoes another
 * limit or offset, or holds more records than its limit.
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
 * Makes a page of a bare list of records. Such an answer echoes neither limit nor offset, so only its length is
 * checked. Fails with `UnexpectedResponse` when it holds more records than the limit.
 *
 * @category checks
 * @since 0.1.0
 */
export const ofRecords =
  (endpoint: string, request: Request, defaultLimit: number) =>
  <A>(records: ReadonlyArray<A>): Effect.Effect<Page<A>, Errors.UnexpectedResponse> =>
    checkEcho(endpoint, request)({ limit: request.limit ?? defaultLimit, offset: request.offset ?? 0, records })

/**
 * Which page a stream reads next.
 *
 * @category models
 * @since 0.1.0
 */
export interface Next extends Request {
  /** The most records in the page, 1 to 100. */
  readonly limit: Limit
  /** The index of the first record, 0 to 10000. */
  readonly offset: Offset
}

/** Where the next page starts, or that the last index that pages can reach has been read. */
type Step = { readonly offset: number } | "ceiling"

/**
 * All records, page by page. A page is read when its records are needed. `endpoint` names the stream in its errors;
 * `limit` is the most records in a page, 100 unless given.
 *
 * Answers carry no total, so a page with fewer records than its limit is the last one. No page can start beyond index
 * 10000. The page that starts there has 100 records, and the stream skips those that it has already emitted. The stream
 * therefore reaches indices 0 to 10099. If that page is full, there may be more records: the stream emits it, and then
 * fails with `PageCeilingReached`.
 *
 * Records arrive in order, each once, as long as the data does not change. Records that are added or removed meanwhile
 * shift the pages; then a record may arrive twice or be missed.
 *
 * @category streams
 * @since 0.1.0
 */
export const stream = <A, E, R>(
  endpoint: string,
  page: (request: Next) => Effect.Effect<Page<A>, E, R>,
  limit: Limit = Limit.make(maxLimit)
): Stream.Stream<A, E | Errors.PageCeilingReached, R> =>
  Stream.paginate<Step, A, E | Errors.PageCeilingReached, R>({ offset: 0 }, (next) => {
    if (next === "ceiling") {
      return Effect.fail(new Errors.PageCeilingReached({ endpoint, emitted: maxOffset + maxLimit }))
    }
    const last = next.offset >= maxOffset
    const size = last ? Limit.make(maxLimit) : limit
    const offset = Offset.make(Math.min(next.offset, maxOffset))
    return Effect.map(page({ limit: size, offset }), ({ records }) => {
      const fresh = records.slice(next.offset - offset)
      if (records.length < size) return [fresh, Option.none<Step>()]
      return [fresh, Option.some<Step>(last ? "ceiling" : { offset: next.offset + size })]
    })
  })

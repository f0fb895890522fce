/**
 * Reads lists page by page.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 * import { Pages, SubAccounts } from "effect-txc"
 *
 * // Like `SubAccounts.stream`: pages of 100 records, each read on demand.
 * const all = Effect.gen(function*() {
 *   const subAccounts = yield* SubAccounts.SubAccounts
 *   return yield* Stream.runCollect(Pages.stream("SubAccounts.stream", subAccounts.page))
 * })
 * ```
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { type HistoryLimit, Limit, maxLimit, maxOffset, Offset, type RecordOffset } from "../domain/Paging.ts"
import * as Errors from "../protocol/Errors.ts"

/**
 * A page: at most `limit` records, starting at index `offset`.
 *
 * @category models
 */
export interface Page<A> {
  /** The index of the page's first record in the complete list. */
  readonly offset: number
  /** The maximum number of records on the page. */
  readonly limit: number
  /** The records. If there are fewer than `limit`, this is the last page, unless the exchange provides a `total`. */
  readonly records: ReadonlyArray<A>
}

/**
 * A page of a list whose total length the exchange may provide.
 *
 * @category models
 */
export interface CountedPage<A> extends Page<A> {
  /** The number of records in the complete list, if the exchange provides it. */
  readonly total?: number
}

/**
 * Selects the page to read.
 *
 * @category models
 */
export interface Request {
  /** The maximum number of records on the page. The exchange has a default and a maximum for each list. */
  readonly limit?: HistoryLimit
  /** The index of the page's first record. Default 0. */
  readonly offset?: RecordOffset
}

/**
 * The next page that a stream reads.
 *
 * @category models
 */
export interface Next<L extends HistoryLimit = Limit, O extends RecordOffset = Offset> extends Request {
  /** The maximum number of records on the page. */
  readonly limit: L
  /** The index of the page's first record. */
  readonly offset: O
}

/**
 * Identifies a list's records, so that a stream notices when records are added or removed while it reads.
 *
 * @category models
 */
export interface Identity<A, G = never> {
  /** A record's identity; `undefined` when the record has none. */
  readonly idOf: (record: A) => string | undefined
  /**
   * Creates the gap marker: an element that says that records may be missing after the last emitted record. Without
   * `gap`, the stream fails with `ListShifted` instead.
   */
  readonly gap?: (after: A) => G
}

/** The start of the next page, or the reason why there is no next page. */
type Step = { readonly offset: number } | "ceiling" | "shifted"

/** The records that a stream has emitted, identified by their ids. */
class Emitted<A> {
  private readonly ids = new Set<string>()
  last: A | undefined

  /**
   * Returns the records that were not emitted before, and whether the page overlaps the emitted records; `undefined`
   * when a record has no identity.
   */
  compared(records: ReadonlyArray<A>, idOf: Identity<A>["idOf"]) {
    const fresh: Array<readonly [string, A]> = []
    let known = 0
    for (const record of records) {
      const id = idOf(record)
      if (id === undefined) return undefined
      if (this.ids.has(id)) known++
      else fresh.push([id, record])
    }
    return { fresh, isJoined: known > 0 || this.last === undefined }
  }

  add(fresh: ReadonlyArray<readonly [string, A]>): ReadonlyArray<A> {
    return fresh.flatMap(([id, record]) => {
      if (this.ids.has(id)) return []
      this.ids.add(id)
      this.last = record
      return [record]
    })
  }
}

/**
 * The maximum number of consecutive pages that a stream reads backwards. The limit is needed because a list may shift
 * faster than it can be read.
 */
const mostBackwards = 1 + maxOffset / maxLimit

const isLast = <A>({ records, total }: CountedPage<A>, offset: number, size: number): boolean =>
  total === undefined ? records.length < size : offset + records.length >= total

/**
 * Emits all records, page by page. Each page is read when its records are needed. `endpoint` is the stream's name in
 * errors; `limit` is the page size, 100 by default.
 *
 * Most responses have no total, so a page with fewer records than its limit is the last page. No page can start beyond
 * index `last`, which is 10000 by default, and 4294967295 in the live exchange's lists of orders and trades. The page
 * that starts at `last` has 100 records, and the stream skips records that it has already emitted. By default the
 * stream therefore reaches indices 0 to 10099. If the last page is full, there may be more records: the stream emits
 * that page, and then fails with `PageCeilingReached`.
 *
 * As long as the list does not change, each record is emitted once, in the list's order. Records that are added or
 * removed during the read shift the pages. With an `identity`, no record is emitted twice, and each page begins with
 * the last record of the previous page. If that record is gone, the stream reads backwards until it finds an emitted
 * record, so it does not miss any record that stays in the list. If it finds no emitted record, it fails with
 * `ListShifted`, or emits the element from {@link Identity.gap} and continues. Without an `identity`, the stream may
 * repeat or miss a record without notice.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 * import { ActiveOrders, Identifiers, Pages } from "effect-txc"
 *
 * const market = Identifiers.marketName("BTC_USDT")
 *
 * // The open orders of a market, with a gap marker where some may be missing.
 * export const orders = ActiveOrders.ActiveOrders.useSync(({ page }) =>
 *   Pages.stream("ActiveOrders.stream", (at) => page({ market, ...at }), undefined, {
 *     idOf: ({ orderId }) => orderId,
 *     gap: (after) => ({ missingAfter: after.orderId })
 *   })
 * ).pipe(
 *   Stream.unwrap,
 *   Stream.tap((order) => "missingAfter" in order ? Effect.logWarning("orders may be missing", order) : Effect.void)
 * )
 * ```
 *
 * @category streams
 */
export const stream = <A, E, R, G = never, L extends HistoryLimit = Limit, O extends RecordOffset = Offset>(
  endpoint: string,
  page: (request: Next<L, O>) => Effect.Effect<CountedPage<A>, E, R>,
  limit: NoInfer<L> | Limit = Limit.make(maxLimit),
  identity?: Identity<A, G>,
  last: NoInfer<O> | Offset = Offset.make(maxOffset)
): Stream.Stream<A | G, E | Errors.PageCeilingReached | Errors.ListShifted, R> =>
  Stream.suspend(() => {
    const emitted = new Emitted<A>()
    // Each page begins with the last record of the previous page, so a page needs room for at least two records.
    const wanted = identity === undefined || limit > 1 ? limit : Limit.make(2)
    const overlap = identity === undefined ? 0 : 1
    let count = 0
    let backwards = 0

    const read = ({ offset: next }: { readonly offset: number }) => {
      const isAtEnd = next >= last
      // The casts are safe: every list accepts a `Limit`, and offsets up to `last`.
      const size = (isAtEnd ? Limit.make(maxLimit) : wanted) as L
      const offset = Math.min(next, last) as O
      return Effect.map(
        page({ limit: size, offset }),
        (found): readonly [ReadonlyArray<A | G>, Option.Option<Step>] => {
          const { records } = found
          const after = Option.some<Step>(
            isAtEnd ? "ceiling" : { offset: next + (found.total === undefined ? size : records.length) - overlap }
          )
          const step = isLast(found, offset, size) ? Option.none<Step>() : after
          const compared = identity && emitted.compared(records, identity.idOf)
          if (identity === undefined || compared === undefined) {
            const fresh = records.slice(next - offset)
            count += fresh.length
            return [fresh, step]
          }
          const { fresh, isJoined } = compared
          const before = emitted.last
          if (isJoined) backwards = 0
          else if (offset > 0 && backwards++ < mostBackwards) {
            return [[], Option.some<Step>({ offset: Math.max(0, offset - size + 1) })]
          }
          // An empty page is not a gap: all emitted records have left the list.
          const isGap = !isJoined && records.length > 0
          if (isGap && identity.gap === undefined) return [[], Option.some<Step>("shifted")]
          const isStuck = found.total !== undefined && records.length <= overlap && Option.isSome(step)
          const elements: ReadonlyArray<A> = emitted.add(fresh)
          count += elements.length
          const marked = isGap && identity.gap && before !== undefined ? [identity.gap(before), ...elements] : elements
          return [marked, isStuck ? Option.some<Step>("shifted") : step]
        }
      )
    }

    return Stream.paginate<Step, A | G, E | Errors.PageCeilingReached | Errors.ListShifted, R>(
      { offset: 0 },
      (next) => {
        if (next === "ceiling") return Effect.fail(new Errors.PageCeilingReached({ endpoint, emitted: count }))
        return next === "shifted" ? Effect.fail(new Errors.ListShifted({ endpoint, emitted: count })) : read(next)
      }
    )
  })

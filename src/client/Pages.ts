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
 * A page: the records from index `offset`, at most `limit` of them.
 *
 * @category models
 */
export interface Page<A> {
  /** The index of the first record in the whole list. */
  readonly offset: number
  /** The maximum number of records on the page. */
  readonly limit: number
  /** The records. If there are fewer than `limit`, this is the last page, unless the exchange gives a `total`. */
  readonly records: ReadonlyArray<A>
}

/**
 * A page of a list whose total length the exchange may give.
 *
 * @category models
 */
export interface CountedPage<A> extends Page<A> {
  /** The number of records in the whole list, if the exchange gives it. */
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
  /** The index of the first record. Default 0. */
  readonly offset?: RecordOffset
}

/**
 * The page that a stream reads next.
 *
 * @category models
 */
export interface Next<L extends HistoryLimit = Limit, O extends RecordOffset = Offset> extends Request {
  /** The maximum number of records on the page. */
  readonly limit: L
  /** The index of the first record. */
  readonly offset: O
}

/**
 * Identifies the records of a list, so that a stream notices when the list shifts while it is read.
 *
 * @category models
 */
export interface Identity<A, G = never> {
  /** The identity of a record; `undefined` when it has none. */
  readonly idOf: (record: A) => string | undefined
  /**
   * Creates the element that marks a gap: records may be missing after the last emitted one. Without `gap`, the stream
   * fails with `ListShifted` instead.
   */
  readonly gap?: (after: A) => G
}

/** The start of the next page, or the reason why no page follows. */
type Step = { readonly offset: number } | "ceiling" | "shifted"

/** The records that a stream has emitted, by identity. */
class Emitted<A> {
  private readonly ids = new Set<string>()
  last: A | undefined

  /**
   * Returns the records that were not emitted before, and whether the page joins the emitted ones; `undefined` when a
   * record has no identity.
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

/** The maximum number of consecutive pages to read back, in case a list shifts faster than it can be read. */
const mostBackwards = 1 + maxOffset / maxLimit

const isLast = <A>({ records, total }: CountedPage<A>, offset: number, size: number): boolean =>
  total === undefined ? records.length < size : offset + records.length >= total

/**
 * All records, page by page. Each page is read when its records are needed. `endpoint` names the stream in errors;
 * `limit` is the page size, 100 by default.
 *
 * Most responses have no total, so a page with fewer records than its limit is the last one. No page can start beyond
 * index `last`: 10000 by default; 4294967295 in the live exchange's lists of orders and trades. The page that starts
 * there has 100 records, and the stream skips those already emitted. By default the stream therefore reaches indices 0
 * to 10099. If that page is full, there may be more records: the stream emits it, and then fails with
 * `PageCeilingReached`.
 *
 * While the list does not change, records arrive in order and once each. Records that are added or removed during the
 * read shift the pages. With an `identity`, no record is emitted twice, and each page begins with the last record of
 * the previous one. If that record is gone, the stream reads back until it finds an emitted record, so no record that
 * stays in the list is missed. If it finds none, it fails with `ListShifted`, or emits the element from {@link
 * Identity.gap} and continues. Without an `identity`, a record may be repeated or missed without notice.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 * import { ActiveOrders, Identifiers, Pages } from "effect-txc"
 *
 * const market = Identifiers.marketName("BTC_USDT")
 *
 * // The open orders of a market, with a mark where some may be missing.
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
    // Each page begins with the last record of the previous one, so it needs room for at least two.
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

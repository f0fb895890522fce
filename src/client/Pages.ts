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
  /** The records. Fewer than `limit` of them mean that the list ends here, unless the exchange says its `total`. */
  readonly records: ReadonlyArray<A>
}

/**
 * One page of a list of which the exchange may say how long it is.
 *
 * @category models
 * @since 0.1.0
 */
export interface CountedPage<A> extends Page<A> {
  /** How many records the whole list has, where the exchange says it. */
  readonly total?: number
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

/**
 * What the records of a list are told apart by, for a stream that notices when the list shifts while it is read.
 *
 * @category models
 * @since 0.1.0
 */
export interface Identity<A, G = never> {
  /** What identifies a record; `undefined` when it has nothing that does. */
  readonly idOf: (record: A) => string | undefined
  /**
   * Makes the element that marks a gap: records may be missing after the last one that was emitted. Without it the stream fails
   * with `ListShifted` there.
   */
  readonly gap?: (after: A) => G
}

/** Where the next page starts, or why there is none. `size` is the most records of the page. */
type Step = { readonly offset: number } | "ceiling" | "shifted"

/** What has been emitted of a list whose records have an identity. */
class Emitted<A> {
  private readonly ids = new Set<string>()
  last: A | undefined

  /** The records that are new, and whether any was there before; `undefined` when one of them has no identity. */
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

/** How many pages in a row are read back. A list that moves faster than it can be read is not read for ever. */
const mostBackwards = 1 + maxOffset / maxLimit

const isLast = <A>({ records, total }: CountedPage<A>, offset: number, size: number): boolean =>
  total === undefined ? records.length < size : offset + records.length >= total

/**
 * All records, page by page. A page is read when its records are needed. `endpoint` names the stream in its errors;
 * `limit` is the most records in a page, 100 unless given.
 *
 * Most answers carry no total, so a page with fewer records than its limit is the last one. No page can start beyond index
 * 10000. The page that starts there has 100 records, and the stream skips those that it has already emitted. The stream
 * therefore reaches indices 0 to 10099. If that page is full, there may be more records: the stream emits it, and then
 * fails with `PageCeilingReached`.
 *
 * Records arrive in order, each once, as long as the data does not change. Records that are added or removed meanwhile
 * shift the pages. With an `identity` a record that has been emitted is not emitted again, and each page begins with the last
 * record of the one before. Where that is not there, the stream reads back until it finds a record that it has emitted, so that
 * none is missed that was in the list all the time. If it finds none, it fails with `ListShifted`, or emits what
 * {@link Identity.gap} makes and goes on. Without an `identity`, a record may arrive twice or be missed, and nobody is told.
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
 * @since 0.1.0
 */
export const stream = <A, E, R, G = never>(
  endpoint: string,
  page: (request: Next) => Effect.Effect<CountedPage<A>, E, R>,
  limit: Limit = Limit.make(maxLimit),
  identity?: Identity<A, G>
): Stream.Stream<A | G, E | Errors.PageCeilingReached | Errors.ListShifted, R> =>
  Stream.suspend(() => {
    const emitted = new Emitted<A>()
    // A page begins with the last record of the one before, and has another one.
    const wanted = identity === undefined ? limit : Limit.make(Math.max(2, limit))
    const overlap = identity === undefined ? 0 : 1
    let count = 0
    let backwards = 0

    const read = ({ offset: next }: { readonly offset: number }) => {
      const last = next >= maxOffset
      const size = last ? Limit.make(maxLimit) : wanted
      const offset = Offset.make(Math.min(next, maxOffset))
      return Effect.map(
        page({ limit: size, offset }),
        (found): readonly [ReadonlyArray<A | G>, Option.Option<Step>] => {
          const { records } = found
          const after = Option.some<Step>(
            last ? "ceiling" : { offset: next + (found.total === undefined ? size : records.length) - overlap }
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
          // An empty list is whole: what was emitted has left it.
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

/**
 * Keeps an account's open orders on a market up to date.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { type Identifiers, LiveOrders } from "effect-txc"
 *
 * // Waits until an order is filled or canceled.
 * export const ended = Effect.fn(function*(orders: LiveOrders.LiveOrders, id: Identifiers.OrderId) {
 *   return yield* orders.find(({ order, isOpen }) => order.orderId === id && !isOpen)
 * })
 * ```
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as PendingOrdersChannel from "./channels/PendingOrdersChannel.ts"
import type * as StreamErrors from "./client/session/StreamErrors.ts"
import type { MarketName, OrderId } from "./domain/Identifiers.ts"
import * as LiveView from "./LiveView.ts"

/**
 * The orders that can still trade, keyed by id.
 *
 * @category models
 */
export type OpenOrders = ReadonlyMap<OrderId, PendingOrdersChannel.PendingOrder>

/**
 * An order that the view has seen.
 *
 * @category models
 */
export interface Seen {
  /** The order as of its latest event. */
  readonly order: PendingOrdersChannel.PendingOrder
  /** Whether the order can still trade. */
  readonly isOpen: boolean
}

/**
 * Finds a market's orders in a live view.
 *
 * @category models
 */
export interface OrderLookup {
  /**
   * Waits for an order for which `test` returns `true`. The order may be open, or among the latest 1000 orders that
   * closed while the view was running. An order that closes while the view is incomplete might never be found, so use a
   * timeout.
   */
  readonly find: (test: (seen: Seen) => boolean) => Effect.Effect<Seen, StreamErrors.PrivateFailure>
}

/**
 * A market's live orders.
 *
 * @category models
 */
export interface LiveOrders extends LiveView.LiveView<OpenOrders, StreamErrors.PrivateFailure>, OrderLookup {}

/**
 * The market to follow.
 *
 * @category models
 */
export interface Options extends LiveView.Options {
  /** The market, such as `BTC_USDT`. */
  readonly market: MarketName
  /**
   * The interval at which the view reads the orders again. The exchange pushes each event once, without a sequence
   * number, so only another read can find an event that the exchange failed to push. Default: one minute.
   */
  readonly recheckEvery?: Duration.Input
}

/** The maximum number of closed orders that are remembered. */
const remembered = 1000

/**
 * Whether one version of an order is older than another version of the same order; `false` if either version has no
 * time.
 */
const isOlder = (
  one: PendingOrdersChannel.PendingOrder,
  other: PendingOrdersChannel.PendingOrder | undefined
): boolean => one.modifiedAt !== undefined && other?.modifiedAt !== undefined && one.modifiedAt < other.modifiedAt

class Orders implements
  LiveView.Model<
    PendingOrdersChannel.OrderEvent,
    ReadonlyArray<PendingOrdersChannel.PendingOrder>,
    OpenOrders
  >
{
  #open = new Map<OrderId, PendingOrdersChannel.PendingOrder>()
  /** The latest closed orders, in the order in which they closed. */
  readonly #ended = new Map<OrderId, PendingOrdersChannel.PendingOrder>()
  /**
   * The orders that have closed since the last state was received, remembered so that a late event does not reopen
   * them.
   */
  #final = new Set<OrderId>()

  begin(all: ReadonlyArray<PendingOrdersChannel.PendingOrder>): true {
    this.#open = new Map(all.map((order) => [order.orderId, order]))
    this.#final = new Set()
    return true
  }

  apply({ event, order }: PendingOrdersChannel.OrderEvent): true | "unreadable" {
    const id = order.orderId
    // After an event of an unknown type, the order might be open or closed.
    if (event !== "finished" && event !== "new" && event !== "updated") return "unreadable"
    if (event === "finished") {
      this.#open.delete(id)
      this.#final.add(id)
      this.#ended.delete(id)
      this.#ended.set(id, order)
      for (const oldest of this.#ended.keys()) {
        if (this.#ended.size <= remembered) break
        this.#ended.delete(oldest)
        this.#final.delete(oldest)
      }
    } else if (!this.#final.has(id) && !isOlder(order, this.#open.get(id))) this.#open.set(id, order)
    return true
  }

  value(): OpenOrders {
    return new Map(this.#open)
  }

  find(test: (seen: Seen) => boolean): Seen | undefined {
    for (const [orders, isOpen] of [[this.#open, true], [this.#ended, false]] as const) {
      for (const order of orders.values()) if (test({ order, isOpen })) return { order, isOpen }
    }
    return undefined
  }
}

/**
 * Creates a live view of a market's open orders. The view lasts as long as its scope.
 *
 * @category constructors
 */
export const make: (
  options: Options
) => Effect.Effect<LiveOrders, never, PendingOrdersChannel.PendingOrdersChannel | Scope.Scope> = Effect.fn(
  "LiveOrders.make"
)(function*({ market, recheckEvery = "1 minute" }) {
  const { stream } = yield* PendingOrdersChannel.PendingOrdersChannel
  const orders = new Orders()
  const view = yield* LiveView.make(stream({ market }), orders, { recheckEvery })
  return {
    get: view.get,
    whole: view.whole,
    changes: view.changes,
    find: (test) =>
      view.changes.pipe(
        Stream.map(() => orders.find(test)),
        Stream.filter((found) => found !== undefined),
        Stream.runHead,
        // The view's `changes` ends only with an error.
        Effect.flatMap(Option.match({ onNone: () => Effect.never, onSome: Effect.succeed }))
      )
  }
})

import { ActiveOrders, Decimal, LimitOrders, type OrderAnswer } from "effect-txc"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"

/** The order was not sent, because the desk's own rules refuse it. */
export class TooRisky extends Data.TaggedError("TooRisky")<{ readonly reason: string }> {}

/** The desk's limits. */
export interface Limits {
  /** The maximum amount × price of an order, in the quote currency. */
  readonly maxTotal: Decimal.Decimal
  /** The maximum number of open orders on a market. */
  readonly maxOpen: number
  /** Whether trading is stopped. This effect runs before every order. */
  readonly isStopped: Effect.Effect<boolean>
}

/** Places limit orders that pass the desk's checks. Give this service to strategies, instead of `LimitOrders`. */
export class CheckedOrders extends Context.Service<CheckedOrders, {
  readonly create: (
    order: LimitOrders.Request
  ) => Effect.Effect<OrderAnswer.Order, LimitOrders.Failure | ActiveOrders.Failure | TooRisky>
}>()("app/CheckedOrders") {}

/** A `CheckedOrders` layer with these limits. */
export const layer = (limits: Limits) =>
  Layer.effect(
    CheckedOrders,
    Effect.gen(function*() {
      const orders = yield* LimitOrders.LimitOrders
      const active = yield* ActiveOrders.ActiveOrders
      // Orders are placed one at a time. Otherwise, two simultaneous orders could both pass a limit that allows only
      // one of them.
      const turn = yield* Semaphore.make(1)
      const check = Effect.fnUntraced(function*(order: LimitOrders.Request) {
        if (yield* limits.isStopped) return yield* new TooRisky({ reason: "trading is stopped" })
        if ("price" in order && Decimal.compareProduct(order.amount, order.price, limits.maxTotal) > 0) {
          return yield* new TooRisky({ reason: `the total exceeds ${limits.maxTotal}` })
        }
        const { records } = yield* active.page({ market: order.market })
        if (records.length >= limits.maxOpen)
          return yield* new TooRisky({ reason: `${limits.maxOpen} orders are open` })
      })
      return {
        create: (order) => turn.withPermits(1)(Effect.andThen(check(order), orders.create(order)))
      }
    })
  )

/** What the chapters of the tour share: one market, one order, one account. */
import * as Effect from "effect/Effect"
import * as Decimal from "../../domain/Decimal.ts"
import { ClientOrderId, marketName } from "../../domain/Identifiers.ts"
import { Control } from "../../sandbox/control/Control.ts"
import * as Example from "../../sandbox/Example.ts"

/** The market that the tour trades on. */
export const market = marketName("BTC_USDT")

/** A stop-limit buy above the market, as the tour places it. */
export const order = {
  market,
  side: "buy",
  amount: Decimal.amount("0.1"),
  price: Decimal.price("40600"),
  activationPrice: Decimal.price("40500")
} as const

/** The client order id by which the tour finds its limit order again. */
export const clientOrderId = ClientOrderId.make("demo-3")

/** Whether two amounts are of the same value. */
export const is = (expected: string, actual: Decimal.Decimal): boolean => Decimal.normalize(actual) === expected

/** How many orders of alice's are open. */
export const openOrders = Effect.flatMap(
  Control,
  (control) => Effect.map(Effect.orDie(control.openOrders(Example.alice.account)), (orders) => orders.length)
)

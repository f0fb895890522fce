/** The market, order and account that the tour's chapters share. */
import * as Effect from "effect/Effect"
import * as Decimal from "../../domain/Decimal.ts"
import { ClientOrderId, marketName } from "../../domain/Identifiers.ts"
import { Control } from "../../sandbox/control/Control.ts"
import * as Example from "../../sandbox/Example.ts"

/** The market on which the tour trades. */
export const market = marketName("BTC_USDT")

/** A stop-limit buy order that activates above the market price. */
export const order = {
  market,
  side: "buy",
  amount: Decimal.amount("0.1"),
  price: Decimal.price("40600"),
  activationPrice: Decimal.price("40500")
} as const

/** The client order id of the tour's limit order. */
export const clientOrderId = ClientOrderId.make("demo-3")

/** Whether an amount equals `expected`, which must be written in canonical form. */
export const is = (expected: string, actual: Decimal.Decimal): boolean => Decimal.normalize(actual) === expected

/** Counts alice's open orders. */
export const openOrders = Effect.flatMap(
  Control,
  (control) => Effect.map(Effect.orDie(control.openOrders(Example.alice.account)), (orders) => orders.length)
)

import { Decimal, Identifiers, StockMarketOrders } from "effect-txc"
import { Invariant, Possibilities } from "effect-txc/explore"
import * as Effect from "effect/Effect"
import * as KeyValueStore from "effect/persistence/KeyValueStore"
import { exhibit } from "./exhibit.ts"

const market = Identifiers.marketName("BTC_USDT")

/** Buys four times, and uses consecutive numbers as client order ids. */
const buyWith = <E, R>(nextNumber: Effect.Effect<number, E, R>) =>
  Effect.gen(function*() {
    const { create } = yield* StockMarketOrders.StockMarketOrders
    for (let time = 0; time < 4; time++) {
      const clientOrderId = Identifiers.ClientOrderId.make(`buy-${yield* nextNumber}`)
      yield* create({ market, side: "buy", amount: Decimal.amount("0.01"), clientOrderId })
      yield* Effect.sleep("3 seconds")
    }
  })

/** The mistake: the numbers are counted in memory, so each process starts again at 1. */
const broken = Effect.suspend(() => {
  let number = 0
  return buyWith(Effect.sync(() => ++number))
})

/** The program stores each number before using it. */
const repaired = buyWith(Effect.gen(function*() {
  const store = yield* KeyValueStore.KeyValueStore
  const number = Number((yield* store.get("number")) ?? 0) + 1
  yield* store.set("number", String(number))
  return number
}))

export const mixesUpClientOrderIds = exhibit({
  name: "mixes up client order ids",
  mistake: "The program gives a new order the client order id of an older order.",
  within: 50,
  broken,
  repaired,
  invariants: [Invariant.noOrderTwice(({ clientOrderId = "", id }) => clientOrderId === "" ? id : clientOrderId)],
  during: "20 seconds",
  calm: "5 seconds",
  possible: Possibilities.crashes
})

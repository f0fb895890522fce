import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Decimal from "../../src/domain/Decimal.ts"
import { CancelAllOrders, type Request } from "../../src/endpoints/CancelAllOrders.ts"
import { CollateralOcoOrders } from "../../src/endpoints/CollateralOcoOrders.ts"
import { StopLimitOrders } from "../../src/endpoints/StopLimitOrders.ts"
import { Control } from "../../src/sandbox/control/Control.ts"
import {
  asBob,
  btc,
  btcPerp,
  btcUsdt,
  dialects,
  ethUsdt,
  exchange,
  oco,
  overHttp,
  stopLimit
} from "../support/exchange.ts"

/** Places a stop-limit order on each of three markets, and an OCO order, which has two legs, on two of them. */
const place = Effect.gen(function*() {
  const stops = yield* StopLimitOrders
  const ocos = yield* CollateralOcoOrders
  yield* stops.create(stopLimit)
  yield* stops.create({ ...stopLimit, market: ethUsdt })
  yield* stops.create({ ...stopLimit, market: btcPerp })
  yield* ocos.create(oco)
  yield* ocos.create({ ...oco, market: btcPerp })
})

const all = [
  "BTC_PERP futures",
  "BTC_PERP futures",
  "BTC_PERP futures",
  "BTC_USDT margin",
  "BTC_USDT margin",
  "BTC_USDT spot",
  "ETH_USDT spot"
]

const open = Control.use((control) =>
  Effect.map(control.openOrders("alice"), (orders) => orders.map(({ kind, market }) => `${market} ${kind}`).toSorted())
)

const cases: ReadonlyArray<readonly [string, Request, (order: string) => boolean]> = [
  ["all orders", {}, () => true],
  ["all orders on a market", { market: btcUsdt }, (order) => order.startsWith("BTC_USDT")],
  ["orders of one type on one market", { market: btcUsdt, type: ["margin"] }, (order) => order === "BTC_USDT margin"],
  ["spot orders", { type: ["spot"] }, (order) => order.endsWith("spot")],
  ["margin orders on spot markets", { type: ["margin"] }, (order) => order.endsWith("margin")],
  ["futures orders", { type: ["futures"] }, (order) => order.endsWith("futures")],
  ["orders of two types", { type: ["spot", "futures"] }, (order) => !order.endsWith("margin")],
  ["nothing on a market without matching orders", { market: ethUsdt, type: ["futures"] }, () => false]
]

describe.each(dialects)("cancel-all over HTTP in the $name dialect", (dialect) => {
  for (const [name, request, reached] of cases) {
    it.live(`cancel-all cancels ${name}`, () =>
      Effect.gen(function*() {
        yield* place
        assert.deepStrictEqual(yield* open, all)
        assert.isUndefined(yield* CancelAllOrders.use((orders) => orders.cancel(request)))
        assert.deepStrictEqual(yield* open, all.filter((order) => !reached(order)))
      }).pipe(Effect.provide(exchange(overHttp(dialect)))))
  }

  it.live("cancel-all succeeds even without open orders, and never cancels another account's orders", () =>
    Effect.gen(function*() {
      const control = yield* Control
      yield* control.fund({ account: "bob", wallet: "trade", ticker: btc, amount: Decimal.amount("1") })
      yield* asBob(StopLimitOrders.use((orders) => orders.create({ ...stopLimit, side: "sell" })))
      yield* CancelAllOrders.use((orders) => orders.cancel())
      yield* CancelAllOrders.use((orders) => orders.cancel({ type: ["spot"] }))
      assert.strictEqual((yield* control.openOrders("bob")).length, 1)
    }).pipe(Effect.provide(exchange(overHttp(dialect)))))
})

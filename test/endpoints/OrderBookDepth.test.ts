import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { OrderBookDepth } from "../../src/endpoints/OrderBookDepth.ts"
import { Control } from "../../src/sandbox/control/Control.ts"
import { btcUsdt, dialects, limit, price, rawPublic, same, traders } from "../support/trading.ts"

describe.each(dialects)("order book depth in the $name dialect", (dialect) => {
  it.live("the order book depth contains the orders within two percent of the last price", () =>
    Effect.gen(function*() {
      const depth = yield* OrderBookDepth
      yield* limit("sell", "1", "1010")
      // Without a last price, there is no two-percent range.
      same((yield* depth.get(btcUsdt)).asks, [])
      yield* Control.use((control) => control.movePrice({ market: btcUsdt, price: price("1000") }))
      yield* limit("sell", "2", "1020")
      yield* limit("sell", "4", "1020.01")
      yield* limit("buy", "0.5", "980")
      yield* limit("buy", "0.25", "979.99")
      yield* limit("buy", "0.125", "999.5")
      const { asks, bids, market } = yield* depth.get(btcUsdt)
      const seen = (levels: typeof asks) => levels.map(({ amount, price }) => `${amount} at ${price}`)
      same([market, seen(asks), seen(bids)], ["BTC_USDT", ["1 at 1010", "2 at 1020"], ["0.125 at 999.5", "0.5 at 980"]])
      const { body, status } = yield* rawPublic("/api/v4/public/orderbook/depth/BTC_USDT")
      const { timestamp, ...rest } = body as { readonly timestamp: unknown }
      same([status, typeof timestamp, rest], [200, "number", {
        ticker_id: "BTC_USDT",
        asks: [["1010", "1"], ["1020", "2"]],
        bids: [["999.5", "0.125"], ["980", "0.5"]]
      }])
    }).pipe(Effect.provide(traders(dialect))))
})

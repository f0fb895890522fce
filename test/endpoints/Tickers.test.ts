import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { marketName } from "../../src/domain/Identifiers.ts"
import { Tickers } from "../../src/endpoints/Tickers.ts"
import { Control } from "../../src/sandbox/control/Control.ts"
import { asBob, btcUsdt, dialects, ethUsdt, limit, price, same, traders } from "../support/trading.ts"

describe.each(dialects)("tickers in the $name dialect", (dialect) => {
  it.live("every market has a ticker with its 24-hour statistics", () =>
    Effect.gen(function*() {
      yield* limit("sell", "1", "1000")
      yield* asBob(limit("buy", "1", "1000"))
      yield* Control.use((control) => control.movePrice({ market: btcUsdt, price: price("1012.5") }))
      const tickers = yield* Tickers
      same(Option.getOrUndefined(yield* tickers.get(btcUsdt)), {
        baseId: 0,
        quoteId: 0,
        lastPrice: "1012.5",
        quoteVolume: "1000",
        baseVolume: "1",
        isFrozen: false,
        change: "1.25"
      })
      same((yield* tickers.all).get(ethUsdt)?.lastPrice, "0")
      same(yield* tickers.get(marketName("NO_SUCH")), Option.none())
    }).pipe(Effect.provide(traders(dialect))))
})

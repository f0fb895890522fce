import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { ticker } from "../../src/domain/Identifiers.ts"
import { Assets } from "../../src/endpoints/Assets.ts"
import { btc, dialects, same, traders } from "../support/trading.ts"

describe.each(dialects)("in the $name dialect", (dialect) => {
  it.live("all lists every asset, get reads one or none", () =>
    Effect.gen(function*() {
      const assets = yield* Assets
      same([...(yield* assets.all).keys()], ["BTC", "ETH", "USDT", "SHIB"])
      const bitcoin = Option.getOrUndefined(yield* assets.get(btc))
      same([bitcoin?.name, bitcoin?.canDeposit, bitcoin?.minWithdraw], ["Bitcoin", true, "0.001"])
      same(yield* assets.get(ticker("NOSUCH")), Option.none())
    }).pipe(Effect.provide(traders(dialect))))
})

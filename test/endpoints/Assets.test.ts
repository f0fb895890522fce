import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { ticker } from "../../src/domain/Identifiers.ts"
import { Assets } from "../../src/endpoints/Assets.ts"
import { btc, dialects, rawPublic, same, traders } from "../support/trading.ts"

describe.each(dialects)("assets in the $name dialect", (dialect) => {
  it.live("`Assets.all` lists every asset, and `Assets.get` reads a single asset, which might not exist", () =>
    Effect.gen(function*() {
      const assets = yield* Assets
      same([...(yield* assets.all).keys()], ["BTC", "ETH", "USDT", "SHIB"])
      const bitcoin = Option.getOrUndefined(yield* assets.get(btc))
      same([bitcoin?.name, bitcoin?.canDeposit, bitcoin?.minWithdraw], ["Bitcoin", true, "0.001"])
      const onTheWire = Object((yield* rawPublic("/api/v4/public/assets")).body)
      const { confirmations, limits, memo, networks } = onTheWire.BTC
      same({ confirmations, limits, memo, networks }, {
        confirmations: { BTC: 2 },
        limits: { deposit: { BTC: { min: "0.0001" } }, withdraw: { BTC: { min: "0.001", max: "3" } } },
        memo: { deposit: false, withdraw: false },
        networks: { deposits: ["BTC"], withdraws: ["BTC"], default: "BTC" }
      })
      same(onTheWire.USDT.networks.default, "ERC20")
      same(yield* assets.get(ticker("NOSUCH")), Option.none())
    }).pipe(Effect.provide(traders(dialect))))
})

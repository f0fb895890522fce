import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { marketName } from "../../src/domain/Identifiers.ts"
import { Markets } from "../../src/endpoints/Markets.ts"
import { btcUsdt, dialects, exchange, overHttp } from "../support/exchange.ts"
import { rawPublic, traders } from "../support/trading.ts"

describe.each(dialects)("the list of markets over HTTP in the $name dialect", (dialect) => {
  it.live("`Markets.all` lists every market with its limits", () =>
    Effect.gen(function*() {
      const all = yield* Markets.use((markets) => markets.all)
      assert.sameMembers(all.map(({ name }) => name as string), [
        "BTC_USDT",
        "ETH_USDT",
        "ETH_BTC",
        "BTC_PERP",
        "SHIB_USDT"
      ])
      assert.deepStrictEqual(all.find(({ name }) => name === btcUsdt) as unknown, {
        name: "BTC_USDT",
        stock: "BTC",
        money: "USDT",
        stockPrecision: 6,
        moneyPrecision: 2,
        feePrecision: 4,
        makerFee: "0.1",
        takerFee: "0.1",
        minAmount: "0.00001",
        minTotal: "5",
        maxTotal: "10000000",
        tradesEnabled: true,
        isCollateral: true,
        type: "spot",
        ...dialect.name === "live" ? { tickSize: "0.01", stepSize: "0.000001", isTradFiFutures: false } : {}
      })
    }).pipe(Effect.provide(exchange(overHttp(dialect)))))

  it.live("on the wire, only the live dialect has the live exchange's additional market fields, and `delistedAt` is null", () =>
    Effect.gen(function*() {
      const { body } = yield* rawPublic("/api/v4/public/markets")
      const market = (body as ReadonlyArray<Readonly<Record<string, unknown>>>).find(({ name }) => name === btcUsdt)
      const fields = ["tickSize", "stepSize", "isTradFiFutures", "delistedAt"]
      assert.deepStrictEqual(
        fields.map((field) => market?.[field]),
        dialect.name === "live" ? ["0.01", "0.000001", false, null] : fields.map(() => undefined)
      )
    }).pipe(Effect.provide(traders(dialect))))

  it.live("`Markets.get` reads a single market, which might not exist", () =>
    Effect.gen(function*() {
      const markets = yield* Markets
      assert.strictEqual(Option.getOrUndefined(yield* markets.get(btcUsdt))?.name, btcUsdt)
      assert.isTrue(Option.isNone(yield* markets.get(marketName("NO_SUCH"))))
    }).pipe(Effect.provide(exchange(overHttp(dialect)))))
})

/** Rules about the account's trading fees, which only the live exchange's documentation describes. */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import type * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Books from "../world/Books.ts"
import * as Kinds from "../world/Kinds.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import * as LiveOrders from "../world/LiveOrders.ts"
import * as LivePublicCalls from "../world/LivePublicCalls.ts"
import { basePrice } from "../world/Markets.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Trading from "../world/Trading.ts"
import type { Account, Body, World } from "../world/World.ts"

const { always, forEach } = LiveCalls.section

const feesOf = (world: World, account: Account) => LiveCalls.object(world, account, Paths.tradingFees, {})

/** Returns a market's fees, in percent. A market without its own fees has the default fees of its kind. */
const feesFor = (fees: Body, market: string, isFuture: boolean) => {
  const all = Json.isObject(fees["custom_fee"]) ? fees["custom_fee"] : {}
  const own = Json.isObject(all[market]) ? all[market] : {}
  const prefix = isFuture ? "futures_" : ""
  return {
    maker: Number(own["maker"] ?? fees[`${prefix}maker`]),
    taker: Number(own["taker"] ?? fees[`${prefix}taker`])
  }
}

/** Drops the fields that are `null`. */
const given = (fields: Body): Body => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))

const premium: Kinds.Kind = {
  name: "a decimal in a string, or null",
  holds: (value) => value === null || Kinds.decimal.holds(value)
}

/** A spot market, a margin market and, in a sandbox, a futures market. */
const kinds = ["spot", "margin", "futures"] as const

export const rules: ReadonlyArray<Rule.Rule> = [
  ...LivePublicCalls.fields({
    id: "trading-fees",
    within: "the trading fees",
    sample: (world) =>
      Effect.map(
        Effect.flatMap(world.reader, (reader) => feesOf(world, reader)),
        ({ answer, json }) => ({ answer, objects: [json] })
      ),
    rows: [
      { key: "error", kind: { name: "null", holds: (value) => value === null }, meaning: "no error", isOptional: true },
      { key: "maker", kind: Kinds.decimal, meaning: "the default maker fee in percent" },
      { key: "taker", kind: Kinds.decimal, meaning: "the default taker fee in percent" },
      { key: "futures_maker", kind: Kinds.decimal, meaning: "the default maker fee of futures", isOptional: true },
      { key: "futures_taker", kind: Kinds.decimal, meaning: "the default taker fee of futures", isOptional: true },
      {
        key: "rpi_maker_fee_premium",
        kind: premium,
        meaning: "the maker's surcharge for RPI orders",
        isOptional: true
      },
      {
        key: "futures_rpi_maker_fee_premium",
        kind: premium,
        meaning: "the maker's surcharge for RPI orders on futures",
        isOptional: true
      },
      { key: "custom_fee", kind: Kinds.object, meaning: "the fees that differ from the defaults", isOptional: true }
    ]
  }),
  forEach("trading-fees.charged", {
    statement: "Charges maker and taker the market's trading fees, which are shown in percent",
    values: kinds.flatMap((kind) => Orders.sides.map((side) => ({ kind, side }))),
    check: Effect.fnUntraced(function*(world, { kind, side }) {
      const spot = yield* world.market
      const market = kind === "futures" ? { name: "BTC_PERP", moneyPrecision: 1, tick: 0.1 } : spot
      yield* world.control("MovePrice", { market: market.name, price: String(basePrice) })
      const path = kind === "spot" ? Paths.limitOrder : Paths.collateralLimit
      const [maker, taker] = [yield* world.open(), yield* world.open()]
      const order = { market: market.name, amount: "0.02", price: Books.near(market, 0.5) }
      const made = yield* Trading.placeOther(world, maker, { ...order, side: Orders.opposite(side) }, path)
      const took = yield* Trading.placeOther(world, taker, { ...order, side }, path)
      for (const [account, { orderId }, role] of [[maker, made, "maker"], [taker, took, "taker"]] as const) {
        const { answer, json } = yield* feesOf(world, account)
        const fee = feesFor(json, market.name, kind === "futures")[role]
        yield* Verdict.expect(answer, `a ${role} fee of ${market.name} in percent`, Number.isFinite(fee))
        const { dealFee, feeAsset } = yield* Orders.find(world, account, orderId)
        const charged = (feeAsset === spot.stock ? 0.02 : 0.02 * Number(order.price)) * fee / 100
        yield* Verdict.conclude(
          `a dealFee of ${charged}, which may be rounded to four decimal places`,
          { dealFee, feeAsset },
          [charged, Math.floor(charged * 1e4) / 1e4, Math.ceil(charged * 1e4) / 1e4]
            .some((fee) => Math.abs(Number(dealFee) - fee) < 1e-8)
        )
      }
    })
  }),
  forEach("trading-fees.default", {
    statement: "Shows a new account the same default fees as the list of markets, in percent",
    values: ["maker", "taker"] as const,
    check: Effect.fnUntraced(function*(world, role) {
      const { answer, json } = yield* feesOf(world, yield* world.open({ isFunded: false }))
      const listed = yield* world.get(Paths.markets)
      const odd = (Array.isArray(listed.json) ? listed.json.filter(Json.isObject) : []).filter((market) =>
        feesFor(json, String(market["name"]), market["type"] === "futures")[role] !== Number(market[`${role}Fee`])
      )
      yield* Verdict.conclude(
        `the ${role} fees of the market list`,
        `different fees for ${odd.map(({ name }) => name).join(", ")}`,
        odd.length === 0,
        answer
      )
    })
  }),
  always("trading-fees.market", {
    statement: "Ignores the field market: always shows the fees of all markets",
    profile: "read-only",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* world.reader
      const { json: all } = yield* feesOf(world, account)
      const { name } = yield* world.market
      const { answer, json: one } = yield* LiveCalls.object(world, account, Paths.tradingFees, { market: name })
      yield* LiveOrders.shows({ answer }, "the fees", one, given(all))
    })
  }),
  always("trading-fees.fills", {
    statement: "Shows the fee for each role on a futures market in the deals, the fills and the order",
    check: Effect.fnUntraced(function*(world) {
      const market = { name: "BTC_PERP", moneyPrecision: 1, tick: 0.1 }
      yield* world.control("MovePrice", { market: market.name, price: String(basePrice) })
      const [maker, taker] = [yield* LiveOrders.customer(world), yield* LiveOrders.customer(world)]
      const order = { market: market.name, amount: "0.03", price: Books.near(market, 0.4) }
      const made = yield* LiveOrders.place(world, maker, Paths.collateralLimit, { ...order, side: "sell" })
      const took = yield* LiveOrders.place(world, taker, Paths.collateralLimit, { ...order, side: "buy" })
      const parties = [[maker, made, "maker"], [taker, took, "taker"]] as const
      for (const [account, { order: { orderId } }, role] of parties) {
        const { json } = yield* feesOf(world, account)
        const charged = 0.03 * Number(order.price) * feesFor(json, market.name, true)[role] / 100
        const id = { market: market.name, orderId }
        const shown = [
          { ...yield* LiveOrders.deals(world, account, orderId), key: "fee" },
          { ...yield* LiveOrders.executed(world, account, { market: market.name }), key: "fee" },
          { ...yield* LiveOrders.ended(world, account, id), key: "dealFee" }
        ]
        for (const { answer, key, records } of shown) {
          yield* Verdict.expect(
            answer,
            `one record with a ${key} of ${charged}, which may be rounded to four decimal places`,
            records.length === 1 && Math.abs(Number(records[0]?.[key]) - charged) < 1e-4
          )
        }
      }
    })
  }),
  forEach("trading-fees.percent", {
    statement: "Shows the fees of assets in percent, like the market list's fees",
    profile: "read-only",
    values: ["maker", "taker"] as const,
    check: Effect.fnUntraced(function*(world, role) {
      const { answer, value } = yield* LivePublicCalls.object(world, Paths.assets)
      const { json } = yield* world.get(Paths.markets)
      const markets = (Array.isArray(json) ? json.filter(Json.isObject) : []).map((market) => market[`${role}Fee`])
      const assets = Object.values(value).filter(Json.isObject).map((asset) => Number(asset[`${role}_fee`]))
      const charged = assets.filter((fee) => fee > 0)
      const percents = new Set(markets.map(Number))
      if (charged.length === 0 || percents.size === 0) return yield* Verdict.skip("no asset has a fee")
      // An asset's fee may differ from every market's fee. But if every asset's fee is a hundredth of a market's fee,
      // the target shows ratios instead of percentages.
      const isRatio = (fee: number) => !percents.has(fee) && [...percents].some((one) => Books.isClose(fee * 100, one))
      yield* Verdict.expect(answer, `${role}_fee in percent`, !charged.every(isRatio))
    })
  }),
  forEach("trading-fees.assets", {
    statement: "Shows the account's default fees as the fees of every asset",
    profile: "read-only",
    level: "SHOULD",
    values: ["maker", "taker"] as const,
    check: Effect.fnUntraced(function*(world, role) {
      const { json } = yield* feesOf(world, yield* world.reader)
      const { answer, value } = yield* LivePublicCalls.object(world, Paths.assets)
      yield* Verdict.expect(
        answer,
        `${role}_fee ${String(json[role])} of every asset`,
        Object.values(value).every((asset) =>
          Json.isObject(asset) && Number(asset[`${role}_fee`]) === Number(json[role] ?? Number.NaN)
        )
      )
    })
  }),
  forEach("trading-fees.listed", {
    statement: "Shows the same fees for a market in the trading fees as in the list of markets",
    profile: "read-only",
    level: "SHOULD",
    values: ["maker", "taker"] as const,
    check: Effect.fnUntraced(function*(world, role) {
      const { answer, json } = yield* feesOf(world, yield* world.reader)
      const listed = yield* world.get(Paths.markets)
      const odd = (Array.isArray(listed.json) ? listed.json.filter(Json.isObject) : []).filter((market) =>
        feesFor(json, String(market["name"]), market["type"] === "futures")[role] !== Number(market[`${role}Fee`])
      )
      yield* Verdict.conclude(
        `the ${role} fees of the market list`,
        `different fees for ${odd.map(({ name }) => name).join(", ")}`,
        odd.length === 0,
        answer
      )
    })
  })
]

/** Valid fields for each private call in a sandbox, so that only a deliberate fault can cause a refusal. */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import type * as Verdict from "../Verdict.ts"
import * as Codes from "./Codes.ts"
import * as LiveCalls from "./LiveCalls.ts"
import { priceText } from "./Markets.ts"
import * as Orders from "./Orders.ts"
import * as Paths from "./Paths.ts"
import * as SubAccounts from "./SubAccounts.ts"
import * as Trading from "./Trading.ts"
import type { Account, Body, Market, World } from "./World.ts"

type Fields = Effect.Effect<Body, Verdict.CheckError>

const unpriced = ({ price: _price, ...order }: Body): Body => order

/** Creates a buy that rests far from the market. */
const limit = (market: Market): Body => ({
  market: market.name,
  side: "buy",
  amount: Orders.amountFor(market, Number(Orders.lowPrice(market))),
  price: Orders.lowPrice(market)
})

/**
 * Places an offer by another account, and returns the fields of a market buy of this amount that the offer can fill.
 */
const marketBuy = Effect.fnUntraced(function*(world: World, amount: string, path = Paths.limitOrder) {
  const market = yield* world.market
  const price = priceText(market, market.price)
  const offer = { market: market.name, side: "sell", amount: "0.02", price }
  yield* Trading.placeOther(world, yield* world.open(), offer, path)
  return { market: market.name, side: "buy", amount }
})

/** Places an order, and returns the fields that identify it. */
const named = Effect.fnUntraced(function*(world: World, account: Account) {
  const market = yield* world.market
  const { orderId } = yield* Trading.placeOther(world, account, limit(market))
  return { market: market.name, orderId }
})

const pair = Effect.fnUntraced(function*(world: World, account: Account, key: "orderId" | "id") {
  const market = yield* world.market
  const { id } = yield* Trading.placeOther(world, account, Orders.oco(market, "sell"), Paths.oco)
  return { market: market.name, [key]: id }
})

const group = Effect.fnUntraced(function*(world: World, account: Account) {
  const market = yield* world.market
  const exits = { takeProfit: priceText(market, market.price), stopLoss: priceText(market, market.price * 0.4) }
  const { oto } = yield* Trading.placeOther(world, account, { ...limit(market), ...exits }, Paths.collateralLimit)
  return { market: market.name, otoId: Json.isObject(oto) ? oto["otoId"] : undefined }
})

/** Opens a position, and returns the fields that close it against a resting order. */
const position = Effect.fnUntraced(function*(world: World, account: Account) {
  const market = yield* world.market
  const other = yield* world.open()
  const order = { market: market.name, amount: "0.02", price: priceText(market, market.price) }
  yield* Trading.placeOther(world, other, { ...order, side: "sell" }, Paths.collateralLimit)
  yield* Trading.placeOther(world, account, { ...order, side: "buy" }, Paths.collateralLimit)
  yield* Trading.placeOther(world, other, { ...order, side: "buy" }, Paths.collateralLimit)
  const { items } = yield* LiveCalls.list(world, account, Paths.openPositions, { market: market.name })
  return { market: market.name, positionId: items.find(Json.isObject)?.["positionId"] }
})

const subAccountOf = (world: World, account: Account) => SubAccounts.create(world, account)

const fromMarket = (world: World, of: (market: Market) => Body): Fields => Effect.map(world.market, of)

const calls: Readonly<Record<string, (world: World, account: Account) => Fields>> = {
  [Paths.oco]: (world) => fromMarket(world, (market) => Orders.oco(market, "buy")),
  [Paths.stopLimit]: (world) => fromMarket(world, (market) => Orders.stopLimit(market, "buy")),
  [Paths.applyCode]: (world) => Effect.map(Codes.issue(world, "1"), ({ code }) => ({ code })),
  [Paths.deleteSubAccount]: (world, account) => Effect.map(subAccountOf(world, account), (id) => ({ id })),
  [Paths.limitOrder]: (world) => fromMarket(world, limit),
  [Paths.collateralLimit]: (world) => fromMarket(world, limit),
  [Paths.bulk]: (world) => fromMarket(world, (market) => ({ orders: [limit(market)] })),
  [Paths.collateralBulk]: (world) => fromMarket(world, (market) => ({ orders: [limit(market)] })),
  [Paths.marketOrder]: (world) => marketBuy(world, "400"),
  [Paths.stockMarketOrder]: (world) => marketBuy(world, "0.01"),
  [Paths.collateralMarketOrder]: (world) => marketBuy(world, "0.01", Paths.collateralLimit),
  [Paths.stopMarket]: (world) => fromMarket(world, (market) => ({ ...unpriced(Orders.stopLimit(market, "sell")) })),
  [Paths.triggerMarket]: (world) => fromMarket(world, (market) => unpriced(Orders.stopLimit(market, "sell"))),
  [Paths.collateralStopLimit]: (world) => fromMarket(world, (market) => Orders.stopLimit(market, "sell")),
  [Paths.modifyOrder]: (world, account) => Effect.map(named(world, account), (by) => ({ ...by, amount: "0.02" })),
  [Paths.cancelOrder]: named,
  [Paths.cancelBulk]: (world, account) => Effect.map(named(world, account), (by) => ({ orders: [by] })),
  [Paths.cancelOco]: (world, account) => pair(world, account, "orderId"),
  [Paths.cancelConditional]: (world, account) => pair(world, account, "id"),
  [Paths.cancelOto]: group,
  [Paths.leverage]: () => Effect.succeed({ leverage: 5 }),
  [Paths.updateHedgeMode]: () => Effect.succeed({ hedgeMode: true }),
  [Paths.closePosition]: position,
  [Paths.orderDeals]: () => Effect.succeed({ orderId: 1 }),
  [Paths.killSwitch]: (world) => fromMarket(world, ({ name }) => ({ market: name, timeout: "600" })),
  [Paths.transfer]: () => Effect.succeed({ ticker: "USDT", amount: "1", from: "main", to: "spot" }),
  [Paths.createCode]: () => Effect.succeed({ ticker: "USDT", amount: "1" }),
  [Paths.createSubAccount]: (world) =>
    Effect.sync(() => ({
      alias: world.unique("desk"),
      shareKyc: true,
      permissions: { spotEnabled: true, collateralEnabled: true }
    })),
  [Paths.createApiKey]: (world, account) =>
    Effect.map(subAccountOf(world, account), (subAccountId) => ({ subAccountId, title: "a key", type: 1 }))
}

/** Returns valid fields for a call of this account. Reads need none. */
export const fieldsOf = (world: World, account: Account, path: string): Fields =>
  calls[path]?.(world, account) ?? Effect.succeed({})

/** Random commands, close enough to each other in price and size that they meet. */
import { assert } from "@effect/vitest"
import * as fc from "fast-check"
import { ClientOrderId, SubAccountId } from "../../../src/domain/Identifiers.ts"
import type { Market } from "../../../src/domain/Market.ts"
import type { Action } from "../../../src/sandbox/engine/Command.ts"
import * as Listings from "../../../src/sandbox/engine/Listings.ts"
import type { Operation } from "../../../src/sandbox/engine/Operation.ts"
import * as Positions from "../../../src/sandbox/engine/Positions.ts"
import * as Units from "../../../src/sandbox/engine/Units.ts"
import { type Account, accounts, call, type Desk, fund, limit, market } from "../../support/engine.ts"
import { movePrice, oco, stop, text, transfer, units } from "../../support/engine.ts"

/** Around which price a market trades, in which steps, and how much an order is for. */
const grids = [
  { market: "BTC_USDT", price: "100", tick: "1", lot: "0.1" },
  { market: "ETH_USDT", price: "50", tick: "0.5", lot: "0.2" },
  { market: "ETH_BTC", price: "0.05", tick: "0.0005", lot: "0.01" },
  { market: "BTC_PERP", price: "100", tick: "1", lot: "0.1" },
  { market: "SHIB_USDT", price: "0.00001", tick: "0.0000001", lot: "1000000" }
] as const

/**
 * A command that is not tied to a state yet.
 *
 * - `tick`: how far from the middle the price is; `trigger`: the same of an activation price
 * - `lots`: zero is the least that the market allows; `odd` adds that many of its smallest steps
 * - `pick`: which of the open orders a cancellation is about
 */
export interface Wish {
  readonly verb: typeof verbs[number]
  readonly account: Account
  readonly market: number
  readonly isBuy: boolean
  readonly tick: number
  readonly trigger: number
  readonly lots: number
  readonly odd: number
  readonly pick: number
  readonly flag: "none" | "ioc" | "postOnly" | "reduceOnly"
  readonly collateral: boolean
  readonly stp: "no" | "cancel_both" | "cancel_new" | "cancel_old"
  readonly bboRole: "queue" | "counterparty" | undefined
  readonly clientOrderId: number | undefined
}

/** The more often a verb is here, the more often it is drawn. */
const verbs = [
  ...Array.from({ length: 14 }, () => "limit" as const),
  ...Array.from({ length: 4 }, () => "market" as const),
  ...Array.from({ length: 4 }, () => "stop" as const),
  ...Array.from({ length: 3 }, () => "oco" as const),
  ...Array.from({ length: 3 }, () => "cancel" as const),
  "spend",
  "cancelOco",
  "cancelAll",
  "movePrice",
  "transfer",
  "fund",
  "deleteSubAccount"
] as const

export const wish: fc.Arbitrary<Wish> = fc.record({
  verb: fc.constantFrom(...verbs),
  account: fc.constantFrom(...accounts),
  market: fc.constantFrom(0, 0, 0, 3, 3, 3, 1, 2, 4),
  isBuy: fc.boolean(),
  tick: fc.oneof({ weight: 4, arbitrary: fc.integer({ min: -2, max: 2 }) }, fc.integer({ min: -15, max: 15 })),
  trigger: fc.integer({ min: -6, max: 6 }),
  lots: fc.integer({ min: 0, max: 9 }),
  odd: fc.constantFrom(0, 0, 0, 1, 7),
  pick: fc.nat(1000),
  flag: fc.constantFrom("none", "none", "none", "none", "none", "ioc", "postOnly", "reduceOnly", "reduceOnly"),
  collateral: fc.boolean(),
  stp: fc.constantFrom("no", "no", "no", "cancel_both", "cancel_new", "cancel_old"),
  bboRole: fc.constantFrom(undefined, undefined, "queue", "counterparty"),
  clientOrderId: fc.option(fc.nat(60), { nil: undefined, freq: 1 })
})

/** Who wants to reduce mostly does so where there is something to reduce. */
const reducing = (desk: Desk, wish: Wish, market: string): Wish => {
  const position = Positions.get(desk.state, wish.account, market)
  if (wish.flag !== "reduceOnly" || wish.pick % 5 === 0) return wish
  return position === undefined ? { ...wish, flag: "none" } : { ...wish, isBuy: position.amount < 0n, collateral: true }
}

const orders = (desk: Desk, wished: Wish, listed: Market) => {
  const wish = reducing(desk, wished, listed.name)
  const grid = grids[wish.market] ?? grids[0]
  const at = (ticks: number) => units(grid.price) + BigInt(ticks) * units(grid.tick)
  const price = at(wish.tick)
  const step = 10n ** BigInt(Units.scale - listed.stockPrecision)
  const even = wish.lots === 0 ? least(listed, price, step) : BigInt(wish.lots) * units(grid.lot)
  const amount = even + BigInt(wish.odd) * step
  const side = wish.isBuy ? "buy" as const : "sell" as const
  const own = wish.clientOrderId === undefined ? {} : { clientOrderId: ClientOrderId.make(`own-${wish.clientOrderId}`) }
  const reduceOnly = { reduceOnly: wish.flag === "reduceOnly" }
  const collateral = wish.collateral && listed.isCollateral
  return { grid, at, price, amount, side, own, reduceOnly, collateral }
}

/** The least amount that has the least total. */
const least = (listed: Market, price: Units.Units, step: Units.Units): Units.Units => {
  const ofTotal = (Units.over(units(listed.minTotal), price) / step + 1n) * step
  const ofAmount = units(listed.minAmount)
  return ofTotal > ofAmount ? ofTotal : ofAmount
}

const listedOf = (wish: Wish): Market => {
  const listed = Listings.markets[wish.market % Listings.markets.length]
  assert.isDefined(listed)
  return listed
}

const operation = (desk: Desk, wish: Wish): Operation => {
  const listed = listedOf(wish)
  const { amount, at, collateral, grid, own, price, reduceOnly, side } = orders(desk, wish, listed)
  const { bboRole, flag, stp } = wish
  const [size, cost, trigger] = [text(amount), text(price), text(at(wish.trigger))]
  switch (wish.verb) {
    case "limit":
      return limit(grid.market, side, size, cost, {
        ...own,
        ...reduceOnly,
        collateral,
        stp,
        ioc: flag === "ioc",
        postOnly: flag === "postOnly"
      })
    case "market":
      return market(grid.market, side, size, { ...own, ...reduceOnly, collateral, stp })
    case "spend": {
      const step = 10n ** BigInt(Units.scale - listed.moneyPrecision)
      const money = Units.times(amount, price) / step * step
      return market(grid.market, "buy", text(money), { ...own, ...reduceOnly, collateral, stp, quoteAmount: true })
    }
    case "stop":
      return stop(grid.market, side, size, cost, trigger, {
        ...own,
        stp,
        ...(bboRole === undefined ? {} : { bboRole })
      })
    case "oco":
      return oco(grid.market, side, size, cost, trigger, text(at(wish.trigger + (wish.pick % 5) - 2)), {
        ...own,
        ...reduceOnly
      })
    case "cancel":
    case "cancelOco": {
      const open = wish.verb === "cancel" ? [...desk.state.openOrders.values()] : [...desk.state.ocoOrders.values()]
      const picked = open[wish.pick % open.length]
      const found = picked === undefined || !("stopLoss" in picked) ? picked : picked.stopLoss
      return picked === undefined || found === undefined ? { _tag: "Nothing" } : {
        _tag: wish.verb === "cancel" ? "Cancel" : "CancelOco",
        market: found.market,
        orderId: picked.id
      }
    }
    case "cancelAll":
      return {
        _tag: "CancelAll",
        ...(wish.isBuy ? { market: listed.name } : {}),
        ...(wish.collateral ? { type: [wish.pick % 2 === 0 ? "spot" : "margin"] } : {})
      }
    case "transfer": {
      const [from, to] = wish.isBuy ? ["collateral", "trade"] as const : ["trade", "collateral"] as const
      return transfer(from, to, "USDT", text(BigInt(wish.pick + 1) * units("10")))
    }
    default:
      return { _tag: "DeleteSubAccount", id: SubAccountId.make("sub") }
  }
}

/** What the wish comes to on this exchange. */
export const actionOf = (desk: Desk, wish: Wish): Action => {
  const { at, grid } = orders(desk, wish, listedOf(wish))
  if (wish.verb === "movePrice") return movePrice(grid.market, text(at(wish.tick)))
  if (wish.verb === "fund") return fund(wish.account, wish.isBuy ? "trade" : "collateral", "USDT", "25")
  const asked = operation(desk, wish)
  // Mostly it is the owner who cancels.
  const owner = asked._tag === "Cancel" && wish.pick % 10 > 0 && asked.orderId !== undefined
    ? desk.state.openOrders.get(asked.orderId)?.account
    : undefined
  return call(owner ?? wish.account, asked)
}

/** Everyone has something to trade with; cat has little. */
export const funded = (desk: Desk): Desk => {
  for (const account of ["ann", "ben", "sub"] as const) {
    desk.fund(account, "trade", "2000 USDT", "20 BTC", "20 ETH", "100000000 SHIB")
    desk.fund(account, "collateral", "300 USDT")
  }
  return desk.fund("cat", "trade", "80 USDT", "0.5 BTC").fund("cat", "collateral", "15 USDT")
}

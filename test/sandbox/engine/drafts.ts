/** Drafts of random commands whose prices and sizes are so similar that their orders trade with each other. */
import { assert } from "@effect/vitest"
import * as fc from "fast-check"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { Amount } from "../../../src/domain/Decimal.ts"
import { ClientOrderId, marketName, PositionId, SubAccountId, ticker } from "../../../src/domain/Identifiers.ts"
import { KillSwitchSeconds } from "../../../src/domain/KillSwitch.ts"
import { leverages } from "../../../src/domain/Margin.ts"
import type { Market } from "../../../src/domain/Market.ts"
import type { Action } from "../../../src/sandbox/engine/Command.ts"
import * as Listings from "../../../src/sandbox/engine/Listings.ts"
import * as Margins from "../../../src/sandbox/engine/Margins.ts"
import type { Modify, Operation } from "../../../src/sandbox/engine/Operation.ts"
import { isQuoteAmount, type Order } from "../../../src/sandbox/engine/Order.ts"
import * as Positions from "../../../src/sandbox/engine/Positions.ts"
import * as Units from "../../../src/sandbox/engine/Units.ts"
import { type Account, accounts, call, type Desk, fund, limit, market } from "../../support/engine.ts"
import { modify, movePrice, oco, openPosition, stop, stopMarket, text, transfer, units } from "../../support/engine.ts"

const usdt = ticker("USDT")

/** For each market, the price around which it trades, its price step, and the unit of its amounts. */
const grids = [
  { market: "BTC_USDT", price: "100", tick: "1", lot: "0.1" },
  { market: "ETH_USDT", price: "50", tick: "0.5", lot: "0.2" },
  { market: "ETH_BTC", price: "0.05", tick: "0.0005", lot: "0.01" },
  { market: "BTC_PERP", price: "100", tick: "1", lot: "0.1" },
  { market: "SHIB_USDT", price: "0.00001", tick: "0.0000001", lot: "1000000" }
] as const

/**
 * A draft of a command. The state of the exchange later determines the orders to which the draft refers.
 *
 * - `tick`: the distance of the price from the middle, in ticks; `trigger`: the same for the activation price
 * - `lots`: the amount in lots, or the market's minimum if zero; `odd`: the number of amount steps added
 * - `pick`: selects the open order that a cancellation names
 */
export interface Draft {
  readonly verb: typeof verbs[number]
  readonly account: Account
  readonly market: number
  readonly isBuy: boolean
  readonly tick: number
  readonly trigger: number
  readonly lots: number
  readonly odd: number
  readonly pick: number
  readonly flag: "none" | "ioc" | "postOnly" | "rpi" | "retail" | "reduceOnly"
  readonly collateral: boolean
  readonly stp: "no" | "cancel_both" | "cancel_new" | "cancel_old"
  readonly bboRole: "queue" | "counterparty" | undefined
  readonly clientOrderId: number | undefined
  readonly exit: "none" | "both" | "takeProfit" | "stopLoss"
}

/** The verbs of drafts. The more often a verb is listed, the more often it is drawn. */
export const verbs = [
  ...Array.from({ length: 14 }, () => "limit" as const),
  ...Array.from({ length: 4 }, () => "market" as const),
  ...Array.from({ length: 4 }, () => "stop" as const),
  ...Array.from({ length: 3 }, () => "stopMarket" as const),
  ...Array.from({ length: 3 }, () => "oco" as const),
  ...Array.from({ length: 3 }, () => "cancel" as const),
  ...Array.from({ length: 4 }, () => "modify" as const),
  ...Array.from({ length: 3 }, () => "bulk" as const),
  "cancelBulk",
  "spend",
  "killSwitch",
  "cancelOto",
  "cancelOco",
  "cancelAll",
  "movePrice",
  "counterparty",
  "openPosition",
  "gamble",
  "gamble",
  "gamble",
  "wash",
  "wash",
  "transfer",
  "transferAll",
  "fund",
  "pledge",
  "moveMark",
  "moveIndex",
  "close",
  "insurance",
  "settleFunding",
  "liquidity",
  "leverage",
  "hedgeMode",
  "day",
  "deleteSubAccount"
] as const

export const draft: fc.Arbitrary<Draft> = fc.record({
  verb: fc.constantFrom(...verbs),
  account: fc.constantFrom(...accounts),
  market: fc.constantFrom(0, 0, 0, 3, 3, 3, 1, 2, 4),
  isBuy: fc.boolean(),
  // At distant prices, positions lose more than their collateral.
  tick: fc.oneof(
    { weight: 8, arbitrary: fc.integer({ min: -2, max: 2 }) },
    { weight: 2, arbitrary: fc.integer({ min: -15, max: 15 }) },
    fc.constantFrom(-60, -40, 40, 60)
  ),
  trigger: fc.integer({ min: -6, max: 6 }),
  lots: fc.integer({ min: 0, max: 9 }),
  odd: fc.constantFrom(0, 0, 0, 1, 7),
  pick: fc.nat(1000),
  flag: fc.constantFrom(
    "none",
    "none",
    "none",
    "none",
    "none",
    "ioc",
    "postOnly",
    "rpi",
    "retail",
    "reduceOnly",
    "reduceOnly"
  ),
  collateral: fc.boolean(),
  stp: fc.constantFrom("no", "no", "no", "cancel_both", "cancel_new", "cancel_old"),
  bboRole: fc.constantFrom(undefined, undefined, "queue", "counterparty"),
  clientOrderId: fc.option(fc.nat(60), { nil: undefined, freq: 1 }),
  exit: fc.constantFrom("none", "none", "none", "none", "both", "both", "takeProfit", "stopLoss")
})

/** Adjusts most reduce-only drafts so that they reduce an existing position. */
const reducing = (desk: Desk, draft: Draft, market: string): Draft => {
  const position = Positions.get(desk.state, draft.account, market)
  if (draft.flag !== "reduceOnly" || draft.pick % 5 === 0) return draft
  return position === undefined
    ? { ...draft, flag: "none" }
    : { ...draft, isBuy: position.amount < 0n, collateral: true }
}

const orders = (desk: Desk, drafted: Draft, listed: Market) => {
  const draft = reducing(desk, drafted, listed.name)
  const grid = grids[draft.market] ?? grids[0]
  const at = (ticks: number) => units(grid.price) + BigInt(ticks) * units(grid.tick)
  const price = at(draft.tick)
  const step = 10n ** BigInt(Units.scale - listed.stockPrecision)
  const even = draft.lots === 0 ? least(listed, price, step) : BigInt(draft.lots) * units(grid.lot)
  const amount = even + BigInt(draft.odd) * step
  const side = draft.isBuy ? "buy" as const : "sell" as const
  const own = draft.clientOrderId === undefined
    ? {}
    : { clientOrderId: ClientOrderId.make(`own-${draft.clientOrderId}`) }
  const isHedged = desk.state.accounts.get(draft.account)?.hedgeMode === true && draft.pick % 9 > 0
  const reduceOnly = {
    reduceOnly: draft.flag === "reduceOnly",
    ...(isHedged ? { positionSide: draft.collateral ? "LONG" as const : "SHORT" as const } : {})
  }
  const collateral = draft.collateral && listed.isCollateral
  return { grid, at, price, amount, side, own, reduceOnly, collateral, exit: exitOf(draft, collateral, at) }
}

/** Returns the take-profit and stop-loss of an order at `ticks`, if the order can open a position. */
const exitOf =
  ({ exit, flag, isBuy, pick }: Draft, collateral: boolean, at: (ticks: number) => Units.Units) =>
  (ticks: number): { readonly takeProfit?: Decimal.Price; readonly stopLoss?: Decimal.Price } => {
    if (!collateral || flag === "reduceOnly" || exit === "none") return {}
    const away = (1 + pick % 3) * (isBuy ? 1 : -1)
    return {
      ...(exit === "stopLoss" ? {} : { takeProfit: Decimal.Price.make(text(at(ticks + away))) }),
      ...(exit === "takeProfit" ? {} : { stopLoss: Decimal.Price.make(text(at(ticks - away))) })
    }
  }

/** Returns the smallest amount that reaches the minimum total. */
const least = (listed: Market, price: Units.Units, step: Units.Units): Units.Units => {
  const ofTotal = (Units.over(units(listed.minTotal), price) / step + 1n) * step
  const ofAmount = units(listed.minAmount)
  return ofTotal > ofAmount ? ofTotal : ofAmount
}

/** Returns changes to an order, sometimes to fields that the order does not have. */
const changesOf = (desk: Desk, draft: Draft, order: Order): Partial<Modify> => {
  const listed = desk.state.markets.get(order.market) ?? assert.fail("no such market")
  const market = grids.findIndex((grid) => grid.market === order.market)
  const { amount, at, price } = orders(desk, { ...draft, market, flag: "none" }, listed)
  const step = 10n ** BigInt(Units.scale - listed.moneyPrecision)
  const total = Units.times(amount, price) / step * step
  const isQuote = isQuoteAmount(order) !== (draft.pick % 7 === 0)
  return {
    ...(draft.isBuy ? { [isQuote ? "total" : "amount"]: text(isQuote ? total : amount) } : {}),
    ...(draft.collateral && order.price !== undefined ? { price: Decimal.Price.make(text(price)) } : {}),
    ...(draft.bboRole === undefined ? {} : { activationPrice: Decimal.Price.make(text(at(draft.trigger))) })
  }
}

const listedOf = (draft: Draft): Market => {
  const listed = Listings.markets[draft.market % Listings.markets.length]
  assert.isDefined(listed)
  return listed
}

const operation = (desk: Desk, draft: Draft): Operation => {
  const listed = listedOf(draft)
  const { amount, at, collateral, exit, grid, own, price, reduceOnly, side } = orders(desk, draft, listed)
  const { bboRole, flag, stp } = draft
  const [size, cost, trigger] = [text(amount), text(price), text(at(draft.trigger))]
  const step = 10n ** BigInt(Units.scale - listed.moneyPrecision)
  const money = text(Units.times(amount, price) / step * step)
  switch (draft.verb) {
    case "limit":
      return limit(grid.market, side, size, cost, {
        ...own,
        ...reduceOnly,
        ...exit(draft.tick),
        collateral,
        stp,
        ioc: flag === "ioc",
        postOnly: flag === "postOnly",
        rpi: flag === "rpi",
        retail: flag === "retail",
        ...(bboRole === undefined || draft.pick % 4 > 0 ? {} : { bboRole })
      })
    case "market":
      return market(grid.market, side, size, { ...own, ...reduceOnly, ...exit(0), collateral, stp })
    case "spend":
      return market(grid.market, "buy", money, { ...own, ...reduceOnly, collateral, stp, quoteAmount: true })
    case "stop":
      return stop(grid.market, side, size, cost, trigger, {
        ...own,
        ...reduceOnly,
        ...exit(draft.tick),
        collateral,
        stp,
        ...(bboRole === undefined ? {} : { bboRole })
      })
    case "stopMarket":
      return stopMarket(grid.market, side, side === "buy" && !collateral ? money : size, trigger, {
        ...own,
        ...reduceOnly,
        ...exit(draft.trigger),
        collateral,
        stp
      })
    case "oco":
      return oco(grid.market, side, size, cost, trigger, text(at(draft.trigger + (draft.pick % 5) - 2)), {
        ...own,
        ...reduceOnly
      })
    case "bulk": {
      // The second order is on the other side, so it can trade with the first order or with the book.
      const drawn = [draft, { ...draft, tick: draft.trigger, isBuy: !draft.isBuy, clientOrderId: undefined }, draft]
      return {
        _tag: "PlaceBulk",
        orders: drawn.slice(draft.pick % 2).flatMap((each) => {
          const order = operation(desk, { ...each, verb: "limit" })
          return order._tag === "PlaceLimit" ? [order] : []
        }),
        ...(draft.pick % 3 === 0 ? {} : { stopOnFail: draft.pick % 3 === 1 })
      }
    }
    case "wash": {
      // A spot order and a margin order that trade with each other, at a price that the account chooses.
      const opposite = side === "buy" ? "sell" : "buy"
      const both = [
        limit(grid.market, side, size, cost),
        limit(grid.market, opposite, size, cost, { ...reduceOnly, collateral: true })
      ]
      return { _tag: "PlaceBulk", orders: draft.collateral ? both : both.toReversed() }
    }
    case "cancelBulk": {
      const open = [...desk.state.openOrders.values()].slice(draft.pick % 3, draft.pick % 3 + 4)
      return { _tag: "CancelBulk", orders: open.map(({ id, market }) => ({ _tag: "Cancel", market, orderId: id })) }
    }
    case "modify": {
      const open = [...desk.state.openOrders.values()]
      const order = open[draft.pick % open.length]
      if (order === undefined) return { _tag: "Nothing" }
      const drawn = changesOf(desk, draft, order)
      return modify(order, { ...drawn, ...(draft.stp === "no" ? {} : { stp }) })
    }
    case "cancel":
    case "cancelOco": {
      const open = draft.verb === "cancel" ? [...desk.state.openOrders.values()] : [...desk.state.ocoOrders.values()]
      const picked = open[draft.pick % open.length]
      const found = picked === undefined || !("stopLoss" in picked) ? picked : picked.stopLoss
      return picked === undefined || found === undefined ? { _tag: "Nothing" } : {
        _tag: draft.verb === "cancel" ? "Cancel" : "CancelOco",
        market: found.market,
        orderId: picked.id
      }
    }
    case "cancelOto": {
      const open = [...desk.state.otoOrders.values()]
      const picked = open[draft.pick % open.length]
      if (picked === undefined) return { _tag: "Nothing" }
      const { id, order: { market } } = picked
      return draft.isBuy ? { _tag: "CancelOto", market, otoId: id } : { _tag: "CancelConditional", market, id }
    }
    case "cancelAll":
      return {
        _tag: "CancelAll",
        ...(draft.isBuy ? { market: listed.name } : {}),
        ...(draft.collateral ? { type: [draft.pick % 2 === 0 ? "spot" : "margin"] } : {})
      }
    case "killSwitch":
      // A desk's clock advances by one second with every command, so the kill switch fires soon.
      return {
        _tag: "SetKillSwitch",
        market: listed.name,
        ...(draft.pick % 4 === 0 ? {} : { seconds: KillSwitchSeconds.make(5 + draft.lots) }),
        ...(draft.collateral ? { types: [draft.isBuy ? "spot" : "margin"] } : {})
      }
    case "transferAll": {
      // Transfers as much collateral as the positions' margin allows.
      const most = Margins.available(desk.state, draft.account, usdt)
      return most <= 0n ? { _tag: "Nothing" } : transfer("collateral", "trade", usdt, text(most))
    }
    case "leverage":
      // Rarely drawn, because the exact margin of orders is known only at the default leverage.
      return draft.pick % 8 > 0
        ? { _tag: "Nothing" }
        : { _tag: "SetLeverage", leverage: leverages[draft.pick % leverages.length] ?? 10 }
    case "hedgeMode":
      return { _tag: "SetHedgeMode", hedgeMode: draft.pick % 3 > 0 }
    case "close": {
      const [position] = desk.state.positionsOf.get(draft.account) ?? []
      return position === undefined ? { _tag: "Nothing" } : {
        _tag: "ClosePosition",
        market: position.market,
        positionId: PositionId.make(position.id.toString())
      }
    }
    case "transfer": {
      const [from, to] = draft.isBuy ? ["collateral", "trade"] as const : ["trade", "collateral"] as const
      return transfer(from, to, "USDT", text(BigInt(draft.pick + 1) * units("10")))
    }
    default:
      return { _tag: "DeleteSubAccount", id: SubAccountId.make("sub") }
  }
}

/** Settings of a counterparty that usually quotes close to the price, so that it trades. */
const counterparty = ({ isBuy, lots, odd, pick }: Draft, { lot, market }: typeof grids[number]): Action => ({
  _tag: "SetCounterparty",
  market: marketName(market),
  enabled: pick % 4 > 0,
  spread: pick % 3 === 0 ? Decimal.of("5") : Decimal.of("1"),
  step: Decimal.of("0.5"),
  levels: 1 + lots,
  amount: Amount.make(text(BigInt(1 + odd) * units(lot))),
  variation: isBuy ? Decimal.of("90") : Decimal.zero,
  refill: pick % 5 > 0,
  credit: pick % 7 > 0,
  seed: pick
})

/** Opens a position as large as the collateral allows, or closes it at a distant price. */
const gamble = (desk: Desk, draft: Draft): Action => {
  const { account, isBuy, pick, tick } = draft
  const { at, grid } = orders(desk, draft, listedOf(draft))
  const held = Positions.get(desk.state, account, grid.market)?.amount ?? 0n
  if (held !== 0n) {
    const [side, amount] = held > 0n ? ["sell" as const, held] : ["buy" as const, -held]
    return openPosition(account, grid.market, side, text(amount), text(at(pick % 2 === 0 ? -40 : 40)))
  }
  const lots = Units.over(Margins.freeMargin(desk.state, account) * 10n, at(tick)) / units(grid.lot)
  const amount = text((lots > 0n ? lots : 1n) * units(grid.lot))
  return openPosition(account, grid.market, isBuy ? "buy" : "sell", amount, text(at(tick)))
}

/** The owner's actions on margin: other collateral, reference prices, funding and the insurance account. */
const marginAction = (
  { account, isBuy, lots, pick, verb }: Draft,
  market: string,
  price: string
): Action | undefined => {
  const name = marketName(market as "BTC_USDT")
  switch (verb) {
    case "pledge":
      return fund(account, "collateral", isBuy ? "BTC" : "ETH", "0.1")
    case "moveMark":
    case "moveIndex": {
      const moved = pick % 3 === 0 ? null : Decimal.Price.make(price)
      return { _tag: verb === "moveMark" ? "MoveMark" : "MoveIndex", market: name, price: moved }
    }
    case "insurance":
      return { _tag: "SetInsurance", ticker: usdt, amount: Decimal.Decimal.make((lots * 20).toString()) }
    case "settleFunding":
      return {
        _tag: "SetFunding",
        market: marketName("BTC_PERP"),
        intervalMinutes: 60,
        ...(pick % 3 === 0 ? { rate: null } : { rate: isBuy ? Decimal.of("0.03") : Decimal.of("-0.007") })
      }
    case "liquidity":
      return { _tag: "SetMargin", liquidity: isBuy ? "book" : "outside" }
    default:
      return undefined
  }
}

/** Converts a draft to an action that fits the desk's current state. */
export const actionOf = (desk: Desk, draft: Draft): Action => {
  const { at, grid } = orders(desk, draft, listedOf(draft))
  if (draft.verb === "counterparty") return counterparty(draft, grid)
  if (draft.verb === "movePrice") return movePrice(grid.market, text(at(draft.tick)))
  if (draft.verb === "openPosition") {
    const [side, lots] = [draft.isBuy ? "buy" : "sell", BigInt(draft.lots + 1)] as const
    return openPosition(draft.account, grid.market, side, text(lots * units(grid.lot)), text(at(draft.tick)))
  }
  if (draft.verb === "gamble") return gamble(desk, draft)
  const margin = marginAction(draft, grid.market, text(at(draft.tick)))
  if (margin !== undefined) return margin
  // Funding settles, and interest accrues.
  if (draft.verb === "day") {
    desk.advance(draft.pick % 4 === 0 ? 90_000_000_000 : 3_600_000_000)
    return { _tag: "Pass" }
  }
  if (draft.verb === "fund") return fund(draft.account, draft.isBuy ? "trade" : "collateral", "USDT", "25")
  const asked = operation(desk, draft)
  // Most cancellations come from the account that placed the order.
  const named = (asked._tag === "Cancel" || asked._tag === "Modify") && asked.orderId !== undefined
    ? desk.state.openOrders.get(asked.orderId)
    : asked._tag === "CancelOto"
    ? desk.state.otoOrders.get(asked.otoId)?.order
    : undefined
  const owner = draft.pick % 10 > 0 ? named?.account : undefined
  return call(owner ?? draft.account, asked)
}

/** Funds every account; cat gets only a small amount. */
export const funded = (desk: Desk): Desk => {
  for (const account of accounts) desk.send({ _tag: "SetAccount", account, rpi: true, retail: true })
  for (const account of ["ann", "ben", "sub"] as const) {
    desk.fund(account, "trade", "2000 USDT", "20 BTC", "20 ETH", "100000000 SHIB")
    desk.fund(account, "collateral", "300 USDT")
  }
  return desk.fund("cat", "trade", "80 USDT", "0.5 BTC").fund("cat", "collateral", "15 USDT")
}

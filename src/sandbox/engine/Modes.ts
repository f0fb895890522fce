/** Sets an account's leverage and hedge mode, checks orders against both, and closes positions. */
import * as MarginUnits from "../../domain/MarginUnits.ts"
import type { Market } from "../../domain/Market.ts"
import type { OrderSide, PositionSide } from "../../domain/Order.ts"
import * as Leverage from "./Leverage.ts"
import * as Locks from "./Locks.ts"
import * as Margins from "./Margins.ts"
import * as Matching from "./Matching.ts"
import * as NewOrder from "./NewOrder.ts"
import type { Operation } from "./Operation.ts"
import type { Order } from "./Order.ts"
import * as Pending from "./Pending.ts"
import * as Positions from "./Positions.ts"
import * as Prices from "./Prices.ts"
import * as Reply from "./Reply.ts"
import type { State } from "./State.ts"
import * as Units from "./Units.ts"
import type { Work } from "./Work.ts"

type Of<Tag extends Operation["_tag"]> = Extract<Operation, { readonly _tag: Tag }>

const rule = (name: "flat" | "side" | "opposite" | "positionMaximum" | "pendingMaximum" | "covered" | "held") =>
  ({ kind: "margin", rule: name }) as const

/**
 * Whether an account has positions, or open margin or futures orders. If `kind` is given, only positions and orders of
 * that kind count.
 */
const isBusy = ({ markets, openOrders, positionsOf }: State, account: string, kind?: Order["kind"]): boolean => {
  for (const { market } of positionsOf.get(account) ?? []) {
    if (kind === undefined || markets.get(market)?.type === kind) return true
  }
  for (const order of openOrders.latest(account)) {
    if (kind === undefined ? order.kind !== "spot" : order.kind === kind) return true
  }
  return false
}

/**
 * Sets an account's leverage, which applies to all its positions. Open orders keep the margin that they have reserved.
 * Refuses a leverage at which the collateral would not cover the margin, and any change that the policy forbids while
 * there are positions or orders.
 */
export const setLeverage = ({ events, state }: Work, id: string, { leverage }: Of<"SetLeverage">): Reply.Reply => {
  const account = state.accounts.get(id)
  if (account === undefined) return Reply.refused("notFound")
  const before = account.leverage
  if (leverage === before) return { _tag: "LeverageSet", leverage }
  if (state.margin.leverageChange === "refused" && isBusy(state, id)) {
    return Reply.refused("hasPositions", ["leverage", rule("flat")])
  }
  account.leverage = leverage
  if (leverage < before && isBusy(state, id) && Margins.freeMargin(state, id) < 0n) {
    account.leverage = before
    return Reply.refused("leverageNotCovered", ["leverage", rule("covered")])
  }
  state.watches.dirty.add(id)
  events.push({ _tag: "LeverageChanged", account: id, leverage })
  return { _tag: "LeverageSet", leverage }
}

/** Switches an account's hedge mode. Refuses to do so while the account has positions or orders on futures markets. */
export const setHedgeMode = (
  { events, state }: Work,
  id: string,
  { hedgeMode }: Of<"SetHedgeMode">
): Reply.Reply => {
  const account = state.accounts.get(id)
  if (account === undefined) return Reply.refused("notFound")
  if (hedgeMode === account.hedgeMode) return { _tag: "HedgeModeSet", hedgeMode }
  if (isBusy(state, id, "futures")) return Reply.refused("hasPositions", ["hedgeMode", rule("flat")])
  account.hedgeMode = hedgeMode
  events.push({ _tag: "HedgeModeChanged", account: id, hedgeMode })
  return { _tag: "HedgeModeSet", hedgeMode }
}

/** The fields of an order that select its position. */
export interface Sided {
  /** Whether the order buys or sells. */
  readonly side: OrderSide
  /** The position side that the caller has specified. */
  readonly positionSide?: PositionSide
  /** Whether the order may only reduce a position. Defaults to `false`. */
  readonly reduceOnly?: boolean
}

const wrongSide = Reply.refused("wrongSide", ["positionSide", rule("side")])

const wrongWay = Reply.refused("reduceOnly", ["reduceOnly", { kind: "position" }])

/**
 * Returns whether an order may only reduce a position, or refuses the order. In hedge mode, an order on the closing
 * side is always reduce-only, because it can't turn a long position into a short one.
 */
export const isReduceOnly = (
  { accounts, margin }: State,
  account: string,
  kind: Order["kind"],
  { positionSide, reduceOnly = false, side }: Sided
): boolean | Reply.Reply => {
  if (kind === "spot") return reduceOnly
  if (kind === "margin" || accounts.get(account)?.hedgeMode !== true) {
    const isNamed = positionSide === "LONG" || positionSide === "SHORT"
    return isNamed && margin.oneWaySides === "refused" ? wrongSide : reduceOnly
  }
  if (positionSide !== "LONG" && positionSide !== "SHORT") return wrongSide
  const closes = (side === "buy") === (positionSide === "SHORT")
  return reduceOnly && !closes ? wrongWay : closes
}

/**
 * The refusal of an order that would make a position larger than the market's brackets allow, alone or together with
 * the other open orders; `undefined` if the order is allowed. Also refuses an order that would flip the position, if
 * the venue's policy forbids that. `total` is the order's value, in units of the quote currency. `replaced` is the
 * order that the new order is about to replace.
 */
export const refusalOf = (
  state: State,
  market: Market,
  trader: Positions.Trader,
  quantity: Units.Units,
  total: Units.Units,
  replaced?: Order
): Reply.Reply | undefined => {
  const reducible = Positions.reducible(state, trader)
  if (state.margin.opposite === "refused" && reducible > 0n && quantity > reducible) {
    return Reply.refused("oppositePosition", ["amount", rule("opposite")])
  }
  const largest = Leverage.largestOf(market)
  const opening = quantity - Locks.closingPart(state, trader, quantity, replaced?.closing)
  if (largest === undefined || opening <= 0n) return undefined
  const value = total * opening / quantity
  const held = reducible > 0n ? 0n : Positions.of(state, trader)?.cost ?? 0n
  if (held + value > largest) return Reply.refused("positionTooBig", ["amount", rule("positionMaximum")])
  return held + Pending.total(state.pending, trader, replaced?.id) + value > largest
    ? Reply.refused("pendingTooBig", ["amount", rule("pendingMaximum")])
    : undefined
}

const noPosition = Reply.refused("positionNotFound", ["positionId", rule("held")])

/**
 * Closes a position with a market order for the position's entire size. If the book can fill the order only partly, the
 * rest of the position stays open.
 */
export const closePosition = (
  work: Work,
  account: string,
  { market: name, positionId, positionSide }: Of<"ClosePosition">
): Reply.Reply => {
  const { state } = work
  const market = state.markets.get(name)
  if (market === undefined || !Leverage.isLeveraged(market)) return Reply.invalid(["market", { kind: "known" }])
  const position = [...state.positionsOf.get(account) ?? []].find(({ id, market }) =>
    market === name && id.toString() === positionId
  )
  if (position === undefined || (positionSide !== undefined && positionSide !== position.side)) return noPosition
  const quantity = MarginUnits.abs(position.amount)
  const order = NewOrder.make(work, account, {
    market: name,
    side: position.amount > 0n ? "sell" : "buy",
    type: position.amount > 0n ? "market" : "stock market",
    kind: market.type === "futures" ? "futures" : "margin",
    amount: Units.toDecimal(quantity),
    quantity,
    price: undefined,
    stop: undefined,
    clientOrderId: undefined,
    stp: "no",
    reduceOnly: true
  })
  NewOrder.open(work, order)
  Matching.execute(work, market, order, undefined)
  Prices.triggerStopOrders(work, market)
  return { _tag: "OrderPlaced", order }
}

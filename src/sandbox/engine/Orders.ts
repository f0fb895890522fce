/**
 * Placing and cancelling orders.
 *
 * @since 0.1.0
 */
import * as Decimal from "../../domain/Decimal.ts"
import { type ClientOrderId, OrderId } from "../../domain/Identifiers.ts"
import * as Market from "../../domain/Market.ts"
import { type ActivationCondition, activationConditionOf, type OrderSide } from "../../domain/Order.ts"
import type { Operation } from "./Command.ts"
import * as Event from "./Event.ts"
import * as Matching from "./Matching.ts"
import * as Positions from "./Positions.ts"
import * as Reply from "./Reply.ts"
import type { OcoOrder, Order, State, StopOrder } from "./State.ts"
import * as Units from "./Units.ts"

type Of<Tag extends Operation["_tag"]> = Extract<Operation, { readonly _tag: Tag }>

/** The identifier of the next order, or of the one `ahead` of the last. It is given away when the order is remembered. */
const nextId = (state: State, ahead = 1): OrderId => OrderId.make((state.lastId + ahead).toString())

// -----------------------------------------------------------------------------
// What all orders have in common
// -----------------------------------------------------------------------------

/** Whether an account has given this client order id to another order that it may not share it with. */
const isTaken = (state: State, account: string, market: string, id: ClientOrderId | undefined): boolean => {
  if (id === undefined) return false
  if (state.policy.clientOrderIds === "account") return state.clientOrderIds.get(account)?.has(id) === true
  for (const order of state.openOrders.values()) {
    if (order.account === account && order.market === market && order.clientOrderId === id) return true
  }
  return false
}

const remember = ({ emit, state }: Matching.Work, order: Order): void => {
  state.lastId = Number(order.id)
  state.openOrders.set(order.id, order)
  emit({ _tag: "OrderPlaced", ...Event.subject(order) })
  if (order.clientOrderId === undefined) return
  const used = state.clientOrderIds.get(order.account) ?? new Set()
  state.clientOrderIds.set(order.account, used.add(order.clientOrderId))
}

const kindOf = (market: Market.Market, collateral: boolean): Order["kind"] =>
  market.type === "futures" ? "futures" : collateral ? "margin" : "spot"

const fresh = (work: Matching.Work, account: string, market: Market.Market, ahead = 1) => ({
  id: nextId(work.state, ahead),
  account,
  market: market.name,
  price: undefined,
  postOnly: false,
  ioc: false,
  stop: undefined,
  clientOrderId: undefined,
  stp: "no" as const,
  reduceOnly: false,
  oco: undefined,
  placedAt: work.at,
  locked: undefined,
  queued: undefined,
  status: "NEW" as const,
  dealStock: 0n,
  dealMoney: 0n,
  dealFee: 0n,
  changedAt: work.at
})

/** What an order has to lock: what a spot order would spend, or the margin and the fee of a position. */
const lockOf = (
  market: Market.Market,
  side: OrderSide,
  kind: Order["kind"],
  quantity: Units.Units,
  price: Units.Units
): readonly ["trade" | "collateral", Market.Market["stock"], Units.Units] => {
  const total = Units.times(quantity, price)
  if (kind === "spot") return side === "buy" ? ["trade", market.money, total] : ["trade", market.stock, quantity]
  const fee = Units.times(total, (Units.from(market.takerFee) ?? 0n) / 100n)
  return ["collateral", market.money, total / Positions.leverage + fee]
}

const notEnough = Reply.refused("notEnoughBalance", ["amount", { kind: "balance" }])

const notReducible = Reply.refused("reduceOnly", ["reduceOnly", { kind: "position" }])

/**
 * What a reduce-only order may trade: no more than there is to reduce, which on the spot is nothing. Refused when there is
 * nothing, or when such orders are not accepted at all. An amount in quote currency is left as it is.
 */
const clip = (
  state: State,
  account: string,
  market: Market.Market,
  kind: Order["kind"],
  side: OrderSide,
  amount: Decimal.Decimal,
  reduceOnly: boolean,
  quoteAmount = false
): { readonly amount: Decimal.Decimal; readonly quantity: Units.Units } | Reply.Reply => {
  const quantity = Units.from(amount) ?? 0n
  if (!reduceOnly) return { amount, quantity }
  if (state.policy.reduceOnly === "announced") return Reply.invalid(["reduceOnly", { kind: "accepted" }])
  const most = kind === "spot" ? 0n : Positions.reducible(state, account, market.name, side)
  if (most === 0n) return notReducible
  return quoteAmount || quantity <= most ? { amount, quantity } : { amount: Units.toDecimal(most), quantity: most }
}

const isReply = (value: object): value is Reply.Reply => "_tag" in value

/** From which side an order waits for its price: by its own side, or from where the market is now. */
const conditionOf = (state: State, market: string, side: OrderSide, price: Decimal.Price): ActivationCondition => {
  const last = state.trading.get(market as never)?.lastPrice
  if (state.policy.activation === "side" || last === undefined) return activationConditionOf(side)
  return (Units.from(price) ?? 0n) > last ? "gte" : "lte"
}

// -----------------------------------------------------------------------------
// Placing
// -----------------------------------------------------------------------------

/**
 * Places a limit order: it trades with the book at once as far as its limit allows, and rests with what is left.
 *
 * @category orders
 * @since 0.1.0
 */
export const placeLimit = (work: Matching.Work, account: string, operation: Of<"PlaceLimit">): Reply.Reply => {
  const { clientOrderId, collateral, ioc = false, postOnly = false, price, reduceOnly = false, side, stp = "no" } =
    operation
  const { state } = work
  const market = state.markets.get(operation.market)
  const violations = Market.violations(market, Market.limit(operation))
  if (market === undefined || violations.length > 0) return Reply.invalid(...violations)
  if (ioc && postOnly) return Reply.invalid(["ioc", { kind: "exclusive", with: "postOnly" }])
  if (isTaken(state, account, market.name, clientOrderId)) return Reply.invalid(["clientOrderId", { kind: "unique" }])
  const kind = kindOf(market, collateral)
  const clipped = clip(state, account, market, kind, side, operation.amount, reduceOnly)
  if (isReply(clipped)) return clipped
  const { amount, quantity } = clipped
  const order: Order = {
    ...fresh(work, account, market),
    side,
    type: "limit",
    kind,
    amount,
    quantity,
    price,
    postOnly,
    ioc,
    clientOrderId,
    stp,
    reduceOnly,
    positionSide: kind === "spot" ? undefined : "BOTH",
    left: quantity
  }
  if (postOnly && Matching.wouldTake(work, order)) return Reply.refused("notMaker", ["postOnly", { kind: "maker" }])
  if (!reduceOnly && !Matching.lock(work, order, ...lockOf(market, side, kind, quantity, Units.from(price) ?? 0n))) {
    return notEnough
  }
  remember(work, order)
  Matching.execute(work, market, order)
  Matching.wake(work, market)
  return { _tag: "OrderPlaced", order }
}

/**
 * Places a market order: it trades with the book at once, within the taker band; what is left of it is canceled.
 *
 * @category orders
 * @since 0.1.0
 */
export const placeMarket = (work: Matching.Work, account: string, operation: Of<"PlaceMarket">): Reply.Reply => {
  const { clientOrderId, collateral, reduceOnly = false, side, stp = "no" } = operation
  const { state } = work
  const quoteAmount = operation.quoteAmount && side === "buy"
  const market = state.markets.get(operation.market)
  const violations = Market.violations(market, Market.market({ ...operation, quoteAmount }))
  if (market === undefined || violations.length > 0) return Reply.invalid(...violations)
  if (isTaken(state, account, market.name, clientOrderId)) return Reply.invalid(["clientOrderId", { kind: "unique" }])
  const kind = kindOf(market, collateral)
  const clipped = clip(state, account, market, kind, side, operation.amount, reduceOnly, quoteAmount)
  if (isReply(clipped)) return clipped
  const { amount, quantity } = clipped
  const order: Order = {
    ...fresh(work, account, market),
    side,
    type: quoteAmount || side === "sell" ? "market" : "stock market",
    kind,
    amount,
    quantity,
    clientOrderId,
    stp,
    reduceOnly,
    positionSide: kind === "spot" ? undefined : "BOTH",
    left: quantity
  }
  if (!reduceOnly && !Matching.lockForMarket(work, market, order)) return notEnough
  remember(work, order)
  Matching.execute(work, market, order)
  Matching.wake(work, market)
  return { _tag: "OrderPlaced", order }
}

/**
 * Places a stop-limit order, which waits for its price. What it would spend is locked.
 *
 * @category orders
 * @since 0.1.0
 */
export const placeStopLimit = (work: Matching.Work, account: string, operation: Of<"PlaceStopLimit">): Reply.Reply => {
  const { activationPrice, amount, bboRole, clientOrderId, price, side, stp = "no" } = operation
  const { state } = work
  const market = state.markets.get(operation.market)
  const violations = Market.violations(market, Market.stopLimit(operation))
  if (market === undefined || violations.length > 0) return Reply.invalid(...violations)
  if (isTaken(state, account, market.name, clientOrderId)) return Reply.invalid(["clientOrderId", { kind: "unique" }])
  const kind = kindOf(market, false)
  const quantity = Units.from(amount) ?? 0n
  const order: StopOrder = {
    ...fresh(work, account, market),
    side,
    type: "stop limit",
    kind,
    amount,
    quantity,
    price,
    stop: {
      price: activationPrice,
      condition: conditionOf(state, market.name, side, activationPrice),
      bboRole,
      activated: false
    },
    postOnly: bboRole === "queue",
    clientOrderId,
    stp,
    positionSide: kind === "spot" ? undefined : "BOTH",
    left: quantity
  }
  if (!Matching.lock(work, order, ...lockOf(market, side, kind, quantity, Units.from(price) ?? 0n))) return notEnough
  remember(work, order)
  Matching.wait(work, order)
  Matching.wake(work, market)
  return { _tag: "StopPlaced", order }
}

/**
 * Places both legs of a collateral OCO order. Its number is followed by the stop-loss's and the take-profit's. The
 * take-profit rests in the book, the stop-loss waits for its price, and what one of them does ends the other.
 *
 * @category orders
 * @since 0.1.0
 */
export const placeOco = (work: Matching.Work, account: string, operation: Of<"PlaceOco">): Reply.Reply => {
  const { activationPrice, clientOrderId, price, reduceOnly = false, side, stopLimitPrice } = operation
  const { state } = work
  const market = state.markets.get(operation.market)
  const violations = Market.violations(market, Market.collateralOco(operation))
  if (market === undefined || violations.length > 0) return Reply.invalid(...violations)
  if (isTaken(state, account, market.name, clientOrderId)) return Reply.invalid(["clientOrderId", { kind: "unique" }])
  const kind = kindOf(market, true)
  const clipped = clip(state, account, market, kind, side, operation.amount, reduceOnly)
  if (isReply(clipped)) return clipped
  const { amount, quantity } = clipped
  const id = nextId(state)
  const leg = (ahead: number) => ({
    ...fresh(work, account, market, ahead),
    side,
    kind,
    amount,
    quantity,
    clientOrderId,
    reduceOnly,
    positionSide: side === "buy" ? "LONG" as const : "SHORT" as const,
    oco: id,
    left: quantity
  })
  const stopLoss: StopOrder = {
    ...leg(2),
    type: "stop limit",
    price: stopLimitPrice,
    stop: {
      price: activationPrice,
      condition: conditionOf(state, market.name, side, activationPrice),
      bboRole: undefined,
      activated: false
    }
  }
  const takeProfit: OcoOrder["takeProfit"] = { ...leg(3), type: "limit", price }
  if (Matching.wouldTake(work, takeProfit)) return Reply.refused("notMaker", ["price", { kind: "maker" }])
  // Only one of the legs will ever trade: the dearer one's lock is enough for both.
  const dearer = Decimal.Order(price, stopLimitPrice) > 0 ? price : stopLimitPrice
  if (
    !reduceOnly && !Matching.lock(work, takeProfit, ...lockOf(market, side, kind, quantity, Units.from(dearer) ?? 0n))
  ) {
    return notEnough
  }
  const oco: OcoOrder = { id, reduceOnly, stopLoss, takeProfit }
  state.ocoOrders.set(id, oco)
  remember(work, stopLoss)
  remember(work, takeProfit)
  Matching.wait(work, stopLoss)
  Matching.execute(work, market, takeProfit)
  Matching.wake(work, market)
  return { _tag: "OcoPlaced", oco }
}

// -----------------------------------------------------------------------------
// Cancelling
// -----------------------------------------------------------------------------

/**
 * Cancels one order, by its own identifier or by the caller's.
 *
 * @category orders
 * @since 0.1.0
 */
export const cancel = (work: Matching.Work, account: string, operation: Of<"Cancel">): Reply.Reply => {
  if (!work.state.markets.has(operation.market)) return Reply.invalid(["market", { kind: "known" }])
  for (const order of work.state.openOrders.values()) {
    if (
      order.account === account && order.market === operation.market &&
      (operation.orderId === undefined
        ? operation.clientOrderId !== undefined && order.clientOrderId === operation.clientOrderId
        : order.id === operation.orderId)
    ) {
      Matching.cancel(work, order)
      return { _tag: "OrderCanceled", order }
    }
  }
  return Reply.refused("orderNotFound", ["orderId", { kind: "open" }])
}

/**
 * Cancels both legs of an OCO order.
 *
 * @category orders
 * @since 0.1.0
 */
export const cancelOco = (work: Matching.Work, account: string, operation: Of<"CancelOco">): Reply.Reply => {
  const oco = work.state.ocoOrders.get(operation.orderId)
  if (oco === undefined || oco.stopLoss.account !== account || oco.stopLoss.market !== operation.market) {
    return Reply.refused("orderNotFound", ["orderId", { kind: "open" }])
  }
  Matching.cancel(work, oco.takeProfit)
  return { _tag: "OcoCanceled", oco }
}

/**
 * Cancels the account's open orders of a market, or of all, and of the given kinds, or of all.
 *
 * @category orders
 * @since 0.1.0
 */
export const cancelAll = (work: Matching.Work, account: string, operation: Of<"CancelAll">): Reply.Reply => {
  const { market, type } = operation
  const { state } = work
  if (market !== undefined && !state.markets.has(market)) return Reply.invalid(["market", { kind: "known" }])
  for (const order of state.openOrders.values()) {
    if (
      order.account === account && (market === undefined || order.market === market) &&
      (type === undefined || type.includes(order.kind))
    ) Matching.cancel(work, order)
  }
  return Reply.done
}

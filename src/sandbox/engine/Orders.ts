/**
 * Placing and cancelling orders.
 *
 * @since 0.1.0
 */
import * as Decimal from "../../domain/Decimal.ts"
import { type ClientOrderId, OrderId } from "../../domain/Identifiers.ts"
import * as Market from "../../domain/Market.ts"
import { activationConditionOf } from "../../domain/Order.ts"
import type { Operation } from "./Command.ts"
import * as Ledger from "./Ledger.ts"
import * as Reply from "./Reply.ts"
import type { Order, State, StopOrder } from "./State.ts"
import * as Units from "./Units.ts"

type Of<Tag extends Operation["_tag"]> = Extract<Operation, { readonly _tag: Tag }>

const nextId = (state: State): OrderId => OrderId.make((++state.lastId).toString())

/** Whether an account may give this client order id to a new order. */
const isTaken = (state: State, account: string, market: string, id: ClientOrderId | undefined): boolean => {
  if (id === undefined) return false
  if (state.rules.clientOrderIds === "account") return state.clientOrderIds.get(account)?.has(id) === true
  for (const order of state.openOrders.values()) {
    if (order.account === account && order.market === market && order.clientOrderId === id) return true
  }
  return false
}

const remember = (state: State, order: Order): void => {
  state.openOrders.set(order.id, order)
  if (order.clientOrderId === undefined) return
  const used = state.clientOrderIds.get(order.account) ?? new Set()
  state.clientOrderIds.set(order.account, used.add(order.clientOrderId))
}

const trade = (account: string, locked: boolean): Ledger.Holder => ({ account, wallet: "trade", locked })

/**
 * Places a stop-limit order. What it would spend is locked: base currency for a sell, amount × price of quote currency
 * for a buy.
 *
 * @category orders
 * @since 0.1.0
 */
export const placeStopLimit = (
  state: State,
  account: string,
  operation: Of<"PlaceStopLimit">,
  at: number
): Reply.Reply => {
  const { activationPrice, amount, bboRole, clientOrderId, price, side, stp = "no" } = operation
  const market = state.markets.get(operation.market)
  const violations = Market.violations(market, Market.stopLimit(operation))
  if (market === undefined || violations.length > 0) return Reply.invalid(...violations)
  if (isTaken(state, account, market.name, clientOrderId)) return Reply.invalid(["clientOrderId", { rule: "unique" }])
  const ticker = side === "buy" ? market.money : market.stock
  const units = side === "buy" ? Units.product(amount, price) : Units.from(amount)
  if (
    units === undefined || !Ledger.transfer(state.ledger, trade(account, false), trade(account, true), ticker, units)
  ) {
    return Reply.refused("notEnoughBalance", ["amount", { rule: "balance" }])
  }
  const order: StopOrder = {
    id: nextId(state),
    account,
    market: market.name,
    side,
    type: "stop limit",
    kind: market.type === "futures" ? "futures" : "spot",
    amount,
    price,
    stop: { price: activationPrice, condition: activationConditionOf(side), bboRole, activated: false },
    clientOrderId,
    stp,
    reduceOnly: false,
    positionSide: undefined,
    placedAt: at,
    locked: { ticker, units },
    status: "NEW",
    left: amount,
    changedAt: at
  }
  remember(state, order)
  return { _tag: "OrderPlaced", order }
}

/**
 * Places both legs of a collateral OCO order. Its number is followed by the stop-loss's and the take-profit's. No
 * position can be open yet, so every reduce-only order is refused.
 *
 * @category orders
 * @since 0.1.0
 */
export const placeOco = (state: State, account: string, operation: Of<"PlaceOco">, at: number): Reply.Reply => {
  const { activationPrice, amount, clientOrderId, price, reduceOnly = false, side, stopLimitPrice } = operation
  const market = state.markets.get(operation.market)
  const violations = Market.violations(market, Market.collateralOco(operation))
  if (market === undefined || violations.length > 0) return Reply.invalid(...violations)
  if (reduceOnly && state.rules.reduceOnly === "announced") {
    return Reply.invalid(["reduceOnly", { rule: "accepted" }])
  }
  if (isTaken(state, account, market.name, clientOrderId)) return Reply.invalid(["clientOrderId", { rule: "unique" }])
  if (reduceOnly) return Reply.refused("reduceOnly", ["reduceOnly", { rule: "position" }])
  const id = nextId(state)
  const leg = <Differing extends Pick<Order, "type" | "price" | "stop">>(differing: Differing) => ({
    id: nextId(state),
    account,
    market: market.name,
    side,
    kind: market.type === "futures" ? "futures" as const : "margin" as const,
    amount,
    clientOrderId,
    stp: "no" as const,
    reduceOnly,
    positionSide: side === "buy" ? "LONG" as const : "SHORT" as const,
    placedAt: at,
    locked: undefined,
    status: "NEW" as const,
    left: amount,
    changedAt: at,
    ...differing
  })
  const stopLoss = leg({
    type: "stop limit",
    price: stopLimitPrice,
    stop: { price: activationPrice, condition: activationConditionOf(side), bboRole: undefined, activated: false }
  })
  const takeProfit = leg({ type: "limit", price, stop: undefined })
  remember(state, stopLoss)
  remember(state, takeProfit)
  return { _tag: "OcoPlaced", oco: { id, reduceOnly, stopLoss, takeProfit } }
}

const cancel = (state: State, order: Order, at: number): void => {
  state.openOrders.delete(order.id)
  order.status = Decimal.Equivalence(order.left, order.amount) ? "CANCELED" : "PARTIAL_CANCELED"
  order.changedAt = at
  if (order.locked !== undefined) {
    const { ticker, units } = order.locked
    Ledger.transfer(state.ledger, trade(order.account, true), trade(order.account, false), ticker, units)
  }
}

/**
 * Cancels the account's open orders of a market, or of all, and of the given kinds, or of all.
 *
 * @category orders
 * @since 0.1.0
 */
export const cancelAll = (state: State, account: string, operation: Of<"CancelAll">, at: number): Reply.Reply => {
  const { market, type } = operation
  if (market !== undefined && !state.markets.has(market)) return Reply.invalid(["market", { rule: "known" }])
  for (const order of state.openOrders.values()) {
    if (
      order.account === account && (market === undefined || order.market === market) &&
      (type === undefined || type.includes(order.kind))
    ) cancel(state, order, at)
  }
  return Reply.done
}

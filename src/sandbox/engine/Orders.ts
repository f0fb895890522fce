/** Places and cancels orders. */
import type * as Decimal from "../../domain/Decimal.ts"
import type { ClientOrderId, MarketName, OrderId } from "../../domain/Identifiers.ts"
import * as Market from "../../domain/Market.ts"
import { type ActivationCondition, activationConditionOf, type OrderSide } from "../../domain/Order.ts"
import * as Locks from "./Locks.ts"
import * as Matching from "./Matching.ts"
import { make, nextId, open, reduces } from "./NewOrder.ts"
import type { Operation } from "./Operation.ts"
import type { OcoOrder, Order, StopOrder, Trigger } from "./Order.ts"
import * as OrderEnd from "./OrderEnd.ts"
import type { OrderIndex, Owner } from "./OrderIndex.ts"
import * as Positions from "./Positions.ts"
import * as Prices from "./Prices.ts"
import * as Reply from "./Reply.ts"
import type { State } from "./State.ts"
import * as TakeProfitStopLoss from "./TakeProfitStopLoss.ts"
import * as Terms from "./Terms.ts"
import * as Units from "./Units.ts"
import type { Work } from "./Work.ts"

type Of<Tag extends Operation["_tag"]> = Extract<Operation, { readonly _tag: Tag }>

// -----------------------------------------------------------------------------
// Shared by all orders
// -----------------------------------------------------------------------------

/** Whether the client order id is already used by another order of the account, in the scope that the policy sets. */
const isUsed = (state: State, account: string, market: MarketName, id: ClientOrderId | undefined): boolean => {
  if (id === undefined) return false
  if (state.policy.clientOrderIds === "account") return state.clientOrderIds.get(account)?.has(id) === true
  const [found] = state.openOrders.named(account, market, id)
  return found !== undefined
}

/** The kind of an order on a market. */
export const kindOf = (market: Market.Market, collateral: boolean): Order["kind"] =>
  market.type === "futures" ? "futures" : collateral ? "margin" : "spot"

/** The side of the position that an order of this side opens or increases. */
const opens = { buy: "LONG", sell: "SHORT" } as const

/** The wallet lacks the funds that an order needs. */
export const notEnoughBalance = Reply.refused("notEnoughBalance", ["amount", { kind: "balance" }])

/** The account may not place orders of this kind. */
export const notPermitted = Reply.refused("notPermitted")

/**
 * Whether an account may place orders of this kind. Only sub-accounts are restricted; positions count as collateral.
 */
export const isPermitted = ({ subAccounts }: State, account: string, kind: Order["kind"]): boolean =>
  subAccounts.get(account)?.[kind === "spot" ? "spotEnabled" : "collateralEnabled"] !== false

const nothingToReduce = Reply.refused("reduceOnly", ["reduceOnly", { kind: "position" }])

/** The size of an order, as a value and as text. */
export interface Size {
  readonly amount: Decimal.Decimal
  readonly quantity: Units.Units
}

/**
 * Caps a reduce-only order at the position that it reduces. Refuses it if there is no such position, as on spot
 * markets, or if the policy does not accept reduce-only orders. An amount in quote currency stays as it is.
 */
export const capToPosition = (
  state: State,
  account: string,
  market: Market.Market,
  kind: Order["kind"],
  side: OrderSide,
  asked: Size,
  reduceOnly: boolean,
  quoteAmount = false
): Size | Reply.Reply => {
  if (!reduceOnly) return asked
  if (state.policy.reduceOnly === "announced") return Reply.invalid(["reduceOnly", { kind: "accepted" }])
  const most = kind === "spot" ? 0n : Positions.reducible(state, account, market.name, side)
  if (most === 0n) return nothingToReduce
  return quoteAmount || asked.quantity <= most ? asked : { amount: Units.toDecimal(most), quantity: most }
}

/** Locks the funds that an order needs at this price. Returns `false` if the wallet holds less. */
const lock = (work: Work, market: Market.Market, order: Order, price: Units.Units): boolean =>
  Locks.lock(work, order, Locks.requirementOf(market, order, Units.times(order.quantity, price)))

/** Whether a value is a reply, which here always refuses an order. */
export const isReply = (value: object | undefined): value is Reply.Reply => value !== undefined && "_tag" in value

/**
 * The condition of a trigger. Depending on the policy, the side of the order decides it, or the current price of the
 * market.
 */
export const conditionOf = (
  state: State,
  market: MarketName,
  side: OrderSide,
  price: Units.Units
): ActivationCondition => {
  const last = state.trading.get(market)?.lastPrice
  if (state.policy.activation === "side" || last === undefined) return activationConditionOf(side)
  return price > last ? "gte" : "lte"
}

/** Whether an activation price equals the last price, so that no side to reach it from is known. */
export const isAtLastPrice = ({ policy, trading }: State, market: MarketName, price: Units.Units): boolean =>
  policy.activation === "last-price" && trading.get(market)?.lastPrice === price

/** The activation price equals the last price, so that no side to reach it from is known. */
export const atLastPrice = Reply.invalid(["activationPrice", { kind: "notLastPrice" }])

// -----------------------------------------------------------------------------
// Placing
// -----------------------------------------------------------------------------

/** Places a limit order like {@link placeLimit}, but does not trigger stop orders. */
export const enterLimit = (work: Work, account: string, operation: Of<"PlaceLimit">): Reply.Reply => {
  const { clientOrderId, collateral, ioc = false, postOnly = false, reduceOnly = false, side, stp = "no" } = operation
  const { state } = work
  const market = state.markets.get(operation.market)
  const quantity = Units.from(operation.amount) ?? 0n
  const price = Units.from(operation.price) ?? 0n
  const total = Units.times(quantity, price)
  if (market === undefined || TakeProfitStopLoss.isAsked(operation) || !Terms.fit(market, operation, quantity, total)) {
    const violations = Market.violations(market, Market.limit(operation))
    if (market === undefined || violations.length > 0) return Reply.invalid(...violations)
  }
  if (ioc && postOnly) return Reply.invalid(["ioc", { kind: "exclusive", with: "postOnly" }])
  if (isUsed(state, account, market.name, clientOrderId)) return Reply.invalid(["clientOrderId", { kind: "unique" }])
  const kind = kindOf(market, collateral)
  if (!isPermitted(state, account, kind)) return notPermitted
  const oto = TakeProfitStopLoss.of(state, kind, operation, price)
  if (isReply(oto)) return oto
  const size = capToPosition(state, account, market, kind, side, { amount: operation.amount, quantity }, reduceOnly)
  if (isReply(size)) return size
  const order = make(work, account, {
    market: market.name,
    side,
    type: "limit",
    kind,
    amount: size.amount,
    quantity: size.quantity,
    price: operation.price,
    stop: undefined,
    postOnly,
    ioc,
    clientOrderId,
    stp,
    reduceOnly,
    oto
  }, oto === undefined ? 1 : 2)
  if (postOnly && Matching.wouldTake(work, order, price)) {
    return Reply.refused("notMaker", ["postOnly", { kind: "maker" }])
  }
  if (!reduceOnly && !Matching.lockForLimit(work, market, order, price, total)) return notEnoughBalance
  open(work, order)
  Matching.execute(work, market, order, price)
  return { _tag: "OrderPlaced", order }
}

/** Places a limit order. It trades with the book as far as its limit allows; the rest of it stays in the book. */
export const placeLimit = (work: Work, account: string, operation: Of<"PlaceLimit">): Reply.Reply => {
  const reply = enterLimit(work, account, operation)
  const market = work.state.markets.get(operation.market)
  if (reply._tag === "OrderPlaced" && market !== undefined) Prices.triggerStopOrders(work, market)
  return reply
}

/** Places a market order. It trades with the book within the taker band; the rest of it is canceled. */
export const placeMarket = (work: Work, account: string, operation: Of<"PlaceMarket">): Reply.Reply => {
  const { clientOrderId, collateral, reduceOnly = false, side, stp = "no" } = operation
  const { state } = work
  const quoteAmount = operation.quoteAmount && side === "buy"
  const market = state.markets.get(operation.market)
  const violations = Market.violations(market, Market.market({ ...operation, quoteAmount }))
  if (market === undefined || violations.length > 0) return Reply.invalid(...violations)
  if (isUsed(state, account, market.name, clientOrderId)) return Reply.invalid(["clientOrderId", { kind: "unique" }])
  const kind = kindOf(market, collateral)
  if (!isPermitted(state, account, kind)) return notPermitted
  const oto = TakeProfitStopLoss.of(state, kind, operation, state.trading.get(market.name)?.lastPrice)
  if (isReply(oto)) return oto
  const asked = { amount: operation.amount, quantity: Units.from(operation.amount) ?? 0n }
  const size = capToPosition(state, account, market, kind, side, asked, reduceOnly, quoteAmount)
  if (isReply(size)) return size
  const order = make(work, account, {
    market: market.name,
    side,
    type: quoteAmount || side === "sell" ? "market" : "stock market",
    kind,
    amount: size.amount,
    quantity: size.quantity,
    price: undefined,
    stop: undefined,
    clientOrderId,
    stp,
    reduceOnly,
    oto
  }, oto === undefined ? 1 : 2)
  if (!reduceOnly && !Matching.lockForMarket(work, market, order)) return notEnoughBalance
  open(work, order)
  Matching.execute(work, market, order, undefined)
  Prices.triggerStopOrders(work, market)
  return { _tag: "OrderPlaced", order }
}

/** Adds a stop order, and triggers it if the price is already there. */
export const wait = (work: Work, market: Market.Market, order: StopOrder): Reply.Reply => {
  open(work, order)
  Prices.addStopOrder(work, order)
  Prices.triggerStopOrders(work, market)
  return { _tag: "StopPlaced", order }
}

/** Places a stop-limit order and locks its cost. Once triggered, it is a limit order. */
export const placeStopLimit = (work: Work, account: string, operation: Of<"PlaceStopLimit">): Reply.Reply => {
  const { activationPrice, amount, bboRole, clientOrderId, side, stp = "no" } = operation
  const { collateral = false, reduceOnly = false } = operation
  const { state } = work
  const market = state.markets.get(operation.market)
  const quantity = Units.from(amount) ?? 0n
  const price = Units.from(operation.price) ?? 0n
  const trigger = Units.from(activationPrice) ?? 0n
  const total = Units.times(quantity, price)
  if (
    market === undefined || TakeProfitStopLoss.isAsked(operation) ||
    !Terms.fit(market, { collateral, amount, price: operation.price, activationPrice }, quantity, total)
  ) {
    const violations = Market.violations(market, Market.stopLimit(operation))
    if (market === undefined || violations.length > 0) return Reply.invalid(...violations)
  }
  if (isAtLastPrice(state, market.name, trigger)) return atLastPrice
  if (isUsed(state, account, market.name, clientOrderId)) return Reply.invalid(["clientOrderId", { kind: "unique" }])
  const kind = kindOf(market, collateral)
  if (!isPermitted(state, account, kind)) return notPermitted
  const oto = TakeProfitStopLoss.of(state, kind, operation, price)
  if (isReply(oto)) return oto
  const size = capToPosition(state, account, market, kind, side, { amount, quantity }, reduceOnly)
  if (isReply(size)) return size
  const order = make(work, account, {
    market: market.name,
    side,
    type: "stop limit",
    kind,
    amount: size.amount,
    quantity: size.quantity,
    price: operation.price,
    stop: {
      price: activationPrice,
      condition: conditionOf(state, market.name, side, trigger),
      bboRole,
      activated: false
    },
    postOnly: bboRole === "queue",
    clientOrderId,
    stp,
    reduceOnly,
    oto
  }, oto === undefined ? 1 : 2)
  if (!reduceOnly && !Locks.lock(work, order, Locks.requirementOf(market, order, total))) return notEnoughBalance
  return wait(work, market, order)
}

/**
 * Places a stop-market order and locks the total that it would spend, or on a position the margin at its activation
 * price. Once triggered, it is a market order. A spot order needs a spot market.
 */
export const placeStopMarket = (work: Work, account: string, operation: Of<"PlaceStopMarket">): Reply.Reply => {
  const { activationPrice, clientOrderId, collateral, reduceOnly = false, side, stp = "no" } = operation
  const { state } = work
  const market = state.markets.get(operation.market)
  const quoteAmount = !collateral && side === "buy"
  const violations = Market.violations(market, Market.stopMarket({ ...operation, quoteAmount }))
  if (market === undefined || violations.length > 0) return Reply.invalid(...violations)
  const kind = kindOf(market, collateral)
  if (!collateral && kind !== "spot") return Reply.invalid(["market", { kind: "known" }])
  const trigger = Units.from(activationPrice) ?? 0n
  if (isAtLastPrice(state, market.name, trigger)) return atLastPrice
  if (isUsed(state, account, market.name, clientOrderId)) return Reply.invalid(["clientOrderId", { kind: "unique" }])
  if (!isPermitted(state, account, kind)) return notPermitted
  const oto = TakeProfitStopLoss.of(state, kind, operation, trigger)
  if (isReply(oto)) return oto
  const asked = { amount: operation.amount, quantity: Units.from(operation.amount) ?? 0n }
  const size = capToPosition(state, account, market, kind, side, asked, reduceOnly)
  if (isReply(size)) return size
  const order = make(work, account, {
    market: market.name,
    side,
    type: "stop market",
    kind,
    amount: size.amount,
    quantity: size.quantity,
    price: undefined,
    stop: {
      price: activationPrice,
      condition: conditionOf(state, market.name, side, trigger),
      bboRole: undefined,
      activated: false
    },
    clientOrderId,
    stp,
    reduceOnly,
    oto
  }, oto === undefined ? 1 : 2)
  const total = quoteAmount ? order.quantity : Units.times(order.quantity, trigger)
  if (!reduceOnly && !Locks.lock(work, order, Locks.requirementOf(market, order, total))) return notEnoughBalance
  return wait(work, market, order)
}

/**
 * Places both legs of a collateral OCO order. The take-profit rests in the book; the stop-loss waits for its activation
 * price. When one leg trades, is triggered or ends, the other is canceled. The pair, the stop-loss and the take-profit
 * have consecutive identifiers.
 */
export const placeOco = (work: Work, account: string, operation: Of<"PlaceOco">): Reply.Reply => {
  const { activationPrice, clientOrderId, price, reduceOnly = false, side, stopLimitPrice, stp = "no" } = operation
  const { state } = work
  const market = state.markets.get(operation.market)
  const violations = Market.violations(market, Market.collateralOco(operation))
  if (market === undefined || violations.length > 0) return Reply.invalid(...violations)
  const trigger = Units.from(activationPrice) ?? 0n
  if (isAtLastPrice(state, market.name, trigger)) return atLastPrice
  if (isUsed(state, account, market.name, clientOrderId)) return Reply.invalid(["clientOrderId", { kind: "unique" }])
  const kind = kindOf(market, true)
  if (!isPermitted(state, account, kind)) return notPermitted
  const asked = { amount: operation.amount, quantity: Units.from(operation.amount) ?? 0n }
  const size = capToPosition(state, account, market, kind, side, asked, reduceOnly)
  if (isReply(size)) return size
  const id = nextId(state)
  const positionSide = (reduceOnly ? reduces : opens)[side]
  const leg = {
    market: market.name,
    side,
    kind,
    amount: size.amount,
    quantity: size.quantity,
    clientOrderId,
    stp,
    reduceOnly,
    positionSide,
    oco: id
  }
  const stop: Trigger = {
    price: activationPrice,
    condition: conditionOf(state, market.name, side, trigger),
    bboRole: undefined,
    activated: false
  }
  const stopLoss = make(work, account, { ...leg, type: "stop limit", price: stopLimitPrice, stop }, 2)
  const takeProfit = make(work, account, { ...leg, type: "limit", price, stop: undefined }, 3)
  const limit = Units.from(price) ?? 0n
  if (Matching.wouldTake(work, takeProfit, limit)) return Reply.refused("notMaker", ["price", { kind: "maker" }])
  // Only one leg ever trades, so the larger lock covers both.
  const stopLimit = Units.from(stopLimitPrice) ?? 0n
  const dearer = limit > stopLimit ? limit : stopLimit
  if (!reduceOnly && !lock(work, market, takeProfit, dearer)) return notEnoughBalance
  stopLoss.closing = takeProfit.closing
  const oco: OcoOrder = { id, reduceOnly, stopLoss, takeProfit }
  state.ocoOrders.add(oco)
  open(work, stopLoss)
  open(work, takeProfit)
  Prices.addStopOrder(work, stopLoss)
  Matching.execute(work, market, takeProfit, limit)
  Prices.triggerStopOrders(work, market)
  return { _tag: "OcoPlaced", oco }
}

// -----------------------------------------------------------------------------
// Canceling
// -----------------------------------------------------------------------------

/**
 * Finds an item of an account on a market by the exchange's identifier or, if none is given, by the client order id.
 */
export const find = <A extends { readonly id: OrderId }>(
  owned: OrderIndex<A>,
  ownerOf: (item: A) => Owner,
  account: string,
  { clientOrderId, market, orderId }: Pick<Of<"Cancel">, "clientOrderId" | "market" | "orderId">
): A | undefined => {
  if (orderId === undefined) {
    const [oldest] = clientOrderId === undefined ? [] : owned.named(account, market, clientOrderId)
    return oldest
  }
  const found = owned.get(orderId)
  if (found === undefined) return undefined
  const owner = ownerOf(found)
  return owner.account === account && owner.market === market ? found : undefined
}

/** The account has no such open order. */
export const notFound = Reply.refused("orderNotFound", ["orderId", { kind: "open" }])

/** Cancels one order, named by the exchange's identifier or by the client order id. */
export const cancel = (work: Work, account: string, operation: Of<"Cancel">): Reply.Reply => {
  if (!work.state.markets.has(operation.market)) return Reply.invalid(["market", { kind: "known" }])
  const order = find(work.state.openOrders, (order) => order, account, operation)
  if (order === undefined) return notFound
  OrderEnd.cancel(work, order)
  return { _tag: "OrderCanceled", order }
}

/** Cancels both legs of an OCO order. */
export const cancelOco = (work: Work, account: string, operation: Of<"CancelOco">): Reply.Reply => {
  const oco = find(work.state.ocoOrders, ({ stopLoss }) => stopLoss, account, operation)
  if (oco === undefined) return notFound
  OrderEnd.cancel(work, oco.takeProfit)
  return { _tag: "OcoCanceled", oco }
}

/** Finds an open order with an exit on this market. */
const findOto = ({ otoOrders }: State, account: string, market: MarketName, orderId: OrderId): Order | undefined =>
  find(otoOrders, ({ order }) => order, account, { market, orderId })?.order

/** Cancels an order that has not placed its exit yet. The part that has traded gets no exit. */
export const cancelOto = (work: Work, account: string, { market, otoId }: Of<"CancelOto">): Reply.Reply => {
  if (!work.state.markets.has(market)) return Reply.invalid(["market", { kind: "known" }])
  const order = findOto(work.state, account, market, otoId)
  if (order === undefined) return Reply.refused("orderNotFound", ["otoId", { kind: "open" }])
  OrderEnd.cancel(work, order)
  return Reply.done
}

/** Cancels both legs of an OCO order, or an order that has not placed its exit yet. */
export const cancelConditional = (
  work: Work,
  account: string,
  { id, market }: Of<"CancelConditional">
): Reply.Reply => {
  const { state } = work
  if (!state.markets.has(market)) return Reply.invalid(["market", { kind: "known" }])
  const oco = find(state.ocoOrders, ({ stopLoss }) => stopLoss, account, { market, orderId: id })
  const order = oco?.takeProfit ?? findOto(state, account, market, id)
  if (order === undefined) return Reply.refused("orderNotFound", ["id", { kind: "open" }])
  OrderEnd.cancel(work, order)
  return Reply.done
}

/** Cancels open orders of the account: all, those of one market, or those of some kinds. */
export const cancelAll = (work: Work, account: string, operation: Of<"CancelAll">): Reply.Reply => {
  const { market, positionSide } = operation
  const { state } = work
  if (market !== undefined && !state.markets.has(market)) return Reply.invalid(["market", { kind: "known" }])
  if (positionSide !== undefined && (market === undefined || state.markets.get(market)?.type !== "futures")) {
    return Reply.invalid(["positionSide", { kind: "known" }])
  }
  cancelOpen(work, account, operation)
  return Reply.done
}

/** Cancels open orders of an account, on all markets or one, of all kinds or some, oldest first. */
export const cancelOpen = (
  work: Work,
  account: string,
  { market, positionSide, type }: Pick<Of<"CancelAll">, "market" | "positionSide" | "type">
): void => {
  for (const order of [...work.state.openOrders.latest(account, market)].toReversed()) {
    if (
      (type === undefined || type.includes(order.kind)) &&
      (positionSide === undefined || order.positionSide === positionSide)
    ) OrderEnd.cancel(work, order)
  }
}

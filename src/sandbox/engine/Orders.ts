/** Places limit, market, stop and OCO orders. */
import { type Decimal, Price } from "../../domain/Decimal.ts"
import type { ClientOrderId, MarketName } from "../../domain/Identifiers.ts"
import * as Market from "../../domain/Market.ts"
import { type ActivationCondition, activationConditionOf, type OrderSide } from "../../domain/Order.ts"
import * as Book from "./Book.ts"
import * as Locks from "./Locks.ts"
import * as Matching from "./Matching.ts"
import * as Modes from "./Modes.ts"
import { make, nextId, open } from "./NewOrder.ts"
import type { Operation, PlaceLimit } from "./Operation.ts"
import { isMakerOnly, type OcoOrder, type Order, type StopOrder, type Trigger } from "./Order.ts"
import * as Positions from "./Positions.ts"
import * as PriceBands from "./PriceBands.ts"
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

/**
 * Whether another order of the account already uses the client order id. Depending on the policy, all orders that the
 * account has ever placed count, or only its open orders on the market.
 */
const isUsed = (state: State, account: string, market: MarketName, id: ClientOrderId | undefined): boolean => {
  if (id === undefined) return false
  if (state.policy.clientOrderIds === "account") return state.clientOrderIds.get(account)?.has(id) === true
  const [found] = state.openOrders.named(account, market, id)
  return found !== undefined
}

/** The kind of an order, as determined by its market and, on a spot market, by `collateral`. */
export const kindOf = (market: Market.Market, collateral: boolean): Order["kind"] =>
  market.type === "futures" ? "futures" : collateral ? "margin" : "spot"

/** The refusal if the wallet lacks the funds that an order needs. */
export const notEnoughBalance = Reply.refused("notEnoughBalance", ["amount", { kind: "balance" }])

/** The refusal if the account is not allowed to place orders of this kind. */
export const notPermitted = Reply.refused("notPermitted")

/**
 * Whether an account may place orders of this kind. Only sub-accounts are restricted. Orders that affect positions
 * require the permission to trade on margin.
 */
export const isPermitted = ({ subAccounts }: State, account: string, kind: Order["kind"]): boolean =>
  subAccounts.get(account)?.[kind === "spot" ? "spotEnabled" : "collateralEnabled"] !== false

const nothingToReduce = Reply.refused("reduceOnly", ["reduceOnly", { kind: "position" }])

/** The size of an order, as a decimal and as an exact quantity. */
export interface Size {
  readonly amount: Decimal
  readonly quantity: Units.Units
}

/**
 * Caps a reduce-only order at the position that it reduces. Refuses the order if there is no such position, as for spot
 * orders, or if the policy does not accept reduce-only orders. An amount in quote currency stays unchanged.
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
  const most = kind === "spot" ? 0n : Positions.reducible(state, { account, market: market.name, side, reduceOnly })
  if (most === 0n) return nothingToReduce
  return quoteAmount || asked.quantity <= most ? asked : { amount: Units.toDecimal(most), quantity: most }
}

/**
 * Locks the funds that an order of this value needs. Returns a refusal if the wallet's balance is too low, or if the
 * order would open a larger position than the market allows.
 */
const lock = (work: Work, market: Market.Market, order: Order, total: Units.Units): Reply.Reply | undefined => {
  if (order.reduceOnly) return undefined
  const refusal = refusalOf(work, market, order, total)
  if (refusal !== undefined) return refusal
  return Locks.lock(work, order, Locks.requirementOf(work.state, market, order, total)) ? undefined : notEnoughBalance
}

/**
 * The refusal if the venue's policy or the market's brackets don't allow an order that affects a position. `total` is
 * the order's value, in units of the quote currency; `replaced` is the order that `order` is about to replace.
 */
export const refusalOf = (
  { state }: Work,
  market: Market.Market,
  order: Order,
  total: Units.Units,
  quantity: Units.Units = order.quantity,
  replaced?: Order
): Reply.Reply | undefined =>
  order.kind === "spot" || order.reduceOnly
    ? undefined
    : Modes.refusalOf(state, market, order, quantity, total, replaced)

/** Whether a value is a reply, which in this file is always a refusal. */
export const isReply = (value: object | undefined): value is Reply.Reply => value !== undefined && "_tag" in value

/**
 * The condition of a stop order's trigger. The policy determines whether the condition depends on the order's side or
 * on the market's last price.
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

/**
 * Whether an activation price equals the last price on a venue whose policy derives the condition from the last price.
 * It is then unknown whether the price must rise or fall to trigger the order.
 */
export const isAtLastPrice = ({ policy, trading }: State, market: MarketName, price: Units.Units): boolean =>
  policy.activation === "last-price" && trading.get(market)?.lastPrice === price

/**
 * Whether a stop-loss waits for a better price than the last price: a higher price for a sell, a lower price for a buy.
 * Always `false` on a venue whose policy does not derive the condition from the last price.
 */
const isOnWrongSide = (state: State, market: MarketName, side: OrderSide, price: Units.Units): boolean =>
  state.policy.activation === "last-price" && conditionOf(state, market, side, price) !== activationConditionOf(side)

/** The refusal if the activation price equals the last price; see {@link isAtLastPrice}. */
export const atLastPrice = Reply.invalid(["activationPrice", { kind: "notLastPrice" }])

// -----------------------------------------------------------------------------
// Placing
// -----------------------------------------------------------------------------

/** The order flags for which an account needs permission from the venue's owner. */
const admissions = ["rpi", "retail"] as const

/** A limit order whose limit price is known. */
interface Priced extends PlaceLimit {
  readonly price: Price
}

const isPriced = (operation: PlaceLimit): operation is Priced =>
  operation.price !== undefined && operation.bboRole === undefined

/**
 * A limit order whose limit price is the best price on the side of the book that its `bboRole` selects; `undefined` if
 * that side is empty.
 */
const atBest = ({ trading }: State, operation: PlaceLimit): Priced | undefined => {
  const { bboRole, side } = operation
  if (bboRole === undefined) return undefined
  const book = trading.get(operation.market)?.book
  const best = book && Book.best(book, bboRole === "queue" ? side : Matching.opposite[side])
  return best === undefined ? undefined : { ...operation, price: Price.make(Units.toDecimal(best)) }
}

/**
 * The refusal of an order without a limit price. An order needs a limit price or, with `bboRole`, a best price on the
 * selected side of the book.
 */
const withoutPrice = (market: Market.Market | undefined, { bboRole }: PlaceLimit): Reply.Reply => {
  if (market === undefined) return Reply.invalid(["market", { kind: "known" }])
  return bboRole === undefined
    ? Reply.invalid(["price", { kind: "required" }])
    : Reply.refused("noQuote", ["bboRole", { kind: "quoted" }])
}

/** Places a limit order like {@link placeLimit}, but does not trigger stop orders. */
export const enterLimit = (work: Work, account: string, asked: Of<"PlaceLimit">): Reply.Reply => {
  const { state } = work
  const market = state.markets.get(asked.market)
  const operation = isPriced(asked) ? asked : atBest(state, asked)
  if (operation === undefined) return withoutPrice(market, asked)
  const { bboRole, clientOrderId, collateral, ioc = false, side, stp = "no" } = operation
  const { retail = false, rpi = false } = operation
  const postOnly = operation.postOnly === true || bboRole === "queue"
  const quantity = Units.from(operation.amount) ?? 0n
  const price = Units.from(operation.price) ?? 0n
  const total = Units.times(quantity, price)
  if (market === undefined || TakeProfitStopLoss.isAsked(operation) || !Terms.fit(market, operation, quantity, total)) {
    const violations = Market.violations(market, Market.limit(operation))
    if (market === undefined || violations.length > 0) return Reply.invalid(...violations)
  }
  const far = PriceBands.violations(state, account, market, operation)
  if (far.length > 0) return Reply.invalid(...far)
  if (ioc && (postOnly || rpi)) return Reply.invalid(["ioc", { kind: "exclusive", with: rpi ? "rpi" : "postOnly" }])
  if (isUsed(state, account, market.name, clientOrderId)) return Reply.invalid(["clientOrderId", { kind: "unique" }])
  const notAdmitted = admissions.filter((flag) =>
    operation[flag] === true && state.accounts.get(account)?.[flag] !== true
  )
  if (notAdmitted.length > 0) return Reply.invalid(...notAdmitted.map((flag) => [flag, { kind: "admitted" }] as const))
  const kind = kindOf(market, collateral)
  if (!isPermitted(state, account, kind)) return notPermitted
  const reduceOnly = kind === "spot"
    ? operation.reduceOnly === true
    : Modes.isReduceOnly(state, account, kind, operation)
  if (typeof reduceOnly === "object") return reduceOnly
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
    rpi,
    retail,
    clientOrderId,
    stp,
    reduceOnly,
    oto
  }, oto === undefined ? 1 : 2)
  if (isMakerOnly(order) && Matching.wouldTake(work, order, price)) {
    return Reply.refused("notMaker", [rpi ? "rpi" : "postOnly", { kind: "maker" }])
  }
  const refusal = kind === "spot" ? undefined : refusalOf(work, market, order, total)
  if (refusal !== undefined) return refusal
  if (!reduceOnly && !Matching.lockForLimit(work, market, order, price, total)) return notEnoughBalance
  open(work, order)
  Matching.execute(work, market, order, price)
  return { _tag: "OrderPlaced", order }
}

/**
 * Places a limit order. The order trades against the book up to its limit price; the rest stays in the book or, with
 * `ioc`, is canceled.
 */
export const placeLimit = (work: Work, account: string, operation: Of<"PlaceLimit">): Reply.Reply => {
  const reply = enterLimit(work, account, operation)
  const market = work.state.markets.get(operation.market)
  if (reply._tag === "OrderPlaced" && market !== undefined) Prices.triggerStopOrders(work, market)
  return reply
}

/** Places a market order. The order trades against the book within the taker band; the rest is canceled. */
export const placeMarket = (work: Work, account: string, operation: Of<"PlaceMarket">): Reply.Reply => {
  const { clientOrderId, collateral, side, stp = "no" } = operation
  const { state } = work
  const quoteAmount = operation.quoteAmount && side === "buy"
  const market = state.markets.get(operation.market)
  const violations = Market.violations(market, Market.market({ ...operation, quoteAmount }))
  if (market === undefined || violations.length > 0) return Reply.invalid(...violations)
  if (isUsed(state, account, market.name, clientOrderId)) return Reply.invalid(["clientOrderId", { kind: "unique" }])
  const kind = kindOf(market, collateral)
  if (!isPermitted(state, account, kind)) return notPermitted
  const reduceOnly = Modes.isReduceOnly(state, account, kind, operation)
  if (typeof reduceOnly === "object") return reduceOnly
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
  const last = state.trading.get(market.name)?.lastPrice ?? 0n
  const refusal = quoteAmount
    ? refusalOf(work, market, order, order.quantity, last === 0n ? 0n : Units.over(order.quantity, last))
    : refusalOf(work, market, order, Units.times(order.quantity, last))
  if (refusal !== undefined) return refusal
  if (!reduceOnly && !Matching.lockForMarket(work, market, order)) return notEnoughBalance
  open(work, order)
  Matching.execute(work, market, order, undefined)
  Prices.triggerStopOrders(work, market)
  return { _tag: "OrderPlaced", order }
}

/** Adds a stop order, and triggers it if the price has already reached its activation price. */
export const wait = (work: Work, market: Market.Market, order: StopOrder): Reply.Reply => {
  open(work, order)
  Prices.addStopOrder(work, order)
  Prices.triggerStopOrders(work, market)
  return { _tag: "StopPlaced", order }
}

/** Places a stop-limit order and locks its funds. When triggered, the order becomes a limit order. */
export const placeStopLimit = (work: Work, account: string, operation: Of<"PlaceStopLimit">): Reply.Reply => {
  const { activationPrice, amount, bboRole, clientOrderId, side, stp = "no" } = operation
  const { collateral = false } = operation
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
  const limit = bboRole === undefined ? { price: operation.price } : {}
  const far = PriceBands.violations(state, account, market, { activationPrice, ...limit })
  if (far.length > 0) return Reply.invalid(...far)
  if (isAtLastPrice(state, market.name, trigger)) return atLastPrice
  if (isUsed(state, account, market.name, clientOrderId)) return Reply.invalid(["clientOrderId", { kind: "unique" }])
  const kind = kindOf(market, collateral)
  if (!isPermitted(state, account, kind)) return notPermitted
  const reduceOnly = Modes.isReduceOnly(state, account, kind, operation)
  if (typeof reduceOnly === "object") return reduceOnly
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
  return lock(work, market, order, total) ?? wait(work, market, order)
}

/**
 * Places a stop-market order and locks its funds: for a spot order, the amount that it would spend or sell; for any
 * other order, the margin at its activation price. When triggered, the order becomes a market order. On a futures
 * market, an order without `collateral` is refused.
 */
export const placeStopMarket = (work: Work, account: string, operation: Of<"PlaceStopMarket">): Reply.Reply => {
  const { activationPrice, clientOrderId, collateral, side, stp = "no" } = operation
  const { state } = work
  const market = state.markets.get(operation.market)
  const quoteAmount = !collateral && side === "buy"
  const violations = Market.violations(market, Market.stopMarket({ ...operation, quoteAmount }))
  if (market === undefined || violations.length > 0) return Reply.invalid(...violations)
  const far = PriceBands.violations(state, account, market, operation)
  if (far.length > 0) return Reply.invalid(...far)
  const kind = kindOf(market, collateral)
  if (!collateral && kind !== "spot") return Reply.invalid(["market", { kind: "known" }])
  const trigger = Units.from(activationPrice) ?? 0n
  if (isAtLastPrice(state, market.name, trigger)) return atLastPrice
  if (isUsed(state, account, market.name, clientOrderId)) return Reply.invalid(["clientOrderId", { kind: "unique" }])
  if (!isPermitted(state, account, kind)) return notPermitted
  const reduceOnly = Modes.isReduceOnly(state, account, kind, operation)
  if (typeof reduceOnly === "object") return reduceOnly
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
  return lock(work, market, order, total) ?? wait(work, market, order)
}

/**
 * Places both legs of a collateral OCO order. The take-profit rests in the book; the stop-loss waits for its activation
 * price. When one leg trades, is triggered or closes, the other is canceled. The pair, the stop-loss and the
 * take-profit have consecutive identifiers.
 */
export const placeOco = (work: Work, account: string, operation: Of<"PlaceOco">): Reply.Reply => {
  const { activationPrice, clientOrderId, price, side, stopLimitPrice, stp = "no" } = operation
  const { state } = work
  const market = state.markets.get(operation.market)
  const violations = Market.violations(market, Market.collateralOco(operation))
  if (market === undefined || violations.length > 0) return Reply.invalid(...violations)
  const far = PriceBands.violations(state, account, market, operation)
  if (far.length > 0) return Reply.invalid(...far)
  const trigger = Units.from(activationPrice) ?? 0n
  if (isAtLastPrice(state, market.name, trigger)) return atLastPrice
  if (isUsed(state, account, market.name, clientOrderId)) return Reply.invalid(["clientOrderId", { kind: "unique" }])
  const kind = kindOf(market, true)
  if (!isPermitted(state, account, kind)) return notPermitted
  const reduceOnly = Modes.isReduceOnly(state, account, kind, operation)
  if (typeof reduceOnly === "object") return reduceOnly
  const asked = { amount: operation.amount, quantity: Units.from(operation.amount) ?? 0n }
  const size = capToPosition(state, account, market, kind, side, asked, reduceOnly)
  if (isReply(size)) return size
  const id = nextId(state)
  const leg = {
    market: market.name,
    side,
    kind,
    amount: size.amount,
    quantity: size.quantity,
    clientOrderId,
    stp,
    reduceOnly,
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
  if (isOnWrongSide(state, market.name, side, trigger)) {
    return Reply.refused("wrongStopLoss", ["activationPrice", { kind: "exitSide" }])
  }
  if (Matching.wouldTake(work, takeProfit, limit)) return Reply.refused("notMaker", ["price", { kind: "maker" }])
  // Only one of the legs ever trades, so the lock for the leg that needs more funds covers both.
  const stopLimit = Units.from(stopLimitPrice) ?? 0n
  const dearer = limit > stopLimit ? limit : stopLimit
  const refusal = lock(work, market, takeProfit, Units.times(size.quantity, dearer))
  if (refusal !== undefined) return refusal
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

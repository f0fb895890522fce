/** Modifies open orders. */
import * as Market from "../../domain/Market.ts"
import * as Cancellation from "./Cancellation.ts"
import * as Locks from "./Locks.ts"
import * as Matching from "./Matching.ts"
import * as NewOrder from "./NewOrder.ts"
import type { Modify } from "./Operation.ts"
import { isMakerOnly, isQuoteAmount, type Lock, type Order, type StopOrder, type Trigger } from "./Order.ts"
import * as OrderEnd from "./OrderEnd.ts"
import * as Orders from "./Orders.ts"
import * as PriceBands from "./PriceBands.ts"
import * as Prices from "./Prices.ts"
import * as Reply from "./Reply.ts"
import type { State } from "./State.ts"
import * as Units from "./Units.ts"
import type { Work } from "./Work.ts"

/** Whether an order waits for its activation price. */
const isWaiting = (order: Order): order is StopOrder => order.stop?.activated === false

/** The requested changes that can't be applied to this order, as violations. */
const inapplicable = (order: Order, changes: Modify): Reply.Violations => {
  if (order.oco !== undefined || order.oto !== undefined) return [["orderId", { kind: "modifiable" }]]
  const isQuote = isQuoteAmount(order)
  const wrong: ReadonlyArray<readonly [field: "activationPrice" | "price" | "total" | "amount", isWrong: boolean]> = [
    ["activationPrice", !isWaiting(order)],
    ["price", order.price === undefined],
    ["total", !isQuote],
    ["amount", isQuote]
  ]
  return wrong.flatMap(([field, isWrong]) =>
    isWrong && changes[field] !== undefined ? [[field, { kind: "inapplicable" }] as const] : []
  )
}

/**
 * The market bounds that the changed order would violate. For a reduce-only order, only the changed fields are checked,
 * because the rest of the order may be below the minimum.
 */
const outOfBounds = (market: Market.Market, order: Order, changes: Modify): Reply.Violations => {
  const { activationPrice, amount, price, total } = changes
  const kept = order.reduceOnly ? {} : {
    ...(amount === undefined && price !== undefined && !isQuoteAmount(order) ? { amount: order.amount } : {}),
    ...(price === undefined && amount !== undefined && order.price !== undefined ? { price: order.price } : {})
  }
  return Market.violations(
    market,
    Market.changed({
      market: market.name,
      ...kept as Pick<Market.ChangedTerms, "amount" | "price">,
      ...(amount === undefined ? {} : { amount }),
      ...(price === undefined ? {} : { price }),
      ...(total === undefined ? {} : { total }),
      ...(activationPrice === undefined ? {} : { activationPrice })
    })
  )
}

/** The size of the new order, or a refusal if the size is not above zero. The filled part stays with the old order. */
const sizeOf = (order: Order, { amount, total }: Modify): Orders.Size | Reply.Reply => {
  const asked = amount ?? total
  if (asked === undefined) {
    const isWhole = order.left === order.quantity
    return { amount: isWhole ? order.amount : Units.toDecimal(order.left), quantity: order.left }
  }
  const quantity = Units.from(asked) ?? 0n
  if (order.dealStock === 0n) return { amount: asked, quantity }
  const left = quantity - order.dealStock
  return left > 0n
    ? { amount: Units.toDecimal(left), quantity: left }
    : Reply.invalid(["amount", { kind: "aboveFilled" }])
}

const triggerOf = (
  state: State,
  { market, side, stop }: Order,
  { activationPrice }: Modify
): Trigger | undefined | Reply.Reply => {
  if (stop === undefined || activationPrice === undefined) return stop && { ...stop }
  const price = Units.from(activationPrice) ?? 0n
  if (Orders.isAtLastPrice(state, market, price)) return Orders.atLastPrice
  return { ...stop, price: activationPrice, condition: Orders.conditionOf(state, market, side, price) }
}

/** The price of an order: its limit price or, without a limit price, its activation price. */
const priceOf = ({ price, stop }: Order): Units.Units => {
  const text = price ?? stop?.price
  return text === undefined ? 0n : Units.from(text) ?? 0n
}

/** The value of an order at its price; for an order that specifies its total, that total. */
const totalOf = (order: Order): Units.Units =>
  isQuoteAmount(order) ? order.quantity : Units.times(order.quantity, priceOf(order))

/**
 * The funds that the new order must lock. For an order without a limit price, the cost is computed at the activation
 * price, unless the order's quantity is the amount to spend.
 */
const requirementOf = (work: Work, market: Market.Market, order: Order): Lock => {
  const price = priceOf(order)
  const total = totalOf(order)
  return order.stop === undefined
    ? Matching.requirementForLimit(work, market, order, price, total)
    : Locks.requirementOf(work.state, market, order, total)
}

/** The order that replaces another order, or the reply that refuses the change. */
const successorOf = (
  work: Work,
  market: Market.Market,
  order: Order,
  changes: Modify
): Order | Reply.Reply => {
  const { state } = work
  const { account, clientOrderId, kind, postOnly, reduceOnly, retail, rpi, side, type } = order
  const violations = [...inapplicable(order, changes), ...outOfBounds(market, order, changes)]
  if (violations.length > 0) return Reply.invalid(...violations)
  const far = PriceBands.violations(state, account, market, changes)
  if (far.length > 0) return Reply.invalid(...far)
  const asked = sizeOf(order, changes)
  if (Orders.isReply(asked)) return asked
  const stop = triggerOf(state, order, changes)
  if (stop !== undefined && Orders.isReply(stop)) return stop
  const size = Orders.capToPosition(state, account, market, kind, side, asked, reduceOnly)
  if (Orders.isReply(size)) return size
  return NewOrder.make(work, account, {
    market: market.name,
    side,
    type,
    kind,
    amount: size.amount,
    quantity: size.quantity,
    price: changes.price ?? order.price,
    stop,
    postOnly,
    rpi,
    retail,
    clientOrderId,
    stp: changes.stp ?? order.stp,
    reduceOnly
  })
}

/**
 * Modifies an open order: cancels it and places a new one for the remaining amount, with a new identifier and the same
 * client order id. The new order goes to the end of the queue at its price. If the change is refused, the old order
 * stays unchanged.
 */
export const modify = (work: Work, account: string, changes: Modify): Reply.Reply => {
  const { state } = work
  const market = state.markets.get(changes.market)
  if (market === undefined) return Reply.invalid(["market", { kind: "known" }])
  const order = Cancellation.find(state.openOrders, (order) => order, account, changes)
  if (order === undefined) return Cancellation.notFound
  if (!Orders.isPermitted(state, account, order.kind)) return Orders.notPermitted
  const next = successorOf(work, market, order, changes)
  if (Orders.isReply(next)) return next
  const limit = next.price === undefined ? undefined : Units.from(next.price) ?? 0n
  if (isMakerOnly(next) && !isWaiting(next) && limit !== undefined && Matching.wouldTake(work, next, limit)) {
    return Reply.refused("notMaker", [next.rpi ? "rpi" : "postOnly", { kind: "maker" }])
  }
  const refusal = isQuoteAmount(next)
    ? undefined
    : Orders.refusalOf(work, market, next, totalOf(next), next.quantity, order)
  if (refusal !== undefined) return refusal
  const requirement = requirementOf(work, market, next)
  if (!next.reduceOnly && !Locks.canReplace(work, next, order, requirement)) return Orders.notEnoughBalance
  OrderEnd.cancel(work, order)
  if (!next.reduceOnly) Locks.lock(work, next, requirement)
  if (isWaiting(next)) Orders.wait(work, market, next)
  else {
    NewOrder.open(work, next)
    Matching.execute(work, market, next, limit)
    Prices.triggerStopOrders(work, market)
  }
  return { _tag: "OrderModified", order: next }
}

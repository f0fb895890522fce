/** Converts orders and fills to the form used by responses. */
import * as Decimal from "../../domain/Decimal.ts"
import { OrderId, type Ticker, TradeId } from "../../domain/Identifiers.ts"
import type { Market } from "../../domain/Market.ts"
import * as Time from "../../domain/Time.ts"
import type * as CollateralOcoOrders from "../../endpoints/CollateralOcoOrders.ts"
import type * as ConditionalOrders from "../../endpoints/ConditionalOrders.ts"
import type * as Fills from "../../endpoints/Fills.ts"
import type * as OrderDeals from "../../endpoints/OrderDeals.ts"
import type * as OrderHistory from "../../endpoints/OrderHistory.ts"
import type * as Endpoint from "../../protocol/Endpoint.ts"
import type * as OrderAnswer from "../../protocol/OrderAnswer.ts"
import type * as OrderFields from "../../protocol/OrderFields.ts"
import type { OcoOrder, Order, OtoOrder, StopOrder, Trigger } from "../engine/Order.ts"
import type { Fill } from "../engine/Trade.ts"
import * as Units from "../engine/Units.ts"
import type { Context } from "./Handler.ts"

/** Converts an amount, with a fast path for zero, the most frequent amount in responses. */
const toDecimal = (units: Units.Units): Decimal.Decimal => units === 0n ? Decimal.zero : Units.toDecimal(units)

const leftOf = ({ amount, left, quantity, status }: Order): Decimal.Decimal => {
  // A filled market buy may have a quote amount left that is below the smallest step. The order is treated as filled.
  if (status === "FILLED") return Decimal.zero
  // Until part of the order is filled, the amount is returned as the caller wrote it.
  return left === quantity ? amount : Units.toDecimal(left)
}

/**
 * An order's fee asset, once the order has a fee. For a spot buy, this is the asset that the buyer receives; otherwise,
 * it is the quote currency.
 */
const feeAssetOf = ({ dealFee, kind, market: name, side }: Order, { state }: Context): Ticker | undefined => {
  const market = dealFee === 0n ? undefined : state.markets.get(name)
  return kind === "spot" && side === "buy" ? market?.stock : market?.money
}

/**
 * An order's type. The live exchange has only one type for market orders that affect positions, because the amounts of
 * these orders are always in the base currency.
 */
const typeOf = ({ kind, type }: Order, { dialect }: Context): Order["type"] =>
  dialect.marginTypes && kind !== "spot" && type === "stock market" ? "market" : type

/** The fields that every response about an order contains. */
const always = (order: Order, context: Context) => ({
  orderId: order.id,
  market: order.market,
  side: order.side,
  type: typeOf(order, context),
  timestamp: Time.fromMicros(order.placedAt),
  dealMoney: toDecimal(order.dealMoney),
  dealStock: toDecimal(order.dealStock),
  amount: order.amount,
  left: leftOf(order),
  dealFee: toDecimal(order.dealFee),
  status: order.status,
  stp: order.stp,
  postOnly: order.postOnly
})

type Always = ReturnType<typeof always>

type Mutable<A> = { -readonly [Field in keyof A]: A[Field] }

/** A response under construction, without its optional fields. */
type Begun = Always & Mutable<Omit<OrderAnswer.Order, keyof Always>>

/** Every response with an order is built here. Assigning optional fields is much faster than using spread syntax. */
const common = (order: Order, context: Context): Begun => {
  const answer: Begun = always(order, context)
  const feeAsset = feeAssetOf(order, context)
  if (order.clientOrderId !== undefined && !hidesClientOrderId(order, context))
    answer.clientOrderId = order.clientOrderId
  if (order.kind !== "spot") answer.margin = true
  if (feeAsset !== undefined) answer.feeAsset = feeAsset
  if (order.positionSide !== undefined) answer.positionSide = order.positionSide
  return answer
}

const activation = (stop: Trigger) => ({
  activated: stop.activated,
  activationCondition: stop.condition,
  activationPrice: stop.price
})

/** Whether the dialect hides the client order id of this order. A dialect may hide it on the legs of OCO orders. */
const hidesClientOrderId = (order: Order, { dialect }: Context): boolean =>
  order.oco !== undefined && dialect.policy.legClientOrderIds === "empty"

/** An exit (take-profit and stop-loss), in the form used by responses. */
const exitOf = ({ id, stopLoss, takeProfit }: NonNullable<Order["oto"]>): OrderFields.Oto => ({
  otoId: id,
  ...(takeProfit === undefined ? {} : { takeProfit }),
  ...(stopLoss === undefined ? {} : { stopLoss })
})

/** An order, in the form used by most responses. */
export const order = (order: Order, context: Context): OrderAnswer.Order => {
  const answer = common(order, context)
  const { oto, price, stop } = order
  if (price !== undefined) answer.price = price
  if (stop !== undefined) {
    answer.activated = stop.activated
    answer.activationCondition = stop.condition
    answer.activationPrice = stop.price
  }
  answer.ioc = order.ioc
  answer.rpi = order.rpi
  if (order.retail) answer.retail = true
  answer.reduceOnly = order.reduceOnly
  if (oto !== undefined) answer.oto = exitOf(oto)
  return answer
}

/** A stop order (the document, "Stop-limit order (response)"). */
export const stopOrder = (stop: StopOrder, context: Context): OrderAnswer.StopOrder => ({
  ...order(stop, context),
  activationPrice: stop.stop.price
})

const feeRate = (percent: Decimal.Decimal): Decimal.FeeRate =>
  Decimal.FeeRate.make(Units.toDecimal(Units.ofPercent(percent)))

/** A market's fees as ratios. Markets state fees as percentages, but orders state them as ratios. */
const feesOf = (market: Market | undefined) => ({
  takerFee: feeRate(market?.takerFee ?? Decimal.zero),
  makerFee: feeRate(market?.makerFee ?? Decimal.zero)
})

const leg = (order: Order, context: Context) => ({
  ...common(order, context),
  price: order.price ?? Decimal.zero,
  ...feesOf(context.state.markets.get(order.market)),
  reduceOnly: order.reduceOnly,
  mtime: Time.fromMicros(order.changedAt)
})

/**
 * An OCO leg in a list, or a canceled leg. In both cases, the live exchange leaves out the fees, and also the position
 * side unless the market is a futures market.
 */
const knownLeg = (order: Order, context: Context) => {
  const { makerFee, positionSide, takerFee, ...others } = leg(order, context)
  if (context.dialect.demandsAll) return { ...others, makerFee, takerFee, ...(positionSide && { positionSide }) }
  return order.kind === "futures" && positionSide !== undefined ? { ...others, positionSide } : others
}

/** The legs of an OCO order. */
const legsOf = ({ stopLoss, takeProfit }: OcoOrder, context: Context, toLeg: typeof knownLeg) => ({
  stopLoss: { ...toLeg(stopLoss, context), ...activation(stopLoss.stop) },
  takeProfit: toLeg(takeProfit, context)
})

/** A new collateral OCO order (the document, Endpoints §2). */
export const newOcoOrder = (oco: OcoOrder, context: Context): CollateralOcoOrders.CollateralOcoOrder => ({
  id: oco.id,
  reduceOnly: oco.reduceOnly,
  ...legsOf(oco, context, leg)
})

/** A collateral OCO order in a list, or after its cancellation. */
export const ocoOrder = (oco: OcoOrder, context: Context): CollateralOcoOrders.CollateralOcoOrder => ({
  id: oco.id,
  reduceOnly: oco.reduceOnly,
  ...legsOf(oco, context, knownLeg)
})

/** A conditional order: an OCO order, or an order with an exit. */
export const conditionalOrder = (
  found: OcoOrder | OtoOrder,
  context: Context
): ConditionalOrders.ConditionalOrder => {
  if ("stopLoss" in found) return { type: "oco", id: found.id, ...legsOf(found, context, knownLeg) }
  const { oto } = found.order
  return {
    type: "oto",
    id: found.id,
    ...(oto?.stopLoss === undefined ? {} : { stopLossPrice: oto.stopLoss }),
    ...(oto?.takeProfit === undefined ? {} : { takeProfitPrice: oto.takeProfit }),
    order: order(found.order, context)
  }
}

/** A closed order, which can no longer trade. */
export const endedOrder = (ended: Order, context: Context): OrderHistory.EndedOrder => {
  const { activated: _activated, left: _left, oto: _oto, ...answer } = order(ended, context)
  return {
    ...answer,
    ftime: Time.fromMicros(ended.changedAt),
    ...feesOf(context.state.markets.get(ended.market))
  }
}

/** The fields that a fill has in every list. */
const commonOfFill = ({ amount, at, fee, feeAsset, order, price, role, trade }: Fill, context: Context) => ({
  tradeId: TradeId.make(trade.toString()),
  ...(order.clientOrderId === undefined || hidesClientOrderId(order, context)
    ? {}
    : { clientOrderId: order.clientOrderId }),
  timestamp: Time.fromMicros(at),
  role,
  amount: Units.toDecimal(amount),
  price: Units.toDecimal(price),
  total: Units.toDecimal(Units.times(amount, price)),
  fee: Units.toDecimal(fee),
  feeAsset
})

/**
 * A fill in the list of one order's fills. If the order traded with the outside market, there is no opposite order, so
 * the trade's id, which is never an order's id, takes the place of the opposite order's id.
 */
export const deal = (fill: Fill, context: Context): OrderDeals.Deal => ({
  ...commonOfFill(fill, context),
  counterpartyOrderId: fill.counterparty ?? OrderId.make(fill.trade.toString()),
  rpi: fill.rpi
})

/** A fill, with its market if `namesMarket` is true, that is, if the request does not name a market. */
export const fill = (
  fill: Fill,
  context: Context,
  namesMarket: boolean
): Endpoint.Response<typeof Fills.endpoint>[number] => ({
  ...(namesMarket ? { market: fill.order.market } : {}),
  ...commonOfFill(fill, context),
  orderId: fill.order.id,
  side: fill.order.side
})

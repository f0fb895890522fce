/** Orders and fills as calls answer them. */
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

/** Most amounts of an answer are zero: those need not be written digit by digit. */
const toDecimal = (units: Units.Units): Decimal.Decimal => units === 0n ? Decimal.zero : Units.toDecimal(units)

const leftOf = ({ amount, left, quantity, status }: Order): Decimal.Decimal => {
  // A filled market buy may have a rest in quote currency that can't buy the smallest amount. Nothing of it is left to
  // fill.
  if (status === "FILLED") return Decimal.zero
  // The amount comes back as it was written until a part of it is filled.
  return left === quantity ? amount : Units.toDecimal(left)
}

/** The currency of an order's fee, once there is one: what a spot order receives, and the quote currency on margin. */
const feeAssetOf = ({ dealFee, kind, market: name, side }: Order, { state }: Context): Ticker | undefined => {
  const market = dealFee === 0n ? undefined : state.markets.get(name)
  return kind === "spot" && side === "buy" ? market?.stock : market?.money
}

/** The live exchange has one type for all market orders on margin: there amounts are always in the base currency. */
const typeOf = ({ kind, type }: Order, { dialect }: Context): Order["type"] =>
  dialect.marginTypes && kind !== "spot" && type === "stock market" ? "market" : type

/** What every answer about an order has. */
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

/** An answer while it is put together: what it may lack is still to come. */
type Begun = Always & Mutable<Omit<OrderAnswer.Order, keyof Always>>

/** Every call that is answered with an order comes here: what may be absent is assigned, which is much faster than spread. */
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

/** Whether the dialect hides the client order id of this order: it may do so on the legs of OCO orders. */
const hidesClientOrderId = (order: Order, { dialect }: Context): boolean =>
  order.oco !== undefined && dialect.policy.legClientOrderIds === "empty"

/** The exit that an order has, as its answers show it. */
const exitOf = ({ id, stopLoss, takeProfit }: NonNullable<Order["oto"]>): OrderFields.Oto => ({
  otoId: id,
  ...(takeProfit === undefined ? {} : { takeProfit }),
  ...(stopLoss === undefined ? {} : { stopLoss })
})

/** An order as most calls answer it. */
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
  answer.rpi = false
  answer.reduceOnly = order.reduceOnly
  if (oto !== undefined) answer.oto = exitOf(oto)
  return answer
}

/** A stop order (document, "Stop-limit order (response)"). */
export const stopOrder = (stop: StopOrder, context: Context): OrderAnswer.StopOrder => ({
  ...order(stop, context),
  activationPrice: stop.stop.price
})

const feeRate = (percent: Decimal.Decimal): Decimal.FeeRate =>
  Decimal.FeeRate.make(Units.toDecimal(Units.ofPercent(percent)))

/** Markets state their fees in percent, orders as ratios. */
const feesOf = (market: Market | undefined) => ({
  takerFee: feeRate(market?.takerFee ?? Decimal.zero),
  makerFee: feeRate(market?.makerFee ?? Decimal.zero)
})

const leg = (order: Order, context: Context) => ({
  ...common(order, context),
  price: order.price ?? Decimal.zero,
  ...feesOf(context.state.markets.get(order.market)),
  mtime: Time.fromMicros(order.changedAt)
})

/** A collateral OCO order (document, Endpoints §2). */
export const ocoOrder = (oco: OcoOrder, context: Context): CollateralOcoOrders.CollateralOcoOrder => ({
  id: oco.id,
  reduceOnly: oco.reduceOnly,
  stopLoss: { ...leg(oco.stopLoss, context), ...activation(oco.stopLoss.stop) },
  takeProfit: leg(oco.takeProfit, context)
})

/** A conditional order: an OCO order, or one that has an exit. */
export const conditionalOrder = (
  found: OcoOrder | OtoOrder,
  context: Context
): ConditionalOrders.ConditionalOrder => {
  if ("stopLoss" in found) {
    const { stopLoss, takeProfit } = found
    const reduceOnly = { reduceOnly: found.reduceOnly }
    return {
      type: "oco",
      id: found.id,
      stopLoss: { ...leg(stopLoss, context), ...activation(stopLoss.stop), ...reduceOnly },
      takeProfit: { ...leg(takeProfit, context), ...reduceOnly }
    }
  }
  const { oto } = found.order
  return {
    type: "oto",
    id: found.id,
    ...(oto?.stopLoss === undefined ? {} : { stopLossPrice: oto.stopLoss }),
    ...(oto?.takeProfit === undefined ? {} : { takeProfitPrice: oto.takeProfit }),
    order: order(found.order, context)
  }
}

/** An order that can no longer trade. */
export const endedOrder = (ended: Order, context: Context): OrderHistory.EndedOrder => {
  const { activated: _activated, left: _left, oto: _oto, ...answer } = order(ended, context)
  return {
    ...answer,
    ftime: Time.fromMicros(ended.changedAt),
    ...feesOf(context.state.markets.get(ended.market))
  }
}

/** What a fill says wherever it is listed. */
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
 * A fill in the list of its order. The rest of the world has no orders here: what it trades with has the number of the
 * trade, which no order has.
 */
export const deal = (fill: Fill, context: Context): OrderDeals.Deal => ({
  ...commonOfFill(fill, context),
  counterpartyOrderId: fill.counterparty ?? OrderId.make(fill.trade.toString()),
  rpi: false
})

/** A fill. It names its market unless the request does. */
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

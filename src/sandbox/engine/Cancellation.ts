/** Cancels single orders, OCO orders, and all orders of an account. */
import type { MarketName, OrderId } from "../../domain/Identifiers.ts"
import type { Operation } from "./Operation.ts"
import type { Order } from "./Order.ts"
import * as OrderEnd from "./OrderEnd.ts"
import type { OrderIndex, Owner } from "./OrderIndex.ts"
import * as Reply from "./Reply.ts"
import type { State } from "./State.ts"
import type { Work } from "./Work.ts"

type Of<Tag extends Operation["_tag"]> = Extract<Operation, { readonly _tag: Tag }>

/**
 * Finds one of an account's items on a market in `owned`, an index of open orders, OCO orders, or orders with a
 * take-profit or stop-loss. Searches by the exchange's identifier; if `orderId` is absent, finds the oldest item with
 * the client order id.
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

/** The refusal if the account has no such open order. */
export const notFound = Reply.refused("orderNotFound", ["orderId", { kind: "open" }])

/** Cancels one order, specified by the exchange's identifier or by the client order id. */
export const cancel = (work: Work, account: string, operation: Of<"Cancel">): Reply.Reply => {
  if (!work.state.markets.has(operation.market)) return Reply.invalid(["market", { kind: "known" }])
  const order = find(work.state.openOrders, (order) => order, account, operation)
  if (order === undefined) return notFound
  OrderEnd.cancel(work, order)
  return { _tag: "OrderCanceled", order }
}

/** Cancels both legs of an OCO order. */
export const cancelOco = (work: Work, account: string, operation: Of<"CancelOco">): Reply.Reply => {
  if (!work.state.markets.has(operation.market)) return Reply.invalid(["market", { kind: "known" }])
  const oco = find(work.state.ocoOrders, ({ stopLoss }) => stopLoss, account, operation)
  if (oco === undefined) return notFound
  OrderEnd.cancel(work, oco.takeProfit)
  return { _tag: "OcoCanceled", oco }
}

/** Finds an open order on this market that has a take-profit or stop-loss. */
const findOto = ({ otoOrders }: State, account: string, market: MarketName, orderId: OrderId): Order | undefined =>
  find(otoOrders, ({ order }) => order, account, { market, orderId })?.order

/**
 * Cancels an order that has not placed its take-profit and stop-loss yet. These are then not placed, not even for the
 * filled part.
 */
export const cancelOto = (work: Work, account: string, { market, otoId }: Of<"CancelOto">): Reply.Reply => {
  if (!work.state.markets.has(market)) return Reply.invalid(["market", { kind: "known" }])
  const order = findOto(work.state, account, market, otoId)
  if (order === undefined) return Reply.refused("orderNotFound", ["otoId", { kind: "open" }])
  OrderEnd.cancel(work, order)
  return Reply.done
}

/** Cancels both legs of an OCO order, or an order that has not placed its take-profit and stop-loss yet. */
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

/** Cancels all of an account's open orders that match the operation's filters; without filters, cancels all of them. */
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

/** Cancels an account's open orders, oldest first. The filters `market`, `positionSide` and `type` are optional. */
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

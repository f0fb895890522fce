/**
 * What an order can be found by, as far as the request that would place it carries it. A call that places orders can't state so
 * (`Endpoint.Places`) unless its request has these fields.
 */
import type * as Errors from "../../protocol/Errors.ts"

type OrderReference = Pick<Errors.OutcomeUnknown, "clientOrderId" | "market" | "orderId" | "orders">

/** The client order id of a request, ready to spread into an error; empty when the request has none. */
export const clientOrderIdOf = (request: object): Pick<OrderReference, "clientOrderId"> => {
  const { clientOrderId } = request as OrderReference
  return clientOrderId === undefined ? {} : { clientOrderId }
}

/**
 * The identifiers and the market of a request, those of them that it has. Of a request for many orders, those of each.
 */
export const orderReferenceOf = (request: object): OrderReference => {
  const { orders } = request as OrderReference
  return { ...oneOf(request), ...(orders === undefined ? {} : { orders: orders.map(named) }) }
}

const oneOf = (request: object): OrderReference => {
  const { market, orderId } = request as OrderReference
  return {
    ...clientOrderIdOf(request),
    ...(market === undefined ? {} : { market }),
    ...(orderId === undefined ? {} : { orderId })
  }
}

const named = (order: Errors.NamedOrder): Errors.NamedOrder => ({ ...oneOf(order), market: order.market })

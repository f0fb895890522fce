/**
 * Extracts from a request the identifiers by which its orders can be found. Only a call whose request has these fields
 * can declare that it places orders (`Endpoint.Places`).
 */
import type * as Errors from "../../protocol/Errors.ts"

type OrderReference = Pick<Errors.OutcomeUnknown, "clientOrderId" | "market" | "orderId" | "orders">

/**
 * Returns an object with the request's client order id, to be spread into an error's fields. The object is empty when
 * the request has no client order id.
 */
export const clientOrderIdOf = (request: object): Pick<OrderReference, "clientOrderId"> => {
  const { clientOrderId } = request as OrderReference
  return clientOrderId === undefined ? {} : { clientOrderId }
}

/** Returns a request's identifiers and market. For a bulk request, returns each order's identifiers and market. */
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

/**
 * What an order can be found by, as far as the request that would place it carries it.
 *
 * @since 0.1.0
 */
import type * as Errors from "../../protocol/Errors.ts"

type OrderReference = Pick<Errors.OutcomeUnknown, "clientOrderId" | "market">

/**
 * The client order id of a request, ready to spread into an error; empty when the request has none.
 *
 * @category models
 * @since 0.1.0
 */
export const clientOrderIdOf = (request: object): Pick<OrderReference, "clientOrderId"> => {
  const { clientOrderId } = request as OrderReference
  return clientOrderId === undefined ? {} : { clientOrderId }
}

/**
 * The client order id and the market of a request, those of them that it has.
 *
 * @category models
 * @since 0.1.0
 */
export const orderReferenceOf = (request: object): OrderReference => {
  const { market } = request as OrderReference
  return { ...clientOrderIdOf(request), ...(market === undefined ? {} : { market }) }
}

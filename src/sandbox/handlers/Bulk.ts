/** The handlers for placing and canceling several orders in one call. */
import type * as CancelBulkOrders from "../../endpoints/CancelBulkOrders.ts"
import * as CancelOrder from "../../endpoints/CancelOrder.ts"
import * as CollateralLimitOrders from "../../endpoints/CollateralLimitOrders.ts"
import * as LimitOrders from "../../endpoints/LimitOrders.ts"
import type * as BulkAnswer from "../../protocol/BulkAnswer.ts"
import type * as Endpoint from "../../protocol/Endpoint.ts"
import type * as OrderAnswer from "../../protocol/OrderAnswer.ts"
import type { PlaceLimit } from "../engine/Operation.ts"
import type { Order } from "../engine/Order.ts"
import * as Reply from "../engine/Reply.ts"
import { type Context, group, type Item, type Items, type Refusals } from "./Handler.ts"
import * as OrderAnswers from "./OrderAnswers.ts"
import * as Refusing from "./Refusing.ts"

/**
 * The orders that go to the engine: all orders that could be read or, with `stopOnFail`, only those before the first
 * order that could not be read.
 */
const readable = <Q>({ orders, stopOnFail }: Items<Q>): ReadonlyArray<Q> => {
  const requests: Array<Q> = []
  for (const order of orders) {
    if ("request" in order) requests.push(order.request)
    else if (stopOnFail === true) break
  }
  return requests
}

/** The reply to each order that was attempted, in the same sequence as in the request. */
const repliesTo = (
  { orders, stopOnFail }: Items<never>,
  { replies }: Reply.BulkDone
): ReadonlyArray<Reply.Reply> => {
  const tried: Array<Reply.Reply> = []
  const others = replies.values()
  for (const order of orders) {
    const reply = "request" in order ? others.next().value : Reply.invalid(...order.violations)
    if (reply === undefined) break
    tried.push(reply)
    if (stopOnFail === true && Reply.isFailed(reply)) break
  }
  return tried
}

/** The result for each order: its new state, or the reason why the order was refused. */
const answered = <A>(
  each: Endpoint.Any,
  refusals: Refusals,
  request: Items<never>,
  done: Reply.BulkDone,
  context: Context,
  toResult: (order: Order) => A
): ReadonlyArray<BulkAnswer.Item<A>> =>
  repliesTo(request, done).map((reply): BulkAnswer.Item<A> => {
    if (Reply.isFailed(reply)) {
      const { errors, refusal: { code, message } } = Refusing.said(each, refusals, context.dialect, reply)
      return { error: { code, message, errors } }
    }
    return "order" in reply ? { result: toResult(reply.order) } : {}
  })

const placing = (
  each: Endpoint.Any,
  request: Items<never>,
  done: Reply.BulkDone,
  context: Context
): ReadonlyArray<BulkAnswer.Item<OrderAnswer.Order>> =>
  answered(each, {}, request, done, context, (order) => OrderAnswers.order(order, context))

const canceled = ({ clientOrderId, id, market }: Order): CancelBulkOrders.Canceled => ({
  orderId: id,
  market,
  ...(clientOrderId === undefined ? {} : { clientOrderId })
})

const limitOf = (request: Endpoint.Request<typeof LimitOrders.endpoint>): PlaceLimit => ({
  _tag: "PlaceLimit",
  ...request,
  collateral: false
})

const collateralLimitOf = (request: Endpoint.Request<typeof CollateralLimitOrders.endpoint>): PlaceLimit => ({
  _tag: "PlaceLimit",
  ...request,
  collateral: true
})

const stopOnFailOf = ({ stopOnFail }: Items<never>) => stopOnFail === undefined ? {} : { stopOnFail }

/** The orders of a bulk request, typed as requests to the endpoint whose schema has decoded them. */
const readBy = <E extends Endpoint.Any>(_each: E, request: Items<never>): Items<Endpoint.Request<E>> =>
  request as { readonly orders: ReadonlyArray<Item<never>> }

/** The live exchange's messages if a cancellation has no order id (`required`) or more than one (`alone`). */
const notOneId: { readonly [kind: string]: ReadonlyArray<string> } = {
  required: ["validation.required"],
  alone: ["api.validation.order.chooseOneId"]
}

/**
 * The refusal when a cancellation has invalid fields; in bulk calls, all such errors have one code. An error about a
 * missing or an additional order id is reported for the cancellation as a whole, under `request`.
 */
const cancelRefusal = (
  item: Item<unknown> | undefined,
  refusal: BulkAnswer.Refusal,
  { dialect: { keys } }: Context
): BulkAnswer.Refusal => {
  const violations = item !== undefined && "violations" in item ? item.violations : []
  const request = violations.flatMap(([field, { kind }]) => field === "orderId" ? notOneId[kind] ?? [] : [])
  if (request.length === 0) return { ...refusal, code: 30 }
  const others = Object.entries(refusal.errors ?? {}).filter(([key]) => key !== keys.orderId)
  return { ...refusal, code: 30, errors: { ...Object.fromEntries(others), request } }
}

/** The handlers for bulk calls. */
export const bulk = group({
  BulkLimitOrders: {
    each: LimitOrders.endpoint,
    operation: (request) => ({
      _tag: "PlaceBulk",
      orders: readable(readBy(LimitOrders.endpoint, request)).map(limitOf),
      ...stopOnFailOf(request)
    }),
    answer: (done, context, request) => placing(LimitOrders.endpoint, request, done, context)
  },
  CollateralBulkLimitOrders: {
    each: CollateralLimitOrders.endpoint,
    operation: (request) => ({
      _tag: "PlaceBulk",
      orders: readable(readBy(CollateralLimitOrders.endpoint, request)).map(collateralLimitOf),
      ...stopOnFailOf(request)
    }),
    answer: (done, context, request) => placing(CollateralLimitOrders.endpoint, request, done, context)
  },
  CancelBulkOrders: {
    each: CancelOrder.endpoint,
    operation: (request) => ({
      _tag: "CancelBulk",
      orders: readable(readBy(CancelOrder.endpoint, request)).map((order) => ({ _tag: "Cancel", ...order }))
    }),
    answer: (done, context, request) =>
      answered(CancelOrder.endpoint, { orderNotFound: "orderNotThere" }, request, done, context, canceled).map(
        ({ error, ...item }, index) => {
          if (error === undefined) return item
          const isMissing = error.code === context.dialect.refusals.orderNotThere.code
          return { ...item, error: isMissing ? error : cancelRefusal(request.orders[index], error, context) }
        }
      )
  }
})

/** Makes the services of calls with many orders, each of which is applied or refused by itself. */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { ClientOrderId, OrderId } from "../../domain/Identifiers.ts"
import type * as Market from "../../domain/Market.ts"
import type { VenuePolicy } from "../../domain/VenuePolicy.ts"
import type * as BulkAnswer from "../../protocol/BulkAnswer.ts"
import * as Classify from "../../protocol/Classify.ts"
import type { Dialect } from "../../protocol/Dialect.ts"
import * as Endpoint from "../../protocol/Endpoint.ts"
import type { Violation } from "../../protocol/Violation.ts"
import * as Call from "../call/Call.ts"
import * as LocalRefusal from "../call/LocalRefusal.ts"
import * as ClientOrderIdEcho from "../ClientOrderIdEcho.ts"
import { ClientOrderIds, type Unassigned } from "../ClientOrderIds.ts"
import { MarketRules } from "../MarketRules.ts"
import * as Observation from "../Observation.ts"
import * as OrderEcho from "../OrderEcho.ts"

/** A request to place many orders. */
export interface Orders<O> {
  /** The orders, 1 to 20, in the order in which they are placed. */
  readonly orders: ReadonlyArray<O>
  /** Stop at the first order that is refused; those before it stay placed. Default `false`: all are tried. */
  readonly stopOnFail?: boolean
}

/** What each order that the exchange has tried has become. */
type Outcomes<A, E extends Endpoint.Any> = ReadonlyArray<Result.Result<A, Classify.ItemRefusal<E>>>

/** A call with many orders. */
type Many<Q, A, Placed extends Endpoint.Places> = Endpoint.Endpoint<
  Q,
  ReadonlyArray<BulkAnswer.Item<A>>,
  "private",
  true,
  "ValidationFailed",
  Placed
>

/** A caller without types may write anything. */
const isList = (orders: unknown): boolean => Array.isArray(orders)

/** What is wrong with the orders of a request before it is sent. */
const violationsOf = <O extends object>(
  each: Endpoint.Any,
  dialect: Dialect,
  orders: ReadonlyArray<O>
): ReadonlyArray<Violation> => {
  const { encodeRequest } = Endpoint.codec(each, dialect)
  return orders.flatMap((order, index) =>
    Result.match(encodeRequest(order), {
      onFailure: (violations) =>
        violations.map(({ constraint, field }) => ({ field: "orders", constraint, at: { index, field } })),
      onSuccess: () => []
    })
  )
}

/** How an answer differs from what was asked for: it must say one thing of each order, and of that order. */
const contradictionIn = <O, A>(
  { orders, stopOnFail = false }: Orders<O>,
  items: ReadonlyArray<BulkAnswer.Item<A>>,
  contradiction: (order: O, result: A) => string | undefined
): string | undefined => {
  const isShort = items.length < orders.length
  if (items.length > orders.length || (isShort && !stopOnFail)) {
    return `the answer is about ${items.length} orders, not about ${orders.length}`
  }
  for (const [index, { error, result }] of items.entries()) {
    const order = orders[index]
    if ((error === undefined) === (result === undefined)) return `order ${index} has not one of result and error`
    const problem = order === undefined || result === undefined ? undefined : contradiction(order, result)
    if (problem !== undefined) return `order ${index}: ${problem}`
  }
  return undefined
}

/** Each item as what has become of its order. `finish` makes of a result what the caller gets. */
const outcomes = <O extends { readonly clientOrderId?: ClientOrderId }, A, B, E extends Endpoint.Any>(
  endpoint: Endpoint.Any,
  each: E,
  dialect: Dialect,
  orders: ReadonlyArray<O>,
  items: ReadonlyArray<BulkAnswer.Item<A>>,
  finish: (order: O, result: A) => Effect.Effect<B>
): Effect.Effect<Outcomes<B, E>> =>
  Effect.forEach(
    orders.slice(0, items.length),
    (order, index): Effect.Effect<Result.Result<B, Classify.ItemRefusal<E>>> => {
      const { error, result } = items[index] ?? {}
      if (result !== undefined) return Effect.map(finish(order, result), (value) => Result.succeed(value))
      const said = error ?? { code: 0, message: "" }
      return Effect.succeed(Result.fail(Classify.itemRefusal(endpoint, each, dialect, said, order.clientOrderId)))
    }
  )

/** A service that places many orders in one call. */
export interface Creating<O, A, E extends Endpoint.Any, F> {
  /** Places the orders, after checking each against the rules of its market. */
  readonly create: (request: Orders<O>) => Effect.Effect<Outcomes<ClientOrderIdEcho.Created<A>, E>, F>
}

/** What differs between kinds of orders. */
export interface Kind<O, E> {
  /** The call that places one such order. */
  readonly each: E
  /** What of an order the rules of its market bound. */
  readonly bounds: (order: O) => Market.Bounded
  /** Whether an exchange of this policy echoes the client order id of such an order. Default: it does. */
  readonly echoes?: (policy: VenuePolicy) => boolean
}

/**
 * The layer of a service that places many orders in one call. An order without a client order id gets one. When one order
 * breaks a constraint, or the rules of its market, nothing is sent.
 */
export const layerCreating = <
  Identifier,
  O extends Unassigned & OrderEcho.Ordered,
  A extends OrderEcho.Leg,
  T extends Endpoint.RefusalTag,
  Asked extends O = O
>(
  service: Context.Service<
    Identifier,
    Creating<
      Asked,
      A,
      Endpoint.Endpoint<O, A, "private", true, T, "order">,
      Endpoint.Failure<Many<Orders<O>, A, "orders">>
    >
  >,
  endpoint: Many<Orders<O>, A, "orders">,
  { bounds, each, echoes = () => true }: Kind<O, Endpoint.Endpoint<O, A, "private", true, T, "order">>
): Layer.Layer<Identifier, never, Call.Call | MarketRules> =>
  Layer.effect(
    service,
    Effect.gen(function*() {
      const { dialect, make } = yield* Call.Call
      const rules = yield* MarketRules
      const ids = yield* ClientOrderIds
      const isEchoed = echoes(dialect.policy)
      const call = make(endpoint, {
        check: ({ orders }) => LocalRefusal.allWithinMarketRules(rules, endpoint, dialect, orders.map(bounds)),
        contradiction: (request, items) =>
          contradictionIn(request, items, (order, result) => OrderEcho.contradiction(order, bounds(order), [result]))
      })
      const create = Effect.fnUntraced(function*(request: Orders<Asked>) {
        if (!isList(request.orders)) return yield* Effect.map(call(request), () => [])
        const orders = yield* Effect.forEach(request.orders, (order) => ids.assign(order))
        const wrong = violationsOf(each, dialect, orders)
        if (wrong.length > 0) return yield* LocalRefusal.refusedItems(endpoint, dialect, wrong)
        const items = yield* call({ ...request, orders })
        return yield* outcomes(endpoint, each, dialect, orders, items, (order, result) =>
          ClientOrderIdEcho.check(endpoint.name, result, order.clientOrderId, [result.clientOrderId], isEchoed))
      })
      return {
        create: (request) =>
          Observation.spanned(endpoint.name, create(request))
      }
    })
  )

/** What names an order. */
interface Naming {
  readonly market: string
  readonly orderId?: OrderId
  readonly clientOrderId?: ClientOrderId
}

/** How an answer differs from the order that was named. */
const otherOrder = (asked: Naming, said: Naming): string | undefined => {
  if (said.market !== asked.market) return `the order is on ${said.market}, not on ${asked.market}`
  for (const name of ["orderId", "clientOrderId"] as const) {
    const [expected, found] = [asked[name], said[name]]
    if (expected !== undefined && found !== undefined && found !== expected)
      return `the order is ${found}, not ${expected}`
  }
  return undefined
}

/** A service that cancels many orders in one call. */
export interface Canceling<O, A, E extends Endpoint.Any, F> {
  /** Cancels the orders. */
  readonly cancel: (request: Pick<Orders<O>, "orders">) => Effect.Effect<Outcomes<A, E>, F>
}

/**
 * The layer of a service that cancels many orders in one call. When one of them is not named as it must be, nothing is sent.
 */
export const layerCanceling = <
  Identifier,
  O extends Naming,
  A extends Naming,
  E extends Endpoint.Any,
  Asked extends O = O
>(
  service: Context.Service<
    Identifier,
    Canceling<Asked, A, E, Endpoint.Failure<Many<Pick<Orders<O>, "orders">, A, "nothing">>>
  >,
  endpoint: Many<Pick<Orders<O>, "orders">, A, "nothing">,
  each: E
): Layer.Layer<Identifier, never, Call.Call> =>
  Layer.effect(
    service,
    Effect.gen(function*() {
      const { dialect, make } = yield* Call.Call
      const call = make(endpoint, { contradiction: (request, items) => contradictionIn(request, items, otherOrder) })
      const cancel = Effect.fnUntraced(function*(request: Pick<Orders<Asked>, "orders">) {
        const { orders } = request
        const wrong = isList(orders) ? violationsOf(each, dialect, orders) : []
        if (wrong.length > 0) return yield* LocalRefusal.refusedItems(endpoint, dialect, wrong)
        const items = yield* call(request)
        return yield* outcomes(endpoint, each, dialect, orders, items, (_, result) => Effect.succeed(result))
      })
      return { cancel: (request) => Observation.spanned(endpoint.name, cancel(request)) }
    })
  )

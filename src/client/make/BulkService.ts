/** Creates the services for bulk calls, in which the exchange accepts or refuses each order separately. */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { ClientOrderId } from "../../domain/Identifiers.ts"
import type * as Market from "../../domain/Market.ts"
import type { OrderType } from "../../domain/Order.ts"
import type { VenuePolicy } from "../../domain/VenuePolicy.ts"
import type * as BulkAnswer from "../../protocol/BulkAnswer.ts"
import * as Classify from "../../protocol/Classify.ts"
import type { Dialect } from "../../protocol/Dialect.ts"
import * as Endpoint from "../../protocol/Endpoint.ts"
import type { Violation } from "../../protocol/Violation.ts"
import type { Partly } from "../call/Attempt.ts"
import * as Call from "../call/Call.ts"
import * as LocalRefusal from "../call/LocalRefusal.ts"
import * as ClientOrderIdEcho from "../ClientOrderIdEcho.ts"
import { ClientOrderIds, type Unassigned } from "../ClientOrderIds.ts"
import * as EchoCheck from "../EchoCheck.ts"
import { MarketRules } from "../MarketRules.ts"
import * as Observation from "../Observation.ts"
import * as OrderEcho from "../OrderEcho.ts"
import * as ServiceLayer from "./ServiceLayer.ts"

/** A request to place many orders. */
export interface Orders<O> {
  /** The orders, 1 to 20, in the sequence in which they are placed. */
  readonly orders: ReadonlyArray<O>
  /**
   * Whether the exchange stops at the first order that it refuses. The orders before that order stay placed. Default
   * `false`: the exchange tries all orders.
   */
  readonly stopOnFail?: boolean
}

/** The outcome of each order that the exchange has tried. */
type Outcomes<A, E extends Endpoint.Any> = ReadonlyArray<Result.Result<A, Classify.ItemFailure<E>>>

/** A call with many orders. */
type Many<Q, A, Placed extends Endpoint.Places> = Endpoint.Endpoint<
  Q,
  ReadonlyArray<BulkAnswer.Item<A>>,
  "private",
  true,
  "ValidationFailed",
  Placed
>

/** Whether `orders` is an array. An untyped caller might pass any value. */
const isList = (orders: unknown): boolean => Array.isArray(orders)

/** Checks a request's orders before sending, and returns the constraints that they break. */
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

/**
 * Describes a wrong number of items in a response. There must be one item per order; with `stopOnFail`, there may be
 * fewer items.
 */
const otherLength = <O, A>(
  { orders, stopOnFail = false }: Orders<O>,
  items: ReadonlyArray<BulkAnswer.Item<A>>
): string | undefined => {
  const isShort = items.length < orders.length
  return items.length > orders.length || (isShort && !stopOnFail)
    ? `the response has items for ${items.length} orders instead of ${orders.length}`
    : undefined
}

const otherAnswer = "the response contains an order that was not sent"

/**
 * If an item of a response does not show its order's outcome, replaces the item with an error for that order (`lost`).
 * If one item describes a different order, the response may belong to another call, so the response's refusals prove
 * nothing.
 */
const settling = <O extends object, A>(contradiction: (order: O, result: A) => string | undefined) =>
(
  { orders }: Orders<O>,
  items: ReadonlyArray<BulkAnswer.Item<A>>,
  partly: Partly
): ReadonlyArray<BulkAnswer.Item<A>> => {
  const problems = items.map(({ result, unreadable }, at) => {
    const order = orders[at]
    return unreadable?.contradiction ?? (order && result && contradiction(order, result))
  })
  const isOther = problems.some((problem) => problem !== undefined)
  const lostOf = (order: O, { error, result, unreadable }: BulkAnswer.Item<A>, problem: string | undefined) => {
    if (problem !== undefined) return partly.unknown(order, "contradictory-answer", problem)
    if (unreadable !== undefined) {
      return unreadable.orderIds.length === 0
        ? partly.unknown(order, "unreadable-answer", unreadable.problem)
        : partly.unreadable(order, unreadable.orderIds, unreadable.problem)
    }
    if ((error === undefined) === (result === undefined)) {
      return partly.unknown(order, "unreadable-answer", "the item has both a result and an error, or neither")
    }
    if (error === undefined) return undefined
    if (isOther) return partly.unknown(order, "contradictory-answer", otherAnswer)
    return Classify.isServerError(error.code) ? partly.unknown(order, "server-error", error.message) : undefined
  }
  return items.map((item, at) => {
    const order = orders[at]
    const lost = order && lostOf(order, item, problems[at])
    return lost === undefined ? item : { lost }
  })
}

/** Converts a response's items to outcomes. `finish` converts a result to the caller's value. */
const outcomes = <O extends { readonly clientOrderId?: ClientOrderId | undefined }, A, B, E extends Endpoint.Any>(
  endpoint: Endpoint.Any,
  each: E,
  dialect: Dialect,
  orders: ReadonlyArray<O>,
  items: ReadonlyArray<BulkAnswer.Item<A>>,
  finish: (order: O, result: A) => Effect.Effect<B>
): Effect.Effect<Outcomes<B, E>> =>
  Effect.forEach(
    orders.slice(0, items.length),
    (order, index): Effect.Effect<Result.Result<B, Classify.ItemFailure<E>>> => {
      const { error, lost, result } = items[index] ?? {}
      if (lost !== undefined) return Effect.succeed(Result.fail(lost))
      if (result !== undefined) return Effect.map(finish(order, result), (value) => Result.succeed(value))
      const said = error ?? { code: 0, message: "" }
      return Effect.succeed(Result.fail(Classify.itemRefusal(endpoint, each, dialect, said, order.clientOrderId)))
    }
  )

/** A service that places many orders in one call. */
export interface Creating<O, A, E extends Endpoint.Any, F> {
  /** Places the orders, after checking each order against its market's rules. */
  readonly create: (request: Orders<O>) => Effect.Effect<Outcomes<ClientOrderIdEcho.Created<A>, E>, F>
}

/** The properties of one kind of order. */
export interface Kind<O, E> {
  /** The endpoint that places a single order of this kind. */
  readonly each: E
  /** The order type. */
  readonly type: OrderType
  /** Selects the terms to check against the market's rules. */
  readonly bounds: (order: O) => Market.Bounded
  /** Whether an exchange with the given policy returns the client order ids of these orders. Default: always `true`. */
  readonly echoes?: (policy: VenuePolicy) => boolean
}

/**
 * Builds the layer for a service that places many orders in one call. Orders without a client order id get a generated
 * id. If any order breaks a constraint or its market's rules, nothing is sent.
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
  { bounds, each, echoes = () => true, type }: Kind<O, Endpoint.Endpoint<O, A, "private", true, T, "order">>
): Layer.Layer<Identifier, never, Call.Call | MarketRules> =>
  ServiceLayer.layer(
    service,
    Effect.gen(function*() {
      const { dialect, make } = yield* Call.Call
      const rules = yield* MarketRules
      const ids = yield* ClientOrderIds
      const isEchoed = echoes(dialect.policy)
      const call = make(endpoint, {
        check: ({ orders }) => LocalRefusal.allWithinMarketRules(rules, endpoint, dialect, orders.map(bounds)),
        contradiction: otherLength,
        settle: settling((order, result) => OrderEcho.contradiction(order, type, bounds(order), result))
      })
      const create = Effect.fnUntraced(function*(request: Orders<Asked>) {
        if (!isList(request.orders)) return yield* Effect.map(call(request), () => [])
        const orders = yield* Effect.forEach(request.orders, (order) => ids.assign(order))
        const wrong = violationsOf(each, dialect, orders)
        if (wrong.length > 0) return yield* LocalRefusal.refusedItems(endpoint, dialect, wrong)
        const items = yield* call({ ...request, orders })
        return yield* outcomes(endpoint, each, dialect, orders, items, (order, result) =>
          EchoCheck.check(endpoint.name, result, order.clientOrderId, [result.clientOrderId], isEchoed))
      })
      return {
        create: (request) =>
          Observation.requested(endpoint.name, create(request))
      }
    })
  )

/** A service that cancels many orders in one call. */
export interface Canceling<O, A, E extends Endpoint.Any, F> {
  /** Cancels the orders. */
  readonly cancel: (request: Pick<Orders<O>, "orders">) => Effect.Effect<Outcomes<A, E>, F>
}

/**
 * Builds the layer for a service that cancels many orders in one call. If any order does not have exactly one
 * identifier, nothing is sent.
 */
export const layerCanceling = <
  Identifier,
  O extends OrderEcho.Naming,
  A extends OrderEcho.Naming,
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
  ServiceLayer.layer(
    service,
    Effect.gen(function*() {
      const { dialect, make } = yield* Call.Call
      const call = make(endpoint, {
        contradiction: otherLength,
        sameId: true,
        settle: settling((order: O, result: A) => OrderEcho.otherOrder(order, result))
      })
      const cancel = Effect.fnUntraced(function*(request: Pick<Orders<Asked>, "orders">) {
        const { orders } = request
        const wrong = isList(orders) ? violationsOf(each, dialect, orders) : []
        if (wrong.length > 0) return yield* LocalRefusal.refusedItems(endpoint, dialect, wrong)
        const items = yield* call(request)
        return yield* outcomes(endpoint, each, dialect, orders, items, (_, result) => Effect.succeed(result))
      })
      return { cancel: (request) => Observation.requested(endpoint.name, cancel(request)) }
    })
  )

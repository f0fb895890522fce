/** Makes the services of calls with many orders, each of which is applied or refused by itself. */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
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

/** A request to place many orders. */
export interface Orders<O> {
  /** The orders, 1 to 20, in the order in which they are placed. */
  readonly orders: ReadonlyArray<O>
  /** Stop at the first order that is refused; those before it stay placed. Default `false`: all are tried. */
  readonly stopOnFail?: boolean
}

/** What each order that the exchange has tried has become. */
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

/** How an answer as a whole differs from what was asked for: it must say something of each order. */
const otherLength = <O, A>(
  { orders, stopOnFail = false }: Orders<O>,
  items: ReadonlyArray<BulkAnswer.Item<A>>
): string | undefined => {
  const isShort = items.length < orders.length
  return items.length > orders.length || (isShort && !stopOnFail)
    ? `the answer is about ${items.length} orders, not about ${orders.length}`
    : undefined
}

const otherAnswer = "the answer is about another order than one of those that were sent"

/**
 * The items of an answer, with what they leave unknown. Where one of them is about another order, the answer may be the one
 * to another call, so that no refusal in it proves anything.
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
      return partly.unknown(order, "unreadable-answer", "it has not one of result and error")
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

/** Each item as what has become of its order. `finish` makes of a result what the caller gets. */
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
  /** Places the orders, after checking each against the rules of its market. */
  readonly create: (request: Orders<O>) => Effect.Effect<Outcomes<ClientOrderIdEcho.Created<A>, E>, F>
}

/** What differs between kinds of orders. */
export interface Kind<O, E> {
  /** The call that places one such order. */
  readonly each: E
  /** The type of such an order. */
  readonly type: OrderType
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
  { bounds, each, echoes = () => true, type }: Kind<O, Endpoint.Endpoint<O, A, "private", true, T, "order">>
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
          Observation.spanned(endpoint.name, create(request))
      }
    })
  )

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
  Layer.effect(
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
      return { cancel: (request) => Observation.spanned(endpoint.name, cancel(request)) }
    })
  )

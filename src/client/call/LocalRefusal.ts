/** Refuses invalid requests before sending, with the same errors as refusals by the exchange. */
import * as Effect from "effect/Effect"
import type * as Market from "../../domain/Market.ts"
import type { Dialect } from "../../protocol/Dialect.ts"
import * as Endpoint from "../../protocol/Endpoint.ts"
import * as Errors from "../../protocol/Errors.ts"
import * as Refusals from "../../protocol/Refusals.ts"
import * as Violation from "../../protocol/Violation.ts"
import type { MarketRules } from "../MarketRules.ts"
import { clientOrderIdOf } from "./OrderReference.ts"

/**
 * Creates the error for a request that breaks constraints: the same error as after a refusal by the exchange. For an
 * endpoint that declares no field errors, the error is its general refusal.
 */
export const refusedLocally = (
  endpoint: Endpoint.Any,
  dialect: Dialect,
  violations: ReadonlyArray<Violation.Violation>,
  request: object
): Errors.ValidationFailed | Errors.InvalidFields | Errors.RequestRejected | Errors.PublicRequestRejected => {
  const refused = toRefused(endpoint, dialect, violations, request)
  const Refusal = endpoint.errorFamily === "order" ? Errors.ValidationFailed : Errors.InvalidFields
  const error = new Refusal(refused)
  if (endpoint.refusals.includes(error._tag)) return error
  const { origin: _, ...named } = refused
  return endpoint.access === "private"
    ? new Errors.RequestRejected({ ...named, reason: notSent, body: "" })
    : new Errors.PublicRequestRejected({
      endpoint: refused.endpoint,
      status: refused.status,
      reason: `${notSent} ${
        Object.entries(refused.fields).map(([field, messages]) => `${field}: ${messages?.join("; ")}`).join("; ")
      }`,
      params: [],
      body: ""
    })
}

const notSent = "refused before it was sent:"

const toRefused = (
  endpoint: Endpoint.Any,
  dialect: Dialect,
  violations: ReadonlyArray<Violation.Violation>,
  request: object
): Errors.Refused => {
  const { keys } = Endpoint.codec(endpoint, dialect).shape
  const { code, status } = Refusals.refusalOf(endpoint, dialect, violations)
  return {
    endpoint: endpoint.name,
    origin: "local",
    status,
    code,
    fields: Violation.toErrors(violations, endpoint.errorFamily, (field) => keys[field] ?? field, (field) => field),
    otherFields: {},
    // An invalid client order id must not appear as the error's `clientOrderId`.
    ...(violations.some(({ field }) => field === "clientOrderId") ? {} : clientOrderIdOf(request))
  }
}

/**
 * Checks an order against its market's rules before sending. Fails with `ValidationFailed` when the order breaks a
 * rule, and with `ExchangeUnreachable` (`why: "market-rules"`) when the markets can't be loaded.
 */
export const withinMarketRules = <F extends string>(
  rules: MarketRules["Service"],
  endpoint: Endpoint.Any,
  dialect: Dialect,
  order: Market.Bounded
): Effect.Effect<void, Errors.ValidationFailed<F> | Errors.ExchangeUnreachable> =>
  brokenRules(rules, endpoint, order).pipe(
    Effect.flatMapEager((violations) =>
      violations.length === 0
        ? Effect.void
        : Effect.fail(new Errors.ValidationFailed<F>(toRefused(endpoint, dialect, violations, order)))
    )
  )

/** Returns the market rules that an order breaks. */
const brokenRules = (rules: MarketRules["Service"], { name: endpoint }: Endpoint.Any, order: Market.Bounded) =>
  Effect.mapErrorEager(
    rules.check(order),
    ({ reason }) => new Errors.ExchangeUnreachable({ endpoint, why: "market-rules", reason, ...clientOrderIdOf(order) })
  )

/**
 * Creates the error for a bulk request with invalid orders. Each message in `fields.orders` starts with the order's
 * index, counted from zero, and the field: `2.amount: Amount should be greater than 0.`
 */
export const refusedItems = (
  endpoint: Endpoint.Any,
  dialect: Dialect,
  violations: ReadonlyArray<Violation.Violation>
): Errors.ValidationFailed<"orders"> =>
  new Errors.ValidationFailed<"orders">(toRefused(endpoint, dialect, violations, {}))

/**
 * Checks many orders against their markets' rules before sending. Fails like {@link withinMarketRules}, with the errors
 * of all orders.
 */
export const allWithinMarketRules = (
  rules: MarketRules["Service"],
  endpoint: Endpoint.Any,
  dialect: Dialect,
  orders: ReadonlyArray<Market.Bounded>
): Effect.Effect<void, Errors.ValidationFailed<"orders"> | Errors.ExchangeUnreachable> =>
  Effect.flatMap(
    Effect.forEach(orders, (order, index) =>
      Effect.map(brokenRules(rules, endpoint, order), (violations) =>
        violations.map(({ constraint, field }): Violation.Violation => ({
          field: "orders",
          constraint,
          at: { index, field }
        })))),
    (violations) => {
      const wrong = violations.flat()
      return wrong.length === 0 ? Effect.void : Effect.fail(refusedItems(endpoint, dialect, wrong))
    }
  )

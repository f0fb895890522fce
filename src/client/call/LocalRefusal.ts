/**
 * Refusing a request before anything is sent, with the error that the exchange would answer.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import type * as Market from "../../domain/Market.ts"
import type { Dialect } from "../../protocol/Dialect.ts"
import * as Endpoint from "../../protocol/Endpoint.ts"
import * as Errors from "../../protocol/Errors.ts"
import * as Violation from "../../protocol/Violation.ts"
import type { MarketRules } from "../MarketRules.ts"
import { clientOrderIdOf } from "./OrderReference.ts"

/**
 * The error with which the exchange would answer these violations, without asking it: one that the endpoint declares. An
 * endpoint that declares no refusal for fields refuses as it refuses everything else.
 *
 * @category refusals
 * @since 0.1.0
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
  const { code, status } = Endpoint.refusalOf(endpoint, dialect, violations)
  return {
    endpoint: endpoint.name,
    origin: "local",
    status,
    code,
    fields: Violation.toErrors(violations, endpoint.errorFamily, (field) => keys[field] ?? field, identity),
    otherFields: {},
    // A value that breaks a constraint is not a client order id.
    ...(violations.some(({ field }) => field === "clientOrderId") ? {} : clientOrderIdOf(request))
  }
}

/**
 * Checks an order against its market before it is sent. Fails with `ValidationFailed` when the order breaks a bound of
 * the market, and with `ExchangeUnreachable`, why `market-rules`, when the markets could not be loaded.
 *
 * @category refusals
 * @since 0.1.0
 */
export const withinMarketRules = <F extends string>(
  rules: MarketRules["Service"],
  endpoint: Endpoint.Any,
  dialect: Dialect,
  order: Market.Bounded
): Effect.Effect<void, Errors.ValidationFailed<F> | Errors.ExchangeUnreachable> =>
  rules.check(order).pipe(
    Effect.mapErrorEager(({ reason }) =>
      new Errors.ExchangeUnreachable({
        endpoint: endpoint.name,
        why: "market-rules",
        reason,
        ...clientOrderIdOf(order)
      })
    ),
    Effect.flatMapEager((violations) =>
      violations.length === 0
        ? Effect.void
        : Effect.fail(new Errors.ValidationFailed<F>(toRefused(endpoint, dialect, violations, order)))
    )
  )

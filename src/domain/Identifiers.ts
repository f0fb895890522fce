/**
 * Identifiers, tickers and market names. An identifier is not a number: all are branded texts, so none is ever rounded
 * and none is taken for another.
 *
 * @since 0.1.0
 */
import type * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Constraint from "./Constraint.ts"
import { hasForm, NonEmptyText, Text } from "./Text.ts"

const digits = hasForm(/^(?:0|[1-9][0-9]*)$/u, "an identifier of digits")

/**
 * An order's identifier, assigned by the matching engine: a text of digits. On the wire it is a JSON integer of any
 * length; none above 2^53 loses a digit.
 *
 * @category models
 * @since 0.1.0
 */
export const OrderId = Text.check(digits).pipe(Schema.brand("OrderId")).annotate({ identifier: "OrderId" })
export type OrderId = typeof OrderId.Type

/**
 * A trade's identifier: a text of digits, as an order's.
 *
 * @category models
 * @since 0.1.0
 */
export const TradeId = Text.check(digits).pipe(Schema.brand("TradeId")).annotate({ identifier: "TradeId" })
export type TradeId = typeof TradeId.Type

/**
 * A position's identifier: a text of digits, as an order's.
 *
 * @category models
 * @since 0.1.0
 */
export const PositionId = Text.check(digits).pipe(Schema.brand("PositionId")).annotate({ identifier: "PositionId" })
export type PositionId = typeof PositionId.Type

const clientOrderIdForm = /^[A-Za-z0-9\-._]+$/u

/**
 * The caller's own identifier of an order: letters, digits, dashes, dots and underscores. Unique per account for
 * stop-limit orders (document, Endpoints §3).
 *
 * @category models
 * @since 0.1.0
 */
export const ClientOrderId = NonEmptyText.check(Schema.isPattern(clientOrderIdForm, {
  ...Constraint.annotation({ kind: "characters", allowed: "latin letters, numbers, dashes, dots and underscores" }),
  expected: "letters, digits, dashes, dots and underscores"
})).pipe(Schema.brand("ClientOrderId")).annotate({ identifier: "ClientOrderId" })
export type ClientOrderId = typeof ClientOrderId.Type

/**
 * A client order id from text known at run time; fails with what is wrong with the text.
 *
 * @category constructors
 * @since 0.1.0
 */
export const parseClientOrderId: (text: string) => Result.Result<ClientOrderId, Schema.SchemaError> = Schema
  .decodeResult(ClientOrderId)

/**
 * A currency's ticker, such as `BTC` or `USD_VISAMASTER`.
 *
 * @category models
 * @since 0.1.0
 */
export const Ticker = Text.check(hasForm(/^[A-Za-z0-9][A-Za-z0-9_.-]*$/u, "a currency ticker")).pipe(
  Schema.brand("Ticker")
).annotate({ identifier: "Ticker" })
export type Ticker = typeof Ticker.Type

/**
 * A ticker from a literal.
 *
 * @category constructors
 * @since 0.1.0
 */
export const ticker = <const S extends string>(
  text: S extends MarketLiteralPart<S> ? S : MarketLiteralPart<S>
): Ticker => text as string as Ticker

/**
 * A market's name, `BASE_QUOTE`: `BTC_USDT` trades BTC (base, stock) for USDT (quote, money).
 *
 * @category models
 * @since 0.1.0
 */
export const MarketName = Text.check(
  hasForm(/^[A-Za-z0-9][A-Za-z0-9.-]*_[A-Za-z0-9][A-Za-z0-9.-]*$/u, "a market name, BASE_QUOTE")
).pipe(Schema.brand("MarketName")).annotate({ identifier: "MarketName" })
export type MarketName = typeof MarketName.Type

type MarketLiteralPart<S extends string> = string extends S ? "takes a literal; for a string decode the schema"
  : S extends "" ? "a name is not empty"
  : S extends `${string} ${string}` ? `"${S}" contains a space`
  : S

type MarketLiteral<S extends string> = string extends S ? "takes a literal; for a string use parseMarketName()"
  : S extends `${infer Base}_${infer Quote}`
    ? MarketLiteralPart<Base> extends Base ? Quote extends `${string}_${string}` ? `"${S}" is not BASE_QUOTE`
      : MarketLiteralPart<Quote> extends Quote ? S
      : `"${S}" is not BASE_QUOTE`
    : `"${S}" is not BASE_QUOTE`
  : `"${S}" is not BASE_QUOTE`

/**
 * A market name from a literal that the compiler checks: `marketName("BTC_USDT")`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const marketName = <const S extends string>(
  text: S extends MarketLiteral<S> ? S : MarketLiteral<S>
): MarketName => text as string as MarketName

/**
 * A market name from text known at run time.
 *
 * @category constructors
 * @since 0.1.0
 */
export const parseMarketName: (text: string) => Result.Result<MarketName, Schema.SchemaError> = Schema.decodeResult(
  MarketName
)

/** A fixed-term plan's identifier (document, "Interest payment"). */
export const PlanId = NonEmptyText.pipe(Schema.brand("PlanId")).annotate({ identifier: "PlanId" })
export type PlanId = typeof PlanId.Type

/** An investment's identifier (document, "Interest payment"). */
export const InvestmentId = NonEmptyText.pipe(Schema.brand("InvestmentId")).annotate({ identifier: "InvestmentId" })
export type InvestmentId = typeof InvestmentId.Type

/** A sub-account's identifier (document, "Sub-account"). */
export const SubAccountId = NonEmptyText.pipe(Schema.brand("SubAccountId")).annotate({ identifier: "SubAccountId" })
export type SubAccountId = typeof SubAccountId.Type

/** A user's identifier (document, "Sub-account"). */
export const UserId = NonEmptyText.pipe(Schema.brand("UserId")).annotate({ identifier: "UserId" })
export type UserId = typeof UserId.Type

/** The identifier of an API key's record; not the key itself (document, "Sub-account API key"). */
export const ApiKeyId = NonEmptyText.pipe(Schema.brand("ApiKeyId")).annotate({ identifier: "ApiKeyId" })
export type ApiKeyId = typeof ApiKeyId.Type

/** A public API key (document, "Sub-account API key" and "Authentication"). */
export const ApiKey = NonEmptyText.pipe(Schema.brand("ApiKey")).annotate({ identifier: "ApiKey" })
export type ApiKey = typeof ApiKey.Type

/** The exchange's identifier of a code's transaction (document, "Code application result"). */
export const ExternalId = Text.pipe(Schema.brand("ExternalId")).annotate({ identifier: "ExternalId" })
export type ExternalId = typeof ExternalId.Type

/**
 * Identifiers, tickers and market names. Each identifier is a branded string, never a number, so no digits are lost,
 * and the compiler refuses an identifier of the wrong kind.
 *
 * @example
 * ```ts
 * import { Identifiers } from "effect-txc"
 *
 * const market = Identifiers.marketName("BTC_USDT") // checked by the compiler
 * const clientOrderId = Identifiers.ClientOrderId.make("my-order-1") // checked at run time; throws
 *
 * const read = (text: string) => Identifiers.parseMarketName(text) // checked at run time; a Result
 * ```
 */
import type * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Check from "./Check.ts"
import * as Constraint from "./Constraint.ts"
import { hasForm, NonEmptyText, Text } from "./Text.ts"

const isDigit = (code: number): boolean => code >= 48 && code <= 57

const digits = Check.matches(/^(?:0|[1-9][0-9]*)$/u, {
  ...Constraint.annotation({ kind: "format" }),
  expected: "an identifier that consists of digits"
}, (text) => {
  if (text.charCodeAt(0) === 48) return text.length === 1
  let at = 0
  while (isDigit(text.charCodeAt(at))) at++
  return at > 0 && at === text.length
})

/**
 * An order's identifier, assigned by the exchange: a string of digits. On the wire, the identifier is a JSON integer of
 * any length; no digits are lost, even above 2^53.
 *
 * @category models
 */
export type OrderId = typeof OrderId.Type

/**
 * The schema of an {@link OrderId}.
 *
 * @category schemas
 */
export const OrderId = Text.check(digits).pipe(Schema.brand("OrderId")).annotate({ identifier: "OrderId" })

/**
 * A trade's identifier, assigned by the exchange: a string of digits, like an {@link OrderId}.
 *
 * @category models
 */
export type TradeId = typeof TradeId.Type

/**
 * The schema of a {@link TradeId}.
 *
 * @category schemas
 */
export const TradeId = Text.check(digits).pipe(Schema.brand("TradeId")).annotate({ identifier: "TradeId" })

/**
 * A position's identifier, assigned by the exchange: a string of digits, like an {@link OrderId}.
 *
 * @category models
 */
export type PositionId = typeof PositionId.Type

/**
 * The schema of a {@link PositionId}.
 *
 * @category schemas
 */
export const PositionId = Text.check(digits).pipe(Schema.brand("PositionId")).annotate({ identifier: "PositionId" })

const clientOrderIdCharacter = /[A-Za-z0-9\-._]/u

/**
 * Your own identifier for an order: at least one letter, digit, dash, dot or underscore. A stop-limit order's client
 * order id must be unique per account (the document, Endpoints §3). If the response to an order is lost, you can find
 * the order by this identifier.
 *
 * @category models
 */
export type ClientOrderId = typeof ClientOrderId.Type

/**
 * The schema of a {@link ClientOrderId}. `ClientOrderId.make(text)` throws when the text is empty or contains an
 * invalid character; {@link parseClientOrderId} returns a `Result`.
 *
 * @category schemas
 */
export const ClientOrderId = NonEmptyText.check(Check.madeOf(clientOrderIdCharacter, clientOrderIdCharacter, {
  ...Constraint.annotation({ kind: "characters", allowed: "latin letters, numbers, dashes, dots and underscores" }),
  expected: "letters, digits, dashes, dots and underscores"
})).pipe(Schema.brand("ClientOrderId")).annotate({ identifier: "ClientOrderId" })

const receivedCharacter = /[A-Za-z0-9\-._!]/u

/**
 * The schema of a {@link ClientOrderId} in a response. It also accepts the ids of orders that the exchange itself
 * places: `liquidation_ID_!` for a liquidation and `adl_ID_!` for auto-deleveraging, where `ID` is the order id. A
 * request can't contain such an id.
 *
 * @category schemas
 */
export const ReceivedClientOrderId = NonEmptyText.check(Check.madeOf(receivedCharacter, receivedCharacter, {
  expected: "letters, digits, dashes, dots, underscores and exclamation marks"
})).pipe(Schema.brand("ClientOrderId")).annotate({ identifier: "ReceivedClientOrderId" })

/**
 * Parses a client order id from text known only at run time. The failure explains what is wrong with the text.
 *
 * @category constructors
 */
export const parseClientOrderId: (text: string) => Result.Result<ClientOrderId, Schema.SchemaError> = Schema
  .decodeResult(ClientOrderId)

/**
 * A currency's ticker, such as `BTC` or `USD_VISAMASTER`.
 *
 * @category models
 */
export type Ticker = typeof Ticker.Type

/**
 * The schema of a {@link Ticker}. For a literal, use {@link ticker}.
 *
 * @category schemas
 */
export const Ticker = Text.check(
  Check.madeOf(/[A-Za-z0-9]/u, /[A-Za-z0-9_.-]/u, {
    ...Constraint.annotation({ kind: "format" }),
    expected: "a currency ticker"
  })
).pipe(
  Schema.brand("Ticker")
).annotate({ identifier: "Ticker" })

/**
 * Creates a ticker from a literal that the compiler checks: `ticker("BTC")`. The ticker must not be empty or contain a
 * space. For text known only at run time, decode the schema {@link Ticker}.
 *
 * @category constructors
 */
export const ticker = <const S extends string>(
  text: S extends MarketLiteralPart<S> ? S : MarketLiteralPart<S>
): Ticker => text as string as Ticker

/**
 * A market's name, `BASE_QUOTE`. On `BTC_USDT` you trade BTC (base, also called stock) for USDT (quote, also called
 * money).
 *
 * @category models
 */
export type MarketName = typeof MarketName.Type

/**
 * The schema of a {@link MarketName}. For a literal, use {@link marketName}; for other text, use {@link
 * parseMarketName}.
 *
 * @category schemas
 */
export const MarketName = Text.check(
  hasForm(/^[A-Za-z0-9][A-Za-z0-9.-]*_[A-Za-z0-9][A-Za-z0-9.-]*$/u, "a market name, BASE_QUOTE")
).pipe(Schema.brand("MarketName")).annotate({ identifier: "MarketName" })

type MarketLiteralPart<S extends string> = string extends S ? "takes a literal; for other text, decode with Ticker"
  : S extends "" ? "a name is not empty"
  : S extends `${string} ${string}` ? `"${S}" contains a space`
  : S

type MarketLiteral<S extends string> = string extends S ? "takes a literal; for other text, use parseMarketName()"
  : S extends `${infer Base}_${infer Quote}`
    ? MarketLiteralPart<Base> extends Base ? Quote extends `${string}_${string}` ? `"${S}" is not BASE_QUOTE`
      : MarketLiteralPart<Quote> extends Quote ? S
      : `"${S}" is not BASE_QUOTE`
    : `"${S}" is not BASE_QUOTE`
  : `"${S}" is not BASE_QUOTE`

/**
 * Creates a market name from a literal that the compiler checks: `marketName("BTC_USDT")`. For text known only at run
 * time, use {@link parseMarketName}.
 *
 * @category constructors
 */
export const marketName = <const S extends string>(
  text: S extends MarketLiteral<S> ? S : MarketLiteral<S>
): MarketName => text as string as MarketName

/**
 * Parses a market name from text known only at run time. The failure explains what is wrong with the text.
 *
 * @category constructors
 */
export const parseMarketName: (text: string) => Result.Result<MarketName, Schema.SchemaError> = Schema.decodeResult(
  MarketName
)

/**
 * A fixed-term plan's identifier: at least one character (the document, "Interest payment").
 *
 * @category models
 */
export type PlanId = typeof PlanId.Type

/**
 * The schema of a {@link PlanId}.
 *
 * @category schemas
 */
export const PlanId = NonEmptyText.pipe(Schema.brand("PlanId")).annotate({ identifier: "PlanId" })

/**
 * The identifier of an investment in a fixed-term plan: at least one character (the document, "Interest payment").
 *
 * @category models
 */
export type InvestmentId = typeof InvestmentId.Type

/**
 * The schema of an {@link InvestmentId}.
 *
 * @category schemas
 */
export const InvestmentId = NonEmptyText.pipe(Schema.brand("InvestmentId")).annotate({ identifier: "InvestmentId" })

/**
 * A sub-account's identifier: at least one character (the document, "Sub-account").
 *
 * @category models
 */
export type SubAccountId = typeof SubAccountId.Type

/**
 * The schema of a {@link SubAccountId}.
 *
 * @category schemas
 */
export const SubAccountId = NonEmptyText.pipe(Schema.brand("SubAccountId")).annotate({ identifier: "SubAccountId" })

/**
 * A user's identifier: at least one character (the document, "Sub-account").
 *
 * @category models
 */
export type UserId = typeof UserId.Type

/**
 * The schema of a {@link UserId}.
 *
 * @category schemas
 */
export const UserId = NonEmptyText.pipe(Schema.brand("UserId")).annotate({ identifier: "UserId" })

/**
 * The identifier of an API key's record, not the key itself: at least one character (the document, "Sub-account API
 * key").
 *
 * @category models
 */
export type ApiKeyId = typeof ApiKeyId.Type

/**
 * The schema of an {@link ApiKeyId}.
 *
 * @category schemas
 */
export const ApiKeyId = NonEmptyText.pipe(Schema.brand("ApiKeyId")).annotate({ identifier: "ApiKeyId" })

/**
 * A public API key: at least one character (the document, "Sub-account API key" and "Authentication").
 *
 * @category models
 */
export type ApiKey = typeof ApiKey.Type

/**
 * The schema of an {@link ApiKey}.
 *
 * @category schemas
 */
export const ApiKey = NonEmptyText.pipe(Schema.brand("ApiKey")).annotate({ identifier: "ApiKey" })

/**
 * The exchange's identifier of the transaction that applied a code (the document, "Code application result").
 *
 * @category models
 */
export type ExternalId = typeof ExternalId.Type

/**
 * The schema of an {@link ExternalId}.
 *
 * @category schemas
 */
export const ExternalId = Text.pipe(Schema.brand("ExternalId")).annotate({ identifier: "ExternalId" })

/**
 * fast-check arbitraries: one for each brand of the domain, keyed by its schema's identifier, and those for whole
 * requests and responses. They generate text from characters, not from the schemas' patterns.
 *
 * @example
 * ```ts
 * import { Dialect, StopLimitOrders } from "effect-txc"
 * import { Arbitraries } from "effect-txc/oracle"
 * import * as fc from "fast-check"
 *
 * // A hundred requests that satisfy the exchange's static constraints
 * export const requests = fc.sample(Arbitraries.request(StopLimitOrders.endpoint, Dialect.document), 100)
 * ```
 */
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as SchemaAST from "effect/SchemaAST"
import * as fc from "fast-check"
import type * as Code from "../domain/Code.ts"
import * as Constraint from "../domain/Constraint.ts"
import type * as Decimal from "../domain/Decimal.ts"
import type * as Identifiers from "../domain/Identifiers.ts"
import * as Margin from "../domain/Margin.ts"
import type * as Order from "../domain/Order.ts"
import type * as Paging from "../domain/Paging.ts"
import type * as SubAccount from "../domain/SubAccount.ts"
import type * as Time from "../domain/Time.ts"
import type * as Unrecognised from "../domain/Unrecognised.ts"
import type * as Channel from "../protocol/Channel.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import { alphanumeric, digits, letters, oneOf, textOf } from "./world/Texts.ts"

// -----------------------------------------------------------------------------
// Characters
/** Any character. fast-check has a similar arbitrary, but takes most of a second to build it. */
const character: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 0x20, max: 0x7e }) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 0xd7ff }) },
  { weight: 1, arbitrary: fc.integer({ min: 0xe000, max: 0x10ffff }) }
).map((point) => String.fromCodePoint(point))

/** Any Unicode text. Lengths are in code points. */
const anyText = (minLength: number, maxLength?: number): fc.Arbitrary<string> =>
  fc.string({ unit: character, minLength, ...(maxLength === undefined ? {} : { maxLength }) })

// -----------------------------------------------------------------------------
// Decimals
// -----------------------------------------------------------------------------

const wholeOf = (length: number): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constant("0"),
    fc.tuple(oneOf("123456789"), textOf(digits, 0, length - 1)).map(([first, rest]) => first + rest)
  )

/**
 * Decimals without a sign, at most 64 characters. Most are short, so two decimals are often equal in value but written
 * differently.
 */
const magnitude: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(wholeOf(3), textOf("0012579", 0, 3)) },
  { weight: 2, arbitrary: fc.tuple(wholeOf(12), textOf(digits, 0, 10)) },
  { weight: 1, arbitrary: fc.tuple(wholeOf(62), textOf(digits, 0, 61)) }
).map(([whole, fraction]) => {
  const kept = fraction.slice(0, 62 - whole.length)
  return kept === "" ? whole : `${whole}.${kept}`
})

const positive: fc.Arbitrary<string> = magnitude.map((text) => /[1-9]/u.test(text) ? text : text.replace("0", "1"))

/** Any decimal of at most 64 characters; most are short. */
export const decimal = fc.tuple(fc.constantFrom("", "", "-"), magnitude)
  .map(([sign, text]) => sign + text as Decimal.Decimal)
/** Prices, above zero. */
export const price = positive.map((text) => text as Decimal.Price)
/** Amounts, above zero. */
export const amount = positive.map((text) => text as Decimal.Amount)
/** Fee rates, zero or more. */
export const feeRate = magnitude.map((text) => text as Decimal.FeeRate)

// -----------------------------------------------------------------------------
// Identifiers and names
// -----------------------------------------------------------------------------

/** Integers as text, from zero to far above the largest safe integer. */
const wholeNumber = fc.oneof(
  fc.nat(),
  fc.bigInt({ min: 2n ** 53n - 2n, max: 2n ** 53n + 2n }),
  fc.bigInt({ min: 0n, max: 10n ** 40n })
).map((id) => id.toString())

/** Order ids, some of which exceed the largest safe integer. */
export const orderId = wholeNumber.map((id) => id as Identifiers.OrderId)
/** Trade ids, some of which exceed the largest safe integer. */
export const tradeId = wholeNumber.map((id) => id as Identifiers.TradeId)
/** Position ids, some of which exceed the largest safe integer. */
export const positionId = wholeNumber.map((id) => id as Identifiers.PositionId)

/** Client order ids: 1 to 40 letters, digits, dashes, dots and underscores. */
export const clientOrderId = textOf(`${alphanumeric}-._`, 1, 40).map((text) => text as Identifiers.ClientOrderId)

/** Client order ids in responses: ids that callers chose, and ids with which the exchange marks its own orders. */
const receivedClientOrderId = fc.oneof(
  { weight: 9, arbitrary: clientOrderId },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom("liquidation", "adl"), wholeNumber).map(([why, id]) => `${why}_${id}_!`)
  }
)

const name = (others: string): fc.Arbitrary<string> =>
  fc.tuple(oneOf(alphanumeric), textOf(alphanumeric + others, 0, 8)).map(([first, rest]) => first + rest)

/** Tickers of 1 to 9 letters, digits, dashes, dots and underscores. */
export const ticker = name("_.-").map((text) => text as Identifiers.Ticker)
/** Market names, `BASE_QUOTE`. */
export const marketName = fc.tuple(name(".-"), name(".-"))
  .map(([base, quote]) => `${base}_${quote}` as Identifiers.MarketName)

const identifier = <A extends string>(): fc.Arbitrary<A> => anyText(1).map((text) => text as A)

// -----------------------------------------------------------------------------
// Everything else
// -----------------------------------------------------------------------------

/** Page limits, 1 to 100. */
export const limit = fc.integer({ min: 1, max: 100 }).map((n) => n as Paging.Limit)
/** Page limits of trading history, 1 to 500. */
export const historyLimit = fc.integer({ min: 1, max: 500 }).map((n) => n as Paging.HistoryLimit)
/** Page offsets, 0 to 10000. */
export const offset = fc.integer({ min: 0, max: 10000 }).map((n) => n as Paging.Offset)
/** Page offsets in lists of orders and trades, 0 to 4294967295. */
export const recordOffset = fc.integer({ min: 0, max: 2 ** 32 - 1 }).map((n) => n as Paging.RecordOffset)

/** Timeouts of a kill switch, 5 to 600 seconds. */
const killSwitchSeconds = fc.integer({ min: 5, max: 600 })

/** Unix seconds, up to the year 2100. */
export const unixSeconds = fc.integer({ min: 0, max: 4_102_444_800 }).map((n) => n as Time.UnixSeconds)
/** Unix microseconds, up to the year 2100. */
export const micros = fc.integer({ min: 0, max: 4_102_444_800_000_000 })
/** Fractional Unix seconds, up to the year 2100. */
export const unixTime = micros.map((n) => n / 1_000_000 as Time.UnixTime)

/** Passphrases of at most 25 code points, including code points of two UTF-16 units and four UTF-8 bytes. */
export const passphrase = anyText(0, 25).map((text) => text as Code.Passphrase)
/** Codes: any Unicode text that is not empty. */
export const code = identifier<Code.Code>()
/** Descriptions of at most 280 code points; most are short. */
export const description = fc.oneof(anyText(0, 10), anyText(0, 280)).map((text) => text as Code.Description)

/** Hex colors with 3, 6 or 8 digits. */
export const hexColour = fc.constantFrom(3, 6, 8).chain((length) => textOf("0123456789abcdefABCDEF", length, length))
  .map((text) => `#${text}` as SubAccount.HexColour)

/** Masked e-mail addresses; sometimes empty. */
export const maskedEmail = fc.oneof(
  fc.constant(""),
  fc.tuple(textOf(letters, 1, 3), textOf(letters, 1, 3), textOf(letters, 1, 3))
    .map(([user, host, tld]) => `${user}***@${host}***${tld}`)
).map((text) => text as SubAccount.MaskedEmail)

/** E-mail addresses: a short user name, `@`, and a short host name. */
export const email = fc.tuple(textOf(`${alphanumeric}.+-`, 1, 8), textOf(`${alphanumeric}.-`, 1, 8))
  .map(([user, host]) => `${user}@${host}` as SubAccount.Email)

/** Strings that are not a value of any enumeration, in either dialect. */
export const unrecognised = textOf(letters, 0, 8).map((text) => `X_${text}` as Unrecognised.Unrecognised)

const orderSide = fc.constantFrom<Array<Order.OrderSide>>("buy", "sell")
const orderType = fc.constantFrom<Array<Order.OrderType>>(
  "limit",
  "market",
  "stock market",
  "stop limit",
  "stop market"
)
const orderStatus = fc.constantFrom<Array<Order.OrderStatus | "MAINTENANCE">>(
  "NEW",
  "FILLED",
  "CANCELED",
  "PARTIAL_FILLED",
  "PARTIAL_CANCELED",
  "CANCELED_TAKER_BAND",
  "AUTO_CANCELED_REDUCE_ONLY",
  "AUTO_CANCELED_LIQUIDATION",
  "MAINTENANCE"
)
const selfTradePrevention = fc.constantFrom<Array<Order.SelfTradePrevention>>(
  "no",
  "cancel_both",
  "cancel_new",
  "cancel_old"
)
const activationCondition = fc.constantFrom<Array<Order.ActivationCondition>>("gte", "lte")
const role = fc.constantFrom<Array<Order.Role>>("maker", "taker")
const bboRole = fc.constantFrom<Array<Order.BboRole>>("queue", "counterparty")
const positionSide = fc.constantFrom<Array<Order.PositionSide>>("LONG", "SHORT", "BOTH")
const cancelAllType = fc.constantFrom<Array<Order.CancelAllType>>("spot", "margin", "futures")

/** The arbitraries of all brands, keyed by schema identifier. */
export const brands: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  Decimal: decimal,
  Price: price,
  Amount: amount,
  FeeRate: feeRate,
  OrderId: orderId,
  TradeId: tradeId,
  PositionId: positionId,
  ClientOrderId: clientOrderId,
  ReceivedClientOrderId: receivedClientOrderId,
  Ticker: ticker,
  MarketName: marketName,
  PlanId: identifier<Identifiers.PlanId>(),
  InvestmentId: identifier<Identifiers.InvestmentId>(),
  SubAccountId: identifier<Identifiers.SubAccountId>(),
  UserId: identifier<Identifiers.UserId>(),
  ApiKeyId: identifier<Identifiers.ApiKeyId>(),
  ApiKey: identifier<Identifiers.ApiKey>(),
  ExternalId: anyText(0),
  Limit: limit,
  HistoryLimit: historyLimit,
  Offset: offset,
  RecordOffset: recordOffset,
  KillSwitchSeconds: killSwitchSeconds,
  UnixSeconds: unixSeconds,
  UnixTime: unixTime,
  Code: code,
  Passphrase: passphrase,
  Description: description,
  HexColour: hexColour,
  MaskedEmail: maskedEmail,
  Alias: identifier<SubAccount.Alias>(),
  KeyTitle: identifier<SubAccount.KeyTitle>(),
  Email: email,
  Unrecognised: unrecognised,
  OrderSide: orderSide,
  OrderType: orderType,
  ReceivedOrderStatus: orderStatus,
  SelfTradePrevention: selfTradePrevention,
  ActivationCondition: activationCondition,
  BboRole: bboRole,
  Role: role,
  PositionSide: positionSide,
  CancelAllType: cancelAllType,
  Leverage: fc.constantFrom(...Margin.leverages)
}

// -----------------------------------------------------------------------------
// From schemas to arbitraries
// -----------------------------------------------------------------------------

/**
 * Returns a schema and its nested schemas, keyed by identifier. Leaves out schemas without an identifier. Visits both
 * the decoded and the encoded side.
 */
export const identifiersIn = (ast: SchemaAST.AST): ReadonlyMap<string, SchemaAST.AST> => {
  const found = new Map<string, SchemaAST.AST>()
  const visit = (ast: SchemaAST.AST): void => {
    const identifier = SchemaAST.resolveIdentifier(ast)
    if (identifier !== undefined) found.set(identifier, ast)
    partsOf(ast).forEach(visit)
    ast.encoding?.forEach((link) => visit(link.to))
  }
  visit(ast)
  return found
}

const partsOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> => {
  switch (ast._tag) {
    case "Objects":
      return [
        ...ast.propertySignatures.map(({ type }) => type),
        ...ast.indexSignatures.flatMap(({ parameter, type }) => [parameter, type])
      ]
    case "Arrays":
      return [...ast.elements, ...ast.rest]
    case "Union":
      return ast.types
    case "Declaration":
      return ast.typeParameters
    default:
      return []
  }
}

/**
 * Reports a schema without an arbitrary, which is a defect of this module. A test checks the schemas of all endpoints.
 */
const missing = (what: string): never => Result.getOrThrowWith(Result.fail(what), () => new Error(what))

const record = (fields: ReadonlyArray<readonly [name: string, ast: SchemaAST.AST]>): fc.Arbitrary<object> =>
  fc.record(Object.fromEntries(fields.map(([name, ast]) => [name, valueOf(ast)])), {
    requiredKeys: fields.flatMap(([name, ast]) => SchemaAST.isOptional(ast) ? [] : [name]),
    noNullPrototype: true
  })

const isNotEmpty = (check: SchemaAST.Check<never>): boolean =>
  Constraint.fromAnnotations(check.annotations)?.kind === "notEmpty"

/** Returns the maximum length of a generated list: 4, or less if the schema's checks set a lower maximum. */
const longest = (checks: ReadonlyArray<SchemaAST.Check<never>> = []): number =>
  checks.reduce((most, { annotations }) => {
    const constraint = Constraint.fromAnnotations(annotations)
    return constraint?.kind === "elements" ? Math.min(most, constraint.max) : most
  }, 4)

/** Whole numbers within the bounds of the schema's checks; 0 to 99 without bounds. */
const countWithin = (checks: ReadonlyArray<SchemaAST.Check<never>> = []): fc.Arbitrary<number> => {
  const constraints = checks.flatMap(({ annotations }) => Constraint.fromAnnotations(annotations) ?? [])
  const min = constraints.flatMap((constraint) => constraint.kind === "min" ? [constraint.min] : [])
  const max = constraints.flatMap((constraint) => constraint.kind === "max" ? [constraint.max] : [])
  return fc.integer({ min: Math.max(0, ...min), max: max.length === 0 ? 99 : Math.min(...max) })
}

/** Decoded values of a schema. A constrained string must have an identifier, which names its brand. */
const valueOf = (ast: SchemaAST.AST): fc.Arbitrary<unknown> => {
  const identifier = SchemaAST.resolveIdentifier(ast)
  if (identifier !== undefined) {
    const found = brands[identifier]
    return found ?? missing(`no arbitrary for the brand ${identifier}`)
  }
  switch (ast._tag) {
    case "String":
      if (ast.checks?.every(isNotEmpty) === false) return missing("a string with constraints but no identifier")
      return anyText(ast.checks === undefined ? 0 : 1)
    case "Number":
      // A number without a brand is a count, such as a number of decimal places or book levels.
      return countWithin(ast.checks)
    case "Null":
      return fc.constant(null)
    case "Boolean":
      return fc.boolean()
    case "Void":
      return fc.constant(undefined)
    case "Literal":
      return fc.constant(ast.literal)
    case "Union":
      return fc.oneof(...ast.types.map(valueOf))
    case "Arrays":
      return fc.tuple(
        fc.tuple(...ast.elements.map(valueOf)),
        ...ast.rest.map((item) =>
          fc.array(valueOf(item), { minLength: ast.checks?.some(isNotEmpty) ? 1 : 0, maxLength: longest(ast.checks) })
        )
      ).map((lists) => lists.flat())
    case "Objects":
      return record(ast.propertySignatures.map(({ name, type }) => [String(name), type]))
    case "Declaration": {
      const [key, value] = ast.typeParameters
      if (key === undefined) return missing("a declaration that is neither a map nor redacted")
      if (value === undefined) return valueOf(key).map((secret) => Redacted.make(secret))
      return fc.array(fc.tuple(valueOf(key), valueOf(value)), { maxLength: 4 }).map((entries) => new Map(entries))
    }
    default:
      return missing(`no arbitrary for ${ast._tag}`)
  }
}

/**
 * The kinds of constraints that generated requests can violate, because fields are generated one by one: constraints
 * between several fields, or on an amount's digits.
 */
const acrossFields: ReadonlyArray<string> = ["required", "exclusive", "alone", "different", "after", "precision"]

/**
 * Valid requests of an endpoint; optional keys are sometimes absent. Fields are generated one by one, and requests that
 * violate only constraints between fields or on an amount's digits are filtered out. Requests with any other violation
 * are kept, because they reveal a defect in an arbitrary.
 */
export const anyRequest = <E extends Endpoint.Any>(
  endpoint: E,
  dialect: Dialect
): fc.Arbitrary<Endpoint.Request<E>> => {
  const { encodeRequest, shape: { fields } } = Endpoint.codec(endpoint, dialect)
  return record(Object.entries(fields).map(([name, schema]) => [name, schema.ast])).filter((request) =>
    Result.match(encodeRequest(request), {
      onSuccess: () => true,
      onFailure: (violations) => !violations.every(({ constraint }) => acrossFields.includes(constraint.kind))
    })
  ) as never
}

/** Valid requests of an endpoint whose order ids are safe integers, for tests that read bodies with `JSON.parse`. */
export const request = <E extends Endpoint.Any>(endpoint: E, dialect: Dialect): fc.Arbitrary<Endpoint.Request<E>> => {
  const { shape: { fields } } = Endpoint.codec(endpoint, dialect)
  const orderIds = Object.entries(fields).filter(([, { ast }]) => SchemaAST.resolveIdentifier(ast) === "OrderId")
  const names = new Set(orderIds.map(([name]) => name))
  return anyRequest(endpoint, dialect).map((request: object) =>
    Object.fromEntries(
      Object.entries(request).map(([name, value]) => [
        name,
        names.has(name) ? BigInt.asUintN(53, BigInt(String(value))).toString() : value
      ])
    )
  ) as never
}

/** Decoded responses of an endpoint. */
export const response = <E extends Endpoint.Any>(endpoint: E, dialect: Dialect): fc.Arbitrary<Endpoint.Response<E>> =>
  valueOf(endpoint.response(dialect).ast) as never

/** Decoded topics of a channel. */
export const topic = <C extends Channel.Any>(channel: C): fc.Arbitrary<Channel.Topic<C>> =>
  valueOf(channel.topic.ast) as never

/** Decoded messages of a channel. */
export const message = <C extends Channel.Any>(channel: C): fc.Arbitrary<Channel.Message<C>> =>
  valueOf(channel.update.ast) as never

/** Decoded parameters of a channel's query. */
export const params = <Q extends Channel.AnyQuery>(query: Q): fc.Arbitrary<Q["example"]> =>
  valueOf(query.params.ast) as never

/** Decoded responses to a channel's query. */
export const result = (query: Channel.AnyQuery): fc.Arbitrary<unknown> => valueOf(query.result.ast)

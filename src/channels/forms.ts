/** Wire formats that several channels share. */
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import type * as Pages from "../client/Pages.ts"
import { MarketName } from "../domain/Identifiers.ts"
import * as Order from "../domain/Order.ts"
import { Limit, RecordOffset } from "../domain/Paging.ts"
import { fromMicros, UnixTime } from "../domain/Time.ts"
import { positional } from "../protocol/Positional.ts"
import * as Wire from "../protocol/Wire.ts"

/**
 * An open enumeration whose values are numbers on the wire. An unlisted number is returned as a string of digits.
 * Strings of digits are also accepted, because older messages contain them instead of numbers.
 */
export const numbered = <A extends string>(
  schema: Schema.Codec<A, string>,
  names: ReadonlyArray<readonly [number, string]>
): Schema.Codec<A, number | string> => {
  const nameOf = new Map(names.map(([code, name]) => [code.toString(), name]))
  const codeOf = new Map(names.map(([code, name]) => [name, code]))
  const codes = Schema.Literals([...codeOf.values()])
  return Schema.Union([Schema.Int, Schema.String]).annotate(
    Wire.describedBy(() => Schema.Union([codes, Schema.Int, Schema.String]))
  ).pipe(
    Schema.decodeTo(schema, {
      decode: SchemaGetter.transform((code) => nameOf.get(code.toString()) ?? code.toString()),
      encode: SchemaGetter.transform((name): number | string =>
        codeOf.get(name) ?? (/^(?:0|[1-9][0-9]{0,8})$/u.test(name) ? Number(name) : name)
      )
    })
  )
}

/** A side: 1 (sell) or 2 (buy) on the wire. */
export const Side = numbered(Order.ReceivedSide, [[1, "sell"], [2, "buy"]])

/** A role: 1 (maker) or 2 (taker) on the wire. */
export const Role = numbered(Order.ReceivedRole, [[1, "maker"], [2, "taker"]])

/** The type of a position event or a borrow event: 1 (margin call) or 2 (liquidation) on the wire. */
export const liquidation = <A extends string>(schema: Schema.Codec<A, string>): Schema.Codec<A, number | string> =>
  numbered(schema, [[1, "margin_call"], [2, "liquidation"]])

/** A time: Unix milliseconds on the wire, Unix seconds in the domain. */
export const Millis: Schema.Codec<UnixTime, number> = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).pipe(
  Schema.decodeTo(UnixTime, {
    decode: SchemaGetter.transform((millis) => fromMicros(millis * 1000)),
    encode: SchemaGetter.transform((time) => Math.round(time * 1000))
  })
)

/** A message with a single value: `[value]` on the wire. */
export const single = <A>(value: Schema.Codec<A, unknown>): Schema.Codec<A, unknown> => {
  const list = Schema.Tuple([value])
  return list.annotate(Wire.describedBy(() => list)).pipe(
    Schema.decodeTo(Schema.toType(value), {
      decode: SchemaGetter.transform(([value]) => value),
      encode: SchemaGetter.transform((value) => [value] as const)
    })
  )
}

/** A record with a market: `[market, { … }]` on the wire. */
export const ofMarket = <A extends { readonly market: MarketName }>(
  { fields, schema }: Wire.Shape<Omit<A, "market">>
): Schema.Codec<A, unknown> =>
  // The casts are safe, because the record has the market and the shape's fields.
  positional<{ readonly market: MarketName; readonly body: Omit<A, "market"> }>({ market: MarketName, body: schema })
    .pipe(
      Schema.decodeTo(Schema.toType(Schema.Struct({ market: MarketName, ...fields })) as never, {
        decode: SchemaGetter.transform(({ body, market }) => ({ ...body, market }) as never),
        encode: SchemaGetter.transform(({ market, ...body }: A) => ({ market, body }) as never)
      })
    ) as never

/** A set of records: `{ "total": 1, "records": […] }` on the wire. */
export const whole = <A>(record: Schema.Codec<A, unknown>): Schema.Codec<ReadonlyArray<A>, unknown> =>
  Schema.Struct({ total: Schema.Int, records: Schema.Array(record) }).pipe(
    Schema.decodeTo(Schema.Array(Schema.toType(record)), {
      decode: SchemaGetter.transform(({ records }) => records),
      encode: SchemaGetter.transform((records) => ({ total: records.length, records }))
    })
  )

/**
 * Selects the page of a market's records that a query reads.
 *
 * @category models
 */
export interface PageRequest {
  /** The market, such as `BTC_USDT`. */
  readonly market: MarketName
  /** The index of the page's first record. */
  readonly offset: RecordOffset
  /** The maximum number of records on the page, 1 to 100. */
  readonly limit: Limit
}

/** The parameters `["BTC_USDT", 0, 100]`: a page of a market's records. */
export const pageRequest = positional<PageRequest>({ market: MarketName, offset: RecordOffset, limit: Limit })

/** Creates the schema of a page in a query's response. */
export const page = <A>(record: Schema.Codec<A, unknown>): Schema.Codec<Pages.Page<A>, unknown> =>
  Wire.answer<Pages.Page<A>>({ limit: Schema.Int, offset: Schema.Int, records: Schema.Array(record) }).schema

/** Creates the schema of a page in a query's response, with the total number of records. */
export const countedPage = <A>(record: Schema.Codec<A, unknown>): Schema.Codec<Pages.CountedPage<A>, unknown> =>
  Wire.answer<Pages.CountedPage<A>>({
    limit: Schema.Int,
    offset: Schema.Int,
    total: Schema.optionalKey(Schema.Int),
    records: Schema.Array(record)
  }).schema

/** Returns the elements that pass the test; `undefined` when no element passes. */
export const some = <A>(all: ReadonlyArray<A>, test: (one: A) => boolean): ReadonlyArray<A> | undefined => {
  const kept = all.filter(test)
  return kept.length === 0 ? undefined : kept
}

/**
 * Returns a map with only the given key; `undefined` when `all` does not contain the key. Without a key, returns `all`.
 */
export const entry = <K, V>(key: K | undefined, all: ReadonlyMap<K, V>): ReadonlyMap<K, V> | undefined => {
  if (key === undefined) return all
  const value = all.get(key)
  return value === undefined ? undefined : new Map([[key, value]])
}

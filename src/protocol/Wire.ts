/**
 * From the wire's keys and values to the domain's and back.
 *
 * The domain names things one way (`activationPrice`); the wire does not (`activation_price`, `activationCondition`).
 * A {@link Shape} is a struct of the domain together with its keys on the wire.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import * as Constraint from "../domain/Constraint.ts"
import { Decimal } from "../domain/Decimal.ts"
import * as Identifiers from "../domain/Identifiers.ts"
import * as Order from "../domain/Order.ts"
import * as Json from "./Json.ts"

/**
 * The wire value that stands for an absent field, in which objects it does, and whether the key must be there all the
 * same.
 *
 * @category models
 * @since 0.1.0
 */
export interface Absent {
  readonly value: string
  readonly when: (wire: Readonly<Record<string, unknown>>) => boolean
  readonly demanded: boolean
}

/**
 * A struct of the domain and how it is spelled on the wire.
 *
 * - `schema`: decodes a JSON object to the domain value, and encodes it back
 * - `fields`: the struct's fields, by domain name
 * - `keys`: the wire key of every field
 * - `nameOf`: the domain name of a wire key
 *
 * @category models
 * @since 0.1.0
 */
export interface Shape<A> {
  readonly schema: Schema.Codec<A, unknown>
  readonly fields: Schema.Struct.Fields
  readonly keys: Readonly<Record<string, string>>
  readonly nameOf: (wireKey: string) => string | undefined
}

/** @category models */
export type Any = Shape<unknown>

const JsonObject = Schema.declare(Json.isObject).annotate(Constraint.annotation({ kind: "type", type: "object" }))

/**
 * The schemas of a model's fields: one for each, of that field's type, and optional only where the field is.
 *
 * @category models
 * @since 0.1.0
 */
export type Fields<A extends object> = {
  readonly [K in keyof A]-?: FieldOf<A, K>
}

type FieldOf<A, K extends keyof A> = object extends Pick<A, K> ?
    | Schema.optionalKey<Schema.Codec<Exclude<A[K], undefined>, unknown>>
    | Schema.Codec<Exclude<A[K], undefined>, unknown>
  : Schema.Codec<A[K], unknown>

/**
 * How a model is spelled on the wire.
 *
 * @category models
 * @since 0.1.0
 */
export interface Spelling<A extends object> {
  /** The wire keys that differ from the domain's names. */
  readonly keys?: { readonly [K in keyof A]?: string }
  /** The wire values that mean "absent". */
  readonly absent?: { readonly [K in keyof A]?: Absent }
  /** What must hold between several fields, with the field that is at fault where it does not. */
  readonly constraints?: ReadonlyArray<{
    readonly field: keyof A & string
    readonly constraint: Constraint.Constraint
    readonly holds: (value: A) => boolean
  }>
}

/**
 * The wire form of a model: `struct<Request>({ market: MarketName, … })` names every field of `Request` with its schema.
 * A field that is missing, superfluous or of another type does not compile.
 *
 * @category constructors
 * @since 0.1.0
 */
export const struct: {
  <const F extends Schema.Struct.Fields>(
    fields: F,
    spelling?: Spelling<Schema.Struct.Type<F>>
  ): Shape<Schema.Struct.Type<F>>
  <A extends object>(fields: Fields<A>, spelling?: Spelling<A>): Shape<A>
} = (fields: object, spelling: object = {}) => shapeOf(fields as never, spelling) as never

/** The same without the model: the schema library's own types can't express that renaming keeps every field. */
const shapeOf = <A extends object>(
  fields: Schema.Struct.Fields,
  spelling: {
    readonly keys?: Readonly<Record<string, string>>
    readonly absent?: Readonly<Record<string, Absent>>
    readonly constraints?: Spelling<A>["constraints"]
  }
): Shape<A> => {
  const plan = Object.keys(fields).map((name) => ({
    name,
    key: spelling.keys?.[name] ?? name,
    absent: spelling.absent?.[name]
  }))
  const decode = (wire: Readonly<Record<string, unknown>>): Record<string, unknown> => {
    const value: Record<string, unknown> = {}
    for (const { absent, key, name } of plan) {
      const found = wire[key]
      if (found === undefined) {
        // Present but undefined, which no field admits: the schema then says what is missing.
        if (absent?.demanded === true) value[name] = undefined
      } else if (absent === undefined || found !== absent.value || !absent.when(wire)) value[name] = found
    }
    return value
  }
  const encode = (value: Readonly<Record<string, unknown>>): Record<string, unknown> => {
    const wire: Record<string, unknown> = {}
    for (const { key, name } of plan) if (value[name] !== undefined) wire[key] = value[name]
    for (const { absent, key, name } of plan) {
      if (value[name] === undefined && absent?.when(wire) === true) wire[key] = absent.value
    }
    return wire
  }
  const constraints = (spelling.constraints ?? []).map(({ field, holds, constraint }) =>
    Schema.makeFilter(
      (value: object) => holds(value as A) || { path: [field], issue: constraint.kind },
      Constraint.annotation(constraint)
    )
  )
  const [first, ...others] = constraints
  const plain = Schema.Struct(fields)
  const struct = first === undefined ? plain : plain.check(first, ...others)
  const names = new Map(plan.map(({ key, name }) => [key, name]))
  return {
    schema: JsonObject.pipe(
      Schema.decodeTo(struct, {
        decode: SchemaGetter.transform(decode as never),
        encode: SchemaGetter.transform(encode as never)
      })
    ) as never,
    fields,
    keys: Object.fromEntries(plan.map(({ key, name }) => [name, key])),
    nameOf: (key) => names.get(key) ?? (Object.hasOwn(fields, key) ? key : undefined)
  }
}

/**
 * An enumeration of the domain under other names on the wire. Names that the table does not know pass unchanged, to be
 * judged by the domain's schema. `written` names domain values that the wire has no name of its own for: they are written
 * as another, and never read.
 *
 * @category constructors
 * @since 0.1.0
 */
export const renamed = <A extends string>(
  schema: Schema.Codec<A, string>,
  table: { readonly [wire: string]: A },
  written: { readonly [name: string]: string } = {}
): Schema.Codec<A, string> => {
  const toDomain = new Map<string, string>(Object.entries(table))
  // The first name given for a domain value is the one that is written.
  const toWire = new Map<string, string>([
    ...Object.entries(table).toReversed().map(([wire, name]) => [name, wire] as const),
    ...Object.entries(written)
  ])
  const constraint = Constraint.fromAnnotations(schema.ast.annotations)
  const text = constraint === undefined ? Schema.String : Schema.String.annotate(Constraint.annotation(constraint))
  return text.pipe(Schema.decodeTo(schema, {
    decode: SchemaGetter.transform((wire) => toDomain.get(wire) ?? wire),
    encode: SchemaGetter.transform((name) => toWire.get(name) ?? name)
  }))
}

const toInteger = SchemaGetter.transform((text: string): number | bigint => {
  const id = Number(text)
  return Number.isSafeInteger(id) ? id : BigInt(text)
})

/** An identifier that is a JSON integer of any length on the wire, a text of digits in the domain. */
const integer = <A extends string>(schema: Schema.Codec<A, string>): Schema.Codec<A, number | bigint> =>
  Schema.Union([Schema.Int, Schema.BigInt]).pipe(
    Schema.decodeTo(schema, { decode: SchemaGetter.transform((id) => id.toString()), encode: toInteger })
  )

/**
 * An order's identifier: a JSON integer of any length on the wire, a text of digits in the domain.
 *
 * @category schemas
 * @since 0.1.0
 */
export const OrderId = integer(Identifiers.OrderId)

/**
 * A trade's identifier, as an order's.
 *
 * @category schemas
 * @since 0.1.0
 */
export const TradeId = integer(Identifiers.TradeId)

/**
 * A position's identifier, as an order's.
 *
 * @category schemas
 * @since 0.1.0
 */
export const PositionId = integer(Identifiers.PositionId)

const isInteger = Constraint.annotation({ kind: "type", type: "integer" })

/**
 * An order's identifier in a request: written as an integer, accepted as a text of digits too.
 *
 * @category schemas
 * @since 0.1.0
 */
export const RequestedOrderId = Schema.Union([
  Schema.Int,
  Schema.BigInt,
  Schema.String.check(Schema.isPattern(/^[0-9]+$/u, isInteger))
]).annotate(isInteger).pipe(
  Schema.decodeTo(
    // Whatever is wrong with one, on either side, the same constraint is broken.
    Schema.String.annotate(isInteger).check(Schema.isPattern(/^(?:0|[1-9][0-9]*)$/u, isInteger)).pipe(
      Schema.brand("OrderId")
    ).annotate({ identifier: "OrderId" }),
    {
      decode: SchemaGetter.transform((id) => id.toString()),
      encode: toInteger
    }
  )
)

/**
 * A decimal that an exchange may also write as a JSON number. Never written so.
 *
 * @category schemas
 * @since 0.1.0
 */
export const LooseDecimal = Schema.Union([Schema.String, Schema.Finite]).pipe(
  Schema.decodeTo(Decimal, {
    decode: SchemaGetter.transform((value) => value.toString()),
    encode: SchemaGetter.transform((text): string | number => text)
  })
)

/**
 * A whole number that a query carries as text.
 *
 * @category schemas
 * @since 0.1.0
 */
export const counted = (schema: Schema.Codec<number>): Schema.Codec<number, string> =>
  Schema.String.check(Schema.isPattern(/^-?(?:0|[1-9][0-9]{0,14})$/u, isInteger)).pipe(
    Schema.decodeTo(schema, {
      decode: SchemaGetter.transform((text) => Number(text)),
      encode: SchemaGetter.transform((count) => count.toString())
    })
  )

/**
 * An object whose keys are names, as a map.
 *
 * @category constructors
 * @since 0.1.0
 */
export const keyed = <K extends Schema.Record.Key, V>(
  key: K,
  value: Schema.Codec<V, unknown>
): Schema.Codec<ReadonlyMap<K["Type"], V>, unknown> =>
  // Keys are any text at first: a record whose keys have a schema would drop those that do not fit, without a word. The
  // map's own schema checks them.
  Schema.Record(Schema.String, value).pipe(
    Schema.decodeTo(Schema.ReadonlyMap(Schema.toType(key), Schema.toType(value)), {
      decode: SchemaGetter.transform((entries) => new Map(Object.entries(entries)) as never),
      encode: SchemaGetter.transform((map) => Object.fromEntries(map as never) as never)
    })
  ) as never

/**
 * A role in a trade: `1` is the maker, `2` the taker.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Role = Schema.Literals([1, 2]).pipe(
  Schema.decodeTo(Order.Role, {
    decode: SchemaGetter.transform((wire): Order.Role => wire === 1 ? "maker" : "taker"),
    encode: SchemaGetter.transform((role): 1 | 2 => role === "maker" ? 1 : 2)
  })
)

/**
 * A boolean that is 0 or 1 on the wire.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Bit = Schema.Literals([0, 1]).pipe(
  Schema.decodeTo(Schema.Boolean, {
    decode: SchemaGetter.transform((bit) => bit === 1),
    encode: SchemaGetter.transform((flag): 0 | 1 => flag ? 1 : 0)
  })
)

const bboRoles = Constraint.annotation({ kind: "oneOf", values: [1, 2] })

/**
 * The role at the best bid or offer: 1 (queue) or 2 (counterparty) on the wire.
 *
 * @category schemas
 * @since 0.1.0
 */
export const BboRole = Schema.Literals([1, 2]).annotate(bboRoles).pipe(
  Schema.decodeTo(Order.BboRole.annotate(bboRoles), {
    decode: SchemaGetter.transform((wire): Order.BboRole => wire === 1 ? "queue" : "counterparty"),
    encode: SchemaGetter.transform((role): 1 | 2 => role === "queue" ? 1 : 2)
  })
)

/**
 * A count of digits that the wire writes as text (`stockPrec: "6"`).
 *
 * @category schemas
 * @since 0.1.0
 */
export const Digits = Schema.String.check(Schema.isPattern(/^(?:0|[1-9][0-9]?)$/u)).pipe(
  Schema.decodeTo(Schema.Int, {
    decode: SchemaGetter.transform((text) => Number(text)),
    encode: SchemaGetter.transform((digits) => digits.toString())
  })
)

/**
 * An answer that tells the domain nothing but that the call succeeded. `accepts` says which JSON does (`undefined` is an
 * empty body), `written` is what an exchange answers.
 *
 * @category constructors
 * @since 0.1.0
 */
export const acknowledged = (
  written: object,
  accepts: (wire: unknown) => boolean
): Schema.Codec<void, unknown> =>
  Schema.Unknown.check(Schema.makeFilter(accepts, { expected: "an acknowledgement" })).pipe(
    Schema.decodeTo(Schema.Void, {
      decode: SchemaGetter.transform(() => undefined),
      encode: SchemaGetter.transform((): unknown => written)
    })
  )

/**
 * Converts the wire's keys and values to the domain's names and values, and back.
 *
 * The domain has one naming style (`activationPrice`); the wire has several (`activation_price`,
 * `activationCondition`). A {@link Shape} is a domain model together with its wire keys.
 */
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaGetter from "effect/SchemaGetter"
import * as Constraint from "../domain/Constraint.ts"
import { Decimal } from "../domain/Decimal.ts"
import * as Identifiers from "../domain/Identifiers.ts"
import * as Order from "../domain/Order.ts"
import * as Compiled from "./Compiled.ts"
import * as Json from "./Json.ts"
import * as MapReader from "./MapReader.ts"
import type * as ObjectReader from "./ObjectReader.ts"
import { refused, tally, undecided } from "./Parser.ts"
import * as WireNames from "./WireNames.ts"

/** A wire value that means "absent": see {@link WireNames.Absent}. */
export type Absent = WireNames.Absent

/** A JSON key that combines several fields: see {@link WireNames.Joint}. */
export type Joint = WireNames.Joint

/** A domain model with its schema and wire keys. */
export interface Shape<A> {
  /** Decodes a JSON object to the model, and encodes the model as a JSON object. */
  readonly schema: Schema.Codec<A, unknown>
  /** The schema of every field, keyed by the field's domain name. */
  readonly fields: Schema.Struct.Fields
  /** The wire key of every field, keyed by the field's domain name. */
  readonly keys: Readonly<Record<string, string>>
  /** The wire keys of fields that this dialect does not have, but the other dialect has: see {@link none}. */
  readonly foreign: ReadonlyArray<string>
  /**
   * Finds a field's domain name, given its wire key, its domain name, or the domain name with underscores, which the
   * live exchange's errors may use; `undefined` if there is no such field.
   */
  readonly nameOf: (wireKey: string) => string | undefined
  /**
   * Returns the missing fields that the values of other fields make mandatory. `value` is a domain object or a wire
   * object, depending on `side`.
   */
  readonly missing: (value: unknown, side: "domain" | "wire") => ReadonlyArray<string>
}

/** The shape of any model. */
export type Any = Shape<unknown>

const JsonObject = Schema.declare(Json.isObject).annotate(Constraint.annotation({ kind: "type", type: "object" }))

/**
 * A schema for each field of a model, with the field's type. The schema may require a field that is optional in the
 * model, because the field may be mandatory in one dialect.
 */
export type Fields<A extends object> = {
  readonly [K in keyof A]-?: FieldOf<A, K>
}

type FieldOf<A, K extends keyof A> = object extends Pick<A, K> ?
    | Schema.optionalKey<Schema.Codec<Exclude<A[K], undefined>, unknown>>
    | Schema.Codec<Exclude<A[K], undefined>, unknown>
  : Schema.Codec<A[K], unknown>

/** How a model's keys and values on the wire differ from those in the domain. */
export interface Spelling<A extends object> {
  /** The wire keys that differ from the domain names. */
  readonly keys?: { readonly [K in keyof A]?: string }
  /** The wire values that mean "absent". */
  readonly absent?: { readonly [K in keyof A]?: Absent }
  /** The constraints between several fields. */
  readonly constraints?: ReadonlyArray<Between<A>>
  /** A wire key that combines several fields. */
  readonly joint?: Joint
}

/** A constraint between several fields of a model. */
export interface Between<A extends object> {
  /** The field to report as invalid if the constraint does not hold. */
  readonly field: keyof A & string
  /** The constraint to report as broken. */
  readonly constraint: Constraint.Constraint
  /** Whether the constraint holds. */
  readonly holds: (value: A) => boolean
}

/**
 * Creates the shape of a model. `struct<Request>({ market: MarketName, … })` lists every field of `Request` with its
 * schema. If a field is missing, unknown or has a schema of a different type, the code does not compile.
 */
export const struct = <A extends object>(fields: Fields<A>, spelling: Spelling<A> = {}): Shape<A> =>
  shapeOf(fields as never, spelling as never, false)

/**
 * Creates the shape of a part of a response. It is like {@link struct}, but `null` means that an optional field is
 * absent, unless the field's schema accepts `null`. So an unexpected `null` does not make an entire page unreadable.
 */
export const answer = <A extends object>(fields: Fields<A>, spelling: Spelling<A> = {}): Shape<A> =>
  shapeOf(fields as never, spelling as never, true)

/**
 * The schema of a field that the dialect does not have. The field is omitted from the shape, and is neither read nor
 * written.
 */
export const none: Schema.optionalKey<typeof Schema.Never> = Schema.optionalKey(Schema.Never)

const planKey = "effect-txc/wire-names"

/**
 * Returns a model's wire names, given its schema's node. Returns `undefined` if the schema was not created by
 * {@link struct} or {@link answer}.
 */
export const planOf = ({ annotations }: SchemaAST.AST): WireNames.Plan | undefined =>
  // Only `shapeOf` writes this key, so the type is known.
  annotations?.[planKey] as WireNames.Plan | undefined

const describedKey = "effect-txc/described"

/**
 * Creates an annotation for a codec's wire side: the schema of its wire format, for protocol descriptions such as
 * OpenAPI. This is needed if the wire side itself accepts more values than the wire format allows, because the codec
 * checks the values only later.
 */
export const describedBy = (schema: () => Schema.Constraint): { readonly [describedKey]: () => Schema.Constraint } => ({
  [describedKey]: schema
})

/** Returns the wire format that was annotated with {@link describedBy}, if any. */
export const descriptionOf = ({ annotations }: SchemaAST.AST): Schema.Constraint | undefined =>
  // Only `describedBy` writes this key, so the type is known.
  (annotations?.[describedKey] as (() => Schema.Constraint) | undefined)?.()

const definedKey = "effect-txc/defined"

/**
 * Creates an annotation that gives a model a name, so that protocol descriptions such as OpenAPI define the model only
 * once. A code generator names the type of an unnamed model after the field that contains it. Then two different models
 * might get the same name, and one model might become several types.
 */
export const definedAs = (name: string): { readonly [definedKey]: string } => ({ [definedKey]: name })

/** Returns the name that was annotated with {@link definedAs}, if any. */
export const definitionOf = ({ annotations }: SchemaAST.AST): string | undefined =>
  // Only `definedAs` writes this key, so the type is known.
  annotations?.[definedKey] as string | undefined

const isNullable = ({ ast }: Schema.Constraint): boolean =>
  SchemaAST.isOptional(ast) && Compiled.compile(SchemaAST.toType(ast))(null) === refused

const once = <A>(make: () => A): () => A => {
  let made: A | undefined
  return () => made ??= make()
}

const camelCase = (key: string): string => key.replace(/_([a-z])/gu, (_, letter: string) => letter.toUpperCase())

/**
 * Creates a shape. The fields' types are not checked here, because Effect's schema types can't express that renaming
 * preserves every field; {@link struct} and {@link answer} check them.
 */
const shapeOf = <A extends object>(
  declared: Schema.Struct.Fields,
  spelling: {
    readonly keys?: Readonly<Record<string, string>>
    readonly absent?: Readonly<Record<string, Absent>>
    readonly constraints?: Spelling<A>["constraints"]
    readonly joint?: Joint
  },
  nullsAreAbsent: boolean
): Shape<A> => {
  const fields = Object.fromEntries(Object.entries(declared).filter(([, schema]) => schema !== none))
  const keyOf = (name: string) => spelling.keys?.[name] ?? name
  const plan: WireNames.Plan = {
    joint: spelling.joint,
    fields: Object.entries(fields).map(([name, schema]) => ({
      name,
      key: keyOf(name),
      absent: spelling.absent?.[name],
      nullIsAbsent: nullsAreAbsent ? once(() => isNullable(schema)) : () => false
    }))
  }
  const constraints = (spelling.constraints ?? []).map(({ field, holds, constraint }) =>
    Schema.makeFilter(
      (value: object) => holds(value as A) || { path: [field], issue: constraint.kind },
      Constraint.annotation(constraint)
    )
  )
  const [first, ...others] = constraints
  const plain = Schema.Struct(fields).annotate({ [planKey]: plan })
  const struct = first === undefined ? plain : plain.check(first, ...others)
  const names = new Map(plan.fields.map(({ key, name }) => [key, name]))
  return {
    schema: JsonObject.pipe(
      Schema.decodeTo(struct, {
        decode: SchemaGetter.transform(WireNames.decode(plan) as never),
        encode: SchemaGetter.transform(WireNames.encode(plan) as never)
      })
    ) as never,
    fields,
    keys: Object.fromEntries(plan.fields.map(({ key, name }) => [name, key])),
    foreign: Object.keys(declared).filter((name) => !Object.hasOwn(fields, name)).map(keyOf),
    missing: (value, side) => {
      if (!Json.isObject(value)) return []
      const named = side === "domain"
        ? value
        : Object.fromEntries(plan.fields.map(({ key, name }) => [name, value[key]]))
      return (spelling.constraints ?? []).flatMap(({ constraint, field, holds }) =>
        constraint.kind === "required" && !holds(named as A) ? [field] : []
      )
    },
    nameOf: (key) => names.get(key) ?? [key, camelCase(key)].find((name) => Object.hasOwn(fields, name))
  }
}

/**
 * Creates the codec of an enumeration whose values have different names on the wire. `table` maps wire names to domain
 * names. If several wire names have the same domain name, the first is written. Names that are not in the table stay
 * the same. `written` maps domain names to wire names for writing only, and takes precedence over `table`.
 */
export const renamed = <A extends string>(
  schema: Schema.Codec<A, string>,
  table: { readonly [wire: string]: A },
  written: { readonly [name: string]: string } = {}
): Schema.Codec<A, string> => {
  const toDomain = new Map<string, string>(Object.entries(table))
  // The table is reversed, because in a `Map` the last entry takes precedence, but here the first wire name must win.
  const toWire = new Map<string, string>([
    ...Object.entries(table).toReversed().map(([wire, name]) => [name, wire] as const),
    ...Object.entries(written)
  ])
  const known = Constraint.fromAnnotations(schema.ast.annotations)
  // A refusal lists the values by the names that a caller can send.
  const constraint = known?.kind === "oneOf"
    ? { ...known, values: known.values.map((name) => toWire.get(`${name}`) ?? name) }
    : known
  const annotated = constraint === undefined ? {} : Constraint.annotation(constraint)
  return Schema.String.annotate(annotated).pipe(Schema.decodeTo(schema.annotate(annotated), {
    decode: SchemaGetter.transform((wire) => toDomain.get(wire) ?? wire),
    encode: SchemaGetter.transform((name) => toWire.get(name) ?? name)
  }))
}

const toInteger = SchemaGetter.transform((text: string): number | bigint => {
  const id = Number(text)
  return Number.isSafeInteger(id) ? id : BigInt(text)
})

/**
 * An integer that is too large for a JavaScript number: see `Json.parse`. `Schema.BigInt` would also accept strings of
 * digits, and make bundles larger.
 */
export const LargeInteger = Schema.declare((value): value is bigint => typeof value === "bigint", {
  expected: "bigint"
})

/** An identifier: a JSON integer of any length on the wire, a string of digits in the domain. */
const integer = <A extends string>(schema: Schema.Codec<A, string>): Schema.Codec<A, number | bigint> =>
  Schema.Union([Schema.Int, LargeInteger]).pipe(
    Schema.decodeTo(schema, {
      decode: SchemaGetter.transform(Compiled.fused(digitsOf, readInteger)),
      encode: toInteger
    })
  )

const digitsOf = (id: number | bigint): string => `${id}`

const readInteger: Compiled.Fused = (compile, _, target) => {
  const read = compile(target)
  return (id) => typeof id === "bigint" || isSafeInteger(id) ? read(digitsOf(id)) : refused
}

const isSafeInteger = (value: unknown): value is number => Number.isSafeInteger(value)

/** An order's identifier: a JSON integer of any length on the wire, a string of digits in the domain. */
export const OrderId = integer(Identifiers.OrderId)

/** A trade's identifier: a JSON integer of any length on the wire, a string of digits in the domain. */
export const TradeId = integer(Identifiers.TradeId)

/** A position's identifier: a JSON integer of any length on the wire, a string of digits in the domain. */
export const PositionId = integer(Identifiers.PositionId)

const isInteger = Constraint.annotation({ kind: "type", type: "integer" })

const requestedId = Schema.Union([
  Schema.Int,
  LargeInteger,
  Schema.String.check(Schema.isPattern(/^[0-9]+$/u, isInteger))
]).annotate(isInteger)

/** Every invalid value breaks the same constraint, both on the wire and in the domain. */
const digits = Schema.String.annotate(isInteger).check(Schema.isPattern(/^(?:0|[1-9][0-9]*)$/u, isInteger))

const toRequested = {
  decode: SchemaGetter.transform((id: number | bigint | string) => id.toString()),
  encode: toInteger
}

/** An order's identifier in a request: written as a JSON integer, read as an integer or a string of digits. */
export const RequestedOrderId = requestedId.pipe(
  Schema.decodeTo(digits.pipe(Schema.brand("OrderId")).annotate({ identifier: "OrderId" }), toRequested)
)

/** A position's identifier in a request: written as a JSON integer, read as an integer or a string of digits. */
export const RequestedPositionId = requestedId.pipe(
  Schema.decodeTo(digits.pipe(Schema.brand("PositionId")).annotate({ identifier: "PositionId" }), toRequested)
)

/**
 * Formats a number without an exponent. JavaScript formats very small and very large numbers with an exponent, such as
 * `1.5e-7`.
 */
const plain = (value: number | bigint): string => {
  const [, sign = "", whole = "", fraction = "", exponent] =
    /^(-?)([0-9]+)(?:\.([0-9]+))?(?:e([+-][0-9]+))?$/u.exec(value.toString()) ?? []
  if (exponent === undefined) return value.toString()
  const digits = whole + fraction
  const point = whole.length + Number(exponent)
  return point <= 0
    ? `${sign}0.${"0".repeat(-point)}${digits}`
    : `${sign}${digits.padEnd(point, "0")}`
}

/**
 * Creates the codec of a decimal that is read from a string or a JSON number, and always written as a string. Every
 * invalid value breaks the constraint `decimal`, both on the wire and in the domain.
 */
export const loose = <A extends string>(
  schema: Schema.Codec<A, string>
): Schema.Codec<A, string | number | bigint> => {
  const isDecimal = Constraint.annotation({ kind: "decimal" })
  return Schema.Union([Schema.String, Schema.Finite, LargeInteger]).annotate(isDecimal).pipe(
    Schema.decodeTo(schema, {
      decode: SchemaGetter.transform((value) => typeof value === "string" ? value : plain(value)),
      encode: SchemaGetter.transform((text): string | number | bigint => text)
    })
  )
}

/** A decimal that is read from a string or a JSON number, and always written as a string. */
export const LooseDecimal = loose(Decimal)

/**
 * Creates the codec of an integer that is a string of digits on the wire, as in a query string. `schema` checks its
 * bounds.
 */
export const counted = <A extends number>(schema: Schema.Codec<A, number>): Schema.Codec<A, string> =>
  Schema.String.check(Schema.isPattern(/^-?(?:0|[1-9][0-9]{0,14})$/u, isInteger)).pipe(
    Schema.decodeTo(schema, {
      decode: SchemaGetter.transform((text) => Number(text)),
      encode: SchemaGetter.transform((count: number) => count.toString())
    })
  )

/**
 * Creates the codec of a JSON object whose keys are data, such as tickers. In the domain, this is a map. A single
 * invalid key or value makes the entire object invalid.
 */
export const keyed = <K extends Schema.Record.Key, V>(
  key: K,
  value: Schema.Codec<V, unknown>
): Schema.Codec<ReadonlyMap<K["Type"], V>, unknown> =>
  // A record with a key schema would silently drop invalid keys. So this record accepts any key, and the map's schema
  // checks the keys.
  Schema.Record(Schema.String, value).pipe(
    Schema.decodeTo(Schema.ReadonlyMap(Schema.toType(key), Schema.toType(value)), {
      decode: SchemaGetter.transform(
        Compiled.fused((entries) => new Map(Object.entries(entries)) as never, readEntries(key, value))
      ),
      encode: SchemaGetter.transform(
        Compiled.fused((map) => Object.fromEntries(map as never) as never, writeEntries(key, value))
      )
    })
  ) as never

const readEntries = (key: Schema.Constraint, value: Schema.Constraint): Compiled.Fused => (compile) => {
  const make = MapReader.maker(compile(SchemaAST.toType(key.ast)), compile(value.ast))
  return (entries) => Json.isObject(entries) ? make(entries) : refused
}

const writeEntries = (key: Schema.Constraint, value: Schema.Constraint): Compiled.Fused => (compile) => {
  const isKey = compile(SchemaAST.toType(key.ast))
  const write = compile(SchemaAST.flip(value.ast))
  return (map) => {
    if (!(map instanceof Map)) return refused
    const entries: Record<string, unknown> = {}
    for (const [name, given] of map) {
      const written = write(given)
      if (written === refused || isKey(name) === refused) return refused
      // An assignment does not create a key with this name, so the schema decides.
      if (name === "__proto__") return undecided()
      entries[name] = written
    }
    return entries
  }
}

/**
 * Creates the codec of a response in the envelope of API V1, `{ success, message, result }`. In the domain, this is
 * only the result. If `success` is present, it must be `true` or `null`. `success` and `message` may be missing,
 * because some recorded responses do not have them.
 */
export const wrapped = <A>(schema: Schema.Codec<A, unknown>): Schema.Codec<A, unknown> => {
  const envelope = Schema.Struct({
    success: Schema.optionalKey(Schema.NullOr(Schema.Literal(true))),
    message: Schema.optionalKey(Schema.NullOr(Schema.String)),
    result: schema
  })
  return envelope.annotate(describedBy(() => envelope)).pipe(
    Schema.decodeTo(Schema.toType(schema), {
      decode: SchemaGetter.transform(({ result }) => result),
      encode: SchemaGetter.transform((result: A) => ({ success: true, message: null, result }))
    })
  )
}

/**
 * Creates the codec of a response that the exchange used to send in an older format, which `form` describes. `read`
 * converts the older format to the current format, and returns all other values unchanged. Only the current format is
 * written.
 */
export const older = <A>(
  schema: Schema.Codec<A, unknown>,
  form: () => Schema.Constraint,
  read: (wire: unknown) => unknown
): Schema.Codec<A, unknown> =>
  Schema.Unknown.annotate(describedBy(() => Schema.Union([schema, form()]))).pipe(
    Schema.decodeTo(schema, {
      decode: SchemaGetter.transform(Compiled.fused((wire: unknown) => read(wire), (compile, _, target) => {
        const parse = compile(target)
        return (wire) => {
          const now = read(wire)
          const { keys } = tally
          const value = parse(now)
          // The keys of a converted value are not those of the response, so they are not counted.
          if (now !== wire) tally.keys = keys
          return value
        }
      })),
      encode: SchemaGetter.transform((wire: unknown) => wire)
    })
  )

/** Creates the codec of a list in the envelope of {@link wrapped}. In the older format, the list had no envelope. */
export const wrappedList = <A>(
  reading: typeof older,
  item: Schema.Codec<A, unknown>
): Schema.Codec<ReadonlyArray<A>, unknown> =>
  reading(
    wrapped(Schema.Array(item)),
    () => Schema.Array(item),
    (wire) => Array.isArray(wire) ? { result: wire } : wire
  )

/** Creates the codec of a JSON object whose only field, `key`, is a string. In the domain, this is just the string. */
export const inside = <A extends string>(key: string, schema: Schema.Codec<A, string>): Schema.Codec<A, unknown> =>
  Schema.Struct({ [key]: Schema.String }).annotate(describedBy(() => Schema.Struct({ [key]: schema }))).pipe(
    Schema.decodeTo(schema, {
      decode: SchemaGetter.transform(
        Compiled.fused((wire: ObjectReader.Fields) => wire[key] as string, (compile, _, target) => {
          const read = compile(target)
          return (wire) => {
            if (!Json.isObject(wire)) return refused
            const found = read(wire[key])
            if (found !== refused) tally.keys++
            return found
          }
        })
      ),
      encode: SchemaGetter.transform(
        Compiled.fused((text: string) => ({ [key]: text }), (compile, source) => {
          const write = compile(source)
          return (text) => {
            const written = write(text)
            return written === refused ? written : { [key]: written }
          }
        })
      )
    })
  )

/** A role in a trade: 1 (maker) or 2 (taker) on the wire. */
export const Role = Schema.Literals([1, 2]).pipe(
  Schema.decodeTo(Order.Role, {
    decode: SchemaGetter.transform((wire): Order.Role => wire === 1 ? "maker" : "taker"),
    encode: SchemaGetter.transform((role): 1 | 2 => role === "maker" ? 1 : 2)
  })
)

/** A boolean: 0 (`false`) or 1 (`true`) on the wire. */
export const Bit = Schema.Literals([0, 1]).pipe(
  Schema.decodeTo(Schema.Boolean, {
    decode: SchemaGetter.transform((bit) => bit === 1),
    encode: SchemaGetter.transform((flag): 0 | 1 => flag ? 1 : 0)
  })
)

const bboRoles = Constraint.annotation({ kind: "oneOf", values: [1, 2] })

/** An order's role at the best bid or offer: 1 (queue) or 2 (counterparty) on the wire (the document, Endpoints §3). */
export const BboRole = Schema.Literals([1, 2]).annotate(bboRoles).pipe(
  Schema.decodeTo(Order.BboRole.annotate(bboRoles), {
    decode: SchemaGetter.transform((wire): Order.BboRole => wire === 1 ? "queue" : "counterparty"),
    encode: SchemaGetter.transform((role): 1 | 2 => role === "queue" ? 1 : 2)
  })
)

const countOf = (pattern: RegExp) =>
  Schema.String.check(Schema.isPattern(pattern)).pipe(
    Schema.decodeTo(Schema.Int, {
      decode: SchemaGetter.transform((text) => Number(text)),
      encode: SchemaGetter.transform((digits) => digits.toString())
    })
  )

/** A number of digits, 0 to 99, which is a string on the wire (`stockPrec: "6"`). */
export const Digits = countOf(/^(?:0|[1-9][0-9]?)$/u)

/**
 * A number of digits after the decimal point, -9 to 99, which is a string on the wire. If it is negative, values are
 * multiples of a power of ten: 1000 for -3.
 */
export const SignedDigits = countOf(/^(?:0|-[1-9]|[1-9][0-9]?)$/u)

/**
 * Whether a JSON value reports a failure, in a form that no successful response of this API has: `error`, non-empty
 * `errors`, `success: false` or `status: "error"`.
 */
export const saysError = (json: unknown): boolean => {
  if (!Json.isObject(json)) return false
  const { error, errors, status, success } = json
  const isEmpty = errors === undefined || errors === null ||
    (typeof errors === "object" && Object.keys(errors).length === 0)
  return success === false || status === "error" || !isEmpty || (error !== undefined && error !== null)
}

/**
 * Whether a JSON value can be the body of a successful response whose body is not documented: any list, and any object
 * that reports no error. A string, a number, a boolean or `null` can't.
 */
export const saysSuccess = (json: unknown): boolean =>
  Array.isArray(json) ||
  (Json.isObject(json) && !saysError(json) && !("error" in json) && !("code" in json && "message" in json))

/**
 * Creates the codec of a response that only acknowledges the call. `accepts` decides which JSON values are
 * acknowledgements; `undefined` stands for an empty body. An exchange sends `written`.
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

/**
 * Creates the codec of the response to a call that returns no data, which is written as `[]`. The live exchange's
 * documentation shows no other successful response to such a call, so its dialect accepts only `[]`. The document shows
 * no response at all, so its dialect accepts any list, and any object that reports no error.
 */
export const emptyList = ({ demandsAll }: { readonly demandsAll: boolean }): Schema.Codec<void, unknown> =>
  acknowledged([], demandsAll ? saysSuccess : (wire) => Array.isArray(wire) && wire.length === 0)

/**
 * Converts between a JSON object and a domain value, field by field.
 *
 * Each direction is implemented twice: as a transformation between two schemas, which is the reference, and as a parser
 * that is compiled with the fields' schemas. The parser is faster: it creates no intermediate object. The tests of
 * `Compiled` compare the two implementations.
 */
import * as SchemaAST from "effect/SchemaAST"
import * as Compiled from "./Compiled.ts"
import * as Json from "./Json.ts"
import * as ObjectReader from "./ObjectReader.ts"
import { anything, type Parser, refused, tally, undecided } from "./Parser.ts"

/** A wire value that means "absent", such as `""` for a client order id. */
export interface Absent {
  /** The wire value, exactly as written. */
  readonly value: string | number | null
  /** Whether `value` means "absent" in this wire object. If not, it is an ordinary value. */
  readonly when: (wire: ObjectReader.Fields) => boolean
  /** Whether the wire object must contain the key even if the field is absent. */
  readonly demanded: boolean
  /** Whether to write `value` if the field is absent. Default `true`. */
  readonly written?: boolean
}

/** A JSON key that combines several fields. */
export interface Joint {
  /** Splits the key into its fields, and returns the new wire object. Called before the fields are read. */
  readonly split: (wire: ObjectReader.Fields) => ObjectReader.Fields
  /** Joins the fields into the key, and returns the new wire object. Called after the fields are written. */
  readonly join: (wire: ObjectReader.Fields) => ObjectReader.Fields
}

/** A field: its domain name, its wire key, and the values that mean "absent". */
export interface Field {
  /** The domain name. */
  readonly name: string
  /** The wire key. */
  readonly key: string
  /** The wire value that means that the field is absent, if there is one. */
  readonly absent: Absent | undefined
  /** Whether `null` means that the field is absent. Called only if the field's value is `null`. */
  readonly nullIsAbsent: () => boolean
}

/** The wire names of a model: its fields, and the wire key that combines several of them, if any. */
export interface Plan {
  /** The fields, in the order of the model's schema. */
  readonly fields: ReadonlyArray<Field>
  /** The wire key that combines several fields. */
  readonly joint: Joint | undefined
}

const isAbsent = ({ absent, nullIsAbsent }: Field, found: unknown, wire: ObjectReader.Fields): boolean =>
  found === null && nullIsAbsent() || absent !== undefined && found === absent.value && absent.when(wire)

const isWritten = (absent: Absent | undefined, wire: ObjectReader.Fields): absent is Absent =>
  absent !== undefined && absent.when(wire) && absent.written !== false

/** Returns a function that renames a JSON object's keys to domain names. The model's schema then decodes the values. */
export const decode = (plan: Plan): (given: ObjectReader.Fields) => ObjectReader.Fields =>
  Compiled.fused((given) => {
    const wire = plan.joint === undefined ? given : plan.joint.split(given)
    const value: Record<string, unknown> = {}
    for (const field of plan.fields) {
      const found = wire[field.key]
      if (found === undefined) {
        // The schema will report this key as missing, because no field accepts `undefined`.
        if (field.absent?.demanded === true) value[field.name] = undefined
      } else if (!isAbsent(field, found, wire)) value[field.name] = found
    }
    return value
  }, (compile, _, target) => isCompiled(target) ? decoded(plan, target, compile) : undefined)

/** Returns a function that renames a model's encoded fields to their wire keys. */
export const encode = (plan: Plan): (value: ObjectReader.Fields) => ObjectReader.Fields =>
  Compiled.fused((value) => {
    const wire: Record<string, unknown> = {}
    for (const { key, name } of plan.fields) if (value[name] !== undefined) wire[key] = value[name]
    for (const { absent, key, name } of plan.fields) {
      if (value[name] === undefined && isWritten(absent, wire)) wire[key] = absent.value
    }
    return plan.joint === undefined ? wire : plan.joint.join(wire)
  }, (compile, source) => isCompiled(source) ? encoded(plan, source, compile) : undefined)

/** Whether a model is a struct whose parser can be compiled. */
export const isCompiled = (model: SchemaAST.AST): model is SchemaAST.Objects =>
  SchemaAST.isObjects(model) && model.propertySignatures.every(({ type }) => Compiled.keepsNothing(type))

/** A field with its compiled schema. */
interface Parsed extends Field {
  readonly parse: Parser
  readonly isOptional: boolean
}

const parsedFields = (
  { fields }: Plan,
  { propertySignatures }: SchemaAST.Objects,
  compile: Compiled.Compile
): ReadonlyArray<Parsed> => {
  const types = new Map(propertySignatures.map(({ name, type }) => [name, type]))
  return fields.flatMap((field) => {
    const type = types.get(field.name)
    return type === undefined ? [] : [{
      ...field,
      parse: compile(type),
      isOptional: SchemaAST.isOptional(type)
    }]
  })
}

const decoded = (plan: Plan, model: SchemaAST.Objects, compile: Compiled.Compile): Parser | undefined => {
  const make = ObjectReader.maker(
    parsedFields(plan, model, compile).map((field) => ({
      from: field.key,
      to: field.name,
      parse: field.parse,
      isOptional: field.isOptional,
      isDemanded: field.absent?.demanded === true,
      isAbsent: field.isOptional || field.absent !== undefined
        ? (found, wire) => isAbsent(field, found, wire)
        : undefined
    }))
  )
  const accepts = Compiled.checksOf(model, "output")
  const split = plan.joint?.split
  return make && ((given) => {
    if (!Json.isObject(given)) return refused
    const wire = split === undefined ? given : split(given)
    const { keys } = tally
    const made = make(wire)
    if (wire !== given) tally.keys = keys
    return made === refused || accepts === undefined || accepts(made) ? made : refused
  })
}

const encoded = (plan: Plan, model: SchemaAST.Objects, compile: Compiled.Compile): Parser | undefined => {
  const fields = parsedFields(plan, model, compile)
  const write = ObjectReader.maker(
    fields.map(({ isOptional, key, name, parse }) => ({ from: name, to: key, parse, isOptional }))
  )
  const see = ObjectReader.maker(
    fields.map(({ isOptional, name }) => ({ from: name, to: name, parse: anything, isOptional }))
  )
  const accepts = Compiled.checksOf(model, "input")
  const writtenWhenAbsent = fields.filter(({ absent }) => absent !== undefined && absent.written !== false)
  const join = plan.joint?.join
  return write && see && ((value) => {
    if (!Json.isObject(value)) return refused
    // Copies the value, so that each field is read once. The constraints then check the same values that are written,
    // even if a getter returns a different value each time.
    const seen = accepts === undefined ? value : see(value)
    if (!Json.isObject(seen)) return refused
    const wire = write(seen)
    if (!isWire(wire)) return refused
    // If the value has a field that this dialect does not have, a constraint might read that field, so the schema
    // decides.
    if (accepts !== undefined && Object.keys(value).length > Object.keys(seen).length) return undecided()
    if (accepts !== undefined && !accepts(seen)) return refused
    for (const { absent, key } of writtenWhenAbsent) {
      if (wire[key] === undefined && isWritten(absent, wire)) wire[key] = absent.value
    }
    return join === undefined ? wire : join(wire)
  })
}

/** Whether a reader has created an object, instead of refusing the input. The object is new, so it may be changed. */
const isWire = (made: unknown): made is Record<string, unknown> => made !== refused

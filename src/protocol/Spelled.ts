/**
 * How the fields of a model are moved between a JSON object and a value of the domain.
 *
 * Each direction is written twice: as a transformation between two schemas, which is the reference, and compiled together
 * with the schemas of the fields, which reads each field once and makes no object in between. The tests of
 * `Compiled` hold one against the other.
 *
 * @since 0.1.0
 */
import * as SchemaAST from "effect/SchemaAST"
import * as Compiled from "./Compiled.ts"
import * as Json from "./Json.ts"

/**
 * An object of the wire or of the domain, before anything is known of its fields.
 *
 * @category models
 * @since 0.1.0
 */
export type Fields = Readonly<Record<string, unknown>>

/**
 * A wire value that means that the field is absent, such as `""` for a client order id.
 *
 * @category models
 * @since 0.1.0
 */
export interface Absent {
  /** The wire value, exactly as written. */
  readonly value: string | number
  /** In which objects `value` means absent; in all others it means itself. */
  readonly when: (wire: Fields) => boolean
  /** Whether the wire must have the key even when the field is absent. */
  readonly demanded: boolean
  /** Whether `value` is written for a field that is absent. Default `true`. */
  readonly written?: boolean
}

/**
 * What becomes of the JSON object where one of its keys stands for more than one field.
 *
 * @category models
 * @since 0.1.0
 */
export interface Joint {
  /** Splits the key, before the fields are read. */
  readonly split: (wire: Fields) => Fields
  /** Joins the key, after the fields are written. */
  readonly join: (wire: Fields) => Fields
}

/**
 * One field: its name in the domain, and how the wire spells it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Field {
  /** The name in the domain. */
  readonly name: string
  /** The key on the wire. */
  readonly key: string
  /** The wire value that means that the field is absent. */
  readonly absent: Absent | undefined
  /** Whether `null` means that the field is absent. It is asked only of a field that is `null`. */
  readonly nullIsAbsent: () => boolean
}

/**
 * All fields of a model, in their order, and the key that stands for several of them.
 *
 * @category models
 * @since 0.1.0
 */
export interface Plan {
  /** The fields, in the order of the model's schema. */
  readonly fields: ReadonlyArray<Field>
  /** The wire key that stands for more than one field. */
  readonly joint: Joint | undefined
}

const isAbsent = ({ absent, nullIsAbsent }: Field, found: unknown, wire: Fields): boolean =>
  found === null && nullIsAbsent() || absent !== undefined && found === absent.value && absent.when(wire)

const isWritten = (absent: Absent | undefined, wire: Fields): absent is Absent =>
  absent !== undefined && absent.when(wire) && absent.written !== false

/**
 * The fields of a JSON object by their names in the domain, for the model's schema to decode.
 *
 * @category transformations
 * @since 0.1.0
 */
export const decode = (plan: Plan): (given: Fields) => Fields =>
  Compiled.fused((given) => {
    const wire = plan.joint === undefined ? given : plan.joint.split(given)
    const value: Record<string, unknown> = {}
    for (const field of plan.fields) {
      const found = wire[field.key]
      if (found === undefined) {
        // Present but undefined, which no field accepts: so the schema reports the missing key.
        if (field.absent?.demanded === true) value[field.name] = undefined
      } else if (!isAbsent(field, found, wire)) value[field.name] = found
    }
    return value
  }, (compile, _, target) => SchemaAST.isObjects(target) ? decoded(plan, target, compile) : undefined)

/**
 * The fields that the model's schema has encoded, by their wire keys.
 *
 * @category transformations
 * @since 0.1.0
 */
export const encode = (plan: Plan): (value: Fields) => Fields =>
  Compiled.fused((value) => {
    const wire: Record<string, unknown> = {}
    for (const { key, name } of plan.fields) if (value[name] !== undefined) wire[key] = value[name]
    for (const { absent, key, name } of plan.fields) {
      if (value[name] === undefined && isWritten(absent, wire)) wire[key] = absent.value
    }
    return plan.joint === undefined ? wire : plan.joint.join(wire)
  }, (compile, source) => SchemaAST.isObjects(source) ? encoded(plan, source, compile) : undefined)

/** A field together with its schema, compiled. */
interface Parsed extends Field {
  readonly parse: Compiled.Parser
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
      isOptional: Compiled.mayLack(type)
    }]
  })
}

/**
 * Makes empty objects that are like `{}`. Each maker has a hidden class of its own: an engine that grows all objects of the
 * program from one class turns those with many fields into slow ones.
 */
const maker = (): new() => Record<string, unknown> => {
  const Empty = function() {}
  Empty.prototype = Object.prototype
  return Empty as never
}

const decoded = (plan: Plan, model: SchemaAST.Objects, compile: Compiled.Compile): Compiled.Parser => {
  const fields = parsedFields(plan, model, compile)
  const accepts = Compiled.checksOf(model, "output")
  const split = plan.joint?.split
  const Empty = maker()
  return (given) => {
    if (!Json.isObject(given)) return Compiled.refused
    const wire = split === undefined ? given : split(given)
    const model: Record<string, unknown> = new Empty()
    for (const field of fields) {
      const { absent, key, name, parse } = field
      const found = wire[key]
      if (found === undefined) {
        if (field.isOptional && field.absent?.demanded !== true) continue
        return Compiled.refused
      }
      if ((found === null || absent !== undefined) && isAbsent(field, found, wire)) {
        if (field.isOptional) continue
        return Compiled.refused
      }
      const value = parse(found)
      if (value === Compiled.refused) return Compiled.refused
      model[name] = value
    }
    return accepts === undefined || accepts(model) ? model : Compiled.refused
  }
}

const encoded = (plan: Plan, model: SchemaAST.Objects, compile: Compiled.Compile): Compiled.Parser => {
  const fields = parsedFields(plan, model, compile)
  const accepts = Compiled.checksOf(model, "input")
  const writtenWhenAbsent = fields.filter(({ absent }) => absent !== undefined && absent.written !== false)
  const join = plan.joint?.join
  return (value) => {
    if (!Json.isObject(value)) return Compiled.refused
    const wire: Record<string, unknown> = {}
    // The constraints between fields see the values that are written, even if a getter gave others the next time.
    const seen: Record<string, unknown> = {}
    let count = 0
    for (const { isOptional, key, name, parse } of fields) {
      const given = value[name]
      if (given === undefined) {
        if (isOptional && !(name in value)) continue
        return Compiled.refused
      }
      const written = parse(given)
      if (written === Compiled.refused || written === undefined) return Compiled.refused
      wire[key] = written
      if (accepts !== undefined) seen[name] = given
      count++
    }
    // A constraint may look at a field that this dialect does not have: the schema decides.
    if (accepts !== undefined && (Object.keys(value).length > count || !accepts(seen))) return Compiled.refused
    for (const { absent, key } of writtenWhenAbsent) {
      if (wire[key] === undefined && isWritten(absent, wire)) wire[key] = absent.value
    }
    return join === undefined ? wire : join(wire)
  }
}

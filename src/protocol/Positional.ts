/** Converts between arrays on the wire and records in the domain: each array position has a field name. */
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaGetter from "effect/SchemaGetter"
import * as Compiled from "./Compiled.ts"
import * as ObjectReader from "./ObjectReader.ts"
import { type Parser, refused, tally } from "./Parser.ts"
import * as Wire from "./Wire.ts"
import { isCompiled } from "./WireNames.ts"

/** The schema of each element by its domain name, in wire order. */
type Elements<A extends object> = Wire.Fields<A>

/** The wire value that means "absent" for each element, keyed by the element's name. */
type Absent<A extends object> = { readonly [K in keyof A]?: string | number }

const isArray = Schema.declare((value): value is ReadonlyArray<unknown> => Array.isArray(value), { expected: "array" })

/**
 * Creates the codec of a record that is an array on the wire: `positional<Trade>({ id: …, time: … })` reads
 * `[id, time]`. The fields are in the order of the array's elements. Elements after the last field are ignored.
 *
 * An optional field is absent if its element is missing, is `null`, or equals the field's value in `absent`. An absent
 * field is written as its value in `absent`. A field without such a value is written as `null` if other elements
 * follow, and is otherwise omitted.
 */
export const positional = <A extends object>(
  elements: Elements<A>,
  absent: Absent<A> = {}
): Schema.Codec<A, ReadonlyArray<unknown>> => {
  const fields: Schema.Struct.Fields = elements as never
  const names = Object.keys(fields)
  const absences = new Map<string, string | number>(Object.entries(absent))
  const isOptional = (name: string): boolean => {
    const schema = fields[name]
    return schema !== undefined && SchemaAST.isOptional(schema.ast)
  }
  const absenceOf = (name: string) => absences.get(name) ?? null
  const isAbsent = (name: string, found: unknown): boolean =>
    isOptional(name) && (found === null || found === absenceOf(name))
  return isArray.annotate(Wire.describedBy(() => tupleOf(fields, isOptional, absenceOf))).pipe(
    Schema.decodeTo(Schema.Struct(fields), {
      decode: SchemaGetter.transform(Compiled.fused(
        (row: ReadonlyArray<unknown>) =>
          Object.fromEntries(
            names.slice(0, row.length).flatMap((name, at) => isAbsent(name, row[at]) ? [] : [[name, row[at]]])
          ),
        (compile, _, target) => isCompiled(target) ? reading(target, names, isAbsent, compile) : undefined
      )) as never,
      encode: SchemaGetter.transform((record: Readonly<Record<string, unknown>>) => {
        const last = names.findLastIndex((name) => record[name] !== undefined || absences.has(name))
        return names.slice(0, last + 1).map((name) => record[name] ?? absenceOf(name))
      }) as never
    })
  ) as never
}

/** Returns a parser that reads an array in one pass, as if it were an object whose keys are the indexes. */
const reading = (
  model: SchemaAST.Objects,
  names: ReadonlyArray<string>,
  isAbsent: (name: string, found: unknown) => boolean,
  compile: Compiled.Compile
): Parser | undefined => {
  const make = ObjectReader.maker(model.propertySignatures.map(({ name, type }) => ({
    from: names.indexOf(String(name)).toString(),
    to: String(name),
    parse: compile(type),
    isOptional: SchemaAST.isOptional(type),
    isAbsent: SchemaAST.isOptional(type) ? (found) => isAbsent(String(name), found) : undefined
  })))
  const accepts = Compiled.checksOf(model, "output")
  return make && ((row) => {
    if (!Array.isArray(row)) return refused
    const made = make(row as never)
    if (made === refused) return refused
    // An array's elements are not keys, so they are not counted.
    tally.keys -= Math.min(row.length, names.length)
    return accepts === undefined || accepts(made) ? made : refused
  })
}

/**
 * Returns the schema of the array, for protocol descriptions. Only elements at the end may be omitted; any other
 * optional element must have a value, which may mean "absent".
 */
const tupleOf = (
  fields: Schema.Struct.Fields,
  isOptional: (name: string) => boolean,
  absenceOf: (name: string) => string | number | null
): Schema.Constraint => {
  const names = Object.keys(fields)
  const lastWritten = names.findLastIndex((name) => !isOptional(name) || absenceOf(name) !== null)
  return Schema.Tuple(
    Object.entries(fields).map(([name, schema], at) => {
      if (!isOptional(name)) return schema
      const absence = absenceOf(name)
      const present = Schema.Union([
        Schema.requiredKey(schema as never),
        absence === null ? Schema.Null : Schema.Literal(absence)
      ])
      return at > lastWritten ? Schema.optionalKey(present) : present
    }) as never
  )
}

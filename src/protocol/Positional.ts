/** Arrays by position on the wire, which are records by name in the domain. */
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaGetter from "effect/SchemaGetter"
import * as Wire from "./Wire.ts"

/** The schema of every element, by its name in the domain, in the order of the wire. */
type Elements<A extends object> = Wire.Fields<A>

/** The wire values that mean "absent", by the name of the element. */
type Absent<A extends object> = { readonly [K in keyof A]?: string | number }

const isArray = Schema.declare((value): value is ReadonlyArray<unknown> => Array.isArray(value), { expected: "array" })

/**
 * A record whose fields are the elements of an array on the wire: `positional<Trade>({ id: …, time: … })` reads
 * `[id, time]`. The order of the fields is the order of the elements. Further elements are ignored.
 *
 * An optional element is absent if the array ends before it, or if it is `null` or its value in `absent`. Its value in
 * `absent` is always written, and `null` where others follow.
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
      decode: SchemaGetter.transform((row: ReadonlyArray<unknown>) =>
        Object.fromEntries(
          names.slice(0, row.length).flatMap((name, at) => isAbsent(name, row[at]) ? [] : [[name, row[at]]])
        )
      ) as never,
      encode: SchemaGetter.transform((record: Readonly<Record<string, unknown>>) => {
        const last = names.findLastIndex((name) => record[name] !== undefined || absences.has(name))
        return names.slice(0, last + 1).map((name) => record[name] ?? absenceOf(name))
      }) as never
    })
  ) as never
}

/** Describes the array. Only elements at its end can be missing. Others have a value that means "absent". */
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

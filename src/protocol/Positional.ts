/** Arrays by position on the wire, which are records by name in the domain. */
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import * as Wire from "./Wire.ts"

/** The schema of every element, by its name in the domain, in the order of the wire. Trailing ones may be optional. */
type Elements<A extends object> = Wire.Fields<A>

const isArray = Schema.declare((value): value is ReadonlyArray<unknown> => Array.isArray(value), { expected: "array" })

/**
 * A record whose fields are the elements of an array on the wire: `positional<Trade>({ id: …, time: … })` reads
 * `[id, time]`. The order of the fields is the order of the elements. Further elements are ignored.
 */
export const positional = <A extends object>(
  elements: Elements<A>
): Schema.Codec<A, ReadonlyArray<unknown>> => {
  const fields: Schema.Struct.Fields = elements as never
  const names = Object.keys(fields)
  return isArray.annotate(Wire.describedBy(() => Schema.Tuple(Object.values(fields) as never))).pipe(
    Schema.decodeTo(Schema.Struct(fields), {
      decode: SchemaGetter.transform((row: ReadonlyArray<unknown>) =>
        Object.fromEntries(names.slice(0, row.length).map((name, at) => [name, row[at]]))
      ) as never,
      encode: SchemaGetter.transform((record: Readonly<Record<string, unknown>>) => {
        const known = names.findLastIndex((name) => record[name] !== undefined)
        return names.slice(0, known + 1).map((name) => record[name])
      }) as never
    })
  ) as never
}

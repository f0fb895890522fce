import { assert, describe, it } from "@effect/vitest"
import * as SchemaAST from "effect/SchemaAST"
import type { Dialect } from "../../src/protocol/Dialect.ts"
import * as Json from "../../src/protocol/Json.ts"
import { dialects } from "../support/exchange.ts"
import { entries, goldenIn } from "./fixtures/all.ts"

/** A response object, and its golden values. */
interface Place {
  /** The first call whose response contains such an object, and the object's path. */
  readonly at: string
  readonly object: SchemaAST.Objects
  readonly found: ReadonlyArray<Readonly<Record<PropertyKey, unknown>>>
}

/** Finds all objects in a schema, each with its values in the goldens. */
const placesOf = (ast: SchemaAST.AST, values: ReadonlyArray<unknown>, at: string): ReadonlyArray<Place> => {
  switch (ast._tag) {
    case "Objects": {
      const found = values.filter((value) => Json.isObject(value))
      const fields = ast.propertySignatures.flatMap(({ name, type }) => {
        const inside = found.flatMap((value) => Object.hasOwn(value, name) ? [value[String(name)]] : [])
        return placesOf(type, inside, `${at}.${String(name)}`)
      })
      return [{ at, object: ast, found }, ...fields]
    }
    case "Arrays": {
      const elements = values.flatMap((value): ReadonlyArray<unknown> => Array.isArray(value) ? value : [])
      return [...ast.elements, ...ast.rest].flatMap((element) => placesOf(element, elements, at))
    }
    case "Union":
      return ast.types.flatMap((type) => placesOf(type, values, at))
    case "Declaration": {
      const [, inMap] = ast.typeParameters
      const inside = values.flatMap((value) => value instanceof Map ? [...value.values()] : [])
      return inMap === undefined ? [] : placesOf(inMap, inside, at)
    }
    default:
      return []
  }
}

/** The objects in responses, grouped by their fields. Calls that return the same object share their goldens. */
const objectsIn = (dialect: Dialect) =>
  Map.groupBy(
    entries.flatMap(({ captured = [], endpoint, ...entry }) => {
      const recorded = dialect.name === "live" ? captured.map(({ response }) => response) : []
      const values = [goldenIn(entry, dialect).response, ...recorded]
      const places = placesOf(SchemaAST.toType(endpoint.response(dialect).ast), values, endpoint.name)
      return places.map((place) => ({ ...place, inDocument: endpoint.clause !== "not in the document" }))
    }),
    ({ object }) => object.propertySignatures.map(({ name }) => String(name)).toSorted().join()
  )

describe.each(dialects)("goldens of the $name dialect", (dialect) => {
  it("the goldens contain every optional field of every response", () => {
    for (const [fields, places] of objectsIn(dialect)) {
      // The document does not describe objects that only undocumented calls return.
      if (dialect.name === "document" && !places.some(({ inDocument }) => inDocument)) continue
      const [{ at, object }] = places as unknown as [Place]
      const optional = object.propertySignatures.filter(({ type }) => SchemaAST.isOptional(type))
      const found = places.flatMap((place) => place.found)
      const lacking = optional.filter(({ name }) => !found.some((value) => Object.hasOwn(value, name)))
      assert.deepStrictEqual(lacking.map(({ name }) => name), [], `${at}: ${fields}`)
    }
  })
})

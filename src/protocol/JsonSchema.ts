/**
 * Generates JSON Schema (draft 2020-12) for the wire format from the schemas that read and write it.
 *
 * Effect's own generator describes only the outermost type of a codec's wire side. It describes an object with renamed
 * keys as any object, and an enumeration with different names on the wire as any string. So this module reads both
 * sides of a codec.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as Constraint from "../domain/Constraint.ts"
import * as Json from "./Json.ts"
import * as Wire from "./Wire.ts"
import type * as WireNames from "./WireNames.ts"

/** A JSON Schema. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
}

/** A collection of named schemas. Each is defined once, and referenced everywhere else. */
export interface Definitions {
  /**
   * Defines `value` under a name, and returns a reference to it. Returns `value` itself if the name already has a
   * different definition.
   */
  readonly define: (name: string, value: JsonSchema) => JsonSchema
  /** All definitions, keyed by name. */
  readonly definitions: Readonly<Record<string, JsonSchema>>
}

/** Writes JSON Schemas with shared definitions. Each schema with an identifier becomes one definition. */
export interface Writer extends Definitions {
  /** Returns the JSON Schema of a codec's wire format. */
  readonly wire: (schema: Schema.Constraint) => JsonSchema
  /**
   * Returns the JSON Schema of a codec's domain side. This is a number, for example, if the wire format is a string of
   * digits.
   */
  readonly meaning: (schema: Schema.Constraint) => JsonSchema
}

/** The function that defines a named schema. */
type Define = Definitions["define"]

const isSame = (one: unknown, other: unknown): boolean => Json.stringify([one]) === Json.stringify([other])

const unique = <A>(values: ReadonlyArray<A>): ReadonlyArray<A> =>
  values.filter((value, index) => values.findIndex((other) => isSame(value, other)) === index)

/**
 * Combines schemas as alternatives, without duplicates. If a schema itself consists only of alternatives, they replace
 * it.
 */
export const anyOf = (schemas: ReadonlyArray<JsonSchema>): JsonSchema => {
  const members = unique(
    schemas.flatMap((schema) =>
      Array.isArray(schema["anyOf"]) && Object.keys(schema).length === 1
        ? schema["anyOf"] as Array<JsonSchema>
        : [schema]
    )
  )
  // An integer is also a number.
  const distinct = members.some((schema) => isSame(schema, { type: "number" }))
    ? members.filter((schema) => !isSame(schema, { type: "integer" }))
    : members
  const [only, ...others] = distinct
  return only !== undefined && others.length === 0 ? only : { anyOf: distinct }
}

type Checked = "string" | "number" | "array" | "object"

const least: Readonly<Record<Checked, JsonSchema>> = {
  string: { minLength: 1 },
  number: {},
  array: { minItems: 1 },
  object: { minProperties: 1 }
}

/**
 * Returns the JSON Schema keywords for a check. For an integer check, the bounds of JavaScript's integers are left out,
 * because the wire format has no such bounds.
 */
const keywordsOf = (type: Checked, { annotations }: SchemaAST.Check<never>): JsonSchema | undefined => {
  if (Constraint.fromAnnotations(annotations)?.kind === "notEmpty") return least[type]
  const write = annotations?.["toJsonSchema"] as
    | ((given: object) => JsonSchema | readonly [JsonSchema, true])
    | undefined
  const written = write?.({ type, schemas: [] })
  const keywords = Array.isArray(written) ? written[0] as JsonSchema : written as JsonSchema | undefined
  return keywords?.["type"] === "integer" ? { type: "integer" } : keywords
}

const fragmentsOf = (type: Checked, checks: ReadonlyArray<SchemaAST.Check<never>>): ReadonlyArray<JsonSchema> =>
  checks.flatMap((check) => {
    const keywords = keywordsOf(type, check)
    if (keywords === undefined) return check._tag === "FilterGroup" ? fragmentsOf(type, check.checks) : []
    const { allOf = [], ...others } = keywords
    return [others, ...allOf as ReadonlyArray<JsonSchema>]
  })

/**
 * Returns the JSON Schema of a type with checks. A schema can have each keyword only once, so a repeated keyword, such
 * as a second pattern, goes into `allOf`.
 */
const checked = (type: Checked, { checks = [] as never }: SchemaAST.AST, base: JsonSchema = {}): JsonSchema =>
  fragmentsOf(type, checks).reduce<JsonSchema>((schema, fragment) => {
    const isRepeated = Object.keys(fragment).some((keyword) => keyword !== "type" && Object.hasOwn(schema, keyword))
    return isRepeated
      ? { ...schema, allOf: [...(schema["allOf"] as ReadonlyArray<JsonSchema> | undefined ?? []), fragment] }
      : { ...schema, ...fragment }
  }, { type, ...base })

type Name = string | number

/** Returns the values of an enumeration, or `undefined` for any other schema. */
const namesOf = (ast: SchemaAST.AST): ReadonlyArray<Name> | undefined => {
  const members = SchemaAST.isUnion(ast) ? ast.types : [ast]
  const names = members.flatMap((member) =>
    SchemaAST.isLiteral(member) && (typeof member.literal === "string" || typeof member.literal === "number")
      ? [member.literal]
      : []
  )
  return names.length === members.length ? names : undefined
}

const enumeration = (names: ReadonlyArray<unknown>): JsonSchema => ({
  type: names.every((name) => typeof name === "number") ? "integer" : "string",
  enum: unique(names)
})

/**
 * Returns the JSON Schema of an enumeration with different names on the wire. An open enumeration also accepts unlisted
 * strings.
 */
const renamed = (ast: SchemaAST.AST, define: Define): JsonSchema | undefined => {
  const write = Schema.encodeUnknownResult(Schema.make<Schema.Codec<unknown>>(ast))
  const written = (names: ReadonlyArray<Name>) => enumeration(names.map((name) => Result.getOrThrow(write(name))))
  const names = namesOf(ast)
  if (names !== undefined) return written(names)
  if (!SchemaAST.isUnion(ast) || !ast.types.some((member) => namesOf(member) !== undefined)) return undefined
  return anyOf(ast.types.map((member) => {
    const names = namesOf(member)
    return names === undefined ? wireOf(member, define) : named(member, written(names), define)
  }))
}

const named = (ast: SchemaAST.AST, schema: JsonSchema, define: Define): JsonSchema => {
  const identifier = SchemaAST.resolveIdentifier(ast) ?? Wire.definitionOf(ast)
  return identifier === undefined ? schema : define(identifier, schema)
}

/** Returns the JSON Schema of an object whose schema was created by {@link Wire.struct} or {@link Wire.answer}. */
const wireNamed = (ast: SchemaAST.Objects, { fields, joint }: WireNames.Plan, define: Define): JsonSchema => {
  const types = new Map(ast.propertySignatures.map(({ name, type }) => [name, type]))
  const keys = Object.fromEntries(fields.map(({ key }) => [key, undefined]))
  // Fields that share a combined key have no keys of their own, except for one of them.
  const written = joint === undefined ? keys : joint.join(keys)
  const properties: Record<string, JsonSchema> = {}
  const required: Array<string> = []
  for (const { absent, key, name, nullIsAbsent } of fields) {
    const type = types.get(name)
    if (type === undefined || !Object.hasOwn(written, key)) continue
    const isValue = Schema.decodeUnknownResult(Schema.make<Schema.Codec<unknown>>(type))
    properties[key] = anyOf([
      wireOf(type, define),
      ...(absent === undefined || Result.isSuccess(isValue(absent.value)) ? [] : [{ const: absent.value }]),
      ...(nullIsAbsent() ? [{ type: "null" }] : [])
    ])
    if (absent?.demanded === true || !SchemaAST.isOptional(type)) required.push(key)
  }
  return { type: "object", properties, ...(required.length === 0 ? {} : { required }) }
}

/** Returns the JSON Schema of a map, which is a JSON object on the wire. `name` is the schema of its keys. */
const keyed = (name: SchemaAST.AST, types: ReadonlyArray<SchemaAST.AST>, define: Define): JsonSchema => ({
  type: "object",
  propertyNames: wireOf(name, define),
  additionalProperties: anyOf(types.map((type) => wireOf(type, define)))
})

/** Returns the JSON Schema of a codec's wire format, given the codec's domain side and wire side. */
const encoded = (ast: SchemaAST.AST, wire: SchemaAST.AST, define: Define): JsonSchema => {
  const description = Wire.descriptionOf(wire)
  if (description !== undefined) return wireOf(description.ast, define)
  const plan = Wire.planOf(ast)
  if (SchemaAST.isObjects(ast) && plan !== undefined) {
    return Object.assign(wireNamed(ast, plan, define), ...fragmentsOf("object", wire.checks ?? []))
  }
  const [key, value] = SchemaAST.isDeclaration(ast) ? ast.typeParameters : []
  if (key !== undefined && value !== undefined && SchemaAST.isObjects(wire)) {
    return keyed(key, wire.indexSignatures.map(({ type }) => type), define)
  }
  if (SchemaAST.isString(wire)) {
    const names = renamed(ast, define)
    if (names !== undefined) return names
  }
  // A plain string in a union on the wire has no checks of its own, so it gets the checks of the codec's domain side.
  if (SchemaAST.isString(ast) && SchemaAST.isUnion(wire)) {
    return anyOf(
      wire.types.map((member) =>
        wireOf(SchemaAST.isString(member) && member.checks === undefined ? SchemaAST.toType(ast) : member, define)
      )
    )
  }
  return wireOf(wire, define)
}

const arrayOf = (ast: SchemaAST.Arrays, define: Define): JsonSchema => {
  const { elements, rest: [item] } = ast
  const fixed = elements.map((element) => wireOf(element, define))
  const required = elements.filter((element) => !SchemaAST.isOptional(element))
  return checked("array", ast, {
    ...(fixed.length === 0 ? {} : { prefixItems: fixed, minItems: required.length }),
    ...(item === undefined ? { maxItems: fixed.length } : { items: wireOf(item, define) })
  })
}

const objectOf = ({ indexSignatures, propertySignatures }: SchemaAST.Objects, define: Define): JsonSchema => {
  const [names] = indexSignatures
  if (names !== undefined) return keyed(names.parameter, [names.type], define)
  const required = propertySignatures.flatMap(({ name, type }) => SchemaAST.isOptional(type) ? [] : [String(name)])
  return {
    type: "object",
    properties: Object.fromEntries(propertySignatures.map(({ name, type }) => [String(name), wireOf(type, define)])),
    ...(required.length === 0 ? {} : { required })
  }
}

/** Throws for a schema that this module does not support. A test checks that no endpoint has such a schema. */
const unknown = ({ _tag }: SchemaAST.AST): never =>
  Result.getOrThrowWith(Result.fail(_tag), (tag) => new Error(`no JSON Schema for ${tag}`))

const plain = (ast: SchemaAST.AST, define: Define): JsonSchema => {
  const names = namesOf(ast)
  if (names !== undefined) return enumeration(names)
  if (ast === Wire.LargeInteger.ast) return { type: "integer" }
  switch (ast._tag) {
    case "String":
      return checked("string", ast)
    case "Number":
      return checked("number", ast)
    case "Boolean":
      return { type: "boolean" }
    case "Literal":
      return { const: ast.literal }
    case "Null":
      return { type: "null" }
    case "Unknown":
      return {}
    case "Union":
      return anyOf(ast.types.map((member) => wireOf(member, define)))
    case "Arrays":
      return arrayOf(ast, define)
    case "Objects":
      return objectOf(ast, define)
    default:
      return unknown(ast)
  }
}

const wireOf = (ast: SchemaAST.AST, define: Define): JsonSchema => {
  const wire = ast.encoding?.at(-1)?.to
  return named(ast, wire === undefined ? plain(ast, define) : encoded(ast, wire, define), define)
}

/** Creates an empty collection of definitions. References to them start with `at`, such as `#/components/schemas/`. */
export const definitions = (at: string): Definitions => {
  const definitions: Record<string, JsonSchema> = {}
  return {
    definitions,
    define: (name, value) => {
      const known = definitions[name] ??= value
      return isSame(known, value) ? { $ref: at + name } : value
    }
  }
}

/** Creates a writer whose references start with `at`. */
export const writer = (at: string): Writer => {
  const shared = definitions(at)
  return {
    ...shared,
    wire: ({ ast }) => wireOf(ast, shared.define),
    meaning: ({ ast }) => wireOf(SchemaAST.toType(ast), shared.define)
  }
}

/**
 * Derives a command's arguments and flags from the schema of a request, and builds the request from their values.
 *
 * The required fields are arguments, in the schema's order; if there are more than four, only the first field is an
 * argument. If no field is required, the first field may be given as an argument too. All other fields are flags. The
 * fields of a nested object, and of each member of a tagged union, become separate flags. The flag for the union itself
 * takes a tag.
 */
import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as Constraint from "../domain/Constraint.ts"
import * as Expected from "../protocol/Expected.ts"
import * as Json from "../protocol/Json.ts"
import * as Violation from "../protocol/Violation.ts"

/** A request field, as it appears on the command line. */
export interface Field {
  /** The name of the field's argument or flag, such as `price-step`. */
  readonly name: string
  /** The keys that lead to the field in the request. */
  readonly path: ReadonlyArray<string>
  /** The schema of the field's value. */
  readonly schema: Schema.Codec<unknown, unknown>
  /** The allowed values, if the field is a boolean or an enumeration; otherwise empty. */
  readonly choices: ReadonlyArray<string>
  /** Whether the request needs the field. */
  readonly isRequired: boolean
  /** A description of the valid values, in a few words. */
  readonly valid: string
  /** The field's description in the help. */
  readonly description: string
}

/** Converts a field name to a flag name: `priceStep` to `price-step`. */
export const kebab = (name: string): string =>
  name.replaceAll(/[A-Z]/gu, (letter, at) => `${at === 0 ? "" : "-"}${letter.toLowerCase()}`)

const choicesOf = (ast: SchemaAST.AST): ReadonlyArray<string> => {
  if (SchemaAST.isBoolean(ast)) return ["true", "false"]
  if (SchemaAST.isLiteral(ast)) return [String(ast.literal)]
  return SchemaAST.isUnion(ast) && ast.types.every(SchemaAST.isLiteral) ? ast.types.flatMap(choicesOf) : []
}

/** Whether a field is a time in Unix microseconds. A user may also write it as a date. */
const isTime = (key: string): boolean => key === "at"

/** Whether a field is a duration in milliseconds. A user may also write it with a unit. */
const isDuration = (key: string): boolean => /millis$/iu.test(key)

const constraintOf = ({ annotations, checks }: SchemaAST.AST): Constraint.Constraint | undefined =>
  Constraint.fromAnnotations(annotations) ?? Constraint.fromAnnotations(checks?.[0].annotations)

/** Describes the valid values of a field. */
const validOf = (key: string, ast: SchemaAST.AST): string => {
  if (isTime(key)) return "a time, such as 2026-01-01T00:00:00Z, or in Unix microseconds"
  if (isDuration(key)) return "milliseconds, or a duration such as \"1 hour\""
  const choices = choicesOf(ast)
  if (choices.length > 0) return choices.length > 2 ? `one of ${choices.join(", ")}` : choices.join(" or ")
  const constraint = constraintOf(ast)
  if (constraint !== undefined) return Expected.words(constraint)
  if (SchemaAST.isArrays(ast) || SchemaAST.isObjects(ast) || SchemaAST.isUnion(ast)) return "JSON"
  return SchemaAST.isNumber(ast) ? "a number" : "text"
}

const leaf = (path: ReadonlyArray<string>, ast: SchemaAST.AST, isRequired: boolean): Field => {
  const key = path.at(-1) ?? ""
  const choices = choicesOf(ast)
  const valid = validOf(key, ast)
  const { description } = { ...ast.annotations, ...ast.context?.annotations }
  return {
    name: kebab(key),
    path,
    schema: Schema.make(ast),
    choices,
    isRequired,
    valid,
    // The help already lists the choices of a flag.
    description: typeof description === "string" ? description.replace(/\.$/u, "") : choices.length === 0 ? valid : ""
  }
}

/** Returns the tag of a member of a tagged union, as a list; empty if the member has no tag. */
const tagOf = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  SchemaAST.isObjects(ast)
    ? ast.propertySignatures.filter(({ name }) => name === "_tag").flatMap(({ type }) => choicesOf(type))
    : []

/** Returns a union's members. A nested union is replaced by its own members. */
const membersOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> =>
  SchemaAST.isUnion(ast) ? ast.types.flatMap(membersOf) : [ast]

/**
 * Merges fields that have the same path but belong to different members of a union. The merged field accepts the values
 * of all of them.
 */
const merged = (fields: ReadonlyArray<Field>): ReadonlyArray<Field> =>
  [...Map.groupBy(fields, ({ path }) => path.join(".")).values()].map((alike) =>
    alike.reduce((one, other) => ({
      ...one,
      schema: Schema.Union([one.schema, other.schema]),
      choices: [...new Set([...one.choices, ...other.choices])]
    }))
  )

const isTagged = (ast: SchemaAST.AST): boolean =>
  SchemaAST.isUnion(ast) && membersOf(ast).every((member) => tagOf(member).length === 1)

const within = (path: ReadonlyArray<string>, ast: SchemaAST.AST, isRequired: boolean): ReadonlyArray<Field> => {
  if (isTagged(ast)) {
    const tags = membersOf(ast).flatMap(tagOf)
    const inner = membersOf(ast).flatMap((member) => within(path, member, false)).filter(({ path }) =>
      path.at(-1) !== "_tag"
    )
    return [
      {
        name: kebab(path.at(-1) ?? ""),
        path: [...path, "_tag"],
        schema: Schema.Literals(tags),
        choices: tags,
        isRequired,
        valid: tags.join(", "),
        description: `${tags.join(", ")}; other flags give the details`
      },
      ...merged(inner)
    ]
  }
  if (!SchemaAST.isObjects(ast) || ast.propertySignatures.length === 0) return [leaf(path, ast, isRequired)]
  return ast.propertySignatures.flatMap(({ name, type }) =>
    within([...path, String(name)], type, isRequired && !SchemaAST.isOptional(type))
  )
}

/**
 * Returns a request's fields. If several fields have the same name, the keys that lead to each of them are put before
 * its name.
 */
export const fieldsOf = (schema: Schema.Constraint): ReadonlyArray<Field> => {
  const fields = SchemaAST.isObjects(schema.ast) && schema.ast.propertySignatures.length > 0
    ? within([], schema.ast, true)
    : []
  const namesakes = (name: string) => fields.filter((field) => field.name === name).length
  return fields.map((field) =>
    namesakes(field.name) === 1
      ? field
      : { ...field, name: field.path.filter((key) => key !== "_tag").map(kebab).join("-") }
  )
}

/**
 * Returns all values that a typed string can stand for, the most literal first: the text itself, JSON, a date, a
 * duration.
 */
const readings = (key: string, text: string): ReadonlyArray<unknown> => [
  text,
  ...Result.match(Json.parse(text), { onFailure: () => [], onSuccess: (json) => [json] }),
  ...(isTime(key) ? Option.toArray(Option.map(DateTime.make(text), (at) => DateTime.toEpochMillis(at) * 1000)) : []),
  ...(isDuration(key) ? readDuration(text) : [])
]

const readDuration = (text: string): ReadonlyArray<number> => {
  // The cast is safe, because `fromInput` returns `None` for a string that is not a duration.
  const read = Duration.fromInput(text as Duration.Input)
  return Option.toArray(Option.map(read, (duration) => Duration.toMillis(duration)))
}

const read = ({ path, schema }: Field, text: string): Option.Option<{ readonly value: unknown }> => {
  const decode = Schema.decodeUnknownOption(schema)
  return Option.fromUndefinedOr(
    readings(path.at(-1) ?? "", text).map((value) => ({ value })).find(({ value }) => Option.isSome(decode(value)))
  )
}

/** Returns a description of a field's valid values, for a user who typed the invalid value `text`. */
const expected = ({ path, schema, valid }: Field, text: string): string => {
  const decoded = Schema.decodeResult(schema)(text)
  const [violation] = Result.isFailure(decoded) ? Violation.fromIssue(decoded.failure.issue) : []
  const key = path.at(-1) ?? ""
  const isSpecific = violation !== undefined && violation.constraint.kind !== "format"
  return isSpecific && !isTime(key) && !isDuration(key) ? Expected.words(violation.constraint) : valid
}

/**
 * If a request has at most this many required fields, all of them are arguments. The order of more arguments would be
 * hard to remember.
 */
const mostArguments = 4

/** Returns the fields that are arguments. */
export const argumentsOf = (fields: ReadonlyArray<Field>): ReadonlyArray<Field> => {
  const required = fields.filter(({ isRequired }) => isRequired)
  if (required.length === 0) return fields.slice(0, 1)
  return required.length > mostArguments ? required.slice(0, 1) : required
}

/** The value of an argument or flag; none if the user omitted it. */
type Typed = Option.Option<{ readonly value: unknown }>

const toArgument = (field: Field): Argument.Argument<Typed> => {
  const { choices, description, isRequired, name, valid } = field
  const text = choices.length === 0 ? Argument.String(name) : Argument.Literals(name, choices)
  const argument = text.pipe(
    Argument.withDescription(description === "" ? valid : description),
    Argument.filterMap((text) => read(field, text), (text) => expected(field, text))
  )
  return isRequired ? Argument.map(argument, Option.some) : Argument.optional(argument)
}

const toFlag = (field: Field): Flag.Flag<Typed> => {
  const { choices, description, isRequired, name } = field
  const text = choices.length === 0 ? Flag.String(name) : Flag.Literals(name, choices)
  const flag = text.pipe(
    Flag.withDescription(description),
    Flag.filterMap((text) => read(field, text), (text) => expected(field, text))
  )
  return isRequired ? Flag.map(flag, Option.some) : Flag.optional(flag)
}

/** Returns the arguments and flags of a command, keyed by name. */
export const paramsOf = (
  fields: ReadonlyArray<Field>
): Readonly<Record<string, Argument.Argument<Typed> | Flag.Flag<Typed>>> => {
  const positional = argumentsOf(fields)
  return Object.fromEntries([
    ...positional.map((field) => [field.name, toArgument(field)] as const),
    ...fields.filter((field) => !positional.includes(field)).map((field) => [field.name, toFlag(field)] as const)
  ])
}

type Tree = { [key: string]: unknown }

/** Builds the request from the user's input. */
export const valueOf = (fields: ReadonlyArray<Field>, typed: Readonly<Record<string, Typed>>): Tree => {
  const request: Tree = {}
  for (const { name, path } of fields) {
    const given = Option.flatten(Option.fromUndefinedOr(typed[name]))
    if (Option.isNone(given)) continue
    let at = request
    for (const key of path.slice(0, -1)) at = (at[key] ??= {}) as Tree
    at[path.at(-1) ?? ""] = given.value.value
  }
  return request
}

/**
 * Compiles schemas to plain functions that convert between wire values and domain values in one pass.
 *
 * A compiled schema is a parser: it returns a value, or refuses the input without giving a reason. The schema itself
 * remains the reference:
 *
 * - An input that the parser refuses is passed to the schema, which explains the refusal or accepts the input.
 * - If the parser accepts an input, the schema would return an equal value, with the same keys in the same order.
 * - For a schema node that this module does not support, the parser calls Effect's interpreter.
 *
 * Effect's own compiler, `effect/schema/SchemaJITCompiler`, is slower here. It collects the issues of all domain
 * checks, and creates a second object to rename keys. It does not count keys, so finding repeated keys would need
 * another pass over the response. `benchmarks/RESULTS.md` contains the measurements.
 */
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type * as SchemaGetter from "effect/SchemaGetter"
import * as Check from "../domain/Check.ts"
import * as Json from "./Json.ts"
import * as ObjectReader from "./ObjectReader.ts"
import { anything, type Parser, refused, tally, undecided } from "./Parser.ts"

/** Compiles a schema node, with the nodes inside it, to a parser that decodes. */
export type Compile = (ast: SchemaAST.AST) => Parser

/**
 * Compiles a transformation to one parser that checks the input, transforms it, and checks the output. Returns
 * `undefined` for unsupported nodes.
 */
export type Fused = (compile: Compile, source: SchemaAST.AST, target: SchemaAST.AST) => Parser | undefined

const fusions = new WeakMap<object, Fused>()

/**
 * Registers how to compile a transformation, together with the nodes of its input and output, to one parser. Returns
 * the transformation.
 */
export const fused = <F extends (input: never) => unknown>(transform: F, build: Fused): F => {
  fusions.set(transform, build)
  return transform
}

/**
 * Registers a transformation that only rearranges the values of its input. The result must have its fields in the order
 * of the output's schema. The values have already been checked, so the output is not checked again.
 */
export const rearranged = <A, B>(rearrange: (input: A) => B): (input: A) => B =>
  fused(rearrange, (compile, source) => {
    const parse = compile(source)
    return (input) => {
      const value = parse(input)
      // The cast is safe, because the source's parser returns the source's type.
      return value === refused ? refused : rearrange(value as A)
    }
  })

// -----------------------------------------------------------------------------
// Nodes
// -----------------------------------------------------------------------------

const options: SchemaAST.ParseOptions = {}

// Each parser is a single closure, because a response has thousands of values, and calling another closure would cost
// as much as the check itself.
const aString: Parser = (input) => typeof input === "string" ? input : refused
const aNumber: Parser = (input) => typeof input === "number" ? input : refused
const aBoolean: Parser = (input) => typeof input === "boolean" ? input : refused
/** The parser for a struct without fields. It accepts every value except `null` and `undefined`, as Effect does. */
const something: Parser = (input) => input === null || input === undefined ? refused : input
const nothing: Parser = () => undefined

const oneOf = (values: ReadonlyArray<unknown>): Parser => (input) => values.includes(input) ? input : refused
const textOrOneOf = (values: ReadonlyArray<unknown>): Parser => (input) =>
  typeof input === "string" || values.includes(input) ? input : refused

const array = ({ elements, rest }: SchemaAST.Arrays, compile: Compile): Parser | undefined => {
  const [item, ...others] = rest.map(compile)
  if (others.length > 0 || elements.some(SchemaAST.isOptional)) return undefined
  const first = elements.map(compile)
  return (input) => {
    if (!Array.isArray(input) || input.length < first.length) return refused
    const length = input.length
    if (item === undefined && length > first.length) return refused
    const output: Array<unknown> = []
    for (let at = 0; at < length; at++) {
      const value = (first[at] ?? item)?.(input[at])
      if (value === refused) return refused
      output.push(value)
    }
    return output
  }
}

/**
 * Whether a missing field with this schema stays missing. A struct is only compiled if this is true for all its fields:
 * no field may have a default.
 */
export const keepsNothing = ({ encoding }: SchemaAST.AST): boolean =>
  encoding?.every(({ to, transformation }) => isPlain(transformation.decode) && keepsNothing(to)) ?? true

const struct = ({ propertySignatures }: SchemaAST.Objects, compile: Compile): Parser | undefined => {
  if (!propertySignatures.every(({ type }) => keepsNothing(type))) return undefined
  const make = ObjectReader.maker(propertySignatures.map(({ name, type }) => ({
    from: String(name),
    to: String(name),
    parse: compile(type),
    isOptional: SchemaAST.isOptional(type)
  })))
  return make && ((input) => Json.isObject(input) ? make(input) : refused)
}

/**
 * The parser for an object whose keys are data. It leaves an object with the key `__proto__` to the schema, because an
 * assignment does not create that key.
 */
const record = (type: SchemaAST.AST, compile: Compile): Parser => {
  const parse = compile(type)
  return (input) => {
    if (!Json.isObject(input)) return refused
    const output: Record<string, unknown> = {}
    const keys = Object.keys(input)
    for (const key of keys) {
      const value = parse(input[key])
      if (value === refused) return refused
      if (key === "__proto__") return undecided()
      output[key] = value
    }
    tally.keys += keys.length
    return output
  }
}

const object = (ast: SchemaAST.Objects, compile: Compile): Parser | undefined => {
  const { indexSignatures: [index, ...others], propertySignatures } = ast
  if (index === undefined) {
    if (propertySignatures.length === 0) return something
    return propertySignatures.every(({ name }) => typeof name === "string") ? struct(ast, compile) : undefined
  }
  return others.length === 0 && propertySignatures.length === 0 && index.parameter === Schema.String.ast
    ? record(index.type, compile)
    : undefined
}

/** The parser for a union. It returns the value of the first member that accepts the input. */
const union = (ast: SchemaAST.Union, compile: Compile): Parser | undefined => {
  if (ast.options?.mode === "oneOf") return undefined
  const literals = literalsOf(ast)
  if (literals !== undefined) return oneOf(literals)
  const [first, second] = ast.types
  // This is an open enumeration: a union of listed strings and any other string.
  if (ast.types.length === 2 && first !== undefined && second?._tag === "String" && isBare(second)) {
    const listed = SchemaAST.isUnion(first) && isBare(first) ? literalsOf(first) : undefined
    if (listed !== undefined) return textOrOneOf(listed)
  }
  const members = ast.types.map(compile)
  return (input) => {
    const { keys, undecided } = tally
    for (const member of members) {
      const value = member(input)
      if (value !== refused) return value
      tally.keys = keys
      // The schema itself may still accept the input as this member, so the next member is not tried.
      if (tally.undecided > undecided) return refused
    }
    return refused
  }
}

/** The values of a union of literals; `undefined` for any other union. */
const literalsOf = ({ types }: SchemaAST.Union): ReadonlyArray<unknown> | undefined => {
  const literals = types.flatMap((type) => SchemaAST.isLiteral(type) && isBare(type) ? [type.literal] : [])
  return literals.length === types.length ? literals : undefined
}

const isBare = (ast: SchemaAST.AST): boolean =>
  ast.checks === undefined && ast.encoding === undefined &&
  !("encodingChecks" in ast && ast.encodingChecks !== undefined)

/** The parser for a declaration, which already contains a parsing function. */
const declaration = (ast: SchemaAST.Declaration): Parser => {
  const run = ast.run(ast.typeParameters)
  return (input) => {
    const exit = run(input, ast, options)
    return Exit.isExit(exit) && Exit.isSuccess(exit) ? exit.value : refused
  }
}

const structure = (ast: SchemaAST.AST, compile: Compile): Parser | undefined => {
  switch (ast._tag) {
    case "String":
      return aString
    case "Number":
      return aNumber
    case "Boolean":
      return aBoolean
    case "Null":
      return oneOf([null])
    case "Literal":
      return oneOf([ast.literal])
    case "Unknown":
      return anything
    case "Void":
      return nothing
    case "Arrays":
      return array(ast, compile)
    case "Objects":
      return object(ast, compile)
    case "Union":
      return union(ast, compile)
    case "Declaration":
      return declaration(ast)
    default:
      return undefined
  }
}

// -----------------------------------------------------------------------------
// Checks
// -----------------------------------------------------------------------------

type Test<A = never> = (value: A) => boolean

const testsOf = (ast: SchemaAST.AST, checks: ReadonlyArray<SchemaAST.Check<never>> = []): ReadonlyArray<Test> =>
  checks.flatMap((check) => {
    const test = Check.testOf(check)
    if (test !== undefined) return [test]
    if (check._tag === "FilterGroup") return testsOf(ast, check.checks)
    return [(value) => check.run(value, ast, options) === undefined]
  })

/**
 * Returns a predicate for the checks on a node's input or output, or `undefined` if there are none. Checks are on the
 * output; after a flip for encoding, they are on the input.
 */
export const checksOf = (ast: SchemaAST.AST, side: "input" | "output"): ((value: unknown) => boolean) | undefined => {
  const checks = side === "output" ? ast.checks : "encodingChecks" in ast ? ast.encodingChecks : undefined
  const tests = testsOf(ast, checks)
  const [first, ...others] = tests
  if (first === undefined) return undefined
  // The cast is safe, because the parser has already checked the type that the tests expect.
  if (others.length === 0) return (value) => first(value as never)
  return (value) => tests.every((test) => test(value as never))
}

/** The parser for a string that passes the given tests. */
const text = ([first, ...others]: ReadonlyArray<Test<string>>): Parser => {
  if (first === undefined) return aString
  if (others.length === 0) return (input) => typeof input === "string" && first(input) ? input : refused
  return (input) => typeof input === "string" && first(input) && others.every((test) => test(input)) ? input : refused
}

const checked = (ast: SchemaAST.AST, compile: Compile): Parser | undefined => {
  const parse = structure(ast, compile)
  const acceptsInput = checksOf(ast, "input")
  const accepts = checksOf(ast, "output")
  if (parse === aString && acceptsInput === undefined)
    return text(testsOf(ast, ast.checks) as ReadonlyArray<Test<string>>)
  if (parse === undefined || (acceptsInput === undefined && accepts === undefined)) return parse
  return (input) => {
    const value = parse(input)
    if (value === refused || acceptsInput?.(input) === false || accepts?.(value) === false) return refused
    return value
  }
}

// -----------------------------------------------------------------------------
// Transformations
// -----------------------------------------------------------------------------

/**
 * Whether a transformation only maps a value to another value. Other transformations handle missing values or run
 * effects.
 */
const isPlain = (
  decode: SchemaAST.Link["transformation"]["decode"]
): decode is SchemaGetter.Transform<unknown, unknown> | SchemaGetter.Passthrough =>
  "_tag" in decode && (decode._tag === "Transform" || decode._tag === "Passthrough")

/**
 * The parser for a node with transformations. It applies them in decoding order, beginning on the wire side, and then
 * the node's own checks.
 */
const transformed = (ast: SchemaAST.AST, links: SchemaAST.Encoding, compile: Compile): Parser | undefined => {
  const steps: Array<Parser> = []
  const itself = checked(ast, compile)
  if (itself === undefined) return undefined
  // The last transformation's output is the node itself. Only the node's own checks apply there, not its
  // transformations again.
  const compileEnd: Compile = (node) => node === ast ? itself : compile(node)
  let isParsed = false
  for (const [at, { to: source, transformation }] of [...links.entries()].toReversed()) {
    const { decode } = transformation
    if (!isPlain(decode)) return undefined
    const target: SchemaAST.AST = links[at - 1]?.to ?? ast
    const whole: Parser | undefined =
      decode._tag === "Transform" && !isParsed && (at === 0 || target.encoding === undefined)
        ? fusions.get(decode.transform)?.(compileEnd, source, target)
        : undefined
    if (whole === undefined) {
      if (!isParsed) steps.push(compile(source))
      if (decode._tag === "Transform") steps.push(decode.transform)
    } else steps.push(whole)
    isParsed = whole !== undefined
  }
  if (!isParsed) steps.push(itself)
  return inSequence(steps)
}

const inSequence = ([first, ...others]: ReadonlyArray<Parser>): Parser => {
  if (first === undefined || others.length === 0) return first ?? anything
  return (input) => {
    let value = first(input)
    // Only the first step reads the input's keys; later steps read values that earlier steps have created.
    const { keys } = tally
    for (const step of others) {
      if (value === refused) return refused
      value = step(value)
    }
    tally.keys = keys
    return value
  }
}

// -----------------------------------------------------------------------------
// Schemas
// -----------------------------------------------------------------------------

/** Creates a parser that calls the schema, for nodes that this module does not support. */
export const interpreted: Compile = (ast) => {
  const decode = Schema.decodeUnknownResult(Schema.make<Schema.Codec<unknown>>(ast))
  return (input) => Result.getOrElse(decode(input), () => refused)
}

/**
 * Creates a compiler. It compiles a node only once, even if several schemas share the node. `interpret` creates the
 * parsers of unsupported nodes.
 */
export const make = (interpret: Compile): Compile => {
  const known = new WeakMap<SchemaAST.AST, Parser>()
  const compile: Compile = (ast) => {
    const found = known.get(ast)
    if (found !== undefined) return found
    const parse = ast.encoding === undefined ? checked(ast, compile) : transformed(ast, ast.encoding, compile)
    const made = parse ?? interpret(ast)
    known.set(ast, made)
    return made
  }
  return compile
}

/** Compiles a schema's node for decoding. For encoding, pass the flipped node. */
export const compile: Compile = make(interpreted)

/**
 * Creates a function that tries the compiled schema first, and the schema itself if the compiled one refuses the input.
 * Both are created on first use.
 */
const either = <A>(
  ast: () => SchemaAST.AST,
  exact: () => (input: unknown) => Result.Result<A, Schema.SchemaError>
): (input: unknown) => Result.Result<A, Schema.SchemaError> => {
  let compiled: Parser | undefined
  let schema: ReturnType<typeof exact> | undefined
  return (input) => {
    compiled ??= compile(ast())
    const value = attempt(compiled, input)
    if (value === refused) tally.keys = 0
    // The cast is safe: an accepted value has the schema's type, as this module's tests show.
    return value === refused ? (schema ??= exact())(input) : Result.succeed(value as A)
  }
}

/** Parses an input. Refuses it if a getter throws; the schema then reads the input and throws the same error. */
const attempt = (parse: Parser, input: unknown): unknown => {
  try {
    return parse(input)
  } catch {
    return refused
  }
}

/** Like `Schema.decodeUnknownResult`, but compiled. Calls `schema` on first use. */
export const decodeUnknownResult = <A>(
  schema: () => Schema.Codec<A, unknown>,
  options?: SchemaAST.ParseOptions
): (input: unknown) => Result.Result<A, Schema.SchemaError> =>
  either(() => schema().ast, () => Schema.decodeUnknownResult(schema(), options))

/** Like `Schema.encodeUnknownResult`, but compiled. Calls `schema` on first use. */
export const encodeUnknownResult = <A>(
  schema: () => Schema.Codec<A, unknown>,
  options?: SchemaAST.ParseOptions
): (input: unknown) => Result.Result<unknown, Schema.SchemaError> =>
  decodeUnknownResult(() => Schema.make<Schema.Codec<unknown>>(SchemaAST.flip(schema().ast)), options)

/**
 * Generates an OpenAPI 3.1 document of the exchange's protocol from the contract, for API tools and for clients in
 * other languages.
 *
 * @example
 * ```ts
 * import { Dialect, OpenApi } from "effect-txc"
 *
 * // The live dialect's document. `effect-txc openapi --dialect live` prints the same document.
 * export const text = OpenApi.text(Dialect.live)
 * ```
 */
import * as Result from "effect/Result"
import * as SchemaAST from "effect/SchemaAST"
import * as Contract from "./endpoints/all.ts"
import type { Dialect, Refusal, RefusalKind } from "./protocol/Dialect.ts"
import * as Endpoint from "./protocol/Endpoint.ts"
import * as JsonSchema from "./protocol/JsonSchema.ts"
import * as Refusals from "./protocol/Refusals.ts"
import * as Signature from "./protocol/Signature.ts"
import * as Violation from "./protocol/Violation.ts"
import type * as Wire from "./protocol/Wire.ts"

/** A part of the OpenAPI document, as JSON. */
interface Part {
  readonly [key: string]: unknown
}

/**
 * An OpenAPI document that describes the exchange's protocol in one dialect.
 *
 * @category models
 */
export interface Document {
  /** The OpenAPI version. */
  readonly openapi: "3.1.0"
  /** The document's title and version, and a description of how to sign requests. */
  readonly info: Part
  /** The tags that group the operations by area of the exchange. */
  readonly tags: ReadonlyArray<Part>
  /** The operation of every endpoint, keyed by path and method. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, Part>>>>
  /** Parts shared by operations: schemas, refusals and their bodies, and the headers of a signed call. */
  readonly components: { readonly [K in "schemas" | "responses" | "examples" | "securitySchemes"]: Part }
}

/** Collects the parts that several operations share. */
interface Components {
  readonly schemas: JsonSchema.Writer
  readonly responses: JsonSchema.Definitions
  readonly examples: JsonSchema.Definitions
}

// -----------------------------------------------------------------------------
// Requests
// -----------------------------------------------------------------------------

/** The nonce in examples: 2023-11-14T22:13:20Z, in the dialect's nonce unit. */
const exampleNonce = ({ nonceUnit }: Dialect): number =>
  nonceUnit === "milliseconds" ? 1_700_000_000_000 : 1_700_000_000_000_000

const hasWindow = (dialect: Dialect): boolean => "nonceWindow" in dialect.nonce(0, true)

const json = (schema: Part, more: Part = {}): Part => ({ "application/json": { schema, ...more } })

/** The fields that every private request has in addition to its endpoint's own fields. */
const envelope = ({ path }: Endpoint.Any, dialect: Dialect): Part => ({
  request: { type: "string", const: path, description: "The path of the call." },
  nonce: {
    ...(typeof dialect.nonce(0, true).nonce === "string"
      ? { type: "string", pattern: "^[0-9]{1,20}$" }
      : { type: "integer", minimum: 0 }),
    description: "A number that the key has not used before, such as the current time."
  },
  ...(hasWindow(dialect)
    ? {
      nonceWindow: { type: "boolean", description: "Asks the exchange to accept nonces near its clock in any order." }
    }
    : {})
})

const nameOf = ({ name }: Endpoint.Any): string =>
  name.replace(/\.([a-z])/u, (_, letter: string) => letter.toUpperCase())

/**
 * Returns an `anyOf` for each optional field that may only be omitted if another field is present. It lists the fields
 * that can replace the omitted field.
 */
const alternatives = ({ keys, missing }: Wire.Any, required: ReadonlyArray<string>): ReadonlyArray<Part> =>
  missing({}, "wire").filter((field) => !required.includes(keys[field] ?? field)).map((field) => {
    const isEnough = (key: string, value: boolean) => !missing({ [key]: value }, "wire").includes(field)
    const enough = Object.values(keys).filter((key) => isEnough(key, true)).map((key) => ({
      required: [key],
      // A flag can only replace the field if the flag is `true`.
      ...(isEnough(key, false) ? {} : { properties: { [key]: { const: true } } })
    }))
    return { anyOf: enough }
  })

const body = (endpoint: Endpoint.Any, dialect: Dialect, { schemas }: Components): Part => {
  const shape = endpoint.request(dialect)
  const { properties, required = [], ...own } = schemas.wire(shape.schema)
  const always = required as ReadonlyArray<string>
  const either = alternatives(shape, always)
  const isDemanded = dialect.policy.envelope === "always" || endpoint.envelope === "required"
  const names = [...always, ...(isDemanded ? ["request", "nonce"] : [])]
  const whole = {
    ...own,
    properties: { ...(properties as Part), ...envelope(endpoint, dialect) },
    ...(names.length === 0 ? {} : { required: names }),
    ...(either.length === 0 ? {} : { allOf: either })
  }
  const example = {
    ...Result.getOrThrow(Endpoint.codec(endpoint, dialect).encodeRequest(endpoint.example(dialect))),
    request: endpoint.path,
    ...dialect.nonce(exampleNonce(dialect), true)
  }
  return { required: true, content: json(schemas.define(`${nameOf(endpoint)}Request`, whole), { example }) }
}

const parameters = (endpoint: Endpoint.Any, dialect: Dialect, { schemas }: Components): ReadonlyArray<Part> => {
  const { fields, keys } = endpoint.request(dialect)
  const example: Part = endpoint.example(dialect)
  return Object.entries(fields).map(([field, schema]) => {
    const name = keys[field] ?? field
    const isInPath = endpoint.path.includes(`{${name}}`)
    return {
      name,
      in: isInPath ? "path" : "query",
      required: isInPath || !SchemaAST.isOptional(schema.ast),
      schema: schemas.meaning(schema),
      ...(field in example ? { example: example[field] } : {})
    }
  })
}

// -----------------------------------------------------------------------------
// Refusals
// -----------------------------------------------------------------------------

/** A call, with the properties that determine how the exchange can refuse it. */
interface Refusable {
  readonly endpoint: Endpoint.Any
  readonly dialect: Dialect
  /** Whether the call is mutating and its request has this field. */
  readonly changes: (field: string) => boolean
}

const everywhere = (): boolean => true
const nowhere = (): boolean => false
const isPrivate = ({ endpoint }: Refusable): boolean => endpoint.access === "private"
const isWindowed = (call: Refusable): boolean => isPrivate(call) && hasWindow(call.dialect)
const isLimitedTransfer = ({ changes, dialect }: Refusable): boolean =>
  dialect.policy.furtherLimits === "enforced" && changes("from") && changes("amount")

/** For each kind of refusal, whether the exchange can refuse the call in this way. */
const refusable: { readonly [K in RefusalKind]: (call: Refusable) => boolean } = {
  payloadMissing: isPrivate,
  payloadInvalid: isPrivate,
  bodyTooLarge: isPrivate,
  requestMissing: isPrivate,
  nonceMissing: isPrivate,
  nonceUsed: isPrivate,
  nonceWindowInvalid: isWindowed,
  nonceOutsideWindow: isWindowed,
  unauthorized: isPrivate,
  keyDisabled: isPrivate,
  endpointNotAllowed: isPrivate,
  noB2bAccess: ({ endpoint }) => endpoint.b2b,
  rateLimited: everywhere,
  unavailable: everywhere,
  reduceOnly: ({ endpoint }) => endpoint.refusals.includes("ReduceOnlyRejected"),
  // In a bulk call, this refusal of an order is part of a successful response.
  notEnoughBalance: ({ endpoint: { places } }) => places === "order" || places === "pair",
  notEnoughToModify: ({ changes }) => changes("orderId") && changes("amount"),
  transferNotPermitted: isLimitedTransfer,
  depositDisabled: isLimitedTransfer,
  withdrawDisabled: isLimitedTransfer,
  notEnoughToTransfer: ({ changes }) => changes("from") && changes("amount"),
  tooManyKeys: ({ changes, dialect }) =>
    dialect.policy.furtherLimits === "enforced" && changes("subAccountId") && changes("title"),
  notEnoughForCode: ({ changes }) => changes("passphrase") && changes("amount"),
  // In a bulk call, this refusal of an order is part of a successful response.
  orderNotThere: nowhere,
  orderNotFound: ({ changes }) => changes("orderId"),
  notMaker: ({ changes }) => changes("postOnly"),
  noQuote: ({ changes, endpoint: { places } }) => places === "order" && changes("bboRole") && changes("postOnly"),
  positionNotFound: ({ changes }) => changes("positionId"),
  leverageNotCovered: ({ changes }) => changes("leverage"),
  positionTooBig: ({ changes }) => changes("positionSide") && changes("side"),
  pendingTooBig: ({ changes }) => changes("positionSide") && changes("side"),
  hasPositions: ({ changes }) => changes("leverage") || changes("hedgeMode"),
  wrongSide: ({ changes }) => changes("positionSide") && changes("side"),
  oppositePosition: ({ changes }) => changes("positionSide") && changes("side"),
  notMakerModified: ({ changes }) => changes("orderId") && changes("price"),
  takeProfitNotMaker: ({ endpoint: { places } }) => places === "pair",
  wrongStopLoss: ({ endpoint: { places } }) => places === "pair",
  // The exchange sends these refusals only for a path or method that belongs to no endpoint.
  notFound: nowhere,
  notServed: nowhere,
  methodNotAllowed: nowhere
}

/** A refusal and its response body. */
interface Answered {
  readonly name: string
  readonly status: number
  readonly body: object
  readonly words: string
}

const refused = (
  { access }: Endpoint.Any,
  name: string,
  refusal: Refusal,
  errors: Readonly<Record<string, ReadonlyArray<string>>> = {}
): Answered => ({
  name,
  status: refusal.status,
  body: Refusals.refusalBody(access, refusal, errors),
  words: access === "public" ? refusal.message : `code ${refusal.code}, ${refusal.message}`
})

/** An example of a refusal for invalid fields: the first field of the request is missing. */
const ofFields = (endpoint: Endpoint.Any, dialect: Dialect): ReadonlyArray<Answered> => {
  const { fields, keys } = endpoint.request(dialect)
  const [field] = Object.keys(fields)
  if (field === undefined || endpoint.refusals.length === 0) return []
  const violations: ReadonlyArray<Violation.Violation> = [{ field, constraint: { kind: "required" } }]
  const errors = Violation.toErrors(violations, endpoint.errorFamily, (field) => keys[field] ?? field)
  const { refusedAs = "fields" } = endpoint
  return endpoint.access === "public"
    ? [{
      name: refusedAs,
      ...Refusals.publicRefusalOf(endpoint, dialect, violations),
      words: "what is wrong with each field"
    }]
    : [refused(endpoint, "fields", Refusals.refusalOf(endpoint, dialect, violations), errors)]
}

const refusalsOf = (endpoint: Endpoint.Any, dialect: Dialect): ReadonlyArray<Answered> => {
  const { fields } = endpoint.request(dialect)
  const changes = (field: string) => endpoint.mutates && Object.hasOwn(fields, field)
  const kinds = Object.keys(refusable) as ReadonlyArray<RefusalKind>
  return [
    ...ofFields(endpoint, dialect),
    ...kinds.filter((kind) => refusable[kind]({ endpoint, dialect, changes }))
      .map((kind) => refused(endpoint, kind, dialect.refusals[kind]))
  ]
}

const messagesByField = { type: "object", additionalProperties: { type: "array", items: { type: "string" } } }

const textsByField = {
  type: "object",
  additionalProperties: { anyOf: [{ type: "string" }, messagesByField.additionalProperties] }
}

/**
 * Returns the schema of a refusal's body. The body's keys determine the schema; for a public call, the values do too.
 */
const formOf = (body: object, { omitsErrors }: Dialect, { schemas: { define } }: Components): Part => {
  if ("code" in body) {
    const properties = { code: { type: "integer" }, message: { type: "string" }, errors: messagesByField }
    return define("Refusal", {
      type: "object",
      properties,
      required: ["code", "message", ...(omitsErrors ? [] : ["errors"])]
    })
  }
  if (!("success" in body)) {
    return Object.values(body).some(Array.isArray)
      ? define("FieldErrors", messagesByField)
      : define("FieldTexts", textsByField)
  }
  if ("result" in body) {
    const properties = { success: { const: false }, message: messagesByField, result: { type: "null" } }
    return define("WrappedRefusal", { type: "object", properties, required: Object.keys(properties) })
  }
  const properties = { success: { const: false }, message: { type: "string" }, params: { type: "array", items: {} } }
  return define("PublicRefusal", { type: "object", properties, required: Object.keys(properties) })
}

const refusals = (refused: ReadonlyArray<Answered>, dialect: Dialect, components: Components): Part => {
  const byStatus = Map.groupBy(refused, ({ status }) => status)
  const responses = [...byStatus].map(([status, all]) => {
    const schema = JsonSchema.anyOf(all.map(({ body }) => formOf(body, dialect, components)))
    const examples = Object.fromEntries(
      all.map(({ body, name }) => [name, components.examples.define(name, { value: body })])
    )
    const response = {
      description: all.map(({ name, words }) => `- \`${name}\`: ${words}`).join("\n"),
      content: json(schema, { examples })
    }
    return [String(status), components.responses.define(`Refused${status}`, response)]
  })
  return Object.fromEntries(responses) as Part
}

// -----------------------------------------------------------------------------
// Operations
// -----------------------------------------------------------------------------

const areaOf = ({ path }: Endpoint.Any): string => path.split("/")[3] ?? ""

const describe = ({ b2b, clause, mutates, rateLimit: { calls, perSeconds } }: Endpoint.Any): string =>
  [
    clause.includes("§")
      ? `Document, ${clause}.`
      : "The live exchange has this call; the document does not describe it.",
    `At most ${calls} calls per ${perSeconds === 1 ? "second" : `${perSeconds} seconds`}.`,
    mutates
      ? "The call changes something: if the response is lost, check whether the call was applied before repeating it."
      : "The call changes nothing, and may be repeated.",
    ...(b2b ? ["For business partners only."] : [])
  ].join(" ")

const operation = (endpoint: Endpoint.Any, dialect: Dialect, components: Components): Part => {
  const { schemas } = components
  const isPublic = endpoint.access === "public"
  const sent = isPublic
    ? { parameters: parameters(endpoint, dialect, components) }
    : { requestBody: body(endpoint, dialect, components) }
  const answer = schemas.define(`${nameOf(endpoint)}Answer`, schemas.wire(endpoint.response(dialect)))
  const success = Refusals.successStatus(endpoint, dialect)
  const refused = refusalsOf(endpoint, dialect)
  // API V1 endpoints send a refusal with the HTTP status of a success, so the bodies of successes and refusals are
  // alternatives under one status.
  const alike = refused.filter(({ status }) => status === success).map(({ body }) => formOf(body, dialect, components))
  return {
    operationId: nameOf(endpoint),
    tags: [areaOf(endpoint)],
    summary: endpoint.name,
    description: describe(endpoint),
    security: isPublic ? [] : [{ apiKey: [], payload: [], signature: [] }],
    ...sent,
    responses: {
      [success]: { description: "The response.", content: json(JsonSchema.anyOf([answer, ...alike])) },
      ...refusals(refused.filter(({ status }) => status !== success), dialect, components)
    }
  }
}

// -----------------------------------------------------------------------------
// The document
// -----------------------------------------------------------------------------

const headerOf = (name: string, description: string): Part => ({
  type: "apiKey",
  in: "header",
  name: name.toUpperCase(),
  description
})

const securitySchemes = {
  apiKey: headerOf(Signature.headers.apiKey, "The public API key."),
  payload: headerOf(Signature.headers.payload, "The body, byte for byte as it is sent, in Base64."),
  signature: headerOf(
    Signature.headers.signature,
    "HMAC-SHA512 of the text of X-TXC-PAYLOAD, keyed with the API secret, in lower-case hexadecimal."
  )
}

const introduction = ({ nonceUnit, policy }: Dialect): string =>
  `
Public calls use GET. Private calls use POST with a body of type \`application/json\`, and are signed:

1. Write the body: the fields of the call, \`request\` (its path) and \`nonce\`, as JSON${
    policy.payload === "compact-body" ? " without spaces between its tokens" : ""
  }.
2. \`X-TXC-PAYLOAD\` is that body in Base64. Send exactly the bytes that you encoded.
3. \`X-TXC-SIGNATURE\` is the HMAC-SHA512 of that Base64 text, keyed with the API secret, in lower-case hexadecimal.
4. \`X-TXC-APIKEY\` is the public API key.

A nonce is a number of Unix ${nonceUnit}. ${
    policy.nonce === "unique"
      ? "A key can't use a nonce twice."
      : "A key's nonces must increase; with `nonceWindow: true`, they may arrive in any order, but each must be unused "
        + "and close to the exchange's clock."
  }

Amounts and prices are decimal strings. Order identifiers are integers of any length: a JSON parser that
reads them as doubles loses digits above 2^53.
`.trim()

/**
 * Creates the OpenAPI document of the protocol in a dialect: every endpoint of the contract, with its request, response
 * and refusals. The document is not specific to a venue: it contains no address, account or market.
 *
 * @category constructors
 */
export const of = (dialect: Dialect): Document => {
  const schemas = JsonSchema.writer("#/components/schemas/")
  const responses = JsonSchema.definitions("#/components/responses/")
  const examples = JsonSchema.definitions("#/components/examples/")
  const paths = Object.fromEntries(
    Contract.all.map((endpoint) => [
      endpoint.path,
      { [endpoint.method.toLowerCase()]: operation(endpoint, dialect, { schemas, responses, examples }) }
    ])
  )
  return {
    openapi: "3.1.0",
    info: {
      title: `Private HTTP API V4, ${dialect.name} dialect`,
      version: "4",
      description: introduction(dialect)
    },
    tags: [...new Set(Contract.all.map(areaOf))].map((name) => ({ name })),
    paths,
    components: {
      schemas: schemas.definitions,
      responses: responses.definitions,
      examples: examples.definitions,
      securitySchemes
    }
  }
}

/**
 * The document from {@link of}, as indented JSON.
 *
 * @category constructors
 */
export const text = (dialect: Dialect): string => `${JSON.stringify(of(dialect), undefined, 2)}\n`

/** The OpenAPI documents as a third-party validator understands them. */
import { Ajv2020 } from "ajv/dist/2020.js"
import * as Contract from "../../src/endpoints/all.ts"
import * as OpenApi from "../../src/OpenApi.ts"
import type { Dialect } from "../../src/protocol/Dialect.ts"
import * as Endpoint from "../../src/protocol/Endpoint.ts"
import * as Json from "../../src/protocol/Json.ts"
import * as Paths from "../../src/protocol/Paths.ts"

interface Parameter {
  readonly name: string
  readonly required: boolean
  readonly schema: object
}

interface Operation {
  readonly operationId: string
  readonly parameters?: ReadonlyArray<Parameter>
  readonly requestBody?: unknown
  readonly responses: Readonly<Record<string, unknown>>
}

type Fields = Readonly<Record<string, unknown>>

/**
 * The document's description of an endpoint. Each check returns the errors that it finds, or no errors if the value is
 * valid.
 */
export interface Described {
  readonly operation: Operation
  /**
   * Checks a request by its wire keys. A private request must have its envelope, and all values in a public request
   * must be strings.
   */
  readonly checkRequest: (wire: Fields) => ReadonlyArray<string>
  /** Checks a response. The document must list the response's status. */
  readonly checkAnswer: (status: number, body: unknown) => ReadonlyArray<string>
}

const pointer = (...segments: ReadonlyArray<string>): string =>
  segments.map((segment) => `/${encodeURIComponent(segment.replaceAll("~", "~0").replaceAll("/", "~1"))}`).join("")

/** Converts a path or query value that consists of digits to a number, as its schema expects. */
const meaning = (value: unknown): unknown => /^-?[0-9]+$/u.test(String(value)) ? Number(value) : value

const make = (dialect: Dialect) => {
  const document = JSON.parse(OpenApi.text(dialect)) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
    readonly components: object
  }
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  ajv.addSchema(document, "openapi.json")
  const check = (at: string, value: unknown): ReadonlyArray<string> => {
    const known = ajv.getSchema(`openapi.json#${at}`)
    if (known === undefined) return [`there is no ${at}`]
    // Integers of any length become JavaScript numbers here. The schema still accepts these numbers as integers.
    const [plain] = JSON.parse(Json.stringify([value])) as ReadonlyArray<unknown>
    return known(plain) === true
      ? []
      : (known.errors ?? []).map(({ instancePath, message = "" }) => `${instancePath} ${message}`)
  }

  const describe = (endpoint: Endpoint.Any): Described => {
    const method = endpoint.method.toLowerCase()
    const operation = document.paths[endpoint.path]?.[method]
    if (operation === undefined) throw new Error(`${endpoint.name} is not in the document`)
    const at = (...segments: ReadonlyArray<string>) => pointer("paths", endpoint.path, method, ...segments)
    const content = ["content", "application/json", "schema"]
    return {
      operation,
      checkRequest: (wire) =>
        endpoint.access === "private"
          ? check(at("requestBody", ...content), wire)
          : (operation.parameters ?? []).flatMap(({ name, required }, index) => {
            if (!(name in wire)) return required ? [`no ${name}`] : []
            const schema = at("parameters", String(index), "schema")
            const problems = check(schema, meaning(wire[name]))
            // A value that consists of digits may also be a string, such as an identifier.
            return problems.length === 0 ? problems : check(schema, wire[name])
          }),
      checkAnswer: (status, body) => {
        const response = operation.responses[status]
        if (response === undefined) return [`HTTP ${status} is not among its responses`]
        const shared = Json.isObject(response) ? response["$ref"] : undefined
        const place = typeof shared === "string" ? shared.slice(1) : at("responses", String(status))
        return check(place + pointer(...content), body)
      }
    }
  }
  return { document, of: new Map(Contract.all.map((endpoint) => [endpoint, describe(endpoint)])) }
}

const made = new WeakMap<Dialect, ReturnType<typeof make>>()

const inDialect = (dialect: Dialect) => {
  const found = made.get(dialect) ?? make(dialect)
  made.set(dialect, found)
  return found
}

/** Returns the published OpenAPI document of a dialect. */
export const documentOf = (dialect: Dialect) => inDialect(dialect).document

/** Returns the document's description of an endpoint in a dialect. */
export const describedIn = (dialect: Dialect, endpoint: Endpoint.Any): Described => {
  const found = inDialect(dialect).of.get(endpoint)
  if (found === undefined) throw new Error(`${endpoint.name} is not in the contract`)
  return found
}

/** Returns the endpoint at a path, or `undefined` if there is no such endpoint. */
export const endpointAt = (path: string): Endpoint.Any | undefined =>
  Contract.all.find((endpoint) => Paths.match(endpoint, path) !== undefined)

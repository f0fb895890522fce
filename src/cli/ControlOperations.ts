/** Derives a subcommand from each operation of a sandbox's control plane in `ControlApi`. */
import * as Argument from "effect/cli/Argument"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"
import { ControlApi } from "../sandbox/control/ControlApi.ts"
import * as ControlTarget from "./ControlTarget.ts"
import { Refused } from "./Refused.ts"
import * as SchemaFlags from "./SchemaFlags.ts"
import * as Suggestion from "./Suggestion.ts"

type Endpoints = typeof ControlApi.groups.control.endpoints & typeof ControlApi.groups.views.endpoints

/** The name of a control plane operation, such as `movePrice`. */
export type Name = keyof Endpoints

const endpoints: Endpoints = { ...ControlApi.groups.control.endpoints, ...ControlApi.groups.views.endpoints }

/** Short subcommand names for frequently used operations, such as `price` for `move-price`. */
const shorter: { readonly [K in Name]?: string } = { movePrice: "price", addFault: "fault" }

/** The parts of an HTTP request that can contain fields. */
const parts = ["params", "query", "payload"] as const

type Part = (typeof parts)[number]

/** An operation of the control plane. */
export interface Operation {
  readonly name: Name
  /** The name of the operation's subcommand, such as `price`. */
  readonly command: string
  /** A second, longer name for the subcommand, such as `move-price`, if `command` is a short name. */
  readonly alias: string | undefined
  /** A description of the operation's effect. */
  readonly description: string
  /** Whether the operation only reads. */
  readonly isReading: boolean
  /** The fields of the operation's request, each with the part of the request that contains it. */
  readonly fields: ReadonlyArray<SchemaFlags.Field & { readonly part: Part }>
  /** Whether the operation's request is text that is read from a file. */
  readonly takesFile: boolean
}

const schemaOf = (endpoint: HttpApiEndpoint.Top, part: Part | "headers"): Schema.Constraint | undefined =>
  part === "payload" ? [...endpoint.payload.values()][0]?.schemas[0] : endpoint[part]

const toOperation = (name: Name): Operation => {
  const endpoint: HttpApiEndpoint.Top = endpoints[name]
  const payload = schemaOf(endpoint, "payload")
  const description = Context.getOrUndefined(endpoint.annotations, OpenApi.Description) ?? ""
  return {
    name,
    command: shorter[name] ?? SchemaFlags.kebab(name),
    alias: shorter[name] === undefined ? undefined : SchemaFlags.kebab(name),
    description: description.replace(/\.$/u, ""),
    isReading: endpoint.method === "GET",
    fields: parts.flatMap((part) => {
      const schema = schemaOf(endpoint, part)
      return schema === undefined ? [] : SchemaFlags.fieldsOf(schema).map((field) => ({ ...field, part }))
    }),
    takesFile: payload !== undefined && SchemaAST.isString(payload.ast)
  }
}

/** All operations, in the same order as in the API. */
export const all: ReadonlyArray<Operation> = (Object.keys(endpoints) as ReadonlyArray<Name>).map(toOperation)

/** Returns the arguments and flags of an operation's subcommand. */
export const paramsOf = ({ fields, takesFile }: Operation) =>
  takesFile
    ? { file: Argument.FileText("file").pipe(Argument.withDescription("The file that contains the request")) }
    : SchemaFlags.paramsOf(fields)

const toIssues = SchemaIssue.makeFormatterStandardSchemaV1()

/** Explains which field makes a request invalid, because it is missing or does not fit the other fields. */
const explain = ({ command, fields }: Operation, { issue }: Schema.SchemaError, given: object): Refused => {
  const [first] = toIssues(issue).issues
  const path = (first?.path ?? []).map(String)
  const field = fields.find((field) => field.path.join(".") === path.join("."))
  const at = path.reduce<unknown>((value, key) => Object(value)[key], given)
  return new Refused({
    wrong: field === undefined
      ? `The request can't be used: ${first?.message ?? ""}`
      : at === undefined
      ? `--${field.name} is missing: it needs ${field.valid}`
      : `--${field.name} does not apply here`,
    remedy: `See effect-txc control ${command} --help`
  })
}

/** Converts the user's input to the request that the client expects. */
export const requestOf = Effect.fnUntraced(function*(
  operation: Operation,
  typed: Parameters<typeof SchemaFlags.valueOf>[1]
) {
  const request: { [K in Part | "headers"]?: unknown } = {}
  if (schemaOf(endpoints[operation.name], "headers") !== undefined) request.headers = {}
  for (const part of parts) {
    const schema = schemaOf(endpoints[operation.name], part)
    if (schema === undefined) continue
    const given = SchemaFlags.valueOf(operation.fields.filter((field) => field.part === part), typed)
    const decode = Schema.decodeUnknownEffect(schema as Schema.Codec<unknown>, { onExcessProperty: "error" })
    request[part] = yield* Effect.mapError(decode(given), (error) => explain(operation, error, given))
  }
  return request
})

/** For each field: the operation that lists the existing values, and the key of the value in the listed records. */
const lists: Readonly<Record<string, { readonly operation: Name; readonly key: string }>> = {
  market: { operation: "markets", key: "market" },
  account: { operation: "accounts", key: "account" },
  path: { operation: "endpoints", key: "path" }
}

/** Any method of the client. The parameter is `never`, because each method takes a different request. */
type Method = (
  request: never
) => Effect.Effect<unknown, { readonly _tag: string; readonly message: string; readonly fields?: object }>

type Client = Readonly<Record<Name, Method>>

/** Makes a call. The cast is safe, because `requestOf` has checked the request with the operation's own schemas. */
const call = (client: Client, name: Name, request: object) => client[name](request as never)

/** An operation was refused because the request names something that does not exist, such as a market or an account. */
class Unknown extends Schema.TaggedError<Unknown>()("Unknown", { refusal: Schema.String, suggestion: Schema.String }) {
  override get message(): string {
    return `${this.refusal}\n${this.suggestion}`
  }
}

/** Finds the first field that names something that does not exist, and suggests a similar name. */
const suggest = Effect.fnUntraced(function*(
  client: Client,
  request: object,
  fields: object = {}
) {
  const given: Readonly<Record<string, unknown>> = Object.assign({}, ...Object.values(request))
  for (const [field, { key, operation }] of Object.entries(lists)) {
    const value = given[field]
    if (!Object.hasOwn(fields, field) || typeof value !== "string") continue
    const records = yield* call(client, operation, {})
    const known = (records as ReadonlyArray<Readonly<Record<string, string>>>).map((record) => record[key] ?? "")
    if (!known.includes(value)) return `There is no ${field} ${value}${Suggestion.question(value, known)}`
  }
  return undefined
}, (suggesting) => Effect.orElseSucceed(suggesting, () => undefined))

/** Carries out an operation, and returns its response. */
export const perform = Effect.fnUntraced(function*(target: ControlTarget.Target, name: Name, request: object) {
  const client: Client = yield* HttpApiClient.make(ControlApi, {
    baseUrl: target.url,
    transformClient: ControlTarget.authorized(target.token)
  })
  return yield* Effect.catch(call(client, name, request), (error) =>
    Effect.flatMap(
      suggest(client, request, error.fields),
      (suggestion) =>
        Effect.fail(
          suggestion === undefined
            ? ControlTarget.explained(target.url, error)
            : new Unknown({ refusal: error.message, suggestion })
        )
    ))
})

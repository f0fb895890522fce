/** Runs requests against an API. Refuses unknown fields, and reports which part of the request is wrong. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpEffect from "effect/http/HttpEffect"
import type * as HttpServerError from "effect/http/HttpServerError"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Expected from "../../protocol/Expected.ts"
import * as Json from "../../protocol/Json.ts"
import { type Answer, BodyLost, json, type Request } from "../gateway/Message.ts"
import { Explained, Malformed, prefix } from "./ControlApi.ts"

/** The field names of each operation's body and query, keyed by method and path. */
export type Fields = ReadonlyMap<string, ReadonlyArray<PropertyKey>>

/** The parts of an API group from which the field names of its operations are read. */
interface Group {
  readonly endpoints: Readonly<
    Record<string, {
      readonly method: string
      readonly path: string
      readonly payload: ReadonlyMap<string, { readonly schemas: ReadonlyArray<Schema.Constraint> }>
      readonly query?: Schema.Constraint | undefined
    }>
  >
}

/** Collects the field names of the operations in the given groups. */
export const fieldsOf = (groups: ReadonlyArray<Group>): Fields =>
  new Map(
    groups.flatMap(({ endpoints }) => Object.values(endpoints)).map(({ method, path, payload, query }) => {
      const schemas = [...payload.values()].flatMap(({ schemas }) => schemas).concat(query ?? [])
      const names = schemas.flatMap(({ ast }) =>
        SchemaAST.isObjects(ast) ? ast.propertySignatures.map(({ name }) => name) : []
      )
      return [`${method} ${path}`, names] as const
    })
  )

/**
 * The names of the request fields that the operation does not have. Such a field might be misspelled, and ignoring it
 * could change the meaning of the request.
 */
const unexpected = (
  fields: Fields,
  template: string,
  { body, method, path, query = "" }: Request
): ReadonlyArray<string> => {
  const known = fields.get(`${method} ${template}`)
  if (known === undefined || path === `${prefix}Journal`) return []
  const json = Json.parse(Buffer.from(body).toString("utf8"))
  const given = Result.isSuccess(json) && Json.isObject(json.success) ? Object.keys(json.success) : []
  return [...given, ...new URLSearchParams(query).keys()].filter((name) => !known.includes(name))
}

const wrongType = (path: string): Answer =>
  json(415, {
    message: `the body of ${path} must be sent with the header Content-Type: application/` +
      (path === `${prefix}Journal` ? "x-ndjson" : "json")
  })

/** The names that errors use when an entire part of a request, such as its body, is wrong. */
const parts = {
  Body: "the body",
  Headers: "the headers",
  Params: "the path",
  Payload: "the body",
  Query: "the query",
  ResponseHeaders: "the response"
} as const

/** Explains why a request can't be read. */
export const explainedLayer = HttpApiMiddleware.layerSchemaErrorTransform(
  Explained,
  ({ cause, kind }) => Effect.fail(new Malformed({ message: Expected.inWords(cause, parts[kind]) }))
)

const toAnswer = (response: HttpServerResponse.HttpServerResponse): Answer => {
  const { body, headers, status } = response
  switch (body._tag) {
    case "Stream":
      return {
        _tag: "Stream",
        status,
        headers: { ...headers, ...(body.contentType === undefined ? {} : { "content-type": body.contentType }) },
        body: Stream.mapError(body.stream, () => new BodyLost())
      }
    case "Uint8Array":
      return {
        _tag: "Answer",
        status,
        headers: { ...headers, "content-type": body.contentType },
        body: new TextDecoder().decode(body.body)
      }
    default:
      return { _tag: "Answer", status, headers, body: "" }
  }
}

/** Converts a request to the form that the API reads; `undefined` if the method or path is not valid HTTP. */
const toWebRequest = ({ body, headers, method, path, query = "" }: Request): globalThis.Request | undefined => {
  const url = `http://localhost${path}${query === "" ? "" : `?${query}`}`
  const given = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as const]
  )
  // Most operations have no fields, so an empty body is accepted in place of an empty object.
  const isBare = method === "POST" && body.length === 0 && headers["content-type"] === undefined
  const sent = method === "GET" || method === "HEAD" ? undefined : isBare ? Buffer.from("{}") : Buffer.from(body)
  return Result.getOrUndefined(Result.try(() =>
    new globalThis.Request(url, {
      method,
      headers: { ...Object.fromEntries(given), ...(isBare ? { "content-type": "application/json" } : {}) },
      ...(sent === undefined || sent.length === 0 ? {} : { body: sent })
    })
  ))
}

/** An API as an HTTP handler. */
export type App = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  HttpServerError.HttpServerError,
  HttpServerRequest.HttpServerRequest | Scope.Scope
>

/**
 * Handles an authorized request. Resources that the request opens stay open until the response's stream ends.
 * `template` is the path as the API declares it, if that differs from the request's path.
 */
export const run = Effect.fnUntraced(function*(
  app: App,
  scope: Scope.Scope,
  request: Request,
  fields: Fields,
  template: string = request.path
) {
  const { method, path } = request
  const [field] = unexpected(fields, template, request)
  if (field !== undefined) return json(400, { _tag: "Malformed", message: `${path} has no field "${field}"` })
  const asked = toWebRequest(request)
  if (asked === undefined) return json(400, { message: `${method} ${path} is not served here` })
  const requestScope = yield* Scope.fork(scope)
  return yield* app.pipe(
    Effect.map((response) => HttpEffect.scopeTransferToStream(response)),
    Effect.map(toAnswer),
    Effect.map((answer) => answer._tag === "Answer" && answer.status === 415 ? wrongType(path) : answer),
    Effect.provideService(HttpServerRequest.HttpServerRequest, HttpServerRequest.fromWeb(asked)),
    Effect.provideService(Scope.Scope, requestScope),
    Effect.onExit((exit) =>
      Exit.isSuccess(exit) && exit.value._tag === "Stream" ? Effect.void : Scope.close(requestScope, exit)
    ),
    Effect.catchTag("HttpServerError", ({ reason }) =>
      Effect.succeed(
        reason._tag === "RouteNotFound"
          ? json(404, { message: `there is no ${method} ${path}; see ${prefix}openapi.json` })
          : json(400, { message: reason.message })
      ))
  )
})

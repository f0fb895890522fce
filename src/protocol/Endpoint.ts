/**
 * An endpoint as one value: what it is called, where it is, what goes in, what comes out and what it may refuse.
 *
 * The same value drives the client's service, the sandbox's route and every table made of endpoints.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Dialect, Refusal } from "./Dialect.ts"
import type * as Errors from "./Errors.ts"
import * as Json from "./Json.ts"
import * as Violation from "./Violation.ts"
import type * as Wire from "./Wire.ts"

/**
 * The refusals that only some endpoints give.
 *
 * @category models
 * @since 0.1.0
 */
export type RefusalTag = "ValidationFailed" | "InvalidFields" | "ReduceOnlyRejected"

/**
 * How often a client may call.
 *
 * @category models
 * @since 0.1.0
 */
export interface RateLimit {
  /** The most calls in a window. */
  readonly calls: number
  /** The length of the window, in seconds. */
  readonly perSeconds: number
}

/**
 * All that is known of an endpoint. See {@link make}.
 *
 * @category models
 * @since 0.1.0
 */
export interface Endpoint<
  Request,
  Response,
  Access extends "public" | "private",
  Mutates extends boolean,
  Refusals extends RefusalTag
> {
  /** Service and method, such as `StopLimitOrders.create`. */
  readonly name: `${string}.${string}`
  /** Where the document describes it, or the source of an endpoint that the document does not describe. */
  readonly clause: string
  /** Public calls are read with GET, private calls are sent with POST. */
  readonly method: Access extends "public" ? "GET" : "POST"
  /** The path. It may hold fields of the request, by their wire keys: `/api/v4/public/orderbook/{market}`. */
  readonly path: `/api/v4/${string}`
  /** Private calls are signed with an API key; public calls are not. */
  readonly access: Access
  /** Whether only business partners may call it. */
  readonly b2b: boolean
  /** Whether the call changes anything. */
  readonly mutates: Mutates
  /** The documented rate limit of a client. */
  readonly rateLimit: RateLimit
  /** Whether the document requires `request` and `nonce` in the body. The client always sends both. */
  readonly envelope: "none" | "optional" | "required"
  /** How its field errors are worded, and with that their code: `order` uses 30 and up, `account` 0. */
  readonly errorFamily: Violation.ErrorFamily
  /** The refusals that name fields. */
  readonly refusals: ReadonlyArray<Refusals>
  /** The request's schema in a dialect. */
  readonly request: (dialect: Dialect) => Wire.Shape<Request>
  /** The answer's schema in a dialect. */
  readonly response: (dialect: Dialect) => Schema.Codec<Response, unknown>
  /** A request that the sandbox's example exchange accepts in this dialect, where it refers to nothing made before. */
  readonly example?: (dialect: Dialect) => Request
  readonly "~codecs": WeakMap<Dialect, Codec<Request, Response>>
}

/**
 * Any endpoint, for tables and routes.
 *
 * @category models
 * @since 0.1.0
 */
// oxlint-disable-next-line typescript/no-explicit-any -- a bound for inference: no value is ever read through it.
export type Any = Endpoint<any, any, any, boolean, RefusalTag>

/** The request of an endpoint, in the domain. */
export type Request<E extends Any> = E extends Endpoint<infer Q, infer _R, infer _A, infer _M, infer _T> ? Q : never

/** The answer of an endpoint, in the domain. */
export type Response<E extends Any> = E extends Endpoint<infer _Q, infer R, infer _A, infer _M, infer _T> ? R : never

/** Which errors which calls can fail with, besides the endpoint's own refusals: the type and the value are made of it. */
const tagsOf = {
  every: ["ExchangeUnreachable", "RateLimited"],
  public: ["PublicRequestRejected"],
  private: ["RequestRejected", "NotAuthorized", "NonceRejected"],
  mutating: ["OutcomeUnknown", "AcceptedUnreadable"],
  reading: ["UnexpectedResponse"]
} as const

/**
 * The tags of everything a call of the endpoint can fail with. {@link failureTags} gives them as a value.
 *
 * @category models
 * @since 0.1.0
 */
export type FailureTag<E extends Any> =
  | (typeof tagsOf.every)[number]
  | E["refusals"][number]
  | AccessTag<E["access"]>
  | UncertainTag<E["mutates"]>

/** The tags of both kinds of calls where it is not known whether the call is public. */
type AccessTag<Access> = Access extends "public" ? (typeof tagsOf.public)[number] : (typeof tagsOf.private)[number]

/** The tags of both kinds of calls where it is not known whether the call mutates. */
type UncertainTag<Mutates> = Mutates extends true ? (typeof tagsOf.mutating)[number] : (typeof tagsOf.reading)[number]

/** Every error of a call by its tag, for a request with these fields. */
interface ErrorByTag<F extends string> {
  readonly ValidationFailed: Errors.ValidationFailed<F>
  readonly InvalidFields: Errors.InvalidFields<F>
  readonly ReduceOnlyRejected: Errors.ReduceOnlyRejected<F>
  readonly RequestRejected: Errors.RequestRejected<F>
  readonly PublicRequestRejected: Errors.PublicRequestRejected
  readonly NotAuthorized: Errors.NotAuthorized
  readonly NonceRejected: Errors.NonceRejected
  readonly RateLimited: Errors.RateLimited
  readonly AcceptedUnreadable: Errors.AcceptedUnreadable
  readonly OutcomeUnknown: Errors.OutcomeUnknown
  readonly ExchangeUnreachable: Errors.ExchangeUnreachable
  readonly UnexpectedResponse: Errors.UnexpectedResponse
}

/**
 * What calls of an endpoint can fail with.
 *
 * An endpoint's file writes `Failures<typeof endpoint>["failure"]`: the type of a property has no name of its own, so an
 * editor shows the whole union. No name may stand between, here or there.
 *
 * @category models
 * @since 0.1.0
 */
export interface Failures<E extends Any> {
  /** Everything a call of the endpoint can fail with: a closed union. */
  // One lookup per kind, not one of all tags: code that is generic in the endpoint can then name the errors of a kind.
  readonly failure:
    | ErrorByTag<keyof Request<E> & string>[(typeof tagsOf.every)[number]]
    | ErrorByTag<keyof Request<E> & string>[E["refusals"][number]]
    | ErrorByTag<keyof Request<E> & string>[AccessTag<E["access"]>]
    | ErrorByTag<keyof Request<E> & string>[UncertainTag<E["mutates"]>]
}

/**
 * The same for code that is generic in the endpoint.
 *
 * @category models
 * @since 0.1.0
 */
export type Failure<E extends Any> = Failures<E>["failure"]

/**
 * Defines an endpoint.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = <
  Request,
  Response,
  const Access extends "public" | "private",
  const Mutates extends boolean,
  const Refusals extends RefusalTag
>(
  options: Omit<Endpoint<Request, Response, Access, Mutates, Refusals>, "~codecs">
): Endpoint<Request, Response, Access, Mutates, Refusals> => ({ ...options, "~codecs": new WeakMap() })

/**
 * The tags of everything a call of the endpoint can fail with, as a value: the same as the type {@link Failure} says.
 *
 * @category errors
 * @since 0.1.0
 */
export const failureTags = <E extends Any>(endpoint: E): ReadonlySet<FailureTag<E>> => {
  const { access, mutates, refusals }: Any = endpoint
  const tags: ReadonlyArray<Errors.CallError["_tag"]> = [
    ...tagsOf.every,
    ...refusals,
    ...(access === "public" ? tagsOf.public : tagsOf.private),
    ...(mutates ? tagsOf.mutating : tagsOf.reading)
  ]
  // The type decides by the endpoint's type what is decided here by its value.
  return new Set(tags) as ReadonlySet<FailureTag<E>>
}

/**
 * An endpoint's schemas in one dialect, ready to run.
 *
 * - `shape`: the request's names on the wire
 * - `encodeRequest`, `decodeResponse`: what a client does
 * - `decodeRequest`, `encodeResponse`: what an exchange does
 *
 * A request that breaks rules fails with all of them, whichever way it goes.
 *
 * @category models
 * @since 0.1.0
 */
export interface Codec<Request, Response> {
  readonly shape: Wire.Shape<Request>
  readonly encodeRequest: (
    request: Request
  ) => Result.Result<Readonly<Record<string, unknown>>, ReadonlyArray<Violation.Violation>>
  readonly decodeRequest: (
    wire: unknown
  ) => Result.Result<Request, ReadonlyArray<Violation.Violation>>
  readonly decodeResponse: (wire: unknown) => Result.Result<Response, Schema.SchemaError>
  readonly encodeResponse: (response: Response) => Result.Result<unknown, Schema.SchemaError>
}

const all = { errors: "all" } as const

const violations = <A>(
  result: Result.Result<A, Schema.SchemaError>
): Result.Result<A, ReadonlyArray<Violation.Violation>> =>
  Result.mapError(result, (error) => Violation.fromIssue(error.issue))

/** JSON can't say `undefined`: a field that is there but undefined arrives as one that is missing. */
const withoutUndefined = (request: unknown): unknown =>
  Json.isObject(request) && Object.values(request).includes(undefined)
    ? Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined))
    : request

/**
 * The endpoint's schemas in a dialect; built at the first use.
 *
 * @category codecs
 * @since 0.1.0
 */
export const codec = <Q, R, A extends "public" | "private", M extends boolean, T extends RefusalTag>(
  endpoint: Endpoint<Q, R, A, M, T>,
  dialect: Dialect
): Codec<Q, R> => {
  const known = endpoint["~codecs"].get(dialect)
  if (known !== undefined) return known
  const shape = endpoint.request(dialect)
  const response = endpoint.response(dialect)
  const encodeRequest = Schema.encodeUnknownResult(shape.schema, all)
  const decodeRequest = Schema.decodeUnknownResult(shape.schema, all)
  const made: Codec<Q, R> = {
    shape,
    // A shape always encodes to a JSON object.
    encodeRequest: (request) => {
      const said = withoutUndefined(request)
      const unexpected = Json.isObject(said)
        ? Object.keys(said).filter((field) => !Object.hasOwn(shape.fields, field))
        : []
      return (unexpected.length === 0
        ? violations(encodeRequest(said))
        : Result.fail(unexpected.map((field) => ({ field, constraint: { kind: "expected" } })))) as never
    },
    decodeRequest: (wire) => violations(decodeRequest(wire)),
    decodeResponse: Schema.decodeUnknownResult(response),
    encodeResponse: Schema.encodeUnknownResult(response)
  }
  endpoint["~codecs"].set(dialect, made)
  return made
}

const placeholder = /\{([A-Za-z_]+)\}/gu

/**
 * Where a request goes: the path with the fields that stand in it, and the fields that are left.
 *
 * @category paths
 * @since 0.1.0
 */
export const locate = (
  { path }: Any,
  wire: Readonly<Record<string, unknown>>
): { readonly path: string; readonly fields: Readonly<Record<string, unknown>> } => {
  if (!path.includes("{")) return { path, fields: wire }
  const fields = { ...wire }
  const filled = path.replace(placeholder, (_, key: string) => {
    const value = fields[key]
    delete fields[key]
    return encodeURIComponent(String(value))
  })
  return { path: filled, fields }
}

const unescape = (text: string): string => Result.getOrElse(Result.try(() => decodeURIComponent(text)), () => text)

/**
 * The fields that stand in a path of the endpoint; `undefined` when the path is another one's.
 *
 * @category paths
 * @since 0.1.0
 */
export const match = ({ path: template }: Any, path: string): Readonly<Record<string, string>> | undefined => {
  const expected = template.split("/")
  const given = path.split("/")
  if (expected.length !== given.length) return undefined
  const fields: Record<string, string> = {}
  for (const [index, part] of expected.entries()) {
    const found = given[index] ?? ""
    if (!part.startsWith("{")) {
      if (part !== found) return undefined
    } else if (found === "") return undefined
    else fields[part.slice(1, -1)] = unescape(found)
  }
  return fields
}

/**
 * How this endpoint refuses a request that breaks rules, in a dialect.
 *
 * @category refusals
 * @since 0.1.0
 */
export const refusalOf = (
  endpoint: Any,
  dialect: Dialect,
  violations: ReadonlyArray<Violation.Violation>
): Refusal => endpoint.errorFamily === "order" ? dialect.orderValidation(violations) : dialect.fieldValidation

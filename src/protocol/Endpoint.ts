/**
 * Defines endpoints as values: each has a name, a path, a request, a response and refusals.
 *
 * The same value defines the client's service, the sandbox's route, the oracle's generators and the endpoint tables.
 *
 * @example
 * ```ts
 * import { type Endpoint, Fees } from "effect-txc"
 *
 * const { path, rateLimit } = Fees.endpoint
 * console.log(`${path}: ${rateLimit.calls} calls in ${rateLimit.perSeconds} seconds`)
 *
 * export type Answer = Endpoint.Response<typeof Fees.endpoint>
 * export type Failure = Endpoint.Failures<typeof Fees.endpoint>["failure"]
 * ```
 */
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { ClientOrderId, MarketName } from "../domain/Identifiers.ts"
import * as Compiled from "./Compiled.ts"
import type { Dialect, PublicForm } from "./Dialect.ts"
import type * as Errors from "./Errors.ts"
import * as Json from "./Json.ts"
import { tally } from "./Parser.ts"
import * as Violation from "./Violation.ts"
import type * as Wire from "./Wire.ts"

/**
 * The error tags of refusals that only some endpoints have.
 *
 * @category models
 */
export type RefusalTag = "ValidationFailed" | "InvalidFields" | "ReduceOnlyRejected"

/**
 * A rate limit (the document, "Limits").
 *
 * @category models
 */
export interface RateLimit {
  /** The maximum number of calls in a window. */
  readonly calls: number
  /** The window's length, in seconds. */
  readonly perSeconds: number
}

/**
 * An endpoint's path. It may contain placeholders with the wire keys of request fields:
 * `/api/v4/public/orderbook/{market}`.
 *
 * @category models
 */
export type Path = `/api/v${1 | 4}/${string}`

/**
 * Whether a call places orders, and how to find the orders when the call's outcome is unknown:
 *
 * - `nothing`: the call places no orders with a client order id
 * - `order`: the call places one order, with the request's client order id
 * - `pair`: the call places the two legs of an OCO order, both with the request's client order id. Until a leg
 *   activates, only the list of unexecuted OCO orders contains the legs
 * - `orders`: the call places the orders in the request's `orders` field, each with its own client order id
 *
 * @category models
 */
export type Places = "nothing" | "order" | "pair" | "orders"

/**
 * The values of `places` that a request type allows. An order can only be found by its client order id and its market,
 * so a request that places orders must have both fields.
 */
type PlacesBy<Request> =
  | "nothing"
  | (IsNamed<Request> extends true ? "order" | "pair" : never)
  | (Request extends { readonly orders: ReadonlyArray<infer Order> } ? IsNamed<Order> extends true ? "orders" : never
    : never)

type IsNamed<Order> = Order extends { readonly market: MarketName; readonly clientOrderId?: ClientOrderId }
  ? "clientOrderId" extends keyof Order ? true : false
  : false

/**
 * An endpoint's definition, for {@link make}. Optional fields have defaults.
 *
 * @category models
 */
export interface Definition<
  Request,
  Response,
  Access extends "public" | "private",
  Mutates extends boolean,
  Refusals extends RefusalTag,
  Placed extends Places = Places,
  At extends Path = Path
> {
  /** The service and its method, such as `StopLimitOrders.create`. */
  readonly name: `${string}.${string}`
  /**
   * The clause of the document that describes the endpoint. Default `not in the document`: only the live exchange's
   * documentation describes it.
   */
  readonly clause?: string
  /** The path. It may contain the wire keys of request fields as placeholders: `/api/v4/public/orderbook/{market}`. */
  readonly path: At
  /** Whether calls are signed with an API key (`private`) or not (`public`). */
  readonly access: Access
  /** Whether only business partners may make the call (the document, "Authentication", 5). Default `false`. */
  readonly b2b?: boolean
  /**
   * Whether the call changes anything at the exchange. The client never retries a mutating call that may have reached
   * the exchange.
   */
  readonly mutates: Mutates
  /** Whether the call places orders, and how to find them. Required for mutating calls of the error family `order`. */
  readonly places?: Placed
  /**
   * The documented rate limit per client. Default, per 10 seconds: 2000 calls for a public endpoint, 10000 for a
   * private endpoint of the error family `order`, and 1000 for a private endpoint of the error family `account`.
   */
  readonly rateLimit?: RateLimit
  /**
   * Whether the document requires `request` and `nonce` in the body. The client sends both with every private call
   * anyway. Default: `required` for private calls, `none` for public calls.
   */
  readonly envelope?: "none" | "optional" | "required"
  /**
   * The errors with which the endpoint can refuse a request because of its fields. They determine the endpoint's error
   * family, and thus the wording of the messages.
   */
  readonly refusals: ReadonlyArray<Refusals>
  /** The format in which the live exchange refuses a public request with invalid fields. Default `fields`. */
  readonly refusedAs?: PublicForm
  /** The name of the {@link Dialect} field that contains the HTTP status of a success. Default: HTTP 200. */
  readonly success?: "createdStatus" | "codeAppliedStatus"
  /** Builds the request's schema and wire keys in a dialect. */
  readonly request: (dialect: Dialect) => Wire.Shape<Request>
  /** Creates the schema of the response in a dialect. */
  readonly response: (dialect: Dialect) => Schema.Codec<Response, unknown>
  /**
   * An example request. The sandbox's example exchange accepts it, unless it refers to something that must be created
   * first.
   */
  readonly example: (dialect: Dialect) => Request
}

/**
 * Makes `places` mandatory for mutating endpoints of the error family `order`. Otherwise a program could not find an
 * order with an unknown outcome, and might place the order twice.
 */
type Stated<Request, Mutates extends boolean, Refusals extends RefusalTag> = Mutates extends true
  ? "ValidationFailed" extends Refusals ? { readonly places: PlacesBy<Request> } : Unstated
  : Unstated

interface Unstated {
  readonly places?: never
}

/**
 * An endpoint: its definition with all defaults, and its compiled schemas. {@link make} creates an endpoint from its
 * definition.
 *
 * @category models
 */
export interface Endpoint<
  Request,
  Response,
  Access extends "public" | "private",
  Mutates extends boolean,
  Refusals extends RefusalTag,
  Placed extends Places = Places,
  At extends Path = Path
> extends Definition<Request, Response, Access, Mutates, Refusals, Placed, At> {
  /** The clause of the document that describes the endpoint, or `not in the document`. */
  readonly clause: string
  /** `GET` for public calls, `POST` for private calls. */
  readonly method: "GET" | "POST"
  /** Whether only business partners may make the call (the document, "Authentication", 5). */
  readonly b2b: boolean
  /** Whether the call places orders, and how to find them. */
  readonly places: Placed
  /** The documented rate limit per client. */
  readonly rateLimit: RateLimit
  /**
   * Whether the document requires `request` and `nonce` in the body. The client sends both with every private call
   * anyway.
   */
  readonly envelope: "none" | "optional" | "required"
  /**
   * The error family, which determines the wording and the codes of field errors: 30 and above for `order`, 0 for
   * `account`.
   */
  readonly errorFamily: Violation.ErrorFamily
  /** The endpoint's compiled schemas in a dialect: see {@link codec}. */
  readonly "~codec": (dialect: Dialect) => Codec<Request, Response>
}

/**
 * An endpoint with any request and any response.
 *
 * @category models
 */
// oxlint-disable-next-line typescript/no-explicit-any -- a bound for inference: no value is ever read through it.
export type Any = Endpoint<any, any, any, boolean, RefusalTag>

/**
 * The domain type of an endpoint's request.
 *
 * @category models
 */
export type Request<E extends Any> = E extends Endpoint<infer Q, infer _R, infer _A, infer _M, infer _T> ? Q : never

/**
 * The domain type of an endpoint's response.
 *
 * @category models
 */
export type Response<E extends Any> = E extends Endpoint<infer _Q, infer R, infer _A, infer _M, infer _T> ? R : never

/**
 * The error tags of each kind of call, without the refusals that only some endpoints have. {@link FailureTag} and
 * {@link failureTags} are both derived from this table.
 */
const tagsOf = {
  every: ["ExchangeUnreachable", "RateLimited"],
  public: ["PublicRequestRejected"],
  private: ["RequestRejected", "NotAuthorized", "NonceRejected"],
  mutating: ["OutcomeUnknown", "AcceptedUnreadable"],
  reading: ["UnexpectedResponse"]
} as const

/**
 * The tags of all errors with which a call to the endpoint can fail. {@link failureTags} returns the tags as a value.
 *
 * @category models
 */
export type FailureTag<E extends Any> =
  | (typeof tagsOf.every)[number]
  | E["refusals"][number]
  | AccessTag<E["access"]>
  | UncertainTag<E["mutates"]>

/**
 * The tags that depend on the access. For code that is generic over the access, this type includes the tags of both
 * public and private calls.
 */
type AccessTag<Access> = Access extends "public" ? (typeof tagsOf.public)[number] : (typeof tagsOf.private)[number]

/**
 * The tags that depend on whether the call mutates. For code that is generic over the kind of call, the type includes
 * the tags of both reads and mutating calls.
 */
type UncertainTag<Mutates> = Mutates extends true ? (typeof tagsOf.mutating)[number] : (typeof tagsOf.reading)[number]

/** The error type for each tag. `F` is the union of the request's field names. */
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
 * The errors that an endpoint's calls can return.
 *
 * Endpoint modules write `Failures<typeof endpoint>["failure"]` because an editor then shows the complete union. A
 * named type in between would hide the union's members.
 *
 * @category models
 */
export interface Failures<E extends Any> {
  /** All errors with which a call to the endpoint can fail, as a closed union. */
  // Each group of tags has a lookup of its own, so that generic code can create an error from one of the groups.
  readonly failure:
    | ErrorByTag<keyof Request<E> & string>[(typeof tagsOf.every)[number]]
    | ErrorByTag<keyof Request<E> & string>[E["refusals"][number]]
    | ErrorByTag<keyof Request<E> & string>[AccessTag<E["access"]>]
    | ErrorByTag<keyof Request<E> & string>[UncertainTag<E["mutates"]>]
}

/**
 * The errors that an endpoint's calls can return, for code that is generic over endpoints.
 *
 * @category models
 */
export type Failure<E extends Any> = Failures<E>["failure"]

/** The default rate limits, per client. */
const rateLimits = {
  public: { calls: 2000, perSeconds: 10 },
  order: { calls: 10000, perSeconds: 10 },
  account: { calls: 1000, perSeconds: 10 }
} as const

/**
 * Creates an endpoint from its definition.
 *
 * @category constructors
 */
export const make = <
  Request,
  Response,
  const Access extends "public" | "private",
  const Mutates extends boolean,
  const Refusals extends RefusalTag,
  const Placed extends Places = "nothing",
  const At extends Path = Path
>(
  definition:
    & Definition<Request, Response, Access, Mutates, Refusals, Placed, At>
    & Stated<Request, Mutates, Refusals>
): Endpoint<Request, Response, Access, Mutates, Refusals, Placed, At> => {
  const { access, refusals }: Definition<Request, Response, Access, Mutates, RefusalTag> = definition
  const isPublic = access === "public"
  const errorFamily = refusals.includes("ValidationFailed") ? "order" : "account"
  const request = perDialect(definition.request)
  const response = perDialect(definition.response)
  return {
    clause: "not in the document",
    method: isPublic ? "GET" : "POST",
    b2b: false,
    places: "nothing" as Placed,
    rateLimit: rateLimits[isPublic ? "public" : errorFamily],
    envelope: isPublic ? "none" : "required",
    errorFamily,
    ...definition,
    request,
    response,
    "~codec": perDialect((dialect) => codecOf(request(dialect), () => response(dialect)))
  }
}

/**
 * Returns a function that creates a value for a dialect on first use and caches it. A program uses few endpoints, but
 * uses them often.
 */
const perDialect = <A>(make: (dialect: Dialect) => A): (dialect: Dialect) => A => {
  let made: WeakMap<Dialect, A> | undefined
  return (dialect) => {
    made ??= new WeakMap()
    const known = made.get(dialect)
    if (known !== undefined) return known
    const value = make(dialect)
    made.set(dialect, value)
    return value
  }
}

/**
 * Returns the tags of all errors with which a call to the endpoint can fail. This is the run-time counterpart of the
 * type {@link FailureTag}.
 *
 * @category errors
 */
export const failureTags = <E extends Any>(endpoint: E): ReadonlySet<FailureTag<E>> => {
  const { access, mutates, refusals }: Any = endpoint
  const tags: ReadonlyArray<Errors.CallError["_tag"]> = [
    ...tagsOf.every,
    ...refusals,
    ...(access === "public" ? tagsOf.public : tagsOf.private),
    ...(mutates ? tagsOf.mutating : tagsOf.reading)
  ]
  // The cast is safe: the tags depend on the endpoint's value in the same way as `FailureTag` depends on its type.
  return new Set(tags) as ReadonlySet<FailureTag<E>>
}

/**
 * An endpoint's compiled schemas in one dialect. A client encodes requests and decodes responses; an exchange decodes
 * requests and encodes responses.
 *
 * @category models
 */
export interface Codec<Request, Response> {
  /** The request's schema and wire keys. */
  readonly shape: Wire.Shape<Request>
  /** Checks a request and encodes it with wire keys. Fails with all violated constraints. */
  readonly encodeRequest: (
    request: Request
  ) => Result.Result<Readonly<Record<string, unknown>>, ReadonlyArray<Violation.Violation>>
  /** Decodes a request with wire keys, and checks it. Fails with all violated constraints. */
  readonly decodeRequest: (
    wire: unknown
  ) => Result.Result<Request, ReadonlyArray<Violation.Violation>>
  /** Decodes a response. Fails when it does not match the dialect. */
  readonly decodeResponse: (wire: unknown) => Result.Result<Response, Schema.SchemaError>
  /**
   * Decodes a response, given both its text and the parsed JSON. Fails with `Json.repeatedKey` if an object in the text
   * has a duplicate key.
   */
  readonly readResponse: (
    text: string,
    json: unknown
  ) => Result.Result<Response, Schema.SchemaError | typeof Json.repeatedKey>
  /** Encodes a response. Fails when it is not a valid domain value. */
  readonly encodeResponse: (response: Response) => Result.Result<unknown, Schema.SchemaError>
}

const all = { errors: "all" } as const

/**
 * Reports missing fields that other fields make mandatory, in addition to a schema's violations, and sorts the result
 * by field. A schema alone would report these fields too late, because it checks constraints between fields only if
 * each field is valid.
 */
const violations = <A>(
  result: Result.Result<A, Schema.SchemaError>,
  { fields, missing }: Wire.Any,
  value: unknown,
  side: "domain" | "wire"
): Result.Result<A, ReadonlyArray<Violation.Violation>> =>
  Result.mapError(result, (error) => {
    const found = Violation.fromIssue(error.issue)
    const others = missing(value, side).filter((field) => !found.some((violation) => violation.field === field))
    const order = Object.keys(fields)
    return others.length === 0
      ? found
      : [...found, ...others.map((field) => ({ field, constraint: { kind: "required" } as const }))].toSorted((a, b) =>
        order.indexOf(a.field) - order.indexOf(b.field)
      )
  })

/** Drops fields whose value is `undefined`, because JSON has no such value. */
const withoutUndefined = (request: unknown): unknown =>
  Json.isObject(request) && Object.values(request).includes(undefined)
    ? Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined))
    : request

const codecOf = <Q, R>(shape: Wire.Shape<Q>, response: () => Schema.Codec<R, unknown>): Codec<Q, R> => {
  const request = () => shape.schema
  const encodeRequest = Compiled.encodeUnknownResult(request, all)
  const decodeRequest = Compiled.decodeUnknownResult(request, all)
  const decodeResponse = Compiled.decodeUnknownResult(response)
  return {
    shape,
    // The cast is safe: a shape always encodes to a JSON object.
    encodeRequest: (request) => {
      const said = withoutUndefined(request)
      const unexpected = Json.isObject(said)
        ? Object.keys(said).filter((field) => !Object.hasOwn(shape.fields, field))
        : []
      return (unexpected.length === 0
        ? violations(encodeRequest(said), shape, said, "domain")
        : Result.fail(unexpected.map((field) => ({ field, constraint: { kind: "expected" } })))) as never
    },
    decodeRequest: (wire) => violations(decodeRequest(wire), shape, wire, "wire"),
    decodeResponse,
    readResponse: (text, json) => {
      tally.keys = 0
      const decoded = decodeResponse(json)
      return Json.isUnique(text, json, tally.keys) ? decoded : Result.fail(Json.repeatedKey)
    },
    encodeResponse: Compiled.encodeUnknownResult(response)
  }
}

/**
 * The endpoint's schemas in a dialect, compiled on first use and cached.
 *
 * @category codecs
 */
export const codec = <Q, R, A extends "public" | "private", M extends boolean, T extends RefusalTag>(
  endpoint: Endpoint<Q, R, A, M, T>,
  dialect: Dialect
): Codec<Q, R> => endpoint["~codec"](dialect)

/**
 * The type of a row in a response: an element of a list or a page, or an entry of a map. For other responses, `never`.
 *
 * @category models
 */
export type Row<Answer> = Answer extends ReadonlyMap<infer K, infer V> ? readonly [K, V]
  : Answer extends ReadonlyArray<infer A> ? A
  : Answer extends { readonly records: ReadonlyArray<infer A> } ? A
  : never

/**
 * Returns the readable rows of a response, in order, after a call failed with `UnexpectedResponse` because other rows
 * can't be read. Empty if the error has no rows, or belongs to another endpoint.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Assets, Endpoint } from "effect-txc"
 *
 * // The assets that can be read. A warning says how many can't, and why the first of those can't.
 * export const assets = Assets.Assets.use(({ all }) => all).pipe(
 *   Effect.catchTag("UnexpectedResponse", (error) =>
 *     error.unreadable === undefined
 *       ? Effect.fail(error)
 *       : Effect.as(Effect.logWarning(error.message), new Map(Endpoint.readableRows(Assets.endpoint, error))))
 * )
 * ```
 *
 * @category responses
 */
export const readableRows = <E extends Any>(
  { name }: E,
  { endpoint, readable }: Errors.UnexpectedResponse
): ReadonlyArray<Row<Response<E>>> =>
  // The cast is safe, because the rows were decoded with the schema of the endpoint with this name.
  endpoint === name && readable !== undefined ? Redacted.value(readable) as ReadonlyArray<Row<Response<E>>> : []

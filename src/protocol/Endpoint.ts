/**
 * An endpoint as one value: its name, path, request, answer and refusals.
 *
 * The same value drives the client's service, the sandbox's route, the oracle's generators and every table of
 * endpoints.
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
 * The refusals specific to some endpoints, by the tags of their errors.
 *
 * @category models
 */
export type RefusalTag = "ValidationFailed" | "InvalidFields" | "ReduceOnlyRejected"

/**
 * A rate limit (document, "Limits").
 *
 * @category models
 */
export interface RateLimit {
  /** The maximum number of calls in a window. */
  readonly calls: number
  /** The length of the window, in seconds. */
  readonly perSeconds: number
}

/**
 * A path of the exchange. It may contain request fields, by wire key: `/api/v4/public/orderbook/{market}`.
 *
 * @category models
 */
export type Path = `/api/v${1 | 4}/${string}`

/**
 * Whether a call places orders, and how to find them when its outcome is unknown:
 *
 * - `nothing`: it places no order that a client order id can find
 * - `order`: it places one order, with the client order id of the request
 * - `pair`: it places the two legs of an OCO order, with the client order id of the request. Until one of them
 *   activates, only the list of pairs contains them
 * - `orders`: it places the orders in the request's field `orders`, each with its own client order id
 *
 * @category models
 */
export type Places = "nothing" | "order" | "pair" | "orders"

/** The values of `places` that a request type allows: finding an order takes its client order id and market. */
type PlacesBy<Request> =
  | "nothing"
  | (IsNamed<Request> extends true ? "order" | "pair" : never)
  | (Request extends { readonly orders: ReadonlyArray<infer Order> } ? IsNamed<Order> extends true ? "orders" : never
    : never)

type IsNamed<Order> = Order extends { readonly market: MarketName; readonly clientOrderId?: ClientOrderId }
  ? "clientOrderId" extends keyof Order ? true : false
  : false

/**
 * The definition that an endpoint's file states. Omitted fields have the defaults described at {@link Endpoint}.
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
  /** The clause of the document. Default `not in the document`: only the live exchange's documentation describes it. */
  readonly clause?: string
  /** The path. It may contain request fields, by wire key: `/api/v4/public/orderbook/{market}`. */
  readonly path: At
  /** Whether calls are signed with an API key (`private`) or not (`public`). */
  readonly access: Access
  /** Whether only business partners may call it (document, "Authentication", 5). Default `false`. */
  readonly b2b?: boolean
  /**
   * Whether the call changes anything at the exchange. The client never retries such a call once it may have arrived.
   */
  readonly mutates: Mutates
  /** Whether the call places orders, and how to find them. Required for mutating calls of the error family `order`. */
  readonly places?: Placed
  /**
   * The documented rate limit of a client. Default, per 10 seconds: 2000 calls for a public endpoint, 10000 for a
   * private one of the error family `order`, 1000 for one of the error family `account`.
   */
  readonly rateLimit?: RateLimit
  /**
   * Whether the document requires `request` and `nonce` in the body. The client always sends both on a private call.
   * Default: `required` for private calls, `none` for public ones.
   */
  readonly envelope?: "none" | "optional" | "required"
  /** The refusals with named fields that the endpoint may give. They also decide the wording of its field errors. */
  readonly refusals: ReadonlyArray<Refusals>
  /** The form in which the live exchange refuses a public request for its fields. Default `fields`. */
  readonly refusedAs?: PublicForm
  /** The dialect's status for a success. Default: HTTP 200. */
  readonly success?: "createdStatus" | "codeAppliedStatus"
  /** Makes the request and its spelling in a dialect. */
  readonly request: (dialect: Dialect) => Wire.Shape<Request>
  /** Makes the answer's schema in a dialect. */
  readonly response: (dialect: Dialect) => Schema.Codec<Response, unknown>
  /**
   * A typical request. The sandbox's example exchange accepts it, unless it names something that must be created first.
   */
  readonly example: (dialect: Dialect) => Request
}

/** Requires `places` of endpoints that change orders: an order that can't be found might be placed again. */
type Stated<Request, Mutates extends boolean, Refusals extends RefusalTag> = Mutates extends true
  ? "ValidationFailed" extends Refusals ? { readonly places: PlacesBy<Request> } : Unstated
  : Unstated

interface Unstated {
  readonly places?: never
}

/**
 * Everything known about an endpoint. {@link make} makes one from its definition.
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
  /** The clause of the document, or that it has none. */
  readonly clause: string
  /** GET for public calls, POST for private ones. */
  readonly method: "GET" | "POST"
  /** Whether only business partners may call it (document, "Authentication", 5). */
  readonly b2b: boolean
  /** Whether the call places orders, and how to find them. */
  readonly places: Placed
  /** The documented rate limit of a client. */
  readonly rateLimit: RateLimit
  /**
   * Whether the document requires `request` and `nonce` in the body. The client always sends both on a private call.
   */
  readonly envelope: "none" | "optional" | "required"
  /** The wording of its field errors, and thereby their code: 30 and above for `order`, 0 for `account`. */
  readonly errorFamily: Violation.ErrorFamily
  /** The endpoint's compiled schemas in a dialect: see {@link codec}. */
  readonly "~codec": (dialect: Dialect) => Codec<Request, Response>
}

/**
 * Any endpoint, for tables and routes.
 *
 * @category models
 */
// oxlint-disable-next-line typescript/no-explicit-any -- a bound for inference: no value is ever read through it.
export type Any = Endpoint<any, any, any, boolean, RefusalTag>

/**
 * The request of an endpoint, in the domain.
 *
 * @category models
 */
export type Request<E extends Any> = E extends Endpoint<infer Q, infer _R, infer _A, infer _M, infer _T> ? Q : never

/**
 * The answer of an endpoint, in the domain.
 *
 * @category models
 */
export type Response<E extends Any> = E extends Endpoint<infer _Q, infer R, infer _A, infer _M, infer _T> ? R : never

/** The errors by kind of call, apart from the endpoint's own refusals. Both the type and the value derive from it. */
const tagsOf = {
  every: ["ExchangeUnreachable", "RateLimited"],
  public: ["PublicRequestRejected"],
  private: ["RequestRejected", "NotAuthorized", "NonceRejected"],
  mutating: ["OutcomeUnknown", "AcceptedUnreadable"],
  reading: ["UnexpectedResponse"]
} as const

/**
 * The tags of all errors of a call of the endpoint. {@link failureTags} returns them as a value.
 *
 * @category models
 */
export type FailureTag<E extends Any> =
  | (typeof tagsOf.every)[number]
  | E["refusals"][number]
  | AccessTag<E["access"]>
  | UncertainTag<E["mutates"]>

/** The tags for both public and private calls, if the access is not known. */
type AccessTag<Access> = Access extends "public" ? (typeof tagsOf.public)[number] : (typeof tagsOf.private)[number]

/** The tags for both reads and mutating calls, if it is not known which. */
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
 * The errors of an endpoint's calls.
 *
 * An endpoint's file writes `Failures<typeof endpoint>["failure"]`: the type of a property has no name of its own, so
 * an editor shows the whole union. Do not put a named type in between, here or there.
 *
 * @category models
 */
export interface Failures<E extends Any> {
  /** All errors of a call of the endpoint: a closed union. */
  // One lookup per kind instead of one for all tags, so that code generic in the endpoint can name the errors of a
  // kind.
  readonly failure:
    | ErrorByTag<keyof Request<E> & string>[(typeof tagsOf.every)[number]]
    | ErrorByTag<keyof Request<E> & string>[E["refusals"][number]]
    | ErrorByTag<keyof Request<E> & string>[AccessTag<E["access"]>]
    | ErrorByTag<keyof Request<E> & string>[UncertainTag<E["mutates"]>]
}

/**
 * The errors of an endpoint's calls, for code generic in the endpoint.
 *
 * @category models
 */
export type Failure<E extends Any> = Failures<E>["failure"]

/** The rate limits of endpoints that state none, per client. */
const rateLimits = {
  public: { calls: 2000, perSeconds: 10 },
  order: { calls: 10000, perSeconds: 10 },
  account: { calls: 1000, perSeconds: 10 }
} as const

/**
 * Makes an endpoint from its definition.
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

/** Makes a value per dialect on first use and keeps it: a program uses few endpoints, but those often. */
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
 * The tags of all errors of a call of the endpoint, as a value: the counterpart of the type {@link Failure}.
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
  // The type decides by the endpoint's type, this code by its value.
  return new Set(tags) as ReadonlySet<FailureTag<E>>
}

/**
 * An endpoint's compiled schemas in one dialect. A client encodes requests and decodes answers; an exchange does the
 * opposite.
 *
 * @category models
 */
export interface Codec<Request, Response> {
  /** The request and its spelling on the wire. */
  readonly shape: Wire.Shape<Request>
  /** Checks a request and encodes it with wire keys. Fails with all constraints that it breaks. */
  readonly encodeRequest: (
    request: Request
  ) => Result.Result<Readonly<Record<string, unknown>>, ReadonlyArray<Violation.Violation>>
  /** Decodes a request from its wire keys. Fails with all constraints that it breaks. */
  readonly decodeRequest: (
    wire: unknown
  ) => Result.Result<Request, ReadonlyArray<Violation.Violation>>
  /** Decodes an answer. Fails when it does not match the dialect. */
  readonly decodeResponse: (wire: unknown) => Result.Result<Response, Schema.SchemaError>
  /**
   * Decodes an answer from its text and the text's JSON value. Fails with `Json.repeatedKey` when an object repeats a
   * key.
   */
  readonly readResponse: (
    text: string,
    json: unknown
  ) => Result.Result<Response, Schema.SchemaError | typeof Json.repeatedKey>
  /** Encodes an answer. Fails when it is not a domain value. */
  readonly encodeResponse: (response: Response) => Result.Result<unknown, Schema.SchemaError>
}

const all = { errors: "all" } as const

/** All violations, in the order of the fields. A schema only checks several fields together when each is right. */
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

/** Drops undefined fields: JSON has no `undefined`, so such a field is sent as absent. */
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
    // A shape always encodes to a JSON object.
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
 * The endpoint's schemas in a dialect, compiled on first use and kept.
 *
 * @category codecs
 */
export const codec = <Q, R, A extends "public" | "private", M extends boolean, T extends RefusalTag>(
  endpoint: Endpoint<Q, R, A, M, T>,
  dialect: Dialect
): Codec<Q, R> => endpoint["~codec"](dialect)

/**
 * A row of an answer that is a list or a page of one; of a map an entry. `never` for other answers.
 *
 * @category models
 */
export type Row<Answer> = Answer extends ReadonlyMap<infer K, infer V> ? readonly [K, V]
  : Answer extends ReadonlyArray<infer A> ? A
  : Answer extends { readonly records: ReadonlyArray<infer A> } ? A
  : never

/**
 * The rows that can be read of an answer that failed with `UnexpectedResponse` because others can't, in their order. Empty
 * where the error has none, or is of another endpoint.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Assets, Endpoint } from "effect-txc"
 *
 * // The assets that can be read. The log says how many can't, and why the first of them can't.
 * export const assets = Assets.Assets.use(({ all }) => all).pipe(
 *   Effect.catchTag("UnexpectedResponse", (error) =>
 *     error.unreadable === undefined
 *       ? Effect.fail(error)
 *       : Effect.as(Effect.logWarning(error.message), new Map(Endpoint.readableRows(Assets.endpoint, error))))
 * )
 * ```
 *
 * @category answers
 */
export const readableRows = <E extends Any>(
  { name }: E,
  { endpoint, readable }: Errors.UnexpectedResponse
): ReadonlyArray<Row<Response<E>>> =>
  // The rows were decoded by the endpoint of this name.
  endpoint === name && readable !== undefined ? Redacted.value(readable) as ReadonlyArray<Row<Response<E>>> : []

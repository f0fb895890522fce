/**
 * An endpoint as one value: its name, its path, its request, its answer and its refusals.
 *
 * The same value drives the client's service, the sandbox's route, the oracle's generators and every table of endpoints.
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
 *
 * @since 0.1.0
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
 * The refusals that only some endpoints give, by the tags of their errors.
 *
 * @category models
 * @since 0.1.0
 */
export type RefusalTag = "ValidationFailed" | "InvalidFields" | "ReduceOnlyRejected"

/**
 * How often a client may call (document, "Limits").
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
 * A path of the exchange. It may contain fields of the request, by their wire keys: `/api/v4/public/orderbook/{market}`.
 *
 * @category models
 * @since 0.1.0
 */
export type Path = `/api/v${1 | 4}/${string}`

/**
 * Whether a call places orders, and how they are found again once its outcome is unknown:
 *
 * - `nothing`: it places no order that could be found by a client order id
 * - `order`: it places one order, which has the client order id of the request
 * - `pair`: it places the two legs of an OCO order, which have the client order id of the request. As long as neither has
 *   activated they are in the list of pairs and in no other
 * - `orders`: it places the orders of the request's field `orders`, each of which has its own client order id
 *
 * @category models
 * @since 0.1.0
 */
export type Places = "nothing" | "order" | "pair" | "orders"

/** What a call with such a request can say of what it places: an order is found by its client order id in its market. */
type PlacesBy<Request> =
  | "nothing"
  | (IsNamed<Request> extends true ? "order" | "pair" : never)
  | (Request extends { readonly orders: ReadonlyArray<infer Order> } ? IsNamed<Order> extends true ? "orders" : never
    : never)

type IsNamed<Order> = Order extends { readonly market: MarketName; readonly clientOrderId?: ClientOrderId }
  ? "clientOrderId" extends keyof Order ? true : false
  : false

/**
 * What an endpoint's file states about it: what is its own. What is left out is as the properties of {@link Endpoint} say.
 *
 * @category models
 * @since 0.1.0
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
  /** Where the document describes it. Default `not in the document`: the live exchange's documentation does. */
  readonly clause?: string
  /** The path. It may contain fields of the request, by their wire keys: `/api/v4/public/orderbook/{market}`. */
  readonly path: At
  /** Whether calls are signed with an API key (`private`) or not (`public`). */
  readonly access: Access
  /** Whether only business partners may call it (document, "Authentication", 5). Default `false`. */
  readonly b2b?: boolean
  /** Whether the call changes anything at the exchange. The client never retries such a call once it may have arrived. */
  readonly mutates: Mutates
  /** Whether the call places orders, and how they are found again. Each mutating call of the error family `order` says it. */
  readonly places?: Placed
  /**
   * The documented rate limit of a client. Default, in 10 seconds: 2000 calls of a public endpoint, 10000 of a private one of
   * the error family `order`, 1000 of one of the error family `account`.
   */
  readonly rateLimit?: RateLimit
  /**
   * Whether the document requires `request` and `nonce` in the body. The client of a private call always sends both. Default:
   * `required` for private calls, `none` for public ones.
   */
  readonly envelope?: "none" | "optional" | "required"
  /** Which of the refusals that name fields it may give. They also say how its field errors are worded. */
  readonly refusals: ReadonlyArray<Refusals>
  /** How the live exchange writes the refusal of a public request whose fields are wrong; `fields` where this is left out. */
  readonly refusedAs?: PublicForm
  /** Which status of the dialect a success has; HTTP 200 where this is left out. */
  readonly success?: "createdStatus" | "codeAppliedStatus"
  /** The request and how it is spelled in a dialect. */
  readonly request: (dialect: Dialect) => Wire.Shape<Request>
  /** The answer's schema in a dialect. */
  readonly response: (dialect: Dialect) => Schema.Codec<Response, unknown>
  /** A request as users make it. The sandbox's example exchange accepts it, unless it names something that must be created first. */
  readonly example: (dialect: Dialect) => Request
}

/** Who changes orders says what it places: an order that nobody could look for would be placed once more. */
type Stated<Request, Mutates extends boolean, Refusals extends RefusalTag> = Mutates extends true
  ? "ValidationFailed" extends Refusals ? { readonly places: PlacesBy<Request> } : Unstated
  : Unstated

interface Unstated {
  readonly places?: never
}

/**
 * Everything known about an endpoint. {@link make} makes one of its definition.
 *
 * @category models
 * @since 0.1.0
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
  /** Where the document describes it, or that it does not. */
  readonly clause: string
  /** Public calls are read with GET, private calls are sent with POST. */
  readonly method: "GET" | "POST"
  /** Whether only business partners may call it (document, "Authentication", 5). */
  readonly b2b: boolean
  /** Whether the call places orders, and how they are found again. */
  readonly places: Placed
  /** The documented rate limit of a client. */
  readonly rateLimit: RateLimit
  /** Whether the document requires `request` and `nonce` in the body. The client of a private call always sends both. */
  readonly envelope: "none" | "optional" | "required"
  /** How its field errors are worded, and so their code: 30 and more for `order`, 0 for `account`. */
  readonly errorFamily: Violation.ErrorFamily
  /** The endpoint's schemas in a dialect, ready to run: see {@link codec}. */
  readonly "~codec": (dialect: Dialect) => Codec<Request, Response>
}

/**
 * Any endpoint, for tables and routes.
 *
 * @category models
 * @since 0.1.0
 */
// oxlint-disable-next-line typescript/no-explicit-any -- a bound for inference: no value is ever read through it.
export type Any = Endpoint<any, any, any, boolean, RefusalTag>

/**
 * The request of an endpoint, in the domain.
 *
 * @category models
 * @since 0.1.0
 */
export type Request<E extends Any> = E extends Endpoint<infer Q, infer _R, infer _A, infer _M, infer _T> ? Q : never

/**
 * The answer of an endpoint, in the domain.
 *
 * @category models
 * @since 0.1.0
 */
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
 * What calls of an endpoint can fail with, for code that is generic in the endpoint.
 *
 * @category models
 * @since 0.1.0
 */
export type Failure<E extends Any> = Failures<E>["failure"]

/** The rate limits of calls that state none, per client. */
const rateLimits = {
  public: { calls: 2000, perSeconds: 10 },
  order: { calls: 10000, perSeconds: 10 },
  account: { calls: 1000, perSeconds: 10 }
} as const

/**
 * Makes an endpoint of its definition.
 *
 * @category constructors
 * @since 0.1.0
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

/** What a dialect needs is made when it is first asked for, and kept: a program uses few of all endpoints, and those often. */
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
 * An endpoint's schemas in one dialect, ready to run. A client encodes requests and decodes answers; an exchange does the
 * opposite.
 *
 * @category models
 * @since 0.1.0
 */
export interface Codec<Request, Response> {
  /** The request and how it is spelled on the wire. */
  readonly shape: Wire.Shape<Request>
  /** Checks a request and writes it with its wire keys; fails with all constraints that it breaks. */
  readonly encodeRequest: (
    request: Request
  ) => Result.Result<Readonly<Record<string, unknown>>, ReadonlyArray<Violation.Violation>>
  /** Reads a request from its wire keys; fails with all constraints that it breaks. */
  readonly decodeRequest: (
    wire: unknown
  ) => Result.Result<Request, ReadonlyArray<Violation.Violation>>
  /** Reads an answer; fails when it is not what the dialect says. */
  readonly decodeResponse: (wire: unknown) => Result.Result<Response, Schema.SchemaError>
  /**
   * Reads an answer of its text and the JSON value of that text; fails with `Json.repeatedKey` when an object of it has a
   * key twice.
   */
  readonly readResponse: (
    text: string,
    json: unknown
  ) => Result.Result<Response, Schema.SchemaError | typeof Json.repeatedKey>
  /** Writes an answer; fails when it is not a value of the domain. */
  readonly encodeResponse: (response: Response) => Result.Result<unknown, Schema.SchemaError>
}

const all = { errors: "all" } as const

/** All violations, in the order of the fields. A schema looks at several fields only when each of them is right. */
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

/** JSON has no `undefined`: a field that is present but undefined is sent as an absent one. */
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
 * The endpoint's schemas in a dialect. They are built at the first use and kept.
 *
 * @category codecs
 * @since 0.1.0
 */
export const codec = <Q, R, A extends "public" | "private", M extends boolean, T extends RefusalTag>(
  endpoint: Endpoint<Q, R, A, M, T>,
  dialect: Dialect
): Codec<Q, R> => endpoint["~codec"](dialect)

/**
 * A row of an answer that is a list or a page of one; of a map an entry. `never` for other answers.
 *
 * @category models
 * @since 0.1.0
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
 * @since 0.1.0
 */
export const readableRows = <E extends Any>(
  { name }: E,
  { endpoint, readable }: Errors.UnexpectedResponse
): ReadonlyArray<Row<Response<E>>> =>
  // The rows were decoded by the endpoint of this name.
  endpoint === name && readable !== undefined ? Redacted.value(readable) as ReadonlyArray<Row<Response<E>>> : []

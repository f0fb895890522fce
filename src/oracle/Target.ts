/**
 * The target of a check: any server that implements the exchange's HTTP API.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as FetchHttpClient from "effect/http/FetchHttpClient"
 * import * as Redacted from "effect/Redacted"
 * import { Dialect } from "effect-txc"
 * import { Target } from "effect-txc/oracle"
 *
 * // A remote server, with the key of one account
 * export const target = Target.http({
 *   baseUrl: "https://mock.example.com",
 *   dialect: Dialect.document,
 *   keys: { apiKey: Redacted.make("my-key"), apiSecret: Redacted.make("my-secret") },
 *   maxRate: 10
 * }).pipe(Effect.provide(FetchHttpClient.layer))
 * ```
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Headers from "effect/http/Headers"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as UrlParams from "effect/http/UrlParams"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Dialer from "../client/session/Dialer.ts"
import * as ConnectionFailure from "../client/transport/ConnectionFailure.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import * as Json from "../protocol/Json.ts"
import type { Features } from "./Features.ts"

/**
 * One request, exactly as sent.
 *
 * @category models
 */
export interface Request {
  /** The HTTP method. */
  readonly method: string
  /** The path on the target, or an absolute URL. */
  readonly path: string
  /** The query string, without the question mark. */
  readonly query?: string
  /** The headers, keyed by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  /** The body as text; its UTF-8 bytes are sent. */
  readonly body?: string
  /** The text that was signed; absent for an unsigned request. */
  readonly signed?: string
  /**
   * The parts that the rule changed on purpose: header names, `payload` and `nonce`. The curl command printed for this
   * request sends these parts exactly as they are here.
   */
  readonly changed?: ReadonlyArray<string>
}

/**
 * One response, exactly as received.
 *
 * @category models
 */
export interface Answer {
  /** The request that got this response. */
  readonly sent: Request
  /** The HTTP status. */
  readonly status: number
  /** The headers, keyed by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  /** The body as text. */
  readonly text: string
  /** The body as JSON; `undefined` when it is not JSON. */
  readonly json: unknown
}

/**
 * The target gave no response to check.
 *
 * @category errors
 */
export class TargetError extends Schema.TaggedError<TargetError>()("TargetError", {
  reason: Schema.String,
  retryAfter: Schema.optionalKey(Schema.Finite),
  unanswered: Schema.optionalKey(Schema.String)
}) {
  /** The reason why there was no response. */
  declare readonly reason: string
  /** The time to wait before the value is checked again, in milliseconds; absent if a retry is pointless. */
  declare readonly retryAfter?: number
  /**
   * The method and the path of a request that got no response. The request must not simply be repeated, because the
   * target may have executed it. Absent for any other error. The session sets this field.
   */
  declare readonly unanswered?: string
  /** The same text as `reason`. */
  override get message(): string {
    return this.reason
  }
}

/**
 * An API key and its secret.
 *
 * @category models
 */
export interface Keys {
  /** The public key. */
  readonly apiKey: Redacted.Redacted
  /** The signing secret. It is never sent, and no report shows it. */
  readonly apiSecret: Redacted.Redacted
}

/**
 * The control plane of a sandbox.
 *
 * @category models
 */
export interface ControlPlane {
  /** The URL of the control plane; ends with a slash. */
  readonly url: string
  /** The bearer token of the control plane. */
  readonly token: Redacted.Redacted
}

/**
 * The target of a check. Implement this interface for a target that cannot be reached with an `HttpClient`.
 *
 * @category models
 */
export interface Target {
  /** The dialect that the target is expected to speak. */
  readonly dialect: Dialect
  /** The base URL, shown in reports and curl commands. */
  readonly baseUrl: string
  /** Sends one request. Never follows a redirect. Fails with `TargetError` if there is no response. */
  readonly send: (request: Request) => Effect.Effect<Answer, TargetError>
  /** Makes a socket for one WebSocket connection. If absent, rules about streams are skipped. */
  readonly dial?: Dialer.Dialer["Service"]["dial"]
  /**
   * The keys of an account. Without keys, rules make only public calls, and private calls for accounts that they open
   * through the control plane.
   */
  readonly keys?: Keys
  /** The control plane, for rules that create accounts, funds and prices. */
  readonly control?: ControlPlane
  /** The features that the target declares; all by default. */
  readonly features?: Features
  /** The maximum time that a rule waits while the target responds with HTTP 429, in milliseconds; 120000 by default. */
  readonly patience?: number
}

/**
 * Options for a target that is called through an `HttpClient`.
 *
 * @category models
 */
export interface Options {
  /** The URL to which the API's paths are appended. */
  readonly baseUrl: string
  /** The dialect that the target is expected to speak. */
  readonly dialect: Dialect
  /** The keys of an account. */
  readonly keys?: Keys
  /** The control plane, if the target is a sandbox. */
  readonly control?: ControlPlane
  /** The features that the target declares; all by default. */
  readonly features?: Features
  /** The maximum time that a rule waits while the target responds with HTTP 429, in milliseconds; 120000 by default. */
  readonly patience?: number
  /** The timeout of one request in milliseconds; 10000 by default. */
  readonly timeout?: number
  /** The maximum number of requests per second, including those to the control plane; no limit by default. */
  readonly maxRate?: number
}

/** Follows no redirects and sends no trace headers. */
const quietly = Context.empty().pipe(
  Context.add(FetchHttpClient.RequestInit, { redirect: "manual" }),
  Context.add(HttpClient.TracerDisabledWhen, () => true),
  Context.add(HttpClient.TracerPropagationEnabled, false)
)

const toHttp = (url: string, { body, headers, method }: Request) => {
  const type = headers["content-type"] ?? "application/octet-stream"
  const bytes = body === undefined ? undefined : new TextEncoder().encode(body)
  return HttpClientRequest.makeWith(
    method as "POST",
    url,
    UrlParams.empty,
    Option.none(),
    Headers.fromRecordUnsafe(
      bytes === undefined ? headers : { ...headers, "content-length": bytes.byteLength.toString() }
    ),
    bytes === undefined ? HttpBody.empty : HttpBody.uint8Array(bytes, type)
  )
}

/** Limits the rate: delays requests to space them evenly, in the sequence of their arrival. */
const pace = (maxRate: number): Effect.Effect<void> => {
  const interval = 1000 / maxRate
  let next = 0
  return Effect.clockWith((clock) => {
    const now = clock.currentTimeMillisUnsafe()
    const at = Math.max(now, next)
    next = at + interval
    return at > now ? Effect.sleep(at - now) : Effect.void
  })
}

/**
 * Creates a target from the `HttpClient` in the context. WebSocket connections use the `Dialer` in the context, if
 * there is one: `Dialer.layer({ url: streamsUrl(baseUrl) })`, or the one that a sandbox's layer provides.
 *
 * @category constructors
 */
export const http = Effect.fnUntraced(function*(
  { baseUrl, control, dialect, features, keys, maxRate, patience, timeout = 10_000 }: Options
): Effect.fn.Return<Target, never, HttpClient.HttpClient> {
  const client = yield* HttpClient.HttpClient
  const dialer = Option.getOrUndefined(yield* Effect.serviceOption(Dialer.Dialer))
  const origin = baseUrl.replace(/\/+$/u, "")
  const admitted = maxRate === undefined ? Effect.void : pace(maxRate)
  const send = (request: Request): Effect.Effect<Answer, TargetError> => {
    const at = /^https?:/u.test(request.path) ? request.path : origin + request.path
    const url = request.query === undefined || request.query === "" ? at : `${at}?${request.query}`
    return Effect.andThen(
      admitted,
      Effect.flatMap(client.execute(toHttp(url, request)), (response) =>
        Effect.map(response.text, (text): Answer => ({
          sent: request,
          status: response.status,
          headers: response.headers,
          text,
          json: Result.getOrElse(Json.parse(text), () => undefined)
        }))).pipe(
          Effect.mapError((error) =>
            new TargetError({ reason: `${origin}: ${ConnectionFailure.ofError(error).reason}` })
          ),
          Effect.timeoutOrElse({
            duration: timeout,
            orElse: () => Effect.fail(new TargetError({ reason: `${origin}: no response within ${timeout} ms` }))
          }),
          Effect.provideContext(quietly)
        )
    )
  }
  return {
    dialect,
    baseUrl: origin,
    send,
    ...(dialer === undefined ? {} : { dial: dialer.dial }),
    ...(keys === undefined ? {} : { keys }),
    ...(control === undefined ? {} : { control }),
    ...(features === undefined ? {} : { features }),
    ...(patience === undefined ? {} : { patience })
  }
})

/**
 * Creates a target from a layer, such as a sandbox in this process. The layer lives as long as the scope.
 *
 * @category constructors
 */
export const fromLayer = <E>(
  layer: Layer.Layer<HttpClient.HttpClient, E>,
  options: Options
): Effect.Effect<Target, E, Scope.Scope> =>
  Effect.flatMap(Layer.build(layer), (context) => Effect.provideContext(http(options), context))

/**
 * Returns the URL of an exchange's WebSocket: `/ws` under the base URL or, for the live exchange's base URLs, the URL
 * of its WebSocket server.
 *
 * @category constructors
 */
export const streamsUrl: (baseUrl: string) => string = Dialer.urlOf

/** This machine's clock, in Unix milliseconds. */
export const now: Effect.Effect<number> = Clock.currentTimeMillis

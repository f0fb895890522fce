/**
 * What the rules are checked against: anything that answers the exchange's HTTP requests, with a key that may sign them.
 *
 * @since 0.1.0
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
import * as Transport from "../client/transport/Transport.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import * as Json from "../protocol/Json.ts"

/**
 * A request as it is sent. `body` is text: what is signed and sent are its UTF-8 bytes. `signed` is what was
 * signed, and `changed` what is as it is on purpose: headers by their names, the form of the `payload`, the `nonce`.
 *
 * @category models
 * @since 0.1.0
 */
export interface Request {
  readonly method: string
  readonly path: string
  readonly query?: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly signed?: string
  readonly changed?: ReadonlyArray<string>
}

/**
 * An answer as it came, and what it answers. `json` is `undefined` when the body is no JSON.
 *
 * @category models
 * @since 0.1.0
 */
export interface Answer {
  readonly sent: Request
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  readonly json: unknown
}

/**
 * No answer came, so no rule can be judged by it.
 *
 * @category errors
 * @since 0.1.0
 */
export class TargetError extends Schema.TaggedError<TargetError>()("TargetError", { reason: Schema.String }) {
  override get message(): string {
    return this.reason
  }
}

/**
 * A key and its secret.
 *
 * @category models
 * @since 0.1.0
 */
export interface Keys {
  readonly apiKey: Redacted.Redacted
  readonly apiSecret: Redacted.Redacted
}

/**
 * The control plane of a sandbox: where it is, and the token that opens it.
 *
 * @category models
 * @since 0.1.0
 */
export interface ControlPlane {
  readonly url: string
  readonly token: Redacted.Redacted
}

/**
 * - `dialect`: how the target is expected to speak
 * - `baseUrl`: where it is
 * - `send`: one request, one answer; never follows a redirect
 * - `keys`: of an account of the target; without them only public calls and what the control plane makes can be checked
 * - `control`: for the rules that need accounts, funds and prices of their own
 *
 * @category models
 * @since 0.1.0
 */
export interface Target {
  readonly dialect: Dialect
  readonly baseUrl: string
  readonly send: (request: Request) => Effect.Effect<Answer, TargetError>
  readonly keys?: Keys
  readonly control?: ControlPlane
}

/**
 * - `timeout`: how many milliseconds an answer may take, ten seconds unless said otherwise
 * - `maxRate`: the most requests in a second, control plane included; no bound unless said otherwise
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  readonly baseUrl: string
  readonly dialect: Dialect
  readonly keys?: Keys
  readonly control?: ControlPlane
  readonly timeout?: number
  readonly maxRate?: number
}

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

/** Lets one request through every so often, in the order they come. */
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
 * A target behind an `HttpClient`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const http = Effect.fnUntraced(function*(
  { baseUrl, control, dialect, keys, maxRate, timeout = 10_000 }: Options
): Effect.fn.Return<Target, never, HttpClient.HttpClient> {
  const client = yield* HttpClient.HttpClient
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
          Effect.mapError((error) => new TargetError({ reason: `${origin}: ${Transport.failureOf(error).reason}` })),
          Effect.timeoutOrElse({
            duration: timeout,
            orElse: () => Effect.fail(new TargetError({ reason: `${origin}: no answer within ${timeout} ms` }))
          }),
          Effect.provideContext(quietly)
        )
    )
  }
  return {
    dialect,
    baseUrl: origin,
    send,
    ...(keys === undefined ? {} : { keys }),
    ...(control === undefined ? {} : { control })
  }
})

/**
 * A target behind a layer, such as the sandbox in the same process. It lives as long as the scope.
 *
 * @category constructors
 * @since 0.1.0
 */
export const fromLayer = <E>(
  layer: Layer.Layer<HttpClient.HttpClient, E>,
  options: Options
): Effect.Effect<Target, E, Scope.Scope> =>
  Effect.flatMap(Layer.build(layer), (context) => Effect.provideContext(http(options), context))

/** The clock of whoever checks, in milliseconds. */
export const now: Effect.Effect<number> = Clock.currentTimeMillis

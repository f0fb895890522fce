/**
 * How one call is made: check and encode, take a nonce, build the exact bytes, sign them, send them, judge the answer.
 *
 * Every attempt takes its turn within the rate limit and is signed anew with a new nonce. Only reads are attempted again.
 * A mutating call is attempted again for one reason: its nonce was refused, which proves that it was not applied.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Headers from "effect/http/Headers"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as UrlParams from "effect/http/UrlParams"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import type * as Market from "../domain/Market.ts"
import * as Classify from "../protocol/Classify.ts"
import type { Dialect } from "../protocol/Dialect.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Envelope from "../protocol/Envelope.ts"
import * as Errors from "../protocol/Errors.ts"
import * as Signature from "../protocol/Signature.ts"
import * as Violation from "../protocol/Violation.ts"
import type { MarketRules } from "./MarketRules.ts"
import { Nonce } from "./Nonce.ts"
import * as RateLimits from "./RateLimits.ts"
import { Region } from "./Region.ts"
import * as Signer from "./Signer.ts"
import * as Transport from "./Transport.ts"

// -----------------------------------------------------------------------------
// Options
// -----------------------------------------------------------------------------

/**
 * How long one attempt may take, from handing the signed request to the transport to the last byte of the answer. The
 * wait for a nonce and the signing come before. Ten seconds unless provided otherwise, for one call or for many.
 *
 * @category configuration
 * @since 0.1.0
 */
export const Timeout = Context.Reference<Duration.Input>("effect-txc/client/Call/Timeout", {
  defaultValue: () => "10 seconds"
})

/**
 * When a read is attempted again after a failure that may pass: by default twice, after about 100 and 200 milliseconds.
 * A refusal by the rate limit is not such a failure: see {@link RateLimits.MaxWait}.
 * Provide `Schedule.recurs(0)` for a single attempt.
 *
 * @category configuration
 * @since 0.1.0
 */
export const ReadRetry = Context.Reference<Schedule.Schedule<unknown>>("effect-txc/client/Call/ReadRetry", {
  defaultValue: () => Schedule.exponential("100 millis").pipe(Schedule.jittered, Schedule.upTo({ times: 2 }))
})

// -----------------------------------------------------------------------------
// Services
// -----------------------------------------------------------------------------

/**
 * Makes calls of public endpoints; needs no credentials and sends no `X-TXC` header.
 *
 * @category services
 * @since 0.1.0
 */
export class PublicCall extends Context.Service<PublicCall, {
  readonly dialect: Dialect
  readonly make: <Q extends object, A, M extends boolean, T extends Endpoint.RefusalTag>(
    endpoint: Endpoint.Endpoint<Q, A, "public", M, T>
  ) => (request: Q) => Effect.Effect<A, Endpoint.Failure<Endpoint.Endpoint<Q, A, "public", M, T>>>
}>()("effect-txc/client/PublicCall") {}

/**
 * Makes signed calls of private endpoints. `check` runs before the first attempt, on a request that breaks no rule of
 * its own; when it fails nothing is sent.
 *
 * @category services
 * @since 0.1.0
 */
export class Call extends Context.Service<Call, {
  readonly dialect: Dialect
  readonly make: <Q extends object, A, M extends boolean, T extends Endpoint.RefusalTag>(
    endpoint: Endpoint.Endpoint<Q, A, "private", M, T>,
    check?: (request: Q) => Effect.Effect<void, Endpoint.Failure<Endpoint.Endpoint<Q, A, "private", M, T>>>
  ) => (request: Q) => Effect.Effect<A, Endpoint.Failure<Endpoint.Endpoint<Q, A, "private", M, T>>>
}>()("effect-txc/client/Call") {}

// -----------------------------------------------------------------------------
// Refusing before anything is sent
// -----------------------------------------------------------------------------

/**
 * The error with which the exchange would answer these violations, without asking it.
 *
 * @category refusals
 * @since 0.1.0
 */
export const refusedLocally = (
  endpoint: Endpoint.Any,
  dialect: Dialect,
  violations: ReadonlyArray<Violation.Violation>
): Errors.ValidationFailed | Errors.InvalidFields => {
  const refused = answerInstead(endpoint, dialect, violations)
  return endpoint.voice === "order" ? new Errors.ValidationFailed(refused) : new Errors.InvalidFields(refused)
}

const answerInstead = (
  endpoint: Endpoint.Any,
  dialect: Dialect,
  violations: ReadonlyArray<Violation.Violation>
): Errors.Refused => {
  const { keys } = Endpoint.codec(endpoint, dialect).shape
  const { code, status } = Endpoint.refusalOf(endpoint, dialect, violations)
  return {
    endpoint: endpoint.name,
    origin: "local",
    status,
    code,
    fields: Violation.toErrors(violations, endpoint.voice, (field) => keys[field] ?? field, identity),
    otherFields: {}
  }
}

/**
 * Checks an order against its market before it is sent.
 *
 * @category refusals
 * @since 0.1.0
 */
export const withinMarketRules = Effect.fnUntraced(function*<F extends string>(
  rules: MarketRules["Service"],
  endpoint: Endpoint.Any,
  dialect: Dialect,
  order: Market.Bounded
): Effect.fn.Return<void, Errors.ValidationFailed<F> | Errors.ExchangeUnreachable> {
  const violations = yield* Effect.mapError(
    rules.check(order),
    ({ reason }) => new Errors.ExchangeUnreachable({ endpoint: endpoint.name, why: "market-rules", reason })
  )
  if (violations.length > 0) {
    return yield* new Errors.ValidationFailed<F>(answerInstead(endpoint, dialect, violations))
  }
})

// -----------------------------------------------------------------------------
// One attempt
// -----------------------------------------------------------------------------

/** What every request runs under: no redirects, no trace headers, no key in anything that is printed. */
const quietly = Context.empty().pipe(
  Context.add(FetchHttpClient.RequestInit, { redirect: "manual" }),
  Context.add(HttpClient.TracerDisabledWhen, () => true),
  Context.add(HttpClient.TracerPropagationEnabled, false)
)

const send = (
  http: HttpClient.HttpClient,
  request: HttpClientRequest.HttpClientRequest
): Effect.Effect<readonly [HttpClientResponse.HttpClientResponse, string], HttpClientError.HttpClientError> =>
  Effect.withFiber((fiber) =>
    Effect.flatMap(http.execute(request), (response) => Effect.map(response.text, (text) => [response, text] as const))
      .pipe(
        Effect.provideContext(
          Context.add(quietly, Headers.CurrentRedactedNames, [
            ...fiber.getRef(Headers.CurrentRedactedNames),
            Signature.secretHeaders
          ])
        )
      )
  )

/** A request made in one step: its options would be taken apart and put together again. Names are in lower case. */
const post = (url: string, body: Uint8Array, headers: Readonly<Record<string, string>>) =>
  HttpClientRequest.makeWith(
    "POST",
    url,
    UrlParams.empty,
    Option.none(),
    Headers.fromRecordUnsafe({
      ...headers,
      "content-type": "application/json",
      "content-length": body.byteLength.toString()
    }),
    HttpBody.uint8Array(body, "application/json")
  )

/** The moment a request was handed to the transport, and what it then needs to be found again. */
interface Sent {
  readonly endpoint: Endpoint.Any
  readonly request: object
  readonly nonce: number
  readonly sentAt: number
}

const uncertain = (
  sent: Sent,
  why: Errors.UnknownCause,
  reason: string,
  answer?: { readonly status: number; readonly shown: string }
): Errors.OutcomeUnknown | Errors.UnexpectedResponse | Errors.ExchangeUnreachable => {
  const { endpoint, nonce, request, sentAt } = sent
  if (endpoint.mutates) {
    const { clientOrderId, market } = request as Pick<Errors.OutcomeUnknown, "clientOrderId" | "market">
    return new Errors.OutcomeUnknown({
      endpoint: endpoint.name,
      why,
      reason,
      request: Redacted.make(request),
      ...(clientOrderId === undefined ? {} : { clientOrderId }),
      ...(market === undefined ? {} : { market }),
      ...(answer === undefined ? {} : { status: answer.status, body: answer.shown }),
      nonce,
      sentAt
    })
  }
  return answer === undefined
    ? new Errors.ExchangeUnreachable({
      endpoint: endpoint.name,
      why: why === "timeout" ? "timeout" : "connection-lost",
      reason
    })
    : new Errors.UnexpectedResponse({
      endpoint: endpoint.name,
      status: answer.status,
      problem: reason,
      body: answer.shown
    })
}

/** One request with all that is needed to send it and to judge what comes back. */
interface Attempt {
  readonly http: HttpClient.HttpClient
  readonly dialect: Dialect
  readonly bucket: RateLimits.Bucket
  readonly sent: Sent
  readonly request: HttpClientRequest.HttpClientRequest
  readonly scrub: (text: string) => string
}

const onAnswer = (
  { dialect, scrub, sent }: Attempt,
  status: number,
  text: string
): Effect.Effect<unknown, Errors.CallError> => {
  const verdict = Classify.classify(sent.endpoint, dialect, { status, text, scrub })
  switch (verdict._tag) {
    case "Answered":
      return Effect.succeed(verdict.value)
    case "Refused":
      return Effect.fail(verdict.error)
    case "Uncertain":
      return Effect.fail(
        uncertain(sent, verdict.why, scrub(verdict.reason), { status, shown: Classify.shown({ text, scrub }) })
      )
  }
}

const onFailure = (
  { scrub, sent }: Attempt,
  error: HttpClientError.HttpClientError
): Effect.Effect<never, Errors.CallError> => {
  const { reason, why } = Transport.failureOf(error)
  return Effect.fail(
    why === undefined
      ? uncertain(sent, "connection-lost", scrub(reason))
      : new Errors.ExchangeUnreachable({ endpoint: sent.endpoint.name, why, reason: scrub(reason) })
  )
}

/** The answer's meaning. A refusal for the rate holds up the next calls, whatever it means for this one. */
const onResponse = (
  attempt: Attempt,
  { headers, status }: HttpClientResponse.HttpClientResponse,
  text: string
): Effect.Effect<unknown, Errors.CallError> => {
  const answer = onAnswer(attempt, status, text)
  if (status !== 429) return answer
  return Effect.catchIf(
    answer,
    ({ _tag }) => _tag !== "NonceRejected",
    (error) =>
      Effect.flatMap(
        attempt.bucket.refused(headers["retry-after"]),
        (retryAfter): Effect.Effect<never, Errors.CallError> => {
          if (error._tag !== "RateLimited" || retryAfter <= 0) return Effect.fail(error)
          const { body, endpoint, origin, reason, status } = error
          return Effect.fail(
            new Errors.RateLimited({
              endpoint,
              origin,
              status,
              reason,
              retryAfter,
              ...(body === undefined ? {} : { body })
            })
          )
        }
      )
  )
}

/** Sends, and turns whatever comes back, or does not, into the endpoint's answer or one of its errors. */
const exchange = (attempt: Attempt): Effect.Effect<unknown, Errors.CallError> =>
  Effect.withFiber((fiber) => {
    const timeout = fiber.getRef(Timeout)
    return send(attempt.http, attempt.request).pipe(
      Effect.matchEffect({
        onSuccess: ([response, text]) => onResponse(attempt, response, text),
        onFailure: (error) => onFailure(attempt, error)
      }),
      Effect.timeoutOrElse({
        duration: timeout,
        orElse: () => Effect.fail(uncertain(attempt.sent, "timeout", `no answer within ${format(timeout)}`))
      })
    )
  })

const format = (duration: Duration.Input): string => Duration.format(Duration.fromInputUnsafe(duration))

// -----------------------------------------------------------------------------
// Layers
// -----------------------------------------------------------------------------

/** Attempts again what may be attempted again. */
const again = (
  endpoint: Endpoint.Any,
  bucket: RateLimits.Bucket,
  attempt: Effect.Effect<unknown, Errors.CallError>
): Effect.Effect<unknown, Errors.CallError> =>
  endpoint.mutates
    ? Effect.catchTag(attempt, "NonceRejected", () => attempt)
    : Effect.withFiber((fiber) => {
      let nonces = 0
      return Effect.retry(attempt, {
        // To come again soon is what a rate limit refuses. A nonce that is refused twice will be refused again.
        while: (error) =>
          error._tag === "NonceRejected" ? nonces++ === 0 : error.isRetryable && error._tag !== "RateLimited",
        schedule: fiber.getRef(ReadRetry)
      }).pipe(Effect.retry({
        // The next attempt waits in line until the exchange may want calls again.
        while: (error) => error._tag === "RateLimited" && error.origin === "exchange",
        times: Duration.isZero(Duration.fromInputUnsafe(fiber.getRef(RateLimits.MaxWait))) ? 0 : bucket.retries
      }))
    })

/**
 * Encodes the request once, then makes attempts.
 *
 * The result is typed as an effect that can neither succeed nor fail, which fits every endpoint's own type: the
 * classifier decodes by the same endpoint and gives only the errors that the endpoint declares.
 */
const prepare = (
  endpoint: Endpoint.Any,
  dialect: Dialect,
  bucket: RateLimits.Bucket,
  attempt: (wire: Readonly<Record<string, unknown>>, request: object) => Effect.Effect<unknown, Errors.CallError>,
  check?: (request: never) => Effect.Effect<void, Errors.CallError>
) => {
  const { encodeRequest } = Endpoint.codec(endpoint, dialect)
  return (request: object): Effect.Effect<never> => {
    const encoded = encodeRequest(request)
    if (Result.isFailure(encoded)) return Effect.fail(refusedLocally(endpoint, dialect, encoded.failure)) as never
    const once = attempt(encoded.success, request)
    const attempts = again(endpoint, bucket, Effect.flatMap(bucket.take, () => once))
    return (check === undefined ? attempts : Effect.andThen(check(request as never), attempts)) as never
  }
}

/**
 * @category layers
 * @since 0.1.0
 */
export const layerPublic: Layer.Layer<
  PublicCall,
  never,
  Region | HttpClient.HttpClient | RateLimits.RateLimits
> = Layer.effect(
  PublicCall,
  Effect.gen(function*() {
    const { baseUrl, dialect } = yield* Region
    const http = yield* HttpClient.HttpClient
    const limits = yield* RateLimits.RateLimits
    const make = (endpoint: Endpoint.Any) => {
      const bucket = limits.bucket({ baseUrl }, endpoint)
      return prepare(endpoint, dialect, bucket, (wire, request) => {
        const { fields, path } = Endpoint.locate(endpoint, wire)
        return exchange({
          http,
          dialect,
          bucket,
          sent: { endpoint, request, nonce: 0, sentAt: 0 },
          // Query parameters are texts; the wire has no other kind on public endpoints.
          request: HttpClientRequest.get(baseUrl + path, { urlParams: fields as Record<string, string> }),
          scrub: identity
        })
      })
    }
    return { dialect, make }
  })
)

/**
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<
  Call,
  never,
  Region | HttpClient.HttpClient | Signer.Signer | Nonce | RateLimits.RateLimits
> = Layer.effect(
  Call,
  Effect.gen(function*() {
    const { baseUrl, dialect } = yield* Region
    const http = yield* HttpClient.HttpClient
    const signer = yield* Signer.Signer
    const nonces = yield* Nonce
    const limits = yield* RateLimits.RateLimits
    const apiKey = Redacted.value(signer.apiKey)

    const attempt = (
      endpoint: Endpoint.Any,
      bucket: RateLimits.Bucket,
      wire: Readonly<Record<string, unknown>>,
      request: object
    ) =>
      nonces.use({ apiKey: signer.apiKey, unit: dialect.nonceUnit }, (nonce) => {
        const body = Envelope.bytes(wire, endpoint.path, dialect.nonce(nonce, nonces.window))
        const payload = Signature.payloadOf(body)
        return Effect.matchEffect(signer.sign(payload), {
          onFailure: ({ reason }) =>
            Effect.fail<Errors.CallError>(
              new Errors.ExchangeUnreachable({
                endpoint: endpoint.name,
                why: "not-signed",
                reason: signer.scrub(reason)
              })
            ),
          onSuccess: (signature) =>
            Effect.clockWith((clock) =>
              exchange({
                http,
                dialect,
                bucket,
                sent: { endpoint, request, nonce, sentAt: clock.currentTimeMillisUnsafe() },
                request: post(baseUrl + endpoint.path, body, {
                  [Signature.headers.apiKey]: apiKey,
                  [Signature.headers.payload]: payload,
                  [Signature.headers.signature]: signature
                }),
                scrub: (text) => Signer.scrubber(payload, signature)(signer.scrub(text))
              })
            )
        })
      }).pipe(Effect.catchTag("NonceUnavailable", ({ reason }) =>
        Effect.fail(new Errors.ExchangeUnreachable({ endpoint: endpoint.name, why: "nonce", reason }))))

    const make = (endpoint: Endpoint.Any, check?: (request: never) => Effect.Effect<void, Errors.CallError>) => {
      const bucket = limits.bucket({ baseUrl, apiKey: signer.apiKey }, endpoint)
      return prepare(endpoint, dialect, bucket, (wire, request) => attempt(endpoint, bucket, wire, request), check)
    }
    return { dialect, make }
  })
)

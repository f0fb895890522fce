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
import type * as Fiber from "effect/Fiber"
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
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import type * as Market from "../../domain/Market.ts"
import * as Classify from "../../protocol/Classify.ts"
import type { Dialect } from "../../protocol/Dialect.ts"
import * as Endpoint from "../../protocol/Endpoint.ts"
import * as Envelope from "../../protocol/Envelope.ts"
import * as Errors from "../../protocol/Errors.ts"
import * as Signature from "../../protocol/Signature.ts"
import * as Violation from "../../protocol/Violation.ts"
import * as Credentials from "../Credentials.ts"
import * as Intents from "../Intents.ts"
import type { MarketRules } from "../MarketRules.ts"
import { ClockOffset, Nonce } from "../Nonce.ts"
import * as Observation from "../Observation.ts"
import * as RateLimits from "../RateLimits.ts"
import { Region } from "../Region.ts"
import * as Signer from "../Signer.ts"
import * as Transport from "../transport/Transport.ts"

// -----------------------------------------------------------------------------
// Options
// -----------------------------------------------------------------------------

/**
 * How long one attempt may take, from asking the signer to the last byte of the answer. The wait for a nonce comes
 * before. Ten seconds unless provided otherwise: to an exchange's layer for all its calls, or to a call, which goes first.
 *
 * @category configuration
 * @since 0.1.0
 */
export const Timeout = Context.Reference<Duration.Input>("effect-txc/client/Call/Timeout", {
  defaultValue: () => "10 seconds"
})

/**
 * Makes calls with another timeout: `orders.create(order).pipe(Call.withTimeout("2 seconds"))`.
 *
 * @category configuration
 * @since 0.1.0
 */
export const withTimeout: (
  timeout: Duration.Input
) => <A, E, R>(call: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> = Effect.provideService(Timeout)

/**
 * When a read is attempted again after a failure that may pass: by default twice, after about 100 and 200 milliseconds.
 * A refusal by the rate limit is not such a failure: see {@link RateLimits.MaxWait}. Provide `Schedule.recurs(0)` for a
 * single attempt: to an exchange's layer or to a call, as with `Timeout`.
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
 * Makes signed calls of private endpoints.
 *
 * - `make`: `check` runs before the first attempt, on a request that breaks no constraint of its own; when it fails nothing is
 *   sent
 * - `key`: which API key signs, as a fingerprint
 * - `nonceForm`: what kind of nonce it signs with
 * - `acceptedNonce`: the greatest nonce of a call that the exchange has answered with success
 *
 * @category services
 * @since 0.1.0
 */
export class Call extends Context.Service<Call, {
  readonly dialect: Dialect
  readonly key: string
  readonly nonceForm: Errors.NonceForm
  readonly acceptedNonce: Effect.Effect<number>
  readonly make: <Q extends object, A, M extends boolean, T extends Endpoint.RefusalTag>(
    endpoint: Endpoint.Endpoint<Q, A, "private", M, T>,
    check?: (
      request: Q
    ) => Effect.Effect<void, Errors.ValidationFailed<keyof Q & string> | Errors.ExchangeUnreachable>
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
  violations: ReadonlyArray<Violation.Violation>,
  request: object
): Errors.ValidationFailed | Errors.InvalidFields => {
  const refused = answerInstead(endpoint, dialect, violations, request)
  return endpoint.errorFamily === "order" ? new Errors.ValidationFailed(refused) : new Errors.InvalidFields(refused)
}

/** What an order is found by again, as far as a request has it. */
type Traces = Pick<Errors.OutcomeUnknown, "clientOrderId" | "market">

/** The client order id of a request, as a field of an error. */
const named = (request: object): Pick<Traces, "clientOrderId"> => {
  const { clientOrderId } = request as Traces
  return clientOrderId === undefined ? {} : { clientOrderId }
}

const answerInstead = (
  endpoint: Endpoint.Any,
  dialect: Dialect,
  violations: ReadonlyArray<Violation.Violation>,
  request: object
): Errors.Refused => {
  const { keys } = Endpoint.codec(endpoint, dialect).shape
  const { code, status } = Endpoint.refusalOf(endpoint, dialect, violations)
  return {
    endpoint: endpoint.name,
    origin: "local",
    status,
    code,
    fields: Violation.toErrors(violations, endpoint.errorFamily, (field) => keys[field] ?? field, identity),
    otherFields: {},
    // One that breaks a constraint is none.
    ...(violations.some(({ field }) => field === "clientOrderId") ? {} : named(request))
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
    ({ reason }) =>
      new Errors.ExchangeUnreachable({ endpoint: endpoint.name, why: "market-rules", reason, ...named(order) })
  )
  if (violations.length > 0) {
    return yield* new Errors.ValidationFailed<F>(answerInstead(endpoint, dialect, violations, order))
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

/** One attempt: what its errors tell, and when it was handed to the transport. */
interface Sent {
  readonly endpoint: Endpoint.Any
  readonly request: object
  readonly key: string
  readonly nonce: number
  readonly nonceForm: Errors.NonceForm
  /** Unix microseconds; absent while nothing can have been sent. */
  sentAt: number | undefined
}

/** What identifies an attempt, and the order that it may have placed. */
const tracesOf = ({ key, nonce, nonceForm, request }: Sent) => {
  const { market } = request as Traces
  return {
    request: Redacted.make<unknown>(request),
    ...named(request),
    ...(market === undefined ? {} : { market }),
    key,
    nonce,
    nonceForm
  }
}

const uncertain = (
  sent: Sent,
  why: Errors.UnknownCause,
  reason: string,
  answer?: { readonly status: number; readonly shown: string }
): Errors.OutcomeUnknown | Errors.UnexpectedResponse | Errors.ExchangeUnreachable => {
  const { endpoint, sentAt = 0 } = sent
  if (endpoint.mutates) {
    return new Errors.OutcomeUnknown({
      endpoint: endpoint.name,
      why,
      reason,
      ...tracesOf(sent),
      ...(answer === undefined ? {} : { status: answer.status, body: answer.shown }),
      sentAt
    })
  }
  return answer === undefined
    ? unreachable(sent, why === "timeout" ? "timeout" : "connection-lost", reason)
    : new Errors.UnexpectedResponse({
      endpoint: endpoint.name,
      status: answer.status,
      problem: reason,
      body: answer.shown
    })
}

const unreachable = ({ endpoint, request }: Sent, why: Errors.UnreachableCause, reason: string) =>
  new Errors.ExchangeUnreachable({ endpoint: endpoint.name, why, reason, ...named(request) })

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
  const verdict = Classify.classify(sent.endpoint, dialect, { status, text, scrub, ...named(sent.request) })
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
      : unreachable(sent, why, scrub(reason))
  )
}

/** A refusal for the rate, of this request. */
const limited = (
  { body, endpoint, origin, reason, retryAfter, status }: Errors.RateLimited,
  request: object,
  after = retryAfter
): Errors.RateLimited =>
  new Errors.RateLimited({
    endpoint,
    origin,
    status,
    reason,
    ...(after === undefined ? {} : { retryAfter: after }),
    ...(body === undefined ? {} : { body }),
    ...named(request)
  })

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
        (retryAfter): Effect.Effect<never, Errors.CallError> =>
          Effect.fail(
            error._tag === "RateLimited" && retryAfter > 0 ? limited(error, attempt.sent.request, retryAfter) : error
          )
      )
  )
}

/** Sends, and turns whatever comes back, or does not, into the endpoint's answer or one of its errors. */
const exchange = (attempt: Attempt): Effect.Effect<unknown, Errors.CallError> =>
  Effect.clockWith((clock) => {
    attempt.sent.sentAt = clock.currentTimeMillisUnsafe() * 1000
    return Effect.matchEffect(send(attempt.http, attempt.request), {
      onSuccess: ([response, text]) => onResponse(attempt, response, text),
      onFailure: (error) => onFailure(attempt, error)
    })
  })

/** Gives an attempt no more than its time. What was not handed to the transport by then never is. */
const inTime = (
  sent: Sent,
  timeout: Duration.Input,
  attempt: Effect.Effect<unknown, Errors.CallError>
): Effect.Effect<unknown, Errors.CallError> =>
  Effect.timeoutOrElse(attempt, {
    duration: timeout,
    orElse: () =>
      Effect.fail(
        sent.sentAt === undefined
          ? unreachable(sent, "not-signed", `no signature within ${format(timeout)}`)
          : uncertain(sent, "timeout", `no answer within ${format(timeout)}`)
      )
  })

/** Says so when a mutating call is interrupted after it was handed to the transport: no error will. */
const orLog = (
  sent: Sent,
  attempt: Effect.Effect<unknown, Errors.CallError>
): Effect.Effect<unknown, Errors.CallError> =>
  Effect.onInterrupt(attempt, () => {
    if (sent.sentAt === undefined) return Effect.void
    const { clientOrderId } = named(sent.request)
    const order = clientOrderId === undefined ? "" : ` (client order id ${clientOrderId})`
    return Effect.logWarning(
      `${sent.endpoint.name} was interrupted after it was sent${order}; it may have been applied`
    )
  })

const format = (duration: Duration.Input): string => Duration.format(Duration.fromInputUnsafe(duration))

/** What a call is to keep to, as its fiber has it. */
type Given<A> = (fiber: Fiber.Fiber<unknown, unknown>) => A

/** The value of a reference that a call has been given; if none, the one that the layer of its exchange was given. */
const given = <A>(reference: Context.Reference<A>): Effect.Effect<Given<A>> =>
  Effect.map(reference, (ofLayer) => (fiber) => Context.getOrUndefined(fiber.context, reference) ?? ofLayer)

// -----------------------------------------------------------------------------
// Layers
// -----------------------------------------------------------------------------

/** Attempts again what may be attempted again. */
const again = (
  endpoint: Endpoint.Any,
  bucket: RateLimits.Bucket,
  attempt: Effect.Effect<unknown, Errors.CallError>,
  readRetryOf: Given<Schedule.Schedule<unknown>>
): Effect.Effect<unknown, Errors.CallError> =>
  endpoint.mutates
    ? Effect.catchTag(attempt, "NonceRejected", () => attempt)
    : Effect.withFiber((fiber) => {
      let nonces = 0
      return Effect.retry(attempt, {
        // To come again soon is what a rate limit refuses. A nonce that is refused twice will be refused again.
        while: (error) =>
          error._tag === "NonceRejected" ? nonces++ === 0 : error.isRetryable && error._tag !== "RateLimited",
        schedule: readRetryOf(fiber)
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
  readRetryOf: Given<Schedule.Schedule<unknown>>,
  attempt: (wire: Readonly<Record<string, unknown>>, request: object) => Effect.Effect<unknown, Errors.CallError>,
  check?: (request: never) => Effect.Effect<void, Errors.CallError>
) => {
  const { encodeRequest } = Endpoint.codec(endpoint, dialect)
  const { limitWait, observed } = Observation.of(endpoint, dialect)
  return (request: object): Effect.Effect<never> =>
    observed((progress) => {
      const encoded = encodeRequest(request)
      if (Result.isFailure(encoded)) return Effect.fail(refusedLocally(endpoint, dialect, encoded.failure, request))
      const one = attempt(encoded.success, request)
      const inTurn = Effect.matchEffect(bucket.take, {
        onFailure: (error) => Effect.fail(limited(error, request)),
        onSuccess: (waited) => {
          progress.attempts++
          return waited === 0 ? one : Effect.andThen(Metric.update(limitWait, waited), one)
        }
      })
      const attempts = again(endpoint, bucket, inTurn, readRetryOf)
      return check === undefined ? attempts : Effect.andThen(check(request as never), attempts)
    }) as never
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
    const timeoutOf = yield* given(Timeout)
    const readRetryOf = yield* given(ReadRetry)
    const make = (endpoint: Endpoint.Any) => {
      const bucket = limits.bucket({ baseUrl }, endpoint)
      return prepare(endpoint, dialect, bucket, readRetryOf, (wire, request) =>
        Effect.withFiber((fiber) => {
          const { fields, path } = Endpoint.locate(endpoint, wire)
          const sent: Sent = { endpoint, request, key: "", nonce: 0, nonceForm: "unique", sentAt: undefined }
          const one = exchange({
            http,
            dialect,
            bucket,
            sent,
            // Query parameters are texts; the wire has no other kind on public endpoints.
            request: HttpClientRequest.get(baseUrl + path, { urlParams: fields as Record<string, string> }),
            scrub: identity
          })
          return inTime(sent, timeoutOf(fiber), one)
        }))
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
    const timeoutOf = yield* given(Timeout)
    const readRetryOf = yield* given(ReadRetry)
    const offset = yield* ClockOffset
    const intents = yield* Intents.Intents
    const key = yield* Credentials.fingerprint(signer.apiKey)
    const nonceForm: Errors.NonceForm = dialect.policy.nonce === "unique"
      ? "unique"
      : nonces.window
      ? "window"
      : "increasing"
    let acceptedNonce = -1

    const attempt = (
      endpoint: Endpoint.Any,
      bucket: RateLimits.Bucket,
      wire: Readonly<Record<string, unknown>>,
      request: object
    ) =>
      Effect.withFiber((fiber: Fiber.Fiber<unknown, unknown>) => {
        const timeout = timeoutOf(fiber)
        return nonces.use({ apiKey: signer.apiKey, unit: dialect.nonceUnit, offset: offset.millis }, (nonce) => {
          const sent: Sent = { endpoint, request, key, nonce, nonceForm, sentAt: undefined }
          const one = inTime(sent, timeout, signed(sent, bucket, wire))
          if (!endpoint.mutates) return one
          const told = orLog(sent, one)
          return intents === undefined
            ? told
            : Effect.clockWith((clock) =>
              Intents.around(
                intents,
                { endpoint: endpoint.name, ...tracesOf(sent), sentAt: clock.currentTimeMillisUnsafe() * 1000 },
                () => sent.sentAt !== undefined,
                timeout,
                told
              )
            )
        }).pipe(Effect.catchTag("NonceUnavailable", ({ reason }) =>
          Effect.fail(
            new Errors.ExchangeUnreachable({ endpoint: endpoint.name, why: "nonce", reason, ...named(request) })
          )))
      })

    const signed = (sent: Sent, bucket: RateLimits.Bucket, wire: Readonly<Record<string, unknown>>) =>
      Effect.suspend(() => {
        const { endpoint, nonce } = sent
        const body = Envelope.bytes(wire, endpoint.path, dialect.nonce(nonce, nonces.window))
        const payload = Signature.payloadOf(body)
        return Effect.matchEffect(signer.sign(payload), {
          onFailure: ({ reason }) =>
            Effect.fail<Errors.CallError>(unreachable(sent, "not-signed", signer.scrub(reason))),
          onSuccess: (signature) => {
            const answer = exchange({
              http,
              dialect,
              bucket,
              sent,
              request: post(baseUrl + endpoint.path, body, {
                [Signature.headers.apiKey]: apiKey,
                [Signature.headers.payload]: payload,
                [Signature.headers.signature]: signature
              }),
              scrub: (text) => Signer.scrubber(payload, signature)(signer.scrub(text))
            })
            return Effect.map(answer, (value) => {
              if (nonce > acceptedNonce) acceptedNonce = nonce
              return value
            })
          }
        })
      })

    const make = (endpoint: Endpoint.Any, check?: (request: never) => Effect.Effect<void, Errors.CallError>) => {
      const bucket = limits.bucket({ baseUrl, apiKey: signer.apiKey }, endpoint)
      const one = (wire: Readonly<Record<string, unknown>>, request: object) => attempt(endpoint, bucket, wire, request)
      return prepare(endpoint, dialect, bucket, readRetryOf, one, check)
    }
    return { dialect, key, nonceForm, acceptedNonce: Effect.sync(() => acceptedNonce), make }
  })
)

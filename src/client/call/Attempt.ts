/**
 * Makes one attempt of a call: takes a nonce, builds the exact bytes, signs and sends them, and classifies the
 * response.
 *
 * Every attempt has its own nonce and signature. Until a mutating call is handed to the transport, nothing has been
 * sent. Afterwards the call may have been applied even if no response arrives. The attempt's `sentAt` distinguishes the
 * two cases.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import type { OrderId } from "../../domain/Identifiers.ts"
import type * as BulkAnswer from "../../protocol/BulkAnswer.ts"
import * as Classify from "../../protocol/Classify.ts"
import type { Dialect } from "../../protocol/Dialect.ts"
import * as Endpoint from "../../protocol/Endpoint.ts"
import * as Envelope from "../../protocol/Envelope.ts"
import * as Errors from "../../protocol/Errors.ts"
import * as Paths from "../../protocol/Paths.ts"
import type * as Rows from "../../protocol/Rows.ts"
import * as Scrub from "../../protocol/Scrub.ts"
import * as Signature from "../../protocol/Signature.ts"
import type * as Intents from "../Intents.ts"
import type * as Nonce from "../Nonce.ts"
import type { Progress } from "../Observation.ts"
import type * as RateLimits from "../RateLimits.ts"
import type * as Signer from "../Signer.ts"
import type * as Transport from "../transport/Transport.ts"
import { clientOrderIdOf, orderReferenceOf } from "./OrderReference.ts"
import * as Recording from "./Recording.ts"

// -----------------------------------------------------------------------------
// Requirements of an attempt
// -----------------------------------------------------------------------------

/**
 * The maximum duration of one attempt, from the first byte of the request to the last byte of the response. The signer,
 * which runs before that, has a separate limit of the same length. The time spent waiting for a nonce is not included.
 * Default: ten seconds. Provide a value to an exchange's layer for all calls, or to a single call; the single call's
 * value takes precedence.
 */
export const Timeout = Context.Reference<Duration.Input>("effect-txc/client/Call/Timeout", {
  defaultValue: () => "10 seconds"
})

/** Sets a call's timeout: `orders.create(order).pipe(Call.withTimeout("2 seconds"))`. */
export const withTimeout: (
  timeout: Duration.Input
) => <A, E, R>(call: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> = Effect.provideService(Timeout)

/** The parts that all attempts of an endpoint share. */
export interface Destination {
  /** Sends the attempts. */
  readonly transport: Transport.Transport["Service"]
  /** The exchange's URL, without a trailing slash. */
  readonly baseUrl: string
  /** The dialect of nonces and responses. */
  readonly dialect: Dialect
  /** The endpoint to call. */
  readonly endpoint: Endpoint.Any
  /** The rate-limit bucket, paused after a rate-limit refusal. */
  readonly bucket: RateLimits.Bucket
}

/** The signer, the nonces and the record of attempts. */
export interface Signing {
  /** Signs requests, and provides the API key. */
  readonly signer: Signer.Signer["Service"]
  /** Supplies every attempt with a nonce. */
  readonly nonces: Nonce.Nonce["Service"]
  /** The kind of nonce, for reconciliation. */
  readonly nonceForm: Errors.NonceForm
  /** The exchange's clock minus this machine's clock, in milliseconds. The value may be measured again at any time. */
  readonly offset: { readonly millis: number }
  /** The fingerprint of the API key. */
  readonly key: string
  /** Records every mutating attempt; absent when attempts are not recorded. */
  readonly intents: Intents.Service | undefined
  /** Called with the nonce of every successful attempt. */
  readonly onAccepted: (nonce: number) => void
}

/** The limits of one attempt. */
export interface Limits {
  /** The maximum time for signing. The exchange's response has a separate limit of the same length. */
  readonly timeout: Duration.Duration
  /** The maximum response size, in bytes. */
  readonly maxAnswerBytes: number
}

/** A request, together with the checks of its response. */
export interface Asked {
  /** The request with the domain's field names. */
  readonly request: object
  /** The request with the field names used on the wire. */
  readonly wire: Readonly<Record<string, unknown>>
  /** Describes how a response differs from the request; `undefined` if there is no difference. */
  readonly contradiction: ((answer: unknown) => string | undefined) | undefined
  /** Whether the response must contain the same order id as the request. */
  readonly sameId: boolean | undefined
  /**
   * If an item of a bulk response does not show its order's outcome, replaces the item with an error for that order.
   */
  readonly settle: ((answer: unknown, partly: Partly) => unknown) | undefined
}

/** Builds the error for one order in a bulk call when the response does not fully show that order's outcome. */
export interface Partly {
  /** Builds the error for an order that might have been placed. */
  readonly unknown: (order: object, why: Errors.UnknownCause, reason: string) => Errors.OutcomeUnknown
  /**
   * Builds the error for an order that was placed with the ids `orderIds`, if the rest of the response can't be read.
   */
  readonly unreadable: (order: object, orderIds: ReadonlyArray<OrderId>, problem: string) => Errors.AcceptedUnreadable
}

/**
 * Makes one attempt of a request within the limits, and records in `progress` when the request was handed to the
 * transport. Call this function only inside an effect.
 */
export type Make = (asked: Asked, progress: Progress, limits: Limits) => Effect.Effect<unknown, Errors.CallError>

// -----------------------------------------------------------------------------
// Public and private attempts
// -----------------------------------------------------------------------------

/** Stands in for the signing data in public attempts, which have neither a key nor a nonce. */
const nobody: Attempt["by"] = { key: "", nonceForm: "unique", onAccepted: () => {} }

/** Makes public attempts, without a nonce or a signature. */
export const unsigned = (to: Destination): Make => (asked, progress, { maxAnswerBytes, timeout }) => {
  const { baseUrl, endpoint } = to
  const { fields, path } = Paths.locate(endpoint, asked.wire)
  const attempt: Attempt = { endpoint, by: nobody, asked, progress, nonce: 0 }
  // The cast is safe, because all fields of public endpoints are strings on the wire.
  const query = new URLSearchParams(fields as Record<string, string>).toString()
  const url = query === "" ? baseUrl + path : `${baseUrl}${path}?${query}`
  return exchange(
    to,
    attempt,
    { method: "GET", url, headers: {}, once: false, timeout, maxAnswerBytes },
    (text) => text
  )
}

/** Makes private attempts. Each attempt has its own nonce, and is signed as late as possible. */
export const signed = (to: Destination, by: Signing): Make => {
  const { dialect, endpoint } = to
  const { intents, nonces, offset, signer: { apiKey } } = by
  const ofKey: Nonce.Of = {
    apiKey,
    unit: dialect.nonceUnit,
    get offset() {
      return offset.millis
    }
  }
  return (asked, progress, limits) =>
    Effect.mapError(
      nonces.use(ofKey, (nonce) => {
        const attempt: Attempt = { endpoint, by, asked, progress, nonce }
        return intents === undefined || !endpoint.mutates
          ? signAndSend(to, by, attempt, limits)
          : recorded(intents, attempt, limits, Effect.suspend(() => signAndSend(to, by, attempt, limits)))
      }),
      (error) => error._tag === "NonceUnavailable" ? unreachable(endpoint, asked, "nonce", error.reason) : error
    )
}

const signAndSend = (
  to: Destination,
  { nonces, signer }: Signing,
  attempt: Attempt,
  { maxAnswerBytes, timeout }: Limits
): Effect.Effect<unknown, Errors.CallError> => {
  const { baseUrl, dialect, endpoint } = to
  const { request, wire } = attempt.asked
  const body = Envelope.bytes(wire, endpoint.path, dialect.nonce(attempt.nonce, nonces.window))
  const payload = Signature.payloadOf(body)
  return Effect.flatMapEager(inTime(attempt, timeout, signer, payload), (signature) =>
    exchange(to, attempt, {
      method: "POST",
      url: baseUrl + endpoint.path,
      headers: {
        "content-type": "application/json",
        [Signature.headers.apiKey]: Redacted.value(signer.apiKey),
        [Signature.headers.payload]: payload,
        [Signature.headers.signature]: signature
      },
      body,
      once: endpoint.mutates,
      timeout,
      maxAnswerBytes
    }, scrubbing(signer, payload, signature, request)))
}

/** Signs the payload. Fails if signing takes longer than the timeout, in which case nothing was sent. */
const inTime = (
  { asked, endpoint }: Attempt,
  timeout: Duration.Duration,
  signer: Signer.Signer["Service"],
  payload: string
): Effect.Effect<string, Errors.ExchangeUnreachable> => {
  const notSigned = (reason: string) => unreachable(endpoint, asked, "not-signed", reason)
  const signature = Effect.mapErrorEager(signer.sign(payload), ({ reason }) => notSigned(signer.scrub(reason)))
  // Most signers return immediately, so no timer is needed for them.
  return Exit.isExit(signature) ? signature : Effect.timeoutOrElse(signature, {
    duration: timeout,
    orElse: () => Effect.fail(notSigned(`no signature within ${Duration.toMillis(timeout)} ms`))
  })
}

/**
 * Creates a function that removes the attempt's secrets from a string. The scrubber is built on first use, because most
 * attempts succeed and need no scrubbing.
 */
const scrubbing = (signer: Signer.Signer["Service"], payload: string, signature: string, request: object) => {
  let scrub: ((text: string) => string) | undefined
  return (text: string): string => {
    scrub ??= Scrub.scrubber(payload, signature, ...secretsOf(request))
    return scrub(signer.scrub(text))
  }
}

/**
 * Returns a request's secrets: a code, which anyone can apply to receive its amount, and the code's passphrase. Secrets
 * of fewer than four characters are not included, because they occur in too many strings by chance.
 */
const secretsOf = (request: object): ReadonlyArray<string> => {
  const { code, passphrase } = request as { readonly code?: unknown; readonly passphrase?: unknown }
  return [code, passphrase].flatMap((value) => typeof value === "string" && value.length >= 4 ? [value] : [])
}

// -----------------------------------------------------------------------------
// Sending and classifying the response
// -----------------------------------------------------------------------------

/** The data of one attempt, from which its errors are built. */
interface Attempt {
  readonly endpoint: Endpoint.Any
  readonly by: Pick<Signing, "key" | "nonceForm" | "onAccepted">
  readonly asked: Asked
  readonly progress: Progress
  readonly nonce: number
}

/**
 * Sends the request. Succeeds with the endpoint's value, or fails with one of the endpoint's errors, for example when
 * no response arrives.
 */
const exchange = (
  to: Destination,
  attempt: Attempt,
  request: Transport.Request,
  scrub: (text: string) => string
): Effect.Effect<unknown, Errors.CallError> => {
  attempt.progress.sentAt = attempt.progress.clock.currentTimeMillisUnsafe() * 1000
  return Effect.matchEffect(to.transport.send(request), {
    onSuccess: (answer) => {
      attempt.progress.status = answer.status
      return onAnswer(to, attempt, answer, scrub)
    },
    onFailure: (error) => Effect.fail(withoutAnswer(attempt, error, scrub))
  })
}

/**
 * Classifies a response. If the exchange refused the nonce, the transport may replace its connections. After a
 * rate-limit refusal, the bucket pauses later calls.
 */
const onAnswer = (
  { bucket, dialect }: Destination,
  attempt: Attempt,
  { headers, startOver, status, text }: Transport.Answer,
  scrub: (text: string) => string
): Effect.Effect<unknown, Errors.CallError> => {
  const outcome = classified(dialect, attempt, status, text, scrub)
  if (status < 400) return outcome
  return Effect.catchEager(outcome, (error): Effect.Effect<never, Errors.CallError> => {
    if (error._tag === "NonceRejected") return nonceRefused(attempt, error, startOver, scrub)
    if (status !== 429) return Effect.fail(error)
    return Effect.flatMap(bucket.refused(headers["retry-after"]), (retryAfter) =>
      Effect.fail(
        error._tag === "RateLimited" && retryAfter > 0
          ? rateLimited(error, attempt.asked.request, retryAfter)
          : error
      ))
  })
}

/** Finds out whether another attempt may follow a refused nonce. A second refusal is final. */
const nonceRefused = (
  attempt: Attempt,
  error: Errors.NonceRejected,
  startOver: Transport.Answer["startOver"],
  scrub: (text: string) => string
): Effect.Effect<never, Errors.CallError> => {
  const { endpoint, progress } = attempt
  if (!endpoint.mutates || startOver === undefined || progress.attempts > 1) return Effect.fail(error)
  return Effect.matchEffect(startOver, {
    onSuccess: (isAlone) => {
      progress.isRefused = isAlone
      return Effect.fail(error)
    },
    onFailure: (doubt) => Effect.fail(withoutAnswer(attempt, doubt, scrub))
  })
}

const classified = (
  dialect: Dialect,
  attempt: Attempt,
  status: number,
  text: string,
  scrub: (text: string) => string
): Effect.Effect<unknown, Errors.CallError> => {
  const { asked: { contradiction, request, sameId, settle }, by, endpoint, nonce } = attempt
  const { clientOrderId } = clientOrderIdOf(request)
  const perItem = settle !== undefined
  const answer = { status, text, scrub, contradiction, request, clientOrderId, sameId, perItem }
  const verdict = Classify.classify(endpoint, dialect, answer)
  switch (verdict._tag) {
    case "Answered":
      by.onAccepted(nonce)
      return Effect.succeed(settle === undefined ? verdict.value : settle(verdict.value, partlyOf(attempt, answer)))
    case "Refused":
      return Effect.fail(verdict.error)
    case "Uncertain":
      return Effect.fail(
        uncertain(attempt, verdict.why, scrub(verdict.reason), {
          status,
          shown: Classify.shown({ text, scrub }),
          rows: verdict.rows
        })
      )
  }
}

/** Creates the error for an attempt that got no usable response. */
const withoutAnswer = (
  attempt: Attempt,
  { proof, reason: said }: Transport.SendFailed,
  scrub: (text: string) => string
): Errors.CallError => {
  const reason = scrub(said)
  switch (proof.kind) {
    case "not-sent":
      return unreachable(attempt.endpoint, attempt.asked, proof.why, reason)
    case "timeout":
      return uncertain(attempt, "timeout", reason)
    case "lost":
    case "resent":
      return uncertain(attempt, "connection-lost", reason)
    case "too-large":
      return uncertain(attempt, "unreadable-answer", reason, { status: proof.status, shown: "" })
  }
}

// -----------------------------------------------------------------------------
// Errors of an attempt
// -----------------------------------------------------------------------------

const unreachable = (
  { name: endpoint }: Endpoint.Any,
  { request }: Asked,
  why: Errors.UnreachableCause,
  reason: string
) => new Errors.ExchangeUnreachable({ endpoint, why, reason, ...clientOrderIdOf(request) })

/**
 * Creates the error for an attempt that failed after it was handed to the transport: a mutating call may have been
 * applied, while a read has simply failed.
 */
const uncertain = (
  attempt: Attempt,
  why: Errors.UnknownCause,
  reason: string,
  answer?: { readonly status: number; readonly shown: string; readonly rows?: Rows.Rows | undefined }
): Errors.OutcomeUnknown | Errors.UnexpectedResponse | Errors.ExchangeUnreachable => {
  const { asked, endpoint, progress: { sentAt = 0 } } = attempt
  if (endpoint.mutates) {
    return new Errors.OutcomeUnknown({
      endpoint: endpoint.name,
      why,
      reason,
      ...identityOf(attempt),
      ...(answer === undefined ? {} : { status: answer.status, body: answer.shown }),
      sentAt
    })
  }
  return answer === undefined
    ? unreachable(endpoint, asked, why === "timeout" ? "timeout" : "connection-lost", reason)
    : new Errors.UnexpectedResponse({
      endpoint: endpoint.name,
      status: answer.status,
      problem: reason,
      body: answer.shown,
      ...(answer.rows && { unreadable: answer.rows.unreadable, readable: Redacted.make(answer.rows.readable) })
    })
}

/** Builds the errors for individual orders in a bulk call, from the attempt and its response. */
const partlyOf = (attempt: Attempt, answer: Classify.Answer): Partly => {
  const { endpoint, progress: { sentAt = 0 } } = attempt
  const { status } = answer
  return {
    unknown: (request, why, reason) =>
      new Errors.OutcomeUnknown({
        endpoint: endpoint.name,
        why,
        reason,
        ...identityOf({ ...attempt, asked: { ...attempt.asked, request } }),
        status,
        body: Classify.shown(answer),
        sentAt
      }),
    unreadable: (request, orderIds, problem) =>
      new Errors.AcceptedUnreadable({
        endpoint: endpoint.name,
        status,
        orderIds,
        problem,
        body: Classify.shown(answer),
        ...clientOrderIdOf(request)
      })
  }
}

/** The identifiers of an attempt, and of the order that it may have placed. */
const identityOf = ({ asked: { request }, by: { key, nonceForm }, nonce }: Attempt) => ({
  request: Redacted.make<unknown>(request),
  ...orderReferenceOf(request),
  key,
  nonce,
  nonceForm
})

/** Creates a rate-limit error that contains this request's client order id. */
export const rateLimited = (
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
    ...clientOrderIdOf(request)
  })

// -----------------------------------------------------------------------------
// The record of attempts
// -----------------------------------------------------------------------------

/** Whether a value is a bulk response that leaves the outcome of an order unknown. */
const leavesUnknown = (answer: unknown): boolean =>
  Array.isArray(answer) && answer.some(({ lost }: BulkAnswer.Item<unknown>) => lost?._tag === "OutcomeUnknown")

/** Records an attempt before it is made, and its outcome afterwards. */
const recorded = (
  intents: Intents.Service,
  attempt: Attempt,
  { timeout }: Limits,
  answer: Effect.Effect<unknown, Errors.CallError>
): Effect.Effect<unknown, Errors.CallError> =>
  Effect.clockWith((clock) =>
    Recording.around(
      intents,
      {
        endpoint: attempt.endpoint.name,
        ...identityOf(attempt),
        sentAt: clock.currentTimeMillisUnsafe() * 1000
      },
      () => attempt.progress.sentAt !== undefined,
      timeout,
      answer,
      (value) => leavesUnknown(value) ? "unknown" : "applied"
    )
  )

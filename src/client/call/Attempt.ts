/**
 * One attempt of a call: take a nonce, build the exact bytes, sign them, send them, classify the answer.
 *
 * Every attempt is signed anew with a new nonce. From the hand-over to the transport on, a mutating call that ends without
 * an answer may have been applied; before it, nothing was sent. The attempt's `sentAt` says which of the two it is.
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
// What an attempt needs
// -----------------------------------------------------------------------------

/**
 * How long one attempt may take, from its first byte to the last byte of the answer. A signer has as long before. The
 * wait for a nonce is not counted. Ten seconds unless provided otherwise: to an exchange's layer for all its calls, or to
 * a call, which goes first.
 */
export const Timeout = Context.Reference<Duration.Input>("effect-txc/client/Call/Timeout", {
  defaultValue: () => "10 seconds"
})

/** Makes calls with another timeout: `orders.create(order).pipe(Call.withTimeout("2 seconds"))`. */
export const withTimeout: (
  timeout: Duration.Input
) => <A, E, R>(call: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> = Effect.provideService(Timeout)

/** Where the attempts of one endpoint go. */
export interface Destination {
  /** What sends them. */
  readonly transport: Transport.Transport["Service"]
  /** Without a slash at the end. */
  readonly baseUrl: string
  /** The dialect that nonces are written and answers are classified in. */
  readonly dialect: Dialect
  /** What is called. */
  readonly endpoint: Endpoint.Any
  /** A refusal for the rate, by the exchange, pauses it. */
  readonly bucket: RateLimits.Bucket
}

/** What signs attempts, and what is notified of them. */
export interface Signing {
  /** Signs, and names the API key. */
  readonly signer: Signer.Signer["Service"]
  /** Gives every attempt its nonce. */
  readonly nonces: Nonce.Nonce["Service"]
  /** What kind of nonce that is, for those who reconcile. */
  readonly nonceForm: Errors.NonceForm
  /** How far the exchange's clock is ahead of this machine's; measured anew from time to time. */
  readonly offset: { readonly millis: number }
  /** The API key as a fingerprint. */
  readonly key: string
  /** Records every attempt that may change something; absent when nothing does. */
  readonly intents: Intents.Service | undefined
  /** Runs for the nonce of every attempt that the exchange has answered with success. */
  readonly onAccepted: (nonce: number) => void
}

/** What one attempt may take. */
export interface Limits {
  /** How long signing may take, and how long the exchange may take to answer. */
  readonly timeout: Duration.Duration
  /** The most bytes of an answer that are read. */
  readonly maxAnswerBytes: number
}

/** What is asked of the exchange. */
export interface Asked {
  /** The request. */
  readonly request: object
  /** The request with its wire keys. */
  readonly wire: Readonly<Record<string, unknown>>
  /** How an answer differs from what was asked for; `undefined` when it does not. */
  readonly contradiction: ((answer: unknown) => string | undefined) | undefined
  /** Whether the answer is about the order that the request names by its id. */
  readonly sameId: boolean | undefined
  /** Says of each order of a request with many what an answer leaves unknown. */
  readonly settle: ((answer: unknown, partly: Partly) => unknown) | undefined
}

/** Makes the errors of one order of many, whose part of the answer does not say what has become of it. */
export interface Partly {
  /** Nobody knows whether the order was placed. */
  readonly unknown: (order: object, why: Errors.UnknownCause, reason: string) => Errors.OutcomeUnknown
  /** The order was placed: these are its ids. */
  readonly unreadable: (order: object, orderIds: ReadonlyArray<OrderId>, problem: string) => Errors.AcceptedUnreadable
}

/**
 * Makes one attempt of a request within its limits, and notes in the call's progress when it hands it to the transport. Only
 * for code that runs inside an effect.
 */
export type Make = (asked: Asked, progress: Progress, limits: Limits) => Effect.Effect<unknown, Errors.CallError>

// -----------------------------------------------------------------------------
// Public and private attempts
// -----------------------------------------------------------------------------

/** Who makes attempts without a nonce. */
const nobody: Attempt["by"] = { key: "", nonceForm: "unique", onAccepted: () => {} }

/** Attempts without a nonce or a signature. */
export const unsigned = (to: Destination): Make => (asked, progress, { maxAnswerBytes, timeout }) => {
  const { baseUrl, endpoint } = to
  const { fields, path } = Paths.locate(endpoint, asked.wire)
  const attempt: Attempt = { endpoint, by: nobody, asked, progress, nonce: 0 }
  // Query parameters are texts; the wire has no other kind on public endpoints.
  const query = new URLSearchParams(fields as Record<string, string>).toString()
  const url = query === "" ? baseUrl + path : `${baseUrl}${path}?${query}`
  return exchange(
    to,
    attempt,
    { method: "GET", url, headers: {}, once: false, fresh: false, timeout, maxAnswerBytes },
    (text) => text
  )
}

/** Attempts with a nonce of their own, signed as late as possible. */
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
      // The one reason for another attempt is a refused nonce.
      fresh: endpoint.mutates && attempt.progress.attempts > 1,
      timeout,
      maxAnswerBytes
    }, scrubbing(signer, payload, signature, request)))
}

/** Gives a signer no more than its time. Nothing was sent when it has passed. */
const inTime = (
  { asked, endpoint }: Attempt,
  timeout: Duration.Duration,
  signer: Signer.Signer["Service"],
  payload: string
): Effect.Effect<string, Errors.ExchangeUnreachable> => {
  const notSigned = (reason: string) => unreachable(endpoint, asked, "not-signed", reason)
  const signature = Effect.mapErrorEager(signer.sign(payload), ({ reason }) => notSigned(signer.scrub(reason)))
  // Most signers sign at once, and a timer would cost more than that.
  return Exit.isExit(signature) ? signature : Effect.timeoutOrElse(signature, {
    duration: timeout,
    orElse: () => Effect.fail(notSigned(`no signature within ${Duration.toMillis(timeout)} ms`))
  })
}

/** Removes from texts what the attempt must keep secret. Most attempts succeed and show nothing. */
const scrubbing = (signer: Signer.Signer["Service"], payload: string, signature: string, request: object) => {
  let scrub: ((text: string) => string) | undefined
  return (text: string): string => {
    scrub ??= Scrub.scrubber(payload, signature, ...secretsOf(request))
    return scrub(signer.scrub(text))
  }
}

/**
 * What a request holds that only its maker may know: a code is worth money, and its passphrase guards it. A text of less
 * than four characters is in too many others by chance to be removed from them.
 */
const secretsOf = (request: object): ReadonlyArray<string> => {
  const { code, passphrase } = request as { readonly code?: unknown; readonly passphrase?: unknown }
  return [code, passphrase].flatMap((value) => typeof value === "string" && value.length >= 4 ? [value] : [])
}

// -----------------------------------------------------------------------------
// Sending, and what the answer means
// -----------------------------------------------------------------------------

/** One attempt, as its errors report it. */
interface Attempt {
  readonly endpoint: Endpoint.Any
  readonly by: Pick<Signing, "key" | "nonceForm" | "onAccepted">
  readonly asked: Asked
  readonly progress: Progress
  readonly nonce: number
}

/** Sends, and turns the answer, or the lack of one, into the endpoint's value or one of its errors. */
const exchange = (
  to: Destination,
  attempt: Attempt,
  request: Transport.Request,
  scrub: (text: string) => string
): Effect.Effect<unknown, Errors.CallError> => {
  attempt.progress.sentAt = attempt.progress.clock.currentTimeMillisUnsafe() * 1000
  return Effect.matchEffect(to.transport.send(request), {
    onSuccess: (answer) => onAnswer(to, attempt, answer, scrub),
    onFailure: (error) => Effect.fail(withoutAnswer(attempt, error, scrub))
  })
}

/** What a response means. A refusal for the rate pauses the next calls, whatever it means for this one. */
const onAnswer = (
  { bucket, dialect }: Destination,
  attempt: Attempt,
  { headers, status, text }: Transport.Answer,
  scrub: (text: string) => string
): Effect.Effect<unknown, Errors.CallError> => {
  const outcome = classified(dialect, attempt, status, text, scrub)
  if (status !== 429) return outcome
  return Effect.catchEager(outcome, (error): Effect.Effect<never, Errors.CallError> =>
    error._tag === "NonceRejected"
      ? Effect.fail(error)
      : Effect.flatMap(bucket.refused(headers["retry-after"]), (retryAfter) =>
        Effect.fail(
          error._tag === "RateLimited" && retryAfter > 0
            ? rateLimited(error, attempt.asked.request, retryAfter)
            : error
        )))
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

/** What it means that no answer came. */
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

/** The error of an attempt that ended after the hand-over: a mutating call may have been applied, a read has failed. */
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

/** The errors of single orders of an attempt with many, which has this answer. */
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

/** What identifies an attempt, and the order that it may have placed. */
const identityOf = ({ asked: { request }, by: { key, nonceForm }, nonce }: Attempt) => ({
  request: Redacted.make<unknown>(request),
  ...orderReferenceOf(request),
  key,
  nonce,
  nonceForm
})

/** A refusal for the rate, as the error of this request. */
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

/** Whether a value is the answer to a call with many orders that does not say what has become of one of them. */
const leavesUnknown = (answer: unknown): boolean =>
  Array.isArray(answer) && answer.some(({ lost }: BulkAnswer.Item<unknown>) => lost?._tag === "OutcomeUnknown")

/** Records an attempt before it is made, and what came of it after. */
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

/** Reports calls in spans and metrics, and interruptions in the log. The reports never contain a secret. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type * as Tracer from "effect/Tracer"
import type { Dialect } from "../protocol/Dialect.ts"
import type * as Endpoint from "../protocol/Endpoint.ts"
import type * as Errors from "../protocol/Errors.ts"
import { clientOrderIdOf } from "./call/OrderReference.ts"
import * as Metrics from "./Metrics.ts"

/** The progress of one call. */
export interface Progress {
  /** The clock of the fiber that makes the call. */
  readonly clock: Clock.Clock
  /** The number of attempts started so far. */
  attempts: number
  /**
   * The time when the call's latest attempt was handed to the transport, in Unix microseconds; absent before the
   * handover, while nothing can have been sent.
   */
  sentAt: number | undefined
  /** The HTTP status of the response to the call's latest attempt; absent without a response. */
  status: number | undefined
  /** Whether the exchange refused the nonce of the call's first attempt, and another attempt may follow. */
  isRefused: boolean
}

/**
 * Makes a call in a span if there is a tracer or a parent span. Otherwise there is no span: nothing would read it, and
 * it would cost more than the rest of the call.
 */
export const spanned = <A, E, R>(name: string, call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  inSpan(name, call, noFrame)

/**
 * Like {@link spanned}, but for the span that describes the HTTP request. {@link of} adds the call's attributes to this
 * span.
 */
export const requested = <A, E, R>(name: string, call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  inSpan(name, call, asClient)

const inSpan = <A, E, R>(name: string, call: Effect.Effect<A, E, R>, options: typeof noFrame | typeof asClient) =>
  Effect.withFiber<A, E, R>(({ cache }) =>
    cache.tracer === undefined && cache.span === undefined ? call : Effect.withSpan(call, name, options)
  )

/** Omits the span's stack frame, which would always point into this library. */
const noFrame = { captureStackTrace: false } as const

const asClient = { kind: "client", ...noFrame } as const

/**
 * Describes a call in its span's attributes, using OpenTelemetry's names for HTTP clients where such names exist. The
 * full URL is omitted, because it contains a public call's query, so almost every value would be different.
 */
const describe = (
  span: Tracer.Span,
  { method, name, path }: Endpoint.Any,
  { baseUrl, dialect }: Place,
  { attempts, status }: Progress,
  outcome: string,
  error: Errors.CallError | undefined
): void => {
  const { hostname, port, protocol } = new URL(baseUrl)
  span.attribute("http.request.method", method)
  span.attribute("url.template", path)
  span.attribute("server.address", hostname)
  span.attribute("server.port", Number(port || (protocol === "https:" ? 443 : 80)))
  if (attempts > 1) span.attribute("http.request.resend_count", attempts - 1)
  if (status !== undefined) span.attribute("http.response.status_code", status)
  if (error !== undefined) span.attribute("error.type", error._tag)
  span.attribute("txc.endpoint", name)
  span.attribute("txc.dialect", dialect.name)
  span.attribute("txc.outcome", outcome)
  span.attribute("txc.attempts", attempts)
}

/** The exchange that receives a call. */
interface Place {
  readonly baseUrl: string
  readonly dialect: Dialect
}

/**
 * Reports the outcome of every call to an endpoint on the call's span and in the metrics. If a mutating call was
 * interrupted after sending, also logs a warning, because an interruption causes no error. Returns the function that
 * observes a call, and the only metric that the call itself updates: the time for which an attempt waited for a rate
 * limit.
 */
export const of = (endpoint: Endpoint.Any, place: Place) => {
  const metrics = Metrics.of(endpoint.name)
  const success = endpoint.mutates ? "applied" : "answered"
  const succeeded = metrics.calls(success)
  const observed = (
    request: object,
    call: (progress: Progress, fiber: Fiber.Fiber<unknown, unknown>) => Effect.Effect<unknown, Errors.CallError>
  ): Effect.Effect<unknown, Errors.CallError> =>
    Effect.withFiber((fiber) => {
      const clock = fiber.getRef(Clock.Clock)
      const startedAt = clock.monotonicTimeNanosUnsafe()
      const progress: Progress = { clock, attempts: 0, sentAt: undefined, status: undefined, isRefused: false }
      // Suspended, so that a defect in `call` is reported too.
      return Effect.onExitPrimitive(Effect.suspend(() => call(progress, fiber)), (exit) => {
        const error = Exit.isSuccess(exit)
          ? undefined
          : exit.cause.reasons.find((reason) => reason._tag === "Fail")?.error
        const outcome = Exit.isSuccess(exit) ? success : error?.outcome ?? "interrupted"
        const counter = Exit.isSuccess(exit) ? succeeded : metrics.calls(outcome)
        counter.updateUnsafe(1, fiber.context)
        if (error !== undefined) metrics.errors(error._tag).updateUnsafe(1, fiber.context)
        metrics.latency.updateUnsafe(Number(clock.monotonicTimeNanosUnsafe() - startedAt) / 1e6, fiber.context)
        const { span } = fiber.cache
        if (span?._tag === "Span") describe(span, endpoint, place, progress, outcome, error)
        return Exit.isFailure(exit) && endpoint.mutates && progress.sentAt !== undefined &&
            exit.cause.reasons.some(({ _tag }) => _tag === "Interrupt")
          ? logInterrupted(endpoint, request)
          : undefined
      })
    })
  return { observed, limitWait: metrics.limitWait }
}

const logInterrupted = ({ name }: Endpoint.Any, request: object): Effect.Effect<void> => {
  const { clientOrderId } = clientOrderIdOf(request)
  const order = clientOrderId === undefined ? "" : ` (client order id ${clientOrderId})`
  return Effect.logWarning(`${name} was interrupted after it was sent${order}; it may have been applied`)
}

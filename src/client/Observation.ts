/**
 * What can be observed of a call: its span and its metrics. Neither holds anything secret.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type { Dialect } from "../protocol/Dialect.ts"
import type * as Endpoint from "../protocol/Endpoint.ts"
import type * as Errors from "../protocol/Errors.ts"
import * as Metrics from "./Metrics.ts"

/**
 * One call under way.
 *
 * @category models
 * @since 0.1.0
 */
export interface Progress {
  /** How many attempts the call has begun. */
  attempts: number
}

/**
 * Reports the outcome of every call of an endpoint, on the call's span and in the metrics. Also gives the metric that only
 * the call itself can update: how long an attempt waited for the rate limit.
 *
 * @category observation
 * @since 0.1.0
 */
export const of = (endpoint: Endpoint.Any, dialect: Dialect) => {
  const metrics = Metrics.of(endpoint.name)
  const observed = (
    call: (progress: Progress, fiber: Fiber.Fiber<unknown, unknown>) => Effect.Effect<unknown, Errors.CallError>
  ): Effect.Effect<unknown, Errors.CallError> =>
    Effect.withFiber((fiber) => {
      const clock = fiber.getRef(Clock.Clock)
      const startedAt = clock.monotonicTimeNanosUnsafe()
      const progress = { attempts: 0 }
      return Effect.onExit(call(progress, fiber), (exit) => {
        const error = Exit.isSuccess(exit) ? undefined : exit.cause.reasons.find(Cause.isFailReason)?.error
        const outcome = Exit.isSuccess(exit)
          ? endpoint.mutates ? "applied" : "answered"
          : error?.outcome ?? "interrupted"
        metrics.calls(outcome).updateUnsafe(1, fiber.context)
        if (error !== undefined) metrics.errors(error._tag).updateUnsafe(1, fiber.context)
        metrics.latency.updateUnsafe(Number(clock.monotonicTimeNanosUnsafe() - startedAt) / 1e6, fiber.context)
        const { span } = fiber.cache
        if (span?._tag === "Span") {
          span.attribute("txc.endpoint", endpoint.name)
          span.attribute("txc.dialect", dialect.name)
          span.attribute("txc.outcome", outcome)
          span.attribute("txc.attempts", progress.attempts)
          if (error !== undefined) span.attribute("txc.error", error._tag)
        }
        return Effect.void
      })
    })
  return { observed, limitWait: metrics.limitWait }
}

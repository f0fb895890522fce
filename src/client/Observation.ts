/**
 * What is seen of a call from outside: its span and its metrics. Nothing secret is in either.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
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
  attempts: number
}

/**
 * Says what came of every call of an endpoint: on its span, and in the metrics. What else is counted is given too.
 *
 * @category observation
 * @since 0.1.0
 */
export const of = (endpoint: Endpoint.Any, dialect: Dialect) => {
  const metrics = Metrics.of(endpoint.name)
  const observed = (
    call: (progress: Progress) => Effect.Effect<unknown, Errors.CallError>
  ): Effect.Effect<unknown, Errors.CallError> =>
    Effect.withFiber((fiber) => {
      const clock = fiber.getRef(Clock.Clock)
      const startedAt = clock.monotonicTimeNanosUnsafe()
      const progress = { attempts: 0 }
      return Effect.onExit(call(progress), (exit) => {
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

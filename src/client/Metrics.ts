/**
 * Counts and times calls as Effect metrics, for exporters and `Metric.snapshot`.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Metric from "effect/Metric"
 * import { Metrics } from "effect-txc"
 *
 * // The number of orders whose outcome is unknown.
 * export const unknown = Effect.map(
 *   Metric.value(Metrics.of("StopLimitOrders.create").calls("unknown")),
 *   ({ count }) => count
 * )
 * ```
 */
import * as Metric from "effect/Metric"
import type * as Errors from "../protocol/Errors.ts"

/** The upper bounds of the histogram buckets, in milliseconds. */
const boundaries = Metric.boundariesFromIterable([
  0.5,
  1,
  2,
  5,
  10,
  20,
  50,
  100,
  200,
  500,
  1000,
  2000,
  5000,
  10_000,
  30_000
])

const histogram = (name: string, description: string, endpoint: string): Metric.Histogram<number> =>
  Metric.histogram(name, { description, boundaries, attributes: { endpoint, time_unit: "milliseconds" } })

const counters = (name: string, description: string, endpoint: string, label: string) => {
  const known = new Map<string, Metric.Counter<number>>()
  return (value: string): Metric.Counter<number> => {
    const found = known.get(value) ??
      Metric.counter(name, { description, incremental: true, attributes: { endpoint, [label]: value } })
    known.set(value, found)
    return found
  }
}

/**
 * A call's outcome: `answered` for a successful read, `applied` for a successful mutating call, `interrupted` for an
 * interrupted call, and the error's outcome for a failed call.
 *
 * @category models
 */
export type Outcome = Errors.Outcome | "answered" | "interrupted"

/**
 * The metrics for an endpoint's calls. Each metric has the attribute `endpoint`.
 *
 * @category models
 */
export interface OfEndpoint {
  /** `txc_calls`: the number of calls, with the attribute `outcome`. */
  readonly calls: (outcome: Outcome) => Metric.Counter<number>
  /** `txc_call_errors`: the number of failed calls, with the error's tag as the attribute `error`. */
  readonly errors: (tag: string) => Metric.Counter<number>
  /**
   * `txc_call_latency`: the duration of calls in milliseconds, including all attempts and all waits for nonces and rate
   * limits.
   */
  readonly latency: Metric.Histogram<number>
  /**
   * `txc_limit_wait`: the time that attempts wait for a rate limit, in milliseconds. Attempts that do not wait are not
   * counted.
   */
  readonly limitWait: Metric.Histogram<number>
}

/**
 * Creates the metrics for an endpoint's calls. `endpoint` is the call's name, such as `StopLimitOrders.create`.
 *
 * @category metrics
 */
export const of = (endpoint: string): OfEndpoint => ({
  calls: counters("txc_calls", "Calls to the exchange", endpoint, "outcome"),
  errors: counters("txc_call_errors", "Failed calls to the exchange", endpoint, "error"),
  latency: histogram("txc_call_latency", "Duration of calls to the exchange", endpoint),
  limitWait: histogram("txc_limit_wait", "Time that calls to the exchange wait for a rate limit", endpoint)
})

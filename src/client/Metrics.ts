/**
 * What is counted of calls, as metrics of Effect: whatever reads its registry (an exporter, `Metric.snapshot`) sees them.
 *
 * @since 0.1.0
 */
import * as Metric from "effect/Metric"
import type * as Errors from "../protocol/Errors.ts"

/** In milliseconds, from half a millisecond to half a minute. */
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
 * How a call ended: with an error's own outcome; if it succeeded, `applied`, or `answered` when it only reads.
 *
 * @category models
 * @since 0.1.0
 */
export type Outcome = Errors.Outcome | "answered" | "interrupted"

/**
 * The metrics of one endpoint's calls, all with the attribute `endpoint`:
 *
 * - `calls`: `txc_calls`, by `outcome`
 * - `errors`: `txc_call_errors`, by the `error`'s tag
 * - `latency`: `txc_call_latency`, how long calls take with all attempts, and all waits for nonces and limits
 * - `limitWait`: `txc_limit_wait`, how long those attempts wait that have to, for a rate limit
 *
 * Times are in milliseconds.
 *
 * @category metrics
 * @since 0.1.0
 */
export const of = (endpoint: string): {
  readonly calls: (outcome: Outcome) => Metric.Counter<number>
  readonly errors: (tag: string) => Metric.Counter<number>
  readonly latency: Metric.Histogram<number>
  readonly limitWait: Metric.Histogram<number>
} => ({
  calls: counters("txc_calls", "Calls of the exchange", endpoint, "outcome"),
  errors: counters("txc_call_errors", "Failed calls of the exchange", endpoint, "error"),
  latency: histogram("txc_call_latency", "Duration of calls of the exchange", endpoint),
  limitWait: histogram("txc_limit_wait", "Waits for a rate limit of the exchange", endpoint)
})

/**
 * Measures the difference between the exchange's clock and this machine's clock, to keep nonces near the exchange's
 * clock.
 *
 * This is not needed if this machine's clock is synchronized, because the live exchange accepts nonces within five
 * seconds of its own clock.
 *
 * @example
 * ```ts
 * import * as Layer from "effect/Layer"
 * import { type Credentials, Exchange, ServerClock } from "effect-txc"
 *
 * export const exchange = (credentials: Credentials.Options) =>
 *   Exchange.layer({ region: "eu", credentials }).pipe(Layer.provide(ServerClock.layer({ region: "eu" })))
 * ```
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { ClockOffset } from "./client/Nonce.ts"
import * as RateLimits from "./client/RateLimits.ts"
import * as Region from "./client/Region.ts"
import { orHttpClient } from "./client/transport/DefaultTransport.ts"
import type * as Transport from "./client/transport/Transport.ts"
import { type Failure, ServerTime } from "./endpoints/ServerTime.ts"
import * as Exchange from "./Exchange.ts"

/**
 * A measurement of the exchange's clock.
 *
 * @category models
 */
export interface Measurement {
  /** The exchange's clock minus this machine's clock, in milliseconds; negative when the exchange's clock is behind. */
  readonly offset: number
  /**
   * The maximum error of `offset` in either direction, in milliseconds: half a second, because the exchange returns
   * whole seconds, plus half the round-trip time.
   */
  readonly uncertainty: number
}

/**
 * Options for measuring the clock.
 *
 * @category models
 */
export interface Options<E = never, T = HttpClient.HttpClient> {
  /** The time between measurements. Default: one minute. */
  readonly interval?: Duration.Input
  /** The transport that sends the calls. Default: the `HttpClient` in the context. */
  readonly transport?: Layer.Layer<Transport.Transport, E, T>
}

/**
 * Measures the exchange's clock once. Fails with the errors of `ServerTime.get`.
 *
 * @category measuring
 */
export const measure: Effect.Effect<Measurement, Failure, ServerTime> = Effect.gen(function*() {
  const { get } = yield* ServerTime
  const asked = yield* Clock.currentTimeMillis
  const seconds = yield* get
  const answered = yield* Clock.currentTimeMillis
  return {
    offset: Math.round(seconds * 1000 + 500 - (asked + answered) / 2),
    uncertainty: 500 + (answered - asked) / 2
  }
})

/** The correction to apply, in milliseconds. It is zero if the offset is within the measurement's uncertainty. */
const correction = ({ offset, uncertainty }: Measurement): number => Math.abs(offset) > uncertainty ? offset : 0

/**
 * Corrects the nonces of the exchange layer to which this layer is provided. The offset is measured when the layer is
 * built, and again after each `interval`.
 *
 * Nonces leased through Redis follow the Redis server's clock and are not corrected.
 *
 * The layer fails when the first measurement fails. If a later measurement fails, the previous measurement stays in use
 * and a warning is logged.
 *
 * @category layers
 */
export const layer = <E = never, T = HttpClient.HttpClient>(
  region: Region.Options,
  { interval = "1 minute", transport }: Options<E, T> = {}
): Layer.Layer<never, Failure | Region.InvalidBaseUrl | E, T> =>
  Layer.effect(
    ClockOffset,
    Effect.gen(function*() {
      const offset = { millis: correction(yield* measure) }
      yield* measure.pipe(
        Effect.match({
          onSuccess: (measured) => {
            offset.millis = correction(measured)
          },
          onFailure: (error) => error
        }),
        Effect.flatMap((error) =>
          error === undefined
            ? Effect.void
            : Effect.logWarning("The exchange's clock could not be measured", error.message)
        ),
        Effect.schedule(Schedule.spaced(interval)),
        Effect.forkScoped
      )
      return offset
    })
  ).pipe(
    Layer.provide(Exchange.layerPublic),
    Layer.provide([Region.layer(region), RateLimits.layerMemory, orHttpClient(transport)])
  )

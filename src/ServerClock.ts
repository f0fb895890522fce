/**
 * Measuring how far the exchange's clock is from this machine's, for nonces that are near the exchange's.
 *
 * Not needed where this machine's clock is kept right: the live exchange allows nonces five seconds on either side.
 *
 * @since 0.1.0
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
import { type Failure, ServerTime } from "./endpoints/ServerTime.ts"
import * as Exchange from "./Exchange.ts"

/**
 * One measurement, in milliseconds: the exchange's clock is ahead by `offset`, give or take `uncertainty`. The exchange
 * tells whole seconds, at a moment between the request and the answer: that is half a second, and half the round trip.
 *
 * @category models
 * @since 0.1.0
 */
export interface Measurement {
  readonly offset: number
  readonly uncertainty: number
}

/**
 * Asks the exchange for its time once.
 *
 * @category measuring
 * @since 0.1.0
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

/** A clock that may as well be right is left alone. */
const correction = ({ offset, uncertainty }: Measurement): number => Math.abs(offset) > uncertainty ? offset : 0

/**
 * Corrects the nonces of the exchange that this layer is provided to, by a clock measured when it is built and at every
 * `interval` after that, one minute unless said otherwise: `Exchange.layer(options).pipe(Layer.provide(
 * ServerClock.layer(options)))`.
 *
 * Nonces that are leased through Redis follow the clock of Redis, and are not corrected.
 *
 * Without a first measurement it can't be built. When a later one fails the last one stays, and the log says so.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (
  region: Region.Options,
  { interval = "1 minute" }: { readonly interval?: Duration.Input } = {}
): Layer.Layer<never, Failure | Region.InvalidBaseUrl, HttpClient.HttpClient> =>
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
    Layer.provide([Region.layer(region), RateLimits.layerMemory])
  )

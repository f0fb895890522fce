/**
 * Rate limits shared by programs through Redis.
 *
 * @example
 * ```ts
 * import * as NodeRedis from "@effect/platform-node/NodeRedis"
 * import * as Layer from "effect/Layer"
 * import { RateLimitsRedis } from "effect-txc/redis"
 *
 * // Pass this as the `rateLimits` option of `Exchange.layer`.
 * export const rateLimits = RateLimitsRedis.layer.pipe(
 *   Layer.provide(NodeRedis.layer({ url: "redis://127.0.0.1:6379" }))
 * )
 * ```
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as RateLimiter from "effect/persistence/RateLimiter"
import type * as Redis from "effect/persistence/Redis"
import * as Digest from "./Digest.ts"
import * as RateLimitBuckets from "./RateLimitBuckets.ts"
import * as RateLimits from "./RateLimits.ts"

/** The time to wait after a failure before the next request to Redis, in milliseconds. */
const restMillis = 5000

/** The maximum wait for a response from Redis. */
const patience = "500 millis"

/**
 * Counts the calls of all programs that use the same Redis: private calls per endpoint and API key (stored as a
 * digest), and public calls as if they all came from one IP address. If a program's clock is ahead of the other
 * programs' clocks, some calls beyond the limit are admitted, but only once, and in proportion to the difference.
 *
 * While Redis can't be reached, each program counts only its own calls and logs a warning. Calls continue, because the
 * exchange still enforces the limit. After a refusal by the exchange, only the refused program pauses.
 *
 * @category layers
 */
export const layer: Layer.Layer<RateLimits.RateLimits, never, Redis.Redis> = Layer.effect(
  RateLimits.RateLimits,
  Effect.gen(function*() {
    const { consume } = Context.get(
      yield* Layer.build(
        Layer.fresh(RateLimiter.layer).pipe(
          Layer.provide(Layer.fresh(RateLimiter.layerStoreRedis({ prefix: "effect-txc:limit:" })))
        )
      ),
      RateLimiter.RateLimiter
    )
    const countingAlone = RateLimitBuckets.countingInMemory()
    let restUntil = 0

    const names = new Map<string, string>()
    const nameOf = (apiKey: string): Effect.Effect<string> => {
      const known = names.get(apiKey)
      return known === undefined
        ? Effect.tap(Digest.ofApiKey(apiKey), (name) => Effect.sync(() => names.set(apiKey, name)))
        : Effect.succeed(known)
    }
    return RateLimitBuckets.make((counted) => {
      const { apiKey, most, refill, what } = counted
      const countAlone = countingAlone(counted)
      const alone = Effect.fnUntraced(function*(problem: string) {
        restUntil = (yield* Clock.currentTimeMillis) + restMillis
        yield* Effect.logWarning("Rate limits are not shared while Redis can't be reached", problem)
        return yield* countAlone
      })
      const key = apiKey === undefined ? Effect.succeed(what) : Effect.map(nameOf(apiKey), (name) => `${what} ${name}`)
      const countShared = Effect.flatMap(
        key,
        (key) => consume({ key, limit: most, window: most * refill, algorithm: "token-bucket", onExceeded: "fail" })
      ).pipe(
        Effect.matchEffect({
          onSuccess: () => Effect.succeed(0),
          onFailure: ({ message, reason }) =>
            reason._tag === "RateLimitExceeded"
              ? Effect.succeed(Math.ceil(Duration.toMillis(reason.retryAfter)))
              : alone(message)
        }),
        Effect.timeoutOrElse({ duration: patience, orElse: () => alone("no response") })
      )
      return Effect.clockWith((clock) => clock.currentTimeMillisUnsafe() < restUntil ? countAlone : countShared)
    })
  })
)

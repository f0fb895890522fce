/**
 * Nonces: numbers that are unique per request of an API key (document, "Authentication", 3).
 *
 * A nonce is Unix time. If the clock has not advanced since the last nonce, the next nonce is the last one plus one. A
 * nonce is at most two seconds ahead of the clock: beyond that, the call waits. If the clock is set back by more than
 * four seconds, calls fail with that reason until it has caught up.
 *
 * @example
 * ```ts
 * import * as Config from "effect/Config"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 * import { Credentials, Exchange, Nonce } from "effect-txc"
 *
 * // For an exchange, or a key, without a nonce window: one call at a time.
 * export const exchange = Layer.unwrap(
 *   Effect.map(
 *     Config.all({ apiKey: Config.Redacted("TXC_API_KEY"), apiSecret: Config.Redacted("TXC_API_SECRET") }),
 *     (credentials: Credentials.Options) =>
 *       Exchange.layer({ region: "eu", credentials, nonce: Nonce.layerIncreasing })
 *   )
 * )
 * ```
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { drawing, type NonceUnavailable, type Of, perKey, sequence } from "./NonceSequence.ts"

export { NonceUnavailable, type Of } from "./NonceSequence.ts"

/**
 * The exchange's clock minus this machine's, in milliseconds, by which nonces are corrected. Zero unless measured: see
 * `ServerClock`. The object is read when an exchange's layer is built, its `millis` before every attempt.
 *
 * @category services
 */
export const ClockOffset = Context.Reference<{ readonly millis: number }>("effect-txc/client/Nonce/ClockOffset", {
  defaultValue: () => ({ millis: 0 })
})

/**
 * Supplies calls with nonces.
 *
 * One service serves any number of keys, each with its own nonces. Both layers are one value each, so all exchanges
 * built together share one service and never use a nonce of a key twice. Another program, or another runtime in this
 * one, does not share it: if both use the same key and take the same nonce, the exchange refuses it. Programs that
 * share a key share its nonces through `NonceRedis`.
 *
 * @category services
 */
export class Nonce extends Context.Service<Nonce, {
  /**
   * Whether the exchange may accept nonces near its clock in any order. If not, they must arrive in increasing order.
   */
  readonly window: boolean
  /**
   * Runs a call with a fresh nonce of an API key. Fails with `NonceUnavailable` without running it; the call then fails
   * with `ExchangeUnreachable`, why `nonce`.
   */
  readonly use: <A, E, R>(
    of: Of,
    call: (nonce: number) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | NonceUnavailable, R>
}>()("effect-txc/client/Nonce") {}

/**
 * Unique nonces that may arrive in any order, so calls run in parallel. About 1,000 calls per second and key if nonces
 * count milliseconds (live), a million if they count microseconds (document).
 *
 * @category layers
 */
export const layerWindow: Layer.Layer<Nonce> = Layer.sync(Nonce, () => {
  const drawingOf = perKey(({ unit }) => drawing(unit))
  return {
    window: true,
    use: (of, call) => Clock.clockWith((clock) => Effect.flatMapEager(drawingOf(of)(clock, of.offset), call))
  }
})

/**
 * Increasing nonces with one call of a key at a time, because nonces overtake each other on parallel connections. For
 * exchanges or keys without a nonce window. Slow: every call waits for the previous answer.
 *
 * @category layers
 */
export const layerIncreasing: Layer.Layer<Nonce> = Layer.sync(Nonce, () => {
  const lineOf = perKey(({ unit }) => ({ next: sequence(unit), one: Semaphore.makeUnsafe(1) }))
  return {
    window: false,
    use: (of, call) => {
      const { next, one } = lineOf(of)
      return one.withPermits(1)(Effect.flatMap(Effect.suspend(() => next(of.offset)), call))
    }
  }
})

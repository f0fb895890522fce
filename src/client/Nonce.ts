/**
 * Nonces: numbers that an API key uses once, for one request (the document, "Authentication", 3).
 *
 * A nonce is a Unix time. If the clock has not passed the previous nonce, the next nonce is the previous nonce plus
 * one. A nonce is at most two seconds ahead of the clock; a call whose nonce would be further ahead waits. If the clock
 * is set back by more than four seconds, calls fail until the clock has caught up, and the error gives that reason.
 *
 * These layers keep their nonces in memory. If a program restarts before the clock has passed the last nonce that the
 * program used, it might reuse a nonce. After calls in the same millisecond, the last nonce is a millisecond or two
 * ahead of the clock; after a burst, it is up to two seconds ahead. The exchange refuses a used nonce, so no call is
 * applied twice. `NonceRedis` remembers nonces across restarts.
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
 * The correction that is added to nonces: the exchange's clock minus this machine's clock, in milliseconds. Zero unless
 * measured: see `ServerClock`. An exchange's layer reads this object when the layer is built, and reads `millis` before
 * every attempt.
 *
 * @category services
 */
export const ClockOffset = Context.Reference<{ readonly millis: number }>("effect-txc/client/Nonce/ClockOffset", {
  defaultValue: () => ({ millis: 0 })
})

/**
 * Supplies calls with nonces.
 *
 * One service handles any number of keys, each with its own nonces. Each layer is a single value, so all exchanges that
 * are built together share one service and never use a key's nonce twice. The service is not shared with other
 * programs, or with other runtimes in the same program: if two programs or runtimes use the same nonce for a key, the
 * exchange refuses the second call. Programs that share a key should use `NonceRedis`.
 *
 * @category services
 */
export class Nonce extends Context.Service<Nonce, {
  /**
   * Whether requests ask the exchange to accept nonces near its clock in any order. If `false`, nonces must arrive in
   * increasing order.
   */
  readonly window: boolean
  /**
   * Runs a call with a new nonce for an API key. If no nonce is available, the call is not run, and this effect fails
   * with `NonceUnavailable`; the client's caller gets `ExchangeUnreachable` (`why: "nonce"`).
   */
  readonly use: <A, E, R>(
    of: Of,
    call: (nonce: number) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | NonceUnavailable, R>
}>()("effect-txc/client/Nonce") {}

/**
 * Provides unique nonces that may arrive in any order, so calls run in parallel. Allows about 1,000 calls per key per
 * second in the live dialect, whose nonces are milliseconds, and a million in the document's dialect, whose nonces are
 * microseconds.
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
 * Provides increasing nonces, to one call per key at a time, because calls on parallel connections can arrive out of
 * order. Use this layer for exchanges or keys without a nonce window. It is slow, because every call waits for the
 * previous response.
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

/**
 * A record of every mutating attempt, made before anything is sent. A process that dies, or is interrupted, during a call
 * leaves behind what is needed to find out what became of it: see `Reconciliation`.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Intents } from "effect-txc"
 *
 * // A journal that survives the process: `append` returns once the line is on the disk.
 * export const journal = (append: (line: string) => Promise<void>) =>
 *   Intents.layer({
 *     record: ({ clientOrderId, endpoint, key, market, nonce, nonceForm, sentAt }) =>
 *       Effect.tryPromise({
 *         try: () => append(JSON.stringify({ endpoint, clientOrderId, market, key, nonce, nonceForm, sentAt })),
 *         catch: (cause) => new Intents.IntentNotRecorded({ reason: String(cause) })
 *       }),
 *     settled: ({ key, nonce }, outcome) => Effect.promise(() => append(JSON.stringify({ key, nonce, outcome })))
 *   })
 * ```
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { ClientOrderId, MarketName, OrderId } from "../domain/Identifiers.ts"
import * as Errors from "../protocol/Errors.ts"

/**
 * One attempt of a mutating call. `key` and `nonce` together identify it: no other attempt has the same two.
 *
 * @category models
 * @since 0.1.0
 */
export interface Intent {
  /** The call, such as `StopLimitOrders.create`. */
  readonly endpoint: string
  /** In the domain's form. Redacted because it may hold a code or a passphrase; `Redacted.value` reads it. */
  readonly request: Redacted.Redacted<unknown>
  /** Copied from the request where it has one. */
  readonly clientOrderId?: ClientOrderId
  /** Copied from the request where it has one. */
  readonly market?: MarketName
  /** Copied from the request where it names an order by it. */
  readonly orderId?: OrderId
  /** Copied from the request where it has many orders. */
  readonly orders?: ReadonlyArray<Errors.NamedOrder>
  /** Which API key signs it, as a fingerprint: see `Credentials.fingerprint`. */
  readonly key: string
  /** The nonce that it will be sent with. */
  readonly nonce: number
  /** What kind of nonce that is. */
  readonly nonceForm: Errors.NonceForm
  /** When it is about to be sent, in Unix microseconds by this machine's clock. */
  readonly sentAt: number
}

/**
 * The intent could not be recorded. The call is not sent: it fails with `ExchangeUnreachable`, why `not-recorded`.
 *
 * @category errors
 * @since 0.1.0
 */
export class IntentNotRecorded extends Schema.TaggedError<IntentNotRecorded>()("IntentNotRecorded", {
  reason: Schema.String
}) {
  /** Why; it is shown in the call's error. */
  declare readonly reason: string
}

/**
 * Keeps the record. An intent that was never settled is one whose process has died: its outcome is unknown.
 *
 * @category models
 * @since 0.1.0
 */
export interface Service {
  /**
   * Called before an attempt is signed and sent. The attempt waits until it has succeeded, but no longer than `Call.Timeout`;
   * when it fails, nothing is sent and the call fails with `ExchangeUnreachable`, why `not-recorded`.
   *
   * A nonce is taken before its intent is recorded, because the two belong together. So a record that takes seconds makes
   * the nonce old, and with increasing nonces all other calls of the key wait for it.
   */
  readonly record: (intent: Intent) => Effect.Effect<void, IntentNotRecorded>
  /**
   * Called once for every `record` that was begun, as soon as the outcome of the attempt is known, or known to be unknown:
   * also when the calling fiber was interrupted. An attempt whose nonce was refused is settled as `not-applied`, and the
   * `record` of the second attempt follows. A defect in it is logged; the call keeps its own result.
   */
  readonly settled: (intent: Intent, outcome: Errors.Outcome) => Effect.Effect<void>
}

/**
 * Where intents are recorded; nowhere unless provided otherwise. Read when an exchange's layer is built: provide yours to
 * that layer.
 *
 * @category services
 * @since 0.1.0
 */
export const Intents = Context.Reference<Service | undefined>("effect-txc/client/Intents", {
  defaultValue: () => undefined
})

/**
 * Records intents with this service. Provide it to an exchange's layer.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (service: Service): Layer.Layer<never> => Layer.succeed(Intents, service)

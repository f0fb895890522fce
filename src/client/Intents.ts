/**
 * Records every mutating attempt before it is sent. If a process dies or is interrupted during a call, the record shows
 * how to find out the outcome: see `Reconciliation`.
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
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { ClientOrderId, MarketName, OrderId } from "../domain/Identifiers.ts"
import * as Errors from "../protocol/Errors.ts"

/**
 * One attempt of a mutating call, identified by its `key` and `nonce`.
 *
 * @category models
 */
export interface Intent {
  /** The call, such as `StopLimitOrders.create`. */
  readonly endpoint: string
  /** The request in domain form, redacted because it may contain a code or a passphrase. `Redacted.value` reads it. */
  readonly request: Redacted.Redacted<unknown>
  /** Copied from the request, if present. */
  readonly clientOrderId?: ClientOrderId
  /** Copied from the request, if present. */
  readonly market?: MarketName
  /** The order's identifier, if the request names it by that. */
  readonly orderId?: OrderId
  /** The orders of a bulk request. */
  readonly orders?: ReadonlyArray<Errors.NamedOrder>
  /** The fingerprint of the API key that signs it: see `Credentials.fingerprint`. */
  readonly key: string
  /** The nonce to be sent. */
  readonly nonce: number
  /** The kind of nonce. */
  readonly nonceForm: Errors.NonceForm
  /** The time just before sending, in Unix microseconds by this machine's clock. */
  readonly sentAt: number
}

/**
 * The intent could not be recorded. The call is not sent: it fails with `ExchangeUnreachable`, why `not-recorded`.
 *
 * @category errors
 */
export class IntentNotRecorded extends Schema.TaggedError<IntentNotRecorded>()("IntentNotRecorded", {
  reason: Schema.String
}) {
  /** The reason, which the call's error shows. */
  declare readonly reason: string
}

/**
 * Keeps the record. An intent that was never settled belongs to a process that died: its outcome is unknown.
 *
 * @category models
 */
export interface Service {
  /**
   * Called before an attempt is signed and sent. The attempt waits until it succeeds, at most for `Call.Timeout`; if it
   * fails, nothing is sent and the call fails with `ExchangeUnreachable`, why `not-recorded`.
   *
   * The nonce is taken before the intent is recorded, because the two belong together. A slow record therefore makes
   * the nonce old, and with increasing nonces blocks all other calls of the key.
   */
  readonly record: (intent: Intent) => Effect.Effect<void, IntentNotRecorded>
  /**
   * Called once for each started `record`, as soon as the attempt's outcome is known or known to be unknown, even after
   * the calling fiber was interrupted. An attempt with a refused nonce is settled as `not-applied`, and a second
   * `record` follows. A defect in it is logged; the call keeps its own result.
   */
  readonly settled: (intent: Intent, outcome: Errors.Outcome) => Effect.Effect<void>
}

/**
 * The record of intents; by default nothing is recorded. An exchange's layer reads it when built, so provide yours to
 * that layer.
 *
 * @category services
 */
export const Intents = Context.Reference<Service | undefined>("effect-txc/client/Intents", {
  defaultValue: () => undefined
})

/**
 * Records intents with this service. Provide it to an exchange's layer.
 *
 * @category layers
 */
export const layer = (service: Service): Layer.Layer<never> => Layer.succeed(Intents, service)

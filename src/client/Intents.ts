/**
 * Records every mutating attempt before it is sent. If the process dies or the call is interrupted, the record
 * contains the data that `Reconciliation` needs to find out the outcome.
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
  /** The call's name, such as `StopLimitOrders.create`. */
  readonly endpoint: string
  /** The request in domain form, redacted because it may contain a code or a passphrase. `Redacted.value` reads it. */
  readonly request: Redacted.Redacted<unknown>
  /** The order's client order id, if the request contains one. */
  readonly clientOrderId?: ClientOrderId
  /** The market, if the request names one. */
  readonly market?: MarketName
  /** The exchange's order id, if the request contains one. */
  readonly orderId?: OrderId
  /** The orders of a bulk request. */
  readonly orders?: ReadonlyArray<Errors.NamedOrder>
  /** The fingerprint of the API key that signs the attempt: see `Credentials.fingerprint`. */
  readonly key: string
  /** The nonce to be sent. */
  readonly nonce: number
  /** The kind of nonce. */
  readonly nonceForm: Errors.NonceForm
  /** The time just before sending, in Unix microseconds, by this machine's clock. */
  readonly sentAt: number
}

/**
 * The intent could not be recorded. The call is not sent, and fails with `ExchangeUnreachable` (`why: "not-recorded"`).
 *
 * @category errors
 */
export class IntentNotRecorded extends Schema.TaggedError<IntentNotRecorded>()("IntentNotRecorded", {
  reason: Schema.String
}) {
  /** The reason, included in the call's error. */
  declare readonly reason: string
}

/**
 * Records intents and their outcomes. If an intent was recorded but never settled, the process died in between, and the
 * outcome is unknown.
 *
 * @category models
 */
export interface Service {
  /**
   * Called before an attempt is signed and sent. The attempt waits for `record` for at most `Call.Timeout`. If
   * `record` fails or takes longer, nothing is sent, and the call fails with `ExchangeUnreachable` (`why:
   * "not-recorded"`).
   *
   * The intent contains the nonce, so the nonce is taken first. Slow recording therefore delays the use of the nonce
   * and, with increasing nonces, blocks all other calls that are signed with the key.
   */
  readonly record: (intent: Intent) => Effect.Effect<void, IntentNotRecorded>
  /**
   * Called once after each call to `record`, as soon as the attempt has ended, even if the calling fiber was
   * interrupted. An attempt whose nonce the exchange refused is settled as `not-applied`; if a second attempt follows,
   * it is recorded separately. A defect in `settled` is logged, and does not change the result of the exchange call.
   */
  readonly settled: (intent: Intent, outcome: Errors.Outcome) => Effect.Effect<void>
}

/**
 * The service that records intents. By default, nothing is recorded. An exchange's layer reads this service when the
 * layer is built, so provide your own service to that layer.
 *
 * @category services
 */
export const Intents = Context.Reference<Service | undefined>("effect-txc/client/Intents", {
  defaultValue: () => undefined
})

/**
 * Records intents with your service. Provide this layer to an exchange's layer.
 *
 * @category layers
 */
export const layer = (service: Service): Layer.Layer<never> => Layer.succeed(Intents, service)

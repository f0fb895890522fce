/**
 * What is about to be asked of the exchange, told to whoever keeps a record of it before anything is sent. A process
 * that dies, or is interrupted, while a call is under way leaves behind what is needed to find out about it.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { ClientOrderId, MarketName } from "../domain/Identifiers.ts"
import * as Errors from "../protocol/Errors.ts"

/**
 * One attempt of a mutating call. `key` and `nonce` together are like those of no other attempt.
 *
 * - `endpoint`: such as `StopLimitOrders.create`
 * - `request`: in the domain's form, redacted because it may hold a code or a passphrase; `Redacted.value` reads it
 * - `clientOrderId`, `market`: copied from the request where it has them
 * - `key`: which API key signs it, as a fingerprint: see `Credentials.fingerprint`
 * - `nonce`, `nonceForm`: the nonce that it will be sent with
 * - `sentAt`: when it is about to be sent, in Unix microseconds by this machine's clock
 *
 * @category models
 * @since 0.1.0
 */
export interface Intent {
  readonly endpoint: string
  readonly request: Redacted.Redacted<unknown>
  readonly clientOrderId?: ClientOrderId
  readonly market?: MarketName
  readonly key: string
  readonly nonce: number
  readonly nonceForm: Errors.NonceForm
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
}) {}

/**
 * - `record`: called before an attempt is signed and sent, which waits until it has succeeded, but no longer than
 *   `Call.Timeout`
 * - `settled`: called once for every `record` that was begun, when it is known what came of the attempt, or that it can't
 *   be known: also when the calling fiber was interrupted on the way. `not-applied` of an attempt whose nonce was refused
 *   is followed by the `record` of the second attempt.
 *
 * An intent that was never settled is one whose process has died: its outcome is unknown.
 *
 * A nonce is taken before its intent is recorded, because the two belong together. So a record that takes seconds makes
 * the nonce old, and with increasing nonces all other calls of the key wait for it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Service {
  readonly record: (intent: Intent) => Effect.Effect<void, IntentNotRecorded>
  readonly settled: (intent: Intent, outcome: Errors.Outcome) => Effect.Effect<void>
}

/**
 * Who is told; nobody unless provided otherwise. Read when an exchange's layer is built: provide yours to that layer.
 *
 * @category services
 * @since 0.1.0
 */
export const Intents = Context.Reference<Service | undefined>("effect-txc/client/Intents", {
  defaultValue: () => undefined
})

/**
 * @category layers
 * @since 0.1.0
 */
export const layer = (service: Service): Layer.Layer<never> => Layer.succeed(Intents, service)

/** What an attempt has come to. One that ended without an answer is unknown as soon as it was handed to the transport. */
const outcomeOf = (exit: Exit.Exit<unknown, Errors.CallError>, isSent: () => boolean): Errors.Outcome => {
  if (Exit.isSuccess(exit)) return "applied"
  const failure = exit.cause.reasons.find(Cause.isFailReason)
  return failure === undefined ? (isSent() ? "unknown" : "not-applied") : failure.error.outcome
}

/**
 * Runs an attempt between `record` and `settled`. `isSent` says whether it has been handed to the transport, `timeout` how
 * long the record may take.
 *
 * An outcome that can't be recorded is logged: the caller has it all the same.
 *
 * @category combinators
 * @since 0.1.0
 */
export const around = <A>(
  { record, settled }: Service,
  intent: Intent,
  isSent: () => boolean,
  timeout: Duration.Input,
  attempt: Effect.Effect<A, Errors.CallError>
): Effect.Effect<A, Errors.CallError> => {
  const { clientOrderId, endpoint } = intent
  const settle = (outcome: Errors.Outcome) =>
    Effect.catchCause(
      Effect.suspend(() => settled(intent, outcome)),
      (cause) => Effect.logError(`${endpoint}: its outcome, ${outcome}, could not be recorded`, cause)
    )
  const notRecorded = (reason: string) =>
    new Errors.ExchangeUnreachable({
      endpoint,
      why: "not-recorded",
      reason,
      ...(clientOrderId === undefined ? {} : { clientOrderId })
    })
  const recorded = Effect.suspend(() => record(intent)).pipe(
    Effect.mapError(({ reason }) => notRecorded(reason)),
    Effect.timeoutOrElse({
      duration: timeout,
      orElse: () =>
        Effect.fail(notRecorded(`not recorded within ${Duration.format(Duration.fromInputUnsafe(timeout))}`))
    })
  )
  return Effect.uninterruptibleMask((restore) =>
    Effect.onExit(
      Effect.andThen(restore(recorded), restore(attempt)),
      (exit) => settle(outcomeOf(exit, isSent))
    )
  )
}

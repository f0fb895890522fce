/** Records an attempt before it is made, and its outcome afterwards. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Errors from "../../protocol/Errors.ts"
import type * as Intents from "../Intents.ts"

/** Determines an attempt's outcome, which is unknown if the attempt was handed to the transport and got no response. */
const outcomeOf = <A>(
  exit: Exit.Exit<A, Errors.CallError>,
  isSent: () => boolean,
  ofAnswer: (answer: A) => Errors.Outcome
): Errors.Outcome => {
  if (Exit.isSuccess(exit)) return ofAnswer(exit.value)
  const failure = exit.cause.reasons.find((reason) => reason._tag === "Fail")
  return failure === undefined ? (isSent() ? "unknown" : "not-applied") : failure.error.outcome
}

/**
 * Runs an attempt between `record` and `settled`. `isSent` returns whether the attempt was handed to the transport;
 * `timeout` limits the time for `record`. `ofAnswer` returns the outcome that a response proves; for a bulk call, it
 * may be `unknown`.
 *
 * If the outcome can't be recorded, the problem is logged, and the caller still gets the result.
 */
export const around = <A>(
  { record, settled }: Intents.Service,
  intent: Intents.Intent,
  isSent: () => boolean,
  timeout: Duration.Input,
  attempt: Effect.Effect<A, Errors.CallError>,
  ofAnswer: (answer: A) => Errors.Outcome
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
        Effect.fail(notRecorded(`not recorded within ${Duration.toMillis(Duration.fromInputUnsafe(timeout))} ms`))
    })
  )
  return Effect.uninterruptibleMask((restore) =>
    Effect.onExit(
      Effect.andThen(restore(recorded), restore(attempt)),
      (exit) => settle(outcomeOf(exit, isSent, ofAnswer))
    )
  )
}

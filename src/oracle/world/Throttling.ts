/** Handles HTTP 429: waits for the time in `Retry-After`, then retries. */
import * as Effect from "effect/Effect"
import type { Answer } from "../Target.ts"
import * as Target from "../Target.ts"

/** The default maximum time that a call or a value check waits while the target throttles it, in milliseconds. */
export const defaultPatience = 120_000

/**
 * The maximum wait between retries without `Retry-After`, in milliseconds. This wait starts at one second and doubles
 * each time.
 */
const maxWait = 30_000

/** Whether the target throttles the call. */
export const isThrottled = ({ status }: Answer): boolean => status === 429

/** Returns the wait in milliseconds: the `Retry-After` header, or a wait that doubles with each retry. */
export const waitOf = ({ headers }: Pick<Answer, "headers">, retries: number): number => {
  const seconds = Number(headers["retry-after"] ?? "")
  return seconds > 0 ? seconds * 1000 : Math.min(1000 * 2 ** retries, maxWait)
}

const givenUp = (patience: number) =>
  new Target.TargetError({ reason: `the target responded with HTTP 429 for ${patience / 1000} seconds` })

/**
 * Repeats a call while the target throttles it. Fails if the waits exceed `patience` milliseconds in total. Each
 * attempt needs a new nonce.
 */
export const retryThrottled = <E>(
  call: Effect.Effect<Answer, E>,
  patience: number
): Effect.Effect<Answer, E | Target.TargetError> =>
  Effect.gen(function*() {
    let waited = 0
    for (let retries = 0;; retries++) {
      const answer = yield* call
      if (!isThrottled(answer)) return answer
      const wait = waitOf(answer, retries)
      waited += wait
      if (waited > patience) return yield* givenUp(patience)
      yield* Effect.sleep(wait)
    }
  })

/**
 * Makes a call with a nonce that the rule has chosen. HTTP 429 may mean that the target refuses this nonce, or that it
 * throttles every call. If the response has no `Retry-After`, and another call then succeeds, the call is repeated: HTTP
 * 429 again is a refusal of the nonce, and a success accepts the nonce. Otherwise the call fails, and the rule must
 * check its value again with other nonces.
 */
export const withChosenNonce = <E>(
  call: Effect.Effect<Answer, E>,
  ordinaryCall: Effect.Effect<Answer, E>
): Effect.Effect<Answer, E | Target.TargetError> =>
  Effect.gen(function*() {
    const answer = yield* call
    if (!isThrottled(answer)) return answer
    if (answer.headers["retry-after"] === undefined && !isThrottled(yield* ordinaryCall)) {
      const again = yield* call
      if (isThrottled(again) || again.status < 300) return again
    }
    return yield* new Target.TargetError({ reason: "the target responds with HTTP 429", retryAfter: waitOf(answer, 0) })
  })

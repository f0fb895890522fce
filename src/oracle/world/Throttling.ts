/**
 * What a check does when the target says that there are too many calls: it waits as long as it is told to, and retries.
 */
import * as Effect from "effect/Effect"
import type { Answer } from "../Target.ts"
import * as Target from "../Target.ts"

/** How long a rule waits for a target in a row by default, in milliseconds. */
export const defaultPatience = 120_000

/** The waits between retries when the target does not say how long to wait: one second, doubled up to this. */
const longest = 30_000

/** Whether the answer says that there are too many calls. */
export const isThrottled = ({ status }: Answer): boolean => status === 429

/** How many milliseconds to wait: what the header says, in seconds, or twice as long with each retry. */
export const waitOf = ({ headers }: Pick<Answer, "headers">, retries: number): number => {
  const seconds = Number(headers["retry-after"] ?? "")
  return seconds > 0 ? seconds * 1000 : Math.min(1000 * 2 ** retries, longest)
}

const givenUp = (patience: number) =>
  new Target.TargetError({ reason: `the target answered HTTP 429 for ${patience / 1000} seconds` })

/** Makes a call until it is not refused for too many calls. The call must be a new one each time. */
export const patiently = <E>(
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
 * Makes a call with a nonce that the rule has chosen. HTTP 429 may refuse this nonce, or any call at all. It is about the
 * nonce if the target does not say how long to wait, answers an ordinary call, and refuses the same call again. Otherwise
 * the whole rule has to be tried again, with other nonces.
 */
export const orTryAgain = <E>(
  call: Effect.Effect<Answer, E>,
  ordinary: Effect.Effect<Answer, E>
): Effect.Effect<Answer, E | Target.TargetError> =>
  Effect.gen(function*() {
    const answer = yield* call
    if (!isThrottled(answer)) return answer
    const isAboutNonce = answer.headers["retry-after"] === undefined && !isThrottled(yield* ordinary) &&
      isThrottled(yield* call)
    if (isAboutNonce) return answer
    return yield* new Target.TargetError({ reason: "the target answers HTTP 429", retryAfter: waitOf(answer, 0) })
  })

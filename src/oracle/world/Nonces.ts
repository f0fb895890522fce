/**
 * The nonces of a check's own calls.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type { Dialect } from "../../protocol/Dialect.ts"
import * as Spelling from "./Spelling.ts"
import type { Account, World } from "./World.ts"

/** How many milliseconds a nonce of somebody's key may be ahead of the clock. Beyond it the call waits. */
const maxAhead = 1000

/**
 * Gives each call a new nonce. A key that others use too sees nonces of today's milliseconds, so that its owner's next
 * nonce is not below them. A key of the check's own sees whatever comes after the last one.
 */
export const make = (dialect: Dialect, startedAt: number, now: Effect.Effect<number>): World["nonce"] => {
  let last = startedAt
  let lastExclusive = startedAt * 1000
  return ({ isExclusive }: Account) =>
    Effect.flatMap(now, (now) => {
      if (isExclusive) return Effect.succeed(Spelling.nonce(dialect, ++lastExclusive, false))
      last = Math.max(now, last + 1)
      const ahead = last - now
      const nonce = Spelling.nonce(dialect, last, true)
      return ahead > maxAhead ? Effect.delay(Effect.succeed(nonce), ahead - maxAhead) : Effect.succeed(nonce)
    })
}

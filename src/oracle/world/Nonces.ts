/** The nonces of a check's own calls. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Dialect } from "../../protocol/Dialect.ts"
import * as Dialects from "./Dialects.ts"
import type { Account, World } from "./World.ts"

/**
 * The maximum lead of a nonce over the target's clock, in milliseconds. A call whose nonce would be further ahead
 * waits.
 */
const maxAhead = 1000

/**
 * Gives each call a new nonce: the target's time in milliseconds, incremented when two calls share a millisecond. The
 * nonces are near the clock because a target may have an acceptance window, and other programs with the same real key
 * probably use milliseconds too.
 */
export const make = (dialect: Dialect, serverTime: Effect.Effect<number>): World["nonce"] => {
  const lastOf = new Map<string, number>()
  return ({ apiKey, isExclusive }: Account) =>
    Effect.flatMap(serverTime, (now) => {
      const key = Redacted.value(apiKey)
      const last = Math.max(now, (lastOf.get(key) ?? 0) + 1)
      lastOf.set(key, last)
      const nonce = Dialects.nonce(dialect, last, !isExclusive)
      const ahead = last - now
      return ahead > maxAhead ? Effect.delay(Effect.succeed(nonce), ahead - maxAhead) : Effect.succeed(nonce)
    })
}

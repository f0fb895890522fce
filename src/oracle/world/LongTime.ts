/**
 * Moves the clock by weeks. The live exchange's documentation says that a key without activity for 14 days is
 * deactivated, so the account that all rules share uses its key in the meantime.
 */
import * as Effect from "effect/Effect"
import * as Paths from "./Paths.ts"
import type { World } from "./World.ts"

/** The longest time between two calls of a key, in milliseconds. */
const longest = 13 * 86_400_000

/** Advances the clock by `millis` milliseconds. */
export const advance = Effect.fnUntraced(function*(world: World, millis: number) {
  for (let left = millis; left > 0; left -= longest) {
    if (millis > longest) yield* world.call(yield* world.parent, Paths.mainBalance)
    yield* world.advance(Math.min(left, longest))
  }
})

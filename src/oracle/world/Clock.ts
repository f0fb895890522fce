/**
 * The target's clock, which a check of a sandbox may move.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Target from "../Target.ts"
import type { World } from "./World.ts"

/** The clock of a target whose control plane is `control`. */
export const make = (control: World["control"]): Pick<World, "now" | "advance" | "whileFrozen"> => {
  // How far the target's clock is ahead of this machine's, in milliseconds.
  let ahead = 0
  return {
    now: Effect.map(Target.now, (now) => now + ahead),
    advance: (millis) => Effect.andThen(control("AdvanceClock", { millis }), Effect.sync(() => void (ahead += millis))),
    whileFrozen: (effect) =>
      Effect.gen(function*() {
        yield* control("FreezeClock", {})
        const frozenAt = yield* Target.now
        const run = Effect.gen(function*() {
          yield* control("RunClock", {})
          // The clock runs on from where it stood: it has to catch up with this machine's.
          yield* control("AdvanceClock", { millis: (yield* Target.now) - frozenAt })
        })
        return yield* Effect.ensuring(effect, Effect.ignore(run))
      })
  }
}

/**
 * Detects that the process was suspended for longer than its lease: by a signal, an overloaded machine, or a paused
 * virtual machine. By then, other nodes have taken over its venues, so the process must exit immediately, and a
 * supervisor must restart it.
 *
 * @example
 * ```ts
 * import * as Console from "effect/Console"
 * import * as Effect from "effect/Effect"
 * import { Watchdog } from "effect-txc/cluster"
 *
 * // Prints the reason when the process has to end.
 * const watching = Effect.catchTag(Watchdog.watch, "Paused", ({ message }) => Console.error(message))
 * ```
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { leaseMillis } from "./Membership.ts"

/**
 * The process was suspended for too long.
 *
 * @category errors
 */
export class Paused extends Schema.TaggedError<Paused>()("Paused", { millis: Schema.Finite }) {
  /** The duration of the suspension, in milliseconds. */
  declare readonly millis: number
  override get message(): string {
    const seconds = Math.round(this.millis / 1000)
    return `This process was suspended for ${seconds} seconds, so other nodes have its venues now. It is exiting; start it again`
  }
}

const lookEvery = 250

/**
 * Fails once the process has been suspended for longer than its lease.
 *
 * @category watching
 */
export const watch: Effect.Effect<never, Paused> = Effect.gen(function*() {
  for (;;) {
    const before = yield* Clock.currentTimeNanos
    yield* Effect.sleep(lookEvery)
    const millis = Number((yield* Clock.currentTimeNanos) - before) / 1e6
    if (millis > leaseMillis) return yield* new Paused({ millis })
  }
})

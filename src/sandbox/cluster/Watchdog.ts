/**
 * A process that was stopped for longer than its lease: by a signal, by a machine without time for it, by a suspended virtual
 * machine. Its venues are others' by now. It must exit at once, and start anew.
 *
 * @example
 * ```ts
 * import * as Console from "effect/Console"
 * import * as Effect from "effect/Effect"
 * import { Watchdog } from "effect-txc/cluster"
 *
 * // Says why the process must end, when it must.
 * const watching = Effect.catchTag(Watchdog.watch, "Paused", ({ message }) => Console.error(message))
 * ```
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { leaseMillis } from "./Membership.ts"

/**
 * The process was stopped for too long.
 *
 * @category errors
 * @since 0.1.0
 */
export class Paused extends Schema.TaggedError<Paused>()("Paused", { millis: Schema.Finite }) {
  /** For how long, in milliseconds. */
  declare readonly millis: number
  override get message(): string {
    const seconds = Math.round(this.millis / 1000)
    return `This process stood still for ${seconds} seconds, so its venues are other nodes' by now. It ends; start it again`
  }
}

const lookEvery = 250

/**
 * Fails when the process has stood still for longer than its lease.
 *
 * @category watching
 * @since 0.1.0
 */
export const watch: Effect.Effect<never, Paused> = Effect.gen(function*() {
  for (;;) {
    const before = yield* Clock.currentTimeNanos
    yield* Effect.sleep(lookEvery)
    const millis = Number((yield* Clock.currentTimeNanos) - before) / 1e6
    if (millis > leaseMillis) return yield* new Paused({ millis })
  }
})

/**
 * How much room a host has for venues that are awake. Where there is none, the venue that nobody has needed for the longest
 * time falls asleep.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type { BoundReached, Bounds } from "./HostBounds.ts"
import * as HostBounds from "./HostBounds.ts"

/** A venue that may fall asleep. */
export interface Sleeper {
  /** Whether it could fall asleep now. */
  readonly isIdle: () => boolean
  /** When it was last needed, in Unix milliseconds. */
  readonly usedAt: () => number
  /** Lets it fall asleep; `false` when it is needed after all. */
  readonly sleep: Effect.Effect<boolean>
}

/** The room of a host. */
export interface Capacity {
  /** How much of it is taken. */
  readonly taken: () => number
  /**
   * Takes room for one venue or fork, until the scope is closed. Where all is taken by venues that are needed, it waits for
   * five seconds.
   */
  readonly take: Effect.Effect<void, BoundReached, Scope.Scope>
  /** Says that a venue is idle now. */
  readonly freed: () => void
  /** Lets venues that nobody needs fall asleep when memory is short. */
  readonly relieve: Effect.Effect<void>
}

/** How long a venue waits for room. */
const patience = "5 seconds"

/** How many fall asleep at once when memory is short. */
const atOnce = 8

/** The room for venues that are awake. */
export const make = (
  bounds: Bounds,
  memory: () => number,
  sleepers: () => Iterable<Sleeper>
): Capacity => {
  const oneByOne = Semaphore.makeUnsafe(1)
  let taken = 0
  let whenFreed: (() => void) | undefined

  /** Those that could sleep now, the one that was not needed for the longest time first. */
  const idle = () =>
    [...sleepers()].filter((sleeper) => sleeper.isIdle()).toSorted((one, other) => one.usedAt() - other.usedAt())

  const relieve = Effect.suspend(() =>
    memory() <= bounds.maxMemory
      ? Effect.void
      : Effect.forEach(idle().slice(0, atOnce), ({ sleep }) => sleep, { discard: true })
  )

  const take = Effect.gen(function*() {
    yield* relieve
    if (memory() > bounds.maxMemory) return yield* HostBounds.reached(bounds, "maxMemory")
    while (taken >= bounds.maxAwake) {
      const [longest] = idle()
      yield* longest === undefined ? freed : longest.sleep
    }
    taken++
  })

  const freed = Effect.callback<void>((resume) => {
    whenFreed = () => resume(Effect.void)
  })

  return {
    taken: () => taken,
    take: Effect.uninterruptibleMask((restore) =>
      Effect.andThen(
        Effect.timeoutOrElse(restore(oneByOne.withPermit(take)), {
          duration: patience,
          orElse: () => Effect.fail(HostBounds.reached(bounds, "maxAwake"))
        }),
        Effect.addFinalizer(() =>
          Effect.sync(() => {
            taken--
            whenFreed?.()
          })
        )
      )
    ),
    freed: () => whenFreed?.(),
    relieve
  }
}

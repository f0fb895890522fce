/**
 * Limits the number of awake venues on a host. When the limit is reached, the venue that has been idle for the longest
 * time falls asleep.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type { BoundReached, Bounds } from "./HostBounds.ts"
import * as HostBounds from "./HostBounds.ts"

/** A venue that can fall asleep. */
export interface Sleeper {
  /** Whether the venue can currently fall asleep. */
  readonly isIdle: () => boolean
  /** The time at which the venue was last used, in Unix milliseconds. */
  readonly usedAt: () => number
  /** Puts the venue to sleep; `false` if the venue is in use again. */
  readonly sleep: Effect.Effect<boolean>
}

/** A host's capacity for awake venues and forks. */
export interface Capacity {
  /** The number of awake venues and forks. */
  readonly taken: () => number
  /**
   * Reserves capacity for one venue or fork until the scope is closed. Fails if memory is short. If the limit is
   * reached and all awake venues are in use, waits for up to five seconds, and then fails.
   */
  readonly take: Effect.Effect<void, BoundReached, Scope.Scope>
  /** Called when a venue becomes idle. */
  readonly freed: () => void
  /** Puts idle venues to sleep if memory is short. */
  readonly relieve: Effect.Effect<void>
}

/** The maximum time that a venue waits for capacity. */
const patience = "5 seconds"

/** The maximum number of venues that are put to sleep together when memory is short. */
const atOnce = 8

/** Creates the capacity for a host. */
export const make = (
  bounds: Bounds,
  memory: () => number,
  sleepers: () => Iterable<Sleeper>
): Capacity => {
  const oneByOne = Semaphore.makeUnsafe(1)
  let taken = 0
  let whenFreed: (() => void) | undefined

  /** The idle venues, longest idle first. */
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

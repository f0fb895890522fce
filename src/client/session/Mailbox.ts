/**
 * Stores the items that wait for a subscriber. The number of items is limited, even if the subscriber does not read.
 */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Time from "../../domain/Time.ts"
import * as Item from "./Item.ts"
import type { PrivateFailure } from "./StreamErrors.ts"

/** The end of a stream: an error, or an interruption when the session closes. */
export type Ending = Exit.Exit<never, PrivateFailure>

type AnyItem = Item.Item<unknown, unknown>

/** A clock's current time, in Unix seconds. */
export const timeOf = (clock: Clock.Clock): Time.UnixTime => Time.fromMicros(clock.currentTimeMillisUnsafe() * 1000)

/**
 * The items that wait for a subscriber.
 *
 * With `keyOf`, an item replaces the waiting item with the same key, so at most one item waits for each key. Without
 * `keyOf`, no item is dropped as long as the subscriber keeps up. When more than `bound` items wait, the mailbox
 * overflows and accepts no further items. Once the subscriber has read the waiting items, it gets an `Interrupted`, and
 * `onDrained` requests a new state.
 */
export class Mailbox {
  /**
   * The waiting items, in order of arrival. The map's keys are the items' keys or, if items do not replace each other,
   * consecutive numbers.
   */
  readonly #items = new Map<string | number, AnyItem>()
  readonly #clock: Clock.Clock
  readonly #keyOf: ((value: unknown) => string) | undefined
  readonly #bound: number
  readonly #onDrained: () => void
  #count = 0
  #last: AnyItem | undefined
  #overflowedAt: Time.UnixTime | undefined
  #end: Ending | undefined
  #wake: (() => void) | undefined

  constructor(
    { bound, clock }: { readonly bound: number; readonly clock: Clock.Clock },
    keyOf: ((value: unknown) => string) | undefined,
    onDrained: () => void
  ) {
    this.#bound = bound
    this.#clock = clock
    this.#keyOf = keyOf
    this.#onDrained = onDrained
  }

  /** The number of items that wait. */
  get size(): number {
    return this.#items.size
  }

  /**
   * Whether the mailbox has overflowed. If so, it accepts no items until the subscriber has read the waiting items.
   */
  get hasOverflowed(): boolean {
    return this.#overflowedAt !== undefined
  }

  /** Adds an item. */
  offer(item: AnyItem): void {
    if (this.#end !== undefined || this.#overflowedAt !== undefined) return
    if (this.#keyOf !== undefined) this.#replace(item, this.#keyOf)
    else if (item._tag === "Interrupted" && this.#last?._tag === "Interrupted" && this.#items.size > 0) return
    else if (this.#items.size >= this.#bound) this.#overflowedAt = timeOf(this.#clock)
    else this.#items.set(this.#count++, item)
    this.#last = item
    this.#wake?.()
  }

  /**
   * A value replaces the waiting value with the same key, and becomes a snapshot if the replaced value was a snapshot.
   */
  #replace(item: AnyItem, keyOf: (value: unknown) => string): void {
    if (item._tag === "Interrupted") {
      const [first] = this.#items.values()
      this.#items.clear()
      this.#items.set(interruptedKey, first?._tag === "Interrupted" ? first : item)
      return
    }
    const value = item._tag === "Event" ? item.event : item.state
    const key = keyOf(value)
    this.#items.set(key, this.#items.get(key)?._tag === "Snapshot" ? Item.snapshot(value) : item)
  }

  /** Ends the stream after the waiting items. */
  end(exit: Ending): void {
    this.#end ??= exit
    this.#wake?.()
  }

  /** Takes the next item, or waits for it. Only one fiber may take items. */
  readonly take: Effect.Effect<readonly [AnyItem], PrivateFailure> = Effect.suspend(() => {
    for (const [key, item] of this.#items) {
      this.#items.delete(key)
      return Effect.succeed([item] as const)
    }
    const since = this.#overflowedAt
    if (since !== undefined) {
      this.#overflowedAt = undefined
      this.#onDrained()
      return Effect.succeed([Item.interrupted("slow", since)] as const)
    }
    if (this.#end !== undefined) return this.#end
    return Effect.andThen(
      Effect.callback<void>((resume) => {
        // An item may have arrived since the checks above, because the fiber may have yielded.
        if (this.#items.size > 0 || this.#overflowedAt !== undefined || this.#end !== undefined) {
          return resume(Effect.void)
        }
        this.#wake = () => {
          this.#wake = undefined
          resume(Effect.void)
        }
        return Effect.sync(() => {
          this.#wake = undefined
        })
      }),
      this.take
    )
  })
}

/** The key of a waiting interruption. It can't collide with a value's key, because the keys of values are strings. */
const interruptedKey = -1

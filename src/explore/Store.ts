/**
 * A program's durable store: an Effect `KeyValueStore` that survives the death of its process. A value is durable once
 * `set` has succeeded. If a process is killed before that, the value might or might not have been stored.
 */
import * as Effect from "effect/Effect"
import * as KeyValueStore from "effect/persistence/KeyValueStore"

/** The contents of a program's store. */
export type Contents = Map<string, string | Uint8Array>

const decoder = new TextDecoder()

const encoder = new TextEncoder()

/**
 * Imitates a disk: the fiber yields before and after the write, so a kill can happen before the value is stored, or
 * after that but before the program knows it.
 */
const written = (write: () => void): Effect.Effect<void> =>
  Effect.andThen(Effect.andThen(Effect.yieldNow, Effect.sync(write)), Effect.yieldNow)

/** Creates the store for a process. Its contents outlive the process. */
export const make = (contents: Contents): KeyValueStore.KeyValueStore =>
  KeyValueStore.make({
    get: (key) =>
      Effect.sync(() => {
        const value = contents.get(key)
        return value instanceof Uint8Array ? decoder.decode(value) : value
      }),
    getUint8Array: (key) =>
      Effect.sync(() => {
        const value = contents.get(key)
        return typeof value === "string" ? encoder.encode(value) : value?.slice()
      }),
    // Bytes are copied in both directions, because a program may use its array for something else afterwards.
    set: (key, value) => written(() => contents.set(key, typeof value === "string" ? value : value.slice())),
    remove: (key) => written(() => contents.delete(key)),
    clear: written(() => contents.clear()),
    size: Effect.sync(() => contents.size),
    keys: Effect.sync(() => [...contents.keys()])
  })

/**
 * The durable store of a program: an Effect `KeyValueStore` that survives the death of its process. A value is durable
 * once `set` has succeeded; a process that is killed before may have stored it or not.
 */
import * as Effect from "effect/Effect"
import * as KeyValueStore from "effect/persistence/KeyValueStore"

/** The contents of a program's store. */
export type Contents = Map<string, string | Uint8Array>

const decoder = new TextDecoder()

const encoder = new TextEncoder()

/** A disk takes a moment before it has written, and another one before it has said so. */
const written = (write: () => void): Effect.Effect<void> =>
  Effect.andThen(Effect.andThen(Effect.yieldNow, Effect.sync(write)), Effect.yieldNow)

/** The store of a process, over contents that outlive it. */
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
        return typeof value === "string" ? encoder.encode(value) : value
      }),
    set: (key, value) => written(() => contents.set(key, value)),
    remove: (key) => written(() => contents.delete(key)),
    clear: written(() => contents.clear()),
    size: Effect.sync(() => contents.size),
    keys: Effect.sync(() => [...contents.keys()])
  })

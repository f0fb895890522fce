/**
 * The user's choices, which survive a reload. The browser stores them under the address of this venue's page. The token
 * is not stored.
 */
import { effect, type Signal, signal } from "@preact/signals"
import { prefix } from "./api.ts"

/**
 * The stored value. If an earlier version of the page stored a part with a different type, the initial value replaces
 * that part.
 */
const restored = <A>(initial: A, stored: unknown): A => {
  // The casts are safe: each value has the same type as the initial value.
  if (typeof initial !== "object" || initial === null) return typeof stored === typeof initial ? stored as A : initial
  const found = Object(stored) as Readonly<Record<string, unknown>>
  return Object.fromEntries(Object.entries(initial).map(([name, value]) => [name, restored(value, found[name])])) as A
}

const read = (storage: Storage, key: string): unknown => {
  try {
    return JSON.parse(storage.getItem(key) ?? "null")
  } catch {
    return undefined
  }
}

/** A signal whose value survives reloads of the tab. With `localStorage`, later tabs get the value too. */
export const kept = <A>(
  name: string,
  initial: A,
  of: "sessionStorage" | "localStorage" = "sessionStorage"
): Signal<A> => {
  // Browsers throw here if the user has disabled storage.
  let storage: Storage | undefined
  try {
    storage = window[of]
  } catch {
    return signal(initial)
  }
  const key = `effect-txc${prefix} ${name}`
  const made = signal(restored(initial, read(storage, key)))
  effect(() => {
    const text = JSON.stringify(made.value)
    if (text !== JSON.stringify(initial) || storage.getItem(key) !== null) storage.setItem(key, text)
  })
  return made
}

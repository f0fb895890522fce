/**
 * Which nonces a key may still use. No clock decides it: whether a nonce is within the window is judged before the
 * engine, when the call is admitted.
 */
import { nonceWindowMillis, type VenuePolicy } from "../../domain/VenuePolicy.ts"
import type { Nonce } from "./Command.ts"
import type { Key } from "./State.ts"

/**
 * How many windowed nonces a key can use at any time: each millisecond of the window once. When the greatest so many are
 * remembered, whatever is below them has left the window.
 */
const windowSize = 2 * nonceWindowMillis + 1

/** As milliseconds these lie beyond the year 2286: an increasing nonce from here on counts something else. */
const beyondWindow = 10n ** 13n

/** Forgets the smallest nonces, of which none will be accepted again, when there are twice as many as are needed. */
const prune = (key: Key): void => {
  if (key.usedNonces.size < 2 * windowSize) return
  const values = [...key.usedNonces.keys()].toSorted((a, b) => a < b ? -1 : 1)
  key.nonceFloor = values[values.length - windowSize - 1] ?? key.nonceFloor
  for (const value of values.slice(0, -windowSize)) key.usedNonces.delete(value)
}

/**
 * Uses a nonce, or says that it is used and changes nothing. `at` is when, in Unix microseconds; it is remembered and
 * decides nothing.
 */
export const use = (policy: VenuePolicy, key: Key, { value, window }: Nonce, at: number): "used" | "nonceUsed" => {
  const isSeen = key.usedNonces.has(value)
  if (policy.nonce === "unique") {
    if (isSeen) return "nonceUsed"
    key.usedNonces.set(value, at)
    return "used"
  }
  if (window ? isSeen || value <= key.nonceFloor : value <= key.greatestNonce) return "nonceUsed"
  if (window || value < beyondWindow) key.usedNonces.set(value, at)
  if (value > key.greatestNonce) key.greatestNonce = value
  prune(key)
  return "used"
}

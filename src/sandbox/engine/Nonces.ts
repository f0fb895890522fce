/**
 * Tracks the used nonces of API keys. Nothing in this module depends on a clock, because admission has checked that a
 * windowed nonce is within its window.
 */
import { nonceWindowMillis, type VenuePolicy } from "../../domain/VenuePolicy.ts"
import type { Nonce } from "./Command.ts"
import type { Key } from "./State.ts"

/**
 * The maximum number of windowed nonces that are valid at the same time: one for each millisecond of the window. Once
 * this many nonces are stored, any nonce smaller than all of them is outside the window.
 */
const windowSize = 2 * nonceWindowMillis + 1

/**
 * A nonce of at least this value is not a time in milliseconds, because the time would be after the year 2286. So the
 * key does not use times as nonces.
 */
const beyondWindow = 10n ** 13n

/**
 * Once twice as many nonces as needed are stored, drops the smallest nonces, which the engine refuses even if they are
 * not stored.
 */
const prune = (key: Key): void => {
  if (key.usedNonces.size < 2 * windowSize) return
  const values = [...key.usedNonces.keys()].toSorted((a, b) => a < b ? -1 : 1)
  key.nonceFloor = values[values.length - windowSize - 1] ?? key.nonceFloor
  for (const value of values.slice(0, -windowSize)) key.usedNonces.delete(value)
}

/**
 * Uses a nonce. Returns `nonceUsed`, and changes nothing, if the nonce was used before or is too small. `at`, the time
 * of use in Unix microseconds, is stored but not checked.
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

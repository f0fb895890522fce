/**
 * Which nonces a key may still use.
 *
 * @since 0.1.0
 */
import { nonceWindowMillis, type VenuePolicy } from "../../domain/VenuePolicy.ts"
import type { Nonce } from "./Command.ts"
import type { Key } from "./State.ts"

/** A day in milliseconds. */
const day = 86_400_000n

/** When a key has used so many nonces, those that the window refuses anyway are forgotten. */
const keptBeforePruning = 20_000

/**
 * Uses a nonce, or says why it can't be used and changes nothing. `at` is the time by the clock that judges nonces, in
 * Unix microseconds.
 *
 * @category nonces
 * @since 0.1.0
 */
export const use = (
  policy: VenuePolicy,
  key: Key,
  { value, window }: Nonce,
  at: number
): "used" | "nonceUsed" | "nonceOutsideWindow" => {
  if (policy.nonce === "unique") {
    if (key.usedNonces.has(value)) return "nonceUsed"
    key.usedNonces.set(value, at)
    return "used"
  }
  const now = BigInt(Math.floor(at / 1000))
  const span = BigInt(nonceWindowMillis)
  if (window && (value > now + span || value < now - span)) return "nonceOutsideWindow"
  if (window ? key.usedNonces.has(value) : value <= key.greatestNonce) return "nonceUsed"
  if (key.usedNonces.size >= keptBeforePruning) {
    for (const used of key.usedNonces.keys()) if (used < now - span) key.usedNonces.delete(used)
  }
  // A nonce so far ahead can never be within the window: it counts something else than milliseconds.
  if (value - now < day) key.usedNonces.set(value, at)
  if (value > key.greatestNonce) key.greatestNonce = value
  return "used"
}

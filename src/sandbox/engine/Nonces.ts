/**
 * Which nonces a key may still use.
 *
 * @since 0.1.0
 */
import { nonceWindowMillis, type VenuePolicy } from "../../domain/VenuePolicy.ts"
import type { Nonce } from "./Command.ts"
import type { Key } from "./State.ts"

/** In milliseconds. */
const aDay = 86_400_000n

/** So many nonces are kept before those are forgotten that the window refuses anyway. */
const keptBeforePruning = 20_000

/**
 * Uses a nonce, or says why it can't be used; then nothing has changed. `at` is the clock that callers are judged by, in
 * Unix microseconds.
 *
 * @category rules
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
  // A nonce so far ahead can never be one of the window: it counts something else than milliseconds.
  if (value - now < aDay) key.usedNonces.set(value, at)
  if (value > key.greatestNonce) key.greatestNonce = value
  return "used"
}

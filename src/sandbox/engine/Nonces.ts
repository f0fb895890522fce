/**
 * Which nonces a key may still use.
 *
 * @since 0.1.0
 */
import { nonceWindowMillis, type VenueRules } from "../../domain/VenueRules.ts"
import type { Nonce } from "./Command.ts"
import type { Key } from "./State.ts"

/** So many windowed nonces are kept before those are forgotten that the window refuses anyway. */
const keptBeforePruning = 20_000

/**
 * Uses a nonce, or says why it can't be used; then nothing has changed. `at` is the venue's clock in microseconds.
 *
 * @category rules
 * @since 0.1.0
 */
export const use = (
  rules: VenueRules,
  key: Key,
  { value, window }: Nonce,
  at: number
): "used" | "nonceUsed" | "nonceOutsideWindow" => {
  if (rules.nonce === "unique") {
    if (key.usedNonces.has(value)) return "nonceUsed"
    key.usedNonces.add(value)
    return "used"
  }
  const now = BigInt(Math.floor(at / 1000))
  if (window) {
    const distance = value > now ? value - now : now - value
    if (distance > BigInt(nonceWindowMillis)) return "nonceOutsideWindow"
    if (key.usedNonces.has(value)) return "nonceUsed"
    if (key.usedNonces.size >= keptBeforePruning) {
      for (const used of key.usedNonces) if (used < now - BigInt(nonceWindowMillis)) key.usedNonces.delete(used)
    }
    key.usedNonces.add(value)
  } else if (value <= key.greatestNonce) return "nonceUsed"
  if (value > key.greatestNonce) key.greatestNonce = value
  return "used"
}

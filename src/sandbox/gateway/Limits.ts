/**
 * Counting calls against the documented limits, on the venue's clock (document, "Limits").
 *
 * @since 0.1.0
 */
import type { RateLimit } from "../../protocol/Endpoint.ts"

/**
 * Counts calls per caller and endpoint in windows of fixed length.
 *
 * @category models
 * @since 0.1.0
 */
export interface Limits {
  /** Whether one more call is within the limit; counts it. `at` is Unix microseconds. */
  readonly admit: (caller: string, path: string, limit: RateLimit, at: number) => boolean
  /** The limit of a path as it is in force. */
  readonly of: (path: string, documented: RateLimit) => RateLimit
  /** Replaces the documented limit of a path, or of all paths; `undefined` restores it. */
  readonly override: (limit: RateLimit | undefined, path?: string) => void
}

/** Callers that have not called for a window are forgotten when there are more than so many. */
const kept = 10_000

/** @category constructors */
export const make = (): Limits => {
  const windows = new Map<string, { readonly start: number; readonly end: number; calls: number }>()
  const overrides = new Map<string | undefined, RateLimit>()
  const of = (path: string, documented: RateLimit): RateLimit =>
    overrides.get(path) ?? overrides.get(undefined) ?? documented
  return {
    of,
    admit: (caller, path, documented, at) => {
      const { calls, perSeconds } = of(path, documented)
      const id = `${path} ${caller}`
      const known = windows.get(id)
      if (known !== undefined && at >= known.start && at < known.end) {
        if (known.calls >= calls) return false
        known.calls++
        return true
      }
      if (windows.size >= kept) { for (const [key, { end }] of windows) if (end <= at) windows.delete(key) }
      windows.set(id, { start: at, end: at + perSeconds * 1e6, calls: 1 })
      return calls > 0
    },
    override: (limit, path) => {
      if (limit === undefined) overrides.delete(path)
      else overrides.set(path, limit)
    }
  }
}

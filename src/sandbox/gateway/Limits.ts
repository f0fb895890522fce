/** Rate limits: counts calls against the documented limits, on the venue's clock (the document, "Limits"). */
import type * as Endpoint from "../../protocol/Endpoint.ts"

type RateLimit = Endpoint.RateLimit

/** Counts calls per caller and endpoint in fixed-length windows. */
export interface Limits {
  /**
   * Counts a call, and returns whether it is within the limit. `caller` is an API key or an address, `path` is a name
   * from `countedAs`, and `at` is in Unix microseconds.
   */
  readonly admit: (caller: string, path: string, documented: RateLimit, at: number) => boolean
  /** The current limit for a path. */
  readonly of: (path: string, documented: RateLimit) => RateLimit
  /**
   * Replaces the documented limit of one path, or of every path if no path is given. `undefined` restores the
   * documented limit.
   */
  readonly override: (limit: RateLimit | undefined, path?: string) => void
  /** Sets all call counts to zero, but keeps the limits. */
  readonly forget: () => void
  /** The counted calls and the replaced limits, as plain data. */
  readonly saved: () => Saved
}

/** The number of calls that one caller has made to one path within a period of fixed length. */
interface Window {
  /** The start of the window, in Unix microseconds. */
  readonly start: number
  /** The end of the window, in Unix microseconds. */
  readonly end: number
  /** The number of calls so far. */
  calls: number
}

/** A venue's rate limits as plain data. */
export interface Saved {
  /** The windows, keyed by path and then by caller. */
  readonly windows: ReadonlyMap<string, Map<string, Window>>
  /** The limits that replace documented limits, keyed by path; the key `undefined` stands for all other paths. */
  readonly overrides: ReadonlyMap<string | undefined, RateLimit>
}

/**
 * The name under which an endpoint's calls are counted. All public endpoints share one limit, named `public`, except
 * those of API V1, whose limit is `public v1`.
 */
export const countedAs = ({ access, path }: Endpoint.Any): string =>
  access === "private" ? path : path.startsWith("/api/v1/") ? `${access} v1` : access

/** If there are this many windows, the windows that have ended are removed before another one is added. */
const kept = 10_000

export const make = (saved?: Saved): Limits => {
  /**
   * The windows, keyed by path and then by caller. A single map would need a combined key, which would have to be
   * joined and hashed for each call.
   */
  const windows = new Map<string, Map<string, Window>>(saved?.windows)
  let count = 0
  for (const { size } of windows.values()) count += size
  const forgetEnded = (at: number): void => {
    for (const byCaller of windows.values()) {
      for (const [caller, { end }] of byCaller) if (end <= at && byCaller.delete(caller)) count--
    }
  }
  const overrides = new Map<string | undefined, RateLimit>(saved?.overrides)
  const of = (path: string, documented: RateLimit): RateLimit =>
    overrides.get(path) ?? overrides.get(undefined) ?? documented
  return {
    of,
    admit: (caller, path, documented, at) => {
      const { calls, perSeconds } = of(path, documented)
      const known = windows.get(path)?.get(caller)
      if (known !== undefined && at >= known.start && at < known.end) {
        if (known.calls >= calls) return false
        known.calls++
        return true
      }
      if (count >= kept) forgetEnded(at)
      const byCaller = windows.get(path) ?? new Map<string, Window>()
      if (!byCaller.has(caller)) count++
      windows.set(path, byCaller.set(caller, { start: at, end: at + perSeconds * 1e6, calls: 1 }))
      return calls > 0
    },
    override: (limit, path) => {
      if (limit === undefined) overrides.delete(path)
      else overrides.set(path, limit)
    },
    forget: () => {
      windows.clear()
      count = 0
    },
    saved: () => ({ windows, overrides })
  }
}

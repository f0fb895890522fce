/** Keeps a log readable while a problem persists: the problem is logged once, and its repetitions are counted. */
import * as Cause from "effect/Cause"
import * as Logger from "effect/Logger"

/** The time after a problem is logged during which its repetitions are only counted, in milliseconds. */
const window = 60_000

/** The maximum number of different problems that are tracked at the same time. */
const maxKnown = 1000

/** The innermost message of an error. The outer messages only name the operation that failed. */
const innermost = (error: unknown): string => {
  let found: unknown = error
  for (let depth = 0; depth < 10; depth++) {
    const { cause, reason } = Object(found) as { readonly cause?: unknown; readonly reason?: unknown }
    const inner = typeof reason === "object" ? reason : cause
    if (typeof inner !== "object" || inner === null) break
    found = inner
  }
  return found instanceof Error ? found.message : String(found)
}

const lineOf = ({ cause, message }: Logger.Options<unknown>): string => {
  const words = [message].flat().map((part) => part instanceof Error ? innermost(part) : String(part))
  // An interruption does not describe the problem.
  const told = cause.reasons.length === 0 || Cause.hasInterruptsOnly(cause) ? [] : [innermost(Cause.squash(cause))]
  return [...words, ...told].join(": ").replaceAll(/\s*\n\s*/gu, " ")
}

interface Known {
  since: number
  repeated: number
}

/**
 * Wraps loggers: a warning or error is logged in one line. Repetitions of the line within a minute are only counted;
 * the next time the line is logged, it gives the count. Other messages pass unchanged.
 */
export const once = (
  loggers: ReadonlySet<Logger.Logger<unknown, unknown>>
): ReadonlySet<Logger.Logger<unknown, unknown>> => {
  const known = new Map<string, Known>()
  return new Set([
    Logger.make((options: Logger.Options<unknown>) => {
      const { date, logLevel } = options
      const pass = (passed: Logger.Options<unknown>) => {
        for (const logger of loggers) logger.log(passed)
      }
      if (logLevel !== "Warn" && logLevel !== "Error") return pass(options)
      const line = lineOf(options)
      const now = date.getTime()
      const before = known.get(line)
      if (before !== undefined && now - before.since < window) return void before.repeated++
      if (known.size >= maxKnown) known.clear()
      known.set(line, { since: now, repeated: 0 })
      const { repeated = 0 } = before ?? {}
      const message = repeated === 0 ? line : `${line} (repeated ${repeated} times since it was last logged)`
      pass({ ...options, message, cause: Cause.empty })
    })
  ])
}

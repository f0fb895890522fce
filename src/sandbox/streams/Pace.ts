/** Decides when a channel pushes, based on the channel's interval and the venue's clock. */
import type { Pushes } from "../../protocol/Channel.ts"
import type { Outlet } from "./Source.ts"

/** The push schedule of one channel on one connection. */
export interface Pace {
  /** Schedules a push, because a value has just changed. */
  readonly changed: () => void
  /**
   * Whether a push is due. If a push is due, the caller must push now. Otherwise, the subscription is woken again when
   * a push is due.
   */
  readonly isDue: (at: number) => boolean
}

/**
 * Starts the schedule now. Pushes are due at multiples of the interval after the start: either at every multiple, or
 * only at the first multiple after a change.
 */
export const make = (
  { everyMillis, when }: Pushes,
  { context, wakeAt }: Pick<Outlet<never>, "context" | "wakeAt">
): Pace => {
  const every = everyMillis * 1000
  let start = context().at
  /** The time of the next push; `undefined` if there is nothing to push. */
  let due: number | undefined

  const schedule = (at: number): void => {
    // After a restore, the time might be earlier than the schedule's start.
    if (at < start) start = at
    due = start + (Math.floor((at - start) / every) + 1) * every
    wakeAt(due)
  }

  if (when === "always") schedule(start)
  return {
    changed: () => {
      if (due === undefined) schedule(context().at)
    },
    isDue: (at) => {
      if (due === undefined) return false
      if (at < due) {
        wakeAt(due)
        return false
      }
      due = undefined
      if (when === "always") schedule(at)
      return true
    }
  }
}

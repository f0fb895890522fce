/** Decides when a channel pushes: at the channel's interval, on the venue's clock. */
import type { Pushes } from "../../protocol/Channel.ts"
import type { Outlet } from "./Source.ts"

/** The schedule of one channel's pushes on one connection. */
export interface Pace {
  /** Schedules a push, because a value changed at this time on the venue's clock; now by default. */
  readonly changed: (at?: number) => void
  /**
   * Whether a push is due. If it is, the caller must push now; otherwise the subscription is woken again when it is
   * due.
   */
  readonly isDue: (at: number) => boolean
}

/**
 * Starts the schedule now. Pushes are due at multiples of the interval from now on: at each, or only at the next one
 * after a change.
 */
export const make = (
  { everyMillis, when }: Pushes,
  { context, wakeAt }: Pick<Outlet<never>, "context" | "wakeAt">
): Pace => {
  const every = everyMillis * 1000
  let start = context().at
  /** The time of the next push; `undefined` when there is nothing to push. */
  let due: number | undefined

  const schedule = (at: number): void => {
    // After a restore, the time may be earlier than the start.
    if (at < start) start = at
    due = start + (Math.floor((at - start) / every) + 1) * every
    wakeAt(due)
  }

  if (when === "always") schedule(start)
  return {
    changed: (at = context().at) => {
      if (due === undefined) schedule(at)
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

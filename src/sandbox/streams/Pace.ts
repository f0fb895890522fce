/** Decides when a channel pushes: at the channel's interval, on the venue's clock. */
import type { Pushes } from "../../protocol/Channel.ts"
import type { Outlet } from "./Source.ts"

/** The pace of a channel of a connection. */
export interface Pace {
  /** Says that there is something to push since a time on the venue's clock, by default now. */
  readonly changed: (at?: number) => void
  /** Whether it is time to push. Counts as a push if it is; otherwise asks to be woken when it will be. */
  readonly isDue: (at: number) => boolean
}

/**
 * Starts the pace of a channel. It pushes at multiples of the interval since then: always, or only after a change.
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
    // An earlier state may have been restored.
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

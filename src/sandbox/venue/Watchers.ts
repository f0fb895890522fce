/**
 * Tells watchers of each command, immediately after it was applied. It may not be durable yet: whatever leaves the venue
 * because of it must wait until it is.
 */
import type { Entry } from "../store/Outbox.ts"

/** Called after each command, with its events. Must not throw, and must not apply a command. */
export type Watcher = (entry: Entry) => void

/** The watchers of a venue. */
export interface Watchers {
  /** Adds a watcher, and returns a function that removes it. */
  readonly watch: (watcher: Watcher) => () => void
  /** Tells all watchers of a command. */
  readonly tell: Watcher
}

/** No watchers yet. */
export const make = (): Watchers => {
  const watchers = new Set<Watcher>()
  return {
    watch: (watcher) => {
      watchers.add(watcher)
      return () => {
        watchers.delete(watcher)
      }
    },
    tell: (entry) => {
      for (const watcher of watchers) watcher(entry)
    }
  }
}

/**
 * Notifies watchers of each command immediately after the command is applied. The command might not be durable yet, so
 * a watcher must not send anything out of the venue until the command is durable.
 */
import type { Entry } from "../store/Outbox.ts"

/**
 * A function that is called after each command, with the command's events. It must neither throw nor apply a command.
 */
export type Watcher = (entry: Entry) => void

/** The watchers of a venue. */
export interface Watchers {
  /** Adds a watcher. Returns a function that removes the watcher. */
  readonly watch: (watcher: Watcher) => () => void
  /** Notifies all watchers of a command. */
  readonly tell: Watcher
}

/** Creates an empty set of watchers. */
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

/** What a command has at hand while it is carried out. */
import type { Event } from "./Event.ts"
import type { State } from "./State.ts"

/** A command that is being carried out. */
export interface Work {
  /** The state that the command changes. */
  readonly state: State
  /** When it happens, in Unix microseconds. */
  readonly at: number
  /** What has happened so far. */
  readonly events: Array<Event>
}

/** The context in which a command is applied. */
import type { Event } from "./Event.ts"
import type { State } from "./State.ts"

/** A command that is being applied. */
export interface Work {
  /** The state that the command changes. */
  readonly state: State
  /** The time of the command, in Unix microseconds. */
  readonly at: number
  /** The events of the command so far. */
  readonly events: Array<Event>
}

/** The context in which a command is applied. */
import type { Event } from "./Event.ts"
import type { State } from "./State.ts"

/** A command that is being applied. */
export interface Work {
  /** The state, which the command changes. */
  readonly state: State
  /** The command's time, in Unix microseconds. */
  readonly at: number
  /** The events that the command has caused so far. */
  readonly events: Array<Event>
}

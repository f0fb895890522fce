/** The context in which a command or a scheduled event is applied. */
import type { Event } from "./Event.ts"
import type { State } from "./State.ts"

/** A command, or a scheduled event, that is being applied. */
export interface Work {
  /** The state, which the command or event changes. */
  readonly state: State
  /** The time of the command or of the scheduled event, in Unix microseconds. */
  readonly at: number
  /** The events caused so far. */
  readonly events: Array<Event>
}

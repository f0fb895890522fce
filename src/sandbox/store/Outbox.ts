/** Holds events back until their commands are durable. */
import type { Event } from "../engine/Event.ts"

/** The events of one command. */
export interface Entry {
  /** The command's number. */
  readonly sequence: number
  /** The command's time, in Unix microseconds. */
  readonly at: number
  /** The events, in order. */
  readonly events: ReadonlyArray<Event>
}

export interface Outbox {
  /** Holds back a command's events. */
  readonly add: (entry: Entry) => void
  /** Publishes the events of all commands up to this one, in order. */
  readonly release: (sequence: number) => void
}

export const make = (publish: (entry: Entry) => void): Outbox => {
  const held: Array<Entry> = []
  return {
    add: (entry) => {
      held.push(entry)
    },
    release: (committed) => {
      const after = held.findIndex(({ sequence }) => sequence > committed)
      for (const entry of held.splice(0, after === -1 ? held.length : after)) publish(entry)
    }
  }
}

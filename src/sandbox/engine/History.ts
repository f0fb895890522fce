/** Applies a journal's commands one after the other, and restores the state after an earlier command. */
import type { VenuePolicy } from "../../domain/VenuePolicy.ts"
import type { Command } from "./Command.ts"
import * as Engine from "./Engine.ts"
import type { Event } from "./Event.ts"
import { done, type Reply } from "./Reply.ts"
import * as State from "./State.ts"

/** An exchange's state and the state's position in the journal. */
export interface History {
  /** The state after the latest command. */
  state: State.State
  /** The number of commands applied so far. */
  sequence: number
  /** The number of the command to which a reset returns; 0 (the beginning) unless the venue's owner has set it. */
  origin: number
}

/** Returns the state after an earlier command. The state is a copy that the caller may change. */
export type Recall = (sequence: number) => State.State

/** A new exchange, before its first command. */
export const make = (policy: VenuePolicy): History => ({ state: State.make(policy), sequence: 0, origin: 0 })

/**
 * Applies the next command. `recorded` is `false` if the command was a call with a refused nonce. Such a call has
 * changed nothing, and is not part of the history.
 */
export const apply = (
  history: History,
  command: Command,
  recall: Recall
): { readonly reply: Reply; readonly events: ReadonlyArray<Event>; readonly recorded: boolean } => {
  const { action } = command
  const { at } = history.state
  if (action._tag === "Restore") {
    const { identity } = history.state
    history.sequence++
    history.state = recall(action.sequence)
    // The restored state might be from before the venue got its identity. New identifiers must still differ from those
    // of other venues.
    if (identity !== undefined) history.state.identity = identity
    return { reply: done, events: [{ _tag: "Restored", sequence: action.sequence }], recorded: true }
  }
  const { events, reply } = Engine.apply(history.state, command)
  if (reply._tag === "Refused" && reply.why === "nonceUsed") {
    history.state.at = at
    return { reply, events, recorded: false }
  }
  history.sequence++
  if (action._tag === "Begin") history.origin = history.sequence
  return { reply, events, recorded: true }
}

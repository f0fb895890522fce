/** The commands of a journal, applied one after the other, and going back to the state that an earlier one had left. */
import type { VenuePolicy } from "../../domain/VenuePolicy.ts"
import type { Command } from "./Command.ts"
import * as Engine from "./Engine.ts"
import type { Event } from "./Event.ts"
import { done, type Reply } from "./Reply.ts"
import * as State from "./State.ts"

/** An exchange and its past. */
export interface History {
  /** What the commands have made of the exchange. */
  state: State.State
  /** How many commands have been applied. */
  sequence: number
  /** The number of the command whose state a reset restores; 0 unless the owner of the venue has set it. */
  origin: number
}

/**
 * Returns the state that a command of the past had left. The state is the caller's own: changing it changes nothing
 * else.
 */
export type Recall = (sequence: number) => State.State

/** A new exchange, without a past. */
export const make = (policy: VenuePolicy): History => ({ state: State.make(policy), sequence: 0, origin: 0 })

/**
 * Applies the next command. `recorded` is false for a call whose nonce is refused: it has changed nothing, and is not
 * part of the history.
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
    // What is made from now on must not be named like what another venue makes.
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

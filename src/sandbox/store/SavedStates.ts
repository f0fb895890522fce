/** Saved states of the exchange, which can be restored without reading the journal. */
import * as Option from "effect/Option"
import type { VenuePolicy } from "../../domain/VenuePolicy.ts"
import type * as History from "../engine/History.ts"
import * as State from "../engine/State.ts"
import * as Snapshot from "./Snapshot.ts"

/** A saved state, as the sandbox's owner sees it. */
export interface SavedState {
  /** The number of the command after which the state was saved. */
  readonly sequence: number
  /** The command's time, in Unix microseconds. */
  readonly at: number
}

/** Encoded states, keyed by the number of the command after which each was saved. */
export interface SavedStates {
  /** Whether the state after this command is saved. */
  readonly has: (sequence: number) => boolean
  /** Saves the state after this command. */
  readonly save: (sequence: number, state: State.State) => void
  /** The commands whose states are saved, with their times in Unix microseconds, oldest first. */
  readonly list: () => ReadonlyArray<SavedState>
  /** Returns a copy of the state after this command, which must be saved. For command 0, returns the initial state. */
  readonly recall: History.Recall
  /** Drops the oldest states if there are more than 16. */
  readonly trim: () => void
}

const kept = 16

export const make = (policy: VenuePolicy): SavedStates => {
  const states = new Map<number, { readonly at: number; readonly encoded: Uint8Array }>()
  return {
    has: (sequence) => states.has(sequence),
    save: (sequence, state) => {
      // Deletes any state of this command first, so that the state saved last is also the map's last entry.
      states.delete(sequence)
      states.set(sequence, { at: state.at, encoded: Snapshot.encode(state) })
    },
    list: () => [...states].map(([sequence, { at }]) => ({ sequence, at })),
    recall: (sequence) => {
      if (sequence === 0) return State.make(policy)
      const found = Option.getOrThrowWith(
        Option.fromUndefinedOr(states.get(sequence)),
        () => new Error(`the state after command ${sequence} is not saved`)
      )
      return Snapshot.decode(found.encoded, policy)
    },
    trim: () => {
      for (const sequence of states.keys()) {
        if (states.size <= kept) return
        states.delete(sequence)
      }
    }
  }
}

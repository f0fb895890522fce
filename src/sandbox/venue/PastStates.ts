/**
 * Computes earlier states of the exchange, for reading only. The venue's current state and its saved states stay
 * unchanged.
 */
import * as Effect from "effect/Effect"
import type { VenuePolicy } from "../../domain/VenuePolicy.ts"
import type * as State from "../engine/State.ts"
import type * as Journal from "../store/Journal.ts"
import * as Recovery from "../store/Recovery.ts"
import * as SavedStates from "../store/SavedStates.ts"

/** Computes the state after an earlier command; `undefined` if there are fewer commands. */
export type StateAfter = (sequence: number) => Effect.Effect<State.State | undefined, Journal.JournalError>

/**
 * Creates a reader of earlier states. The reader keeps the latest 16 states that it has computed, so that a state a few
 * commands later is quick to compute.
 */
export const make = (journal: Journal.Journal, saved: SavedStates.SavedStates, policy: VenuePolicy): StateAfter => {
  const computed = SavedStates.make(policy)
  const either: SavedStates.SavedStates = {
    ...computed,
    has: (sequence) => computed.has(sequence) || saved.has(sequence),
    recall: (sequence) => (saved.has(sequence) ? saved : computed).recall(sequence)
  }

  /**
   * The number of the latest known state from which the commands up to `sequence` can be applied; 0 if there is none.
   */
  const startFor = Effect.fnUntraced(function*(sequence: number) {
    const known = [...saved.list(), ...computed.list()].map((state) => state.sequence).filter((at) => at <= sequence)
    const from = Math.max(0, ...known)
    const recalled = yield* journal.recalledAfter(from)
    return [...recalled].every((earlier) => earlier >= from || either.has(earlier)) ? from : 0
  })

  return Effect.fnUntraced(function*(sequence: number) {
    yield* journal.committed
    if (sequence > journal.sequence()) return undefined
    if (!either.has(sequence) && sequence > 0) {
      const state = yield* Recovery.stateAfter(journal, either, sequence, yield* startFor(sequence))
      computed.save(sequence, state)
    }
    const found = either.recall(sequence)
    computed.trim()
    return found
  })
}

/** Recovers an exchange from its journal: from the latest snapshot and the commands after it, or from all commands. */
import * as Effect from "effect/Effect"
import type { VenuePolicy } from "../../domain/VenuePolicy.ts"
import type { Command } from "../engine/Command.ts"
import type { Event } from "../engine/Event.ts"
import * as History from "../engine/History.ts"
import type { State } from "../engine/State.ts"
import type * as Journal from "./Journal.ts"
import type { SavedStates } from "./SavedStates.ts"
import * as Snapshot from "./Snapshot.ts"

/** The starting point of a recovery. */
export interface Start {
  /** The exchange's state before the first command, or at the snapshot. The recovery modifies this state. */
  readonly history: History.History
  /** The commands whose states later commands restore. The recovery saves these states. */
  readonly recalled: ReadonlySet<number>
}

/** Applies recorded commands, and saves the states that later commands restore. */
const follow = (
  journal: Journal.Journal,
  states: SavedStates,
  { history, recalled }: Start,
  to: number,
  visit: (command: Command, events: ReadonlyArray<Event>) => void
): Effect.Effect<void, Journal.JournalError> => {
  const saveIfRecalled = () => {
    if (recalled.has(history.sequence)) states.save(history.sequence, history.state)
  }
  saveIfRecalled()
  return journal.read(history.sequence, to, (command) => {
    visit(command, History.apply(history, command, states.recall).events)
    saveIfRecalled()
  })
}

/** Frees a buffer's memory immediately, because the garbage collector frees large buffers late. */
const release = ({ buffer }: Uint8Array): void => {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0)
}

/** Finds the starting point: the journal's snapshot if usable, otherwise the first command. */
export const start = Effect.fnUntraced(function*(
  journal: Journal.Journal,
  policy: VenuePolicy
): Effect.fn.Return<Start, Journal.JournalError> {
  const snapshot = yield* journal.snapshot
  if (snapshot !== undefined) {
    const { origin, sequence, state } = snapshot
    const recalled = yield* journal.recalledAfter(sequence)
    // A command after the snapshot might restore a state from before the snapshot. In that case, the snapshot can't be
    // used.
    if ([...recalled].every((earlier) => earlier >= sequence)) {
      const history = { state: Snapshot.decode(state, policy), sequence, origin }
      release(state)
      return { history, recalled }
    }
  }
  return { history: History.make(policy), recalled: yield* journal.recalledAfter(0) }
})

/**
 * Applies the rest of the journal. `visit` receives each command's number, its time in Unix microseconds, and its
 * events.
 */
export const catchUp = (
  journal: Journal.Journal,
  states: SavedStates,
  start: Start,
  visit: (sequence: number, at: number, events: ReadonlyArray<Event>) => void
): Effect.Effect<void, Journal.JournalError> =>
  Effect.map(
    follow(
      journal,
      states,
      start,
      journal.sequence(),
      ({ at }, events) => visit(start.history.sequence, at, events)
    ),
    () => states.trim()
  )

/** The number of commands that are applied before other work gets a turn. */
const atOnce = 1000

/**
 * Computes the state after command `sequence`. Starts from the state after command `from`; by default, from the first
 * command. The state after `from` must be saved, and so must all earlier states that later commands restore.
 */
export const stateAfter = Effect.fnUntraced(function*(
  journal: Journal.Journal,
  states: SavedStates,
  sequence: number,
  from = 0
): Effect.fn.Return<State, Journal.JournalError> {
  const history = { state: states.recall(from), sequence: from, origin: 0 }
  const start: Start = { history, recalled: yield* journal.recalledAfter(from) }
  while (history.sequence < sequence) {
    yield* follow(journal, states, start, Math.min(sequence, history.sequence + atOnce), () => undefined)
    // Lets the venue serve calls meanwhile.
    yield* Effect.yieldNow
  }
  return history.state
})

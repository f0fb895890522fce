/**
 * Carries out the owner's requests: acts on the exchange, reads and saves its state, restores an earlier state, and
 * replays another history. Each effect succeeds once its result is durable.
 */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { VenuePolicy } from "../../domain/VenuePolicy.ts"
import type { Action, Call, Command } from "../engine/Command.ts"
import type { Reply } from "../engine/Reply.ts"
import type * as State from "../engine/State.ts"
import * as Times from "../engine/Times.ts"
import type * as Journal from "../store/Journal.ts"
import * as Recovery from "../store/Recovery.ts"
import type { SavedStates } from "../store/SavedStates.ts"
import type { Executor } from "./Executor.ts"
import * as PastStates from "./PastStates.ts"
import * as VenueClock from "./VenueClock.ts"

/** An action that only the owner can request. */
export type OwnerAction = Exclude<Action, { readonly _tag: "Call" | "Restore" }>

/**
 * An owner action; a function that returns one, given the state, the venue's clock and the machine's clock (both in
 * Unix µs); or a call that the owner makes on behalf of an account, without a nonce.
 */
export type OwnerRequest = OwnerAction | Call | ((state: State.State, now: number, real: number) => OwnerAction)

/** The requests that only a venue's owner can make. */
export interface OwnerActions {
  /** Carries out an owner action, or a call on behalf of an account. */
  readonly perform: (action: OwnerRequest) => Effect.Effect<Reply, Journal.JournalError>
  /** The state after everything due has been applied. Do not modify this state. */
  readonly read: Effect.Effect<State.State, Journal.JournalError>
  /** Saves the state, so that it can be restored quickly, and returns the number of the last command. */
  readonly snapshot: Effect.Effect<number, Journal.JournalError>
  /** The saved states, which can be restored without a replay, oldest first. */
  readonly saved: SavedStates["list"]
  /** Restores the state after `sequence` commands. Returns `false` if there are fewer commands. */
  readonly restore: (sequence: number) => Effect.Effect<boolean, Journal.JournalError>
  /**
   * The state after an earlier command, for reading only; `undefined` if there are fewer commands. Do not modify this
   * state.
   */
  readonly stateAfter: PastStates.StateAfter
  /** Applies the commands of another journal, each at its own time. */
  readonly replay: (commands: ReadonlyArray<Command>) => Effect.Effect<void, Journal.JournalError>
}

/**
 * The time of an action. An action that sets the clock happens at the clock's new time. Only before the first command
 * can that time be earlier than the venue's current time.
 */
const timeOf = (
  action: OwnerAction | Call,
  { sequence }: { readonly sequence: number },
  at: number,
  clock: Clock.Clock
) => action._tag === "SetClock" ? Math.max(sequence === 0 ? 0 : at, VenueClock.shown(action.clock, clock)) : at

const perform = ({ apply, durably, history, settle }: Executor, request: OwnerRequest) =>
  durably((clock) => {
    const at = VenueClock.now(history.state, clock)
    settle(at)
    const action = typeof request === "function" ? request(history.state, at, VenueClock.real(clock)) : request
    return apply(action, timeOf(action, history, at, clock))
  })

/** Creates the owner actions for a venue. */
export const make = (
  executor: Executor,
  journal: Journal.Journal,
  states: SavedStates,
  policy: VenuePolicy
): OwnerActions => {
  const { apply, durably, enter, history, settle } = executor

  const restore = Effect.fnUntraced(function*(sequence: number) {
    if (sequence > history.sequence) return false
    yield* journal.committed
    if (sequence > 0 && !states.has(sequence)) {
      yield* journal.verify
      states.save(sequence, yield* Recovery.stateAfter(journal, states, sequence))
    }
    yield* durably(
      (clock) => apply({ _tag: "Restore", sequence }, Math.min(VenueClock.now(history.state, clock), Times.latest)),
      () => states.recall(sequence)
    )
    states.trim()
    return true
  })

  const replay = Effect.fnUntraced(function*(commands: ReadonlyArray<Command>) {
    const recalled = new Set<number>()
    for (const { action } of commands) if (action._tag === "Restore") recalled.add(action.sequence)
    yield* durably(() => {
      for (const command of commands) {
        enter(command)
        if (recalled.has(history.sequence)) states.save(history.sequence, history.state)
      }
    })
    states.trim()
  })

  return {
    perform: (action) => perform(executor, action),
    read: Effect.map(durably((clock) => settle(VenueClock.now(history.state, clock))), () => history.state),
    snapshot: durably(() => {
      states.save(history.sequence, history.state)
      states.trim()
      return history.sequence
    }),
    saved: states.list,
    restore,
    stateAfter: PastStates.make(journal, states, policy),
    replay
  }
}

/**
 * What only the owner of a venue can do: act on the exchange, read its state, go back in its history, and replay another
 * one. Each is durable when it succeeds.
 */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { VenuePolicy } from "../../domain/VenuePolicy.ts"
import type { Action, Call, Command } from "../engine/Command.ts"
import type { Reply } from "../engine/Reply.ts"
import type * as State from "../engine/State.ts"
import type * as Journal from "../store/Journal.ts"
import * as Recovery from "../store/Recovery.ts"
import type { SavedStates } from "../store/SavedStates.ts"
import type { Executor } from "./Executor.ts"
import * as VenueClock from "./VenueClock.ts"

/** An action that no call of the exchange can bring about. */
export type OwnerAction = Exclude<Action, { readonly _tag: "Call" | "Restore" }>

/**
 * An owner action, or how to choose it: from the state, the venue's clock and the machine's clock, both in Unix
 * microseconds. Or a call that the owner makes in an account's place; it uses no nonce.
 */
export type OwnerRequest = OwnerAction | Call | ((state: State.State, now: number, real: number) => OwnerAction)

/** What the owner of a venue can do. */
export interface OwnerActions {
  /** Carries out an owner action. */
  readonly perform: (action: OwnerRequest) => Effect.Effect<Reply, Journal.JournalError>
  /** The state, with everything that has come due. It is for reading only. */
  readonly read: Effect.Effect<State.State, Journal.JournalError>
  /** Saves the state, so that restoring it is quick; gives the number of the last command. */
  readonly snapshot: Effect.Effect<number, Journal.JournalError>
  /** The states that a restore goes back to at once, the latest last. */
  readonly saved: SavedStates["list"]
  /** Restores the state that this many commands had left; `false` when there have not been so many. */
  readonly restore: (sequence: number) => Effect.Effect<boolean, Journal.JournalError>
  /** Carries out the commands of another journal, each at its own time. */
  readonly replay: (commands: ReadonlyArray<Command>) => Effect.Effect<void, Journal.JournalError>
}

/** To set the clock is to let the time pass until then; before the first command no time has passed. */
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

/** The owner actions of a venue. */
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
      states.save(sequence, yield* Recovery.stateAfter(journal, states, policy, sequence))
    }
    yield* durably((clock) => apply({ _tag: "Restore", sequence }, VenueClock.now(history.state, clock)))
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
    replay
  }
}

/** Executes commands one after another: applies each command to the exchange and appends it to the journal. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type { Action, Command } from "../engine/Command.ts"
import * as History from "../engine/History.ts"
import type { Reply } from "../engine/Reply.ts"
import * as Schedule from "../engine/Schedule.ts"
import type * as State from "../engine/State.ts"
import type { Secrets } from "../gateway/Secrets.ts"
import type * as Journal from "../store/Journal.ts"
import { tooLate } from "../store/JournalError.ts"
import type { Outbox } from "../store/Outbox.ts"
import type { SavedStates } from "../store/SavedStates.ts"
import * as Snapshot from "../store/Snapshot.ts"
import type { Halt } from "./Halt.ts"
import * as VenueClock from "./VenueClock.ts"
import type { Watchers } from "./Watchers.ts"

/** Applies a venue's commands. */
export interface Executor {
  /** The exchange's state after all commands so far, and its position in the journal. */
  readonly history: History.History
  /** Applies a command, and appends it to the journal if the command is part of the history. */
  readonly enter: (command: Command) => Reply
  /**
   * Applies everything due by `at` (Unix µs) as a separate command, which stays applied even if the next command fails.
   */
  readonly settle: (at: number) => void
  /**
   * Applies an action at `at` (Unix µs), after everything due by then. If the action creates a secret, draws that
   * secret.
   */
  readonly apply: (action: Action, at: number) => Reply
  /**
   * Runs `work` immediately, and succeeds once its commands are durable. If `work` throws, halts the venue. Dies if the
   * venue is already halted. Fails if the venue's clock is past the last time that the journal can record. If `work`
   * replaces the state, `after` must return the new state, whose clock is then checked instead.
   */
  readonly durably: <A>(
    work: (clock: Clock.Clock) => A,
    after?: () => State.State
  ) => Effect.Effect<A, Journal.JournalError>
  /**
   * Applies every event that came due while the venue was closed, each at its own time, and waits until the events are
   * durable. If the venue's clock is past the last time that the journal can record, only logs an error, so that the
   * owner can still restore an earlier state.
   */
  readonly catchUp: Effect.Effect<void, Journal.JournalError>
  /**
   * Prepares the journal for closing: takes a snapshot if one is due, and waits until all commands are durable. Does
   * nothing if the venue is halted.
   */
  readonly conclude: Effect.Effect<void, Journal.JournalError>
  /** Waits until a command may have changed which event is due next. */
  readonly rescheduled: Effect.Effect<void>
}

/** The parts of a venue that an executor needs. */
export interface Options {
  /** The name of the journal's file, for error messages. */
  readonly file: string
  /** The exchange's state after the commands so far, and its position in the journal. */
  readonly history: History.History
  /** The journal, which makes commands durable. */
  readonly journal: Journal.Journal
  /** The saved states that a restore can start from. */
  readonly states: SavedStates
  /** The function that draws a random UUID for each new secret; `undefined` if secrets are sequential. */
  readonly draw?: (() => string) | undefined
  /** Whether the venue sleeps and wakes often, and therefore takes a snapshot earlier. Defaults to `false`. */
  readonly sleeps?: boolean
  /** The outbox, which holds events back until their command is durable. */
  readonly outbox: Outbox
  /** The secrets of the venue's keys, which must not appear in logs. */
  readonly secrets: Secrets
  /** The switch that halts the venue when a command fails before it is complete. */
  readonly halt: Halt
  /** The watchers, which are told about each command before the command is durable. */
  readonly watchers?: Watchers
  /**
   * The number of the last command in the journal's latest snapshot, 0 if there is no snapshot; `undefined` if the
   * journal needs no snapshots.
   */
  readonly snapshotAt: number | undefined
}

/**
 * Actions that can change the time on the machine's clock at which the next event is due, even if the next event stays
 * the same.
 */
const reschedules: ReadonlySet<Action["_tag"]> = new Set<Action["_tag"]>(["SetClock", "Restore"])

/** Adds the random UUID for the secret that an action creates, so that the journal contains the UUID. */
const withSecret = (action: Action, draw: () => string): Action => {
  if (action._tag !== "Call") return action
  const { operation } = action
  return operation._tag === "CreateCode" || operation._tag === "CreateSubAccountKey"
    ? { ...action, operation: { ...operation, drawn: draw() } }
    : action
}

/** Creates the executor for a venue. */
export const make = Effect.fnUntraced(function*(
  { draw, file, halt, history, journal, outbox, secrets, sleeps = false, snapshotAt, states, watchers }: Options
): Effect.fn.Return<Executor> {
  const changes = yield* Queue.sliding<void>(1)
  let lastSnapshot = snapshotAt
  let due = Schedule.next(history.state)

  /** Wakes the alarm if a command, such as an order that opens a position, may have changed the next event. */
  const reschedule = (action: Action): void => {
    const next = Schedule.next(history.state)
    if (next !== due || reschedules.has(action._tag)) Queue.offerUnsafe(changes, undefined)
    due = next
  }

  const takeSnapshot = (isDue: (sequence: number, last: number) => boolean): void => {
    const { origin, sequence, state } = history
    if (lastSnapshot === undefined || !isDue(sequence, lastSnapshot)) return
    lastSnapshot = sequence
    journal.keep({ sequence, origin, state: Snapshot.encode(state) })
  }

  const enter = (command: Command): Reply => {
    const { events, recorded, reply } = History.apply(history, command, states.recall)
    if (!recorded) return reply
    secrets.learn(command.action, reply, history.state)
    const entry = { sequence: history.sequence, at: command.at, events }
    outbox.add(entry)
    journal.append(command)
    takeSnapshot(Snapshot.isDue)
    reschedule(command.action)
    watchers?.tell(entry)
    return reply
  }

  const settle = (at: number): void => {
    const due = Schedule.next(history.state)
    if (due !== undefined && due <= at) enter({ at, action: { _tag: "Pass" } })
  }

  const settleEach = (clock: Clock.Clock): void => {
    for (;;) {
      const { state } = history
      const due = Schedule.next(state)
      if (due === undefined || due > VenueClock.now(state, clock)) return
      settle(Math.max(due, state.at))
    }
  }

  const durably: Executor["durably"] = (work, after = () => history.state) =>
    Effect.clockWith((clock) =>
      VenueClock.isTooLate(after(), clock)
        ? Effect.fail(tooLate(file))
        : halt.onFailure(Effect.suspend(() => halt.isHalted() ? refuseWork : Effect.as(journal.committed, work(clock))))
    )

  const refuseWork = Effect.andThen(journal.committed, Effect.die("The venue is halted. Reopen it"))

  return {
    history,
    enter,
    settle,
    apply: (action, at) => {
      settle(at)
      return enter({ at, action: draw === undefined ? action : withSecret(action, draw) })
    },
    durably,
    catchUp: Effect.clockWith((clock) =>
      VenueClock.isTooLate(history.state, clock) ? Effect.logError(tooLate(file).message) : durably(settleEach)
    ),
    conclude: Effect.suspend(() => {
      // The state of a halted venue might differ from its journal.
      if (halt.isHalted()) return Effect.void
      takeSnapshot(sleeps ? Snapshot.isDueAsleep : Snapshot.isDueAtTheEnd)
      return journal.committed
    }),
    rescheduled: Queue.take(changes)
  }
})

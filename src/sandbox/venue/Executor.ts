/** Executes commands: one after another, each applied to the exchange and appended to the journal. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type { Action, Command } from "../engine/Command.ts"
import * as History from "../engine/History.ts"
import type { Operation } from "../engine/Operation.ts"
import type { Reply } from "../engine/Reply.ts"
import * as Schedule from "../engine/Schedule.ts"
import type { Secrets } from "../gateway/Secrets.ts"
import type * as Journal from "../store/Journal.ts"
import type { Outbox } from "../store/Outbox.ts"
import type { SavedStates } from "../store/SavedStates.ts"
import * as Snapshot from "../store/Snapshot.ts"
import type { Halt } from "./Halt.ts"
import * as VenueClock from "./VenueClock.ts"

/** Applies a venue's commands. */
export interface Executor {
  /** The exchange after all its commands. */
  readonly history: History.History
  /** Applies a command, and appends it to the journal if it is part of the history. */
  readonly enter: (command: Command) => Reply
  /** Applies everything due by `at`, as a command of its own: it stays even when the next command fails. */
  readonly settle: (at: number) => void
  /** Applies an action at `at` (Unix µs), after everything due by then. */
  readonly apply: (action: Action, at: number) => Reply
  /**
   * Runs `work` immediately, and succeeds once its commands are durable. Halts the venue when `work` throws halfway,
   * and dies when the venue is already halted.
   */
  readonly durably: <A>(work: (clock: Clock.Clock) => A) => Effect.Effect<A, Journal.JournalError>
  /** Applies everything that came due while the venue was closed, each at its own time, and makes it durable. */
  readonly catchUp: Effect.Effect<void, Journal.JournalError>
  /** Writes the journal's last entries before it is closed, and waits until they are durable. */
  readonly conclude: Effect.Effect<void, Journal.JournalError>
  /** Waits until a command may have changed which event is due next. */
  readonly rescheduled: Effect.Effect<void>
}

/** The parts that an executor works on. */
export interface Options {
  /** The exchange so far. */
  readonly history: History.History
  /** The journal, which makes commands durable. */
  readonly journal: Journal.Journal
  /** The saved states that a restore can start from. */
  readonly states: SavedStates
  /** Whether the venue sleeps and wakes often; `false` unless set. */
  readonly sleeps?: boolean
  /** Holds events back until their command is durable. */
  readonly outbox: Outbox
  /** The secrets that no log may show. */
  readonly secrets: Secrets
  /** Stops the venue when a command fails halfway. */
  readonly halt: Halt
  /**
   * The number of the command in the journal's latest snapshot, or 0; `undefined` when the journal needs no snapshots.
   */
  readonly snapshotAt: number | undefined
}

/** Actions and operations that may change which event is due next. */
const reschedules: ReadonlySet<string> = new Set<Action["_tag"] | Operation["_tag"]>([
  "Invest",
  "PlayPrices",
  "SetClock",
  "Restore",
  "SetKillSwitch"
])

/** Whether an action may change which event is due next. */
const isRescheduling = (action: Action): boolean =>
  reschedules.has(action._tag === "Call" ? action.operation._tag : action._tag)

/** Makes an executor of commands. */
export const make = Effect.fnUntraced(function*(
  { halt, history, journal, outbox, secrets, sleeps = false, snapshotAt, states }: Options
): Effect.fn.Return<Executor> {
  const changes = yield* Queue.sliding<void>(1)
  let lastSnapshot = snapshotAt

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
    outbox.add({ sequence: history.sequence, at: command.at, events })
    journal.append(command)
    takeSnapshot(Snapshot.isDue)
    if (isRescheduling(command.action)) Queue.offerUnsafe(changes, undefined)
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

  const durably: Executor["durably"] = (work) =>
    halt.onFailure(
      Effect.clockWith((clock) => halt.isHalted() ? refuseWork : Effect.as(journal.committed, work(clock)))
    )

  const refuseWork = Effect.andThen(journal.committed, Effect.die("The venue is halted. Reopen it"))

  return {
    history,
    enter,
    settle,
    apply: (action, at) => {
      settle(at)
      return enter({ at, action })
    },
    durably,
    catchUp: durably(settleEach),
    conclude: Effect.suspend(() => {
      // The state of a halted venue may differ from its journal.
      if (halt.isHalted()) return Effect.void
      takeSnapshot(sleeps ? Snapshot.isDueAsleep : Snapshot.isDueAtTheEnd)
      return journal.committed
    }),
    rescheduled: Queue.take(changes)
  }
})

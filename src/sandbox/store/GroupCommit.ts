/**
 * Makes commands durable in groups: a single transaction writes everything that is appended in one turn of the event
 * loop, or in two turns if writing a group waits for a disk.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Command } from "../engine/Command.ts"
import type { Anchor } from "./Anchor.ts"
import type { End } from "./Chain.ts"
import type { JournalError } from "./JournalError.ts"
import type { JournalTables, Snapshot } from "./JournalTables.ts"

/** The write side of a journal. */
export interface GroupCommit {
  /** The last durable entry. */
  readonly end: () => End
  /** Adds a command to the group. */
  readonly append: (command: Command) => void
  /** Adds a snapshot to the group. */
  readonly keep: (snapshot: Snapshot) => void
  /**
   * Calls `done` once the group is durable, or with the error if a write has failed. After a failed write, every call
   * gets that error.
   */
  readonly whenCommitted: (done: (error: JournalError | undefined) => void) => void
  /** Waits until the group is durable. After a failed write, this effect always fails. */
  readonly committed: Effect.Effect<void, JournalError>
  /** After a failed write: the reason why nothing more can be written. */
  readonly failure: () => JournalError | undefined
}

/** The parts that a group commit needs. */
export interface Options {
  /** The tables that groups are written to. */
  readonly tables: JournalTables
  /** Records the last durable entry outside the tables. */
  readonly anchor: Anchor
  /** Whether writing a group waits for a disk. */
  readonly onDisk: boolean
  /** The last entry of the journal when the journal is opened. */
  readonly end: End
  /** Converts a SQLite error to a journal error. */
  readonly failed: (error: unknown) => JournalError
  /** Called after each group that becomes durable, with the number of its last command. */
  readonly onCommitted: (sequence: number) => void
}

export const make = ({ anchor, end: start, failed, onCommitted, onDisk, tables }: Options): GroupCommit => {
  let end = start
  let group: Array<Command> = []
  let snapshot: Snapshot | undefined
  let waiting: Array<(error: JournalError | undefined) => void> = []
  let broken: JournalError | undefined

  const write = (): void => {
    const written = Result.try({
      try: () => {
        const written = tables.write(end, group, snapshot)
        anchor.write(written)
        if (snapshot !== undefined) anchor.sync()
        return written
      },
      catch: failed
    })
    if (Result.isFailure(written)) broken = written.failure
    else {
      end = written.success
      onCommitted(end.sequence)
    }
    group = []
    snapshot = undefined
  }

  const commit = (): void => {
    const waited = waiting
    waiting = []
    if (broken === undefined && (group.length > 0 || snapshot !== undefined)) write()
    for (const done of waited) done(broken)
  }

  // Waits one more turn of the event loop. Otherwise callers could split into two halves that alternate forever: one
  // half waits for the disk while the other half makes calls. The extra turn merges both halves into one group.
  const atEndOfTurn = onDisk ? () => setImmediate(commit) : commit

  const whenCommitted: GroupCommit["whenCommitted"] = (done) => {
    // The first waiter schedules the write.
    if (waiting.push(done) === 1) setImmediate(atEndOfTurn)
  }

  return {
    end: () => end,
    append: (command) => {
      // After a failed write, a command is dropped, because the command can never be written.
      if (broken === undefined) group.push(command)
    },
    keep: (taken) => {
      snapshot = taken
    },
    whenCommitted,
    failure: () => broken,
    committed: Effect.callback((resume) =>
      whenCommitted((error) => resume(error === undefined ? Effect.void : Effect.fail(error)))
    )
  }
}

/**
 * The exchange's journal in a history. It is in memory, and continues from a prepared state. A task of the history
 * makes each group of commands durable, so the seed decides when that happens.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { Command } from "../sandbox/engine/Command.ts"
import * as Chain from "../sandbox/store/Chain.ts"
import type { Journal as SandboxJournal, Options, Snapshot } from "../sandbox/store/Journal.ts"

/** The state that every history starts from, and the commands that led to this state. */
export interface Prepared {
  /** The encoded state. */
  readonly snapshot: Snapshot
  /** The commands, as lines of a journal. */
  readonly lines: ReadonlyArray<string>
}

/** The exchange's journal in a history. */
export interface Journal {
  /** The commands since the prepared state, including those that are not durable yet. */
  readonly commands: ReadonlyArray<Command>
  /** Opens the journal for an exchange that starts or restarts. */
  readonly open: (options: Options) => SandboxJournal
  /** All commands, including those that led to the prepared state, as journal lines that a new venue can replay. */
  readonly lines: () => ReadonlyArray<string>
}

const lineOf = (command: Command): string => Result.getOrThrow(Chain.encode(command))

/**
 * Creates a journal that continues from a prepared state, or an empty journal. `later` runs work as a task of the
 * history.
 */
export const make = (prepared: Prepared | undefined, later: (work: () => void) => void): Journal => {
  const commands: Array<Command> = []
  const base = prepared?.snapshot.sequence ?? 0
  const lines = () => [...prepared?.lines ?? [], ...commands.map(lineOf)]

  const open = ({ onCommitted = () => undefined }: Options): SandboxJournal => {
    let durable = base + commands.length
    let waiting: Array<(error: undefined) => void> = []

    const commit = (): void => {
      const waited = waiting
      waiting = []
      if (durable < base + commands.length) {
        durable = base + commands.length
        onCommitted(durable)
      }
      for (const done of waited) done(undefined)
    }
    const whenCommitted: SandboxJournal["whenCommitted"] = (done) => {
      if (waiting.push(done) === 1) later(commit)
    }

    return {
      sequence: () => durable,
      digest: () => "",
      run: 1,
      unfinished: 0,
      anchored: false,
      // Recovery clears the buffer that it has read, so recovery gets a copy.
      snapshot: Effect.sync(() => prepared && { ...prepared.snapshot, state: new Uint8Array(prepared.snapshot.state) }),
      recalledAfter: () => Effect.succeed(new Set()),
      verify: Effect.void,
      read: (after, to, visit) =>
        Effect.sync(() => {
          for (let sequence = Math.max(after, base) + 1; sequence <= to; sequence++) {
            const command = commands[sequence - base - 1]
            if (command !== undefined) visit(command, sequence)
          }
        }),
      lines: Effect.sync(() => Stream.fromIterable(lines())),
      append: (command) => {
        commands.push(command)
      },
      keep: () => undefined,
      whenCommitted,
      committed: Effect.callback((resume) => whenCommitted(() => resume(Effect.void))),
      failure: () => undefined
    }
  }

  return { commands, open, lines }
}

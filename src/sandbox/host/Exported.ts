/**
 * A venue exported from its host: a journal file, which a sandbox can open, and the venue's record, which contains its
 * token and keys.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { VenuePolicy } from "../../domain/VenuePolicy.ts"
import type { Command } from "../engine/Command.ts"
import * as Engine from "../engine/Engine.ts"
import type * as State from "../engine/State.ts"
import * as Journal from "../store/Journal.ts"
import { damaged, JournalError } from "../store/JournalError.ts"
import * as Recovery from "../store/Recovery.ts"
import * as Rules from "../store/Rules.ts"
import * as SavedStates from "../store/SavedStates.ts"
import * as Files from "./Files.ts"
import * as NewVenue from "./NewVenue.ts"
import * as Registry from "./Registry.ts"

/** A summary of an exported venue. */
export interface Exported {
  /** The number of commands. */
  readonly commands: number
  /** The hash of all commands, in hex. */
  readonly digest: string
  /** The venue's record. */
  readonly registered: Registry.Registered
}

/** The number of commands that are written to a file at a time. */
const batch = 1000

/** Writes commands to a new journal. */
export const writeTo = Effect.fnUntraced(function*(file: string, rules: string, commands: ReadonlyArray<Command>) {
  const journal = yield* Journal.open(file, { rules })
  if (journal.run > 1) {
    return yield* new JournalError({ why: "foreign", file, reason: "it exists already; choose another folder" })
  }
  for (const [index, command] of commands.entries()) {
    journal.append(command)
    if (index % batch === batch - 1) yield* journal.committed
  }
  yield* journal.committed
  return journal
})

/** The state after a command in a journal, computed by applying all commands, starting with the first. */
export const replayed = (
  id: string,
  journal: Journal.Journal,
  policy: VenuePolicy,
  sequence: number
): Effect.Effect<State.State, JournalError> =>
  Effect.catchDefect(
    Recovery.stateAfter(journal, SavedStates.make(policy), sequence),
    (defect) => Effect.fail(damaged(id, `a command can't be applied: ${String(defect)}`, 0))
  )

/** An exported venue that this release can serve. */
export interface Read {
  /** The venue's record, with this release's engine version. */
  readonly registered: Registry.Registered
  /** The commands, in order. */
  readonly commands: ReadonlyArray<Command>
  /** The commands in a temporary journal. */
  readonly journal: Journal.Journal
}

/** Reads the commands of a journal in a file. Fails if a command is damaged. */
export const commandsIn = Effect.fnUntraced(function*(file: string) {
  const { error, lines } = yield* Journal.salvage(file)
  if (error !== undefined) return yield* error
  return yield* Effect.mapError(
    Effect.fromResult(Result.all(lines.map(Journal.parse))),
    ({ message }) => damaged(file, message)
  )
})

/** Reads an exported venue, and replays every command. `record` is the text of the venue's record. */
export const read = Effect.fnUntraced(function*(
  file: string,
  record: string
): Effect.fn.Return<Read, JournalError, Scope.Scope> {
  const decoded = yield* Effect.mapError(
    Effect.fromResult(Registry.decode(record)),
    ({ message }) => damaged(file, `its venue's record can't be read: ${message}`)
  )
  const registered = { ...decoded, engine: Engine.version }
  const commands = yield* commandsIn(file)
  const dialect = NewVenue.dialectOf(registered)
  const journal = yield* writeTo(`${yield* Files.temporary}/journal.sqlite`, Rules.of(dialect, undefined), commands)
  yield* replayed(registered.id, journal, dialect.policy, journal.sequence())
  return { registered, commands, journal }
})

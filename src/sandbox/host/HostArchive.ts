/** Exports a venue from a host's folder, and imports a venue into such a folder. The host must be stopped. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Journal from "../store/Journal.ts"
import { JournalError } from "../store/JournalError.ts"
import * as Rules from "../store/Rules.ts"
import * as Exported from "./Exported.ts"
import * as Files from "./Files.ts"
import { type UnknownVenue, unknownVenue } from "./HostModels.ts"
import * as NewVenue from "./NewVenue.ts"
import * as Registry from "./Registry.ts"

/** The registry of a host's folder. The folder stays locked until the scope is closed. */
const registryOf = (folder: string): Effect.Effect<Registry.Registry, JournalError, Scope.Scope> =>
  Registry.open(folder, NewVenue.secret(), false)

/** Writes a venue's journal to a new file. A sandbox that speaks the venue's dialect can open the file. */
export const exportTo = (
  folder: string,
  id: string,
  file: string
): Effect.Effect<Exported.Exported, JournalError | UnknownVenue> =>
  Effect.scoped(Effect.gen(function*() {
    const found = (yield* registryOf(folder)).venues.find((venue) => venue.id === id)
    if (found === undefined || found.partial) return yield* unknownVenue(id)
    if (found.begun !== true) {
      const reason = "it is empty: the venue was never called. Call the venue first, or delete it and create another"
      return yield* new JournalError({ why: "failed", file: id, reason })
    }
    const { journal } = Files.of(folder, id)
    const dialect = NewVenue.dialectOf(found)
    // Fails if another engine version wrote the journal, because only that version replays it to the same state.
    yield* Effect.scoped(Journal.open(journal, { rules: Rules.of(dialect, id) }))
    const written = yield* Exported.writeTo(file, Rules.of(dialect, undefined), yield* Exported.commandsIn(journal))
    // A venue's port belongs to its host, so the port is not exported.
    const { port: _port, ...registered } = found
    return { commands: written.sequence(), digest: written.digest(), registered }
  }))

/** Whether a host's venue has the same history as an exported one. */
const hasSame = Effect.fnUntraced(function*(files: Files.Files, { journal }: Exported.Read) {
  const commands = yield* Exported.commandsIn(files.journal)
  if (commands.length !== journal.sequence()) return false
  const copy = yield* Exported.writeTo(`${yield* Files.temporary}/journal.sqlite`, "a comparison", commands)
  return copy.digest() === journal.digest()
})

/**
 * Imports an exported venue into a host's folder: replays every command with this release's engine, and writes a new
 * journal. The venue keeps its id, token and keys. `record` is the text of the venue's record. If the folder already
 * has the venue, the import replaces it only if its journal has not changed since the export.
 */
export const importFrom = (
  folder: string,
  file: string,
  record: string
): Effect.Effect<Exported.Exported, JournalError> =>
  Effect.scoped(Effect.gen(function*() {
    const read = yield* Exported.read(file, record)
    const { commands, journal, registered: { port: _port, ...registered } } = read
    const { id } = registered
    const registry = yield* registryOf(folder)
    const files = Files.of(folder, id)
    const present = registry.venues.find((venue) => venue.id === id)
    if (present?.begun === true && !present.partial && !(yield* hasSame(files, read))) {
      const reason = "the venue has a different history on the host. Export it again, or delete it from the host first"
      return yield* new JournalError({ why: "failed", file: id, reason })
    }
    // If a crash happens before the venue is complete, the host removes the venue when the host next starts, and the
    // venue can be imported again.
    yield* registry.put({ ...registered, partial: true })
    yield* files.remove
    yield* files.prepare(false)
    yield* Effect.scoped(
      Exported.writeTo(files.journal, Rules.of(NewVenue.dialectOf(registered), id), commands)
    )
    yield* registry.put({ ...registered, begun: true, partial: false })
    return { commands: commands.length, digest: journal.digest(), registered }
  }))

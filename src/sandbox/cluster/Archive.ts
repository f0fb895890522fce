/**
 * Exports, checks and imports the journals of venues in the database. Exporting and checking a journal do not disturb
 * the node that has the venue.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as PgTypes from "@effect/sql-pg/PgTypes"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import type { Command } from "../engine/Command.ts"
import * as Engine from "../engine/Engine.ts"
import * as Saved from "../engine/Saved.ts"
import type * as State from "../engine/State.ts"
import * as Exported from "../host/Exported.ts"
import * as Files from "../host/Files.ts"
import { type UnknownVenue, unknownVenue } from "../host/HostModels.ts"
import * as NewVenue from "../host/NewVenue.ts"
import * as Registry from "../host/Registry.ts"
import * as Journal from "../store/Journal.ts"
import { damaged, JournalError } from "../store/JournalError.ts"
import * as Rules from "../store/Rules.ts"
import * as Snapshot from "../store/Snapshot.ts"
import * as PostgresJournal from "./PostgresJournal.ts"

/** A venue's record and the end of its journal, both read at the same point in time. */
interface Recorded {
  readonly registered: Registry.Registered
  readonly rules: string
  readonly sequence: number
  /** The last command's link in the hash chain, in hex. */
  readonly digest: string
}

const recorded = Effect.fnUntraced(function*(id: string) {
  const sql = yield* PgClient.PgClient
  const [row] = yield* PostgresJournal.inTime(id)(
    sql.unsafe<{ record: string; rules: string | null; sequence: bigint; link: Uint8Array }>(
      "SELECT record, rules, sequence, link FROM txc_hosted LEFT JOIN txc_venue USING (venue) WHERE venue = $1",
      [id]
    )
  )
  if (row === undefined) return yield* unknownVenue(id)
  const { link, record, rules, sequence } = row
  if (rules === null) {
    const reason = "it is empty: the venue was never called. Call the venue first, or delete it and create another"
    return yield* new JournalError({ why: "failed", file: id, reason })
  }
  const registered = yield* Effect.mapError(
    Effect.fromResult(Registry.decode(record)),
    () => damaged(id, "its record can't be read; another release may have written it")
  )
  return { registered, rules, sequence: Number(sequence), digest: Buffer.from(link).toString("hex") } satisfies Recorded
})

/**
 * Writes a journal to a new file. Fails if a command is damaged or missing, or if the last command's hash differs from
 * the stored hash.
 */
const write = Effect.fnUntraced(function*(id: string, { digest, rules, sequence }: Recorded, file: string) {
  const commands = yield* Effect.mapError(
    PostgresJournal.commandsOf(id, sequence),
    (error) =>
      typeof error === "number" ? damaged(id, `it has only ${error} of its ${sequence} commands`, error) : error
  )
  const journal = yield* Exported.writeTo(file, rules, commands)
  if (journal.digest() === digest) return journal
  return yield* damaged(id, `after ${sequence} commands, its hash is ${journal.digest()} instead of ${digest}`, 0)
})

/** Writes a venue's journal to a new file. A sandbox that speaks the venue's dialect can open the file. */
export const exportTo = (
  id: string,
  file: string
): Effect.Effect<Exported.Exported, JournalError | UnknownVenue, PgClient.PgClient> =>
  Effect.scoped(Effect.gen(function*() {
    const found = yield* recorded(id)
    yield* write(id, found, file)
    return { commands: found.sequence, digest: found.digest, registered: found.registered }
  }))

/** The hash of a venue's entire state. */
const hashOf = (state: State.State): string => {
  const text = JSON.stringify(Saved.save(state), (_key, part: unknown) =>
    typeof part === "bigint"
      ? `${part}n`
      : part instanceof Map
      ? { map: [...part] }
      : part instanceof Set
      ? { set: [...part] }
      : part)
  return createHash("sha256").update(text).digest("hex")
}

/** The result of checking a journal. */
export interface Checked extends Exported.Exported {
  /**
   * The number of the command after which the venue's snapshot was saved. The snapshot equals the state that replaying
   * the commands produces. Absent if there was no snapshot to check.
   */
  readonly snapshot?: number
}

/**
 * Replays a venue's journal from the first command. Fails if another engine version wrote the journal, if a command is
 * damaged, missing or can't be applied, or if the replayed state differs from the venue's snapshot.
 */
export const check = (id: string): Effect.Effect<Checked, JournalError | UnknownVenue, PgClient.PgClient> =>
  Effect.scoped(Effect.gen(function*() {
    const found = yield* recorded(id)
    const { digest, registered, rules, sequence } = found
    const engine = Rules.engineOf(rules)
    if (engine !== Engine.version) return yield* Rules.otherEngine(id, engine, ". Check it with that release")
    const journal = yield* write(id, found, `${yield* Files.temporary}/journal.sqlite`)
    const { policy } = NewVenue.dialectOf(registered)
    yield* Exported.replayed(id, journal, policy, sequence)
    const snapshot = yield* PostgresJournal.snapshotOf(id)
    if (snapshot === undefined || snapshot.sequence > sequence) return { commands: sequence, digest, registered }
    const saved = hashOf(Snapshot.decode(snapshot.state, policy))
    const computed = hashOf(yield* Exported.replayed(id, journal, policy, snapshot.sequence))
    if (saved !== computed) {
      const reason =
        `the snapshot after command ${snapshot.sequence} has the hash ${saved}, but replaying gives ${computed}`
      return yield* damaged(id, reason, 0)
    }
    return { commands: sequence, digest, registered, snapshot: snapshot.sequence }
  }))

// -----------------------------------------------------------------------------
// Import
// -----------------------------------------------------------------------------

/** A venue's journal in the database. */
interface Present {
  readonly rules: string
  readonly sequence: bigint
  readonly link: Uint8Array
}

/** The reason why an export must not replace the journal in the database; `undefined` if the export may replace it. */
const obstacle = (id: string, { link, rules, sequence }: Present, exported: Journal.Journal) => {
  const failed = (reason: string) => new JournalError({ why: "failed", file: id, reason })
  if (Rules.engineOf(rules) === Engine.version) return failed("the cluster already has it, for this release's engine")
  if (Buffer.from(link).toString("hex") === exported.digest()) return undefined
  return failed(
    `the venue has a different history in the cluster: ${sequence} commands; the export has ${exported.sequence()}. ` +
      "Stop the calls to the venue, and export it again"
  )
}

/**
 * Writes an imported venue in one transaction. Afterwards, a node that had the venue can no longer write to the
 * journal.
 */
const bringIn = Effect.fnUntraced(function*(
  registered: Registry.Registered,
  exported: Journal.Journal,
  rules: string,
  commands: ReadonlyArray<Command>
) {
  const sql = yield* PgClient.PgClient
  const { endsAt = null, id, owner } = registered
  // Takes the lock for creating venues, so that nodes discover venues in the order of their serial numbers.
  yield* sql.unsafe("SELECT pg_advisory_xact_lock('txc_hosted'::regclass::bigint)")
  const [present] = yield* sql.unsafe<Present>(
    "SELECT rules, sequence, link FROM txc_venue WHERE venue = $1 FOR UPDATE",
    [id]
  )
  if (present === undefined) yield* PostgresJournal.insert(id, rules, commands)
  else {
    const error = obstacle(id, present, exported)
    if (error !== undefined) return yield* error
    yield* sql.unsafe("UPDATE txc_venue SET rules = $2, epoch = epoch + 1, node = NULL WHERE venue = $1", [id, rules])
    yield* sql.unsafe("DELETE FROM txc_snapshot WHERE venue = $1", [id])
  }
  // Faults, limits and the request log are removed, because they are stored in the format of the release that saved
  // them.
  yield* sql.unsafe("DELETE FROM txc_memory WHERE venue = $1", [id])
  yield* sql.unsafe(
    `INSERT INTO txc_hosted (venue, owner, record, ends_at, begun) VALUES ($1, $2, $3, $4, true)
    ON CONFLICT (venue) DO UPDATE SET record = excluded.record, begun = true, place = nextval('txc_hosted_place_seq')`,
    [id, owner, Registry.encode(registered), PgTypes.int8(endsAt === null ? null : BigInt(endsAt))]
  )
})

/**
 * Imports an exported venue into a cluster: replays every command with this release's engine, and writes a new journal.
 * The venue keeps its id, token and keys. `record` is the text of the venue's record. If the cluster already has the
 * venue, the import replaces it only if a different engine version wrote its journal and the journal has not changed
 * since the export.
 */
export const importFrom = (
  file: string,
  record: string
): Effect.Effect<Exported.Exported, JournalError, PgClient.PgClient> =>
  Effect.scoped(Effect.gen(function*() {
    const { commands, journal, registered } = yield* Exported.read(file, record)
    const { id } = registered
    const rules = Rules.of(NewVenue.dialectOf(registered), undefined)
    const sql = yield* PgClient.PgClient
    yield* PostgresJournal.inTime(id)(sql.withTransaction(bringIn(registered, journal, rules, commands)))
    return { commands: commands.length, digest: journal.digest(), registered }
  }))

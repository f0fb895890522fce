/** A journal's tables: its entries and its snapshot. */
import * as Result from "effect/Result"
import { createHash } from "node:crypto"
import type { DatabaseSync } from "node:sqlite"
import type { Command } from "../engine/Command.ts"
import * as Chain from "./Chain.ts"
import * as Packed from "./Packed.ts"

/**
 * The state of the exchange after a command. A recovery that starts from a snapshot does not have to apply the earlier
 * commands.
 */
export interface Snapshot {
  /** The command's number. */
  readonly sequence: number
  /** The number of the command whose state a reset restores. */
  readonly origin: number
  /** The state of the exchange, as encoded bytes. */
  readonly state: Uint8Array
}

/** The tables of an open journal. Every method can throw a SQLite error. */
export interface JournalTables {
  /** The last entry of the journal. */
  readonly end: () => Chain.End
  /** The link of an entry. */
  readonly linkOf: (sequence: number) => Uint8Array
  /** The entries from `after` (exclusive) to `to` (inclusive), in order. */
  readonly entries: (after: number, to: number) => Iterable<Chain.Row>
  /** The numbers of the commands whose states are restored by entries after the entry `sequence`. */
  readonly recalledAfter: (sequence: number) => ReadonlySet<number>
  /** The latest snapshot, if the snapshot is intact. The caller may modify the snapshot's bytes. */
  readonly snapshot: () => Snapshot | undefined
  /**
   * Writes commands, and optionally a snapshot that replaces the previous one, in one transaction. Returns the new last
   * entry.
   */
  readonly write: (end: Chain.End, commands: ReadonlyArray<Command>, snapshot: Snapshot | undefined) => Chain.End
}

const entriesBetween =
  "SELECT sequence, command, hash, recalled FROM journal WHERE sequence > ? AND sequence <= ? ORDER BY sequence"

/** All entries of a database, in order, even if the database has not been set up as a journal. */
export const allEntries = (database: DatabaseSync): Iterable<Chain.Row> =>
  database.prepare(entriesBetween).iterate(0, Number.MAX_SAFE_INTEGER)

/**
 * A hash of a snapshot and of the chain up to it. The hash makes a snapshot valid at only one position in one chain.
 */
export const seal = ({ origin, sequence, state }: Snapshot, link: Uint8Array): Uint8Array =>
  createHash("sha256").update(`${sequence} ${origin} `).update(link).update(state).digest()

/** The snapshot in a row; `undefined` if the snapshot is damaged. `linkOf` returns the chain's link at a command. */
export const unseal = (
  row: Chain.Row | undefined,
  linkOf: (sequence: number) => Uint8Array
): Snapshot | undefined => {
  const state = row?.["state"]
  // A snapshot in a different format is treated as damaged.
  if (row === undefined || !(state instanceof Uint8Array) || !Packed.isPacked(state)) return undefined
  const snapshot = { sequence: Number(row["sequence"]), origin: Number(row["origin"]), state }
  // Without an intact snapshot, recovery starts from the first command.
  return Chain.isSame(row["hash"], seal(snapshot, linkOf(snapshot.sequence))) ? snapshot : undefined
}

/** The tables of a database that has been set up as a journal. */
export const make = (database: DatabaseSync): JournalTables => {
  const count = database.prepare("SELECT coalesce(max(sequence), 0) AS n FROM journal")
  const hashOf = database.prepare("SELECT hash FROM journal WHERE sequence = ?")
  const entries = database.prepare(entriesBetween)
  const insert = database.prepare("INSERT INTO journal (sequence, command, hash, recalled) VALUES (?, ?, ?, ?)")
  const replace = database.prepare("INSERT INTO snapshot (sequence, origin, state, hash) VALUES (?, ?, ?, ?)")
  const latest = database.prepare("SELECT * FROM snapshot ORDER BY sequence DESC LIMIT 1")
  const recalls = database.prepare("SELECT recalled FROM journal WHERE recalled IS NOT NULL AND sequence > ?")

  const linkOf = (sequence: number): Uint8Array => {
    const found = hashOf.get(sequence)?.["hash"]
    return found instanceof Uint8Array ? found : Chain.start.link
  }

  const append = ({ link, sequence }: Chain.End, command: Command): Chain.End => {
    const { action } = command
    const text = Result.getOrThrow(Chain.encode(command))
    const end = { sequence: sequence + 1, link: Chain.link(link, text) }
    insert.run(end.sequence, text, end.link, action._tag === "Restore" ? action.sequence : null)
    return end
  }

  return {
    end: () => {
      const sequence = Number(count.get()?.["n"])
      return { sequence, link: linkOf(sequence) }
    },
    linkOf,
    entries: (after, to) => entries.iterate(after, to),
    recalledAfter: (sequence) => new Set(recalls.all(sequence).map(({ recalled }) => Number(recalled))),
    snapshot: () => unseal(latest.get(), linkOf),
    write: (end, commands, snapshot) => {
      database.exec("BEGIN IMMEDIATE")
      const written = commands.reduce(append, end)
      if (snapshot !== undefined) {
        const { origin, sequence, state } = snapshot
        database.exec("DELETE FROM snapshot")
        replace.run(sequence, origin, state, seal(snapshot, linkOf(sequence)))
      }
      database.exec("COMMIT")
      return written
    }
  }
}

/** Remembers the answers to forwarded requests for as long as the requests may be resent. */
import type * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as SqlError from "effect/sql/SqlError"
import type { Deliveries } from "../store/Deliveries.ts"

/** An answer that is not written yet. */
export interface Kept {
  /** The id of the request. */
  readonly id: string
  /** The answer, as text that `Message.fromText` can parse. */
  readonly answer: string
}

/** The answers to the requests that were forwarded to a venue. */
export interface KnownDeliveries extends Deliveries {
  /** Removes and returns the answers that are not written yet. The caller writes them. */
  readonly take: () => Array<Kept>
}

/**
 * How long a request may be resent, in seconds. An answer is remembered at least this long, and at most twice as long.
 */
export const lifetime = 30

/** A row whose request can't be resent any more, by the database's clock. */
const expired = `at < now() - interval '${2 * lifetime} seconds'`

/** Reads the answers of a venue to requests that may still be resent. */
export const read = (sql: PgClient.PgClient, venue: string): Effect.Effect<ReadonlyArray<Kept>, SqlError.SqlError> =>
  sql.unsafe<Kept>(`SELECT id, answer FROM txc_delivery WHERE venue = $1 AND NOT ${expired}`, [venue])

/** The maximum number of expired answers that one sweep deletes. */
export const sweepSize = 5000

/**
 * Deletes expired answers of any venue, awake or not, from the database: at most {@link sweepSize} of them. Skips rows
 * that another node is deleting, so that no node waits for another.
 */
export const sweep = (sql: PgClient.PgClient): Effect.Effect<void, SqlError.SqlError> =>
  Effect.asVoid(sql.unsafe(
    `DELETE FROM txc_delivery WHERE (venue, id) IN (
      SELECT venue, id FROM txc_delivery WHERE ${expired} ORDER BY at LIMIT ${sweepSize} FOR UPDATE SKIP LOCKED
    )`
  ))

/**
 * Keeps the answers of a venue, starting with those in the database. Until the scope is closed, it drops expired
 * answers from memory.
 */
export const open = Effect.fnUntraced(function*(
  rows: ReadonlyArray<Kept>
): Effect.fn.Return<KnownDeliveries, never, Scope.Scope> {
  let older = new Map(rows.map(({ answer, id }) => [id, answer]))
  let latest = new Map<string, string>()
  let unwritten: Array<Kept> = []
  const forget = Effect.sync(() => {
    older = latest
    latest = new Map()
  })
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(lifetime * 1000), forget)))
  return {
    known: (id) => latest.get(id) ?? older.get(id),
    keep: (id, answer) => {
      latest.set(id, answer)
      unwritten.push({ id, answer })
    },
    take: () => {
      const taken = unwritten
      unwritten = []
      return taken
    }
  }
})

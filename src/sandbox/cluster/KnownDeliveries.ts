/** Stores the responses to forwarded requests for as long as the requests can be resent. */
import type * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as SqlError from "effect/sql/SqlError"
import type { Deliveries } from "../store/Deliveries.ts"

/** The response to a forwarded request. */
export interface Kept {
  /** The request's id. */
  readonly id: string
  /** The response, as text that `Message.fromText` can parse. */
  readonly answer: string
}

/** The responses to the requests that were forwarded to a venue. */
export interface KnownDeliveries extends Deliveries {
  /** Removes and returns the responses that have not been written yet. The caller writes them. */
  readonly take: () => Array<Kept>
}

/**
 * How long a request can be resent, in seconds. A response is stored for at least this long, and at most for
 * about twice as long.
 */
export const lifetime = 30

/** The SQL condition for an expired response: one stored more than a minute ago, according to the database's clock. */
const expired = `at < now() - interval '${2 * lifetime} seconds'`

/** Reads a venue's responses that have not expired. */
export const read = (sql: PgClient.PgClient, venue: string): Effect.Effect<ReadonlyArray<Kept>, SqlError.SqlError> =>
  sql.unsafe<Kept>(`SELECT id, answer FROM txc_delivery WHERE venue = $1 AND NOT ${expired}`, [venue])

/** The maximum number of expired responses that one sweep deletes. */
export const sweepSize = 5000

/**
 * Deletes expired responses of all venues, awake or not, from the database; at most {@link sweepSize} rows. Skips rows
 * that another node is deleting, so that no node waits for another.
 */
export const sweep = (sql: PgClient.PgClient): Effect.Effect<void, SqlError.SqlError> =>
  Effect.asVoid(sql.unsafe(
    `DELETE FROM txc_delivery WHERE (venue, id) IN (
      SELECT venue, id FROM txc_delivery WHERE ${expired} ORDER BY at LIMIT ${sweepSize} FOR UPDATE SKIP LOCKED
    )`
  ))

/**
 * Opens a venue's store of responses. `rows` are the responses that the database has. Until the scope is closed, the
 * store drops expired responses from memory.
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

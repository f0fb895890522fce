/** Remembers the answers to forwarded requests for as long as these may be resent. */
import type * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as SqlError from "effect/sql/SqlError"
import type { Deliveries } from "../store/Deliveries.ts"

/** An answer that is not written yet. */
export interface Kept {
  /** The id of the request. */
  readonly id: string
  /** The answer, as text. */
  readonly answer: string
}

/** The answers to a venue's requests. */
export interface KnownDeliveries extends Deliveries {
  /** Removes and returns the answers that are not written yet. The caller writes them. */
  readonly take: () => Array<Kept>
}

/**
 * How long a request may be resent, in seconds. An answer is remembered at least this long, and at most twice as long.
 */
export const lifetime = 30

/** Reads the answers of a venue to requests that may still be resent. */
export const read = (sql: PgClient.PgClient, venue: string): Effect.Effect<ReadonlyArray<Kept>, SqlError.SqlError> =>
  sql.unsafe<Kept>("SELECT id, answer FROM txc_delivery WHERE venue = $1", [venue])

/**
 * The answers of a venue, initially those in the database. Expired ones are dropped, here and there, until the scope is
 * closed.
 */
export const open = Effect.fnUntraced(function*(
  sql: PgClient.PgClient,
  venue: string,
  rows: ReadonlyArray<Kept>
): Effect.fn.Return<KnownDeliveries, never, Scope.Scope> {
  let older = new Map(rows.map(({ answer, id }) => [id, answer]))
  let latest = new Map<string, string>()
  let unwritten: Array<Kept> = []
  const forget = Effect.gen(function*() {
    yield* Effect.sleep(lifetime * 1000)
    older = latest
    latest = new Map()
    yield* sql.unsafe(
      `DELETE FROM txc_delivery WHERE venue = $1 AND at < now() - interval '${2 * lifetime} seconds'`,
      [venue]
    )
  })
  // A database that fails now is asked again later.
  yield* Effect.forkScoped(Effect.forever(Effect.catch(forget, ({ message }) => Effect.logWarning(message))))
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

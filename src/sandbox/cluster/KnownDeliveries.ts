/** The answers to requests that nodes of a cluster pass on, as long as they may be passed on again. */
import type * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as SqlError from "effect/sql/SqlError"
import type { Deliveries } from "../store/Deliveries.ts"

/** An answer that is to be written. */
export interface Kept {
  /** The id of the request. */
  readonly id: string
  /** The answer, as text. */
  readonly answer: string
}

/** The answers to a venue's requests. */
export interface KnownDeliveries extends Deliveries {
  /** The answers that have not been written, which are then to be written. */
  readonly take: () => Array<Kept>
}

/**
 * How long a request may be passed on again, in seconds. An answer is known at least as long, and at most twice as long.
 */
export const lifetime = 30

/** Reads the answers of a venue that may still be asked for. */
export const read = (sql: PgClient.PgClient, venue: string): Effect.Effect<ReadonlyArray<Kept>, SqlError.SqlError> =>
  sql.unsafe<Kept>("SELECT id, answer FROM txc_delivery WHERE venue = $1", [venue])

/**
 * The answers of a venue, beginning with those that are in the database. It forgets what is older, here and there, as long
 * as the scope lives.
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
  // A database that does not answer now is asked again.
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

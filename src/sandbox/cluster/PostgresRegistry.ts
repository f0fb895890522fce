/** The venues of a cluster, in a PostgreSQL table that all nodes share. */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as PgTypes from "@effect/sql-pg/PgTypes"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as SqlError from "effect/sql/SqlError"
import { type BoundReached, type Bounds, reached } from "../host/HostBounds.ts"
import * as Registry from "../host/Registry.ts"
import { damaged, JournalError } from "../store/JournalError.ts"
import * as PostgresJournal from "./PostgresJournal.ts"

/** The venues of a cluster. A change is durable when it succeeds. */
export interface PostgresRegistry {
  /** The token of the host's control plane, the same on all nodes. */
  readonly token: string
  /** Adds a venue, unless a bound is reached. */
  readonly add: (venue: Registry.Registered, bounds: Bounds) => Effect.Effect<void, BoundReached | JournalError>
  /** The record of a venue; `undefined` if there is none, or its time to live is over. */
  readonly find: (id: string) => Effect.Effect<Registry.Registered | undefined, JournalError>
  /** The venues of an owner, or all, in the order in which they were created, and whether each is awake on a node. */
  readonly list: (owner?: string) => Effect.Effect<ReadonlyArray<Listed>, JournalError>
  /** The venues that were added after a place; all of them after place 0. */
  readonly addedAfter: (place: number) => Effect.Effect<ReadonlyArray<Added>, JournalError>
  /** The ids among these that have a venue. */
  readonly present: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>, JournalError>
  /** The number of venues. */
  readonly count: Effect.Effect<number, JournalError>
  /** Ends a venue, with everything that was stored for it; `false` if there was none. */
  readonly remove: (id: string) => Effect.Effect<boolean, JournalError>
  /** Ends the venues whose time to live is over. Returns their ids. */
  readonly removeEnded: Effect.Effect<ReadonlyArray<string>, JournalError>
  /** Takes the memory that a venue saved when it fell asleep: the saved copy is removed. */
  readonly recall: (id: string) => Effect.Effect<Uint8Array | undefined, JournalError>
  /** Saves the memory of a venue, unless its journal was taken over since `epoch`. */
  readonly remember: (id: string, epoch: number, memory: Uint8Array) => Effect.Effect<void, JournalError>
}

/** A venue in a list. */
export interface Listed {
  /** Its record. */
  readonly registered: Registry.Registered
  /** Whether it is awake on a node. */
  readonly awake: boolean
}

/** A venue that was added. */
export interface Added {
  /** Its record. */
  readonly registered: Registry.Registered
  /** Its place among all venues ever added. */
  readonly place: number
}

const subject = "the list of venues"

interface Row {
  readonly record: string
}

const decode = ({ record }: Row): Effect.Effect<Registry.Registered, JournalError> =>
  Effect.mapError(
    Effect.fromResult(Registry.decode(record)),
    () => damaged(subject, "an entry can't be read; another release may have written it")
  )

const otherToken = new JournalError({
  why: "failed",
  file: "of the cluster",
  reason: "its nodes have another token than TXC_HOST_TOKEN; use theirs, or leave it out. To give the cluster " +
    "this one, run `effect-txc host --migrate` with it, and then start each node again"
})

/** The token of the nodes: the stored one, or, if there is none, this one. */
const tokenOf = Effect.fnUntraced(function*(sql: PgClient.PgClient, token: string, isGiven: boolean) {
  return yield* sql.withTransaction(Effect.gen(function*() {
    // If two nodes start at once, the second finds the token of the first.
    yield* sql.unsafe("SELECT pg_advisory_xact_lock(hashtext('effect-txc token'))")
    const [known] = yield* sql.unsafe<{ token: string }>("SELECT token FROM txc_host")
    if (known === undefined) yield* sql.unsafe("INSERT INTO txc_host (token) VALUES ($1)", [token])
    else if (isGiven && known.token !== token) return yield* otherToken
    return known?.token ?? token
  }))
})

/** Replaces the token of the cluster. Running nodes keep theirs until they restart. */
export const setToken = Effect.fnUntraced(function*(
  token: string
): Effect.fn.Return<void, SqlError.SqlError, PgClient.PgClient> {
  const sql = yield* PgClient.PgClient
  yield* sql.withTransaction(
    Effect.andThen(
      sql.unsafe("DELETE FROM txc_host"),
      sql.unsafe("INSERT INTO txc_host (token) VALUES ($1)", [token])
    )
  )
})

const adding = (sql: PgClient.PgClient, venue: Registry.Registered, bounds: Bounds) =>
  sql.withTransaction(Effect.gen(function*() {
    const { endsAt, id, owner } = venue
    // Counts are serialised, so that two nodes can't both take the last place.
    yield* sql.unsafe("SELECT pg_advisory_xact_lock(hashtext('effect-txc hosted'))")
    const [counted] = yield* sql.unsafe<{ all: number; own: number }>(
      `SELECT count(*)::int AS "all", (count(*) FILTER (WHERE owner = $1))::int AS own FROM txc_hosted`,
      [owner]
    )
    const { all = 0, own = 0 } = counted ?? {}
    if (all >= bounds.maxVenues) return reached(bounds, "maxVenues")
    if (own >= bounds.maxPerOwner) return reached(bounds, "maxPerOwner")
    yield* sql.unsafe(
      "INSERT INTO txc_hosted (venue, owner, record, ends_at) VALUES ($1, $2, $3, $4)",
      [id, owner, Registry.encode(venue), PgTypes.int8(endsAt === undefined ? null : BigInt(endsAt))]
    )
    return undefined
  }))

const removing = (sql: PgClient.PgClient, ids: ReadonlyArray<string>) =>
  Effect.forEach(ids, (id) =>
    sql.withTransaction(Effect.gen(function*() {
      const rows = yield* sql.unsafe("DELETE FROM txc_hosted WHERE venue = $1 RETURNING 1", [id])
      // Its owner can't write any more, and learns that the venue has ended.
      yield* sql.unsafe("DELETE FROM txc_venue WHERE venue = $1", [id])
      yield* sql.unsafe("DELETE FROM txc_memory WHERE venue = $1", [id])
      return rows.length > 0
    })))

const listing = Effect.fnUntraced(function*(sql: PgClient.PgClient, owner: string | undefined, now: unknown) {
  const rows = yield* sql.unsafe<Row & { awake: boolean }>(
    `SELECT record, node IS NOT NULL AS awake FROM txc_hosted LEFT JOIN txc_venue USING (venue)
    WHERE ($1::text IS NULL OR owner = $1) AND (ends_at IS NULL OR ends_at > $2) ORDER BY place`,
    [PgTypes.text(owner ?? null), now]
  )
  return yield* Effect.forEach(
    rows,
    (row) => Effect.map(decode(row), (registered): Listed => ({ registered, awake: row.awake }))
  )
})

/**
 * The venues of a cluster. `token` is stored if there is none yet. If `isGiven`, opening fails if a different one is
 * stored.
 */
export const open = Effect.fnUntraced(function*(
  token: string,
  isGiven: boolean
): Effect.fn.Return<PostgresRegistry, JournalError, PgClient.PgClient> {
  const sql = yield* PgClient.PgClient
  const failing = PostgresJournal.inTime(subject)
  const now = Effect.map(Clock.currentTimeMillis, (millis) => PgTypes.int8(BigInt(millis)))
  return {
    token: yield* failing(tokenOf(sql, token, isGiven)),
    add: (venue, bounds) =>
      Effect.flatMap(
        failing(adding(sql, venue, bounds)),
        (over) => over === undefined ? Effect.void : Effect.fail(over)
      ),
    find: (id) =>
      failing(Effect.gen(function*() {
        const [row] = yield* sql.unsafe<Row>(
          "SELECT record FROM txc_hosted WHERE venue = $1 AND (ends_at IS NULL OR ends_at > $2)",
          [id, yield* now]
        )
        return row === undefined ? undefined : yield* decode(row)
      })),
    list: (owner) => failing(Effect.flatMap(now, (at) => listing(sql, owner, at))),
    addedAfter: (place) =>
      failing(Effect.gen(function*() {
        const rows = yield* sql.unsafe<Row & { place: bigint }>(
          "SELECT record, place FROM txc_hosted WHERE place > $1 ORDER BY place",
          [PgTypes.int8(BigInt(place))]
        )
        return yield* Effect.forEach(rows, (row) =>
          Effect.map(decode(row), (registered) => ({ registered, place: Number(row.place) })))
      })),
    present: (ids) =>
      failing(Effect.map(
        sql.unsafe<{ venue: string }>("SELECT venue FROM txc_hosted WHERE venue = ANY($1)", [
          Result.getOrThrow(PgTypes.array(ids, PgTypes.OID.text))
        ]),
        (rows) => new Set(rows.map(({ venue }) => venue))
      )),
    count: failing(
      Effect.map(sql.unsafe<{ n: number }>("SELECT count(*)::int AS n FROM txc_hosted"), ([row]) => row?.n ?? 0)
    ),
    remove: (id) => Effect.map(failing(removing(sql, [id])), ([was]) => was === true),
    removeEnded: failing(Effect.gen(function*() {
      const rows = yield* sql.unsafe<{ venue: string }>("SELECT venue FROM txc_hosted WHERE ends_at <= $1", [
        yield* now
      ])
      const ids = rows.map(({ venue }) => venue)
      yield* removing(sql, ids)
      return ids
    })),
    recall: (id) =>
      Effect.map(
        failing(sql.unsafe<{ bytes: Uint8Array }>("DELETE FROM txc_memory WHERE venue = $1 RETURNING bytes", [id])),
        ([row]) => row?.bytes
      ),
    remember: (id, epoch, memory) =>
      Effect.asVoid(failing(sql.unsafe(
        `INSERT INTO txc_memory (venue, bytes) SELECT venue, $3 FROM txc_venue JOIN txc_hosted USING (venue)
        WHERE venue = $1 AND epoch = $2 FOR SHARE OF txc_venue
        ON CONFLICT (venue) DO UPDATE SET bytes = excluded.bytes`,
        [id, PgTypes.int8(BigInt(epoch)), PgTypes.bytea(memory)]
      )))
  }
})

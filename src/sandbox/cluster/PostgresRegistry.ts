/** Which venues a cluster has. Every node reads and writes the same list, in PostgreSQL. */
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
  /** The token of the hosts' control plane. All nodes have the same. */
  readonly token: string
  /** Adds a venue, unless there are as many as there may be. */
  readonly add: (venue: Registry.Registered, bounds: Bounds) => Effect.Effect<void, BoundReached | JournalError>
  /** What is known of a venue; nothing when there is none, or its time is over. */
  readonly find: (id: string) => Effect.Effect<Registry.Registered | undefined, JournalError>
  /** The venues of an owner, or all, in the order in which they were made, and whether a node has each awake. */
  readonly list: (owner?: string) => Effect.Effect<ReadonlyArray<Listed>, JournalError>
  /** The venues that were added after a place, the first of which is 0. */
  readonly addedAfter: (place: number) => Effect.Effect<ReadonlyArray<Added>, JournalError>
  /** Those of these ids that have a venue. */
  readonly present: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>, JournalError>
  /** How many venues there are. */
  readonly count: Effect.Effect<number, JournalError>
  /** Ends a venue, with everything that was kept of it; `false` when there was none. */
  readonly remove: (id: string) => Effect.Effect<boolean, JournalError>
  /** Ends the venues whose time is over, and gives their ids. */
  readonly removeEnded: Effect.Effect<ReadonlyArray<string>, JournalError>
  /** What a venue knew besides its journal when it fell asleep. It is given once. */
  readonly recall: (id: string) => Effect.Effect<Uint8Array | undefined, JournalError>
  /** Keeps what a venue knows, unless its journal has been taken over since this epoch of it. */
  readonly remember: (id: string, epoch: number, memory: Uint8Array) => Effect.Effect<void, JournalError>
}

/** A venue in a list. */
export interface Listed {
  /** What is known of it. */
  readonly registered: Registry.Registered
  /** Whether a node has it awake. */
  readonly awake: boolean
}

/** A venue that was added. */
export interface Added {
  /** What is known of it. */
  readonly registered: Registry.Registered
  /** Its place among all that were ever added. */
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
  reason:
    "its nodes have another token than the one of TXC_HOST_TOKEN; use theirs, or leave it out. To give the cluster " +
    "this one, run `effect-txc host --migrate` with it, and then start each node again"
})

/** The token that the nodes share: the one that is there, or this one where there is none. */
const tokenOf = Effect.fnUntraced(function*(sql: PgClient.PgClient, token: string, isGiven: boolean) {
  return yield* sql.withTransaction(Effect.gen(function*() {
    // Of two nodes that start at once, the second finds the first one's.
    yield* sql.unsafe("SELECT pg_advisory_xact_lock(hashtext('effect-txc token'))")
    const [known] = yield* sql.unsafe<{ token: string }>("SELECT token FROM txc_host")
    if (known === undefined) yield* sql.unsafe("INSERT INTO txc_host (token) VALUES ($1)", [token])
    else if (isGiven && known.token !== token) return yield* otherToken
    return known?.token ?? token
  }))
})

/** Gives the cluster this token. Nodes that run keep theirs until they are started again. */
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
    // Counted one after the other: no two nodes take the last place.
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
      // Its owner can write nothing more, and finds that it has ended.
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

/** The venues of a cluster. `token` is used where none is known yet; where `isGiven`, it fails if another one is. */
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

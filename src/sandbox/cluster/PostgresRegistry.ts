/** The venues of a cluster, in a PostgreSQL table that all nodes share. */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as PgTypes from "@effect/sql-pg/PgTypes"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as SqlError from "effect/sql/SqlError"
import * as Engine from "../engine/Engine.ts"
import { type BoundReached, type Bounds, reached } from "../host/HostBounds.ts"
import type { Placed } from "../host/HostModels.ts"
import * as Registry from "../host/Registry.ts"
import { damaged, JournalError } from "../store/JournalError.ts"
import * as Nodes from "./Nodes.ts"
import * as PostgresJournal from "./PostgresJournal.ts"

/** The venues of a cluster. A change is durable once its effect succeeds. */
export interface PostgresRegistry {
  /** The token of the host's control plane, which is the same on all nodes. */
  readonly token: string
  /**
   * Adds a venue and returns its record. Fails if a limit on venues is reached. The venue's time to live begins now,
   * according to the database's clock. An incomplete venue is hidden, and expires if it is not completed within an
   * hour.
   */
  readonly add: (
    venue: Registry.Registered,
    bounds: Bounds
  ) => Effect.Effect<Registry.Registered, BoundReached | JournalError>
  /** Makes an incomplete venue visible, once its journal has been written. */
  readonly complete: (venue: Registry.Registered) => Effect.Effect<Registry.Registered, JournalError>
  /** A venue's record; `undefined` if there is no such venue, or if it has expired. */
  readonly find: (id: string) => Effect.Effect<Registry.Registered | undefined, JournalError>
  /** An owner's venues, or all venues, oldest first, each with its node and stage. */
  readonly list: (owner?: string) => Effect.Effect<ReadonlyArray<Listed>, JournalError>
  /** The venues that were added after the venue with the given serial number; 0 returns all venues. */
  readonly addedAfter: (place: number) => Effect.Effect<ReadonlyArray<Added>, JournalError>
  /** Returns the given ids that belong to existing venues. */
  readonly present: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>, JournalError>
  /** The number of venues in the cluster. */
  readonly count: Effect.Effect<number, JournalError>
  /** Deletes a venue and all its stored data; `false` if there was no such venue. */
  readonly remove: (id: string) => Effect.Effect<boolean, JournalError>
  /** Deletes the venues whose time to live is over. Returns their ids. */
  readonly removeEnded: Effect.Effect<ReadonlyArray<string>, JournalError>
  /** Loads the memory that a venue saved when it fell asleep. */
  readonly recall: (id: string) => Effect.Effect<Uint8Array | undefined, JournalError>
  /** Removes the saved memory, which is out of date once the venue is awake. */
  readonly forget: (id: string) => Effect.Effect<void, JournalError>
  /** Saves a venue's memory, unless its journal has been taken over since `epoch`. */
  readonly remember: (id: string, epoch: number, memory: Uint8Array) => Effect.Effect<void, JournalError>
}

/** A listed venue, with its node and stage. */
export interface Listed {
  /** The venue's record. */
  readonly registered: Registry.Registered
  /** The venue's node and stage. */
  readonly placed: Placed
}

/** A venue and its serial number. */
export interface Added {
  /** The venue's record. */
  readonly registered: Registry.Registered
  /** The venue's serial number. Venues are numbered in the order in which they were added. */
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
    "its nodes have a token other than TXC_HOST_TOKEN; use their token, or unset TXC_HOST_TOKEN. To give the cluster " +
    "a new token, run `effect-txc host --migrate` with TXC_HOST_TOKEN set to it, and then restart each node"
})

/**
 * Returns the cluster's stored token. If no token is stored, stores and returns `token`. Fails if `isGiven` is true and
 * a different token is stored.
 */
const tokenOf = Effect.fnUntraced(function*(sql: PgClient.PgClient, token: string, isGiven: boolean) {
  return yield* sql.withTransaction(Effect.gen(function*() {
    // If two nodes start at the same time, the second finds the token of the first.
    yield* sql.unsafe("SELECT pg_advisory_xact_lock('txc_host'::regclass::bigint)")
    const [known] = yield* sql.unsafe<{ token: string }>("SELECT token FROM txc_host")
    if (known === undefined) yield* sql.unsafe("INSERT INTO txc_host (token) VALUES ($1)", [token])
    else if (isGiven && known.token !== token) return yield* otherToken
    return known?.token ?? token
  }))
})

/** Replaces the cluster's token. Running nodes use the old token until they restart. */
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

/** The SQL expression for the database's clock, in Unix milliseconds. */
const clock = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"

/** The time limit for completing an incomplete venue, in milliseconds. */
const completion = 3_600_000

/** The record of a venue whose time to live begins at `now`. */
const startingAt = (venue: Registry.Registered, now: number): Registry.Registered =>
  venue.endsAt === undefined ? venue : { ...venue, endsAt: now + venue.endsAt - venue.madeAt }

const endOf = ({ endsAt }: Registry.Registered) => PgTypes.int8(endsAt === undefined ? null : BigInt(endsAt))

const adding = (sql: PgClient.PgClient, venue: Registry.Registered, bounds: Bounds) =>
  sql.withTransaction(Effect.gen(function*() {
    const { id, owner } = venue
    // Lets only one node at a time count the venues, so that two nodes can't both add the last venue that a limit
    // allows.
    yield* sql.unsafe("SELECT pg_advisory_xact_lock('txc_hosted'::regclass::bigint)")
    const [counted] = yield* sql.unsafe<{ all: number; own: number; now: bigint }>(
      `SELECT count(*)::int AS "all", (count(*) FILTER (WHERE owner = $1))::int AS own, ${clock} AS now FROM txc_hosted`,
      [owner]
    )
    const { all = 0, now = 0n, own = 0 } = counted ?? {}
    if (all >= bounds.maxVenues) return reached(bounds, "maxVenues")
    if (own >= bounds.maxPerOwner) return reached(bounds, "maxPerOwner")
    const added = startingAt(venue, Number(now))
    yield* sql.unsafe(
      "INSERT INTO txc_hosted (venue, owner, record, ends_at) VALUES ($1, $2, $3, $4)",
      [id, owner, Registry.encode(added), venue.partial ? PgTypes.int8(now + BigInt(completion)) : endOf(added)]
    )
    return added
  }))

const completing = Effect.fnUntraced(function*(sql: PgClient.PgClient, venue: Registry.Registered) {
  const [row] = yield* sql.unsafe<{ now: bigint }>(`SELECT ${clock} AS now`)
  const complete = { ...startingAt(venue, Number(row?.now)), partial: false }
  const found = yield* sql.unsafe("UPDATE txc_hosted SET record = $2, ends_at = $3 WHERE venue = $1 RETURNING 1", [
    venue.id,
    Registry.encode(complete),
    endOf(complete)
  ])
  if (found.length > 0) return complete
  return yield* new JournalError({ why: "failed", file: venue.id, reason: "it was deleted while it was being copied" })
})

const removing = (sql: PgClient.PgClient, ids: ReadonlyArray<string>) =>
  Effect.forEach(ids, (id) =>
    sql.withTransaction(Effect.gen(function*() {
      const rows = yield* sql.unsafe("DELETE FROM txc_hosted WHERE venue = $1 RETURNING 1", [id])
      // From now on, the venue's node can't write, and discovers that the venue has been deleted.
      yield* sql.unsafe("DELETE FROM txc_venue WHERE venue = $1", [id])
      yield* sql.unsafe("DELETE FROM txc_memory WHERE venue = $1", [id])
      return rows.length > 0
    })))

/** The SQL condition for a venue whose time to live is not over, according to the database's clock. */
const lives = `(ends_at IS NULL OR ends_at > ${clock})`

interface PlacedRow extends Row {
  readonly venue: string
  readonly node: string | null
  readonly since: bigint | null
}

/** Determines a venue's node and stage from the table and from the nodes' reports. */
const placedBy = (nodes: ReadonlyArray<Nodes.Node>) => {
  const live = nodes.filter(({ state }) => state !== "lost")
  const addresses = new Set(live.map(({ node }) => node))
  const staged = new Map(live.flatMap(({ node, stages }) => stages.map((venue) => [venue.id, { ...venue, node }])))
  return ({ node, since, venue }: PlacedRow, registered: Registry.Registered): Placed => {
    const { engine = Engine.version } = registered
    const found = staged.get(venue)
    if (found !== undefined) return { stage: found.stage, since: found.since * 1000, node: found.node, engine }
    if (node === null) return { stage: "asleep", ...(since === null ? {} : { since: Number(since) }), engine }
    return { stage: addresses.has(node) ? "awake" : "lost", node, since: Number(since), engine }
  }
}

/** An owner's venues, or all venues, oldest first, each with its node and stage. */
export const listing = Effect.fnUntraced(function*(
  owner: string | undefined
): Effect.fn.Return<ReadonlyArray<Listed>, JournalError | SqlError.SqlError, PgClient.PgClient> {
  const sql = yield* PgClient.PgClient
  const rows = yield* sql.unsafe<PlacedRow>(
    `SELECT venue, record, node, (extract(epoch FROM since) * 1000000)::bigint AS since
    FROM txc_hosted LEFT JOIN txc_venue USING (venue)
    WHERE ($1::text IS NULL OR owner = $1) AND ${lives} ORDER BY place`,
    [PgTypes.text(owner ?? null)]
  )
  const placed = placedBy(yield* Nodes.list(sql))
  const all = yield* Effect.forEach(
    rows,
    (row) => Effect.map(decode(row), (registered): Listed => ({ registered, placed: placed(row, registered) }))
  )
  return all.filter(({ registered }) => !registered.partial)
})

/**
 * Opens a cluster's registry. `token` is stored if no token is stored yet. If `isGiven` is true, opening fails when a
 * different token is stored.
 */
export const open = Effect.fnUntraced(function*(
  token: string,
  isGiven: boolean
): Effect.fn.Return<PostgresRegistry, JournalError, PgClient.PgClient> {
  const sql = yield* PgClient.PgClient
  const failing = PostgresJournal.inTime(subject)
  return {
    token: yield* failing(tokenOf(sql, token, isGiven)),
    add: Effect.fnUntraced(function*(venue, bounds) {
      const added = yield* failing(adding(sql, venue, bounds))
      return "bound" in added ? yield* added : added
    }),
    complete: (venue) => failing(completing(sql, venue)),
    find: (id) =>
      failing(Effect.gen(function*() {
        const [row] = yield* sql.unsafe<Row>(
          `SELECT record FROM txc_hosted WHERE venue = $1 AND ${lives}`,
          [id]
        )
        const registered = row === undefined ? undefined : yield* decode(row)
        return registered?.partial === true ? undefined : registered
      })),
    list: (owner) => failing(Effect.provideService(listing(owner), PgClient.PgClient, sql)),
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
      const rows = yield* sql.unsafe<{ venue: string }>(`SELECT venue FROM txc_hosted WHERE ends_at <= ${clock}`)
      const ids = rows.map(({ venue }) => venue)
      yield* removing(sql, ids)
      return ids
    })),
    recall: (id) =>
      Effect.map(
        failing(sql.unsafe<{ bytes: Uint8Array }>("SELECT bytes FROM txc_memory WHERE venue = $1", [id])),
        ([row]) => row?.bytes
      ),
    forget: (id) => Effect.asVoid(failing(sql.unsafe("DELETE FROM txc_memory WHERE venue = $1", [id]))),
    remember: (id, epoch, memory) =>
      Effect.asVoid(failing(sql.unsafe(
        `INSERT INTO txc_memory (venue, bytes) SELECT venue, $3 FROM txc_venue JOIN txc_hosted USING (venue)
        WHERE venue = $1 AND epoch = $2 FOR SHARE OF txc_venue
        ON CONFLICT (venue) DO UPDATE SET bytes = excluded.bytes`,
        [id, PgTypes.int8(BigInt(epoch)), PgTypes.bytea(memory)]
      )))
  }
})

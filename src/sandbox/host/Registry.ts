/** The registry of a host's venues: a crash-safe SQLite database. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { closeSync, existsSync, mkdirSync, openSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { fromSqlite, JournalError } from "../store/JournalError.ts"

/** A venue's API key. */
export interface VenueKey {
  /** The account that the key belongs to. */
  readonly account: string
  /** The public part, which is sent with each call. */
  readonly apiKey: string
  /** The secret, with which calls are signed. */
  readonly apiSecret: string
}

/** The schema of {@link VenueKey}. */
export const VenueKey: Schema.Codec<VenueKey, unknown> = Schema.Struct({
  account: Schema.String,
  apiKey: Schema.String,
  apiSecret: Schema.String
})

/** A venue's record. */
export interface Registered {
  /** The venue's id: lower-case letters and digits, valid as a DNS label. */
  readonly id: string
  /** The owner's name. */
  readonly owner: string
  /** The token of the venue's control plane. */
  readonly controlToken: string
  /** The venue's dialect. */
  readonly dialect: "document" | "live"
  /** Whether the venue accepts reduce-only orders, or refuses them as not yet available. */
  readonly reduceOnly: "accepted" | "announced"
  /** The seed for random faults. */
  readonly seed: number
  /** The time at which the venue's clock is frozen, in Unix microseconds; absent if the clock runs. */
  readonly clock?: number
  /** Whether the venue started with the example. */
  readonly example: boolean
  /** The engine version that wrote the venue's journal; absent in records written by earlier releases. */
  readonly engine?: number
  /** The prefix of the ids that the venue assigns. */
  readonly identity: string
  /** The venue's initial keys, keyed by account name, or by key title for the example's sub-accounts. */
  readonly keys: Readonly<Record<string, VenueKey>>
  /** The creation time, in Unix milliseconds. */
  readonly madeAt: number
  /** The end of the venue's time to live, in Unix milliseconds; absent if the venue has no time to live. */
  readonly endsAt?: number
  /** The venue's own port, if the venue has a port. */
  readonly port?: number
  /** Whether the venue's journal has commands. If so, its initial commands are not applied again. */
  readonly begun?: boolean
  /**
   * Whether the venue is being created or removed. If a crash leaves an incomplete venue behind, the host removes that
   * venue at its next start.
   */
  readonly partial: boolean
}

const key = Schema.optionalKey

const Registered = Schema.fromJsonString(Schema.Struct({
  id: Schema.String,
  owner: Schema.String,
  controlToken: Schema.String,
  dialect: Schema.Literals(["document", "live"]),
  reduceOnly: Schema.Literals(["accepted", "announced"]),
  seed: Schema.Int,
  clock: key(Schema.Int),
  example: Schema.Boolean,
  engine: key(Schema.Int),
  identity: Schema.String,
  keys: Schema.Record(Schema.String, VenueKey),
  madeAt: Schema.Int,
  endsAt: key(Schema.Int),
  port: key(Schema.Int),
  begun: key(Schema.Boolean),
  partial: Schema.Boolean
}))

/** Decodes a venue's record. */
export const decode: (text: unknown) => Result.Result<Registered, Schema.SchemaError> = Schema.decodeUnknownResult(
  Registered
)

const encodeResult = Schema.encodeResult(Registered)

/** Encodes a venue's record. */
export const encode = (venue: Registered): string => Result.getOrThrow(encodeResult(venue))

/** The records of a host's venues. A change is durable once its effect succeeds; the effect fails if the disk fails. */
export interface Registry {
  /** The host's token, which stays the same when the host restarts. */
  readonly token: string
  /** The venues that the registry contained when the host started. */
  readonly venues: ReadonlyArray<Registered>
  /** Writes a venue's record, replacing the previous record. */
  readonly put: (venue: Registered) => Effect.Effect<void, JournalError>
  /** Removes a venue's record. */
  readonly remove: (id: string) => Effect.Effect<void, JournalError>
}

/** Marks a database as a registry: SQLite's `application_id`. */
const applicationId = 0x54584831

/** The version of the registry's format. */
const version = 1

const prepare = (database: DatabaseSync): string | undefined => {
  const id = Number(database.prepare("PRAGMA application_id").get()?.["application_id"])
  const tables = Number(database.prepare("SELECT count(*) AS n FROM sqlite_schema").get()?.["n"])
  if (id !== applicationId && (id !== 0 || tables > 0))
    return "it is another program's database; use another folder"
  const found = Number(database.prepare("PRAGMA user_version").get()?.["user_version"])
  if (tables > 0 && found !== version) {
    return `it has version ${found}, and this program needs version ${version}; use another folder`
  }
  database.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
  database.exec(`
    BEGIN IMMEDIATE;
    PRAGMA application_id = ${applicationId};
    PRAGMA user_version = ${version};
    CREATE TABLE IF NOT EXISTS host (token TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS venue (id TEXT PRIMARY KEY, record TEXT NOT NULL);
    COMMIT`)
  return undefined
}

/** Returns the stored token. If no token is stored, or if `isGiven` is true, stores and returns `token`. */
const tokenIn = (database: DatabaseSync, token: string, isGiven: boolean): string => {
  const known = database.prepare("SELECT token FROM host").get()?.["token"]
  if (typeof known === "string" && !isGiven) return known
  database.exec("DELETE FROM host")
  database.prepare("INSERT INTO host (token) VALUES (?)").run(token)
  return token
}

const readAll = (database: DatabaseSync, file: string): Result.Result<ReadonlyArray<Registered>, JournalError> => {
  const venues: Array<Registered> = []
  for (const { id, record } of database.prepare("SELECT id, record FROM venue ORDER BY rowid").iterate()) {
    const decoded = decode(record)
    if (Result.isFailure(decoded)) {
      const reason = `its record of the venue ${String(id)} can't be read; delete that row, or use another folder`
      return Result.fail(new JournalError({ why: "damaged", file, reason }))
    }
    venues.push(decoded.success)
  }
  return Result.succeed(venues)
}

/**
 * Opens or creates the registry of a folder. The registry closes when the scope closes, and is locked against other
 * processes until then. `token` is used if no token is stored. If `isGiven` is true, `token` replaces the stored token.
 */
export const open = Effect.fnUntraced(function*(
  folder: string,
  token: string,
  isGiven: boolean
): Effect.fn.Return<Registry, JournalError, Scope.Scope> {
  const file = `${folder}/host.sqlite`
  const attempt = <A>(work: () => A) => Effect.try({ try: work, catch: fromSqlite(file) })
  yield* attempt(() => {
    mkdirSync(`${folder}/venues`, { recursive: true, mode: 0o700 })
    // The file contains tokens, so from the start only the user of this process may read it.
    if (!existsSync(file)) closeSync(openSync(file, "a", 0o600))
  })
  const database = yield* Effect.acquireRelease(
    attempt(() => new DatabaseSync(file)),
    (database) => Effect.sync(() => database.close())
  )
  const wrong = yield* attempt(() => prepare(database))
  if (wrong !== undefined) return yield* new JournalError({ why: "foreign", file, reason: wrong })
  const kept = yield* attempt(() => tokenIn(database, token, isGiven))
  const venues = yield* Effect.flatten(Effect.map(attempt(() => readAll(database, file)), Effect.fromResult))
  const put = database.prepare(
    "INSERT INTO venue (id, record) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET record = excluded.record"
  )
  const remove = database.prepare("DELETE FROM venue WHERE id = ?")
  return {
    token: kept,
    venues,
    put: (venue) => attempt(() => void put.run(venue.id, encode(venue))),
    remove: (id) => attempt(() => void remove.run(id))
  }
})

/** Which venues a host has. It is kept in an SQLite database of its own, so that it survives a crash. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { closeSync, existsSync, mkdirSync, openSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { fromSqlite, JournalError } from "../store/JournalError.ts"

/** An API key of a venue. */
export interface VenueKey {
  /** The account. */
  readonly account: string
  /** The public part. */
  readonly apiKey: string
  /** What its calls are signed with. */
  readonly apiSecret: string
}

/** The schema of {@link VenueKey}. */
export const VenueKey: Schema.Codec<VenueKey, unknown> = Schema.Struct({
  account: Schema.String,
  apiKey: Schema.String,
  apiSecret: Schema.String
})

/** What is known of a venue while it sleeps. */
export interface Registered {
  /** Its id: lower-case letters and digits, as a part of a host name may have. */
  readonly id: string
  /** Who made it. */
  readonly owner: string
  /** The token of its control plane. */
  readonly controlToken: string
  /** Its dialect. */
  readonly dialect: "document" | "live"
  /** Whether reduce-only orders are accepted, or refused as not available yet. */
  readonly reduceOnly: "accepted" | "announced"
  /** Decides the chances of faults. */
  readonly seed: number
  /** The time at which its clock stands still, in Unix microseconds; absent when the clock runs. */
  readonly clock?: number
  /** Whether it began with the example. */
  readonly example: boolean
  /** What its identifiers begin with. */
  readonly identity: string
  /** The keys that it began with, by account. */
  readonly keys: Readonly<Record<string, VenueKey>>
  /** When it was made, in Unix milliseconds. */
  readonly madeAt: number
  /** When it ends, in Unix milliseconds; absent when it lives until it is ended. */
  readonly endsAt?: number
  /** The port that it has to itself, if it has one. */
  readonly port?: number
  /** Whether it is not complete yet, or no more: it is removed when the host starts. */
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
  identity: Schema.String,
  keys: Schema.Record(Schema.String, VenueKey),
  madeAt: Schema.Int,
  endsAt: key(Schema.Int),
  port: key(Schema.Int),
  partial: Schema.Boolean
}))

/** What is known of a venue, of the text that `encode` has made. */
export const decode: (text: unknown) => Result.Result<Registered, Schema.SchemaError> = Schema.decodeUnknownResult(
  Registered
)

const encodeResult = Schema.encodeResult(Registered)

/** What is known of a venue, as text. */
export const encode = (venue: Registered): string => Result.getOrThrow(encodeResult(venue))

/** The venues of a host. A change is durable when it returns, and dies when the disk fails. */
export interface Registry {
  /** The host's token, which stays the same when the host starts again. */
  readonly token: string
  /** The venues as they were when the host was started. */
  readonly venues: ReadonlyArray<Registered>
  /** Writes what is known of a venue, in place of what was known. */
  readonly put: (venue: Registered) => Effect.Effect<void, JournalError>
  /** Forgets a venue. */
  readonly remove: (id: string) => Effect.Effect<void, JournalError>
}

/** Marks a database as a registry: SQLite's `application_id`. */
const applicationId = 0x54584831

/** The version of the registry's form. */
const version = 1

const prepare = (database: DatabaseSync): string | undefined => {
  const id = Number(database.prepare("PRAGMA application_id").get()?.["application_id"])
  const tables = Number(database.prepare("SELECT count(*) AS n FROM sqlite_schema").get()?.["n"])
  if (id !== applicationId && (id !== 0 || tables > 0))
    return "it is a database of another program; name another folder"
  const found = Number(database.prepare("PRAGMA user_version").get()?.["user_version"])
  if (tables > 0 && found !== version) {
    return `it has version ${found}, and this program needs version ${version}; name another folder`
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

/** The token that was kept, or this one, which is kept from now on. */
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
      const reason = `what it says of the venue ${String(id)} can't be read; delete that row, or name another folder`
      return Result.fail(new JournalError({ why: "damaged", file, reason }))
    }
    venues.push(decoded.success)
  }
  return Result.succeed(venues)
}

/**
 * Opens the registry of a folder, or creates it. It is closed with the scope. No other process opens it meanwhile.
 * `token` is used where no other is known; `isGiven` says that it replaces the one that is.
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
    // It holds tokens: it is private from the first byte on.
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

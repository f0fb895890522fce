/**
 * The PostgreSQL database that the nodes of a cluster share: the connection, with or without TLS, and remedies for
 * database errors.
 *
 * In the database's URL, `sslmode` and `sslrootcert` mean the same as in `psql`. A URL with an unknown parameter is an
 * error, because ignoring a TLS setting could make a connection less secure than intended.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import type * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as SqlClient from "effect/sql/SqlClient"
import * as SqlError from "effect/sql/SqlError"
import { readFileSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { checkServerIdentity, type ConnectionOptions } from "node:tls"
import { JournalError } from "../store/JournalError.ts"

/** The maximum number of database connections per node, one of which is reserved for locks. */
const maxConnections = 10

const unusable = (reason: string) => new JournalError({ why: "failed", file: "of the cluster", reason })

const rootOf = (file: string): Result.Result<ConnectionOptions, JournalError> =>
  Result.try({
    try: () => ({ ca: readFileSync(file) }),
    catch: (error) => unusable(`sslrootcert in the URL of its database can't be read: ${(error as Error).message}`)
  })

/** Verifies the certificate chain, but not the host name. */
const anyName: ConnectionOptions = { checkServerIdentity: () => undefined }

/** The TLS settings in a URL; `false` for no TLS. */
const tlsOf = ({ searchParams }: URL): Result.Result<ConnectionOptions | false, JournalError> => {
  const mode = searchParams.get("sslmode") ?? "disable"
  const file = searchParams.get("sslrootcert") ?? undefined
  const root = file === undefined || file === "system" ? Result.succeed({}) : rootOf(file)
  switch (mode) {
    case "disable":
      return file === undefined
        ? Result.succeed(false)
        : Result.fail(unusable("the URL of its database has sslrootcert but no TLS; add sslmode=verify-full"))
    case "require":
      return file === undefined
        ? Result.succeed({ rejectUnauthorized: false })
        : Result.map(root, (options) => ({ ...options, ...anyName }))
    case "verify-ca":
      return Result.map(root, (options) => ({ ...options, ...anyName }))
    case "verify-full":
      return root
    default:
      return Result.fail(unusable(
        `the URL of its database has sslmode=${mode}; it can be disable, require, verify-ca or verify-full`
      ))
  }
}

/** The supported URL parameters. */
const parameters: ReadonlySet<string> = new Set([
  "host",
  "port",
  "user",
  "password",
  "dbname",
  "options",
  "connect_timeout",
  "sslmode",
  "sslrootcert"
])

const noUrl = unusable("the URL of its database must be like postgres://user:password@db.internal:5432/effect_txc")

/** Separates a URL's hosts from the rest of the URL. */
const authority = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/su

/** A server named in a URL. */
interface Place {
  readonly host: string
  readonly port: number
}

/** A parsed URL: the URL reduced to its first host, and the list of all hosts, which is empty if there is only one. */
interface Parsed {
  readonly url: URL
  readonly places: ReadonlyArray<Place>
}

/** Parses a PostgreSQL database URL. */
const parsed = (text: string): Result.Result<Parsed, JournalError> => {
  const [, before, hosts = "", after] = authority.exec(text) ?? []
  // A URL without a host is valid, because its parameters may name a socket. `URL` needs a host to parse it.
  const urls = hosts.split(",").map((host) => `${before}${host === "" ? "localhost" : host}${after}`)
  const [first] = urls
  if (before === undefined || first === undefined || !urls.every((url) => URL.canParse(url))) return Result.fail(noUrl)
  const url = new URL(first)
  const unknown = [...url.searchParams.keys()].find((name) => !parameters.has(name))
  if (unknown !== undefined) {
    return Result.fail(unusable(
      `the URL of its database has ${unknown}, which is not supported. Leave it out, or use ${
        [...parameters].join(", ")
      }`
    ))
  }
  const places = urls.map((each) => new URL(each)).map(({ hostname, port }) => ({
    host: hostname.replaceAll(/^\[|\]$/gu, ""),
    port: port === "" ? 5432 : Number(port)
  }))
  return Result.succeed({ url, places: places.length > 1 ? places : [] })
}

/** The connection settings, except the server. */
const settingsOf = (url: URL, ssl: ConnectionOptions | false, connections: number) => ({
  url: Redacted.make(url.href),
  ssl,
  maxConnections: connections,
  ...(url.searchParams.has("connect_timeout") ? {} : { connectTimeout: "5 seconds" as const }),
  applicationName: "effect-txc",
  // No caller waits longer than ten seconds for a statement.
  startupParameters: { statement_timeout: "10s" }
})

/** Whether a given server, one of several in a URL, accepts connections and writes. */
const isPrimary = (url: URL, ssl: ConnectionOptions | false, { host, port }: Place): Effect.Effect<boolean> =>
  Effect.flatMap(PgClient.PgClient, isReadOnly).pipe(
    Effect.map((readOnly) => !readOnly),
    Effect.provide(Layer.fresh(PgClient.layer({ ...settingsOf(url, ssl, 1), host, port }))),
    Effect.scoped,
    Effect.orElseSucceed(() => false)
  )

/**
 * Returns a function that connects to one of several servers, starting at index `first`. If a server can't be reached
 * or does not respond, the next call to the function connects to the next server.
 */
const connector = (places: ReadonlyArray<Place>, first: number) => {
  let at = first
  return (): Socket => {
    const place = at
    const { host, port } = places[place % places.length] ?? { host: "", port: 0 }
    const socket = connect({ host, port, noDelay: true })
    socket.once("close", () => {
      if (socket.bytesRead === 0 && at === place) at++
    })
    return socket
  }
}

/**
 * The TLS settings for several servers: each server's certificate must be valid for at least one of the servers' names.
 */
const anyOf = (places: ReadonlyArray<Place>, ssl: ConnectionOptions | false): ConnectionOptions | false =>
  places.length === 0 || ssl === false || ssl.checkServerIdentity !== undefined || ssl.rejectUnauthorized === false ?
    ssl :
    {
      ...ssl,
      checkServerIdentity: (_host, certificate) => {
        const errors = places.map(({ host }) => checkServerIdentity(host, certificate))
        return errors.includes(undefined) ? undefined : errors[0]
      }
    }

/**
 * Provides the cluster's database. The layer connects on first use, and disconnects when it is closed. It fails if the
 * URL is invalid. If the URL names several servers, the layer uses the first server that accepts writes.
 */
export const layer = (url: string): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient, JournalError> =>
  Layer.unwrap(Effect.gen(function*() {
    const { places, url: target } = yield* Effect.fromResult(parsed(url))
    const ssl = anyOf(places, yield* Effect.fromResult(tlsOf(target)))
    const found = yield* Effect.findFirst(places.keys(), (index) => {
      const place = places[index]
      return place === undefined ? Effect.succeed(false) : isPrimary(target, ssl, place)
    })
    const first = Option.getOrElse(found, () => 0)
    return PgClient.layer({
      ...settingsOf(target, ssl, maxConnections),
      ...(places.length === 0 ? {} : { stream: connector(places, first) })
    }).pipe(Layer.catch((error) => Layer.effectContext(Effect.fail(unreachable(error)))))
  }))

/**
 * The schema of the cluster's tables: the first schema on the search path that has the tables; `undefined` if there is
 * no such schema. Does not use `to_regclass`, because a connection might cache its negative result for a while.
 */
export const schema: Effect.Effect<string | undefined, SqlError.SqlError, SqlClient.SqlClient> = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) =>
    Effect.map(
      sql.unsafe<{ schema: string }>(
        `SELECT schemaname AS schema FROM pg_tables
        WHERE tablename = 'txc_version' AND schemaname = ANY(current_schemas(false))
        ORDER BY array_position(current_schemas(false), schemaname) LIMIT 1`
      ),
      ([row]) => row?.schema
    )
)

/** Whether the database refuses to write: it is a standby, or is configured as read-only. */
export const isReadOnly = (sql: SqlClient.SqlClient): Effect.Effect<boolean, SqlError.SqlError> =>
  Effect.map(
    sql.unsafe<{ value: string }>("SELECT current_setting('transaction_read_only') AS value"),
    ([row]) => row?.value === "on"
  )

/**
 * Abandons database work after a time limit, without waiting until the work has stopped, because canceling a statement
 * takes seconds when the database is unreachable.
 */
export const within =
  (time: Duration.Input) => <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, Cause.TimeoutError | E, R> =>
    Effect.flatMap(
      Effect.forkDetach(work, { startImmediately: true }),
      (fiber) => Effect.onInterrupt(Fiber.join(fiber), () => Effect.sync(() => fiber.interruptUnsafe()))
    ).pipe(Effect.timeout(time))

/** The message from PostgreSQL, the network or TLS. The SQL client's own message names only the operation. */
const wordsOf = ({ message, reason }: SqlError.SqlError): { readonly code: string; readonly words: string } => {
  const { cause } = reason
  if (!(cause instanceof Error)) return { code: "", words: message }
  const { code = "" } = cause as NodeJS.ErrnoException
  return { code, words: cause.message === "" ? `${message} (${code})` : cause.message }
}

/** The underlying message of a database error. */
export const said = (error: SqlError.SqlError): string => wordsOf(error).words

/** Remedies, each with a pattern that matches a PostgreSQL or Node error code and message. */
const remedies: ReadonlyArray<readonly [pattern: RegExp, remedy: string]> = [
  [/^28000 .*no encryption/u, "It requires TLS: add ?sslmode=verify-full or ?sslmode=require to its URL"],
  [/does not support TLS/u, "Turn TLS on there (ssl = on), or leave sslmode out where the network is private"],
  [/^28P01 /u, "Check the user and the password in its URL"],
  [/^28000 /u, "Check the user in its URL, and allow it in the server's pg_hba.conf"],
  [/^3D000 /u, "Create it (createdb), or check the name in its URL"],
  [/^42501 /u, "Give the user of its URL the right to do that (GRANT), or migrate as a user who has it"],
  [/^53300 /u, "Raise max_connections there: each node uses up to ten connections"],
  [/^ERR_TLS_CERT_ALTNAME_INVALID /u, "Use the host name in its certificate, or ?sslmode=verify-ca"],
  [
    /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+) /u,
    "Its certificate is not trusted: add &sslrootcert=FILE with the certificate of its authority"
  ]
]

const usualRemedy = "Check the address, and that PostgreSQL is running"

/** The error when a node can't use its database at startup, with a remedy. */
export const unreachable = (error: SqlError.SqlError): JournalError => {
  const { code, words } = wordsOf(error)
  const [, remedy = usualRemedy] = remedies.find(([pattern]) => pattern.test(`${code} ${words}`)) ?? []
  return unusable(`its database can't be used: ${words}. ${remedy}`)
}

/**
 * The codes of errors that might be temporary: the server is down, starting or out of connections, or its host name
 * can't be resolved yet.
 */
const passing = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOENT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ETIMEDOUT",
  "57P03",
  "53300"
])

/** The maximum time to wait for the database at startup, in milliseconds. */
const waitLimit = 60_000

/**
 * Runs `work`, the node's first use of the database. Retries for up to a minute while the database can't be reached,
 * and calls `say` once before the first retry.
 */
export const whenReachable = Effect.fnUntraced(function*<A, E, R>(
  work: Effect.Effect<A, E | SqlError.SqlError, R>,
  say: (text: string) => Effect.Effect<void>
) {
  const end = (yield* Clock.currentTimeMillis) + waitLimit
  for (let attempt = 1;; attempt++) {
    const result = yield* Effect.result(work)
    if (Result.isSuccess(result)) return result.success
    const { failure } = result
    const error = SqlError.isSqlError(failure) ? wordsOf(failure) : undefined
    const isPassing = error !== undefined && (passing.has(error.code) || /time(?:d )?out/iu.test(error.words))
    if (!isPassing || (yield* Clock.currentTimeMillis) >= end) return yield* Effect.fail(failure)
    if (attempt === 1) yield* say(`Waiting for the database, for up to a minute: ${error.words}`)
    yield* Effect.sleep("1 second")
  }
})

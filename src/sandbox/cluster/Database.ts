/**
 * The PostgreSQL database that the nodes of a cluster share: the connection, with or without TLS, and remedies for its
 * errors.
 *
 * `sslmode` and `sslrootcert` have the meaning that they have for `psql`. An unknown TLS setting is refused: ignoring
 * it could make a connection less secure than intended.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import type * as Cause from "effect/Cause"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type * as SqlClient from "effect/sql/SqlClient"
import type * as SqlError from "effect/sql/SqlError"
import { readFileSync } from "node:fs"
import type { ConnectionOptions } from "node:tls"
import { JournalError } from "../store/JournalError.ts"

/** The number of connections of a node to the database. One is reserved for locks. */
const maxConnections = 10

const unusable = (reason: string) => new JournalError({ why: "failed", file: "of the cluster", reason })

const rootOf = (file: string): Result.Result<ConnectionOptions, JournalError> =>
  Result.try({
    try: () => ({ ca: readFileSync(file) }),
    catch: (error) => unusable(`sslrootcert in the URL of its database can't be read: ${(error as Error).message}`)
  })

/** Verifies the chain of the certificate, but not its host name. */
const anyName: ConnectionOptions = { checkServerIdentity: () => undefined }

/** The TLS settings of a URL; `false` for no TLS. */
const tlsOf = ({ searchParams }: URL): Result.Result<ConnectionOptions | false, JournalError> => {
  const unknown = [...searchParams.keys()].find((name) =>
    name.startsWith("ssl") && name !== "sslmode" && name !== "sslrootcert"
  )
  if (unknown !== undefined) {
    return Result.fail(unusable(`the URL of its database has ${unknown}, which is not supported; leave it out`))
  }
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

/** Parses the URL of a PostgreSQL database. */
const parsed = (url: string): Result.Result<URL, JournalError> =>
  /^postgres(?:ql)?:$/u.test(URL.canParse(url) ? new URL(url).protocol : "")
    ? Result.succeed(new URL(url))
    : Result.fail(unusable("the URL of its database must be like postgres://user:password@db.internal:5432/effect_txc"))

/**
 * The database of a cluster, connected on first use, until the layer is closed. The layer fails if the URL can't be
 * used.
 */
export const layer = (url: string): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient, JournalError> =>
  Layer.unwrap(Effect.map(
    Effect.fromResult(Result.flatMap(parsed(url), tlsOf)),
    (ssl) =>
      PgClient.layer({
        url: Redacted.make(url),
        ssl,
        maxConnections,
        connectTimeout: "5 seconds",
        applicationName: "effect-txc",
        // A statement that takes longer belongs to a group that was given up.
        startupParameters: { statement_timeout: "10s" }
      }).pipe(Layer.catch((error) => Layer.effectContext(Effect.fail(unreachable(error)))))
  ))

/**
 * Gives up work in the database after a time, without waiting for its interruption: to cancel a statement takes seconds
 * if the database is out of reach.
 */
export const within =
  (time: Duration.Input) => <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, Cause.TimeoutError | E, R> =>
    Effect.flatMap(
      Effect.forkDetach(work, { startImmediately: true }),
      (fiber) => Effect.onInterrupt(Fiber.join(fiber), () => Effect.sync(() => fiber.interruptUnsafe()))
    ).pipe(Effect.timeout(time))

/** The words of PostgreSQL, the network or TLS. The message of the SQL client only says what was being done. */
const wordsOf = ({ message, reason }: SqlError.SqlError): { readonly code: string; readonly words: string } => {
  const { cause } = reason
  if (!(cause instanceof Error)) return { code: "", words: message }
  const { code = "" } = cause as NodeJS.ErrnoException
  return { code, words: cause.message === "" ? `${message} (${code})` : cause.message }
}

/** The words of a database error. */
export const said = (error: SqlError.SqlError): string => wordsOf(error).words

/** Remedies by codes of PostgreSQL or Node, or by words of errors without a code. */
const remedies: ReadonlyArray<readonly [pattern: RegExp, remedy: string]> = [
  [/^28000 .*no encryption/u, "It requires TLS: add ?sslmode=verify-full or ?sslmode=require to its URL"],
  [/does not support TLS/u, "Turn TLS on there (ssl = on), or leave sslmode out where the network is private"],
  [/^28P01 /u, "Check the user and the password in its URL"],
  [/^28000 /u, "Check the user in its URL, and allow it in the server's pg_hba.conf"],
  [/^3D000 /u, "Create it (createdb), or check the name in its URL"],
  [/^42501 /u, "Give the user of its URL the right to do that (GRANT), or migrate as a user who has it"],
  [/^53300 /u, "Raise max_connections there: each node has ten"],
  [/^ERR_TLS_CERT_ALTNAME_INVALID /u, "Name the host as its certificate does, or use ?sslmode=verify-ca"],
  [
    /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+) /u,
    "Its certificate is not trusted: add &sslrootcert=FILE with the certificate of its authority"
  ]
]

const usualRemedy = "Check the address, and that PostgreSQL runs"

/** The error of a node whose database failed at the start, with a remedy. */
export const unreachable = (error: SqlError.SqlError): JournalError => {
  const { code, words } = wordsOf(error)
  const [, remedy = usualRemedy] = remedies.find(([pattern]) => pattern.test(`${code} ${words}`)) ?? []
  return unusable(`its database can't be used: ${words}. ${remedy}`)
}

/** A local PostgreSQL server for a test, in a folder that is removed after the test. */
import * as PgClient from "@effect/sql-pg/PgClient"
import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import type * as SqlClient from "effect/sql/SqlClient"
import type * as SqlError from "effect/sql/SqlError"
import { spawn, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { closedPort } from "./server.ts"
import { type SmallDisk, smallDisk } from "./smallDisk.ts"

const installed = "/usr/lib/postgresql"

/** The folder with PostgreSQL's programs, which Debian does not put on the PATH. */
const programs = existsSync(installed)
  ? readdirSync(installed).toSorted((one, other) => Number(other) - Number(one)).map((version) =>
    join(installed, version, "bin")
  ).find((folder) => existsSync(join(folder, "initdb")))
  : undefined

/** Returns the path of one of PostgreSQL's programs. */
export const postgresProgram = (name: string): string => join(programs ?? "", name)

const reason = "there is no PostgreSQL in /usr/lib/postgresql: apt-get install postgresql"

if (programs === undefined) process.stderr.write(`Tests that need PostgreSQL are skipped: ${reason}\n`)

/** Defines a test that needs PostgreSQL. Without PostgreSQL, the test is reported as skipped, with the reason. */
export const itWithPostgres = <E>(
  name: string,
  test: () => Effect.Effect<unknown, E, Scope.Scope>,
  timeout?: number
): void =>
  it.live.skipIf(programs === undefined)(
    programs === undefined ? `${name} (${reason})` : name,
    () => Effect.provide(test(), Logger.layer([])),
    timeout
  )

/** The user that runs the server if the tests run as root, because PostgreSQL refuses to do so. */
const account = (): { readonly uid?: number; readonly gid?: number } => {
  if (process.getuid?.() !== 0) return {}
  const idOf = (flag: string) => Number(spawnSync("id", [flag, "postgres"]).stdout.toString())
  return { uid: idOf("-u"), gid: idOf("-g") }
}

/**
 * A server that runs until the scope is closed. `stop` ends it immediately, without cleaning up. `kill` kills each of
 * its processes. `start` restarts it with its data on disk, unless it is already running.
 */
export interface Server {
  readonly url: string
  /** The folder of the server's Unix socket. */
  readonly folder: string
  readonly layer: Layer.Layer<PgClient.PgClient | SqlClient.SqlClient, SqlError.SqlError>
  readonly start: Effect.Effect<void>
  readonly stop: Effect.Effect<void>
  readonly kill: Effect.Effect<void>
  /** The disk with the server's data, if the server has its own disk. */
  readonly disk: SmallDisk | undefined
}

/**
 * Options for a server: its users, certificate and disk. By default, any user on this machine may connect, without TLS.
 */
export interface Access {
  /** The users that may connect, and how they authenticate, in the format of `pg_hba.conf`. */
  readonly rules?: ReadonlyArray<string>
  /** The server's certificate and key. Without them, the server does not support TLS. */
  readonly certificate?: { readonly cert: string; readonly key: string }
  /** The size of the server's own disk in megabytes, if it has one. See `canMount`. */
  readonly disk?: number
}

// Without small log segments, a new server's folder would be almost twice as large.
const settings = ["--username", "txc", "--auth", "trust", "--encoding", "UTF8", "--no-sync", "--wal-segsize", "1"]

/**
 * The data folder that new servers copy. It is initialized once per PostgreSQL version and set of settings. Copying it
 * is ten times as fast as initializing a new folder.
 */
const template = fileURLToPath(
  new URL(
    `../../node_modules/.cache/postgres-${
      createHash("sha256").update([programs, ...settings].join()).digest("hex").slice(0, 12)
    }`,
    import.meta.url
  )
)

/** Copies a folder and preserves its owner. */
const copy = (from: string, to: string) => spawnSync("cp", ["-a", from, to])

/** Initializes a new server's folder. */
const begin = (folder: string, user: ReturnType<typeof account>): void => {
  const data = join(folder, "data")
  if (existsSync(template)) return void copy(template, data)
  const made = spawnSync(postgresProgram("initdb"), ["--pgdata", data, ...settings], { cwd: folder, ...user })
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr.toString()}`)
  // The rename publishes the template completely or not at all. If several workers create the template at the same
  // time, the first one wins.
  const own = `${template}-of-${basename(folder)}`
  mkdirSync(dirname(template), { recursive: true })
  copy(data, own)
  spawnSync("mv", ["-nT", own, template])
  rmSync(own, { recursive: true, force: true })
}

export const postgresWith = Effect.fnUntraced(function*(
  { certificate, disk: megabytes, rules }: Access
): Effect.fn.Return<Server, never, Scope.Scope> {
  const port = yield* closedPort
  const user = account()
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const folder = mkdtempSync(join(tmpdir(), "effect-txc-postgres-"))
      if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid)
      return folder
    }),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )
  const disk = megabytes === undefined ? undefined : yield* smallDisk(folder, megabytes)
  if (disk !== undefined && user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid)
  const data = join(folder, "data")
  begin(folder, user)
  if (rules !== undefined) writeFileSync(join(data, "pg_hba.conf"), `${rules.join("\n")}\n`)
  if (certificate !== undefined) {
    const file = (name: string, text: string) => {
      const path = join(data, name)
      writeFileSync(path, text, { mode: 0o600 })
      if (user.uid !== undefined && user.gid !== undefined) chownSync(path, user.uid, user.gid)
    }
    file("server.crt", certificate.cert)
    file("server.key", certificate.key)
  }
  let child: ReturnType<typeof spawn> | undefined

  const start = Effect.callback<void>((resume) => {
    if (child !== undefined && child.exitCode === null && child.signalCode === null) return resume(Effect.void)
    const ssl = certificate === undefined ? [] : ["-c", "ssl=on"]
    const small = disk === undefined ? [] : ["-c", "max_wal_size=64MB", "-c", "min_wal_size=32MB"]
    const options = [
      "-p",
      String(port),
      "-h",
      "127.0.0.1,127.0.0.2",
      "-k",
      folder,
      "-c",
      "max_connections=50",
      ...ssl,
      ...small
    ]
    const started = spawn(postgresProgram("postgres"), ["-D", data, ...options], { cwd: folder, ...user })
    child = started
    started.on("error", (error) => resume(Effect.die(error)))
    let said = ""
    started.stderr.on("data", (chunk: Buffer) => {
      said += chunk.toString()
      if (said.includes("ready to accept connections")) resume(Effect.void)
    })
    started.on("close", () => resume(Effect.die(new Error(`PostgreSQL did not start: ${said}`))))
  })
  const stop = Effect.callback<void>((resume) => {
    if (child === undefined) return resume(Effect.void)
    child.on("close", () => resume(Effect.void))
    // On this signal, the server ends its sessions and writes nothing more.
    child.kill("SIGQUIT")
    child = undefined
  })
  const kill = Effect.callback<void>((resume) => {
    const { pid } = child ?? {}
    if (child === undefined || pid === undefined) return resume(Effect.void)
    child.on("close", () => resume(Effect.void))
    const sessions = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number)
    child.kill("SIGKILL")
    child = undefined
    for (const session of sessions) process.kill(session, "SIGKILL")
  })

  yield* Effect.acquireRelease(start, () => stop)
  const url = `postgres://txc@127.0.0.1:${port}/postgres`
  return { url, folder, layer: PgClient.layer({ url: Redacted.make(url), maxConnections: 4 }), start, stop, kill, disk }
})

export const postgresServer: Effect.Effect<Server, never, Scope.Scope> = postgresWith({})

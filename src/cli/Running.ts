/**
 * The sandboxes and hosts that this user runs on this machine. Each has a file in the user's state folder with its
 * address and its control token, so that `effect-txc control` can find the server. Only the user can read the files.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { hostname } from "node:os"
import { stateFolder } from "./StateFolder.ts"

const Running = Schema.Struct({
  kind: Schema.Literals(["sandbox", "host"]),
  url: Schema.String,
  controlToken: Schema.String,
  pid: Schema.Int,
  machine: Schema.String,
  data: Schema.optionalKey(Schema.String)
})

/** A running sandbox or host. */
export interface Running {
  /** Whether the server has one venue (`sandbox`) or many (`host`). */
  readonly kind: "sandbox" | "host"
  /** The server's base URL. */
  readonly url: string
  /** The token of the server's control plane. */
  readonly controlToken: string
  /** The server's process id. */
  readonly pid: number
  /** The name of the machine on which the server runs. Several machines or containers may share a home folder. */
  readonly machine: string
  /** The absolute path of the folder with the server's journal; absent if the journal is in memory. */
  readonly data?: string
}

const Text = Schema.fromJsonString(Running)

const folder = Effect.gen(function*() {
  const { join } = yield* Path.Path
  return join(yield* stateFolder, "running")
})

/** A server that this process wants to announce. */
export interface Announced extends Pick<Running, "kind" | "url" | "controlToken"> {
  /** The folder with the server's journal; absent if the journal is in memory. */
  readonly data?: string | undefined
}

/**
 * Announces a server of this process to `effect-txc control`, by writing its file. Removes the file when the scope
 * closes.
 */
export const announce = Effect.fnUntraced(function*({ data, ...server }: Announced) {
  const files = yield* FileSystem.FileSystem
  const { join, resolve } = yield* Path.Path
  const place = yield* folder
  // The port is part of the file name, because one process can run several servers.
  const file = join(place, `${process.pid}-${new URL(server.url).port}.json`)
  const text = yield* Effect.orDie(
    Schema.encodeEffect(Text)({
      ...server,
      pid: process.pid,
      machine: hostname(),
      ...(data === undefined ? {} : { data: resolve(data) })
    })
  )
  const write = Effect.andThen(
    files.makeDirectory(place, { recursive: true, mode: 0o700 }),
    files.writeFileString(file, text, { mode: 0o600 })
  )
  // If the file can't be written, the server can still be controlled with its URL and its token.
  yield* Effect.acquireRelease(Effect.ignore(write), () => Effect.ignore(files.remove(file)))
})

const isAlive = (pid: number): boolean => {
  const signalled = Result.try(() => process.kill(pid, 0))
  // A process of another user is running even if this process is not allowed to signal it.
  return Result.isSuccess(signalled) || String(signalled.failure).includes("EPERM")
}

/**
 * Reads a server from its file. Returns `undefined` if the server runs on another machine, or has ended without
 * removing the file.
 */
const read = Effect.fnUntraced(function*(file: string) {
  const files = yield* FileSystem.FileSystem
  const server: Running = yield* Schema.decodeEffect(Text)(yield* files.readFileString(file))
  if (server.machine !== hostname()) return undefined
  if (isAlive(server.pid)) return server
  yield* files.remove(file)
  return undefined
}, Effect.orElseSucceed(() => undefined))

/** Returns the running servers, sorted by URL. Removes the files of servers that were killed. */
export const list = Effect.gen(function*() {
  const files = yield* FileSystem.FileSystem
  const { join } = yield* Path.Path
  const place = yield* folder
  const names = yield* Effect.orElseSucceed(files.readDirectory(place), () => [])
  const servers = yield* Effect.forEach(
    names.filter((name) => name.endsWith(".json")),
    (name) => read(join(place, name))
  )
  return servers.filter((server) => server !== undefined).toSorted((one, other) => one.url.localeCompare(other.url))
})

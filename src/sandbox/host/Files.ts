/** The files of a host's venues. Each venue has its own folder. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { damaged, fromSqlite, JournalError } from "../store/JournalError.ts"

/** A venue's files. */
export interface Files {
  /** The journal's file. */
  readonly journal: string
  /**
   * Prepares the venue's folder for opening the journal. Refuses files that are links, because a link could point to
   * another venue. If `isBegun` is true, fails unless the journal exists; otherwise creates the folder.
   */
  readonly prepare: (isBegun: boolean) => Effect.Effect<void, JournalError>
  /** The memory that the venue saved when it fell asleep, if any. */
  readonly memory: Effect.Effect<Uint8Array | undefined>
  /** Saves the venue's memory. If saving fails, the memory is lost, and a warning is logged. */
  readonly remember: (memory: Uint8Array) => Effect.Effect<void>
  /** Removes the saved memory, which is out of date once the venue is awake. */
  readonly forget: Effect.Effect<void>
  /** Deletes all files of the venue. */
  readonly remove: Effect.Effect<void, JournalError>
}

/** The names that a venue's files may have, including those of incomplete writes. */
const names = ["journal.sqlite", "memory"].flatMap((name) =>
  ["", "-wal", "-shm", "-anchor", "-anchor-new", "-new"].map((suffix) => name + suffix)
)

const isLink = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true

/** The error for a venue whose journal is missing. */
export const gone = (file: string): JournalError =>
  damaged(file, "it had commands, but is gone or empty. Put the venue's own files back, or end the venue", 0)

/** A venue's files in a host's folder. */
export const of = (folder: string, id: string): Files => {
  const own = join(folder, "venues", id)
  const journal = join(own, "journal.sqlite")
  const memory = join(own, "memory")
  const attempt = <A>(work: () => A) => Effect.try({ try: work, catch: fromSqlite(journal) })
  return {
    journal,
    prepare: Effect.fnUntraced(function*(isBegun) {
      const link = yield* attempt(() => [own, ...names.map((name) => join(own, name))].find(isLink))
      if (link !== undefined) {
        const reason = `${link} is a link. Put the venue's own files in its place, or end the venue`
        return yield* new JournalError({ why: "foreign", file: journal, reason })
      }
      if (!isBegun) yield* attempt(() => void mkdirSync(own, { recursive: true, mode: 0o700 }))
      else if (!existsSync(journal)) return yield* gone(journal)
    }),
    memory: Effect.orElseSucceed(
      attempt(() => existsSync(memory) ? readFileSync(memory) : undefined),
      () => undefined
    ),
    remember: (bytes) =>
      Effect.catch(
        attempt(() => {
          writeFileSync(`${memory}-new`, bytes, { mode: 0o600 })
          renameSync(`${memory}-new`, memory)
        }),
        ({ reason }) =>
          Effect.logWarning(`${memory} can't be written (${reason}): the venue loses its faults, limits and calls`)
      ),
    forget: Effect.ignore(attempt(() => rmSync(memory, { force: true }))),
    remove: Effect.tryPromise({
      try: () => rm(own, { recursive: true, force: true }),
      catch: fromSqlite(own)
    })
  }
}

/** A temporary folder for a host that has no folder. The folder is removed when the scope closes. */
export const temporary: Effect.Effect<string, JournalError, Scope.Scope> = Effect.acquireRelease(
  Effect.try({ try: () => mkdtempSync(join(tmpdir(), "effect-txc-host-")), catch: fromSqlite(tmpdir()) }),
  (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
)

/** This process's limit on open files; `undefined` if it is unknown. */
export const limit: Effect.Effect<number | undefined> = Effect.orElseSucceed(
  Effect.try({
    try: () => Number(/^Max open files +(\d+)/mu.exec(readFileSync("/proc/self/limits", "utf8"))?.[1] ?? Infinity),
    catch: fromSqlite("/proc/self/limits")
  }),
  () => undefined
)

/** The folder of a sandbox's journal, and the reasons why it cannot be used. */
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import { createHash, randomBytes } from "node:crypto"
import * as FileProblem from "../client/FileProblem.ts"
import type { JournalError } from "../sandbox/store/Journal.ts"
import * as Flags from "./Flags.ts"
import * as Folder from "./Folder.ts"
import { Refused } from "./Refused.ts"
import * as Running from "./Running.ts"
import { stateFolder } from "./StateFolder.ts"

/** The flag that names the journal's folder. */
export const folder: Flag.Flag<Option.Option<string>> = Flags.optional(
  Flags.text("data", "a folder"),
  "The folder of the journal. A sandbox resumes from the journal in it"
)

/** The default folder, in the working directory, for a sandbox started by a program instead of a person. */
const programFolder = "effect-txc-data"

/** The default folder, in the working directory, for a host started by a program instead of a person. */
const programHostFolder = "effect-txc-host"

/** Returns the path of the journal file in a folder. */
export const journalIn = (folder: string): string => `${folder}/journal.sqlite`

/** Returns the path of the file that describes a venue, in the folder of its exported journal. */
export const recordIn = (folder: string): string => `${folder}/venue.json`

/**
 * The project's root: the nearest folder, from the working directory upwards, that contains `.git` or `package.json`.
 * If there is none, the working directory.
 */
const projectFolder = Effect.gen(function*() {
  const files = yield* FileSystem.FileSystem
  const { dirname, join, resolve } = yield* Path.Path
  const here = resolve(".")
  for (let at = here; at !== dirname(at); at = dirname(at)) {
    for (const name of [".git", "package.json"]) if (yield* files.exists(join(at, name))) return at
  }
  return here
}).pipe(Effect.orElseSucceed(() => "."))

/** This project's folder for a sandbox that a person starts, inside the user's state folder. */
export const ofProject = Effect.gen(function*() {
  const { basename, join } = yield* Path.Path
  const project = yield* projectFolder
  const digest = createHash("sha256").update(project).digest("hex").slice(0, 8)
  return join(yield* stateFolder, `${basename(project)}-${digest}`)
})

/**
 * Returns a sandbox's journal folder: the given folder; otherwise {@link ofProject} if a person starts the sandbox, or
 * `effect-txc-data` if a program does.
 */
export const forSandbox = (given: Option.Option<string>, isForPeople: boolean) =>
  Option.isSome(given) ? Effect.succeed(given.value) : isForPeople ? ofProject : Effect.succeed(programFolder)

/**
 * Returns the folder of a host's venues: the given folder; otherwise {@link ofProject} plus `-host` if a person starts
 * the host, or `effect-txc-host` if a program does.
 */
export const forHost = (given: Option.Option<string>, isForPeople: boolean) =>
  Option.isSome(given)
    ? Effect.succeed(given.value)
    : isForPeople
    ? Effect.map(ofProject, (folder) => `${folder}-host`)
    : Effect.succeed(programHostFolder)

/** All folders that this project's sandboxes and hosts use by default. */
export const defaults = Effect.map(
  ofProject,
  (folder) => [programFolder, folder, programHostFolder, `${folder}-host`]
)

/**
 * Returns the folder of an existing journal: the given folder; otherwise `effect-txc-data` or {@link ofProject}. Fails
 * if there is no journal.
 */
export const ofJournal = Effect.fnUntraced(function*(given: Option.Option<string>) {
  const files = yield* FileSystem.FileSystem
  const candidates = Option.isSome(given) ? [given.value] : [programFolder, yield* ofProject]
  for (const folder of candidates) if (yield* files.exists(journalIn(folder))) return folder
  return yield* new Refused({
    wrong: `No journal found in ${candidates.join(" or ")}`,
    remedy: "Pass --data with the folder of a sandbox; effect-txc sandbox prints it when it starts"
  })
})

/** Creates a folder for a journal, accessible to its owner only. */
export const make = (folder: string) =>
  Effect.mapError(
    Folder.make(folder, 0o700),
    (error) =>
      new Refused({
        wrong: error.reason._tag === "AlreadyExists"
          ? `${folder} is a file, but the journal needs a folder`
          : `The folder ${folder} cannot be created: ${FileProblem.of(error)}`,
        remedy: "Pass another folder with --data, or use --memory to save nothing"
      })
  )

/** Creates a control token. */
export const newToken = (): string => randomBytes(24).toString("base64url")

/** Writes a file that only its owner can read, even if it replaces a file that others could read. */
const replace = (files: FileSystem.FileSystem, file: string, text: string) =>
  Effect.andThen(files.remove(file, { force: true }), files.writeFileString(file, text, { mode: 0o600 }))

/**
 * Returns the control token of the sandbox in a folder. The token is stored in the folder, so pages and programs that
 * have it still work after a restart. Only the file's owner can read it.
 */
export const token = Effect.fnUntraced(function*(folder: string) {
  const files = yield* FileSystem.FileSystem
  const file = `${folder}/control-token`
  const kept = (yield* Effect.orElseSucceed(files.readFileString(file), () => "")).trim()
  const isKept = /^[\w-]{32,}$/u.test(kept)
  const current = isKept ? kept : newToken()
  // If the token can't be stored, the sandbox still runs, but it creates a new token at each start.
  yield* Effect.ignore(isKept ? files.chmod(file, 0o600) : replace(files, file, `${current}\n`))
  return current
})

/** Refuses a folder together with `--memory`, which stores no journal. */
export const unlessMemory = (memory: boolean, data: Option.Option<string>) =>
  memory && Option.isSome(data)
    ? Effect.fail(
      new Refused({
        wrong: `--memory keeps nothing, and --data names the folder ${data.value}`,
        remedy: "Leave out --memory to keep the data there, or leave out --data"
      })
    )
    : Effect.void

/** Describes the running server that uses a folder's journal; `undefined` if no such server is known. */
const describeHolder = Effect.fnUntraced(function*(folder: string) {
  const { resolve } = yield* Path.Path
  const holder = (yield* Running.list).find(({ data }) => data === resolve(folder))
  return holder === undefined
    ? undefined
    : { by: `process ${holder.pid}, which serves it on ${holder.url}`, stop: `stop it (kill ${holder.pid})` }
})

const unknownHolder = { by: "another process", stop: "stop it" }

const elsewhere = "pass another folder with --data, or use --memory to save nothing"

/** Explains why a journal cannot be used, with a remedy. */
export const refusalOf = Effect.fnUntraced(function*({ file, message, why }: JournalError, folder: string) {
  switch (why) {
    case "locked": {
      const { by, stop } = (yield* describeHolder(folder)) ?? unknownHolder
      const wrong = `The journal ${file} is in use by ${by}`
      return new Refused({ wrong, remedy: `Use that sandbox, or ${stop}, or ${elsewhere}` })
    }
    case "other-rules":
      return new Refused({ wrong: message, remedy: `Start with the flags of that venue, or ${elsewhere}` })
    case "damaged":
      return new Refused({
        wrong: message,
        remedy:
          `effect-txc journal --data ${folder} > commands.ndjson saves the intact part; to start over, ${elsewhere}`
      })
    case "older":
      return new Refused({
        wrong: message,
        remedy:
          `effect-txc journal --data ${folder} > commands.ndjson exports it for --replay; to start over, ${elsewhere}`
      })
    default:
      return new Refused({ wrong: message, remedy: `To continue without it, ${elsewhere}` })
  }
})

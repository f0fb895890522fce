/**
 * Detects that npm has ended before the command that it runs. If npm or npx is killed, or if its shell does not pass on
 * a SIGTERM, the command itself gets no signal.
 */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Schedule from "effect/Schedule"

/**
 * Matches an npm script or npx command that does nothing but run this command in the foreground. With such a script,
 * npm ends first only if it is killed. With any other script, npm may end first in normal operation, for example if the
 * script runs the command in the background.
 */
const alone = /^(?:(["']?)effect-txc\1|node \S*cli\/start\.ts)(?: [^&|;<>()\n]*)?$/u

/** Whether an npm script only runs this command, so that npm waits for the command to end. */
export const isAlone = (script: string): boolean => alone.test(script)

/** The status of a process from Linux's `/proc`; empty on other systems, and for a process that has ended. */
const statusOf = Effect.fnUntraced(function*(process: string) {
  const files = yield* FileSystem.FileSystem
  return yield* Effect.orElseSucceed(files.readFileString(`/proc/${process}/status`), () => "")
})

const isNpm = (status: string): boolean => /^Name:\s+npm\b/mu.test(status)

/** The id of this process's parent, followed by npm's process id if the parent is npm's shell (on Linux only). */
const upToNpm = Effect.gen(function*() {
  const parent = String(process.ppid)
  const status = yield* statusOf(parent)
  const [, above = ""] = /^PPid:\s+(\d+)$/mu.exec(status) ?? []
  return !isNpm(status) && isNpm(yield* statusOf(above)) ? `${parent} ${above}` : parent
})

/** Waits until npm has ended. Never returns if this command was not started by npm, or if npm does not wait for it. */
export const gone = Effect.gen(function*() {
  const script = yield* Effect.orDie(Config.withDefault(Config.String("npm_lifecycle_script"), ""))
  if (!isAlone(script)) return yield* Effect.never
  const before = yield* upToNpm
  yield* Effect.repeat(upToNpm, {
    until: (now) => now !== before,
    schedule: Schedule.spaced("1 second")
  })
})

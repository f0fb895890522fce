/**
 * Detects that npm has exited while the command that it started is still running. If npm or npx is killed, or gets a
 * SIGTERM that its shell does not pass on, the command that it runs gets no signal.
 */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Schedule from "effect/Schedule"

/**
 * Matches a script of npm, or the command of npx, that only runs this command in the foreground. npm ends before such a
 * command only if npm is killed. A script that runs the command in the background ends immediately, so nothing follows
 * from its end.
 */
const alone = /^(?:(["']?)effect-txc\1|node \S*cli\/start\.ts)(?: [^&|;<>()\n]*)?$/u

/** Whether npm runs this command, and waits for it. */
export const isAlone = (script: string): boolean => alone.test(script)

/** The state of a process as Linux shows it; empty on other systems, and for a process that has ended. */
const statusOf = Effect.fnUntraced(function*(process: string) {
  const files = yield* FileSystem.FileSystem
  return yield* Effect.orElseSucceed(files.readFileString(`/proc/${process}/status`), () => "")
})

const isNpm = (status: string): boolean => /^Name:\s+npm\b/mu.test(status)

/** The parent of this process and, if the parent is npm's shell, npm. Only Linux shows the parent of another process. */
const upToNpm = Effect.gen(function*() {
  const parent = String(process.ppid)
  const status = yield* statusOf(parent)
  const [, above = ""] = /^PPid:\s+(\d+)$/mu.exec(status) ?? []
  return !isNpm(status) && isNpm(yield* statusOf(above)) ? `${parent} ${above}` : parent
})

/** Waits until npm has ended. Never returns if npm does not run this command, or does not wait for it. */
export const gone = Effect.gen(function*() {
  const script = yield* Effect.orDie(Config.withDefault(Config.String("npm_lifecycle_script"), ""))
  if (!isAlone(script)) return yield* Effect.never
  const before = yield* upToNpm
  yield* Effect.repeat(upToNpm, {
    until: (now) => now !== before,
    schedule: Schedule.spaced("1 second")
  })
})

import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Command } from "../../../src/sandbox/engine/Command.ts"
import * as Journal from "../../../src/sandbox/store/Journal.ts"
import { scratchFile } from "../../support/files.ts"

/** Commands with short and long strings that fill more than one page, and some restores. */
const commands: ReadonlyArray<Command> = Array.from({ length: 2500 }, (_, at): Command =>
  at % 100 === 99
    ? { at, action: { _tag: "Restore", sequence: at - 50 } }
    : { at, action: { _tag: "OpenAccount", account: `é${"x".repeat(at % 700 === 0 ? 1024 * 1024 : at)}`, b2b: false } })

const written = Effect.fnUntraced(function*(file: string) {
  const journal = yield* Journal.open(file, { rules: "test" })
  const digests: Array<string> = []
  for (const [index, command] of commands.entries()) {
    journal.append(command)
    if (index % 333 !== 0) continue
    yield* journal.committed
    digests.push(journal.digest())
  }
  yield* journal.committed
  const read: Array<readonly [number, Command]> = []
  yield* journal.read(0, 1234, (command, sequence) => read.push([sequence, command]))
  return {
    digests,
    digest: journal.digest(),
    sequence: journal.sequence(),
    lines: yield* Stream.runCollect(yield* journal.lines),
    read,
    recalled: yield* journal.recalledAfter(1000)
  }
})

it.live("an in-memory journal equals the same journal in a file", () =>
  Effect.gen(function*() {
    assert.deepStrictEqual(yield* written(Journal.inMemory), yield* written(yield* scratchFile))
  }).pipe(Effect.scoped))

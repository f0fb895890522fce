import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { run } from "../support/command.ts"

const module = "test/explore/programs.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "explore-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

describe("effect-txc explore", () => {
  it.live("`explore` saves a counterexample that --replay can run again", () =>
    Effect.gen(function*() {
      const at = yield* folder
      const found = yield* run(["explore", module, "--only", "racing", "--save", at])
      assert.include(found.out, "racing: broken in history")
      assert.include(found.error, "--replay")
      const file = join(at, "racing.json")
      assert.isTrue(existsSync(file))
      assert.include(readFileSync(file, "utf8"), `"program":"racing"`)
      const again = yield* run(["explore", module, "--replay", file])
      assert.include(again.out, "broken: at most two orders are open")
      assert.strictEqual(again.failed?.tag, "Broken")
      assert.notInclude(again.error, "The file was saved by")

      const older = join(at, "older.json")
      const ofCareful = { ...JSON.parse(readFileSync(file, "utf8")) as object, program: "careful", version: "0.0.1" }
      writeFileSync(older, JSON.stringify(ofCareful))
      const repaired = yield* run(["explore", module, "--replay", older])
      assert.include(repaired.out, "careful: the scenario no longer breaks anything")
      assert.include(repaired.error, "The file was saved by effect-txc 0.0.1, and this is")
      assert.isUndefined(repaired.failed)
    }).pipe(Effect.scoped))

  it.live("`explore` reports what its histories covered", () =>
    Effect.gen(function*() {
      const { out } = yield* run(["explore", module, "--only", "careful", "--runs", "40"])
      assert.match(out, /^careful: nothing found in 40 histories \(seed 0\)$/mu)
      assert.match(out, /the program ended in \d+, failed in \d+, killed in \d+, stopped in \d+ of these/u)
    }))

  it.live("`explore` refuses unknown names, equal names and unwritable results before it starts", () =>
    Effect.gen(function*() {
      const refused = Effect.fnUntraced(function*(...args: ReadonlyArray<string>) {
        const { failed, out } = yield* run(["explore", ...args])
        assert.strictEqual(failed?.tag, "Refused")
        assert.strictEqual(out, "")
        return failed?.said ?? ""
      })
      const unknown = yield* refused(module, "--only", "careful", "--only", "nobody")
      assert.include(unknown, "no program with the name nobody")
      assert.include(unknown, "careful, impatient, racing")
      assert.include(yield* refused("test/explore/sameName.ts"), "both are named a bot")
      assert.include(yield* refused(module, "--out", "/proc/none/x"), "--out /proc/none/x cannot be written")
      assert.include(yield* refused(module, "--save", "/proc/none/x"), "--save /proc/none/x cannot be created")
    }))
})

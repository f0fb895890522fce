import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
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
    }).pipe(Effect.scoped))

  it.live("`explore` lists a module's programs when none has the given name", () =>
    Effect.gen(function*() {
      const { failed } = yield* run(["explore", module, "--only", "nobody"])
      assert.include(failed?.said ?? "", "careful, impatient, racing")
    }))
})

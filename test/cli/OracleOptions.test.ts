import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as OracleOptions from "../../src/cli/OracleOptions.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "oracle-options-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

const none: OracleOptions.Given = {
  only: [],
  skip: [],
  seed: Option.none(),
  runs: Option.some(10),
  strict: false,
  publicOnly: false,
  budget: Option.none(),
  minJudged: Option.none(),
  knownFailing: Option.none(),
  knownFlaky: Option.none(),
  out: Option.none(),
  replays: Option.none()
}

const read = (given: Partial<OracleOptions.Given>) =>
  Effect.provide(OracleOptions.read({ ...none, ...given }), NodeServices.layer)

describe("the oracle's options", () => {
  it.live("the options of a check are read from flags and files", () =>
    Effect.gen(function*() {
      const at = yield* folder
      writeFileSync(join(at, "known"), "# a comment\nauth.refusal # too\n\n*.limit.max\n")
      const options = yield* read({
        only: ["auth, ping"],
        knownFailing: Option.some(join(at, "known")),
        budget: Option.some(2),
        out: Option.some(join(at, "report"))
      })
      assert.deepStrictEqual(options.only, ["auth", "ping"])
      assert.deepStrictEqual(options.knownFailing, ["auth.refusal", "*.limit.max"])
      assert.strictEqual(options.budget, 2000)
    }))

  it.live("invalid options are rejected with a message that names the option", () =>
    Effect.gen(function*() {
      const at = yield* folder
      writeFileSync(join(at, "known"), "auth.refusal\nauth.refusals\n")
      const known = Option.some(join(at, "known"))
      const cases: ReadonlyArray<readonly [said: RegExp, given: Partial<OracleOptions.Given>]> = [
        [/^--only names pong, which matches no rule/u, { only: ["ping", "pong"] }],
        [/^--skip names zz\*, which matches no rule/u, { skip: ["zz*"] }],
        [/^--known-failing .*names auth\.refusals.*did you mean auth\.refusal\?/u, { knownFailing: known }],
        [/^--known-flaky .*names auth\.refusals/u, { knownFlaky: known }],
        [/^--known-failing .*nowhere cannot be read: there is no such file/u, {
          knownFailing: Option.some(join(at, "nowhere"))
        }],
        [/^--skip leaves out every rule/u, { only: ["ping"], skip: ["ping"] }],
        [/^--out .* cannot be written: there is no such file or folder/u, {
          out: Option.some(join(at, "nowhere", "report"))
        }],
        [/^--replays .* cannot be created: it already exists/u, { replays: Option.some(join(at, "known")) }]
      ]
      for (const [said, given] of cases) {
        const refused = yield* Effect.flip(read(given))
        assert.strictEqual(refused._tag, "Refused")
        assert.match(refused.message, said)
      }
    }))

  it.live("an earlier report stays unchanged until the check is finished", () =>
    Effect.gen(function*() {
      const out = join(yield* folder, "report")
      writeFileSync(out, "earlier")
      yield* read({ out: Option.some(out) })
      assert.isTrue(existsSync(out))
      assert.strictEqual(readFileSync(out, "utf8"), "earlier")
    }))
})

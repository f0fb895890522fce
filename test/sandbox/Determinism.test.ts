import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Dialect from "../../src/protocol/Dialect.ts"
import { inProcess, overHttp } from "../support/control.ts"
import { moduleUrl, runElsewhere } from "../support/files.ts"
import { begin, story } from "../support/story.ts"

const options = (dialect: Dialect.Dialect, seed: number) => ({ dialect, seed, begin })

describe.each([Dialect.document, Dialect.live])("determinism in the $name dialect", (dialect) => {
  it.live("the same seed and commands give the same journal, responses and faults", () =>
    Effect.gen(function*() {
      const here = yield* Effect.provide(story, inProcess(options(dialect, 7)))
      assert.deepStrictEqual(yield* Effect.provide(story, inProcess(options(dialect, 7))), here)
      assert.deepStrictEqual(yield* Effect.provide(story, overHttp(options(dialect, 7))), here)
      // A run without any faults, or with faults only, would prove nothing.
      for (const kind of ["no answer", "502 ", "200 "]) {
        assert.isAbove(here.answers.filter((answer) => answer.startsWith(kind)).length, 1, kind)
      }
      const other = yield* Effect.provide(story, inProcess(options(dialect, 8)))
      assert.notDeepEqual(other.answers, here.answers)
      assert.notStrictEqual(other.digest, here.digest)
    }))
})

it.live("a run in another process gives the same journal, responses and faults", () =>
  Effect.gen(function*() {
    const { ended, output } = yield* runElsewhere(`
      import * as Effect from "effect/Effect"
      import * as Dialect from "${moduleUrl("protocol/Dialect.ts")}"
      import { inProcess, overHttp } from "${moduleUrl("../test/support/control.ts")}"
      import { begin, story } from "${moduleUrl("../test/support/story.ts")}"
      const told = (layer) => Effect.runPromise(Effect.provide(story, layer))
      const options = { dialect: Dialect.document, seed: 7, begin }
      console.log(JSON.stringify([await told(inProcess(options)), await told(overHttp(options))]))
    `)
    assert.strictEqual(ended, 0)
    const here = yield* Effect.provide(story, inProcess(options(Dialect.document, 7)))
    assert.deepStrictEqual(JSON.parse(output), [here, here])
  }))

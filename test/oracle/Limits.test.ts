import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { rules } from "../../src/oracle/Rules.ts"
import { runRule } from "../../src/oracle/Run.ts"
import * as Target from "../../src/oracle/Target.ts"
import * as Paths from "../../src/oracle/world/Paths.ts"
import * as Session from "../../src/oracle/world/Session.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import * as Support from "../support/oracle.ts"
import * as Mutant from "./mutants/Mutant.ts"

const limits = [
  { id: "limits.interest", path: Paths.interest, documented: 1000 },
  { id: "limits.public", path: "public", documented: 2000 }
]

/**
 * Runs a rule on a sandbox that allows `calls` calls in ten seconds. Each call takes `millis` milliseconds. Returns the
 * rule's outcome.
 */
const outcome = (id: string, path: string, calls: number, millis: number) =>
  Effect.gen(function*() {
    const change: Mutant.Change = {
      make: () => ({ before: ({ limits }) => limits.override({ calls, perSeconds: 10 }, path) })
    }
    const target = yield* Support.inProcess(Dialect.document, Mutant.layer(change, Dialect.document).pipe(Layer.orDie))
    const send: Target.Target["send"] = (request) => Effect.andThen(TestClock.adjust(millis), target.send(request))
    const session = Session.make({ ...target, send }, "control", yield* Target.now)
    const rule = rules.find((rule) => rule.id === id) ?? assert.fail(id)
    // Opening an account starts the sandbox's clock. Otherwise, the clock would stand still after the rule has moved
    // it.
    yield* session.world().world.open()
    return yield* runRule(session, rule, { seed: 1, runs: 1 })
  })

describe("rules about rate limits", () => {
  for (const { documented, id, path } of limits) {
    for (const millis of [0, 30]) {
      it.effect(
        `the rule ${id} detects that a limit is one call too low when each call takes ${millis} ms`,
        () =>
          Effect.gen(function*() {
            yield* TestClock.setTime(Date.UTC(2026, 0, 1))
            assert.strictEqual((yield* outcome(id, path, documented - 1, millis))._tag, "Broken")
            assert.strictEqual((yield* outcome(id, path, documented, millis))._tag, "Held")
          })
      )
    }
  }
})

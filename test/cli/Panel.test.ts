import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestConsole from "effect/testing/TestConsole"
import * as Panel from "../../src/cli/Panel.ts"
import type { Screen } from "../../src/cli/Screen.ts"
import * as MainBalance from "../../src/endpoints/MainBalance.ts"
import * as OpenPositions from "../../src/endpoints/OpenPositions.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import * as Example from "../../src/sandbox/Example.ts"
import * as Sandbox from "../../src/sandbox/Sandbox.ts"
import { Venue } from "../../src/sandbox/venue/Venue.ts"
import { until } from "../support/clock.ts"
import { signed } from "../support/signed.ts"

const plain = (text: string) => text

const screen = (columns: number): Screen => ({
  isTerminal: true,
  columns,
  paint: { bold: plain, dim: plain, red: plain, green: plain, yellow: plain, cyan: plain }
})

/** Returns the lines that the panel prints for these calls. The calls are made at the same time. */
const linesOf = (columns: number, calls: ReadonlyArray<readonly [path: string, fields: object]>) =>
  Effect.gen(function*() {
    yield* Example.setUp
    const venue = yield* Venue
    yield* Panel.follow(screen(columns))
    yield* Effect.forEach(
      calls,
      ([path, fields]) => venue.handle(signed(Dialect.document, path, fields, Example.alice)),
      {
        concurrency: "unbounded"
      }
    )
    yield* until(Effect.map(TestConsole.logLines, ({ length }) => length === calls.length))
    return (yield* TestConsole.logLines).join("\n").split("\n")
  }).pipe(Effect.scoped, Effect.provide(Sandbox.layer()))

describe("Panel", () => {
  it.effect("the panel prints each call's time, account, request, outcome and duration, and the reason for a refusal", () =>
    Effect.gen(function*() {
      const { path } = MainBalance.endpoint
      const lines = yield* linesOf(Infinity, [[path, {}], [path, {}], [OpenPositions.endpoint.path, { market: "X_Y" }]])
      assert.strictEqual(lines.length, 4)
      for (const line of lines.slice(0, 2)) {
        assert.match(
          line,
          /^\d\d:\d\d:\d\d {2}alice +POST {2}\/api\/v4\/main-account\/balance +200 answered +\d+\.\d ms$/u
        )
      }
      assert.match(lines[2] ?? "", / {2}alice +POST {2}\/api\/v4\/collateral-account\/positions\/open +400 invalid +/u)
      assert.match(lines[3] ?? "", /^ +why: market \(known\): one that exists on this exchange$/u)
    }))

  it.effect("the panel shows only the last part of a path that is too long", () =>
    Effect.gen(function*() {
      const lines = yield* linesOf(80, [[OpenPositions.endpoint.path, { market: "X_Y" }]])
      assert.include(lines[0], "/positions/open  400 invalid")
      for (const line of lines) assert.isAtMost(line.length, 80)
    }))

  it.effect("the panel prints an unknown path without control characters", () =>
    Effect.gen(function*() {
      const [line = "", why] = yield* linesOf(100, [[`/${Example.bob.apiSecret}/\u001B[2J${"x".repeat(300)}`, {}]])
      assert.match(line, /xxx… {2}404 notFound/u)
      assert.isDefined(why)
      assert.notInclude(line + why, "\u001B")
    }))
})

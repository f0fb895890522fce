import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Command from "effect/cli/Command"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import * as AsyncApi from "../../src/AsyncApi.ts"
import { asyncapi } from "../../src/cli/asyncapi.ts"
import { scratchFile } from "../support/files.ts"

/** Runs the command and returns its output. */
const printed = Effect.fnUntraced(function*(...args: ReadonlyArray<string>) {
  const lines: Array<string> = []
  yield* Command.runWith(asyncapi, { version: "0" })(args).pipe(
    Effect.provideService(Console.Console, { ...console, log: (line: string) => lines.push(line) }),
    Effect.provide(NodeServices.layer)
  )
  return lines.map((line) => `${line}\n`).join("")
})

describe("effect-txc asyncapi", () => {
  it.live("`asyncapi` prints the AsyncAPI document", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* printed(), AsyncApi.text())
    }))

  it.live("`asyncapi` writes the document to the given file", () =>
    Effect.gen(function*() {
      const file = yield* scratchFile
      assert.strictEqual(yield* printed("--file", file), "")
      assert.strictEqual(readFileSync(file, "utf8"), AsyncApi.text())
    }).pipe(Effect.scoped))
})

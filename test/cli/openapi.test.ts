import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Command from "effect/cli/Command"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { openapi } from "../../src/cli/openapi.ts"
import * as OpenApi from "../../src/OpenApi.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import { scratchFile } from "../support/files.ts"

/** Runs the command and returns its output. */
const printed = Effect.fnUntraced(function*(...args: ReadonlyArray<string>) {
  const lines: Array<string> = []
  yield* Command.runWith(openapi, { version: "0" })(args).pipe(
    Effect.provideService(Console.Console, { ...console, log: (line: string) => lines.push(line) }),
    Effect.provide(NodeServices.layer)
  )
  return lines.map((line) => `${line}\n`).join("")
})

describe("effect-txc openapi", () => {
  it.live("`openapi` prints the OpenAPI document of the document's dialect by default", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* printed(), OpenApi.text(Dialect.document))
    }))

  it.live("`openapi` writes the document of the given dialect to the given file", () =>
    Effect.gen(function*() {
      const file = yield* scratchFile
      assert.strictEqual(yield* printed("--dialect", "live", "--file", file), "")
      assert.strictEqual(readFileSync(file, "utf8"), OpenApi.text(Dialect.live))
    }).pipe(Effect.scoped))
})

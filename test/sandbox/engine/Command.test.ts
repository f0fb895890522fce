import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import * as Command from "../../../src/sandbox/engine/Command.ts"

const source = readFileSync(new URL("../../../src/sandbox/engine/Command.ts", import.meta.url), "utf8")

/** The doc comment of each method, as an editor shows it. */
const docs = Object.fromEntries(
  [...source.matchAll(/\/\*\*((?:(?!\*\/)[^])*)\*\/\n {2}readonly (\w+): \(options/gu)].map((
    [, doc = "", method = ""]
  ) => [method, doc.replaceAll(/\s*\n\s*\*\s?/gu, " ").trim()] as const)
)

describe("owner actions", () => {
  it.effect("the OpenAPI document describes each owner action with the text of its doc comment", () =>
    Effect.sync(() => {
      const descriptions = Command.eachOwnerAction<Record<keyof Command.OwnerActions, string>>((method) =>
        Command.ownerActions[method].description
      )
      assert.deepStrictEqual(docs, descriptions)
    }))
})

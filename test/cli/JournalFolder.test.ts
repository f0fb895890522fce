import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import * as JournalFolder from "../../src/cli/JournalFolder.ts"
import { scratchFile } from "../support/files.ts"

const modeOf = (file: string): number => statSync(file).mode & 0o777

describe("a folder's control token", () => {
  it.effect("a folder's token survives restarts and is readable only by its owner, and each folder has a different token", () =>
    Effect.gen(function*() {
      const folder = dirname(yield* scratchFile)
      const file = `${folder}/control-token`
      const token = yield* JournalFolder.token(folder)
      assert.match(token, /^[\w-]{32}$/u)
      assert.strictEqual(readFileSync(file, "utf8"), `${token}\n`)
      assert.strictEqual(modeOf(file), 0o600)
      chmodSync(file, 0o644)
      assert.strictEqual(yield* JournalFolder.token(folder), token)
      assert.strictEqual(modeOf(file), 0o600)
      assert.notStrictEqual(yield* JournalFolder.token(dirname(yield* scratchFile)), token)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)))

  it.effect("a truncated token is replaced", () =>
    Effect.gen(function*() {
      const folder = dirname(yield* scratchFile)
      const file = `${folder}/control-token`
      for (const left of ["", "abc"]) {
        writeFileSync(file, left, { mode: 0o644 })
        const token = yield* JournalFolder.token(folder)
        assert.strictEqual(yield* JournalFolder.token(folder), token)
        assert.isAtLeast(token.length, 32)
        assert.strictEqual(modeOf(file), 0o600)
      }
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)))

  it.effect("a sandbox whose journal folder can't be written still has a token", () =>
    Effect.gen(function*() {
      assert.isAtLeast((yield* JournalFolder.token(`${yield* scratchFile}/missing`)).length, 32)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)))
})

import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { chmodSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { inspect } from "node:util"
import * as Credentials from "../../src/client/Credentials.ts"
import { alice, credentialsOf } from "../support/exchange.ts"
import { failsWith } from "../support/fails.ts"
import { scratchFile } from "../support/files.ts"

const make = (apiKey: string, apiSecret: string) =>
  Credentials.make({ apiKey: Redacted.make(apiKey), apiSecret: Redacted.make(apiSecret) })

const { apiKey, apiSecret } = alice

describe("make", () => {
  const problems = [
    ["an empty one", "", "is empty"],
    ["a line break at the end", "abcdefghij\n", "copied with something around it"],
    ["a line break in the middle", "abcde\r\nfghij", "copied with something around it"],
    ["a space", "abcde fghij", "copied with something around it"],
    ["a tab", "\tabcdefghij", "copied with something around it"],
    ["a letter beyond ASCII", "abcdéfghij", "copied with something around it"],
    ["a null character", "abcde\0fghij", "copied with something around it"],
    ["seven characters", "abcdefg", "is too short"]
  ] as const
  for (const [name, text, problem] of problems) {
    it.effect(`refuses ${name}, and does not show it`, () =>
      Effect.gen(function*() {
        for (const part of ["apiKey", "apiSecret"] as const) {
          const error = yield* failsWith("InvalidCredentials")(
            part === "apiKey" ? make(text, apiSecret) : make(apiKey, text)
          )
          assert.strictEqual(error.part, part)
          assert.include(error.message, problem)
          assert.include(error.message, part === "apiKey" ? "The API key" : "The API secret")
          if (text !== "") assert.notInclude(inspect(error, { depth: Infinity, showHidden: true }), text)
        }
      }))
  }

  it.effect("takes eight printable characters and more", () =>
    Effect.gen(function*() {
      const all = String.fromCharCode(...Array.from({ length: 0x7e - 0x21 + 1 }, (_, i) => 0x21 + i))
      const made = yield* make("abcdefgh", all)
      assert.strictEqual(Redacted.value(made.apiSecret), all)
      assert.notInclude(inspect(made, { depth: Infinity, showHidden: true }), "abcdefgh")
    }))
})

describe("layerConfig", () => {
  const from = (env: Readonly<Record<string, string>>) =>
    Effect.map(Credentials.Credentials, (made) => [Redacted.value(made.apiKey), Redacted.value(made.apiSecret)]).pipe(
      Effect.provide(Layer.provide(Credentials.layerConfig, ConfigProvider.layer(ConfigProvider.fromUnknown(env))))
    )

  it.effect("reads TXC_API_KEY and TXC_API_SECRET", () =>
    Effect.gen(function*() {
      const made = yield* from({ TXC_API_KEY: apiKey, TXC_API_SECRET: apiSecret })
      assert.deepStrictEqual(made, [apiKey, apiSecret])
    }))

  it.effect("says which variable is missing", () =>
    Effect.gen(function*() {
      assert.include((yield* failsWith("ConfigError")(from({ TXC_API_SECRET: apiSecret }))).message, "TXC_API_KEY")
      const error = yield* failsWith("ConfigError")(from({ TXC_API_KEY: apiKey }))
      assert.include(error.message, "TXC_API_SECRET")
      assert.notInclude(inspect(error, { depth: Infinity, showHidden: true }), apiKey)
    }))

  it.effect("refuses what make refuses", () =>
    Effect.gen(function*() {
      const error = yield* failsWith("InvalidCredentials")(from({ TXC_API_KEY: apiKey, TXC_API_SECRET: "a b c d e f" }))
      assert.strictEqual(error.part, "apiSecret")
      // Configuration takes an empty variable for one that is not set.
      yield* failsWith("ConfigError")(from({ TXC_API_KEY: apiKey, TXC_API_SECRET: "" }))
    }))

  it.effect("layer gives what make gives", () =>
    Effect.gen(function*() {
      const made = yield* Credentials.Credentials
      assert.strictEqual(Redacted.value(made.apiKey), apiKey)
    }).pipe(Effect.provide(Credentials.layer(credentialsOf(alice)))))
})

describe("layerFile", () => {
  const lines = `TXC_API_KEY=${apiKey}\nTXC_API_SECRET="${apiSecret}"\n`

  const from = (content: string | undefined, mode: number) =>
    Effect.gen(function*() {
      const path = yield* scratchFile
      if (content !== undefined) writeFileSync(path, content)
      if (content !== undefined) chmodSync(path, mode)
      const made = yield* Effect.result(Effect.provide(Credentials.Credentials, Credentials.layerFile(path)))
      return { made, path }
    }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))

  for (const mode of [0o600, 0o400]) {
    it.live(`reads the file that only its owner may read, ${mode.toString(8)}`, () =>
      Effect.gen(function*() {
        const { made } = yield* from(lines, mode)
        const credentials = Result.getOrThrow(made)
        assert.deepStrictEqual(
          [Redacted.value(credentials.apiKey), Redacted.value(credentials.apiSecret)],
          [apiKey, apiSecret]
        )
      }))
  }

  for (const mode of [0o644, 0o640, 0o604, 0o660, 0o602, 0o610, 0o601, 0o777]) {
    it.live(`refuses one that others may use, ${mode.toString(8)}, and says how to mend it`, () =>
      Effect.gen(function*() {
        const { made, path } = yield* from(lines, mode)
        const error = Result.isFailure(made) ? made.failure : assert.fail("it was read")
        assert.strictEqual(error._tag, "CredentialsFileRefused")
        assert.include(error.message, `mode 0${mode.toString(8)}`)
        assert.include(error.message, `chmod 600 ${path}`)
        assert.notInclude(inspect(error, { depth: Infinity, showHidden: true }), apiSecret)
      }))
  }

  const problems: ReadonlyArray<readonly [string, string | undefined, string, string]> = [
    ["none", undefined, "CredentialsFileRefused", "it can't be read"],
    ["one without a secret", `TXC_API_KEY=${apiKey}\n`, "ConfigError", "TXC_API_SECRET"],
    ["an empty one", "", "ConfigError", "TXC_API_KEY"],
    ["one with a short secret", `TXC_API_KEY=${apiKey}\nTXC_API_SECRET=abc`, "InvalidCredentials", "too short"]
  ]
  for (const [name, content, tag, words] of problems) {
    it.live(`refuses ${name}`, () =>
      Effect.gen(function*() {
        const { made } = yield* from(content, 0o600)
        const error = Result.isFailure(made) ? made.failure : assert.fail("it was read")
        assert.strictEqual(error._tag, tag)
        assert.include(error.message, words)
      }))
  }

  it.live("refuses a directory", () =>
    Effect.gen(function*() {
      const directory = dirname(yield* scratchFile)
      const error = yield* failsWith("CredentialsFileRefused")(
        Effect.provide(Effect.asVoid(Credentials.Credentials), Credentials.layerFile(directory))
      )
      assert.match(error.problem, /not a file|can't be read/u)
    }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer)))
})

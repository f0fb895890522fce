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
import * as Region from "../../src/client/Region.ts"
import * as Settings from "../../src/client/Settings.ts"
import { alice } from "../support/exchange.ts"
import { failsWith } from "../support/fails.ts"
import { scratchFile } from "../support/files.ts"

const { apiKey, apiSecret } = alice

describe("Settings.layerCredentials", () => {
  const from = (env: Readonly<Record<string, string>>) =>
    Effect.map(Credentials.Credentials, (made) => [Redacted.value(made.apiKey), Redacted.value(made.apiSecret)]).pipe(
      Effect.provide(Layer.provide(Settings.layerCredentials, ConfigProvider.layer(ConfigProvider.fromUnknown(env))))
    )

  it.effect("credentials are read from TXC_API_KEY and TXC_API_SECRET", () =>
    Effect.gen(function*() {
      const made = yield* from({ TXC_API_KEY: apiKey, TXC_API_SECRET: apiSecret })
      assert.deepStrictEqual(made, [apiKey, apiSecret])
    }))

  it.effect("the error for missing credentials names the unset variable", () =>
    Effect.gen(function*() {
      const noKey = yield* failsWith("InvalidCredentials")(from({ TXC_API_SECRET: apiSecret }))
      assert.strictEqual(noKey.message, "The API key is missing; set TXC_API_KEY")
      const error = yield* failsWith("InvalidCredentials")(from({ TXC_API_KEY: apiKey }))
      assert.strictEqual(error.message, "The API secret is missing; set TXC_API_SECRET")
      assert.notInclude(inspect(error, { depth: Infinity, showHidden: true }), apiKey)
    }))

  it.effect("credentials from configuration are validated in the same way as credentials passed to Credentials.make", () =>
    Effect.gen(function*() {
      const error = yield* failsWith("InvalidCredentials")(from({ TXC_API_KEY: apiKey, TXC_API_SECRET: "a b c d e f" }))
      assert.strictEqual(error.part, "apiSecret")
      // Effect's Config treats an empty variable as unset.
      const empty = yield* failsWith("InvalidCredentials")(from({ TXC_API_KEY: apiKey, TXC_API_SECRET: "" }))
      assert.include(empty.problem, "missing")
    }))
})

describe("Settings.layerCredentialsFile", () => {
  const lines = `TXC_API_KEY=${apiKey}\nTXC_API_SECRET="${apiSecret}"\n`

  const from = (content: string | undefined, mode: number) =>
    Effect.gen(function*() {
      const path = yield* scratchFile
      if (content !== undefined) writeFileSync(path, content)
      if (content !== undefined) chmodSync(path, mode)
      const made = yield* Effect.result(Effect.provide(Credentials.Credentials, Settings.layerCredentialsFile(path)))
      return { made, path }
    }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))

  for (const mode of [0o600, 0o400]) {
    it.live(`a credentials file with the private mode ${mode.toString(8)} is accepted`, () =>
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
    it.live(`a credentials file with the mode ${mode.toString(8)} is rejected, and the error contains the command to fix it`, () =>
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
    ["a missing file", undefined, "CredentialsFileRefused", "it can't be read"],
    ["a file without a secret", `TXC_API_KEY=${apiKey}\n`, "InvalidCredentials", "set TXC_API_SECRET"],
    ["an empty file", "", "InvalidCredentials", "set TXC_API_KEY"]
  ]
  for (const [name, content, tag, words] of problems) {
    it.live(`layerCredentialsFile rejects ${name}`, () =>
      Effect.gen(function*() {
        const { made } = yield* from(content, 0o600)
        const error = Result.isFailure(made) ? made.failure : assert.fail("it was read")
        assert.strictEqual(error._tag, tag)
        assert.include(error.message, words)
      }))
  }

  it.live("a directory is rejected as a credentials file", () =>
    Effect.gen(function*() {
      const directory = dirname(yield* scratchFile)
      const error = yield* failsWith("CredentialsFileRefused")(
        Effect.provide(Effect.asVoid(Credentials.Credentials), Settings.layerCredentialsFile(directory))
      )
      assert.match(error.problem, /not a file|can't be read/u)
    }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer)))
})

describe("Settings.layerRegion", () => {
  const from = (env: Readonly<Record<string, string>>) =>
    Effect.map(Region.Region, ({ baseUrl, dialect }) => `${baseUrl} ${dialect.name}`).pipe(
      Effect.provide(Layer.provide(Settings.layerRegion, ConfigProvider.layer(ConfigProvider.fromUnknown(env))))
    )

  const accepted: ReadonlyArray<readonly [Readonly<Record<string, string>>, string]> = [
    [{ TXC_REGION: "eu" }, "https://whitebit.eu live"],
    [{ TXC_BASE_URL: "https://example.com", TXC_DIALECT: "document" }, "https://example.com document"],
    [{ TXC_BASE_URL: "http://localhost:1", TXC_DIALECT: "live" }, "http://localhost:1 live"],
    [
      { TXC_BASE_URL: "http://exchange.internal", TXC_DIALECT: "live", TXC_ALLOW_INSECURE: "true" },
      "http://exchange.internal live"
    ]
  ]
  for (const [env, expected] of accepted) {
    it.effect(`settings accept ${JSON.stringify(env)}`, () =>
      Effect.gen(function*() {
        assert.strictEqual(yield* from(env), expected)
      }))
  }

  const refused: ReadonlyArray<readonly [string, Readonly<Record<string, string>>, string]> = [
    ["an empty configuration", {}, "set either TXC_REGION, or TXC_BASE_URL with TXC_DIALECT"],
    ["a dialect alone", { TXC_DIALECT: "live" }, "set either TXC_REGION"],
    ["an empty base URL", { TXC_BASE_URL: "", TXC_DIALECT: "live" }, "set either TXC_REGION"],
    ["a base URL without its dialect", { TXC_BASE_URL: "https://example.com" }, "set TXC_DIALECT"],
    [
      "a region and a base URL",
      { TXC_REGION: "eu", TXC_BASE_URL: "https://example.com", TXC_DIALECT: "live" },
      "set either TXC_REGION"
    ],
    [
      "http to another machine",
      { TXC_BASE_URL: "http://example.com", TXC_DIALECT: "live" },
      "plain http to another machine"
    ]
  ]
  for (const [name, env, problem] of refused) {
    it.effect(`layerRegion rejects ${name}`, () =>
      Effect.gen(function*() {
        const error = yield* failsWith("InvalidBaseUrl")(from(env))
        assert.include(error.message, problem)
      }))
  }

  const wrong: ReadonlyArray<readonly [string, Readonly<Record<string, string>>, string]> = [
    ["an unknown region", { TXC_REGION: "mars" }, "set TXC_REGION to global or eu"],
    [
      "an unknown dialect",
      { TXC_BASE_URL: "https://example.com", TXC_DIALECT: "v5" },
      "set TXC_DIALECT to document or"
    ],
    [
      "an invalid TXC_ALLOW_INSECURE",
      { TXC_BASE_URL: "https://example.com", TXC_DIALECT: "live", TXC_ALLOW_INSECURE: "perhaps" },
      "set TXC_ALLOW_INSECURE to true or false"
    ]
  ]
  for (const [name, env, remedy] of wrong) {
    it.effect(`settings reject ${name}, and the error states which setting to change`, () =>
      Effect.gen(function*() {
        const error = yield* failsWith("InvalidBaseUrl")(from(env))
        assert.include(error.message, remedy)
      }))
  }
})

import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Region from "../../src/client/Region.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import { failsWith } from "../support/fails.ts"

const at = (baseUrl: string, allowInsecure?: boolean) =>
  Region.make({ baseUrl, dialect: Dialect.document, ...(allowInsecure === undefined ? {} : { allowInsecure }) })

describe("make", () => {
  it.effect("the live exchange's servers speak the live dialect", () =>
    Effect.gen(function*() {
      const global = yield* Region.make({ region: "global" })
      assert.deepStrictEqual([global.baseUrl, global.dialect.name], ["https://whitebit.com", "live"])
      const eu = yield* Region.make({ region: "eu" })
      assert.deepStrictEqual([eu.baseUrl, eu.dialect.name], ["https://whitebit.eu", "live"])
    }))

  const accepted = [
    ["https://example.com", "https://example.com"],
    ["https://example.com/", "https://example.com"],
    ["https://example.com:8443/prefix//", "https://example.com:8443/prefix"],
    ["http://localhost:3000", "http://localhost:3000"],
    ["http://exchange.localhost", "http://exchange.localhost"],
    ["http://127.0.0.1:1", "http://127.0.0.1:1"],
    ["http://127.8.9.10", "http://127.8.9.10"],
    ["http://[::1]:3000/", "http://[::1]:3000"],
    // Other spellings of the same address.
    ["http://2130706433", "http://127.0.0.1"],
    ["HTTP://LOCALHOST", "http://localhost"]
  ] as const
  for (const [written, baseUrl] of accepted) {
    it.effect(`accepts ${written}`, () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* at(written), { baseUrl, dialect: Dialect.document })
      }))
  }

  const insecure = "plain http to another machine"
  const refused = [
    ["http://example.com", insecure],
    ["http://127.0.0.1.example.com", insecure],
    ["http://localhost.example.com", insecure],
    ["http://10.0.0.1", insecure],
    ["http://0.0.0.0", insecure],
    ["http://[::2]", insecure],
    ["http://localhost@example.com", "user name or a password"],
    ["https://user:password@example.com", "user name or a password"],
    ["https://example.com?x=1", "a query or a fragment"],
    ["https://example.com/#x", "a query or a fragment"],
    ["ftp://example.com", "neither https nor http"],
    ["file:///etc/passwd", "neither https nor http"],
    ["example.com", "it is not a URL"],
    ["", "it is not a URL"]
  ] as const
  for (const [written, problem] of refused) {
    it.effect(`refuses ${written === "" ? "an empty text" : written}`, () =>
      Effect.gen(function*() {
        const error = yield* failsWith("InvalidBaseUrl")(at(written))
        assert.strictEqual(error.baseUrl, written)
        assert.include(error.problem, problem)
        assert.include(error.message, problem)
      }))
  }

  it.effect("allowInsecure permits http to another machine, and nothing else", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* at("http://exchange.internal:8080", true)).baseUrl, "http://exchange.internal:8080")
      yield* failsWith("InvalidBaseUrl")(at("ftp://example.com", true))
      yield* failsWith("InvalidBaseUrl")(at("http://example.com", false))
    }))
})

describe("layerConfig", () => {
  const from = (env: Readonly<Record<string, string>>) =>
    Effect.map(Region.Region, ({ baseUrl, dialect }) => `${baseUrl} ${dialect.name}`).pipe(
      Effect.provide(Layer.provide(Region.layerConfig, ConfigProvider.layer(ConfigProvider.fromUnknown(env))))
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
    it.effect(`accepts ${JSON.stringify(env)}`, () =>
      Effect.gen(function*() {
        assert.strictEqual(yield* from(env), expected)
      }))
  }

  const refused: ReadonlyArray<readonly [string, Readonly<Record<string, string>>, string]> = [
    ["nothing at all", {}, "set either TXC_REGION, or TXC_BASE_URL with TXC_DIALECT"],
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
    it.effect(`refuses ${name}`, () =>
      Effect.gen(function*() {
        const error = yield* failsWith("InvalidBaseUrl")(from(env))
        assert.include(error.message, problem)
      }))
  }

  const wrong: ReadonlyArray<readonly [string, Readonly<Record<string, string>>, string]> = [
    ["an unknown region", { TXC_REGION: "mars" }, "TXC_REGION"],
    ["an unknown dialect", { TXC_BASE_URL: "https://example.com", TXC_DIALECT: "v5" }, "TXC_DIALECT"],
    [
      "an allowInsecure that is neither",
      { TXC_BASE_URL: "https://example.com", TXC_DIALECT: "live", TXC_ALLOW_INSECURE: "perhaps" },
      "TXC_ALLOW_INSECURE"
    ]
  ]
  for (const [name, env, variable] of wrong) {
    it.effect(`refuses ${name}, and says which variable it is`, () =>
      Effect.gen(function*() {
        const error = yield* failsWith("ConfigError")(from(env))
        assert.include(error.message, variable)
      }))
  }
})

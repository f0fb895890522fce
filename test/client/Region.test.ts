import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Region from "../../src/client/Region.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import { failsWith } from "../support/fails.ts"

const at = (baseUrl: string, allowInsecure?: boolean) =>
  Region.make({ baseUrl, dialect: Dialect.document, ...(allowInsecure === undefined ? {} : { allowInsecure }) })

describe("Region.make", () => {
  it.effect("the regions of the live exchange use the live dialect", () =>
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
    // Other spellings of the loopback address.
    ["http://2130706433", "http://127.0.0.1"],
    ["HTTP://LOCALHOST", "http://localhost"]
  ] as const
  for (const [written, baseUrl] of accepted) {
    it.effect(`Region accepts ${written}`, () =>
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
    ["ftp://user:p@ss@example.com", "neither https nor http"],
    ["https//user:password@example.com", "it is not a URL"],
    ["file:///etc/passwd", "neither https nor http"],
    ["example.com", "it is not a URL"],
    ["", "it is not a URL"]
  ] as const
  for (const [written, problem] of refused) {
    it.effect(`Region rejects ${written === "" ? "an empty string" : written}`, () =>
      Effect.gen(function*() {
        const error = yield* failsWith("InvalidBaseUrl")(at(written))
        assert.strictEqual(
          error.baseUrl,
          written.replace(/\/\/.*@/u, "//").replace(/^https\/\//u, ""),
          "no password is shown"
        )
        assert.include(error.problem, problem)
        assert.include(error.message, problem)
      }))
  }

  it.effect("allowInsecure permits plain http to another machine, but permits no other scheme", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* at("http://exchange.internal:8080", true)).baseUrl, "http://exchange.internal:8080")
      yield* failsWith("InvalidBaseUrl")(at("ftp://example.com", true))
      yield* failsWith("InvalidBaseUrl")(at("http://example.com", false))
    }))
})

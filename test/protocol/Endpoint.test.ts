import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Result from "effect/Result"
import { readdirSync } from "node:fs"
import { inspect } from "node:util"
import type { Dialect } from "../../src/protocol/Dialect.ts"
import { live } from "../../src/protocol/Dialect.ts"
import * as Endpoint from "../../src/protocol/Endpoint.ts"
import * as Json from "../../src/protocol/Json.ts"
import { entries, fixtures, goldenIn } from "../endpoints/fixtures/all.ts"
import { anyRequest, response, revealed } from "../support/arbitraries.ts"
import { dialects } from "../support/exchange.ts"
import { property } from "../support/property.ts"

/** The endpoint properties that the fixtures do not repeat. */
const schemas = ["request", "response", "example", "~codec"]

describe("endpoint definitions", () => {
  it("every endpoint has a module, an entry in the contract and a fixture", () => {
    const modulesIn = (folder: string) =>
      readdirSync(new URL(folder, import.meta.url)).filter((file) => /^[A-Z]/u.test(file))
    const expected = entries.map(({ name }) => `${name}.ts`)
    assert.sameMembers(modulesIn("../../src/endpoints"), expected)
    assert.sameMembers(modulesIn("../endpoints/fixtures"), [...expected, "Fixture.ts"])
    assert.sameMembers(Object.keys(fixtures), entries.map(({ name }) => name))
  })

  it("endpoints are listed in the document's order, followed by endpoints that the document lacks", () => {
    const clauses = entries.map(({ documented: { clause } }) => clause)
    const numbers = clauses.flatMap((clause) => /^Endpoints §(\d+)$/u.exec(clause)?.[1] ?? [])
    assert.deepStrictEqual(numbers, numbers.toSorted((one, other) => Number(one) - Number(other)))
    assert.deepStrictEqual([...new Set(clauses.slice(numbers.length))], ["not in the document"])
  })

  for (const { documented, endpoint, name } of entries) {
    it(`the definition of ${name} matches its fixture`, () => {
      const described = Object.entries(endpoint).filter(([key]) => !schemas.includes(key))
      assert.deepStrictEqual<unknown>(Object.fromEntries(described), { places: "nothing", ...documented })
      assert.strictEqual(documented.name.split(".")[0], name)
    })
  }

  it("an endpoint is public exactly when its method is GET", () => {
    for (const { documented, name } of entries) {
      assert.strictEqual(documented.access, documented.method === "GET" ? "public" : "private", name)
    }
  })

  it("an endpoint's body has `request` and `nonce` exactly when the endpoint is private", () => {
    for (const { documented, name } of entries) {
      assert.strictEqual(documented.envelope === "none", documented.access === "public", name)
    }
  })

  it("an endpoint refuses invalid fields only with the errors of its family", () => {
    for (const { documented, name } of entries) {
      const other = documented.errorFamily === "order" ? "InvalidFields" : "ValidationFailed"
      assert.notInclude(documented.refusals, other, name)
    }
  })

  it("an endpoint with request fields declares refusals for them, and an endpoint with a reduce-only flag declares reduce-only refusals", () => {
    for (const entry of entries) {
      const { documented: { refusals }, name } = entry
      const { request } = goldenIn(entry, live)
      assert.strictEqual(refusals.length > 0, Object.keys(request).length > 0, name)
      assert.strictEqual(refusals.includes("ReduceOnlyRejected"), Object.hasOwn(request, "reduceOnly"), name)
    }
  })
})

describe("endpoint codecs", () => {
  it("a codec is built once per dialect", () => {
    for (const { endpoint } of entries) {
      const [a, b] = dialects.map((dialect) => Endpoint.codec(endpoint, dialect))
      assert.deepStrictEqual(dialects.map((dialect) => Endpoint.codec(endpoint, dialect)), [a, b])
      assert.notStrictEqual(a, b)
    }
  })
})

const throughJson = (wire: unknown): unknown =>
  wire === undefined ? undefined : Result.getOrThrow(Json.parse(Json.stringify(wire as object)))

/**
 * Checks whether the dialect can express a response. The live exchange has no status for orders that were partially
 * filled and then canceled.
 */
const isSayable = ({ name }: Dialect) => (answer: unknown): boolean =>
  name !== "live" || !inspect(answer, { depth: Infinity }).includes("PARTIAL_CANCELED")

const suite = (dialect: Dialect) => {
  describe(`goldens in the ${dialect.name} dialect`, () => {
    const goldens = entries.map((entry) => ({
      ...goldenIn(entry, dialect),
      name: entry.endpoint.name,
      codec: Endpoint.codec(entry.endpoint, dialect)
    }))

    it(`${dialect.name}: golden requests round-trip`, () => {
      for (const { codec, name, request, wire } of goldens) {
        assert.deepStrictEqual(codec.encodeRequest(request), Result.succeed(wire.request), name)
        assert.deepStrictEqual(codec.decodeRequest(throughJson(wire.request)), Result.succeed(request), name)
      }
    })

    it(`${dialect.name}: golden responses round-trip`, () => {
      for (const { codec, name, response, wire } of goldens) {
        const decoded = codec.decodeResponse(throughJson(wire.response))
        assert.deepStrictEqual(Result.map(decoded, revealed), Result.succeed(revealed(response)), name)
        assert.deepStrictEqual(codec.encodeResponse(response), Result.succeed(wire.response), name)
      }
    })
  })

  describe(`round trips of generated values in the ${dialect.name} dialect`, () => {
    for (const { endpoint, expressible = identity } of entries) {
      const codec = Endpoint.codec(endpoint, dialect)

      property(
        `${dialect.name}: generated requests of ${endpoint.name} round-trip`,
        [anyRequest(endpoint, dialect)],
        (request) =>
          Effect.sync(() => {
            const wire = Result.getOrThrow(codec.encodeRequest(request))
            assert.deepStrictEqual(codec.decodeRequest(throughJson(wire)), Result.succeed(request))
          })
      )

      property(
        `${dialect.name}: generated responses of ${endpoint.name} round-trip`,
        [response(endpoint, dialect).filter(isSayable(dialect))],
        (drawn) =>
          Effect.sync(() => {
            const response = expressible(drawn as never)
            const wire = Result.getOrThrow(codec.encodeResponse(response))
            const decoded = codec.decodeResponse(throughJson(wire))
            assert.deepStrictEqual(Result.map(decoded, revealed), Result.succeed(revealed(response)))
          })
      )
    }
  })
}

for (const dialect of dialects) suite(dialect)

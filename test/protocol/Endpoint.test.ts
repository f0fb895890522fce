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

/** What an endpoint's value holds besides what its source says of it. */
const schemas = ["request", "response", "example", "~codec"]

describe("endpoints", () => {
  it("are one module each, one line of the contract each, and one fixture each", () => {
    const modulesIn = (folder: string) =>
      readdirSync(new URL(folder, import.meta.url)).filter((file) => /^[A-Z]/u.test(file))
    const expected = entries.map(({ name }) => `${name}.ts`)
    assert.sameMembers(modulesIn("../../src/endpoints"), expected)
    assert.sameMembers(modulesIn("../endpoints/fixtures"), [...expected, "Fixture.ts"])
    assert.sameMembers(Object.keys(fixtures), entries.map(({ name }) => name))
  })

  it("are listed in the order of the document, then those that it does not have", () => {
    const clauses = entries.map(({ documented: { clause } }) => clause)
    const numbers = clauses.flatMap((clause) => /^Endpoints §(\d+)$/u.exec(clause)?.[1] ?? [])
    assert.deepStrictEqual(numbers, numbers.toSorted((one, other) => Number(one) - Number(other)))
    assert.deepStrictEqual([...new Set(clauses.slice(numbers.length))], ["not in the document"])
  })

  for (const { documented, endpoint, name } of entries) {
    it(`${name} is what its source says`, () => {
      const described = Object.entries(endpoint).filter(([key]) => !schemas.includes(key))
      assert.deepStrictEqual<unknown>(Object.fromEntries(described), { places: "nothing", ...documented })
      assert.strictEqual(documented.name.split(".")[0], name)
    })
  }

  it("are public when they are read with GET, and only then", () => {
    for (const { documented, name } of entries) {
      assert.strictEqual(documented.access, documented.method === "GET" ? "public" : "private", name)
    }
  })

  it("have request and nonce in the body when they are private, and only then", () => {
    for (const { documented, name } of entries) {
      assert.strictEqual(documented.envelope === "none", documented.access === "public", name)
    }
  })

  it("refuse fields with the errors of their family", () => {
    for (const { documented, name } of entries) {
      const other = documented.errorFamily === "order" ? "InvalidFields" : "ValidationFailed"
      assert.notInclude(documented.refusals, other, name)
    }
  })

  it("refuse fields if they have any, and can be refused as reduce-only if they can ask for it", () => {
    for (const entry of entries) {
      const { documented: { refusals }, name } = entry
      const { request } = goldenIn(entry, live)
      assert.strictEqual(refusals.length > 0, Object.keys(request).length > 0, name)
      assert.strictEqual(refusals.includes("ReduceOnlyRejected"), Object.hasOwn(request, "reduceOnly"), name)
    }
  })
})

describe("codec", () => {
  it("is built once per dialect", () => {
    for (const { endpoint } of entries) {
      const [a, b] = dialects.map((dialect) => Endpoint.codec(endpoint, dialect))
      assert.deepStrictEqual(dialects.map((dialect) => Endpoint.codec(endpoint, dialect)), [a, b])
      assert.notStrictEqual(a, b)
    }
  })
})

const throughJson = (wire: unknown): unknown =>
  wire === undefined ? undefined : Result.getOrThrow(Json.parse(Json.stringify(wire as object)))

/** The live exchange says of an order that was canceled in part only that it was canceled. */
const isSayable = ({ name }: Dialect) => (answer: unknown): boolean =>
  name !== "live" || !inspect(answer, { depth: Infinity }).includes("PARTIAL_CANCELED")

const suite = (dialect: Dialect) => {
  describe(`goldens, ${dialect.name} dialect`, () => {
    for (const entry of entries) {
      const { endpoint } = entry
      const codec = Endpoint.codec(endpoint, dialect)
      const { wire, ...golden } = goldenIn(entry, dialect)

      it(`${endpoint.name} request`, () => {
        assert.deepStrictEqual(codec.encodeRequest(golden.request), Result.succeed(wire.request))
        assert.deepStrictEqual(codec.decodeRequest(throughJson(wire.request)), Result.succeed(golden.request))
      })

      it(`${endpoint.name} answer`, () => {
        const decoded = codec.decodeResponse(throughJson(wire.response))
        assert.deepStrictEqual(Result.map(decoded, revealed), Result.succeed(revealed(golden.response)))
        assert.deepStrictEqual(codec.encodeResponse(golden.response), Result.succeed(wire.response))
      })
    }
  })

  describe(`round trips, ${dialect.name} dialect`, () => {
    for (const { endpoint, expressible = identity } of entries) {
      const codec = Endpoint.codec(endpoint, dialect)

      property(`${endpoint.name} requests`, [anyRequest(endpoint, dialect)], (request) =>
        Effect.sync(() => {
          const wire = Result.getOrThrow(codec.encodeRequest(request))
          assert.deepStrictEqual(codec.decodeRequest(throughJson(wire)), Result.succeed(request))
        }))

      property(
        `${endpoint.name} answers`,
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

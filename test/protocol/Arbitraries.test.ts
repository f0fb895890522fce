import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import * as fc from "fast-check"
import * as Endpoint from "../../src/protocol/Endpoint.ts"
import { entries, goldenIn } from "../endpoints/fixtures/all.ts"
import { anyRequest, brands, identifiersIn, request } from "../support/arbitraries.ts"
import { dialects } from "../support/exchange.ts"
import { property } from "../support/property.ts"

const identifiers = new Map<string, SchemaAST.AST>(
  dialects.flatMap((dialect) =>
    entries.flatMap(({ endpoint }) => [
      ...identifiersIn(endpoint.request(dialect).schema.ast),
      ...identifiersIn(endpoint.response(dialect).ast)
    ])
  )
)

describe("arbitraries of brands", () => {
  it("every brand used in an endpoint has an arbitrary, and every arbitrary belongs to such a brand", () => {
    assert.sameMembers(Object.keys(brands), [...identifiers.keys()])
  })

  for (const [identifier, ast] of identifiers) {
    const isOne = Schema.is(Schema.toType(Schema.make<Schema.Schema<unknown>>(ast)))
    property(
      `the arbitrary of ${identifier} generates only valid values`,
      [brands[identifier] ?? fc.constant(undefined)],
      (value) => Effect.sync(() => assert.isTrue(isOne(value)))
    )
  }
})

describe("arbitraries of requests", () => {
  it("generated requests sometimes have and sometimes lack each optional key", () => {
    for (const { endpoint } of entries) {
      for (const dialect of dialects) {
        const drawn = fc.sample(request(endpoint, dialect), { numRuns: 200, seed: 1 })
        for (const [name, schema] of Object.entries(endpoint.request(dialect).fields)) {
          const present = drawn.filter((request) => Object.hasOwn(request, name)).length
          assert.isAbove(present, 0, `${endpoint.name} ${name}`)
          if (schema.ast.context?.isOptional === true) assert.isBelow(present, drawn.length, `${endpoint.name} ${name}`)
        }
      }
    }
  })

  it("golden requests have every field that can be combined with the others", () => {
    for (const entry of entries) {
      const { endpoint } = entry
      for (const dialect of dialects) {
        const { request } = goldenIn(entry, dialect)
        const { encodeRequest, shape } = Endpoint.codec(endpoint, dialect)
        for (const name of Object.keys(shape.fields).filter((name) => !Object.hasOwn(request, name))) {
          const [drawn = {}] = fc.sample(
            anyRequest(endpoint, dialect).filter((drawn: object) => Object.hasOwn(drawn, name)),
            { numRuns: 1, seed: 1 }
          )
          const broken = encodeRequest({ ...request, [name]: drawn[name] })
          assert.isTrue(Result.isFailure(broken), `${endpoint.name}: the golden could have ${name}`)
        }
      }
    }
  })
})

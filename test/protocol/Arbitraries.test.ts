import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import * as fc from "fast-check"
import { brands, identifiersIn, request } from "../support/arbitraries.ts"
import { property } from "../support/property.ts"
import { dialects, goldens } from "./goldens.ts"

const identifiers = new Map<string, SchemaAST.AST>(
  dialects.flatMap((dialect) =>
    goldens.flatMap(({ endpoint }) => [
      ...identifiersIn(endpoint.request(dialect).schema.ast),
      ...identifiersIn(endpoint.response(dialect).ast)
    ])
  )
)

describe("brands", () => {
  it("of all endpoints have an arbitrary, and there is none besides", () => {
    assert.sameMembers(Object.keys(brands), [...identifiers.keys()])
  })

  for (const [identifier, ast] of identifiers) {
    const isOne = Schema.is(Schema.toType(Schema.make<Schema.Schema<unknown>>(ast)))
    property(
      `${identifier}: every value drawn is one`,
      [brands[identifier] ?? fc.constant(undefined)],
      (value) => Effect.sync(() => assert.isTrue(isOne(value)))
    )
  }
})

describe("requests", () => {
  it("have every optional key sometimes, and sometimes not", () => {
    for (const { endpoint, request: golden } of goldens) {
      for (const dialect of dialects) {
        const drawn = fc.sample(request(endpoint, dialect), { numRuns: 200, seed: 1 })
        for (const [name, schema] of Object.entries(endpoint.request(dialect).fields)) {
          const present = drawn.filter((request) => Object.hasOwn(request, name)).length
          assert.isAbove(present, 0, `${endpoint.name} ${name}`)
          if (schema.ast.context?.isOptional === true) assert.isBelow(present, drawn.length, `${endpoint.name} ${name}`)
          // An order is canceled by one of its identifiers: both together break a constraint.
          if (name !== "clientOrderId" || endpoint.name !== "CancelOrder.cancel") {
            assert.property(golden, name, endpoint.name)
          }
        }
      }
    }
  })
})

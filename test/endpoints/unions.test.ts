/**
 * Checks that no union in a response has a member that accepts every object. Decoding as that member would lose fields.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import * as PublicFees from "../../src/endpoints/PublicFees.ts"
import * as Endpoint from "../../src/protocol/Endpoint.ts"
import { dialects } from "../support/exchange.ts"
import { entries } from "./fixtures/all.ts"

/** Collects a schema node and all nodes below it, including nodes on the wire side of its encoding. */
const nodesOf = (ast: SchemaAST.AST, seen = new Set<SchemaAST.AST>()): ReadonlySet<SchemaAST.AST> => {
  if (seen.has(ast)) return seen
  seen.add(ast)
  const inner: ReadonlyArray<SchemaAST.AST> = [
    ...(ast.encoding ?? []).map(({ to }) => to),
    ...(ast._tag === "Union" ? ast.types : []),
    ...(ast._tag === "Arrays" ? [...ast.elements, ...ast.rest] : []),
    ...(ast._tag === "Objects"
      ? [...ast.propertySignatures.map(({ type }) => type), ...ast.indexSignatures.map(({ type }) => type)]
      : []),
    ...(ast._tag === "Declaration" ? ast.typeParameters : [])
  ]
  for (const node of inner) nodesOf(node, seen)
  return seen
}

const takesAnything = (ast: SchemaAST.AST): boolean =>
  Result.isSuccess(Schema.decodeUnknownResult(Schema.make<Schema.Codec<unknown>>(ast))({ "no such field": 1 }))

describe.each(dialects)("unions in the $name dialect", (dialect) => {
  it.each(entries.map(({ endpoint }) => endpoint))(
    "no union in $name has a member that accepts every object",
    (endpoint) => {
      for (const node of nodesOf(endpoint.response(dialect).ast)) {
        // A union of one member and `null` is unambiguous.
        if (node._tag !== "Union" || node.types.filter(({ _tag }) => _tag !== "Null").length < 2) continue
        for (const [at, member] of node.types.entries()) {
          assert.isFalse(takesAnything(member), `member ${at} of a union of ${node.types.length}`)
        }
      }
    }
  )

  it("a provider with an invalid field is not decoded as an asset without fees", () => {
    const { decodeResponse } = Endpoint.codec(PublicFees.endpoint, dialect)
    const provider = {
      ticker: "EUR",
      name: "SEPA",
      fixed: "1",
      flex: { percent: "0.05", min_fee: "3", max_fee: "7.25" }
    }
    const eur = (terms: object) => ({
      EUR: { ticker: "EUR", name: "Euro", providers: ["EUR_SEPA"], withdraw: { EUR_SEPA: terms }, deposit: {} }
    })
    assert.isTrue(Result.isSuccess(decodeResponse(eur(provider))))
    for (const wrong of [{ fixed: 1 }, { flex: { ...provider.flex, max_fee: null } }, { name: undefined }]) {
      assert.isTrue(Result.isFailure(decodeResponse(eur({ ...provider, ...wrong }))))
    }
  })
})

import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { ApiKey } from "../../../src/domain/Identifiers.ts"
import * as Arbitraries from "../../../src/oracle/Arbitraries.ts"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import * as Endpoint from "../../../src/protocol/Endpoint.ts"
import { Command } from "../../../src/sandbox/engine/Command.ts"
import { routes } from "../../../src/sandbox/handlers/Routes.ts"
import * as Chain from "../../../src/sandbox/store/Chain.ts"
import { property } from "../../support/property.ts"

const encode = Schema.encodeResult(Schema.fromJsonString(Schema.toCodecJson(Command)))

const nonce = fc.option(fc.record({ value: fc.bigInt({ min: 0n, max: 10n ** 20n - 1n }), window: fc.boolean() }), {
  nil: undefined
})

const calls = routes.filter(({ endpoint }) => endpoint.mutates)

describe.each([Dialect.document, Dialect.live])("in the $name dialect", (dialect) => {
  const operations = calls.map(({ endpoint, operation }) => {
    const { decodeRequest, encodeRequest } = Endpoint.codec(endpoint, dialect)
    return Arbitraries.request(endpoint, dialect).map((request) =>
      operation(Result.getOrThrow(decodeRequest(Result.getOrThrow(encodeRequest(request)))) as never)
    )
  })

  property(
    "a call is written as its schema writes it, and read again",
    [fc.oneof(...operations), nonce],
    (operation, nonce) =>
      Effect.sync(() => {
        const call = { _tag: "Call", apiKey: ApiKey.make("key"), operation } as const
        const command = { at: 1, action: nonce === undefined ? call : { ...call, nonce } }
        const text = Result.getOrThrow(Chain.encode(command))
        assert.strictEqual(text, Result.getOrThrow(encode(command)))
        assert.deepStrictEqual(Result.getOrThrow(Chain.decode(text)), command)
      }),
    { runs: 150 }
  )
})

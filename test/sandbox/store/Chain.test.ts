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
import { changed, pathsOf } from "../../support/bodies.ts"
import { property } from "../../support/property.ts"
import { commands } from "../engine/commands.ts"

const Entry = Schema.fromJsonString(Schema.toCodecJson(Command))
const encode = Schema.encodeResult(Entry)
const decode = Schema.decodeUnknownResult(Entry)

const nonce = fc.option(fc.record({ value: fc.bigInt({ min: 0n, max: 10n ** 20n - 1n }), window: fc.boolean() }), {
  nil: undefined
})

/** Any text, including text that needs escapes in JSON. */
const text = fc.string({
  minLength: 1,
  unit: fc.oneof(fc.nat(0x7f), fc.nat(0xffff)).map((code) => String.fromCharCode(code))
})

const calls = routes.filter(({ endpoint }) => endpoint.mutates)

describe.each([Dialect.document, Dialect.live])("journal entries in the $name dialect", (dialect) => {
  const operations = calls.map(({ endpoint, operation }) => {
    const { decodeRequest, encodeRequest } = Endpoint.codec(endpoint, dialect)
    return Arbitraries.request(endpoint, dialect).map((request) =>
      operation(Result.getOrThrow(decodeRequest(Result.getOrThrow(encodeRequest(request)))) as never)
    )
  })

  property(
    "a call is written as its schema encodes it, and can be read again",
    [fc.oneof(...operations), nonce, text],
    (operation, nonce, apiKey) =>
      Effect.sync(() => {
        const call = { _tag: "Call", apiKey: ApiKey.make(apiKey), operation } as const
        const command = { at: 1, action: nonce === undefined ? call : { ...call, nonce } }
        const text = Result.getOrThrow(Chain.encode(command))
        assert.strictEqual(text, Result.getOrThrow(encode(command)))
        assert.deepStrictEqual(Result.getOrThrow(Chain.decode(text)), command)
      }),
    { runs: 150 }
  )
})

/** Values that most fields refuse, but that at least one field accepts. */
const odd = fc.constantFrom<unknown>("", "1", "-1", "1e2", 0, 0.5, true, null, [], {}, "buy", "Pass", "\ud800")

describe("decoding journal entries", () => {
  property(
    "decoding a journal entry gives the same result or refusal as its schema",
    [commands, fc.nat(), odd, fc.option(fc.nat())],
    (commands, at, value, cut) =>
      Effect.sync(() => {
        for (const command of commands) {
          const text = Result.getOrThrow(encode(command))
          const json: unknown = JSON.parse(text)
          const paths = pathsOf(json)
          const path = paths[at % paths.length] ?? []
          const texts = [
            text,
            JSON.stringify(changed(json, path, (parent, key) => parent[key] = value)),
            JSON.stringify(changed(json, path, (parent, key) => delete parent[key])),
            text.slice(0, (cut ?? text.length) % (text.length + 1))
          ]
          for (const entry of texts) {
            const [read, expected] = [Chain.decode(entry), decode(entry)]
            assert.deepStrictEqual(Result.mapError(read, String), Result.mapError(expected, String))
          }
        }
      }),
    { runs: 6 }
  )
})

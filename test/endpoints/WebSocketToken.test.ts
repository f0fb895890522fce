import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { WebSocketToken } from "../../src/endpoints/WebSocketToken.ts"
import { dialects, exchange, overHttp } from "../support/exchange.ts"

describe.each(dialects)("over HTTP in the $name dialect", (dialect) => {
  it.live("each call creates another token, and no text shows one", () =>
    Effect.gen(function*() {
      const { create } = yield* WebSocketToken
      const tokens = yield* Effect.replicateEffect(create, 3)
      assert.strictEqual(new Set(tokens.map(({ token }) => Redacted.value(token))).size, 3)
      for (const made of tokens) {
        assert.notInclude(JSON.stringify(made) + String(made.token), Redacted.value(made.token))
      }
    }).pipe(Effect.provide(exchange(overHttp(dialect)))))
})

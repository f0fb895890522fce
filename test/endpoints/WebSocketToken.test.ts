import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { WebSocketToken } from "../../src/endpoints/WebSocketToken.ts"
import { dialects, exchange, overHttp } from "../support/exchange.ts"

describe.each(dialects)("WebSocket tokens over HTTP in the $name dialect", (dialect) => {
  it.live("a WebSocket token is redacted, so no output shows it", () =>
    Effect.gen(function*() {
      const made = yield* WebSocketToken.use(({ create }) => create)
      assert.isAbove(Redacted.value(made.token).length, 50)
      assert.notInclude(JSON.stringify(made), Redacted.value(made.token))
    }).pipe(Effect.provide(exchange(overHttp(dialect)))))
})

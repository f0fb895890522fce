import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ServerStatus } from "../../src/endpoints/ServerStatus.ts"
import { dialects, exchange, overHttp } from "../support/exchange.ts"
import { Recorder } from "../support/http.ts"

describe.each(dialects)("the server status over HTTP in the $name dialect", (dialect) => {
  it.live("`ServerStatus.ping` returns pong and needs no API key", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* ServerStatus.use(({ ping }) => ping), "pong")
      const [sent] = yield* Recorder
      assert.strictEqual(sent?.method, "GET")
      assert.deepStrictEqual(Object.keys(sent?.headers ?? {}).filter((name) => name.startsWith("x-txc")), [])
    }).pipe(Effect.provide(exchange(overHttp(dialect)))))
})

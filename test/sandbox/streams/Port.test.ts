import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import { Place } from "../../support/exchange.ts"
import { overHttp } from "../../support/exchange.ts"
import { limit, token } from "./client.ts"
import { dial } from "./dial.ts"

const served = overHttp(Dialect.live)

const url = Effect.map(Place, ({ baseUrl }) => `${baseUrl.replace("http", "ws")}/ws`)

describe("a WebSocket of the sandbox's port", () => {
  it.live("a client that is authorised hears of its order, and of the book", () =>
    Effect.gen(function*() {
      const client = yield* dial(yield* url)
      assert.deepStrictEqual(yield* client.ask("ping"), { error: null, result: "pong", id: 1 })
      assert.deepStrictEqual(yield* client.ask("ordersPending_subscribe", "BTC_USDT"), {
        error: { code: 6, message: "require authentication" },
        result: null,
        id: 2
      })
      yield* client.ask("authorize", yield* token(), "public")
      yield* client.ask("ordersPending_subscribe", "BTC_USDT")
      yield* client.ask("depth_subscribe", "BTC_USDT", 5, "0", true)
      const id = yield* limit("sell", "1.5", "41000")
      const { params } = yield* client.next("ordersPending_update")
      assert.deepInclude((params as ReadonlyArray<object>)[1], { id, market: "BTC_USDT", side: 1, left: "1.5" })
      const [isSnapshot] = (yield* client.next("depth_update")).params as ReadonlyArray<unknown>
      assert.isTrue(isSnapshot)
      const [isWhole, body] = (yield* client.next("depth_update")).params as ReadonlyArray<unknown>
      assert.isFalse(isWhole)
      assert.deepInclude(body, { asks: [["41000", "1.5"]] })
      yield* client.send("no JSON")
      assert.strictEqual(yield* client.closed, 1006)
    }).pipe(Effect.provide(Layer.fresh(served))))
})

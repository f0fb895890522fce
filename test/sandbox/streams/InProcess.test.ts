import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Socket from "effect/socket/Socket"
import { TestClock } from "effect/testing"
import { Price } from "../../../src/domain/Decimal.ts"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import { Control } from "../../../src/sandbox/control/Control.ts"
import { Example, Sandbox } from "../../../src/sandbox/index.ts"
import { btcUsdt } from "../../support/exchange.ts"

const world = Sandbox.layer({ dialect: Dialect.live })

const ask = (method: string, ...params: ReadonlyArray<unknown>) => JSON.stringify({ id: 1, method, params })

describe("the sandbox's WebSocket in the same process", () => {
  it.effect("the exchange pushes messages in process when the test clock advances", () =>
    Effect.gen(function*() {
      yield* Example.setUp
      const control = yield* Control
      const socket = yield* Socket.Socket
      const { write } = yield* socket.writer
      const pull = yield* Socket.readerString(socket)
      yield* write(ask("lastprice_subscribe", "BTC_USDT"))
      assert.deepStrictEqual(yield* pull, ["{\"error\":null,\"result\":{\"status\":\"success\"},\"id\":1}"])
      yield* control.movePrice({ market: btcUsdt, price: Price.make("41000") })
      yield* control.movePrice({ market: btcUsdt, price: Price.make("42000") })
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* pull, [
        "{\"method\":\"lastprice_update\",\"params\":[\"BTC_USDT\",\"42000\"],\"id\":null}"
      ])
    }).pipe(Effect.scoped, Effect.provide(world)))

  it.effect("a socket reconnects after its connection was cut", () =>
    Effect.gen(function*() {
      const socket = yield* Socket.Socket
      const { write } = yield* socket.writer
      const codeOf = (error: Socket.SocketError) => "code" in error.reason ? error.reason.code : error.reason._tag
      const first = Effect.scoped(Effect.gen(function*() {
        const pull = yield* Socket.readerString(socket)
        yield* write("garbage")
        return yield* Effect.flip(Effect.forever(pull))
      }))
      assert.strictEqual(codeOf(yield* first), 1006)
      const second = Effect.scoped(Effect.gen(function*() {
        const pull = yield* Socket.readerString(socket)
        yield* write(ask("ping"))
        const [pong] = yield* pull
        yield* write(new Socket.CloseEvent(1000))
        return [JSON.parse(pong).result, codeOf(yield* Effect.flip(pull))]
      }))
      assert.deepStrictEqual(yield* second, ["pong", 1000])
    }).pipe(Effect.scoped, Effect.provide(world)))

  it.effect("the document's dialect has no WebSocket in process", () =>
    Effect.gen(function*() {
      const socket = yield* Socket.Socket
      const { reason } = yield* Effect.flip(Effect.scoped(socket.reader))
      assert.include(String("cause" in reason && reason.cause), "--dialect live")
    }).pipe(Effect.provide(Sandbox.layer())))
})

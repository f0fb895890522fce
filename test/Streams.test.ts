import * as NodeSocketServer from "@effect/platform-node/NodeSocketServer"
import * as NodeWS from "@effect/platform-node/NodeWS"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Socket from "effect/socket/Socket"
import * as Stream from "effect/Stream"
import { LastPriceChannel } from "../src/channels/LastPriceChannel.ts"
import * as Dialer from "../src/client/session/Dialer.ts"
import * as Streams from "../src/Streams.ts"
import { Exchange } from "./client/session/exchange.ts"
import { layer, market, settled } from "./client/session/streams.ts"
import { follow } from "./readme/orders.ts"
import { program } from "./readme/prices.ts"
import { logsInto } from "./support/logs.ts"

const answers: Readonly<Record<string, unknown>> = {
  lastprice_subscribe: { status: "success" },
  lastprice_request: "40000.5"
}

/** A local WebSocket server that responds to every query for the last price with the same price. */
const served = Effect.gen(function*() {
  const server = yield* NodeSocketServer.makeWebSocket({ port: 0, host: "127.0.0.1" })
  const priced = yield* Deferred.make<void>()
  yield* Effect.forkScoped(server.run(Effect.fnUntraced(function*(socket) {
    const { pull } = yield* socket.reader
    const writer = yield* socket.writer
    while (true) {
      for (const frame of yield* pull) {
        const { id, method } = JSON.parse(String(frame))
        yield* writer.write(JSON.stringify({ error: null, result: answers[method] ?? "pong", id }))
        if (method === "lastprice_request") yield* Deferred.succeed(priced, undefined)
      }
    }
  }, Effect.scoped)))
  const port = server.address._tag === "UnixPathAddress" ? 0 : server.address.port
  return { url: `ws://127.0.0.1:${port}/ws`, priced: Deferred.await(priced) }
})

describe("Streams", () => {
  for (
    const [name, constructor] of [
      ["the platform's WebSocket", Socket.layerWebSocketConstructorGlobal],
      ["ws", NodeWS.layerWebSocketConstructor]
    ] as const
  ) {
    it.live(`a client subscribes to an exchange over ${name}`, () =>
      Effect.gen(function*() {
        const { url } = yield* served
        const [first] = yield* LastPriceChannel.use(({ stream }) =>
          Stream.runCollect(Stream.take(stream({ market }), 1))
        )
          .pipe(Effect.provide(Layer.provide(Streams.layerPublic({ url }), constructor)))
        assert.deepStrictEqual(JSON.parse(JSON.stringify(first)), {
          _tag: "Snapshot",
          state: { market: "BTC_USDT", price: "40000.5" }
        })
      }).pipe(Effect.scoped))
  }

  it.live("the README example logs prices of the live exchange", () => {
    const lines: Array<string> = []
    return Effect.gen(function*() {
      const { priced, url } = yield* served
      const asked: Array<string> = []
      const redirected = Layer.succeed(Socket.WebSocketConstructor, (to) => {
        asked.push(to)
        return new WebSocket(url)
      })
      const fiber = yield* Effect.forkChild(Effect.provide(program, [redirected, logsInto(lines)]))
      yield* priced
      yield* Effect.repeat(Effect.sleep("5 millis"), { until: () => lines.length > 0 })
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(asked, [Dialer.servers.global])
      assert.match(lines.join("\n"), /Snapshot.*40000\.5/su)
    }).pipe(Effect.scoped)
  })

  it.effect("the example on the page about streams follows orders, and reports when orders may be missing", () => {
    const exchange = new Exchange()
    exchange.isPrompt = true
    const lines: Array<string> = []
    return Effect.gen(function*() {
      yield* Effect.forkScoped(Effect.provide(follow(market), logsInto(lines)))
      yield* settled
      exchange.happens.orders(1)
      yield* settled
      for (const link of exchange.links) link.cut()
      yield* settled
      assert.deepStrictEqual(lines.map((line) => /message="?([^"]*)"?/u.exec(line)?.[1]), [
        "orders may be missing",
        "0 orders",
        "1 orders",
        "orders may be missing"
      ])
    }).pipe(Effect.provide(layer(exchange)), Effect.scoped)
  })
})

import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Socket from "effect/socket/Socket"
import * as Stream from "effect/Stream"
import { DepthChannel } from "../../../src/channels/DepthChannel.ts"
import { PendingOrdersChannel } from "../../../src/channels/PendingOrdersChannel.ts"
import * as Dialer from "../../../src/client/session/Dialer.ts"
import * as Session from "../../../src/client/session/Session.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { LimitOrders } from "../../../src/endpoints/LimitOrders.ts"
import { WebSocketToken } from "../../../src/endpoints/WebSocketToken.ts"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import { Control } from "../../../src/sandbox/control/Control.ts"
import * as InProcess from "../../../src/sandbox/server/InProcess.ts"
import * as Streams from "../../../src/Streams.ts"
import { btcUsdt, exchange, inProcess, overHttp, Place } from "../../support/exchange.ts"

const tokens = Layer.effect(
  Session.StreamToken,
  Effect.map(WebSocketToken, ({ create }) => ({ create: Effect.map(create, ({ token }) => token) }))
)

const ways = [{
  way: "in the same process",
  world: Streams.layerServices.pipe(
    Layer.provide(Layer.merge(Dialer.layerSocket(InProcess.layerSocket), tokens)),
    Layer.provideMerge(exchange(inProcess(Dialect.live)))
  )
}, {
  way: "over a port",
  world: Layer.unwrap(
    Effect.map(Place, ({ baseUrl }) => Streams.layer({ url: `${baseUrl.replace("http", "ws")}/ws` }))
  ).pipe(
    Layer.provide(Layer.merge(Socket.layerWebSocketConstructorGlobal, tokens)),
    Layer.provideMerge(exchange(overHttp(Dialect.live)))
  )
}]

describe.each(ways)("this package's client, $way", ({ world }) => {
  it.live(
    "a subscriber gets a snapshot and every event after it, and is notified when the exchange closes the connection",
    () =>
      Effect.gen(function*() {
        const control = yield* Control
        const { create } = yield* LimitOrders
        const order = { market: btcUsdt, side: "sell", amount: Decimal.amount("0.1") } as const
        const first = yield* create({ ...order, price: Decimal.price("101") })
        const { stream } = yield* PendingOrdersChannel
        const items = yield* Queue.unbounded<string>()
        const orders = yield* Effect.forkScoped(Stream.runForEach(stream({ market: btcUsdt }), (item) =>
          Queue.offer(
            items,
            item._tag === "Event"
              ? `${item.event.event} ${item.event.order.orderId}`
              : item._tag === "Snapshot"
              ? `state ${item.state.map(({ orderId }) => orderId).join(" ")}`
              : `interrupted ${item.reason}`
          )))
        assert.strictEqual(yield* Queue.take(items), `state ${first.orderId}`)
        const second = yield* create({ ...order, price: Decimal.price("102") })
        assert.strictEqual(yield* Queue.take(items), `new ${second.orderId}`)
        // The second order has never been placed in the restored state.
        yield* control.restore((yield* control.snapshot) - 1)
        assert.strictEqual(yield* Queue.take(items), "interrupted connection-lost")
        assert.strictEqual(yield* Queue.take(items), `state ${first.orderId}`)
        yield* Fiber.interrupt(orders)

        const depth = yield* DepthChannel
        const book = { market: btcUsdt, limit: 5, priceStep: "0" } as const
        const asks = yield* depth.stream(book).pipe(
          Stream.tap((item) =>
            item._tag === "Snapshot" ? create({ ...order, price: Decimal.price("100") }) : Effect.void
          ),
          Stream.take(2),
          Stream.map((item) =>
            item._tag === "Interrupted" ? [] : item._tag === "Event" ? item.event.asks : item.state.asks
          ),
          Stream.runCollect
        )
        assert.deepStrictEqual(asks as unknown, [
          [{ price: "101", amount: "0.1" }],
          [{ price: "100", amount: "0.1" }]
        ])
      }).pipe(Effect.scoped, Effect.provide(world)),
    30_000
  )
})

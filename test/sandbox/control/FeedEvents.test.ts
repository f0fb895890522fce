import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Sse from "effect/encoding/Sse"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Price } from "../../../src/domain/Decimal.ts"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import { Control } from "../../../src/sandbox/control/Control.ts"
import { FeedEvent } from "../../../src/sandbox/control/ControlApi.ts"
import * as FeedEvents from "../../../src/sandbox/control/FeedEvents.ts"
import { btcUsdt, inProcess } from "../../support/exchange.ts"
import { handle, signed } from "../../support/signed.ts"

it.effect("the text of a feed event equals its encoding by the schema", () =>
  Effect.gen(function*() {
    const control = yield* Control
    const order = { market: "BTC_USDT", side: "buy", amount: "0.5", price: "900" }
    yield* handle(signed(Dialect.live, "/api/v4/order/new", { ...order, clientOrderId: "ä \"quoted\" \n\r\u2028" }))
    yield* handle(signed(Dialect.live, "/api/v4/order/new", { ...order, clientOrderId: "mine" }))
    yield* handle(signed(Dialect.live, "/api/v4/order/stop_limit", { ...order, side: "sell", activation_price: "850" }))
    yield* handle(signed(Dialect.live, "/api/v4/order/kill-switch", { market: "BTC_USDT", timeout: "5" }))
    yield* control.movePrice({ market: btcUsdt, price: Price.make("849") })
    yield* control.advanceClock({ millis: 6000 })
    yield* control.restore(yield* control.snapshot)
    const { sequence } = yield* control.status
    const isLast = ({ id }: { readonly id: string }) => id.startsWith(`${sequence}.`)
    const entries = yield* Stream.runCollect(Stream.takeUntil(control.events("0"), isLast))
    assert.isAbove(new Set(entries.map(({ event }) => event._tag)).size, 5)
    for (const entry of entries) {
      const { data, event, id } = yield* Schema.encodeEffect(FeedEvent)({
        id: entry.id,
        event: entry.event._tag,
        data: entry
      })
      assert.strictEqual(FeedEvents.text(entry), Sse.encoder.write({ _tag: "Event", id, event, data }))
    }
  }).pipe(Effect.provide(inProcess(Dialect.live))))

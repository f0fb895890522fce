import { assert, describe, it } from "@effect/vitest"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as DepthChannel from "../../../src/channels/DepthChannel.ts"
import * as PendingOrdersChannel from "../../../src/channels/PendingOrdersChannel.ts"
import * as SpotBalanceChannel from "../../../src/channels/SpotBalanceChannel.ts"
import type * as Item from "../../../src/client/session/Item.ts"
import { ticker } from "../../../src/domain/Identifiers.ts"
import * as CancelOrder from "../../../src/endpoints/CancelOrder.ts"
import * as StopLimitOrders from "../../../src/endpoints/StopLimitOrders.ts"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import { Control } from "../../../src/sandbox/control/Control.ts"
import { InProcess } from "../../../src/sandbox/index.ts"
import * as Streams from "../../../src/Streams.ts"
import { passing } from "../../support/clock.ts"
import { btcUsdt, exchange, inProcess, stopLimit } from "../../support/exchange.ts"

const world = Streams.layerInProcess.pipe(
  Layer.provide(InProcess.layerDialer),
  Layer.provideMerge(exchange(inProcess(Dialect.live)))
)

/** Collects the items that a stream emits. */
const listen = Effect.fnUntraced(function*<Event, State, E>(stream: Stream.Stream<Item.Item<Event, State>, E>) {
  const items: Array<Item.Item<Event, State>> = []
  yield* Effect.forkScoped(Stream.runForEach(stream, (item) => Effect.sync(() => items.push(item))))
  return items
})

/** Lets this much time pass, in steps shorter than the deadline for a response. */
const elapse = (duration: Duration.Input, step = 100) => passing(Effect.sleep(duration), step)

const tags = (items: ReadonlyArray<{ readonly _tag: string }>) => items.map(({ _tag }) => _tag)

describe("streams from a sandbox in the same process", () => {
  it.effect("an account's streams report the effects of its calls, over a day on the test clock", () =>
    Effect.gen(function*() {
      const orders = yield* listen((yield* PendingOrdersChannel.PendingOrdersChannel).stream({ market: btcUsdt }))
      const balances = yield* listen((yield* SpotBalanceChannel.SpotBalanceChannel).stream({ ticker: ticker("USDT") }))
      const books = yield* listen(
        (yield* DepthChannel.DepthChannel).stream({ market: btcUsdt, limit: 5, priceStep: "0" })
      )
      yield* elapse("10 seconds")
      assert.deepStrictEqual(tags(orders), ["Snapshot"])
      assert.deepStrictEqual(tags(balances), ["Snapshot"])
      assert.deepStrictEqual(tags(books), ["Snapshot"])

      const { orderId } = yield* StopLimitOrders.StopLimitOrders.use(({ create }) => create(stopLimit))
      yield* elapse("24 hours", 5000)
      yield* CancelOrder.CancelOrder.use(({ cancel }) => cancel({ market: btcUsdt, orderId }))
      yield* elapse("2 seconds")
      assert.deepStrictEqual(
        orders.slice(1).map((item) => item._tag === "Event" ? [item.event.event, item.event.order.orderId] : item),
        [["new", orderId], ["finished", orderId]]
      )
      const available = balances.map((item) =>
        item._tag === "Interrupted"
          ? ""
          : (item._tag === "Event" ? item.event : item.state).get(ticker("USDT"))?.available
      )
      assert.lengthOf(available, 3)
      assert.strictEqual(available[2], available[0])
      assert.notStrictEqual(available[1], available[0])
    }).pipe(Effect.provide(world), Effect.scoped))

  it.effect("restoring a venue interrupts its streams, which continue from the restored state", () =>
    Effect.gen(function*() {
      const control = yield* Control
      const before = yield* control.snapshot
      const orders = yield* listen((yield* PendingOrdersChannel.PendingOrdersChannel).stream({ market: btcUsdt }))
      yield* elapse("10 seconds")
      yield* StopLimitOrders.StopLimitOrders.use(({ create }) => create(stopLimit))
      yield* control.restore(before)
      yield* elapse("1 minute")
      assert.deepStrictEqual(tags(orders), ["Snapshot", "Event", "Interrupted", "Snapshot"])
      const last = orders.at(-1)
      assert.deepStrictEqual(last?._tag === "Snapshot" ? last.state : last, [])
    }).pipe(Effect.provide(world), Effect.scoped))
})

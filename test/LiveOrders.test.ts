import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import * as orders from "../src/channels/orders.ts"
import {
  type Event,
  type OrderEvent,
  type PendingOrder,
  PendingOrdersChannel
} from "../src/channels/PendingOrdersChannel.ts"
import * as Item from "../src/client/session/Item.ts"
import { OrderId } from "../src/domain/Identifiers.ts"
import * as LiveOrders from "../src/LiveOrders.ts"
import * as Compiled from "../src/protocol/Compiled.ts"
import { wireOrder } from "./client/session/exchange.ts"
import { market, settled } from "./client/session/streams.ts"
import { pushed } from "./support/pushed.ts"

const decode = Compiled.decodeUnknownResult(() => orders.pending)

/** Builds an order that was last changed at `version`. */
const order = (id: number, version: number): PendingOrder => Result.getOrThrow(decode(wireOrder({ id, version })))

const id = (id: number) => OrderId.make(`${id}`)

/** Creates a view of orders. The test pushes the view's events. */
const opened = Effect.gen(function*() {
  const { push, stream, subscriptions } = pushed<OrderEvent, ReadonlyArray<PendingOrder>>()
  const view = yield* Effect.provideService(
    LiveOrders.make({ market }),
    PendingOrdersChannel,
    PendingOrdersChannel.of({ stream: () => stream, page: () => Effect.never })
  )
  yield* settled
  return {
    view,
    subscriptions,
    begin: (...all: ReadonlyArray<PendingOrder>) => push(Item.snapshot(all)),
    happens: (event: Event, order: PendingOrder) => push(Item.event({ event, order }))
  }
})

const versions = (view: LiveOrders.LiveOrders) =>
  Effect.map(view.whole, (open) => [...open].map(([id, { modifiedAt }]) => [id, modifiedAt]))

describe("live orders", () => {
  it.effect("live orders follow every event that an order causes", () =>
    Effect.gen(function*() {
      const { begin, happens, view } = yield* opened
      yield* begin(order(1, 1), order(2, 2))
      yield* happens("new", order(3, 3))
      yield* happens("updated", order(1, 4))
      yield* happens("finished", order(2, 5))
      assert.deepStrictEqual((yield* versions(view)) as unknown, [["1", 4], ["3", 3]])
    }).pipe(Effect.scoped))

  it.effect("a late event neither reopens a closed order nor reverts an order to an earlier version", () =>
    Effect.gen(function*() {
      const { begin, happens, view } = yield* opened
      yield* begin(order(1, 1), order(2, 1))
      yield* happens("finished", order(1, 3))
      yield* happens("updated", order(1, 2))
      yield* happens("updated", order(2, 5))
      yield* happens("updated", order(2, 4))
      assert.deepStrictEqual((yield* versions(view)) as unknown, [["2", 5]])
      // A state read over REST takes precedence over earlier events.
      yield* begin(order(1, 1))
      yield* happens("updated", order(1, 2))
      assert.deepStrictEqual((yield* versions(view)) as unknown, [["1", 2]])
    }).pipe(Effect.scoped))

  it.effect("live orders become incomplete after an unknown event, and are read again", () =>
    Effect.gen(function*() {
      const { begin, happens, subscriptions, view } = yield* opened
      yield* begin(order(1, 1))
      yield* TestClock.adjust("2 seconds")
      yield* happens("expired" as Event, order(1, 2))
      const state = yield* view.get
      assert.deepStrictEqual(
        [state._tag, state._tag === "Incomplete" && state.why, state.value?.size],
        ["Incomplete", "unreadable", 1]
      )
      yield* settled
      assert.strictEqual(subscriptions(), 2)
      yield* begin()
      assert.deepStrictEqual(yield* versions(view), [])
    }).pipe(Effect.scoped))

  it.effect("`find` finds an order that is open, is already closed, or appears later", () =>
    Effect.gen(function*() {
      const { begin, happens, view } = yield* opened
      yield* begin(order(1, 1))
      yield* happens("finished", order(2, 2))
      const find = (wanted: number) => view.find(({ order }) => order.orderId === id(wanted))
      assert.isTrue((yield* find(1)).isOpen)
      assert.isFalse((yield* find(2)).isOpen)
      const later = yield* Effect.forkScoped(find(3))
      yield* settled
      yield* happens("new", order(4, 3))
      assert.isUndefined(later.pollUnsafe())
      yield* happens("finished", order(3, 4))
      assert.isFalse((yield* Fiber.join(later)).isOpen)
    }).pipe(Effect.scoped))

  it.effect("live orders remember the latest thousand closed orders", () =>
    Effect.gen(function*() {
      const { begin, happens, view } = yield* opened
      yield* begin()
      for (let each = 1; each <= 1001; each++) yield* happens("finished", order(each, each))
      const known = (wanted: number) =>
        Effect.map(
          Effect.timeoutOption(view.find(({ order }) => order.orderId === id(wanted)), 0),
          (found) => found._tag
        )
      const first = yield* Effect.forkScoped(known(1))
      yield* settled
      assert.strictEqual(yield* Fiber.join(first), "None")
      assert.strictEqual(yield* known(2), "Some")
    }).pipe(Effect.scoped))
})

import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as TradesChannel from "../src/channels/TradesChannel.ts"
import * as Item from "../src/client/session/Item.ts"
import { ticker } from "../src/domain/Identifiers.ts"
import * as Time from "../src/domain/Time.ts"
import * as LiveBalances from "../src/LiveBalances.ts"
import * as LiveView from "../src/LiveView.ts"
import { Exchange } from "./client/session/exchange.ts"
import { layer, market, settled } from "./client/session/streams.ts"
import { givingWay, places, turns } from "./support/givingWay.ts"
import { pushed } from "./support/pushed.ts"

/** Creates a view that keeps a running sum: events add to the sum, and states replace it. */
const summed = Effect.fnUntraced(function*(options?: LiveView.Options) {
  const channel = pushed<number, number, string>()
  let sum = 0
  const model: LiveView.Model<number, number, number> = {
    begin: (state) => {
      sum = state
      return true
    },
    apply: (event) => {
      sum += event
      return true
    },
    value: () => sum
  }
  const view = yield* LiveView.make(channel.stream, model, options)
  yield* settled
  return { ...channel, view }
})

/** Collects the changes of a view in a list. */
const changesOf = Effect.fnUntraced(function*<A, E>(view: LiveView.LiveView<A, E>) {
  const states: Array<LiveView.State<A>> = []
  const fiber = yield* Effect.forkScoped(
    Stream.runForEach(view.changes, (state) => Effect.sync(() => states.push(state)))
  )
  yield* settled
  return { states, fiber }
})

const ages = (view: LiveView.LiveView<unknown, unknown>) =>
  Effect.map(Effect.flatMap(view.get, LiveView.age), Duration.toSeconds)

describe("a live view", () => {
  it.effect("a view reports whether it is complete; if not, it reports why, since when, and its last complete value", () =>
    Effect.gen(function*() {
      const { push, view } = yield* summed()
      const { states } = yield* changesOf(view)
      yield* TestClock.adjust("2 seconds")
      yield* push(Item.snapshot(1))
      yield* push(Item.event(2))
      yield* push(Item.interrupted("gap", Time.fromMicros(1_500_000)))
      yield* push(Item.interrupted("connection-lost", Time.fromMicros(1_600_000)))
      yield* push(Item.snapshot(7))
      const whole = { _tag: "Whole", asOf: 2 }
      assert.deepStrictEqual(states as unknown, [
        { _tag: "Incomplete", why: "connecting", asOf: 0 },
        { ...whole, value: 1 },
        { ...whole, value: 3 },
        { _tag: "Incomplete", why: "gap", asOf: 1.5, value: 3 },
        { _tag: "Incomplete", why: "connection-lost", asOf: 1.6, value: 3 },
        { ...whole, value: 7 }
      ])
      assert.strictEqual(yield* view.whole, 7)
    }).pipe(Effect.scoped))

  it.effect("a slow reader gets the latest state", () =>
    Effect.gen(function*() {
      const { push, view } = yield* summed()
      const pull = yield* Stream.toPull(view.changes)
      yield* push(Item.snapshot(1))
      const [first] = yield* pull
      for (let time = 0; time < 3; time++) yield* push(Item.event(1))
      const [second] = yield* pull
      assert.deepStrictEqual([first.value, second.value], [1, 4])
      const third = yield* Effect.forkScoped(pull)
      yield* settled
      assert.isUndefined(third.pollUnsafe())
      yield* push(Item.event(1))
      assert.deepStrictEqual((yield* Fiber.join(third)).map(({ value }) => value), [5])
    }).pipe(Effect.scoped))

  it.effect("a view rereads its state at intervals, and then applies the events that follow that state", () =>
    Effect.gen(function*() {
      const { push, subscriptions, view } = yield* summed({ recheckEvery: "1 minute" })
      yield* push(Item.snapshot(1))
      const { states } = yield* changesOf(view)
      yield* TestClock.adjust("59 seconds")
      assert.strictEqual(subscriptions(), 1)
      yield* TestClock.adjust("2 seconds")
      yield* settled
      assert.strictEqual(subscriptions(), 2)
      // The first subscription feeds the view until the second one has loaded a state.
      yield* push(Item.event(1))
      assert.deepStrictEqual(states.map(({ value }) => value), [1, 2])
      // A repeated state is not emitted as a change.
      yield* push(Item.snapshot(2))
      assert.lengthOf(states, 2)
      yield* push(Item.event(1))
      yield* TestClock.adjust("61 seconds")
      yield* settled
      yield* push(Item.snapshot(9))
      assert.deepStrictEqual(states.map(({ value }) => value), [1, 2, 3, 9])
      assert.isTrue(states.every(({ _tag }) => _tag === "Whole"))
    }).pipe(Effect.scoped))

  it.effect("a view whose reread is refused stays complete, and tries again at the next interval", () =>
    Effect.gen(function*() {
      const { failLatest, push, subscriptions, view } = yield* summed({ recheckEvery: "1 minute" })
      yield* push(Item.snapshot(1))
      yield* TestClock.adjust("61 seconds")
      yield* settled
      assert.strictEqual(subscriptions(), 2)
      yield* failLatest("refused")
      yield* push(Item.event(1))
      assert.strictEqual(yield* view.whole, 2)
      yield* TestClock.adjust("61 seconds")
      yield* settled
      assert.strictEqual(subscriptions(), 3)
      yield* push(Item.snapshot(9))
      assert.strictEqual(yield* view.whole, 9)
    }).pipe(Effect.scoped))

  it.effect("after an interruption, a trades view's age grows until a new state proves that no trade was missed", () => {
    const exchange = new Exchange()
    exchange.isPrompt = true
    return Effect.gen(function*() {
      let trades = 0
      const { stream } = yield* TradesChannel.TradesChannel
      const view = yield* LiveView.make(stream({ market }), {
        begin: (all) => (trades = all.length) >= 0,
        apply: () => ++trades > 0,
        value: () => trades
      })
      exchange.happens.trades()
      yield* settled
      assert.strictEqual(yield* view.whole, 1)
      exchange.restart()
      yield* settled
      yield* TestClock.adjust("5 seconds")
      exchange.happens.trades()
      exchange.restart()
      exchange.isPrompt = false
      while (exchange.links.size === 0) {
        yield* TestClock.adjust("1 second")
        yield* settled
      }
      // The next connection is open, but its subscription has not been acknowledged.
      const link = exchange.opened.at(-1) ?? assert.fail("no connection")
      assert.isTrue(link.isOpen)
      assert.include(link.methods, "trades_subscribe")
      assert.isAtLeast(yield* ages(view), 5)
      exchange.isPrompt = true
      link.handle(10)
      yield* settled
      assert.deepStrictEqual([yield* view.whole, yield* ages(view)], [2, 0])
    }).pipe(Effect.provide(layer(exchange)), Effect.scoped)
  })

  it.effect("a view recovers a change that the exchange failed to push", () => {
    const exchange = new Exchange()
    exchange.isPrompt = true
    return Effect.gen(function*() {
      const view = yield* LiveBalances.spot()
      const available = Effect.map(view.whole, (balances) => balances.get(ticker("USDT"))?.available)
      yield* settled
      exchange.balance = 5
      yield* settled
      assert.strictEqual(yield* available, "0")
      yield* TestClock.adjust("61 seconds")
      yield* settled
      assert.strictEqual(yield* available, "5")
      assert.lengthOf(exchange.opened, 1)
      assert.deepStrictEqual(
        exchange.opened[0]?.methods.filter((method) => method === "balanceSpot_subscribe").length,
        1
      )
    }).pipe(Effect.provide(layer(exchange)), Effect.scoped)
  })

  it.effect("a view's age is the time since the last message on its connection, whatever that message is about", () => {
    const exchange = new Exchange()
    exchange.isPrompt = true
    return Effect.gen(function*() {
      const view = yield* LiveBalances.spot({ recheckEvery: "1 hour" })
      yield* settled
      yield* TestClock.adjust("29 seconds")
      assert.strictEqual(yield* ages(view), 29)
      yield* TestClock.adjust("3 seconds")
      // The connection was pinged after 30 seconds.
      assert.strictEqual(yield* ages(view), 2)
      exchange.isPrompt = false
      yield* TestClock.adjust("37 seconds")
      assert.strictEqual((yield* view.get)._tag, "Whole")
      assert.strictEqual(yield* ages(view), 39)
      yield* TestClock.adjust("1 second")
      yield* settled
      assert.deepInclude(yield* view.get, { _tag: "Incomplete", why: "connection-lost" })
    }).pipe(Effect.provide(layer(exchange)), Effect.scoped)
  })

  it.effect("a waiting reader gets the first complete value, wherever its fiber yields", () =>
    Effect.gen(function*() {
      for (let place = 0; place < places; place++) {
        const { push, view } = yield* summed()
        const read = yield* Effect.forkScoped(givingWay(view.whole))
        yield* turns(place)
        yield* push(Item.snapshot(1))
        yield* turns(2 * places)
        assert.deepEqual(read.pollUnsafe(), Exit.succeed(1), `the reader yielded at ${place}`)
      }
    }).pipe(Effect.scoped))

  it.effect("a view fails with the error that ends its stream", () =>
    Effect.gen(function*() {
      const { fail, push, view } = yield* summed()
      const waiting = yield* Effect.forkScoped(Effect.flip(view.whole))
      const { fiber } = yield* changesOf(view)
      yield* push(Item.interrupted("gap", Time.fromMicros(0)))
      yield* fail("refused")
      assert.strictEqual(yield* Effect.flip(view.get), "refused")
      assert.strictEqual(yield* Fiber.join(waiting), "refused")
      assert.isTrue(Exit.isFailure(yield* Fiber.await(fiber)))
    }).pipe(Effect.scoped))

  it.effect("a view ends when its scope closes", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const { push, view } = yield* Scope.provide(summed(), scope)
      yield* push(Item.snapshot(1))
      const { fiber } = yield* changesOf(view)
      yield* Scope.close(scope, Exit.void)
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(fiber)))
      assert.isTrue(Exit.hasInterrupts(yield* Effect.exit(view.get)))
    }).pipe(Effect.scoped))
})

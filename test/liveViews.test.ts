import { assert, describe, it } from "@effect/vitest"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { setImmediate } from "node:timers/promises"
import { PendingOrdersChannel } from "../src/channels/PendingOrdersChannel.ts"
import * as Session from "../src/client/session/Session.ts"
import * as Decimal from "../src/domain/Decimal.ts"
import { ActiveOrders } from "../src/endpoints/ActiveOrders.ts"
import { CancelAllOrders } from "../src/endpoints/CancelAllOrders.ts"
import { CancelOrder } from "../src/endpoints/CancelOrder.ts"
import { CollateralBalance } from "../src/endpoints/CollateralBalance.ts"
import { CollateralLimitOrders } from "../src/endpoints/CollateralLimitOrders.ts"
import { OpenPositions } from "../src/endpoints/OpenPositions.ts"
import { OrderBooks } from "../src/endpoints/OrderBooks.ts"
import { StopLimitOrders } from "../src/endpoints/StopLimitOrders.ts"
import { TradeBalance } from "../src/endpoints/TradeBalance.ts"
import * as LiveBalances from "../src/LiveBalances.ts"
import * as LiveBook from "../src/LiveBook.ts"
import * as LiveOrders from "../src/LiveOrders.ts"
import * as LivePositions from "../src/LivePositions.ts"
import type * as LiveView from "../src/LiveView.ts"
import * as Dialect from "../src/protocol/Dialect.ts"
import { Control } from "../src/sandbox/control/Control.ts"
import type * as Faults from "../src/sandbox/gateway/Faults.ts"
import * as InProcess from "../src/sandbox/server/InProcess.ts"
import * as Streams from "../src/Streams.ts"
import { priceNow, show } from "./readme/book.ts"
import { bot } from "./readme/fills.ts"
import { watch } from "./readme/watcher.ts"
import { passing } from "./support/clock.ts"
import { logsInto } from "./support/logs.ts"
import { property } from "./support/property.ts"
import { amount, asBob, btcPerp, btcUsdt, limit, price, same, type Traders, traders, usdt } from "./support/trading.ts"

const world = Streams.layerInProcess.pipe(
  Layer.provide(InProcess.layerDialer),
  Layer.provideMerge(traders(Dialect.live))
)

type World = Streams.Services | Traders

/** Lets the exchange's responses and pushes arrive without advancing the clock. */
const turn = Effect.asVoid(Effect.promise(() => setImmediate()))

/** Lets time pass, in steps shorter than the deadline for a response. */
const elapse = Effect.fnUntraced(function*(millis: number) {
  for (let left = millis; left > 0; left -= 5000) {
    yield* TestClock.adjust(Math.min(left, 5000))
    yield* Effect.repeat(turn, { times: 3 })
  }
})

// -----------------------------------------------------------------------------
// Live views, and the same values read over REST
// -----------------------------------------------------------------------------

const recheckEvery = "20 seconds"

interface Kind<A> {
  readonly open: Effect.Effect<LiveView.LiveView<A, unknown>, never, World | Scope.Scope>
  /** Extracts the part of a value that REST also returns. */
  readonly shown: (value: A) => unknown
  readonly rest: Effect.Effect<unknown, unknown, World>
  /** Checks each value that the view emits. */
  readonly check?: (value: A) => void
}

const levels = (book: Pick<LiveBook.Book, "asks" | "bids">) => [book.asks, book.bids]

const isSorted = (sorted: ReadonlyArray<{ readonly price: Decimal.Decimal }>, sign: number) =>
  sorted.every((level, at) => {
    const before = sorted[at - 1]
    return before === undefined || Decimal.Order(before.price, level.price) * sign < 0
  })

const book = (depth: 5 | 100): Kind<LiveBook.Book> => ({
  open: LiveBook.make({ market: btcUsdt, limit: depth, priceStep: "0" }),
  shown: levels,
  rest: OrderBooks.use(({ get }) => Effect.map(get(btcUsdt, { limit: depth }), levels)),
  check: (value) => {
    const { ask, bid } = LiveBook.best(value)
    assert.isTrue(isSorted(value.asks, 1) && isSorted(value.bids, -1))
    assert.isTrue(ask === undefined || bid === undefined || Decimal.Order(bid.price, ask.price) < 0, "crossed")
  }
})

/** Maps order ids to orders, without the fields that only the stream or only REST has. */
const listed = (orders: Iterable<{ readonly orderId: string }>) =>
  Object.fromEntries(
    [...orders].map(({ orderId, ...order }) => [orderId, { ...order, modifiedAt: undefined, oto: undefined }])
  )

const orders: Kind<LiveOrders.OpenOrders> = {
  open: LiveOrders.make({ market: btcUsdt, recheckEvery }),
  shown: (open) => listed(open.values()),
  rest: ActiveOrders.use(({ stream }) => Effect.map(Stream.runCollect(stream({ market: btcUsdt })), listed))
}

type Valued<A> = A extends Effect.Effect<LiveView.LiveView<infer Value, unknown>, infer _E, infer _R> ? Value : never

const spot: Kind<Valued<ReturnType<typeof LiveBalances.spot>>> = {
  open: LiveBalances.spot({ recheckEvery }),
  // REST may omit an asset whose balance is zero.
  shown: (balances) =>
    Object.fromEntries([...balances].filter(([, { available, freeze }]) => available + freeze !== "00")),
  rest: TradeBalance.use(({ all }) => Effect.map(all, (balances) => spot.shown(balances)))
}

const margin: Kind<Valued<ReturnType<typeof LiveBalances.margin>>> = {
  open: LiveBalances.margin({ ticker: usdt, recheckEvery }),
  shown: (balances) => balances.get(usdt)?.balance,
  rest: CollateralBalance.use(({ of }) => of(usdt))
}

const positions: Kind<LivePositions.Positions> = {
  open: LivePositions.make,
  shown: (all) =>
    all.map((position) => ({
      ...position,
      leverage: undefined,
      // The stream subtracts fees, but REST does not.
      pnl: undefined,
      pnlPercent: undefined,
      total: undefined,
      tpsl: undefined
    })),
  rest: OpenPositions.use(({ list }) => Effect.map(list(), (all) => positions.shown(all)))
}

/** A view that has been opened. */
interface Running {
  /** Checks that the view is complete and equals REST's response. */
  readonly check: Effect.Effect<void, unknown, World>
  readonly close: Effect.Effect<void>
}

/** Opens a view, and reads its changes unless the reader is meant to be slow. */
const opened = <A>({ check = () => {}, open, rest, shown }: Kind<A>) =>
  Effect.fnUntraced(function*(isSlow: boolean): Effect.fn.Return<Running, never, World | Scope.Scope> {
    const scope = yield* Scope.make()
    yield* Effect.addFinalizer(() => Scope.close(scope, Exit.void))
    const view = yield* Scope.provide(open, scope)
    const read = (state: LiveView.State<A>) =>
      Effect.sync(() => {
        if (state.value !== undefined) check(state.value)
      })
    // A slow reader reads a single state and then stops.
    const reader = yield* Effect.forkIn(
      Effect.orDie(Stream.runForEach(view.changes, (state) => isSlow ? Effect.never : read(state))),
      scope
    )
    // Fails if a check in the reader has failed.
    const readSoFar = Effect.suspend((): Effect.Effect<void> => reader.pollUnsafe() ?? Effect.void)
    return {
      check: Effect.gen(function*() {
        yield* readSoFar
        const state = yield* view.get
        if (state._tag === "Incomplete") return assert.fail(`not whole: ${state.why}`)
        check(state.value)
        same(shown(state.value), yield* rest)
      }),
      close: Effect.andThen(readSoFar, Scope.close(scope, Exit.void))
    }
  })

const kinds = {
  book: opened(book(100)),
  "short book": opened(book(5)),
  orders: opened(orders),
  spot: opened(spot),
  margin: opened(margin),
  positions: opened(positions)
}

const kindNames = Object.keys(kinds) as ReadonlyArray<keyof typeof kinds>

// -----------------------------------------------------------------------------
// Random histories
// -----------------------------------------------------------------------------

const place = fc.nat(7)

const tick = fc.integer({ min: -4, max: 4 }).map((ticks) => `${100 + ticks / 2}`)

/** A price between two ticks. It never equals the last price, at which the exchange would refuse a stop order. */
const betweenTicks = fc.integer({ min: -4, max: 4 }).map((ticks) => `${100.25 + ticks / 2}`)

const side = fc.constantFrom("buy" as const, "sell" as const)

const size = fc.constantFrom("0.1", "0.25", "0.5")

const order = fc.record({ isBob: fc.boolean(), side, of: size, at: tick })

/** Every stream symptom that a view survives. To test a new symptom, add it here. */
const symptom = fc.constantFrom<Array<Faults.StreamSymptom>>(
  { _tag: "Cut", close: false },
  { _tag: "Cut", close: true },
  { _tag: "Stall" },
  { _tag: "Lose" },
  { _tag: "Duplicate" },
  { _tag: "HoldBack" },
  { _tag: "Garble" },
  { _tag: "Throttle", bytesPerSecond: 500 },
  { _tag: "Stale" },
  { _tag: "IgnorePing" },
  { _tag: "RefuseToken", kind: "unavailable" },
  { _tag: "RefuseConnection", kind: "rateLimited" },
  { _tag: "RefuseConnection", kind: "unavailable" }
)

/** A step in a history. */
const action = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("trade"), orders: fc.array(order, { maxLength: 4 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("stop order"), at: tick, activatedAt: betweenTicks }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("cancel"), place }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("cancel all") }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("price"), isPerp: fc.boolean(), at: tick }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("position"), side, of: size }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("fund"), wallet: fc.constantFrom("trade", "collateral"), of: size })
  },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant("fault"), symptom, skip: fc.nat(3), times: fc.integer({ min: 1, max: 3 }) })
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("wait"), millis: fc.constantFrom(100, 1000, 12_000) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restore"), back: fc.nat(5) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("open"), kind: fc.constantFrom(...kindNames), isSlow: fc.boolean() })
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("close"), place }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("stop reading") }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("rest") }) }
)

type Action = typeof action extends fc.Arbitrary<infer A> ? A : never

const at = <A>(all: ReadonlyArray<A>, place: number): A | undefined => all[place % Math.max(1, all.length)]

/** Removes all faults and waits. Then every view must be complete and match REST. */
const rest = Effect.fnUntraced(function*(views: ReadonlyArray<Running>) {
  const control = yield* Control
  yield* control.clearFaults
  yield* elapse(120_000)
  for (const { check } of views) yield* check
})

/** Carries out a step. `start` is the number of the earliest snapshot that may be restored. */
const apply = Effect.fnUntraced(function*(action: Action, views: Array<Running>, start: number) {
  const control = yield* Control
  switch (action.do) {
    case "trade":
      for (const { at, isBob, of, side } of action.orders) {
        yield* isBob ? asBob(limit(side, of, at)) : limit(side, of, at)
      }
      return
    case "stop order":
      return yield* StopLimitOrders.use(({ create }) =>
        create({
          market: btcUsdt,
          side: "buy",
          amount: amount("0.1"),
          price: price(action.at),
          activationPrice: price(action.activatedAt)
        })
      )
    case "cancel": {
      const { records } = yield* ActiveOrders.use(({ page }) => page({ market: btcUsdt }))
      const found = at(records, action.place)
      if (found === undefined) return
      return yield* CancelOrder.use(({ cancel }) => cancel({ market: btcUsdt, orderId: found.orderId }))
    }
    case "cancel all":
      return yield* CancelAllOrders.use(({ cancel }) => cancel())
    case "price":
      return yield* control.movePrice({ market: action.isPerp ? btcPerp : btcUsdt, price: price(action.at) })
    case "position":
      return yield* control.openPosition({
        account: "alice",
        market: btcPerp,
        side: action.side,
        amount: amount(action.of)
      })
    case "fund":
      return yield* control.fund({ account: "alice", wallet: action.wallet, ticker: usdt, amount: amount(action.of) })
    case "fault":
      return yield* control.addFault({ symptom: action.symptom, skip: action.skip, times: action.times })
    case "wait":
      return yield* elapse(action.millis)
    case "restore":
      return yield* control.restore(Math.max(start, (yield* control.snapshot) - action.back))
    case "open":
      views.push(yield* kinds[action.kind](action.isSlow))
      return
    case "close":
      for (const view of views.splice(action.place % (views.length + 1), 1)) yield* view.close
      return
    case "stop reading": {
      const { stream } = yield* PendingOrdersChannel
      return yield* Effect.forkScoped(Effect.orDie(Stream.runForEach(stream({ market: btcUsdt }), () => Effect.never)))
    }
    case "rest":
      return yield* rest(views)
  }
})

const histories = fc.array(action, { maxLength: 30, size: "max" })

property(
  "every view is complete and matches REST once the faults and changes have stopped",
  [histories],
  (actions) =>
    Effect.gen(function*() {
      const control = yield* Control
      for (const market of [btcUsdt, btcPerp]) yield* control.movePrice({ market, price: price("100") })
      const start = yield* control.snapshot
      const views: Array<Running> = []
      for (const kind of kindNames) views.push(yield* kinds[kind](false))
      for (const action of actions) {
        yield* apply(action, views, start)
        yield* turn
      }
      yield* rest(views)
    }).pipe(Effect.scoped, Effect.provide(world), Effect.provideService(Session.MaxWaiting, 4)),
  {
    runs: 10_000,
    short: 20,
    timeout: 3_600_000
  }
)

describe("the examples on the page about live views", () => {
  const pass = (duration: Duration.Input) => passing(Effect.sleep(duration))

  it.effect("the book example logs its best prices, and reports when they may be outdated", () => {
    const lines: Array<string> = []
    return Effect.gen(function*() {
      const control = yield* Control
      const view = yield* LiveBook.make({ market: btcUsdt, limit: 20, priceStep: "0" })
      assert.isUndefined(yield* priceNow(view))
      yield* Effect.forkScoped(Effect.provide(show(btcUsdt), logsInto(lines)))
      yield* pass("1 second")
      yield* limit("sell", "1", "101")
      yield* pass("1 second")
      assert.strictEqual(yield* priceNow(view), "101")
      yield* control.restore(yield* control.snapshot)
      yield* turn
      assert.isUndefined(yield* priceNow(view))
      yield* passing(view.whole)
      assert.strictEqual(yield* priceNow(view), "101")
      yield* pass("4 seconds")
      assert.isUndefined(yield* priceNow(view), "nothing was heard for four seconds")
      assert.deepStrictEqual(lines.map((line) => /message="?([^"]*)"?/u.exec(line)?.[1]), [
        "prices may be old: connecting",
        "buy for nothing, sell for nothing",
        "buy for 101, sell for nothing",
        "prices may be old: connection-lost",
        "buy for 101, sell for nothing"
      ])
    }).pipe(Effect.scoped, Effect.provide(world))
  })

  it.effect("the bot offers each newly bought amount exactly once, at a price one percent higher", () =>
    Effect.gen(function*() {
      const control = yield* Control
      const buy = (of: string) => Effect.andThen(asBob(limit("sell", of, "100")), limit("buy", of, "100"))
      yield* buy("0.1")
      yield* Effect.forkScoped(bot(btcUsdt))
      yield* pass("1 second")
      yield* buy("0.2")
      yield* pass("1 second")
      // An amount that is bought while the connection is down is offered after the reconnection.
      yield* control.restore(yield* control.snapshot)
      yield* buy("0.3")
      yield* pass("10 seconds")
      const { records } = yield* ActiveOrders.use(({ page }) => page({ market: btcUsdt }))
      assert.deepStrictEqual(records.map(({ amount, price, side }) => [side, amount, price]) as unknown, [
        ["sell", "0.3", "101"],
        ["sell", "0.2", "101"]
      ])
    }).pipe(Effect.scoped, Effect.provide(world)))

  it.effect("the watcher closes only positions that lose too much, even without a WebSocket connection", () => {
    const lines: Array<string> = []
    return Effect.gen(function*() {
      const control = yield* Control
      const bid = (of: string, at: string) =>
        asBob(
          CollateralLimitOrders.use(({ create }) =>
            create({ market: btcPerp, side: "buy", amount: amount(of), price: price(at) })
          )
        )
      const sizes = Effect.map(
        OpenPositions.use(({ list }) => list()),
        (positions) => positions.map(({ amount }) => amount).filter((size) => size !== "0")
      )
      yield* control.movePrice({ market: btcPerp, price: price("100") })
      yield* control.openPosition({ account: "alice", market: btcPerp, side: "buy", amount: amount("2") })
      yield* Effect.forkScoped(Effect.provide(watch(amount("20")), logsInto(lines)))
      yield* bid("5", "85")
      yield* control.movePrice({ market: btcPerp, price: price("91") })
      yield* pass("5 seconds")
      assert.deepStrictEqual(yield* sizes, ["2"] as unknown)
      yield* control.movePrice({ market: btcPerp, price: price("89") })
      yield* pass("5 seconds")
      assert.deepStrictEqual(yield* sizes, [])
      assert.lengthOf(lines.filter((line) => line.includes("closed 2 on BTC_PERP at a loss of -22")), 1)

      // No connection is accepted, so the watcher reads the positions with calls.
      yield* control.movePrice({ market: btcPerp, price: price("100") })
      yield* control.addFault({ times: 100, symptom: { _tag: "RefuseConnection", kind: "unavailable" } })
      yield* control.restore(yield* control.snapshot)
      yield* control.openPosition({ account: "alice", market: btcPerp, side: "buy", amount: amount("1") })
      yield* control.movePrice({ market: btcPerp, price: price("79") })
      yield* bid("5", "78")
      yield* pass("10 seconds")
      assert.deepStrictEqual(yield* sizes, [])
      assert.isTrue(lines.some((line) => line.includes("positions are read with a call")))
    }).pipe(Effect.scoped, Effect.provide(world))
  })
})

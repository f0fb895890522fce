import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as Decimal from "../../src/domain/Decimal.ts"
import { ticker } from "../../src/domain/Identifiers.ts"
import { MainBalance } from "../../src/endpoints/MainBalance.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import { Control } from "../../src/sandbox/control/Control.ts"
import { InProcess } from "../../src/sandbox/index.ts"
import {
  alice,
  asBob,
  btc,
  clientOf,
  dialects,
  eth,
  exchange,
  inProcess,
  overHttp,
  Place,
  usdt
} from "../support/exchange.ts"
import { answering, json, privateCalls } from "../support/http.ts"

describe.each(dialects)("the main balance over HTTP in the $name dialect", (dialect) => {
  it.live("`MainBalance.all` lists every asset with a main balance", () =>
    Effect.gen(function*() {
      const balances = yield* MainBalance
      // Alice has put 1 of her 3 BTC into a code. Her trade balance is not included.
      assert.deepStrictEqual([...yield* balances.all], [[usdt, Decimal.of("1000.5")], [btc, Decimal.of("2")]])
      assert.deepStrictEqual([...yield* asBob(MainBalance.use(({ all }) => all))], [[eth, Decimal.of("17.25")]])
    }).pipe(Effect.provide(exchange(overHttp(dialect)))))

  it.live("`MainBalance.of` reads an asset's balance, which is zero for an asset that the exchange omits", () =>
    Effect.gen(function*() {
      const balances = yield* MainBalance
      assert.strictEqual(yield* balances.of(usdt), "1000.5")
      assert.strictEqual(yield* balances.of(eth), "0")
      assert.strictEqual(yield* balances.of(ticker("NONE")), "0")
    }).pipe(Effect.provide(exchange(overHttp(dialect)))))
})

describe("MainBalance.changes", () => {
  const everySecond = Schedule.spaced("1 second")
  const text = (
    { after, before, ticker }: { readonly ticker: string; readonly before: string; readonly after: string }
  ) => `${ticker} ${before} -> ${after}`

  it.effect("`MainBalance.changes` emits the differences from the previous reading, and starts from zero balances", () =>
    Effect.gen(function*() {
      const control = yield* Control
      const changes: Array<string> = []
      const fiber = yield* MainBalance.use((balances) =>
        Stream.runForEach(balances.changes(everySecond), (change) => Effect.sync(() => changes.push(text(change))))
      ).pipe(Effect.forkChild)
      yield* TestClock.adjust("10 millis")
      // The journal commits at the end of an event-loop turn, regardless of the test clock.
      const settled = TestClock.withLive(Effect.sleep("20 millis"))
      yield* settled
      assert.deepStrictEqual(changes.splice(0), ["USDT 0 -> 1000.5", "BTC 0 -> 2"])

      yield* TestClock.adjust("1 second")
      yield* settled
      assert.deepStrictEqual(changes.splice(0), [])

      yield* control.fund({ account: "alice", wallet: "main", ticker: usdt, amount: Decimal.amount("0.5") })
      yield* control.fund({ account: "alice", wallet: "trade", ticker: btc, amount: Decimal.amount("1") })
      yield* control.fund({ account: "alice", wallet: "main", ticker: eth, amount: Decimal.amount("0.1") })
      yield* TestClock.adjust("1 second")
      yield* settled
      assert.deepStrictEqual(changes.splice(0), ["USDT 1000.5 -> 1001", "ETH 0 -> 0.1"])
      assert.strictEqual((yield* privateCalls).length, 3)
      yield* Fiber.interrupt(fiber)
    }).pipe(Effect.provide(exchange(inProcess(Dialect.document)))))

  it.effect("`MainBalance.changes` compares balances by value and treats an omitted asset as zero", () => {
    const readings = [
      { BTC: { main_balance: "1.50" }, ETH: { main_balance: "0" }, USDT: { main_balance: "7" } },
      { BTC: { main_balance: "1.5" }, USDT: { main_balance: "7.000" } },
      { BTC: { main_balance: "1.5" } }
    ]
    return Effect.gen(function*() {
      const fiber = yield* MainBalance.use((balances) =>
        Stream.runCollect(balances.changes(Schedule.upTo(everySecond, { times: 2 })))
      ).pipe(Effect.forkChild)
      yield* TestClock.adjust("2 seconds")
      const changes = yield* Fiber.join(fiber)
      assert.deepStrictEqual(changes.map(text), ["BTC 0 -> 1.50", "USDT 0 -> 7", "USDT 7.000 -> 0"])
    }).pipe(
      Effect.provide(
        clientOf(alice).pipe(
          Layer.provide(Layer.succeed(Place, { baseUrl: InProcess.baseUrl, dialect: Dialect.live })),
          Layer.provide(answering((_sent, index) => json(200, readings[index])))
        )
      )
    )
  })
})

/* oxlint-disable effecttsgo/global-date-in-effect, effecttsgo/global-random-in-effect -- What a program reaches around Effect is tested. */
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as KeyValueStore from "effect/persistence/KeyValueStore"
import * as Decimal from "../../src/domain/Decimal.ts"
import { ApiKey, marketName } from "../../src/domain/Identifiers.ts"
import * as CollateralMarketOrders from "../../src/endpoints/CollateralMarketOrders.ts"
import * as LimitOrders from "../../src/endpoints/LimitOrders.ts"
import { Explore, Invariant, Scenario } from "../../src/explore/index.ts"
import * as Words from "../../src/explore/Words.ts"
import * as World from "../../src/explore/World.ts"
import * as Control from "../../src/sandbox/control/Control.ts"
import * as Example from "../../src/sandbox/Example.ts"
import { history } from "./history.ts"
import { market } from "./programs.ts"

const order = {
  market,
  side: "buy",
  amount: Decimal.amount("0.01"),
  price: Decimal.price("39000")
} as const

describe("processes, promises and time in a history", () => {
  it.effect("a killed process runs no finalizer, its call still arrives, and only what it stored survives", () =>
    Effect.gen(function*() {
      const done: Array<string> = []
      const { marks, moment } = yield* history(
        Effect.gen(function*() {
          const store = yield* KeyValueStore.KeyValueStore
          const { create } = yield* LimitOrders.LimitOrders
          const known = yield* store.get("started")
          done.push(known === undefined ? "first" : "second")
          if (known !== undefined) return
          yield* Effect.addFinalizer(() => Effect.sync(() => done.push("finalizer")))
          yield* store.set("started", "yes")
          yield* Effect.ensuring(create(order), Effect.sync(() => done.push("ensuring")))
          done.push("answered")
        }),
        { events: [{ _tag: "KillAtCall", call: 2, downMillis: 1000 }] }
      )
      assert.deepEqual(done, ["first", "second"])
      assert.deepEqual(marks.map(({ what }) => what), ["started", "killed", "started", "ended"])
      assert.lengthOf(moment.openOrders, 1)
    }))

  it.effect("a stopped process runs its finalizers, and is then started again", () =>
    Effect.gen(function*() {
      const done: Array<string> = []
      const { marks } = yield* history(
        Effect.gen(function*() {
          done.push("begun")
          yield* Effect.addFinalizer(() => Effect.andThen(Effect.sleep(500), Effect.sync(() => done.push("finalized"))))
          return yield* Effect.never
        }),
        { events: [{ _tag: "Stop", at: 1000, downMillis: 100 }] }
      )
      assert.deepEqual(done, ["begun", "finalized", "begun", "finalized"])
      assert.deepEqual(marks.map(({ at, what }) => `${at - World.start} ${what}`), [
        "0 started",
        "1000 stopped",
        "1500 ended",
        "1600 started",
        "90000 stopped",
        "90500 ended"
      ])
    }))

  it.effect("after an outage, the exchange still has every order that it has acknowledged", () =>
    Effect.gen(function*() {
      const { failures, openOrders } = (yield* history(
        Effect.gen(function*() {
          const { create } = yield* LimitOrders.LimitOrders
          yield* create(order)
          yield* Effect.sleep("2 seconds")
          const lost = yield* Effect.flip(create(order))
          yield* Explore.say("lost", lost._tag)
          yield* Effect.sleep("10 seconds")
          yield* create(order)
        }),
        { events: [{ _tag: "Outage", at: 1000, downMillis: 3000 }] },
        { invariants: [Invariant.neverFails] }
      )).moment
      assert.deepEqual(failures, [])
      assert.lengthOf(openOrders, 2)
    }))

  it.effect("a promise in a program is reported, and the program continues", () =>
    Effect.gen(function*() {
      const { foreign, marks } = yield* history(
        Effect.promise(() => Promise.resolve(1))
      )
      assert.strictEqual(foreign[0]?.kind, "PROMISE")
      assert.deepEqual(marks.map(({ what }) => what), ["started", "ended"])
    }))

  it.effect("a history uses its own clock and random numbers, and the platform's are restored afterwards", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const look = Effect.gen(function*() {
        yield* Effect.sleep(1234)
        seen.push([Date.now() - (yield* Clock.currentTimeMillis), new Date().getTime() - World.start, Math.random()])
      })
      yield* history(look)
      yield* history(look)
      assert.deepEqual(seen[0], seen[1])
      assert.deepEqual((seen[0] as ReadonlyArray<unknown>).slice(0, 2), [0, 1234])
      assert.isAbove(Date.now(), World.start)
    }))

  it.effect("an invariant with a time limit is broken when it does not become true in time", () =>
    Effect.gen(function*() {
      const { broken } = yield* history(
        Effect.andThen(Explore.say("called", true), Effect.never),
        {},
        {
          invariants: [Invariant.eventually("a call gets a response within 5 seconds", {
            when: ({ said }) => said.has("called"),
            holds: ({ said }) => said.has("answered"),
            within: "5 seconds"
          })]
        }
      )
      assert.strictEqual((broken?.at ?? 0) - World.start, 5000)
    }))

  const short = CollateralMarketOrders.CollateralMarketOrders.use(({ create }) =>
    create({ market: marketName("BTC_PERP"), side: "sell", amount: Decimal.amount("1") })
  )

  it.effect("a position's funding is settled at the start of each minute", () =>
    Effect.gen(function*() {
      const told = yield* history(Effect.andThen(short, Effect.never), {
        events: [{ _tag: "Funding", at: 1000, market: "BTC_PERP", permille: 2 }]
      })
      const paid = told.events.flatMap(({ at, event }) =>
        event._tag === "FundingPaid" && event.account === "alice" ? [[at - World.start, event.amount > 0n]] : []
      )
      assert.deepEqual(paid, [[60_000, true]])
      assert.match(Words.tell(told, World.start).join("\n"), /the BTC_PERP funding rate is 0\.2 % per minute/u)
    }))

  it.effect("a liquidation event liquidates a position, and leaves the mark price alone if there is no position", () =>
    Effect.gen(function*() {
      const told = yield* history(Effect.andThen(short, Effect.never), {
        events: [{ _tag: "Liquidation", at: 2000, market: "BTC_PERP", lastsMillis: 1000 }]
      })
      const started = told.events.filter(({ event }) => event._tag === "LiquidationStarted")
      assert.deepEqual(started.map(({ at }) => at - World.start), [2000])
      const left = Math.abs(Number(told.moment.position("BTC_PERP")))
      assert.isBelow(left, 1)
      assert.include(Words.tell(told, World.start).join("\n"), "the exchange liquidates the program's account")
      const none = yield* history(Effect.never, {
        events: [{ _tag: "Liquidation", at: 2000, market: "BTC_PERP", lastsMillis: 1000 }]
      })
      assert.isFalse(none.events.some(({ event }) => event._tag === "MarkMoved"))
    }))

  const at = 1000

  it.effect("another account's order that the exchange refuses appears in the history and in the history's description", () =>
    Effect.gen(function*() {
      const event = { _tag: "Trade", at, market: "BTC_USDT", side: "sell", thousandths: 10 ** 12 } as const
      const told = yield* history(Effect.never, { events: [event] })
      assert.isUndefined(told.invalid)
      assert.deepEqual(told.refusals, [{
        at: World.start + at,
        event,
        why: told.refusals[0]?.why ?? "refused"
      }])
      assert.match(
        Words.tell(told, World.start).join("\n"),
        /another account sells 1000000000 on BTC_USDT \(no effect: amount .*\)/u
      )
    }))

  it.effect("an event that the exchange misses because it is down is recorded as refused", () =>
    Effect.gen(function*() {
      const { invalid, refusals } = yield* history(Effect.never, {
        events: [
          { _tag: "Outage", at, downMillis: 1000 },
          { _tag: "Price", at: at + 500, market: "BTC_USDT", permille: 100, overMillis: 1000 },
          { _tag: "Key", at: at + 650, enabled: false }
        ]
      })
      assert.isUndefined(invalid)
      assert.deepEqual([...new Set(refusals.map(({ why }) => why))], ["the exchange is down"])
      assert.deepEqual([...new Set(refusals.map(({ event }) => event._tag))], ["Price", "Key"])
    }))

  it.effect("an event that can't happen on this exchange makes the history invalid", () =>
    Effect.gen(function*() {
      const impossible: ReadonlyArray<readonly [Scenario.Event, RegExp]> = [
        [{ _tag: "Price", at, market: "FOO_USDT", permille: 1, overMillis: 0 }, /Price .* no market FOO_USDT/u],
        [{ _tag: "Liquidation", at, market: "FOO_PERP", lastsMillis: 0 }, /Liquidation .* no market FOO_PERP/u],
        [{ _tag: "Funding", at, market: "BTC_USDT", permille: 1 }, /Funding .* market must be/u],
        [{ _tag: "Book", at, market: "BTC_USDT", levels: 51, spreadPermille: 1 }, /Book .* at most 50/u],
        [{ _tag: "Trade", at, market: "BTC_USDT", side: "buy", thousandths: 0 }, /Trade .*: thousandths: .* 1$/u],
        [{ _tag: "Drift", at, millis: 0.5 }, /Drift .*: millis: .*integer/u],
        [{ _tag: "KillAtCall", call: 0, downMillis: 0 }, /KillAtCall .*: call: .* 1$/u]
      ]
      for (const [event, expected] of impossible) {
        const { invalid, refusals } = yield* history(Effect.never, { events: [event] })
        assert.match(invalid ?? "", expected)
        assert.deepEqual(refusals, [])
      }
    }))

  it.effect("an event makes the history invalid if its market has no price, or if the other account has no key", () =>
    Effect.gen(function*() {
      const setUp = Control.Control.use(({ addKey, openAccount }) =>
        Effect.andThen(
          openAccount({ account: Example.alice.account, b2b: true }),
          addKey({
            account: Example.alice.account,
            apiKey: ApiKey.make(Example.alice.apiKey),
            apiSecret: Example.alice.apiSecret,
            title: "alice",
            type: "2",
            enabled: true
          })
        )
      )
      const events: ReadonlyArray<readonly [Scenario.Event, RegExp]> = [
        [
          { _tag: "Walk", at, market: "BTC_USDT", steps: 1, everyMillis: 1, permille: 1, seed: 1 },
          /BTC_USDT has no price/u
        ],
        [{ _tag: "Trade", at, market: "BTC_USDT", side: "buy", thousandths: 10 }, /Trade .* notFound/u]
      ]
      for (const [event, expected] of events) {
        const { invalid } = yield* history(Effect.never, { events: [event] }, { setUp })
        assert.match(invalid ?? "", expected)
      }
    }))

  it.effect("an exchange that can't be opened again after an outage makes the history invalid", () =>
    Effect.gen(function*() {
      let isDamaged = false
      const damage = Effect.sync(() => {
        isDamaged = true
      })
      const program = Explore.program({ name: "a program", run: Effect.andThen(damage, Effect.never), invariants: [] })
      const { lines, snapshot } = yield* World.prepare(program)
      const prepared = {
        lines,
        get snapshot() {
          return isDamaged ? { ...snapshot, state: new Uint8Array() } : snapshot
        }
      }
      const { invalid } = yield* World.run(program, prepared, {
        ...Scenario.calm,
        events: [{ _tag: "Outage", at, downMillis: 1000 }]
      })
      assert.match(invalid ?? "", /^the exchange has failed: /u)
    }))

  it.effect("an order whose response can't be read fails with the order id", () =>
    Effect.gen(function*() {
      const { moment: { openOrders, said } } = yield* history(
        LimitOrders.LimitOrders.use(({ create }) => Effect.flip(create(order))).pipe(
          Effect.flatMap((error) => Explore.say("ids", error._tag === "AcceptedUnreadable" ? error.orderIds : []))
        ),
        {
          events: [{
            _tag: "Fault",
            at: 0,
            fault: { path: LimitOrders.endpoint.path, symptom: { _tag: "Unreadable" } }
          }]
        }
      )
      assert.lengthOf(openOrders, 1)
      assert.deepEqual(said.get("ids")?.value, openOrders.map(({ id }) => id))
    }))
})

describe("stops, kills and clocks", () => {
  const marksOf = ({ marks }: World.History) => marks.map(({ at, what }) => `${at - World.start} ${what}`)

  it.effect("a kill during a stop discards the pause that the stop would have had", () =>
    Effect.gen(function*() {
      const slow = Effect.andThen(Effect.addFinalizer(() => Effect.sleep(5000)), Effect.sleep(1000))
      const told = yield* history(slow, {
        events: [{ _tag: "Stop", at: 100, downMillis: 100 }, { _tag: "Kill", at: 200, downMillis: 300 }]
      })
      assert.deepEqual(marksOf(told), ["0 started", "100 stopped", "200 killed", "500 started", "6500 ended"])
    }))

  it.effect("a program that is stopped in the millisecond of its start ends in that millisecond", () =>
    Effect.gen(function*() {
      let beforeItRan = 0
      for (let order = 1; order <= 40; order++) {
        let runs = 0
        const { marks } = yield* history(Effect.andThen(Effect.sync(() => ++runs), Effect.sleep(5000)), {
          order,
          events: [{ _tag: "Kill", at: 100, downMillis: 100 }, { _tag: "Stop", at: 200, downMillis: 100 }]
        })
        const ended = marks.find(({ what }) => what === "ended")?.at ?? 0
        const stopped = marks.find(({ what }) => what === "stopped")
        assert.strictEqual(ended - World.start, stopped === undefined ? 5200 : 200, `order ${order}`)
        if (stopped !== undefined && runs === 2) beforeItRan++
      }
      assert.isAbove(beforeItRan, 0)
    }))

  it.effect("the platform's date follows the program's clock, and its monotonic clock does not", () =>
    Effect.gen(function*() {
      const seen: Array<ReadonlyArray<number>> = []
      const look = Effect.gen(function*() {
        yield* Effect.sleep(1000)
        const clock = yield* Clock.currentTimeMillis
        seen.push([
          Date.now() - clock,
          new Date().getTime() - clock,
          clock - World.start,
          Math.round(performance.now())
        ])
      })
      yield* history(look, { events: [{ _tag: "Drift", at: 500, millis: -5000 }] })
      assert.deepEqual(seen, [[0, 0, -4000, 1000]])
    }))
})

import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as KeyValueStore from "effect/persistence/KeyValueStore"
import * as Stream from "effect/Stream"
import * as LastPriceChannel from "../../src/channels/LastPriceChannel.ts"
import * as Decimal from "../../src/domain/Decimal.ts"
import { ClientOrderId, marketName, ticker } from "../../src/domain/Identifiers.ts"
import * as CancelOrder from "../../src/endpoints/CancelOrder.ts"
import * as CollateralLimitOrders from "../../src/endpoints/CollateralLimitOrders.ts"
import * as CollateralMarketOrders from "../../src/endpoints/CollateralMarketOrders.ts"
import * as CollateralOcoOrders from "../../src/endpoints/CollateralOcoOrders.ts"
import * as HedgeModeUpdate from "../../src/endpoints/HedgeModeUpdate.ts"
import * as LimitOrders from "../../src/endpoints/LimitOrders.ts"
import * as ModifyOrder from "../../src/endpoints/ModifyOrder.ts"
import * as ServerTime from "../../src/endpoints/ServerTime.ts"
import * as StockMarketOrders from "../../src/endpoints/StockMarketOrders.ts"
import * as StopMarketOrders from "../../src/endpoints/StopMarketOrders.ts"
import * as TradeBalance from "../../src/endpoints/TradeBalance.ts"
import { Explore, Invariant, Scenario } from "../../src/explore/index.ts"
import * as Words from "../../src/explore/Words.ts"
import * as World from "../../src/explore/World.ts"
import { keepsUp } from "../readme/exploreStreams.ts"
import { market } from "./programs.ts"

/** Runs one history of a program with these invariants. */
const history = Effect.fnUntraced(function*(
  run: Explore.Program["run"],
  invariants: ReadonlyArray<Invariant.Invariant>,
  scenario: Partial<Scenario.Scenario> = {},
  more: Partial<Explore.ProgramOptions> = {}
) {
  const program = Explore.program({ name: "a program", run, invariants, ...more })
  return yield* World.run(program, yield* World.prepare(program), { ...Scenario.calm, ...scenario })
})

const bid = {
  market,
  side: "buy",
  amount: Decimal.amount("0.01"),
  price: Decimal.price("39000")
} as const

const place = LimitOrders.LimitOrders.use(({ create }) => create(bid))

describe("invariants with a time limit", () => {
  it.effect("several invariants whose conditions already hold schedule no checks", () =>
    Effect.gen(function*() {
      const kept = (name: string) =>
        Invariant.eventually(name, { when: () => true, holds: () => true, within: "1 second" })
      const alone = yield* history(Effect.andThen(place, Effect.never), [])
      const several = yield* history(Effect.andThen(place, Effect.never), [kept("one"), kept("two"), kept("three")])
      assert.isUndefined(several.invalid)
      assert.strictEqual(several.tasks, alone.tasks)
    }))

  it.effect("a limit that was kept leaves no timer behind", () =>
    Effect.gen(function*() {
      const { broken, millis } = yield* history(
        Effect.andThen(Explore.say("late", true), Effect.andThen(Effect.sleep("1 second"), Explore.say("done", true))),
        [Invariant.eventually("it is done soon", {
          when: ({ said }) => said.has("late"),
          holds: ({ said }) => said.has("done"),
          within: "20 seconds"
        })]
      )
      assert.isUndefined(broken)
      assert.strictEqual(millis, 1000)
    }))

  const isGone = Invariant.eventually("an order is gone within five seconds", {
    when: ({ openOrders }) => openOrders.length > 0,
    holds: ({ openOrders }) => openOrders.length === 0 || "it is still open",
    within: "5 seconds"
  })

  it.effect("a program that crashes while a limit is running breaks the invariant", () =>
    Effect.gen(function*() {
      const { broken, millis } = yield* history(Effect.andThen(place, Effect.die("a crash")), [isGone])
      assert.strictEqual(broken?.why, "it is still open (for 5 s)")
      assert.isBelow(millis, 5100)
    }))

  it.effect("a limit that the end of the calm period cuts short is not judged, and the history ends", () =>
    Effect.gen(function*() {
      const { broken, invalid, millis } = yield* history(
        Effect.andThen(place, Effect.die("a crash")),
        [isGone],
        {},
        { during: "2 seconds", calm: "1 second" }
      )
      assert.isUndefined(invalid)
      assert.isUndefined(broken)
      assert.strictEqual(millis, 3000)
    }))
})

describe("calls with a disabled key, and public calls", () => {
  const invariants = [Invariant.noCallWithDisabledKey]
  const time = ServerTime.ServerTime.use(({ get }) => get)
  const balance = TradeBalance.TradeBalance.use(({ of }) => of(ticker("USDT")))
  const off = { _tag: "Key", at: 0, enabled: false } as const
  const later = Effect.sleep("100 millis")

  it.effect("a private call after a received refusal breaks the invariant", () =>
    Effect.gen(function*() {
      const run = Effect.andThen(later, Effect.andThen(Effect.ignore(balance), Effect.andThen(later, balance)))
      const { broken } = yield* history(run, invariants, { events: [off] })
      assert.strictEqual(broken?.why, "call 2, /api/v4/trade-account/balance, was made after the refusal")
    }))

  it.effect("a public call after a received refusal is allowed", () =>
    Effect.gen(function*() {
      const run = Effect.andThen(later, Effect.andThen(Effect.ignore(balance), Effect.andThen(later, time)))
      const { broken, moment } = yield* history(run, invariants, { events: [off] })
      assert.isUndefined(broken)
      assert.deepEqual(moment.calls.map(({ refused }) => refused), ["keyDisabled", undefined])
    }))

  it.effect("a process that was killed before the refusal arrived has received no refusal", () =>
    Effect.gen(function*() {
      const { broken, moment } = yield* history(Effect.andThen(later, Effect.ignore(balance)), invariants, {
        events: [off, { _tag: "KillAtCall", call: 1, downMillis: 100 }]
      })
      assert.isUndefined(broken)
      assert.deepEqual(moment.sent.map(({ outcome, process }) => [outcome, process]), [["lost", 1], ["answered", 2]])
    }))

  it.effect("a refusal that the program no longer waited for has not been received", () =>
    Effect.gen(function*() {
      const hasty = Effect.ignore(Effect.timeout(balance, "30 millis"))
      const { broken, moment } = yield* history(
        Effect.andThen(later, Effect.andThen(hasty, Effect.andThen(later, hasty))),
        invariants,
        { events: [off] }
      )
      assert.isUndefined(broken)
      assert.deepEqual(moment.sent.map(({ outcome, status }) => [outcome, status]), [["lost", 401], ["lost", 401]])
    }))

  it.effect("a refusal that is received after a lost one counts", () =>
    Effect.gen(function*() {
      const hasty = Effect.ignore(Effect.timeout(balance, "30 millis"))
      const patient = Effect.andThen(later, Effect.ignore(balance))
      const { broken } = yield* history(
        Effect.andThen(Effect.andThen(later, hasty), Effect.andThen(patient, patient)),
        invariants,
        { events: [off] }
      )
      assert.strictEqual(broken?.why, "call 3, /api/v4/trade-account/balance, was made after the refusal")
    }))

  it.effect("an earlier call of the same path, answered while another is refused, is not taken for the refusal", () =>
    Effect.gen(function*() {
      // The second call is refused after 35 ms and knows it after 55 ms; the first has its response after 40 ms.
      const after = (millis: number) => Effect.andThen(Effect.sleep(millis), Effect.ignore(balance))
      const { broken, moment } = yield* history(
        Effect.all([after(0), after(15), after(45)], { concurrency: "unbounded" }),
        invariants,
        { events: [{ ...off, at: 30 }] }
      )
      assert.isUndefined(broken)
      assert.deepEqual(moment.sent.map(({ status }) => status), [200, 401, 401])
    }))

  it.effect("a fault on a public call appears in the calls and in the story", () =>
    Effect.gen(function*() {
      const told = yield* history(Effect.ignore(time), [], {
        events: [{
          _tag: "Fault",
          at: 0,
          fault: { path: ServerTime.endpoint.path, times: 1, symptom: { _tag: "BadGateway", applied: false } }
        }]
      })
      assert.lengthOf(told.moment.calls, told.moment.sent.length)
      assert.include(Words.tell(told, World.start).join("\n"), "ServerTime")
    }))
})

const perp = marketName("BTC_PERP")

describe("orders that are placed twice", () => {
  const clientOrderId = ClientOrderId.make("quote-1")
  const byName = Invariant.noOrderTwice(({ clientOrderId = "", id }) => clientOrderId === "" ? id : clientOrderId)
  const moveTo = (price: Decimal.Price) =>
    ModifyOrder.ModifyOrder.use(({ modify }) => modify({ market, clientOrderId, price }))

  it.effect("modifying an order, and modifying it back, places no order twice", () =>
    Effect.gen(function*() {
      const run = LimitOrders.LimitOrders.use(({ create }) => create({ ...bid, clientOrderId })).pipe(
        Effect.andThen(moveTo(Decimal.price("39100"))),
        Effect.andThen(moveTo(bid.price))
      )
      const { broken, moment } = yield* history(run, [Invariant.neverFails, Invariant.noOrderTwice(), byName])
      assert.isUndefined(broken)
      assert.lengthOf(moment.allEndedOrders, 2)
      assert.deepEqual(moment.openOrders.map(({ id }) => moment.isPlaced(id)), [false])
    }))

  it.effect("an order that equals a canceled one is placed twice", () =>
    Effect.gen(function*() {
      const run = Effect.gen(function*() {
        const { cancel } = yield* CancelOrder.CancelOrder
        const { orderId } = yield* place
        yield* cancel({ market, orderId })
        yield* place
      })
      const { broken } = yield* history(run, [Invariant.noOrderTwice()])
      assert.match(broken?.why ?? "", /are the same: BTC_USDT buy limit 0\.01 39000$/u)
    }))

  it.effect("the exchange's own orders do not count", () =>
    Effect.gen(function*() {
      const run = Effect.gen(function*() {
        const { create } = yield* CollateralMarketOrders.CollateralMarketOrders
        yield* create({ market: perp, side: "buy", amount: Decimal.amount("0.1") })
        yield* create({ market: perp, side: "sell", amount: Decimal.amount("1") })
        return yield* Effect.never
      })
      const { broken, moment } = yield* history(run, [Invariant.noOrderTwice(({ market, side }) => market + side)], {
        events: [{ _tag: "Liquidation", at: 2000, market: "BTC_PERP", lastsMillis: 1000 }]
      })
      assert.isUndefined(broken)
      assert.isTrue(moment.allEndedOrders.some(({ clientOrderId = "" }) => clientOrderId.startsWith("liquidation_")))
    }))

  it.effect("an order is compared with orders that closed more than a hundred orders ago", () =>
    Effect.gen(function*() {
      const run = Effect.gen(function*() {
        const { cancel } = yield* CancelOrder.CancelOrder
        const { create } = yield* LimitOrders.LimitOrders
        for (let number = 0; number <= 101; number++) {
          const { orderId } = yield* create({ ...bid, price: Decimal.Price.make(String(39_000 - number % 101)) })
          yield* cancel({ market, orderId })
        }
      })
      const { broken, moment } = yield* history(run, [Invariant.noOrderTwice()])
      assert.match(broken?.why ?? "", /are the same: BTC_USDT buy limit 0\.01 39000$/u)
      assert.lengthOf(moment.endedOrders, 100)
    }))
})

describe("the exposure on a market", () => {
  const exposure = Effect.fnUntraced(function*(
    run: Explore.Program["run"],
    most: Decimal.Amount,
    on = market
  ) {
    const { broken, moment } = yield* history(run, [Invariant.neverFails, Invariant.exposureWithin(on, most)])
    return [broken?.why, moment] as const
  })
  const buyAtMarket = StockMarketOrders.StockMarketOrders.use(({ create }) =>
    create({ market, side: "buy", amount: Decimal.amount("0.5") })
  )

  it.effect("the base asset that was bought on a spot market counts, and the funds at the start do not", () =>
    Effect.gen(function*() {
      const run = Effect.andThen(buyAtMarket, Effect.andThen(Effect.sleep("1 second"), buyAtMarket))
      const [why, moment] = yield* exposure(run, Decimal.amount("0.9"))
      assert.match(why ?? "", /^the exposure is (?:0\.9|1$)/u)
      assert.strictEqual(why, `the exposure is ${moment.change("BTC")}`)
      assert.isUndefined((yield* exposure(run, Decimal.amount("1")))[0])
    }))

  it.effect("an amount in quote currency is converted at the order's price", () =>
    Effect.gen(function*() {
      const run = StopMarketOrders.StopMarketOrders.use(({ create }) =>
        create({ market, side: "buy", amount: Decimal.amount("500"), activationPrice: Decimal.price("50000") })
      )
      assert.isUndefined((yield* exposure(run, Decimal.amount("0.01")))[0])
      assert.strictEqual((yield* exposure(run, Decimal.amount("0.009")))[0], "the exposure is 0.01")
    }))

  it.effect("the legs of an OCO order count once", () =>
    Effect.gen(function*() {
      const run = CollateralOcoOrders.CollateralOcoOrders.use(({ create }) =>
        create({
          market,
          side: "sell",
          amount: Decimal.amount("0.5"),
          price: Decimal.price("42000"),
          activationPrice: Decimal.price("38000"),
          stopLimitPrice: Decimal.price("37900")
        })
      )
      const [why, moment] = yield* exposure(run, Decimal.amount("0.5"))
      assert.isUndefined(why)
      assert.lengthOf(moment.openOrders, 2)
      assert.strictEqual((yield* exposure(run, Decimal.amount("0.4")))[0], "the exposure is 0.5")
    }))

  const trade = (side: "buy" | "sell", more: { readonly positionSide?: "LONG" | "SHORT" } = {}, on = perp) =>
    CollateralMarketOrders.CollateralMarketOrders.use(({ create }) =>
      create({ market: on, side, amount: Decimal.amount("0.5"), ...more })
    )

  it.effect("a margin position on a spot market counts once", () =>
    Effect.gen(function*() {
      const [why, moment] = yield* exposure(trade("buy", {}, market), Decimal.amount("0.5"))
      assert.isUndefined(why)
      assert.strictEqual(moment.position(market), "0.5")
    }))

  it.effect("reduce-only orders do not count", () =>
    Effect.gen(function*() {
      const exit = (price: Decimal.Price) =>
        CollateralLimitOrders.CollateralLimitOrders.use(({ create }) =>
          create({ market: perp, side: "sell", amount: Decimal.amount("0.5"), price, reduceOnly: true })
        )
      const run = Effect.andThen(
        trade("buy"),
        Effect.all([exit(Decimal.price("41000")), exit(Decimal.price("41500")), exit(Decimal.price("42000"))])
      )
      const [why, moment] = yield* exposure(run, Decimal.amount("0.5"), perp)
      assert.isUndefined(why)
      assert.lengthOf(moment.openOrders, 3)
    }))

  it.effect("in hedge mode, both positions count", () =>
    Effect.gen(function*() {
      const run = HedgeModeUpdate.HedgeModeUpdate.use(({ set }) => set({ hedgeMode: true })).pipe(
        Effect.andThen(trade("buy", { positionSide: "LONG" })),
        Effect.andThen(trade("sell", { positionSide: "SHORT" })),
        Effect.andThen(trade("sell", { positionSide: "SHORT" }))
      )
      const [why, moment] = yield* exposure(run, Decimal.amount("0.9"), perp)
      assert.strictEqual(why, "the exposure is 1")
      assert.strictEqual(moment.position(perp), "-0.5")
    }))

  it.effect("a market that does not exist breaks the invariant", () =>
    Effect.gen(function*() {
      assert.strictEqual(
        (yield* exposure(place, Decimal.amount("1"), marketName("BTC_EURO")))[0],
        "there is no market BTC_EURO"
      )
    }))
})

describe("values that the program stores and reports", () => {
  it.effect("changing an array after it was stored or read does not change the stored value", () =>
    Effect.gen(function*() {
      const run = Effect.gen(function*() {
        const store = yield* KeyValueStore.KeyValueStore
        const bytes = new Uint8Array([1, 2])
        yield* store.set("bytes", bytes)
        bytes[0] = 9
        const read = yield* store.getUint8Array("bytes")
        read?.fill(7)
        yield* Explore.say("bytes", [...(yield* store.getUint8Array("bytes")) ?? []])
      })
      const { moment } = yield* history(run, [])
      assert.deepEqual(moment.said.get("bytes")?.value, [1, 2])
    }))

  it.effect("changing an object after it was reported does not change the reported value", () =>
    Effect.gen(function*() {
      const run = Effect.gen(function*() {
        const ledger = { BTC: "1" }
        yield* Explore.say("ledger", ledger)
        ledger.BTC = "2"
      })
      const { moment } = yield* history(run, [])
      assert.deepEqual(moment.said.get("ledger")?.value, { BTC: "1" })
    }))

  it.effect("a reported value names its process, so that a restarted program is not held to it", () =>
    Effect.gen(function*() {
      const run = Effect.gen(function*() {
        const store = yield* KeyValueStore.KeyValueStore
        if (yield* store.has("withdrawn")) return yield* place
        yield* store.set("withdrawn", "yes")
        yield* Explore.say("withdrawn", true)
        return yield* Effect.never
      })
      const withdrawn = Invariant.always(
        "no bid is open once the program has reported that its bids are withdrawn",
        ({ openOrders, said, starts }) => said.get("withdrawn")?.process !== starts || openOrders.length === 0
      )
      const { broken, moment } = yield* history(run, [withdrawn], {
        events: [{ _tag: "Kill", at: 1000, downMillis: 100 }]
      })
      assert.isUndefined(broken)
      assert.lengthOf(moment.openOrders, 1)
      assert.strictEqual(moment.said.get("withdrawn")?.process, 1)
    }))
})

describe("messages that the exchange pushes", () => {
  const prices = Stream.unwrap(LastPriceChannel.LastPriceChannel.useSync(({ stream }) => stream({ market }))).pipe(
    Stream.flatMap((item) => item._tag === "Event" ? Stream.make(item.event.price) : Stream.empty)
  )
  const falls = [3000, 6000, 9000].map((at) =>
    ({ _tag: "Price", at, market: "BTC_USDT", permille: -10, overMillis: 0 }) as const
  )
  const tell = (price: Decimal.Decimal) => Explore.say("price", price)

  it.effect("a program that reads every pushed price keeps up, and one that reads only the first does not", () =>
    Effect.gen(function*() {
      const kept = yield* history(Stream.runForEach(prices, tell), [keepsUp], { events: falls })
      assert.isUndefined(kept.broken)
      assert.isAtLeast(kept.moment.pushed.length, 3)
      assert.deepEqual(
        kept.moment.pushed.map(({ at }) => at),
        kept.moment.pushed.map(({ at }) => at).toSorted((one, other) => one - other)
      )
      const first = Effect.andThen(Stream.runForEach(Stream.take(prices, 1), tell), Stream.runDrain(prices))
      const { broken } = yield* history(first, [keepsUp], { events: falls })
      assert.match(broken?.why ?? "", /^the last pushed price is 3/u)
    }))

  it.effect("messages that a fault has made unreadable are left out", () =>
    Effect.gen(function*() {
      const { moment } = yield* history(Stream.runDrain(prices), [], {
        events: [...falls, {
          _tag: "Fault",
          at: 0,
          fault: { symptom: { _tag: "Garble" }, channel: "lastprice", times: 50 }
        }]
      })
      assert.lengthOf(moment.pushed, 0)
    }))
})

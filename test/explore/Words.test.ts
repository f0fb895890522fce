import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Decimal from "../../src/domain/Decimal.ts"
import * as LimitOrders from "../../src/endpoints/LimitOrders.ts"
import type { Explore, Scenario } from "../../src/explore/index.ts"
import * as Words from "../../src/explore/Words.ts"
import * as World from "../../src/explore/World.ts"
import { history } from "./history.ts"
import { market } from "./programs.ts"

const create = (amount: Decimal.Amount) =>
  LimitOrders.LimitOrders.use(({ create }) => create({ market, side: "buy", amount, price: Decimal.price("39000") }))

/** Tells the story of a program that runs for the whole history. */
const storyOf = (run: Explore.Program["run"], events: ReadonlyArray<Scenario.Event>) =>
  Effect.map(history(Effect.andThen(Effect.ignore(run), Effect.never), { events }), (told) => ({
    ...told,
    story: Words.tell(told, World.start).map((line) => line.slice("10:00:00.000  ".length))
  }))

const fault = (symptom: Extract<Scenario.Event, { readonly _tag: "Fault" }>["fault"]["symptom"]): Scenario.Event => ({
  _tag: "Fault",
  at: 0,
  fault: { path: LimitOrders.endpoint.path, symptom }
})

const refused = "LimitOrders.create buy 30 BTC_USDT at 39000 is refused (notEnoughBalance)"

const kept = ["the program is stopped", "the program ends"]

describe("stories", () => {
  it.effect("a refused call with a fault is said to be refused", () =>
    Effect.gen(function*() {
      const tooMuch = create(Decimal.amount("30"))
      const expected: ReadonlyArray<readonly [Scenario.Event, string]> = [
        [fault({ _tag: "Delay", millis: 1000 }), `${refused}, but its response is late`],
        [
          fault({ _tag: "Late", millis: 1000 }),
          "LimitOrders.create buy 30 BTC_USDT at 39000 arrives late, and is refused (notEnoughBalance)"
        ],
        [fault({ _tag: "Reset", applied: true }), `${refused}, but its response is lost`],
        [fault({ _tag: "BadGateway", applied: true }), `${refused}, and gets HTTP 502`],
        [fault({ _tag: "BadGateway", applied: false }), "LimitOrders.create is not applied, and gets HTTP 502"]
      ]
      for (const [event, text] of expected) {
        const { story } = yield* storyOf(tooMuch, [event])
        assert.include(story, text)
      }
    }))

  it.effect("events without effect are said to have none", () =>
    Effect.gen(function*() {
      const { refusals, story } = yield* storyOf(Effect.void, [
        { _tag: "Liquidation", at: 1000, market: "BTC_PERP", lastsMillis: 1000 },
        { _tag: "Fault", at: 0, fault: { channel: "depth", symptom: { _tag: "Lose" } } },
        fault({ _tag: "Reset", applied: false }),
        { _tag: "Kill", at: 2000, downMillis: 5000 },
        { _tag: "Kill", at: 3000, downMillis: 5000 },
        { _tag: "Stop", at: 4000, downMillis: 5000 }
      ])
      assert.deepEqual(story, [
        "message 1 of the stream depth: lost (no effect: it hit nothing)",
        "the BTC_PERP mark price moves past the program's liquidation price " +
        "(no effect: no price would liquidate the program)",
        "the program is killed",
        "a kill (no effect: the program is not running)",
        "a stop (no effect: the program is not running)",
        "the program starts again",
        ...kept
      ])
      assert.deepEqual(refusals.map(({ event }) => event._tag), ["Liquidation", "Kill", "Stop", "Fault", "Fault"])
    }))

  it.effect("a price that moves in steps has no effect only if every step is refused", () =>
    Effect.gen(function*() {
      const prices = (overMillis: number): Scenario.Event => (
        { _tag: "Price", at: 1000, market: "BTC_USDT", permille: 100, overMillis }
      )
      const outage: Scenario.Event = { _tag: "Outage", at: 500, downMillis: 2500 }
      const whole = yield* storyOf(Effect.void, [outage, prices(1000)])
      assert.include(whole.story, "the BTC_USDT price rises by 10 % within 1 s (no effect: the exchange is down)")
      const part = yield* storyOf(Effect.void, [outage, prices(9000)])
      assert.include(part.story, "the BTC_USDT price rises by 10 % within 9 s")
    }))

  it.effect("an outage during an outage has no effect, and every event is told once", () =>
    Effect.gen(function*() {
      const { events, story } = yield* storyOf(create(Decimal.amount("0.01")), [
        { _tag: "Outage", at: 1000, downMillis: 2000 },
        { _tag: "Outage", at: 1500, downMillis: 3000 },
        { _tag: "Price", at: 6000, market: "BTC_USDT", permille: -100, overMillis: 0 }
      ])
      assert.lengthOf(events.filter(({ at, event }) => at > World.start && event._tag === "PriceMoved"), 1)
      assert.deepEqual(story.filter((line) => /down|filled/u.test(line)), [
        "the exchange is down for 2 s",
        "the exchange is down for 3 s (no effect: the exchange is down)",
        "order 23 (buy 0.01 BTC_USDT) is filled"
      ])
    }))

  it.effect("a fault that has taken effect before an outage is not said to be without effect", () =>
    Effect.gen(function*() {
      const { refusals } = yield* storyOf(create(Decimal.amount("0.01")), [
        fault({ _tag: "Delay", millis: 10 }),
        { _tag: "Outage", at: 1000, downMillis: 2000 }
      ])
      assert.deepEqual(refusals, [])
    }))
})

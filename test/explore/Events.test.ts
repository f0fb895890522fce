import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Decimal from "../../src/domain/Decimal.ts"
import { marketName } from "../../src/domain/Identifiers.ts"
import * as CollateralMarketOrders from "../../src/endpoints/CollateralMarketOrders.ts"
import { Explore, type Scenario } from "../../src/explore/index.ts"
import * as Words from "../../src/explore/Words.ts"
import * as World from "../../src/explore/World.ts"
import { history } from "./history.ts"

const short = CollateralMarketOrders.CollateralMarketOrders.use(({ create }) =>
  create({ market: marketName("BTC_PERP"), side: "sell", amount: Decimal.amount("1") })
)

const eventsOf = ({ events }: World.History, tag: string) =>
  events.flatMap(({ at, event }) => event._tag === tag ? [at - World.start] : [])

describe("the calm period", () => {
  it.effect("ends price moves, and refuses later events", () =>
    Effect.gen(function*() {
      const late: Scenario.Event = { _tag: "Price", at: 61_000, market: "BTC_USDT", permille: 10, overMillis: 1000 }
      const told = yield* history(Effect.never, {
        events: [
          { _tag: "Walk", at: 58_000, market: "BTC_USDT", steps: 20, everyMillis: 1000, permille: 20, seed: 1 },
          { _tag: "Price", at: 58_500, market: "ETH_USDT", permille: 100, overMillis: 10_000 },
          late
        ]
      })
      assert.include(
        Words.tell(told, World.start),
        "10:00:58.500  the ETH_USDT price rises by 10 % within 10 s, but only until the calm period"
      )
      assert.deepEqual([...new Set(eventsOf(told, "PriceMoved"))], [58_000, 59_000, 59_500])
      assert.deepEqual(told.refusals, [{ at: World.start + 61_000, event: late, why: "the calm period has begun" }])
    }))

  it.effect("begins on an exchange that is running, with quotes, an enabled key and a mark price near the market's", () =>
    Effect.gen(function*() {
      const orderAgain = Effect.andThen(Effect.sleep("65 seconds"), Effect.exit(short)).pipe(
        Effect.flatMap((exit) => Explore.say("again", exit._tag))
      )
      const { lines, moment } = yield* history(Effect.andThen(short, orderAgain), {
        events: [
          { _tag: "Book", at: 1000, market: "BTC_USDT", levels: 0, spreadPermille: 1 },
          { _tag: "Key", at: 2000, enabled: false },
          { _tag: "Liquidation", at: 50_000, market: "BTC_PERP", lastsMillis: 8000 },
          { _tag: "Outage", at: 55_000, downMillis: 60_000 }
        ]
      })
      assert.strictEqual(moment.said.get("again")?.value, "Success")
      const last = (tag: string) => lines().findLast((line) => line.includes(tag)) ?? ""
      assert.match(last("SetCounterparty"), /"enabled":true,"spread":"0.1","levels":5/u)
      assert.include(last("SetKey"), `"enabled":true`)
      assert.match(last("MoveMark"), /"price":null/u)
    }))

  it.effect("restores the program's clock", () =>
    Effect.gen(function*() {
      const { moment } = yield* history(
        Effect.andThen(Effect.sleep("70 seconds"), Clock.currentTimeMillis).pipe(
          Effect.flatMap((now) => Explore.say("now", now - World.start))
        ),
        { events: [{ _tag: "Drift", at: 1000, millis: 9000 }] }
      )
      assert.strictEqual(moment.said.get("now")?.value, 70_000)
    }))

  it.effect("kills no program at a call", () =>
    Effect.gen(function*() {
      const { marks, refusals } = yield* history(Effect.andThen(Effect.sleep("70 seconds"), short), {
        events: [{ _tag: "KillAtCall", call: 1, downMillis: 100 }, { _tag: "KillAtCall", call: 99, downMillis: 100 }]
      })
      assert.deepEqual(refusals.map(({ why }) => why), ["the calm period has begun", "the program made fewer calls"])
      assert.deepEqual(marks.map(({ what }) => what), ["started", "ended"])
    }))
})

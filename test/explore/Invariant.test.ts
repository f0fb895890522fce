import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Decimal from "../../src/domain/Decimal.ts"
import * as LimitOrders from "../../src/endpoints/LimitOrders.ts"
import { Explore, Invariant, Scenario } from "../../src/explore/index.ts"
import * as World from "../../src/explore/World.ts"
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

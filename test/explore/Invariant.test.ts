import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Decimal from "../../src/domain/Decimal.ts"
import { ticker } from "../../src/domain/Identifiers.ts"
import * as LimitOrders from "../../src/endpoints/LimitOrders.ts"
import * as ServerTime from "../../src/endpoints/ServerTime.ts"
import * as TradeBalance from "../../src/endpoints/TradeBalance.ts"
import { Explore, Invariant, Scenario } from "../../src/explore/index.ts"
import * as Words from "../../src/explore/Words.ts"
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

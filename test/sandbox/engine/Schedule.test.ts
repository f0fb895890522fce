import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { Amount, Price } from "../../../src/domain/Decimal.ts"
import { InvestmentId, MarketName, PlanId, Ticker } from "../../../src/domain/Identifiers.ts"
import { KillSwitchSeconds } from "../../../src/domain/KillSwitch.ts"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import type { Action } from "../../../src/sandbox/engine/Command.ts"
import * as Engine from "../../../src/sandbox/engine/Engine.ts"
import type { Event } from "../../../src/sandbox/engine/Event.ts"
import * as State from "../../../src/sandbox/engine/State.ts"
import { call, canonical, Desk, fund, hash, limit, stop, text } from "../../support/engine.ts"
import { property } from "../../support/property.ts"

const start = 1_700_000_000_000_000

const day = 86_400_000_000

const btcUsdt = MarketName.make("BTC_USDT")

/** Investments and price paths, each with its start time in milliseconds. */
interface Plan {
  readonly invested: ReadonlyArray<{ readonly after: number; readonly days: number; readonly amount: number }>
  readonly played: ReadonlyArray<{
    readonly after: number
    readonly steps: ReadonlyArray<{ readonly afterMillis: number; readonly price: number }>
  }>
}

/** Times that often coincide, because many of them are whole hours or whole days. */
const millis = fc.oneof(
  fc.nat({ max: 6 }).map((n) => n * 3_600_000),
  fc.nat({ max: 2 }).map((n) => n * 86_400_000),
  fc.nat({ max: 3 * 86_400_000 })
)

const plans: fc.Arbitrary<Plan> = fc.record({
  invested: fc.array(
    fc.record({ after: millis, days: fc.integer({ min: 1, max: 4 }), amount: fc.integer({ min: 1, max: 9 }) }),
    {
      maxLength: 4
    }
  ),
  played: fc.array(
    fc.record({
      after: millis,
      steps: fc.array(fc.record({ afterMillis: millis, price: fc.integer({ min: 90, max: 110 }) }), { maxLength: 4 })
    }),
    { maxLength: 3 }
  )
})

/** Returns the commands that start the investments and price paths, sorted by time. */
const commands = ({ invested, played }: Plan): ReadonlyArray<{ readonly at: number; readonly action: Action }> =>
  [
    ...invested.flatMap(({ after, amount, days }, index) => {
      const planId = PlanId.make(`plan-${index}`)
      const at = start + after * 1000
      return [
        {
          at,
          action: {
            _tag: "OpenPlan",
            planId,
            ticker: Ticker.make("USDT"),
            dailyPercent: Amount.make("1"),
            days
          } as const
        },
        {
          at,
          action: {
            _tag: "Invest",
            account: "ann",
            planId,
            investmentId: InvestmentId.make(`investment-${index}`),
            amount: Amount.make(String(amount))
          } as const
        }
      ]
    }),
    ...played.map(({ after, steps }) => ({
      at: start + after * 1000,
      action: {
        _tag: "PlayPrices",
        market: btcUsdt,
        steps: steps.map(({ afterMillis, price }) => ({ afterMillis, price: Price.make(String(price)) }))
      } as const
    }))
  ].toSorted((a, b) => a.at - b.at)

/** Computes the expected events in order, without an engine. */
const expected = ({ invested, played }: Plan, until: number): ReadonlyArray<string> => {
  const due = [
    ...invested.flatMap(({ after, amount, days }, index) =>
      Array.from({ length: days }, (_, n) => ({
        at: start + after * 1000 + (n + 1) * day,
        rank: 0,
        what: `investment-${index} ${amount / 100}`
      }))
    ),
    ...played.toSorted((a, b) => a.after - b.after).flatMap(({ after, steps }) => {
      let at = start + after * 1000
      return steps.map(({ afterMillis, price }) => ({ at: at += afterMillis * 1000, rank: 1, what: `price ${price}` }))
    })
  ]
  return due.filter(({ at }) => at <= until).toSorted((a, b) => a.at - b.at || a.rank - b.rank).map(({ what }) => what)
}

const shown = (event: Event): ReadonlyArray<string> => {
  if (event._tag === "InterestPaid") return [`${event.investmentId} ${text(event.amount)}`]
  return event._tag === "PriceMoved" ? [`price ${text(event.price)}`] : []
}

const opened = (): State.State => {
  const state = State.make(Dialect.document.policy)
  Engine.apply(state, { at: start, action: { _tag: "OpenAccount", account: "ann", b2b: false } })
  Engine.apply(state, { at: start, action: fund("ann", "main", "USDT", "1000") })
  return state
}

describe("scheduled events", () => {
  const until = start + 20 * day

  property(
    "scheduled events happen in time order, and each happens the expected number of times",
    [plans],
    (plan) =>
      Effect.sync(() => {
        const state = opened()
        const seen: Array<string> = []
        for (const command of [...commands(plan), { at: until, action: { _tag: "Pass" } as const }]) {
          const { events, reply } = Engine.apply(state, command)
          assert.strictEqual(reply._tag, "Done")
          seen.push(...events.flatMap(shown))
        }
        // Investments that are due at the same instant may pay in any order.
        assert.deepStrictEqual(sortedWithin(seen), sortedWithin(expected(plan, until)))
        assert.strictEqual(state.priceSteps.size, 0)
        assert.strictEqual(state.investments.size, 0)
        const paid = (state.payments.get("ann") ?? []).map(({ timestamp }) => Number(timestamp))
        assert.deepStrictEqual(paid, paid.toSorted((a, b) => a - b))
        assert.deepStrictEqual(
          paid,
          plan.invested.flatMap(({ after, days }) =>
            Array.from({ length: days }, (_, n) => Math.floor((start + after * 1000 + (n + 1) * day) / 1e6))
          ).toSorted((a, b) => a - b)
        )
      })
  )

  property(
    "scheduled events are the same whether the clock jumps or advances step by step",
    [plans, fc.array(fc.nat({ max: 15 * 86_400_000 }), { maxLength: 8 })],
    (plan, cuts) =>
      Effect.sync(() => {
        const trade = (): { readonly state: State.State; readonly events: Array<string> } => {
          const desk = new Desk()
          desk.fund("ann", "trade", "100 USDT", "5 BTC").fund("ben", "trade", "1000 USDT", "5 BTC")
          desk.fund("ann", "main", "1000 USDT")
          desk.send({ _tag: "MovePrice", market: btcUsdt, price: Price.make("100") })
          for (
            const [side, at, activation] of [["buy", "104", "103"], ["sell", "96", "97"], ["buy", "99", "105"]] as const
          ) {
            desk.send(call("ben", stop("BTC_USDT", side, "1", at, activation)))
          }
          desk.send(call("ann", limit("BTC_USDT", "sell", "2", "102")))
          desk.send(call("ann", limit("BTC_USDT", "buy", "0.5", "95")))
          for (const [account, seconds] of [["ann", 600], ["ben", 60]] as const) {
            desk.send(
              call(account, { _tag: "SetKillSwitch", market: btcUsdt, seconds: KillSwitchSeconds.make(seconds) })
            )
          }
          return { state: desk.state, events: [] }
        }
        const run = (passes: ReadonlyArray<number>) => {
          const { events, state } = trade()
          const all = [
            ...commands(plan),
            ...passes.map((after) => ({ at: start + after * 1000, action: { _tag: "Pass" } as const })),
            { at: until, action: { _tag: "Pass" } as const }
          ].toSorted((a, b) => a.at - b.at)
          for (const command of all) {
            for (const event of Engine.apply(state, command).events) {
              if (event._tag !== "BalanceChanged") events.push(canonical(event))
            }
          }
          return { events, hash: hash(state) }
        }
        assert.deepStrictEqual(run(cuts), run([]))
      })
  )

  it("interest due at the same instant as a price move is paid first", () => {
    const state = opened()
    const plan: Plan = {
      invested: [{ after: 0, days: 1, amount: 1 }],
      played: [{ after: 0, steps: [{ afterMillis: 86_400_000, price: 100 }] }]
    }
    for (const command of commands(plan)) Engine.apply(state, command)
    const { events } = Engine.apply(state, { at: until, action: { _tag: "Pass" } })
    assert.deepStrictEqual(events.flatMap(shown), ["investment-0 0.01", "price 100"])
  })

  it("a stop order triggered by a price on a price path trades at the time of that price", () => {
    const desk = new Desk()
    desk.fund("ben", "trade", "1000 USDT")
    desk.send({ _tag: "MovePrice", market: btcUsdt, price: Price.make("100") })
    const { at } = desk.state
    const order = desk.place("ben", stop("BTC_USDT", "buy", "1", "110", "105"))
    const steps = [[1000, 104], [1000, 106], [1000, 90]] as const
    desk.send({
      _tag: "PlayPrices",
      market: btcUsdt,
      steps: steps.map(([afterMillis, price]) => ({ afterMillis, price: Price.make(String(price)) }))
    })
    const { events } = Engine.apply(desk.state, { at: at + day, action: { _tag: "Pass" } })
    assert.deepStrictEqual(
      events.map(({ _tag }) => _tag).filter((tag) => tag !== "BalanceChanged"),
      ["PriceMoved", "PriceMoved", "OrderActivated", "Traded", "OrderEnded", "PriceMoved"]
    )
    assert.strictEqual(order.status, "FILLED")
    const trades = desk.state.trading.get(btcUsdt)?.trades ?? []
    // The second step, two seconds after the path starts, triggers the order. The order bids above that price, so the
    // outside market sells to it.
    assert.deepStrictEqual(trades.map((trade) => trade.at - at), [4_000_000])
    assert.strictEqual(order.changedAt, at + 4_000_000)
  })
})

/** Sorts each run of consecutive payments. */
const sortedWithin = (seen: ReadonlyArray<string>): ReadonlyArray<string> => {
  const groups: Array<Array<string>> = []
  for (const what of seen) {
    const last = groups[groups.length - 1]
    if (last !== undefined && what.startsWith("investment") && last[0]?.startsWith("investment") === true)
      last.push(what)
    else groups.push([what])
  }
  return groups.flatMap((group) => group.toSorted())
}

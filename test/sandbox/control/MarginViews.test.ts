import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { document } from "../../../src/protocol/Dialect.ts"
import * as Control from "../../../src/sandbox/control/Control.ts"
import { amount, btc, btcPerp, btcUsdt, price, traders, usdt } from "../../support/trading.ts"

/** An account with 1000 USDT of collateral and a long position of 0.1 BTC at 40000 USDT. */
const carol = Effect.gen(function*() {
  const control = yield* Control.Control
  yield* control.openAccount({ account: "carol", b2b: false })
  yield* control.fund({ account: "carol", wallet: "collateral", ticker: usdt, amount: amount("1000") })
  for (const market of [btcUsdt, btcPerp]) yield* control.movePrice({ market, price: price("40000") })
  yield* control.openPosition({ account: "carol", market: btcPerp, side: "buy", amount: amount("0.1") })
  return control
})

const mark = (to: string) => Control.Control.use((control) => control.moveMark({ market: btcPerp, price: price(to) }))

const world = traders(document)

describe("the owner's view of an account's margin", () => {
  it.effect("the owner's view of an account shows its margins and margin fractions at the mark price", () =>
    Effect.gen(function*() {
      const control = yield* carol
      const expected = {
        account: "carol",
        currency: "USDT",
        leverage: 10,
        hedgeMode: false,
        equity: "1000",
        pnl: "0",
        value: "4000",
        margin: "400",
        freeMargin: "600",
        maintenanceMargin: "200",
        callMargin: "300",
        marginFraction: "0.25",
        maintenanceMarginFraction: "0.05"
      }
      const shown = yield* control.margin("carol")
      assert.deepStrictEqual<unknown>(shown, expected)
      assert.deepStrictEqual<unknown>(yield* Schema.encodeEffect(Control.AccountMargin)(shown), expected)
      // The equity of 1000 - 770 USDT is less than 1.5 times the maintenance margin, which is 5 % of 3230 USDT.
      yield* mark("32300")
      const { freeMargin, pnl, state } = yield* control.margin("carol")
      assert.deepStrictEqual<unknown>({ freeMargin, pnl, state }, {
        freeMargin: "-93",
        pnl: "-770",
        state: "margin_call"
      })
      const [position] = yield* control.positions("carol")
      assert.match(position?.id ?? "", /^[0-9]+$/u)
      assert.strictEqual(position?.state, "margin_call")
      yield* mark("40000")
      assert.notProperty(yield* control.margin("carol"), "state")
    }).pipe(Effect.provide(world)))

  it.effect("the margin view of an account without positions has no fractions, and an unknown account's equity is 0", () =>
    Effect.gen(function*() {
      const control = yield* Control.Control
      const { equity, value, ...shown } = yield* control.margin("alice")
      assert.deepStrictEqual<unknown>([equity, value], ["100000", "0"])
      assert.notProperty(shown, "marginFraction")
      assert.notProperty(shown, "maintenanceMarginFraction")
      assert.deepStrictEqual<unknown>((yield* control.margin("nobody")).equity, "0")
    }).pipe(Effect.provide(world)))
})

describe("the owner's view of an account's margin events", () => {
  it.effect("an account's funding, margin calls and liquidations are listed up to a given command, latest first, without events that a restore undid", () =>
    Effect.gen(function*() {
      const control = yield* carol
      const told = (account: string, upTo?: number) =>
        Effect.map(control.marginEvents(account, upTo), (events) => events.map(({ event }) => event._tag))
      const sequence = Effect.map(control.status, ({ sequence }) => sequence)
      yield* control.setFunding({ market: btcPerp, rate: Decimal.of("0.001"), intervalMinutes: 60 })
      yield* control.advanceClock({ millis: 3_600_000 })
      const paid = yield* control.marginEvents("carol")
      const { at } = yield* control.clock
      assert.deepStrictEqual(paid.map(({ event }) => event._tag), ["FundingPaid", "PositionChanged"])
      assert.deepStrictEqual<unknown>(paid[0]?.event, {
        _tag: "FundingPaid",
        account: "carol",
        market: "BTC_PERP",
        amount: "-4"
      })
      assert.strictEqual(paid[0]?.at, at)
      assert.deepStrictEqual<unknown>((yield* control.positions("carol"))[0]?.funding, "4")
      const before = yield* sequence
      yield* mark("32300")
      const called = yield* sequence
      yield* mark("31000")
      const story = [
        "MarginRestored",
        "PositionChanged",
        "PositionChanged",
        "LiquidationStarted",
        "MarginCalled",
        "FundingPaid",
        "PositionChanged"
      ]
      assert.deepStrictEqual(yield* told("carol"), story)
      const shown = yield* control.marginEvents("carol")
      assert.deepStrictEqual<unknown>(yield* Schema.encodeEffect(Schema.Array(Control.MarginEvent))(shown), shown)
      assert.deepStrictEqual(yield* told("carol", called), story.slice(4))
      assert.deepStrictEqual(yield* told("carol", before), story.slice(5))
      assert.deepStrictEqual(yield* told("alice"), [])

      const last = yield* sequence
      yield* control.restore(before)
      assert.deepStrictEqual(yield* told("carol"), story.slice(5))
      // As of the last command before the restore, no event has been undone.
      assert.deepStrictEqual(yield* told("carol", last), story)
    }).pipe(Effect.provide(world)))
})

describe("the owner's view of the venue's margin", () => {
  it.effect("the owner's view of the venue shows the policy, the weights and the insurance account as the owner has set them", () =>
    Effect.gen(function*() {
      const control = yield* Control.Control
      const before = yield* control.venueMargin
      assert.deepStrictEqual(before.policy, document.policy.margin)
      assert.deepStrictEqual(before.insurance, [])
      yield* control.setMargin({
        callRatio: Decimal.amount("2"),
        weights: [{ ticker: btc, weight: Decimal.of("0.5") }]
      })
      yield* control.setInsurance({ ticker: usdt, amount: Decimal.of("1234.5") })
      const shown = yield* control.venueMargin
      assert.deepStrictEqual<unknown>(shown.policy, { ...before.policy, callRatio: "2" })
      assert.deepStrictEqual<unknown>(shown.weights.find(({ ticker }) => ticker === btc)?.weight, "0.5")
      assert.deepStrictEqual<unknown>(shown.insurance, [{ ticker: "USDT", amount: "1234.5" }])
      assert.deepStrictEqual<unknown>(yield* Schema.encodeEffect(Control.VenueMargin)(shown), shown)
    }).pipe(Effect.provide(world)))

  it.effect("the owner's view of a market states which of its prices and rates the owner has set", () =>
    Effect.gen(function*() {
      const control = yield* Control.Control
      const fixed = Effect.map(
        control.markets,
        (all) => ["BTC_PERP", "BTC_USDT", "ETH_BTC"].map((name) => all.find(({ market }) => market === name)?.fixed)
      )
      yield* control.movePrice({ market: btcPerp, price: price("40000") })
      assert.deepStrictEqual(yield* fixed, [[], [], undefined])
      yield* mark("39000")
      yield* control.moveIndex({ market: btcUsdt, price: price("39500") })
      yield* control.setFunding({ market: btcPerp, rate: Decimal.of("0") })
      assert.deepStrictEqual(yield* fixed, [["mark", "fundingRate"], ["index"], undefined])
      yield* control.moveMark({ market: btcPerp, price: null })
      yield* control.setFunding({ market: btcPerp, rate: null })
      assert.deepStrictEqual((yield* fixed)[0], [])
    }).pipe(Effect.provide(world)))
})

import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { marketName } from "../../../src/domain/Identifiers.ts"
import { MarketOrders } from "../../../src/endpoints/MarketOrders.ts"
import { OrderBooks } from "../../../src/endpoints/OrderBooks.ts"
import { PublicTrades } from "../../../src/endpoints/PublicTrades.ts"
import { Tickers } from "../../../src/endpoints/Tickers.ts"
import * as Control from "../../../src/sandbox/control/Control.ts"
import { ControlClient } from "../../../src/sandbox/control/ControlClient.ts"
import * as Example from "../../../src/sandbox/Example.ts"
import * as Sandbox from "../../../src/sandbox/Sandbox.ts"
import { Venue } from "../../../src/sandbox/venue/Venue.ts"
import { worlds } from "../../support/control.ts"
import { scratchFile } from "../../support/files.ts"
import { btcUsdt, dialects, traders } from "../../support/trading.ts"

const plain = {
  market: btcUsdt,
  spread: Decimal.of("2"),
  step: Decimal.of("1"),
  levels: 2,
  amount: Decimal.amount("0.5"),
  variation: Decimal.zero
} as const

const quoting = { ...plain, enabled: true, refill: true, credit: true, seed: 0 }

describe.each(worlds)("the owner's view of the counterparty (%s)", (_name, _dialect, world) => {
  it.effect("the owner sets and reads the counterparty's settings, and the list of accounts omits the counterparty", () =>
    Effect.gen(function*() {
      const control = yield* ControlClient
      assert.deepStrictEqual(yield* control.counterparty(), { account: "counterparty", credited: [], markets: [] })
      yield* control.setCounterparty({ payload: plain })
      yield* control.movePrice({ payload: { market: btcUsdt, price: Decimal.price("1000") } })
      const shown = yield* control.counterparty()
      assert.deepStrictEqual(shown.markets, [{ ...quoting, price: Decimal.of("1000") }])
      assert.deepStrictEqual(
        shown.credited.map(({ amount, ticker }) => `${amount} ${ticker}`),
        ["985 USDT", "1 BTC"]
      )
      const held = yield* control.balances({ query: { account: shown.account } })
      assert.deepStrictEqual(held.map(({ locked, ticker }) => `${locked} ${ticker}`), ["1 BTC", "985 USDT"])
      const orders = yield* control.openOrders({ query: { account: shown.account } })
      assert.deepStrictEqual(orders.map(({ price }) => String(price)), ["990", "980", "1010", "1020"])
      assert.notInclude((yield* control.accounts()).map(({ account }) => account), shown.account)
      const refused = yield* Effect.flip(control.setCounterparty({ payload: { market: btcUsdt, levels: 51 } }))
      assert.deepInclude(refused, { _tag: "ControlRefused", fields: { levels: "max" } })
    }).pipe(Effect.provide(world)))
})

describe.each(dialects)("callers and the counterparty, in the $name dialect", (dialect) => {
  it.effect("callers trade with the counterparty as with any other account", () =>
    Effect.gen(function*() {
      const control = yield* Control.Control
      yield* control.movePrice({ market: btcUsdt, price: Decimal.price("1000") })
      yield* control.setCounterparty(plain)
      const order = yield* (yield* MarketOrders).create({
        market: btcUsdt,
        side: "sell",
        amount: Decimal.amount("0.6")
      })
      assert.deepInclude(order, { status: "FILLED", dealMoney: Decimal.of("593") })
      const { asks, bids } = yield* (yield* OrderBooks).get(btcUsdt)
      const level = ({ amount, price }: { readonly amount: string; readonly price: string }) => `${amount} @ ${price}`
      assert.deepStrictEqual([bids.map(level), asks.map(level)], [["0.5 @ 990", "0.5 @ 980"], [
        "0.5 @ 1010",
        "0.5 @ 1020"
      ]])
      const trades = yield* (yield* PublicTrades).list(btcUsdt)
      assert.deepStrictEqual(trades.map(({ amount, price, side }) => `${side} ${amount} @ ${price}`), [
        "sell 0.1 @ 980",
        "sell 0.5 @ 990"
      ])
      const ticker = (yield* (yield* Tickers).all).get(btcUsdt)
      assert.deepInclude(ticker, { lastPrice: Decimal.of("980"), baseVolume: Decimal.of("0.6") })
      assert.deepStrictEqual((yield* control.depth(btcUsdt)).bids.map(level), bids.map(level))
      const candles = yield* control.candles(btcUsdt, 86_400)
      assert.deepInclude(candles.at(-1), { close: Decimal.of("980"), volume: Decimal.of("0.6") })
      const fills = yield* control.fills("counterparty")
      assert.deepStrictEqual(fills.map(({ role }) => role), ["maker", "maker"])
    }).pipe(Effect.provide(traders(dialect))))
})

describe("a sandbox that starts with a counterparty", () => {
  const layer = Layer.fresh(
    Layer.provideMerge(Layer.effectDiscard(Example.setUp), Sandbox.layer({ counterparty: [Example.counterparty] }))
  )

  const best = (control: Control.Control["Service"]) =>
    Effect.map(control.depth(btcUsdt), ({ asks, bids }) => [bids[0], asks[0]])

  it.effect("a counterparty set by the options survives a reset, a restore and a fork, with the same quotes", () =>
    Effect.gen(function*() {
      const control = yield* Control.Control
      const before = yield* best(control)
      assert.isDefined(before[0])
      const sequence = yield* control.snapshot
      yield* control.movePrice({ market: btcUsdt, price: Decimal.price("50000") })
      const moved = yield* best(control)
      assert.notDeepEqual(moved, before)
      const forked = Control.make(yield* control.fork())
      assert.deepStrictEqual(yield* best(forked), moved)
      yield* forked.movePrice({ market: btcUsdt, price: Decimal.price("60000") })
      yield* control.movePrice({ market: btcUsdt, price: Decimal.price("60000") })
      assert.deepStrictEqual(yield* best(forked), yield* best(control))
      yield* control.restore(sequence)
      assert.deepStrictEqual(yield* best(control), before)
      yield* control.reset
      assert.deepStrictEqual(yield* best(control), [undefined, undefined])
      yield* control.movePrice({ market: btcUsdt, price: Decimal.price("40000") })
      assert.deepStrictEqual(yield* best(control), before)
    }).pipe(Effect.scoped, Effect.provide(layer)))

  it.live("a resumed venue does not set its counterparty again", () =>
    Effect.gen(function*() {
      const file = yield* scratchFile
      const sequence = Effect.map(Venue, (venue) => venue.sequence())
      const sequenceWith = (levels: number) =>
        Effect.provide(sequence, Layer.fresh(Sandbox.layer({ file, counterparty: [{ market: btcUsdt, levels }] })))
      assert.deepStrictEqual([yield* sequenceWith(3), yield* sequenceWith(4)], [2, 2])
    }).pipe(Effect.scoped))

  it.effect("invalid counterparty options cause a defect", () =>
    Effect.gen(function*() {
      const exit = yield* Effect.exit(
        Layer.build(Layer.fresh(Sandbox.layer({ counterparty: [{ market: marketName("NO_SUCH") }] })))
      )
      assert.include(String(exit), "market must be one of ")
    }).pipe(Effect.scoped))
})

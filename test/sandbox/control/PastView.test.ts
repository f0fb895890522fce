import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { document } from "../../../src/protocol/Dialect.ts"
import * as Control from "../../../src/sandbox/control/Control.ts"
import type { Past, PastOptions } from "../../../src/sandbox/control/PastView.ts"
import { amount, btc, btcUsdt, limit, price, traders } from "../../support/trading.ts"

const of = { market: btcUsdt, seconds: 60, account: "alice" } as const

/** Reads the current state in the form in which earlier states are shown. */
const present = Effect.gen(function*() {
  const control = yield* Control.Control
  const { account, market, seconds } = of
  return {
    at: (yield* control.clock).at,
    markets: yield* control.markets,
    depth: yield* control.depth(market),
    candles: yield* control.candles(market, seconds),
    openOrders: yield* control.openOrders(account),
    countOfOpenOrders: yield* control.countOfOpenOrders(account),
    endedOrders: yield* control.endedOrders(account),
    fills: yield* control.fills(account),
    positions: yield* control.positions(account),
    balances: yield* control.balances(account),
    margin: yield* control.margin(account)
  } satisfies Past
})

describe("earlier states", () => {
  it.effect("earlier states are shown as they were, in any order and across restores, and showing them changes nothing", () =>
    Effect.gen(function*() {
      const control = yield* Control.Control
      const known = new Map<number, Past>()
      const keep = Effect.gen(function*() {
        known.set((yield* control.status).sequence, yield* present)
      })
      const steps = [
        control.movePrice({ market: btcUsdt, price: price("40000") }),
        limit("buy", "0.01", "39000"),
        control.fund({ account: "alice", wallet: "main", ticker: btc, amount: amount("1") }),
        control.movePrice({ market: btcUsdt, price: price("38900") }),
        Effect.suspend(() => control.restore([...known.keys()][1] ?? 0)),
        limit("sell", "0.02", "41000"),
        control.movePrice({ market: btcUsdt, price: price("41500") })
      ]
      for (const step of steps) {
        yield* step
        yield* keep
      }
      const { digest, sequence } = yield* control.status
      const saved = yield* control.saved
      const all = [...known.keys()]
      for (const at of [...all.toReversed(), ...all, ...all.filter((_, index) => index % 2 === 0)]) {
        const options: PastOptions = { sequence: at, ...of }
        assert.deepStrictEqual(yield* control.past(options), known.get(at), `after command ${at}`)
      }
      assert.deepStrictEqual((yield* control.past({ sequence: 0, ...of })).balances, [])
      assert.strictEqual((yield* control.status).digest, digest)
      assert.deepStrictEqual(yield* control.saved, saved)
      const refused = yield* Effect.flip(control.past({ sequence: sequence + 1, ...of }))
      assert.deepInclude(refused, { _tag: "ControlRefused", fields: { sequence: "known" } })
    }).pipe(Effect.provide(traders(document))))
})

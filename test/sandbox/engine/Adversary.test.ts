/**
 * Searches for money made from nothing: colluding accounts that own everything on the exchange try to end up with more
 * than was deposited. They trade with each other at any price, on margin and futures markets, change leverage and mode,
 * and pass through liquidations, deleveraging and funding, while the mark price jumps. No outsider takes part, so their
 * combined balances and profits plus the exchange's earnings, minus their debts, never exceed their deposits.
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { Price } from "../../../src/domain/Decimal.ts"
import { marketName } from "../../../src/domain/Identifiers.ts"
import type { Action } from "../../../src/sandbox/engine/Command.ts"
import * as Ledger from "../../../src/sandbox/engine/Ledger.ts"
import * as Margins from "../../../src/sandbox/engine/Margins.ts"
import * as Saved from "../../../src/sandbox/engine/Saved.ts"
import * as Units from "../../../src/sandbox/engine/Units.ts"
import { type Account, accounts, call, Desk, limit, transfer, units } from "../../support/engine.ts"
import { property } from "../../support/property.ts"

const usdt = "USDT" as never

/** A step that the colluding accounts take. */
interface Step {
  readonly verb: "trade" | "crash" | "leverage" | "mode" | "withdraw" | "wait" | "funding"
  readonly account: Account
  readonly other: Account
  readonly isBuy: boolean
  readonly isPerpetual: boolean
  readonly price: number
  readonly lots: number
}

const step: fc.Arbitrary<Step> = fc.record({
  verb: fc.constantFrom(
    "trade",
    "trade",
    "trade",
    "trade",
    "crash",
    "crash",
    "leverage",
    "mode",
    "withdraw",
    "wait",
    "funding"
  ),
  account: fc.constantFrom(...accounts),
  other: fc.constantFrom(...accounts),
  isBuy: fc.boolean(),
  isPerpetual: fc.boolean(),
  price: fc.constantFrom(20, 60, 80, 95, 100, 105, 120, 200),
  lots: fc.integer({ min: 1, max: 60 })
})

const sideOf = (isBuy: boolean) => isBuy ? "buy" as const : "sell" as const

const actionsOf = (desk: Desk, drawn: Step): ReadonlyArray<Action> => {
  const { account, isBuy, isPerpetual, lots, other, price, verb } = drawn
  const market = isPerpetual ? "BTC_PERP" : "BTC_USDT"
  const sided = (name: Account) =>
    desk.state.accounts.get(name)?.hedgeMode === true
      ? { positionSide: lots % 2 === 0 ? "LONG" as const : "SHORT" as const }
      : {}
  switch (verb) {
    case "trade":
      return [[account, isBuy], [other, !isBuy]].map(([name, buys]) =>
        call(
          name as Account,
          limit(market, sideOf(buys as boolean), lots.toString(), price.toString(), {
            collateral: true,
            ...sided(name as Account)
          })
        )
      )
    case "crash":
      return [{ _tag: "MoveMark", market: marketName(market as "BTC_PERP"), price: Price.make(price.toString()) }]
    case "leverage":
      return [call(account, { _tag: "SetLeverage", leverage: ([1, 5, 20, 100] as const)[lots % 4] ?? 1 })]
    case "mode":
      return [call(account, { _tag: "SetHedgeMode", hedgeMode: isBuy })]
    case "withdraw": {
      const most = Margins.available(desk.state, account, usdt)
      return most <= 0n ? [] : [call(account, transfer("collateral", "main", "USDT", Units.toDecimal(most)))]
    }
    case "wait":
      desk.advance(86_400_000_000)
      return [{ _tag: "Pass" }]
    case "funding":
      return [{
        _tag: "SetFunding",
        market: marketName("BTC_PERP"),
        rate: Units.toDecimal(isBuy ? units("0.01") : units("-0.01"))
      }]
  }
}

const begin = (): Desk => {
  const desk = new Desk()
  for (const account of accounts) desk.fund(account, "collateral", "1000 USDT")
  // Liquidations trade only with the colluding accounts, never with the outside market.
  desk.send({ _tag: "SetMargin", liquidity: "book" })
  return desk
}

/** Returns the balances of all accounts, plus their profits and the exchange's earnings, minus their debts. */
const owned = ({ state }: Desk): Units.Units => {
  let sum = Ledger.balance(state.ledger, "house", usdt) + Ledger.balance(state.ledger, "funding", usdt)
  for (const account of accounts) {
    sum += Ledger.balance(state.ledger, Ledger.free(account, "main"), usdt)
    sum += Ledger.balance(state.ledger, Ledger.free(account, "collateral"), usdt)
    sum -= Ledger.debt(state.ledger, account, usdt)
    for (const position of state.positionsOf.get(account) ?? []) sum += Margins.pnlOf(state, position)
  }
  return sum
}

const carryOut = (desk: Desk, drawn: Step): void => {
  for (const action of actionsOf(desk, drawn)) desk.send(action)
}

const deposited = units("4000")

property(
  "colluding accounts can't make money from nothing, whatever steps they take",
  [fc.array(step, { minLength: 20, maxLength: 120, size: "max" })],
  (steps) =>
    Effect.sync(() => {
      const desk = begin()
      for (const drawn of steps) {
        carryOut(desk, drawn)
        assert.isTrue(owned(desk) <= deposited, Units.toDecimal(owned(desk)))
      }
    }),
  { runs: 2000, short: 40, timeout: 600_000 }
)

/** Copies an exchange, so that a step can be tried on the copy. */
const copyOf = (desk: Desk): Desk => {
  const copy = begin()
  copy.state = Saved.load(structuredClone(Saved.save(desk.state)), desk.state.policy)
  copy.advance(desk.state.at - copy.state.at + 1_000_000_000_000)
  return copy
}

property(
  "colluding accounts that always choose the most profitable step can't make money from nothing",
  [fc.array(fc.array(step, { minLength: 4, maxLength: 4 }), { minLength: 5, maxLength: 25, size: "max" })],
  (choices) =>
    Effect.sync(() => {
      let desk = begin()
      for (const choice of choices) {
        const tried = choice.map((drawn) => {
          const copy = copyOf(desk)
          carryOut(copy, drawn)
          return copy
        })
        const [first = desk] = tried
        desk = tried.reduce((best, copy) => owned(copy) > owned(best) ? copy : best, first)
        assert.isTrue(owned(desk) <= deposited, Units.toDecimal(owned(desk)))
      }
    }),
  { runs: 200, short: 3, timeout: 600_000 }
)

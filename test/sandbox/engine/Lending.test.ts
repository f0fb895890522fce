import { assert, describe, it } from "@effect/vitest"
import { Amount } from "../../../src/domain/Decimal.ts"
import { InvestmentId, PlanId, ticker } from "../../../src/domain/Identifiers.ts"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import type { Action } from "../../../src/sandbox/engine/Command.ts"
import * as Engine from "../../../src/sandbox/engine/Engine.ts"
import * as Ledger from "../../../src/sandbox/engine/Ledger.ts"
import * as Saved from "../../../src/sandbox/engine/Saved.ts"
import * as State from "../../../src/sandbox/engine/State.ts"
import * as Units from "../../../src/sandbox/engine/Units.ts"

const day = 86_400_000_000
const usdt = ticker("USDT")
const planId = PlanId.make("plan")

const opening: ReadonlyArray<Action> = [
  { _tag: "OpenAccount", account: "ann", b2b: true },
  { _tag: "Fund", account: "ann", wallet: "main", ticker: usdt, amount: Amount.make("1000") },
  { _tag: "OpenPlan", planId, ticker: usdt, dailyPercent: Amount.make("0.5"), days: 3 },
  { _tag: "Invest", account: "ann", planId, investmentId: InvestmentId.make("first"), amount: Amount.make("600") }
]

const begin = () => {
  const state = State.make(Dialect.document.policy)
  for (const action of opening) assert.strictEqual(Engine.apply(state, { at: 0, action }).reply._tag, "Done")
  return state
}

/** Applies everything that is due by `at`, and then a command. */
const until = (state: State.State, at: number) =>
  Engine.apply(state, { at, action: { _tag: "OpenAccount", account: `at ${at}`, b2b: false } })

const free = (state: State.State) =>
  Units.toDecimal(Ledger.balance(state.ledger, { account: "ann", wallet: "main", locked: false }, usdt))

const paid = (state: State.State) =>
  (state.payments.get("ann") ?? []).map(({ amount, timestamp }) => `${amount} at ${timestamp}`)

describe("fixed-term investments", () => {
  it("an investment debits the main wallet, and pays nothing before a day has passed", () => {
    const state = begin()
    until(state, day - 1)
    assert.deepStrictEqual([free(state), paid(state)], ["400", []] as const)
  })

  it("an investment pays every day at the time of day when it was made, however late the next command arrives", () => {
    const state = begin()
    until(state, 2 * day + 5)
    assert.deepStrictEqual(paid(state), ["3 at 86400", "3 at 172800"])
    assert.strictEqual<string>(free(state), "406")
  })

  it("an investment is returned at the end of its term, and pays nothing afterwards", () => {
    const state = begin()
    until(state, 10 * day)
    assert.strictEqual(paid(state).length, 3)
    assert.strictEqual<string>(free(state), "1009")
    for (const [asset, total] of Ledger.totals(state.ledger)) assert.strictEqual(total, 0n, asset)
  })

  it("interest is the same whether time advances in one step or in many", () => {
    const [once, often] = [begin(), begin()]
    for (let at = 0; at <= 4 * day; at += day / 3)
      Engine.apply(often, { at, action: { _tag: "SetKey", apiKey: "no" as never, enabled: true } })
    Engine.apply(once, { at: 4 * day, action: { _tag: "SetKey", apiKey: "no" as never, enabled: true } })
    assert.deepStrictEqual(Saved.save(once), Saved.save(often))
  })

  it("a plan with a target currency pays interest in that currency, at the plan's ratio", () => {
    const state = begin()
    const apply = (action: object) => Engine.apply(state, { at: 0, action: action as Action }).reply
    const btc = ticker("BTC")
    assert.strictEqual(
      apply({ ...opening[2], planId: "abroad", interestTicker: btc, interestRatio: "40000" })._tag,
      "Done"
    )
    assert.strictEqual(apply({ ...opening[3], planId: "abroad", investmentId: "second", amount: "400" })._tag, "Done")
    until(state, day)
    const [own, abroad] = state.payments.get("ann") ?? []
    assert.deepStrictEqual([own?.ticker, own?.amount], [usdt, "3"] as unknown)
    // Half a percent of 400 USDT, at 40000 USDT per BTC.
    assert.deepStrictEqual([abroad?.ticker, abroad?.amount], [btc, "0.00005"] as unknown)
    until(state, 3 * day)
    assert.strictEqual<string>(free(state), "1009", "the invested amount is returned unchanged")
    for (const [asset, total] of Ledger.totals(state.ledger)) assert.strictEqual(total, 0n, asset)
    // Interest that the owner pays on a plan is also in the plan's target currency.
    const pay = { _tag: "PayInterest", account: "ann", planId: "abroad", investmentId: "second", amount: "1" }
    assert.deepInclude(apply({ ...pay, ticker: usdt }), { violations: [["ticker", { kind: "oneOf", values: [btc] }]] })
    assert.strictEqual(apply({ ...pay, ticker: btc })._tag, "Done")
  })

  it("an investment is refused if the balance is too small, the plan is unknown, or the identifier was used before", () => {
    const state = begin()
    const invest = (over: object) =>
      Engine.apply(state, { at: 0, action: { ...opening[3], ...over } as Action }).reply._tag
    assert.strictEqual(invest({ investmentId: "second", amount: "400.01" }), "Refused")
    assert.strictEqual(invest({ investmentId: "second", planId: "no such" }), "Invalid")
    assert.strictEqual(invest({ amount: "1" }), "Invalid")
  })
})

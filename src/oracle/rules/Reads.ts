/**
 * Fees, the main balance and the server's status (document, Endpoints 5, 7 and 8).
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Fields from "../world/Fields.ts"
import * as Kinds from "../world/Kinds.ts"
import * as Paths from "../world/Paths.ts"
import type { World } from "../world/World.ts"

// -----------------------------------------------------------------------------
// Fees
// -----------------------------------------------------------------------------

const feeClause = "Fee entry (one per currency)"

const fees = Effect.fnUntraced(function*(world: World): Effect.fn.Return<Fields.Sample, Verdict.CheckError> {
  const answer = yield* world.call(yield* world.reader, Paths.fees)
  yield* Verdict.expect(answer, "HTTP 200 with an array", answer.status === 200 && Array.isArray(answer.json))
  return { answer, objects: Array.isArray(answer.json) ? answer.json : [] }
})

const bounds = ["minFlex", "maxFlex", "percentFlex", "fixed", "minAmount", "maxAmount"] as const

const direction = (key: "deposit" | "withdraw"): Fields.Table => ({
  id: `fees.entry.${key}`,
  clause: feeClause,
  profile: "read-only",
  within: `${key} of a fee entry`,
  sample: (world) => Effect.map(fees(world), (sample) => Fields.part(sample, key)),
  rows: bounds.map((bound) => ({ key: bound, kind: Kinds.decimal, meaning: "a fee or a limit" }))
})

const feeRules: ReadonlyArray<Rule.Rule> = [
  Rule.always({
    id: "fees.response",
    statement: "The answer is an array of fee entries",
    clause: "Endpoints §5",
    profile: "read-only",
    check: fees
  }),
  ...Fields.rules({
    id: "fees.entry",
    clause: feeClause,
    profile: "read-only",
    within: "a fee entry",
    sample: fees,
    rows: [
      { key: "ticker", kind: Kinds.ticker, meaning: "the currency" },
      { key: "name", kind: Kinds.text, meaning: "the currency's name" },
      { key: "can_deposit", kind: Kinds.boolean, meaning: "whether it can be deposited" },
      { key: "can_withdraw", kind: Kinds.boolean, meaning: "whether it can be withdrawn" },
      { key: "deposit", kind: Kinds.object, meaning: "fees and limits of deposits" },
      { key: "withdraw", kind: Kinds.object, meaning: "fees and limits of withdrawals" }
    ]
  }),
  ...Fields.rules(direction("deposit")),
  ...Fields.rules(direction("withdraw")),
  Rule.always({
    id: "fees.one-per-currency",
    statement: "There is one entry for each currency",
    clause: feeClause,
    profile: "read-only",
    check: (world) =>
      Effect.gen(function*() {
        const { answer, objects } = yield* fees(world)
        const tickers = objects.map((entry) => Json.isObject(entry) ? String(entry["ticker"]) : "")
        const twice = tickers.filter((ticker, index) => tickers.indexOf(ticker) !== index)
        yield* Verdict.conclude("each ticker once", `twice: ${twice.join(", ")}`, twice.length === 0, answer)
      })
  })
]

// -----------------------------------------------------------------------------
// Main balance
// -----------------------------------------------------------------------------

const balanceClause = "Main balance entry"

const balances = Effect.fnUntraced(function*(world: World): Effect.fn.Return<Fields.Sample, Verdict.CheckError> {
  const answer = yield* world.call(yield* world.reader, Paths.mainBalance)
  const { json } = answer
  yield* Verdict.expect(answer, "HTTP 200 with a JSON object", answer.status === 200 && Json.isObject(json))
  return { answer, objects: Json.isObject(json) ? Object.values(json) : [] }
})

const mainBalanceOf = (json: unknown, ticker: string): string | undefined => {
  const entry = Json.isObject(json) ? json[ticker] : undefined
  return Json.isObject(entry) ? String(entry["main_balance"]) : undefined
}

const balanceRules: ReadonlyArray<Rule.Rule> = [
  Rule.always({
    id: "balance.response",
    statement: "The answer is an object keyed by the assets' tickers",
    clause: "Endpoints §7",
    profile: "read-only",
    check: (world) =>
      Effect.gen(function*() {
        const { answer } = yield* balances(world)
        const keys = Json.isObject(answer.json) ? Object.keys(answer.json) : []
        const odd = keys.filter((key) => !Kinds.ticker.holds(key))
        yield* Verdict.conclude("keys that are tickers", odd, odd.length === 0, answer)
      })
  }),
  ...Fields.rules({
    id: "balance.entry",
    clause: balanceClause,
    profile: "read-only",
    within: "an asset's balance",
    sample: balances,
    rows: [{ key: "main_balance", kind: Kinds.decimal, meaning: "the balance in the main wallet" }]
  }),
  Rule.forAll({
    id: "balance.omitted",
    statement: "Assets that are not listed have a zero balance: an asset is listed once it is credited",
    clause: balanceClause,
    values: fc.tuple(fc.constantFrom("BTC", "ETH", "USDT"), fc.integer({ min: 1, max: 1e9 })),
    check: (world, [ticker, units]) =>
      Effect.gen(function*() {
        const account = yield* world.open({ isFunded: false })
        const before = yield* world.call(account, Paths.mainBalance)
        const nothing = mainBalanceOf(before.json, ticker) ?? "0"
        yield* Verdict.conclude(`no ${ticker}, or zero of it`, nothing, Number(nothing) === 0, before)
        const amount = (units / 1e6).toFixed(6)
        yield* world.control("Fund", { account: account.id, wallet: "main", ticker, amount })
        const answer = yield* world.call(account, Paths.mainBalance)
        const told = mainBalanceOf(answer.json, ticker)
        yield* Verdict.expect(answer, `${amount} ${ticker}`, Number(told) === Number(amount))
      })
  })
]

// -----------------------------------------------------------------------------
// Status
// -----------------------------------------------------------------------------

const statusRules: ReadonlyArray<Rule.Rule> = [
  Rule.always({
    id: "ping.response",
    statement: "The answer is an array of the single string pong",
    clause: "Endpoints §8",
    profile: "read-only",
    check: (world) =>
      Effect.flatMap(world.get(Paths.ping), (answer) =>
        Verdict.expect(
          answer,
          `HTTP 200 with ["pong"]`,
          answer.status === 200 && JSON.stringify(answer.json) === `["pong"]`
        ))
  })
]

// -----------------------------------------------------------------------------
// Markets
// -----------------------------------------------------------------------------

const digits: Kinds.Kind = {
  name: "a count of digits in a string",
  holds: (text) => /^[0-9]{1,2}$/u.test(String(text)) && typeof text === "string"
}

/** What the document takes from the markets' own endpoint, whose answer it does not describe further. */
const marketRules = Fields.rules({
  id: "markets.entry",
  clause: "Endpoints §3",
  profile: "read-only",
  within: "a market",
  sample: (world) =>
    Effect.flatMap(world.get(Paths.markets), (answer) =>
      answer.status === 200 && Array.isArray(answer.json)
        ? Effect.succeed({ answer, objects: answer.json })
        : Effect.fail(
          new Verdict.Broken({ expected: "HTTP 200 with an array", got: Verdict.describe(answer), answer })
        )),
  rows: [
    { key: "name", kind: Kinds.market, meaning: "the market" },
    { key: "stockPrec", kind: digits, meaning: "the precision of amounts" },
    { key: "moneyPrec", kind: digits, meaning: "the precision of prices" },
    { key: "minAmount", kind: Kinds.decimal, meaning: "the least amount" },
    { key: "minTotal", kind: Kinds.decimal, meaning: "the least amount times price" },
    { key: "maxTotal", kind: Kinds.decimal, meaning: "the greatest amount times price, zero for none" }
  ]
})

export const rules: ReadonlyArray<Rule.Rule> = [...feeRules, ...balanceRules, ...statusRules, ...marketRules]

/** Rules about the main balance (document, "Main balance entry" and Endpoints §7). */
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as FieldRules from "../world/FieldRules.ts"
import * as Kinds from "../world/Kinds.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import type { World } from "../world/World.ts"

const clause = "Main balance entry"

const balances = Effect.fnUntraced(function*(world: World): Effect.fn.Return<FieldRules.Sample, Verdict.CheckError> {
  const answer = yield* world.call(yield* world.reader, Paths.mainBalance)
  const { json } = answer
  yield* Verdict.expect(answer, "HTTP 200 with a JSON object", Refusals.isSuccess(answer) && Json.isObject(json))
  return { answer, objects: Json.isObject(json) ? Object.values(json) : [] }
})

const mainBalanceOf = (json: unknown, ticker: string): string | undefined => {
  const entry = Json.isObject(json) ? json[ticker] : undefined
  return Json.isObject(entry) ? String(entry["main_balance"]) : undefined
}

export const rules: ReadonlyArray<Rule.Rule> = [
  Rule.always({
    id: "balance.response",
    statement: "Returns an object keyed by asset ticker",
    clause: "Endpoints §7",
    profile: "read-only",
    check: Effect.fnUntraced(function*(world) {
      const { answer } = yield* balances(world)
      const keys = Json.isObject(answer.json) ? Object.keys(answer.json) : []
      const odd = keys.filter((key) => !Kinds.ticker.holds(key))
      yield* Verdict.conclude("keys that are tickers", odd, odd.length === 0, answer)
    })
  }),
  ...FieldRules.rules({
    id: "balance.entry",
    clause,
    profile: "read-only",
    within: "an asset's balance",
    sample: balances,
    rows: [{ key: "main_balance", kind: Kinds.decimal, meaning: "the balance in the main wallet" }]
  }),
  Rule.forAll({
    id: "balance.omitted",
    statement: "Lists an asset as soon as it is credited; unlisted assets have a zero balance",
    clause,
    values: fc.tuple(fc.constantFrom("BTC", "ETH", "USDT"), fc.integer({ min: 1, max: 1e9 })),
    check: Effect.fnUntraced(function*(world, [ticker, units]) {
      const account = yield* world.open({ isFunded: false })
      const before = yield* world.call(account, Paths.mainBalance)
      const nothing = mainBalanceOf(before.json, ticker) ?? "0"
      yield* Verdict.conclude(`no ${ticker}, or a zero balance`, nothing, Number(nothing) === 0, before)
      const amount = (units / 1e6).toFixed(6)
      yield* world.control("Fund", { account: account.id, wallet: "main", ticker, amount })
      const answer = yield* world.call(account, Paths.mainBalance)
      const shown = mainBalanceOf(answer.json, ticker)
      yield* Verdict.expect(answer, `${amount} ${ticker}`, Number(shown) === Number(amount))
    })
  }),
  Rule.always({
    id: "balance.wallets",
    statement: "Shows each asset's balance in the main wallet, not including the trade and collateral wallets",
    clause,
    check: Effect.fnUntraced(function*(world) {
      const account = yield* world.open({ isFunded: false })
      const funds = [
        ["main", "USDT", "11"],
        ["trade", "USDT", "20"],
        ["collateral", "USDT", "40"],
        ["main", "BTC", "0.3"],
        ["trade", "BTC", "0.5"],
        ["trade", "ETH", "7"]
      ] as const
      for (const [wallet, ticker, amount] of funds) {
        yield* world.control("Fund", { account: account.id, wallet, ticker, amount })
      }
      const answer = yield* world.call(account, Paths.mainBalance)
      const shown = (ticker: string) => Number(mainBalanceOf(answer.json, ticker) ?? "0")
      yield* Verdict.expect(
        answer,
        "11 USDT, 0.3 BTC and nothing else",
        shown("USDT") === 11 && shown("BTC") === 0.3 &&
          Object.keys(Json.isObject(answer.json) ? answer.json : {})
            .every((ticker) => ticker === "USDT" || ticker === "BTC" || shown(ticker) === 0)
      )
    })
  })
]

/** Rules about fees (document, "Fee entry (one per currency)" and Endpoints §5). */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as FieldRules from "../world/FieldRules.ts"
import * as Kinds from "../world/Kinds.ts"
import * as Paths from "../world/Paths.ts"
import * as Section from "../world/Section.ts"
import type { Body, World } from "../world/World.ts"

const clause = "Fee entry (one per currency)"

const section = Section.of({ clause, profile: "read-only" })

const fees = Effect.fnUntraced(function*(world: World): Effect.fn.Return<FieldRules.Sample, Verdict.CheckError> {
  const answer = yield* world.call(yield* world.reader, Paths.fees)
  yield* Verdict.expect(answer, "HTTP 200 with an array", answer.status === 200 && Array.isArray(answer.json))
  return { answer, objects: Array.isArray(answer.json) ? answer.json : [] }
})

/** Returns an account for reads. In a sandbox, the account holds every currency that is traded. */
const rich = Effect.fnUntraced(function*(world: World) {
  if (world.profile !== "control") return yield* world.reader
  const account = yield* world.open({ isFunded: false })
  const { json } = yield* world.get(Paths.markets)
  const listed = Array.isArray(json) ? json.filter(Json.isObject) : []
  for (const ticker of new Set(listed.flatMap(({ money, stock }) => [String(stock), String(money)]))) {
    yield* world.control("Fund", { account: account.id, wallet: "main", ticker, amount: "1" })
  }
  return account
})

const bounds = ["minFlex", "maxFlex", "percentFlex", "fixed", "minAmount", "maxAmount"] as const

const direction = (key: "deposit" | "withdraw"): FieldRules.Table => ({
  id: `fees.entry.${key}`,
  clause,
  profile: "read-only",
  within: `a fee entry's ${key}`,
  sample: (world) => Effect.map(fees(world), (sample) => FieldRules.part(sample, key)),
  rows: bounds.map((bound) => ({ key: bound, kind: Kinds.decimal, meaning: "a fee or a limit" }))
})

/** The currency whose settings a rule changes. */
const changed = "ETH"

/** Returns the terms of deposits or of withdrawals. No two values are equal. */
const termsOf = (first: number): Body =>
  Object.fromEntries(bounds.map((bound, index) => [bound, String((first + index) / 8)]))

/** The maximum number of currencies whose settings a rule changes. */
const maxCurrencies = 20

/** Returns the fee entry of the currency whose settings a rule changes. */
const changedEntry = Effect.fnUntraced(function*(world: World) {
  const { answer, objects } = yield* fees(world)
  const entry = objects.find((one) => Json.isObject(one) && one["ticker"] === changed)
  yield* Verdict.expect(answer, `an entry of ${changed}`, Json.isObject(entry))
  return { answer, entry: Json.isObject(entry) ? entry : {} }
})

const set = (world: World, { can_deposit, can_withdraw, deposit, ticker, withdraw }: Body) =>
  world.control("SetCurrency", {
    ticker,
    canDeposit: can_deposit,
    canWithdraw: can_withdraw,
    deposit,
    withdraw
  })

const isSame = (value: unknown, expected: unknown): boolean =>
  Json.isObject(expected)
    ? Json.isObject(value) && Object.entries(expected).every(([key, inner]) => isSame(value[key], inner))
    : typeof expected === "string"
    ? typeof value === "string" && Number(value) === Number(expected)
    : value === expected

export const rules: ReadonlyArray<Rule.Rule> = [
  Rule.always({
    id: "fees.response",
    statement: "Returns an array of fee entries",
    clause: "Endpoints §5",
    profile: "read-only",
    check: fees
  }),
  ...FieldRules.rules({
    id: "fees.entry",
    clause,
    profile: "read-only",
    within: "a fee entry",
    sample: fees,
    rows: [
      { key: "ticker", kind: Kinds.ticker, meaning: "the currency" },
      { key: "name", kind: Kinds.text, meaning: "the currency's name" },
      { key: "can_deposit", kind: Kinds.boolean, meaning: "whether deposits are possible" },
      { key: "can_withdraw", kind: Kinds.boolean, meaning: "whether withdrawals are possible" },
      { key: "deposit", kind: Kinds.object, meaning: "fees and limits of deposits" },
      { key: "withdraw", kind: Kinds.object, meaning: "fees and limits of withdrawals" }
    ]
  }),
  ...FieldRules.rules(direction("deposit")),
  ...FieldRules.rules(direction("withdraw")),
  section.always("fees.complete", {
    statement: "Lists a fee entry for every currency in the main balance",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* rich(world)
      const { json } = yield* world.call(account, Paths.mainBalance)
      const held = Json.isObject(json) ? Object.keys(json) : []
      if (held.length === 0) return yield* Verdict.skip("the account has no main balance")
      const { answer, objects } = yield* fees(world)
      const known = new Set(objects.map((entry) => Json.isObject(entry) ? entry["ticker"] : undefined))
      const without = held.filter((ticker) => !known.has(ticker))
      yield* Verdict.conclude(
        `entries for ${held.join(", ")}`,
        `no entry for ${without.join(", ")}`,
        without.length === 0,
        answer
      )
    })
  }),
  section.forEach("fees.values", {
    statement: "Shows each setting of a currency under its own name, and the settings of no other currency",
    profile: "control",
    values: [
      { can_deposit: true, can_withdraw: false, deposit: termsOf(3), withdraw: termsOf(17) },
      { can_deposit: false, can_withdraw: true, deposit: termsOf(31), withdraw: termsOf(5) }
    ],
    check: Effect.fnUntraced(function*(world, settings) {
      const before = yield* changedEntry(world)
      const others = ({ answer }: typeof before) =>
        Json.stringify(
          Array.isArray(answer.json)
            ? answer.json.filter((entry) => !Json.isObject(entry) || entry["ticker"] !== changed)
            : []
        )
      yield* world.onEnd(set(world, before.entry))
      yield* set(world, { ...settings, ticker: changed })
      const after = yield* changedEntry(world)
      yield* Verdict.expect(
        after.answer,
        `${changed} with ${Json.stringify(settings)} and the name ${String(before.entry["name"])}`,
        isSame(after.entry, settings) && after.entry["name"] === before.entry["name"]
      )
      yield* Verdict.expect(after.answer, "unchanged entries of other currencies", others(after) === others(before))
    })
  }),
  section.always("fees.every", {
    statement: "Shows the settings of each currency, different for every currency",
    profile: "control",
    check: Effect.fnUntraced(function*(world) {
      const before = (yield* fees(world)).objects.filter(Json.isObject).slice(0, maxCurrencies)
      const expected = before.map((_, index) => ({
        can_deposit: index % 2 === 0,
        can_withdraw: index % 3 === 0,
        deposit: termsOf(12 * index + 3),
        withdraw: termsOf(12 * index + 9)
      }))
      for (const entry of before) yield* world.onEnd(set(world, entry))
      for (const [index, { ticker }] of before.entries()) yield* set(world, { ...expected[index], ticker })
      const { answer, objects } = yield* fees(world)
      for (const [index, { ticker }] of before.entries()) {
        const entry = objects.find((one) => Json.isObject(one) && one["ticker"] === ticker)
        const settings = expected[index]
        yield* Verdict.conclude(
          `${String(ticker)} with ${Json.stringify(settings)}`,
          entry,
          isSame(entry, settings),
          answer
        )
      }
    })
  }),
  section.always("fees.one-per-currency", {
    statement: "Lists one fee entry per currency",
    check: Effect.fnUntraced(function*(world) {
      const { answer, objects } = yield* fees(world)
      const tickers = objects.map((entry) => Json.isObject(entry) ? String(entry["ticker"]) : "")
      const twice = tickers.filter((ticker, index) => tickers.indexOf(ticker) !== index)
      yield* Verdict.conclude("each ticker once", `twice: ${twice.join(", ")}`, twice.length === 0, answer)
    })
  })
]

/** Rules about interest payments (document, "Interest payment" and Endpoints §1). */
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import type { Answer } from "../Target.ts"
import * as Verdict from "../Verdict.ts"
import { plans } from "../world/Accounts.ts"
import * as Boundaries from "../world/Boundaries.ts"
import * as FieldRules from "../world/FieldRules.ts"
import * as Kinds from "../world/Kinds.ts"
import * as Lists from "../world/Lists.ts"
import * as Paths from "../world/Paths.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Section from "../world/Section.ts"
import type { World } from "../world/World.ts"

const section = Section.of({ clause: "Endpoints §1" })

const history = (world: World, fields: Readonly<Record<string, unknown>>) => Lists.read(world, Lists.interest, fields)

/** Returns records as sorted text, so that lists can be compared: the document does not say how records are sorted. */
const sorted = (records: ReadonlyArray<unknown>): string =>
  records.map((record) => Json.stringify(record)).toSorted().join()

/** The plan and ticker of each interest payment to make. All plans differ, but two payments share a ticker. */
const mixed = [plans[0], plans[1], ["oracle-plan-c", "USDT"]].flatMap(([planId = "", ticker = ""] = []) => [
  [planId, ticker] as const
])

const unknownValues = fc.uuid().map((id) => `no-such-${id}`)

const isKnownCase = (answer: Answer, ...keys: ReadonlyArray<string>) =>
  Refusals.fields(answer, { status: 400, codes: [0] }, ...keys)

/** Expects the refusal of an invalid planId or ticker, with errors that name only this field. */
const isOnlyWrong = Effect.fnUntraced(function*(answer: Answer, key: string) {
  yield* isKnownCase(answer, key)
  yield* Verdict.expect(answer, `errors that name ${key} only`, Refusals.namedFields(answer).join() === key)
})

const payment: FieldRules.Table = {
  id: "interest.payment",
  clause: "Interest payment (fixed lending)",
  profile: "read-only",
  within: "an interest payment",
  sample: (world) => Effect.flatMap(history(world, {}), (answer) => FieldRules.records(world, answer, "records")),
  rows: [
    { key: "planId", kind: Kinds.someText, meaning: "the plan's id" },
    { key: "investmentId", kind: Kinds.someText, meaning: "the investment's id" },
    { key: "amount", kind: Kinds.decimal, meaning: "the interest" },
    { key: "ticker", kind: Kinds.ticker, meaning: "the currency of the interest" },
    { key: "timestamp", kind: Kinds.seconds, meaning: "the time of the payment" }
  ]
}

/** The number of payments on a page of a filtered list. */
const pageSize = 2

/** The maximum number of payments that a rule reads page by page. */
const maxPayments = 20

/** Expects that the pages of the filtered list show exactly these payments, at most {@link pageSize} on each page. */
const inPages = Effect.fnUntraced(function*(
  world: World,
  filter: Readonly<Record<string, unknown>>,
  expected: ReadonlyArray<unknown>
) {
  const seen: Array<unknown> = []
  for (let offset = 0; offset < expected.length; offset += pageSize) {
    const answer = yield* history(world, { ...filter, limit: pageSize, offset })
    const { json, records } = yield* Lists.pageOf(Lists.interest, answer)
    const count = Math.min(pageSize, expected.length - offset)
    yield* Verdict.expect(
      answer,
      `${count} payments, limit ${pageSize}, offset ${offset}`,
      records.length === count && json["limit"] === pageSize && json["offset"] === offset
    )
    seen.push(...records)
  }
  const text = sorted(expected)
  yield* Verdict.conclude(`on pages of ${pageSize}: ${text}`, sorted(seen), sorted(seen) === text)
})

/**
 * Creates a rule about a filter. Without a control plane, the rule uses the account's own payments, if they differ. If
 * the account may have more payments than one page shows, the rule does not check that the filtered list is complete.
 */
const filtered = (id: string, statement: string, key: "planId" | "ticker"): Rule.Rule =>
  section.always(id, {
    statement,
    profile: "read-only",
    check: Effect.fnUntraced(function*(world) {
      const sample = yield* FieldRules.records(world, yield* history(world, {}), "records")
      const whole = sample.objects.filter(Json.isObject)
      const own = new Set(whole.map((record) => record[key]))
      const values = world.profile === "control" ? plans.map(([planId, ticker]) => ({ planId, ticker })[key]) : own
      if (world.profile !== "control" && own.size < 2) return yield* Verdict.skip(Verdict.lacksRecords.tooFew)
      for (const value of values) {
        const answer = yield* history(world, { [key]: value })
        const { objects } = yield* FieldRules.records(world, answer, "records")
        yield* Lists.hasDefaults(world, Lists.interest, answer)
        const expected = whole.filter((record) => record[key] === value)
        const isWhole = whole.length < Lists.interest.defaultLimit
        yield* Verdict.expect(
          answer,
          `only the payments with ${key} ${String(value)}, of which the whole list has ${expected.length}`,
          objects.every((record) => Json.isObject(record) && record[key] === value) &&
            (!isWhole || sorted(objects) === sorted(expected))
        )
        if (isWhole && expected.length <= maxPayments) yield* inPages(world, { [key]: value }, expected)
      }
    })
  })

export const rules: ReadonlyArray<Rule.Rule> = [
  ...FieldRules.rules(payment),
  filtered(
    "interest.plan.filter",
    "Lists exactly the payments of the given planId, on one page or on several",
    "planId"
  ),
  filtered(
    "interest.ticker.filter",
    "Lists exactly the payments in the given ticker, on one page or on several",
    "ticker"
  ),
  section.forEach("interest.plan-and-ticker.filter", {
    statement: "Lists exactly the payments that match both the given planId and the given ticker",
    values: mixed.flatMap(([planId]) => mixed.map(([, ticker]) => [planId, ticker] as const)),
    check: Effect.fnUntraced(function*(world, [planId, ticker]) {
      const account = yield* world.open({ isFunded: false })
      for (const [index, [planId, ticker]] of mixed.entries()) {
        const payment = { planId, ticker, investmentId: `investment-${index}`, amount: `0.${index + 1}` }
        yield* world.control("PayInterest", { account: account.id, ...payment })
      }
      const answer = yield* world.call(account, Paths.interest, { planId, ticker })
      const expected = mixed.flatMap((payment, index) => payment[0] === planId && payment[1] === ticker ? [index] : [])
      // A server may refuse a ticker that does not belong to the plan.
      if (expected.length === 0 && Refusals.isRefused(answer)) return
      const { json } = answer
      const records = Json.isObject(json) && Array.isArray(json["records"]) ? json["records"].filter(Json.isObject) : []
      yield* Verdict.expect(
        answer,
        `${expected.length} payments from plan ${planId} in ${ticker}`,
        answer.status === 200 && records.length === expected.length &&
          expected.every((index) => records.some(({ investmentId }) => investmentId === `investment-${index}`))
      )
    })
  }),
  section.always("interest.fields", {
    statement: "Lists each of several payments with its own plan, investment, amount, ticker and time",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* world.open({ isFunded: false })
      const paidAt: Array<number> = []
      for (const [index, [planId, ticker]] of mixed.entries()) {
        const payment = { planId, ticker, investmentId: `investment-${index}`, amount: `0.${index + 1}` }
        yield* world.control("PayInterest", { account: account.id, ...payment })
        paidAt.push((yield* world.now) / 1000)
        yield* world.advance(600_000)
      }
      const answer = yield* world.call(account, Paths.interest)
      const { objects } = yield* FieldRules.records(world, answer, "records")
      const payments = objects.filter(Json.isObject)
      const isListed = ([planId, ticker]: (typeof mixed)[number], index: number): boolean =>
        payments.some((payment) =>
          payment["investmentId"] === `investment-${index}` && payment["planId"] === planId &&
          payment["ticker"] === ticker && Number(payment["amount"]) === (index + 1) / 10 &&
          Math.abs(Number(payment["timestamp"]) - (paidAt[index] ?? 0)) < 60
        )
      yield* Verdict.expect(
        answer,
        `payments of ${Json.stringify(mixed)} at ${paidAt.map(Math.floor).join(", ")}`,
        payments.length === mixed.length && mixed.every(isListed)
      )
    })
  }),
  Rule.forAll({
    id: "interest.plan.unknown",
    statement: "Refuses an unknown planId with HTTP 400, code 0, Validation failed, and errors keyed by planId only",
    clause: "Errors",
    profile: "read-only",
    values: unknownValues,
    // The beginning of the ids of a sandbox's plans.
    examples: ["oracle-plan-"],
    check: (world, planId) => Effect.flatMap(history(world, { planId }), (answer) => isOnlyWrong(answer, "planId"))
  }),
  Rule.forEach({
    id: "interest.ticker.unknown",
    statement: "Refuses an unknown ticker with HTTP 400, code 0, Validation failed, and errors keyed by ticker only",
    clause: "Errors",
    profile: "read-only",
    values: ["NOSUCH", "XXX1", "BTCUSDT0", "BT"],
    check: (world, ticker) => Effect.flatMap(history(world, { ticker }), (answer) => isOnlyWrong(answer, "ticker"))
  }),
  Rule.forEach({
    id: "interest.one.unknown",
    statement: "Refuses an unknown planId with a valid ticker, and an unknown ticker with a valid planId",
    clause: "Errors",
    values: ["planId", "ticker"],
    check: Effect.fnUntraced(function*(world, key) {
      const [planId, ticker] = plans[0] ?? ["", ""]
      const answer = yield* world.call(yield* world.lender, Paths.interest, { planId, ticker, [key]: "NOSUCH" })
      yield* isOnlyWrong(answer, key)
    })
  }),
  Rule.forAll({
    id: "interest.both.refused",
    statement: "Refuses a call whose planId and ticker are both wrong, and names at least one of them",
    clause: "Errors",
    profile: "read-only",
    values: unknownValues,
    check: Effect.fnUntraced(function*(world, planId) {
      const answer = yield* history(world, { planId, ticker: "NOSUCH" })
      yield* isKnownCase(answer)
      const named = Refusals.namedFields(answer)
      yield* Verdict.expect(
        answer,
        "errors that name planId or ticker",
        named.includes("planId") || named.includes("ticker")
      )
    })
  }),
  section.forAll("interest.both.unknown", {
    statement: "Names both planId and ticker in errors when both are wrong",
    level: "SHOULD",
    profile: "read-only",
    values: unknownValues,
    check: (world, planId) =>
      Effect.flatMap(
        history(world, { planId, ticker: "NOSUCH" }),
        (answer) => isKnownCase(answer, "planId", "ticker")
      )
  }),
  ...(["planId", "ticker"] as const).map((field) =>
    section.forAll(`interest.${field === "planId" ? "plan" : field}.type`, {
      statement: `Refuses a ${field} that is not a string, with errors keyed by ${field}`,
      clause: "Errors",
      profile: "read-only",
      values: Boundaries.noTexts,
      check: (world, value) =>
        Effect.flatMap(
          history(world, { [field]: value }),
          (answer) => isKnownCase(answer, field)
        )
    })
  ),
  section.forAll("interest.fresh", {
    statement: "Lists a payment as soon as it is made, without caching",
    values: fc.tuple(fc.constantFrom(...plans), fc.integer({ min: 1, max: 999_999 })),
    check: Effect.fnUntraced(function*(world, [[planId, ticker], units]) {
      const account = yield* world.open({ isFunded: false })
      const amount = (units / 1e6).toFixed(6)
      const before = yield* world.call(account, Paths.interest)
      // A cached list for a filter does not show the payment.
      for (const filter of [{ planId }, { ticker }]) yield* world.call(account, Paths.interest, filter)
      yield* world.control("PayInterest", { account: account.id, planId, investmentId: "once", ticker, amount })
      const answer = yield* world.call(account, Paths.interest)
      const { objects } = yield* FieldRules.records(world, answer, "records")
      const [record] = objects
      const now = (yield* world.now) / 1000
      yield* Verdict.expect(
        answer,
        `one new payment of ${amount} ${ticker} from plan ${planId}`,
        objects.length === 1 && Json.isObject(record) && record["planId"] === planId && record["ticker"] === ticker &&
          Number(record["amount"]) === Number(amount) && record["investmentId"] === "once" &&
          Math.abs(Number(record["timestamp"]) - now) < 60 &&
          Json.isObject(before.json) && Json.stringify(before.json["records"]) === "[]"
      )
      for (const filter of [{ planId }, { ticker }]) {
        const filtered = yield* world.call(account, Paths.interest, filter)
        const { objects: [payment, ...more] } = yield* FieldRules.records(world, filtered, "records")
        yield* Verdict.expect(
          filtered,
          `the payment, selected by ${Json.stringify(filter)}`,
          more.length === 0 && Json.isObject(payment) && payment["investmentId"] === "once"
        )
      }
    })
  })
]

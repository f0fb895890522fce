/** Rules about the request fields of an order, shared by stop-limit and OCO orders. */
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import type { Dialect } from "../../protocol/Dialect.ts"
import type { Profile } from "../Profile.ts"
import * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Boundaries from "./Boundaries.ts"
import * as Dialects from "./Dialects.ts"
import { digits } from "./Markets.ts"
import { type OrderEntry, refuses, refusesTotal, rulesOf, sidesOf, submit } from "./OrderEntry.ts"
import * as Orders from "./Orders.ts"
import * as Refusals from "./Refusals.ts"
import type { Body, Market } from "./World.ts"

const live = Rule.other("HTTP 422")

const requiredOf = ({ prices }: OrderEntry): ReadonlyArray<string> => ["market", "side", "amount", ...prices]

const profileOf = ({ sideProfile }: OrderEntry, key: string): Profile => key === "side" ? sideProfile : "mutating"

/** Returns the level of the rules about a field's bounds: `MUST` only if the document states the bounds. */
const levelOf = ({ unbounded }: OrderEntry, key: string): Rule.Level => unbounded.includes(key) ? "SHOULD" : "MUST"

const without = (order: Body, key: string): Body =>
  Object.fromEntries(Object.entries(order).filter(([name]) => name !== key))

/**
 * Makes an order with an invalid trigger harmless: its limit is far below the market, so it buys nothing even if the
 * target treats the trigger as already met.
 */
const harmless = ({ stopPrice }: OrderEntry, key: string, order: Body, market: Market): Body => {
  const price = Orders.lowPrice(market)
  return key === "activation_price"
    ? { ...order, amount: Orders.amountFor(market, Number(price)), [stopPrice]: price }
    : order
}

/** A kind of invalid value for a field. */
interface Wrong<A> {
  /** The part of the rule's id after the field. */
  readonly detail: string
  readonly statement: string
  /** How binding the rule is; `MUST` by default. */
  readonly level?: Rule.Level
  /** The generator of the inputs from which `value` builds the field's value. */
  readonly values: fc.Arbitrary<A>
  readonly examples?: ReadonlyArray<A>
  /** Builds the field's value from a generated input; the input itself by default. */
  readonly value?: (drawn: A, market: Market, order: Body) => unknown
  /** Expects the target's refusal; by default, the refusal of any invalid field. */
  readonly expect?: typeof Refusals.order
}

/** Returns a few invalid values; every check tries all of them. */
const each = <A>(...values: ReadonlyArray<A>): Pick<Wrong<A>, "values" | "examples"> => ({
  values: fc.constantFrom(...values),
  examples: values
})

/** Fields that the live exchange also accepts as numbers. */
const numbers: ReadonlyArray<string> = ["amount", "price", "stop_limit_price"]

/**
 * Returns the invalid value for this dialect. If the dialect accepts numbers for the field, a number is replaced with a
 * boolean.
 */
const wrongIn = ({ name }: Dialect, key: string, value: unknown): unknown =>
  name === "live" && numbers.includes(key) && typeof value === "number" ? value > 0 : value

/** Creates a rule that the target refuses invalid values of one field. */
const refusesValues = <A>(
  entry: OrderEntry,
  key: string,
  { detail, examples = [], expect = Refusals.order, level = "MUST", statement, value = (drawn) => drawn, values }:
    Wrong<A>
): Rule.Rule =>
  rulesOf(entry).forAll<A>(`${entry.id}.request.${key}.${detail}`, {
    statement,
    level,
    profile: profileOf(entry, key),
    live: Rule.other("HTTP 422, and codes from 30 to 43 by field"),
    values,
    examples,
    check: Effect.fnUntraced(function*(world, drawn) {
      for (const side of sidesOf(world)) {
        const answer = yield* submit(world, entry, (draft, market) => {
          const order = harmless(entry, key, draft, market)
          return { ...order, [key]: wrongIn(world.dialect, key, value(drawn, market, order)) }
        }, side)
        yield* expect(answer, world.dialect, entry.isRefusalShown, key)
      }
    })
  })

const required = (entry: OrderEntry, key: string): Rule.Rule =>
  rulesOf(entry).forEach(`${entry.id}.request.${key}.required`, {
    statement: `Refuses an order without ${key}, or with null in its place`,
    profile: profileOf(entry, key),
    live,
    values: [{}, { [key]: null }],
    check: Effect.fnUntraced(function*(world, instead) {
      for (const side of sidesOf(world)) {
        const answer = yield* submit(world, entry, (order, market) => ({
          ...without(harmless(entry, key, order, market), key),
          ...instead
        }), side)
        yield* refuses(world, entry, answer, key)
      }
    })
  })

const typed = (entry: OrderEntry, key: string): Rule.Rule =>
  refusesValues(entry, key, {
    detail: "type",
    statement: `Refuses ${key} if it is not a string`,
    values: Boundaries.noTexts,
    examples: [1],
    // The valid value, but as a number, so only its type is wrong.
    value: (value, _market, { [key]: right }) =>
      typeof value === "number" && !Number.isNaN(Number(right)) ? Number(right) : value
  })

const allMissing = (entry: OrderEntry): Rule.Rule =>
  rulesOf(entry).always(`${entry.id}.request.all-missing`, {
    statement: "Names every required field when it refuses an empty request",
    level: "SHOULD",
    // The live exchange's documentation shows this refusal, but not for OCO orders.
    live: entry.id === "stop-limit" ? Rule.documented("HTTP 422") : live,
    check: (world) =>
      Effect.flatMap(
        submit(world, entry, () => ({})),
        (answer) => Refusals.fields(answer, Dialects.orderValidation(world.dialect), ...requiredOf(entry))
      )
  })

/** An invalid value for each field that the refusal should name. */
const wrongValues: Readonly<Record<string, unknown>> = {
  market: "NO_SUCH",
  side: "BUY",
  amount: "ten",
  price: "0",
  activation_price: "-1",
  stop_limit_price: "1,5"
}

const refusalForm = (entry: OrderEntry): Rule.Rule =>
  rulesOf(entry).forEach(`${entry.id}.refusal`, {
    statement: "Refuses an invalid field with HTTP 400, code 30, Validation failed, and errors that name the field",
    profile: "control",
    level: "SHOULD",
    live: Rule.other("HTTP 422, and codes from 30 to 43 by field"),
    values: [undefined, "wrong"].flatMap((value) =>
      requiredOf(entry).map((key) => ({ key, isMissing: value === undefined }))
    ),
    check: Effect.fnUntraced(function*(world, { isMissing, key }) {
      const answer = yield* submit(world, entry, (draft, market) => {
        const order = harmless(entry, key, draft, market)
        return isMissing ? without(order, key) : { ...order, [key]: wrongValues[key] }
      })
      yield* Refusals.fields(answer, Dialects.orderValidation(world.dialect), key)
    })
  })

const sideAndMarket = (entry: OrderEntry): ReadonlyArray<Rule.Rule> => [
  refusesValues(entry, "side", {
    detail: "values",
    statement: "Refuses a side other than buy and sell",
    ...each("", "BUY", "Sell", "long", "hold", "buy ")
  }),
  refusesValues(entry, "market", {
    detail: "known",
    statement: "Refuses an unknown market",
    ...each("NO_SUCH", "BTC_NOTHING", "BTCUSDT", "BTC-USDT", "", "_")
  })
]

const isDecimal = (entry: OrderEntry, key: string): Rule.Rule =>
  refusesValues(entry, key, {
    detail: "decimal",
    statement: `Refuses ${key} if the string is not a decimal`,
    values: Boundaries.noDecimals
  })

/**
 * The document states a minimum for amounts and, for stop-limit orders, a minimum for the total, which implies a
 * minimum for the limit price. The document only implies that other prices are above zero.
 */
const positiveLevelOf = ({ limits, unbounded }: OrderEntry, key: string): Rule.Level =>
  key === "amount" || (limits.includes(key) && !unbounded.includes("total")) ? "MUST" : "SHOULD"

const isPositive = (entry: OrderEntry, key: string, least: string): Rule.Rule =>
  refusesValues(entry, key, {
    detail: "positive",
    level: positiveLevelOf(entry, key),
    statement: `Refuses ${key} of zero or below`,
    ...each("0", "0.0", "-1", `-${least}`)
  })

const hasPrecision = (entry: OrderEntry, key: string, precision: "stockPrec" | "moneyPrec"): Rule.Rule =>
  refusesValues(entry, key, {
    detail: "precision",
    level: levelOf(entry, key),
    statement: `Refuses ${key} with more decimal places than the market's ${precision}`,
    values: fc.integer({ min: 1, max: 9 }),
    examples: [1],
    value: (digit, _market, { [key]: right }) => `${String(right)}${String(right).includes(".") ? "" : "."}${digit}`,
    expect: Refusals.tooFine
  })

const amountMin = (entry: OrderEntry): Rule.Rule =>
  refusesValues(entry, "amount", {
    detail: "min",
    statement: "Refuses an amount below the market's minAmount",
    values: fc.double({ min: 0.05, max: 0.95, noNaN: true }),
    value: (part, { minAmount, stockPrecision }) => {
      const below = Math.floor(minAmount * part * 10 ** stockPrecision) / 10 ** stockPrecision
      return digits(below > 0 ? below : minAmount / 10, stockPrecision + 2)
    }
  })

const amountLeast = (entry: OrderEntry): Rule.Rule =>
  rulesOf(entry).always(`${entry.id}.request.amount.least`, {
    statement: "Accepts the market's minAmount, and refuses an amount one step below it",
    profile: "control",
    live,
    check: Effect.fnUntraced(function*(world) {
      const [market, account] = [yield* Orders.boundByAmount(world), yield* world.trader]
      const { minAmount, step, stockPrecision } = market
      // A sell may need the market's base currency, which the account may lack.
      const stock = { wallet: "trade", ticker: market.stock, amount: digits(minAmount * 10, stockPrecision) }
      yield* world.control("Fund", { account: account.id, ...stock })
      for (const side of Orders.sides) {
        const draft = (amount: number) => entry.draft(market, side, { amount: digits(amount, stockPrecision) })
        yield* Orders.place(world, account, entry.path, draft(minAmount))
        const answer = yield* Orders.submit(world, account, entry.path, draft(minAmount - step))
        yield* refuses(world, entry, answer, "amount")
      }
    })
  })

/**
 * Returns an amount and a price whose total is at most a quarter of the market's minTotal. The price is at most the
 * price in the draft.
 */
const wellBelow = ({ draft }: OrderEntry, market: Market, key: string): Body => ({
  amount: digits(market.minAmount, market.stockPrecision),
  [key]: digits(
    Math.min(Number(draft(market, "buy")[key]), market.minTotal / market.minAmount / 4),
    market.moneyPrecision
  )
})

/**
 * Returns an amount and a price whose total is as close below the market's minTotal as one step of the price allows.
 * The price is at most the lowest limit price in the draft, so that the totals at the other limit prices are not too
 * small.
 */
const justBelow = ({ draft, limits }: OrderEntry, market: Market, key: string): Body => {
  const order = draft(market, "buy")
  const most = Math.min(...limits.map((limit) => Number(order[limit])))
  const least = Math.max(market.minAmount, market.minTotal / most)
  const amount = digits(Math.ceil(least / market.step - 1e-6) * market.step, market.stockPrecision)
  const ticks = Math.ceil(market.minTotal / Number(amount) / market.tick - 1e-6) - 1
  return { amount, [key]: digits(ticks * market.tick, market.moneyPrecision) }
}

const totalMin = (entry: OrderEntry): Rule.Rule =>
  rulesOf(entry).forEach(`${entry.id}.request.total.min`, {
    statement: "Refuses an order whose amount times price is below the market's minTotal",
    level: levelOf(entry, "total"),
    live,
    values: ["far", "near"].flatMap((distance) => entry.limits.map((key) => ({ distance, key }))),
    check: Effect.fnUntraced(function*(world, { distance, key }) {
      const market = yield* world.market
      const change = distance === "far" ? wellBelow(entry, market, key) : justBelow(entry, market, key)
      if (Number(change[key]) === 0) return yield* Verdict.skip("the smallest amount at the smallest price is enough")
      for (const side of sidesOf(world)) {
        const answer = yield* submit(world, entry, (order) => ({ ...order, ...change }), side)
        yield* refusesTotal(world, entry, answer)
      }
    })
  })

const totalMax = (entry: OrderEntry): Rule.Rule =>
  rulesOf(entry).forEach(`${entry.id}.request.total.max`, {
    statement: "Refuses an order whose amount times price is above the market's maxTotal, if the market has one",
    profile: "control",
    level: levelOf(entry, "total"),
    live,
    values: entry.limits,
    check: Effect.fnUntraced(function*(world, key) {
      const { maxTotal } = yield* world.market
      if (maxTotal === 0) return yield* Verdict.skip("the market has no maxTotal")
      const answer = yield* submit(world, entry, (order, market) => ({
        ...order,
        amount: digits(1, market.stockPrecision),
        [key]: digits(maxTotal * 2, market.moneyPrecision)
      }))
      yield* refusesTotal(world, entry, answer)
    })
  })

/** Returns all rules about the request fields of one call. */
export const rules = (entry: OrderEntry): ReadonlyArray<Rule.Rule> => [
  ...requiredOf(entry).flatMap((key) => [required(entry, key), typed(entry, key)]),
  allMissing(entry),
  refusalForm(entry),
  ...sideAndMarket(entry),
  ...["amount", ...entry.prices].map((key) => isDecimal(entry, key)),
  isPositive(entry, "amount", "0.001"),
  ...entry.prices.map((key) => isPositive(entry, key, "0.01")),
  amountMin(entry),
  amountLeast(entry),
  hasPrecision(entry, "amount", "stockPrec"),
  ...entry.prices.map((key) => hasPrecision(entry, key, "moneyPrec")),
  totalMin(entry),
  totalMax(entry)
]

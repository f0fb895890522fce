/**
 * Rules about the fields of an order's request: the same for stop-limit and OCO orders, over the fields that each has.
 */
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import type { Dialect } from "../../protocol/Dialect.ts"
import * as Arbitraries from "../Arbitraries.ts"
import type { Profile } from "../Profile.ts"
import * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import { digits } from "./Markets.ts"
import { type OrderEntry, refuses, submit } from "./OrderEntry.ts"
import * as Orders from "./Orders.ts"
import * as Refusals from "./Refusals.ts"
import * as Spelling from "./Spelling.ts"
import type { Body, Market } from "./World.ts"

const live = Rule.other("HTTP 422")

const requiredOf = ({ prices }: OrderEntry): ReadonlyArray<string> => ["market", "side", "amount", ...prices]

const profileOf = ({ sideProfile }: OrderEntry, key: string): Profile => key === "side" ? sideProfile : "mutating"

/** A rule about bounds is a MUST rule only where the document states them. */
const levelOf = ({ unbounded }: OrderEntry, key: string): Rule.Rule["level"] =>
  unbounded.includes(key) ? "SHOULD" : "MUST"

const without = (order: Body, key: string): Body =>
  Object.fromEntries(Object.entries(order).filter(([name]) => name !== key))

/** An order that buys nothing even if the target takes a wrong trigger for one that is met. */
const harmless = ({ stopPrice }: OrderEntry, key: string, order: Body, market: Market): Body => {
  const price = Orders.lowPrice(market)
  return key === "activation_price"
    ? { ...order, amount: Orders.amountFor(market, Number(price)), [stopPrice]: price }
    : order
}

/** A wrong value of a field. */
interface Wrong<A> {
  /** What the rule checks, after the field in its id. */
  readonly detail: string
  readonly statement: string
  /** `MUST` by default. */
  readonly level?: Rule.Rule["level"]
  /** What is drawn. */
  readonly values: fc.Arbitrary<A>
  readonly examples?: ReadonlyArray<A>
  /** The value of the field, made from what is drawn; by default that itself. */
  readonly value?: (drawn: A, market: Market, order: Body) => unknown
}

/** A few wrong values, all of which every check tries. */
const each = <A>(...values: ReadonlyArray<A>): Pick<Wrong<A>, "values" | "examples"> => ({
  values: fc.constantFrom(...values),
  examples: values
})

/** What the live exchange takes as a number too. */
const numbers: ReadonlyArray<string> = ["amount", "price", "stop_limit_price"]

/** A wrong value in a dialect: where a number is a right one, a flag stands for it. */
const wrongIn = ({ name }: Dialect, key: string, value: unknown): unknown =>
  name === "live" && numbers.includes(key) && typeof value === "number" ? value > 0 : value

/** A rule that wrong values of one field are refused. */
const refusesValues = <A>(
  entry: OrderEntry,
  key: string,
  { detail, examples = [], level = "MUST", statement, value = (drawn) => drawn, values }: Wrong<A>
): Rule.Rule =>
  Rule.forAll<A>({
    id: `${entry.id}.request.${key}.${detail}`,
    statement,
    clause: entry.clause,
    level,
    profile: profileOf(entry, key),
    live: Rule.other("HTTP 422, and codes from 30 to 43 by field"),
    values,
    examples,
    check: (world, drawn) =>
      Effect.gen(function*() {
        const answer = yield* submit(world, entry, (draft, market) => {
          const order = harmless(entry, key, draft, market)
          return { ...order, [key]: wrongIn(world.dialect, key, value(drawn, market, order)) }
        })
        yield* refuses(world, entry, answer, key)
      })
  })

// -----------------------------------------------------------------------------
// Required fields and their types
// -----------------------------------------------------------------------------

const required = (entry: OrderEntry, key: string): Rule.Rule =>
  Rule.always({
    id: `${entry.id}.request.${key}.required`,
    statement: `${key} is required`,
    clause: entry.clause,
    profile: profileOf(entry, key),
    live,
    check: (world) =>
      Effect.flatMap(
        submit(world, entry, (order, market) => without(harmless(entry, key, order, market), key)),
        (answer) => refuses(world, entry, answer, key)
      )
  })

const typed = (entry: OrderEntry, key: string): Rule.Rule =>
  refusesValues(entry, key, {
    detail: "type",
    statement: `${key} is a string; any other value is refused`,
    values: Arbitraries.noTexts,
    examples: [1],
    // A number is the right one, so that nothing but its type is wrong.
    value: (value, _market, { [key]: right }) =>
      typeof value === "number" && !Number.isNaN(Number(right)) ? Number(right) : value
  })

const allMissing = (entry: OrderEntry): Rule.Rule =>
  Rule.always({
    id: `${entry.id}.request.all-missing`,
    statement: "The refusal of an empty request names every required field",
    clause: entry.clause,
    level: "SHOULD",
    profile: "mutating",
    live,
    check: (world) =>
      Effect.flatMap(
        submit(world, entry, () => ({})),
        (answer) => Refusals.fields(answer, Spelling.orderValidation(world.dialect), ...requiredOf(entry))
      )
  })

/** A wrong value of each field whose refusal should name it. */
const wrongValues: Readonly<Record<string, unknown>> = {
  market: "NO_SUCH",
  side: "BUY",
  amount: "ten",
  price: "0",
  activation_price: "-1",
  stop_limit_price: "1,5"
}

const refusalForm = (entry: OrderEntry): Rule.Rule =>
  Rule.forEach({
    id: `${entry.id}.refusal`,
    statement: "The refusal of a wrong field has HTTP 400, code 30, Validation failed, and errors that name the field",
    clause: entry.clause,
    level: "SHOULD",
    live: Rule.other("HTTP 422, and codes from 30 to 43 by field"),
    values: [undefined, "wrong"].flatMap((value) =>
      requiredOf(entry).map((key) => ({ key, isMissing: value === undefined }))
    ),
    check: (world, { isMissing, key }) =>
      Effect.gen(function*() {
        const answer = yield* submit(world, entry, (draft, market) => {
          const order = harmless(entry, key, draft, market)
          return isMissing ? without(order, key) : { ...order, [key]: wrongValues[key] }
        })
        yield* Refusals.fields(answer, Spelling.orderValidation(world.dialect), key)
      })
  })

// -----------------------------------------------------------------------------
// Values
// -----------------------------------------------------------------------------

const sideAndMarket = (entry: OrderEntry): ReadonlyArray<Rule.Rule> => [
  refusesValues(entry, "side", {
    detail: "values",
    statement: "side is buy or sell; any other string is refused",
    ...each("", "BUY", "Sell", "long", "hold", "buy ")
  }),
  refusesValues(entry, "market", {
    detail: "known",
    statement: "market is a market of the exchange; any other is refused",
    ...each("NO_SUCH", "BTC_NOTHING", "BTCUSDT", "BTC-USDT", "", "_")
  })
]

const isDecimal = (entry: OrderEntry, key: string): Rule.Rule =>
  refusesValues(entry, key, {
    detail: "decimal",
    statement: `${key} is a decimal in a string; any other string is refused`,
    values: Arbitraries.noDecimals
  })

const isPositive = (entry: OrderEntry, key: string, least: string): Rule.Rule =>
  refusesValues(entry, key, {
    detail: "positive",
    statement: `${key} is above zero`,
    ...each("0", "0.0", "-1", `-${least}`)
  })

const hasPrecision = (entry: OrderEntry, key: string, precision: "stockPrec" | "moneyPrec"): Rule.Rule =>
  refusesValues(entry, key, {
    detail: "precision",
    level: levelOf(entry, key),
    statement: `${key} has no more fractional digits than the market's ${precision}`,
    values: fc.integer({ min: 1, max: 9 }),
    examples: [1],
    value: (digit, _market, { [key]: right }) => `${String(right)}${String(right).includes(".") ? "" : "."}${digit}`
  })

const amountMin = (entry: OrderEntry): Rule.Rule =>
  refusesValues(entry, "amount", {
    detail: "min",
    statement: "amount is not below the market's minAmount",
    values: fc.double({ min: 0.05, max: 0.95, noNaN: true }),
    value: (part, { minAmount, stockPrecision }) => {
      const below = Math.floor(minAmount * part * 10 ** stockPrecision) / 10 ** stockPrecision
      return digits(below > 0 ? below : minAmount / 10, stockPrecision + 2)
    }
  })

// -----------------------------------------------------------------------------
// Totals
// -----------------------------------------------------------------------------

const totalMin = (entry: OrderEntry): Rule.Rule =>
  Rule.forEach({
    id: `${entry.id}.request.total.min`,
    statement: "amount times price is not below the market's minTotal",
    clause: entry.clause,
    level: levelOf(entry, "total"),
    profile: "mutating",
    live,
    values: entry.limits,
    check: (world, key) =>
      Effect.gen(function*() {
        const answer = yield* submit(world, entry, (order, market) => ({
          ...order,
          amount: digits(market.minAmount, market.stockPrecision),
          // Never a better price for a seller than the draft's.
          [key]: digits(
            Math.min(Number(order[key]), market.minTotal / market.minAmount / 4),
            market.moneyPrecision
          )
        }))
        yield* refuses(world, entry, answer, "amount")
      })
  })

const totalMax = (entry: OrderEntry): Rule.Rule =>
  Rule.forEach({
    id: `${entry.id}.request.total.max`,
    statement: "amount times price is not above the market's maxTotal, where the market has one",
    clause: entry.clause,
    level: levelOf(entry, "total"),
    live,
    values: entry.limits,
    check: (world, key) =>
      Effect.gen(function*() {
        const { maxTotal } = yield* world.market
        if (maxTotal === 0) return yield* Verdict.skip("the market has no maxTotal")
        const answer = yield* submit(world, entry, (order, market) => ({
          ...order,
          amount: digits(1, market.stockPrecision),
          [key]: digits(maxTotal * 2, market.moneyPrecision)
        }))
        yield* refuses(world, entry, answer, "amount")
      })
  })

/** The rules about the fields of one call's requests. */
export const rules = (entry: OrderEntry): ReadonlyArray<Rule.Rule> => [
  ...requiredOf(entry).flatMap((key) => [required(entry, key), typed(entry, key)]),
  allMissing(entry),
  refusalForm(entry),
  ...sideAndMarket(entry),
  ...["amount", ...entry.prices].map((key) => isDecimal(entry, key)),
  isPositive(entry, "amount", "0.001"),
  ...entry.prices.map((key) => isPositive(entry, key, "0.01")),
  amountMin(entry),
  hasPrecision(entry, "amount", "stockPrec"),
  ...entry.prices.map((key) => hasPrecision(entry, key, "moneyPrec")),
  totalMin(entry),
  totalMax(entry)
]

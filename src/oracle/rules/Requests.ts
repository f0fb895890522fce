/**
 * What an order's request must be refused for: the same rules for stop-limit and OCO orders, over the fields that each has.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as Json from "../../protocol/Json.ts"
import * as Arbitraries from "../Arbitraries.ts"
import * as Rule from "../Rule.ts"
import * as Orders from "../world/Orders.ts"
import * as Refusals from "../world/Refusals.ts"
import * as Spelling from "../world/Spelling.ts"
import type { Market, World } from "../world/World.ts"
import { digits } from "../world/World.ts"

type Body = Readonly<Record<string, unknown>>

/** A call that places orders. */
export interface Placing {
  readonly id: string
  readonly clause: string
  readonly path: string
  readonly prices: ReadonlyArray<string>
  /** The prices whose products with the amount are bounded. */
  readonly limits: ReadonlyArray<string>
  /** The price at which what is triggered trades. */
  readonly stopPrice: string
  /** What may be done to a target that could take an order that is neither a buy nor a sell for either. */
  readonly sideProfile: Rule.Profile
  readonly draft: (market: Market, side: "buy" | "sell", more?: Body) => Body
  /** The client order ids that an answer shows. */
  readonly clientOrderIds: (order: Body, key: string) => ReadonlyArray<unknown>
}

const sides = ["buy", "sell"] as const

/** Makes the call; what a wrong target accepts is canceled again. */
const attempt = Effect.fnUntraced(function*(
  world: World,
  { draft, path }: Placing,
  change: (order: Body, market: Market) => Body
) {
  const market = yield* world.market
  const account = yield* world.trader
  return yield* Orders.attempt(world, account, path, change(draft(market, "buy"), market))
})

/** An order that buys nothing even if a wrong trigger is taken for one that is met. */
const harmless = ({ stopPrice }: Placing, key: string, order: Body, market: Market): Body => {
  const price = Orders.lowPrice(market)
  return key === "activation_price"
    ? { ...order, amount: Orders.amountFor(market, Number(price)), [stopPrice]: price }
    : order
}

const oneDigitMore = (text: unknown, digit: number): string =>
  `${String(text)}${String(text).includes(".") ? "" : "."}${digit}`

const refuses = (world: World, answer: Parameters<typeof Refusals.named>[0], ...keys: ReadonlyArray<string>) =>
  Refusals.fields(answer, Spelling.orderValidation(world.dialect), ...keys)

/** @category constructors */
export const rules = (placing: Placing): ReadonlyArray<Rule.Rule> => {
  const { clause, clientOrderIds, draft, id, limits, path, prices } = placing
  const profile = "mutating"
  const profileOf = (key: string) => key === "side" ? placing.sideProfile : profile
  const required = ["market", "side", "amount", ...prices]
  const without = (order: Body, key: string): Body =>
    Object.fromEntries(Object.entries(order).filter(([name]) => name !== key))
  const wrong = <A>(
    name: string,
    key: string,
    statement: string,
    values: fc.Arbitrary<A>,
    value: (drawn: A, market: Market, order: Body) => unknown,
    examples: ReadonlyArray<A> = []
  ) =>
    Rule.forAll({
      id: `${id}.${name}`,
      statement,
      clause,
      profile: profileOf(key),
      live: Rule.other("HTTP 422, and codes from 30 to 43 by field"),
      values,
      examples,
      check: (world, drawn) =>
        Effect.gen(function*() {
          const answer = yield* attempt(world, placing, (draft, market) => {
            const order = harmless(placing, key, draft, market)
            return { ...order, [key]: value(drawn, market, order) }
          })
          yield* refuses(world, answer, key)
        })
    })
  return [
    ...required.flatMap((key) => [
      Rule.always({
        id: `${id}.request.${key}.required`,
        statement: `${key} is required`,
        clause,
        profile: profileOf(key),
        live: Rule.other("HTTP 422"),
        check: (world) =>
          Effect.flatMap(
            attempt(world, placing, (order, market) => without(harmless(placing, key, order, market), key)),
            (answer) => refuses(world, answer, key)
          )
      }),
      wrong(
        `request.${key}.type`,
        key,
        `${key} is a string; a value that is none is refused`,
        Arbitraries.noTexts,
        // What is right but for being a number.
        (value, _market, { [key]: right }) =>
          typeof value === "number" && !Number.isNaN(Number(right)) ? Number(right) : value,
        [1]
      )
    ]),
    Rule.always({
      id: `${id}.request.all-missing`,
      statement: "An empty request is refused with errors that name every field that is required",
      clause,
      profile,
      live: Rule.other("HTTP 422"),
      check: (world) =>
        Effect.flatMap(
          attempt(world, placing, () => ({})),
          (answer) => refuses(world, answer, ...required)
        )
    }),
    wrong(
      "request.side.values",
      "side",
      "side is buy or sell; any other text is refused",
      fc.constantFrom("", "BUY", "Sell", "long", "hold", "buy "),
      (side) => side,
      ["BUY", "long"]
    ),
    wrong(
      "request.market.known",
      "market",
      "market is one that the exchange has; another is refused",
      fc.constantFrom("NO_SUCH", "BTC_NOTHING", "BTCUSDT", "BTC-USDT", "", "_"),
      (market) => market,
      ["NO_SUCH"]
    ),
    wrong(
      "request.amount.decimal",
      "amount",
      "amount is a decimal in a string; other texts are refused",
      Arbitraries.noDecimals,
      (text) => text
    ),
    ...prices.map((key) =>
      wrong(
        `request.${key}.decimal`,
        key,
        `${key} is a decimal in a string; other texts are refused`,
        Arbitraries.noDecimals,
        (text) => text
      )
    ),
    wrong(
      "request.amount.positive",
      "amount",
      "amount is above zero",
      fc.constantFrom("0", "0.0", "-1", "-0.001"),
      (text) => text,
      ["0", "-1"]
    ),
    ...prices.map((key) =>
      wrong(
        `request.${key}.positive`,
        key,
        `${key} is above zero`,
        fc.constantFrom("0", "0.0", "-1", "-0.01"),
        (text) => text,
        ["0", "-1"]
      )
    ),
    wrong(
      "request.amount.min",
      "amount",
      "amount is not below the market's minAmount",
      fc.double({ min: 0.05, max: 0.95, noNaN: true }),
      (part, { minAmount, stockPrecision }) => {
        const below = Math.floor(minAmount * part * 10 ** stockPrecision) / 10 ** stockPrecision
        return digits(below > 0 ? below : minAmount / 10, stockPrecision + 2)
      }
    ),
    wrong(
      "request.amount.precision",
      "amount",
      "amount has no more fractional digits than the market's stockPrec",
      fc.integer({ min: 1, max: 9 }),
      (digit, _market, { amount }) => oneDigitMore(amount, digit),
      [1]
    ),
    ...prices.map((key) =>
      wrong(
        `request.${key}.precision`,
        key,
        `${key} has no more fractional digits than the market's moneyPrec`,
        fc.integer({ min: 1, max: 9 }),
        (digit, _market, order) => oneDigitMore(order[key], digit),
        [1]
      )
    ),
    Rule.forAll({
      id: `${id}.request.total.min`,
      statement: "amount times price is not below the market's minTotal",
      clause,
      profile,
      live: Rule.other("HTTP 422"),
      values: fc.constantFrom(...limits),
      check: (world, key) =>
        Effect.gen(function*() {
          const answer = yield* attempt(world, placing, (order, market) => ({
            ...order,
            amount: digits(market.minAmount, market.stockPrecision),
            // Never a better price for a seller than the draft's.
            [key]: digits(
              Math.min(Number(order[key]), market.minTotal / market.minAmount / 4),
              market.moneyPrecision
            )
          }))
          yield* refuses(world, answer, "amount")
        })
    }),
    Rule.forAll({
      id: `${id}.request.total.max`,
      statement: "amount times price is not above the market's maxTotal, where there is one",
      clause,
      live: Rule.other("HTTP 422"),
      values: fc.constantFrom(...limits),
      check: (world, key) =>
        Effect.gen(function*() {
          const { maxTotal } = yield* world.market
          if (maxTotal === 0) return yield* Rule.skip("the market has no maxTotal")
          const answer = yield* attempt(world, placing, (order, market) => ({
            ...order,
            amount: digits(1, market.stockPrecision),
            [key]: digits(maxTotal * 2, market.moneyPrecision)
          }))
          yield* refuses(world, answer, "amount")
        })
    }),
    Rule.forAll({
      id: `${id}.client-order-id.refuses`,
      statement: "A client order id has only letters, digits, dashes, dots and underscores; any other is refused",
      clause,
      profile,
      live: Rule.other("the key is clientOrderId; HTTP 422, code 36"),
      values: Arbitraries.badClientOrderIds,
      examples: ["a b", "a/b", "é"],
      check: (world, value) =>
        Effect.gen(function*() {
          const key = Spelling.keys(world.dialect).clientOrderId
          const answer = yield* attempt(world, placing, (order) => ({ ...order, [key]: value }))
          yield* refuses(world, answer, key)
        })
    }),
    Rule.forAll({
      id: `${id}.client-order-id.type`,
      statement: "A client order id is a string; anything else is refused",
      clause,
      profile,
      live: Rule.other("the key is clientOrderId; HTTP 422"),
      values: Arbitraries.noTexts,
      examples: [1],
      check: (world, value) =>
        Effect.gen(function*() {
          const key = Spelling.keys(world.dialect).clientOrderId
          const answer = yield* attempt(world, placing, (order) => ({ ...order, [key]: value }))
          yield* refuses(world, answer, key)
        })
    }),
    Rule.forAll({
      id: `${id}.client-order-id.accepts`,
      statement: "A client order id of letters, digits, dashes, dots and underscores is accepted and comes back",
      clause,
      profile,
      live: id === "oco"
        ? Rule.other("the key is clientOrderId, and the legs show an empty one", Rule.liveAnswers)
        : Rule.other("the key is clientOrderId"),
      values: Arbitraries.goodClientOrderIds,
      check: (world, given) =>
        Effect.gen(function*() {
          const { clientOrderId: key } = Spelling.keys(world.dialect)
          const market = yield* world.market
          const value = `${given}${world.unique("-")}`
          const { answer, order } = yield* Orders.place(
            world,
            yield* world.trader,
            path,
            draft(market, "buy", { [key]: value })
          )
          const shown = clientOrderIds(order, key)
          const expected = world.dialect.name === "live" && id === "oco" ? "" : value
          yield* Rule.expect(answer, `${key} ${JSON.stringify(expected)}`, shown.every((text) => text === expected))
        })
    }),
    Rule.always({
      id: `${id}.client-order-id.none`,
      statement: "Without a client order id the answer shows an empty string in its place",
      clause,
      profile,
      live: Rule.other("the key is clientOrderId"),
      check: (world) =>
        Effect.gen(function*() {
          const { clientOrderId: key } = Spelling.keys(world.dialect)
          const { answer, order } = yield* Orders.place(
            world,
            yield* world.trader,
            path,
            draft(yield* world.market, "buy")
          )
          const shown = clientOrderIds(order, key)
          const isEmpty = (text: unknown) => text === "" || (world.dialect.name === "live" && text === undefined)
          yield* Rule.expect(answer, `${key} ""`, shown.every(isEmpty))
        })
    }),
    Rule.always({
      id: `${id}.client-order-id.unique`,
      statement: "A client order id is unique: while an order has it, another with it is refused",
      clause,
      profile,
      live: Rule.other("unique among open orders of a market; HTTP 422, code 36"),
      check: (world) =>
        Effect.gen(function*() {
          const { clientOrderId: key } = Spelling.keys(world.dialect)
          const market = yield* world.market
          const account = yield* world.trader
          const order = draft(market, "buy", { [key]: world.unique("same") })
          yield* Orders.place(world, account, path, order)
          yield* refuses(world, yield* Orders.attempt(world, account, path, order), key)
        })
    }),
    Rule.forEach({
      id: `${id}.total.exact`,
      statement: "An order is answered with the amount and the prices that it was submitted with",
      clause,
      profile,
      values: sides,
      check: (world, side) =>
        Effect.gen(function*() {
          const market = yield* world.market
          const fields = draft(market, side)
          const { answer, order } = yield* Orders.place(world, yield* world.trader, path, fields)
          const told = id === "oco" ? [order["stop_loss"], order["take_profit"]] : [order]
          const [first, second] = told
          const isAsSubmitted = (leg: unknown, price: unknown, activation: unknown) =>
            Json.isObject(leg) && Number(leg["amount"]) === Number(fields["amount"]) &&
            Number(leg["price"]) === Number(price) &&
            (activation === undefined || leg["activation_price"] === activation)
          yield* Rule.expect(
            answer,
            `the values of ${JSON.stringify(fields)}`,
            id === "oco"
              ? isAsSubmitted(first, fields["stop_limit_price"], fields["activation_price"]) &&
                isAsSubmitted(second, fields["price"], undefined)
              : isAsSubmitted(first, fields["price"], fields["activation_price"])
          )
        })
    }),
    Rule.forAll({
      id: `${id}.ids.unique`,
      statement: "Every order has an identifier of its own",
      clause,
      values: fc.integer({ min: 2, max: 5 }),
      check: (world, count) =>
        Effect.gen(function*() {
          const market = yield* world.market
          const account = yield* world.trader
          const ids: Array<string> = []
          for (let index = 0; index < count; index++) {
            const { order } = yield* Orders.place(world, account, path, draft(market, index % 2 === 0 ? "buy" : "sell"))
            ids.push(...Orders.idsOf(world, order))
          }
          yield* Rule.conclude("identifiers that differ", ids, new Set(ids).size === ids.length)
        })
    }),
    Rule.forAll({
      id: `${id}.parallel`,
      statement: "Orders that are placed side by side are all placed, each with an identifier of its own",
      clause,
      values: fc.integer({ min: 2, max: 8 }),
      check: (world, count) =>
        Effect.gen(function*() {
          const market = yield* world.market
          const account = { ...(yield* world.trader), isOwn: false }
          const placed = yield* Effect.forEach(
            Array.from({ length: count }),
            () => Orders.place(world, account, path, draft(market, "buy")),
            { concurrency: "unbounded" }
          )
          const ids = placed.flatMap(({ order }) => Orders.idsOf(world, order))
          yield* Rule.conclude("identifiers that differ", ids, new Set(ids).size === ids.length)
        })
    })
  ]
}

const stanceOnIds = (id: string, clause: string, path: string, draft: Placing["draft"]): Rule.Rule =>
  Rule.always({
    id: `${id}.client-order-id.for-ever`,
    statement: "A client order id is used for ever: the order's end does not give it back",
    clause,
    level: "SHOULD",
    live: Rule.other("it may be used again when the order is not open any more"),
    check: (world) =>
      Effect.gen(function*() {
        const { clientOrderId: key } = Spelling.keys(world.dialect)
        const market = yield* world.market
        const account = yield* world.trader
        const order = draft(market, "buy", { [key]: world.unique("again") })
        yield* Orders.place(world, account, path, order)
        yield* world.call(account, "/api/v4/order/cancel/all")
        const answer = yield* Orders.attempt(world, account, path, order)
        yield* Spelling.clientOrderIds(world.dialect) === "never"
          ? refuses(world, answer, key)
          : Rule.expect(answer, "HTTP 200", answer.status === 200)
      })
  })

/** @category constructors */
export const all = (placing: Placing): ReadonlyArray<Rule.Rule> => [
  ...rules(placing),
  stanceOnIds(placing.id, placing.clause, placing.path, placing.draft)
]

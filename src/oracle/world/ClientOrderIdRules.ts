/** Rules about client order ids, shared by stop-limit and OCO orders. */
import * as Effect from "effect/Effect"
import type * as fc from "fast-check"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import * as Verdict from "../Verdict.ts"
import * as Boundaries from "./Boundaries.ts"
import * as Dialects from "./Dialects.ts"
import { priceText } from "./Markets.ts"
import { type OrderEntry, refuses, rulesOf, sidesOf, submit } from "./OrderEntry.ts"
import * as Orders from "./Orders.ts"
import * as Paths from "./Paths.ts"
import * as Refusals from "./Refusals.ts"

/** Creates a rule that the target refuses these values as client order ids. */
const refusesValues = (
  entry: OrderEntry,
  detail: string,
  statement: string,
  live: string,
  values: fc.Arbitrary<unknown>,
  examples: ReadonlyArray<unknown>
): Rule.Rule =>
  rulesOf(entry).forAll(`${entry.id}.client-order-id.${detail}`, {
    statement,
    live: Rule.other(live),
    values,
    examples,
    check: Effect.fnUntraced(function*(world, value) {
      const key = Dialects.keys(world.dialect).clientOrderId
      const answer = yield* submit(world, entry, (order) => ({ ...order, [key]: value }))
      yield* refuses(world, entry, answer, key)
    })
  })

const accepts = (entry: OrderEntry): Rule.Rule =>
  rulesOf(entry).forAll(`${entry.id}.client-order-id.accepts`, {
    statement: "Accepts a client order id of letters, digits, dashes, dots and underscores, and shows it in the order",
    // The document does not say whether the legs of an OCO order show its client order id.
    level: entry.liveClientOrderId === undefined ? "MUST" : "SHOULD",
    live: entry.liveClientOrderId === undefined
      ? Rule.other("the key is clientOrderId")
      : Rule.other("the key is clientOrderId, and the legs show an empty string", Rule.liveAnswers),
    values: Boundaries.goodClientOrderIds,
    examples: ["a-b", "a.b", "a_b"],
    check: Effect.fnUntraced(function*(world, given) {
      const { clientOrderId: key } = Dialects.keys(world.dialect)
      const market = yield* world.market
      const value = `${given}${world.unique("-")}`
      const fields = entry.draft(market, "buy", { [key]: value })
      const { answer, order } = yield* Orders.place(world, yield* world.trader, entry.path, fields)
      const shown = entry.clientOrderIds(order, key)
      const expected = world.dialect.name === "live" ? entry.liveClientOrderId ?? value : value
      yield* Verdict.expect(answer, `${key} ${Json.stringify(expected)}`, shown.every((text) => text === expected))
    })
  })

const none = (entry: OrderEntry): Rule.Rule =>
  rulesOf(entry).always(`${entry.id}.client-order-id.none`, {
    statement: "Shows an empty client order id for an order placed without a client order id",
    live: Rule.other("the key is clientOrderId"),
    check: Effect.fnUntraced(function*(world) {
      const { clientOrderId: key } = Dialects.keys(world.dialect)
      const fields = entry.draft(yield* world.market, "buy")
      const { answer, order } = yield* Orders.place(world, yield* world.trader, entry.path, fields)
      const isEmpty = (text: unknown) => text === "" || (world.dialect.name === "live" && text === undefined)
      yield* Verdict.expect(answer, `${key} ""`, entry.clientOrderIds(order, key).every(isEmpty))
    })
  })

const unique = (entry: OrderEntry): Rule.Rule =>
  rulesOf(entry).always(`${entry.id}.client-order-id.unique`, {
    statement: "Refuses a client order id that another order of the account uses",
    live: Rule.other("unique among open orders of a market; HTTP 422, code 36"),
    check: Effect.fnUntraced(function*(world) {
      const { clientOrderId: key } = Dialects.keys(world.dialect)
      const market = yield* world.market
      const account = yield* world.trader
      const sides = sidesOf(world)
      const ids = sides.map(() => world.unique("same"))
      for (const [index, side] of sides.entries()) {
        yield* Orders.place(world, account, entry.path, entry.draft(market, side, { [key]: ids[index] }))
      }
      // Not only the latest order counts, and not only orders on the same side.
      for (const id of ids) {
        for (const side of sides) {
          const order = entry.draft(market, side, { [key]: id })
          yield* refuses(world, entry, yield* Orders.submit(world, account, entry.path, order), key)
        }
      }
    })
  })

const perAccount = (entry: OrderEntry): Rule.Rule =>
  rulesOf(entry).always(`${entry.id}.client-order-id.per-account`, {
    statement: "Accepts a client order id that another account uses: ids are unique per account",
    profile: "control",
    level: entry.perAccount,
    live: Rule.other("the key is clientOrderId"),
    check: Effect.fnUntraced(function*(world) {
      const { clientOrderId: key } = Dialects.keys(world.dialect)
      const order = entry.draft(yield* world.market, "buy", { [key]: world.unique("everyone") })
      yield* Orders.place(world, yield* world.trader, entry.path, order)
      const answer = yield* Orders.submit(world, yield* world.open(), entry.path, order)
      yield* Verdict.expect(answer, "HTTP 200 for the other account's order", answer.status === 200)
    })
  })

/** Returns the rule for a call whose client order ids are unique per account, whatever the market. */
export const elsewhere = (entry: OrderEntry): Rule.Rule =>
  rulesOf(entry).always(`${entry.id}.client-order-id.elsewhere`, {
    statement: "Refuses a client order id that an open order of the account on another market uses",
    profile: "control",
    live: Rule.notApplicable("client order ids are unique per market"),
    check: Effect.fnUntraced(function*(world) {
      const { clientOrderId: key } = Dialects.keys(world.dialect)
      const market = yield* world.market
      const other = (yield* world.markets).find(({ name }) => name !== market.name)
      if (other === undefined) return yield* Verdict.skip("needs a second market")
      yield* world.control("MovePrice", { market: other.name, price: priceText(other, other.price) })
      const account = yield* world.trader
      const id = { [key]: world.unique("elsewhere") }
      yield* Orders.place(world, account, entry.path, entry.draft(other, "buy", id))
      const order = entry.draft(market, "buy", id)
      yield* refuses(world, entry, yield* Orders.submit(world, account, entry.path, order), key)
    })
  })

const forEver = (entry: OrderEntry): Rule.Rule =>
  rulesOf(entry).always(`${entry.id}.client-order-id.for-ever`, {
    statement: "Refuses the client order id of a closed order",
    profile: "control",
    level: "SHOULD",
    live: Rule.documented("it may be used again once the order is no longer open"),
    check: Effect.fnUntraced(function*(world) {
      const { clientOrderId: key } = Dialects.keys(world.dialect)
      const market = yield* world.market
      const account = yield* world.trader
      const order = entry.draft(market, "buy", { [key]: world.unique("reused") })
      yield* Orders.place(world, account, entry.path, order)
      yield* world.call(account, Paths.cancelAll)
      const answer = yield* Orders.submit(world, account, entry.path, order)
      yield* Dialects.clientOrderIds(world.dialect) === "never"
        ? refuses(world, entry, answer, key)
        : Verdict.expect(answer, "HTTP 200", Refusals.isSuccess(answer))
    })
  })

const afterRefusal = (entry: OrderEntry): Rule.Rule =>
  rulesOf(entry).always(`${entry.id}.client-order-id.after-refusal`, {
    statement: "Accepts the client order id of an order that was refused",
    live: Rule.other("the key is clientOrderId"),
    check: Effect.fnUntraced(function*(world) {
      const { clientOrderId: key } = Dialects.keys(world.dialect)
      const account = yield* world.trader
      const order = entry.draft(yield* world.market, "buy", { [key]: world.unique("refused") })
      const refused = yield* Orders.submit(world, account, entry.path, { ...order, amount: "0" })
      yield* Refusals.any(refused, "because the amount is zero")
      const answer = yield* Orders.submit(world, account, entry.path, order)
      yield* Verdict.expect(answer, "HTTP 200, because no order has this id", Refusals.isSuccess(answer))
    })
  })

/** Returns all rules about the client order ids of one call. */
export const rules = (entry: OrderEntry): ReadonlyArray<Rule.Rule> => [
  refusesValues(
    entry,
    "refuses",
    "Refuses a client order id with characters other than letters, digits, dashes, dots and underscores",
    "the key is clientOrderId; HTTP 422, code 36",
    Boundaries.badClientOrderIds,
    Boundaries.forbidden.map((character) => `a${character}b`)
  ),
  refusesValues(
    entry,
    "type",
    "Refuses a client order id that is not a string",
    "the key is clientOrderId; HTTP 422",
    Boundaries.noTexts,
    [1]
  ),
  accepts(entry),
  none(entry),
  unique(entry),
  perAccount(entry),
  forEver(entry),
  afterRefusal(entry)
]

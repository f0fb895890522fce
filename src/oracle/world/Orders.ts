/** The orders that rules place: small, far from the market, and canceled afterwards. */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import type * as Target from "../Target.ts"
import * as Verdict from "../Verdict.ts"
import * as Dialects from "./Dialects.ts"
import { digits, perpetual, priceText } from "./Markets.ts"
import * as Paths from "./Paths.ts"
import * as Refusals from "./Refusals.ts"
import type * as Signing from "./Signing.ts"
import * as Undoing from "./Undoing.ts"
import type { Account, Body, Market, World } from "./World.ts"

/** The side of an order. */
export type Side = "buy" | "sell"

/** All values of {@link Side}. */
export const sides: ReadonlyArray<Side> = ["buy", "sell"]

/** Returns the opposite side. */
export const opposite = (side: Side): Side => side === "buy" ? "sell" : "buy"

/** The ratio of an order's amount to the smallest possible amount. */
const multiple = 3

/**
 * Returns an amount above the market's minimum amount, whose total exceeds the minimum total at each of these prices.
 */
export const amountFor = ({ minAmount, minTotal, step, stockPrecision }: Market, ...prices: ReadonlyArray<number>) => {
  const least = Math.max(minAmount, ...prices.map((price) => minTotal / price))
  return digits(Math.ceil(least * multiple / step) * step, stockPrecision)
}

/**
 * Added to the factor of every price, so that prices have odd digits, and a target that rounds them is noticed. Has no
 * effect on a market with coarse steps.
 */
const odd = 9.25e-6

const priceAt = (market: Market, factor: number): string => priceText(market, market.price * (factor + odd))

/** Returns a price far below the market. */
export const lowPrice = (market: Market): string => priceAt(market, 0.5)

/**
 * Creates a stop-limit order that waits far from the market: a buy above the market, a sell below it. The order's
 * prices differ, so a response that mixes them up is noticed.
 */
export const stopLimit = (market: Market, side: Side, more: Body = {}): Body => {
  const [trigger, limit] = side === "buy" ? [1.9, 1.85] : [0.5, 0.52]
  return {
    market: market.name,
    side,
    amount: amountFor(market, Number(priceAt(market, limit))),
    price: priceAt(market, limit),
    activation_price: priceAt(market, trigger),
    ...more
  }
}

/**
 * Creates an OCO order whose legs wait far from the market on both sides. The order's prices differ, so a response that
 * mixes them up is noticed.
 */
export const oco = (market: Market, side: Side, more: Body = {}): Body => {
  const [takeProfit, trigger, stop] = side === "buy" ? [0.5, 1.8, 1.75] : [1.8, 0.5, 0.52]
  return {
    market: market.name,
    side,
    amount: amountFor(market, Number(priceAt(market, takeProfit)), Number(priceAt(market, stop))),
    price: priceAt(market, takeProfit),
    activation_price: priceAt(market, trigger),
    stop_limit_price: priceAt(market, stop),
    ...more
  }
}

/** Returns the perpetual market, at the given market's price. Its price step is 1. */
export const asPerpetual = (market: Market): Market => ({ ...market, name: perpetual, moneyPrecision: 0, tick: 1 })

/**
 * Returns a market on which even an order just below the minimum amount exceeds the minimum total, so that only the
 * minimum amount limits how small an order can be. Every account of a sandbox can pay for such an order. Moves the
 * market to its base price.
 */
export const boundByAmount = Effect.fnUntraced(function*({ control, markets }: World) {
  const found = (yield* markets).find(({ minAmount, minTotal, price, step }) =>
    minAmount > step && (minAmount - step) * price * 0.4 > minTotal && minAmount * price * 2 < 10_000
  )
  if (found === undefined) return yield* Verdict.skip("on every market, the smallest total decides")
  yield* control("MovePrice", { market: found.name, price: priceText(found, found.price) })
  return found
})

/** The plain order that must be placed first on a path, keyed by path. */
const drafts: Readonly<Record<string, typeof oco>> = { [Paths.oco]: oco, [Paths.stopLimit]: stopLimit }

/** Returns the JSON object of a successful response. */
export const objectOf = (answer: Target.Answer): Effect.Effect<Body, Verdict.CheckError> =>
  answer.status === 200 && Refusals.isSuccess(answer) && Json.isObject(answer.json)
    ? Effect.succeed(answer.json)
    : Effect.fail(
      new Verdict.Broken({ expected: "HTTP 200 with a JSON object", got: Verdict.describe(answer), answer })
    )

/** Whether the order was refused only because the account lacks funds. */
const lacksFunds = ({ json, status }: Target.Answer): boolean =>
  status !== 401 && Json.isObject(json) &&
  ([10, 17, 111].includes(Number(json["code"])) || Json.stringify(json["errors"] ?? "").includes("Not enough balance"))

const outOfFunds = "the account's balance does not cover the smallest order"

const placed = (answer: Target.Answer): Effect.Effect<Body, Verdict.CheckError> =>
  lacksFunds(answer) ? Verdict.skip(outOfFunds) : objectOf(answer)

/** Returns the ids in an order. For an OCO order, these are the ids of both legs. */
export const idsOf = (world: World, order: Body): ReadonlyArray<string> => {
  const key = Dialects.keys(world.dialect).orderId
  return [order[key], order["stop_loss"], order["take_profit"]].flatMap((value) =>
    value === undefined ? [] : [String(Json.isObject(value) ? value[key] : value)]
  )
}

/**
 * Makes a call that may place an order, and cancels the order when the run ends. If the order may still be open after
 * that, the report warns about it, and no more orders are placed.
 */
export const submit = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  path: string,
  fields: Body,
  tampering: Signing.Tampering = {}
): Effect.fn.Return<Target.Answer, Verdict.CheckError> {
  // In a sandbox, all changes are undone at the end of the check.
  if (world.profile !== "mutating") return yield* world.call(account, path, fields, tampering)
  const market = yield* world.market
  const plain = drafts[path]?.(market, "buy") ?? fields
  const answer = yield* Undoing.place(world, account, path, fields, plain, tampering)
  return yield* funded(answer)
})

/** Skips the value if an order was refused for lack of funds; otherwise returns the response. */
export const funded = (answer: Target.Answer): Effect.Effect<Target.Answer, Verdict.CheckError> =>
  lacksFunds(answer) ? Verdict.skip(outOfFunds) : Effect.succeed(answer)

/** Places an order, which is canceled when the run ends. Skips the value if the account lacks the funds. */
export const place = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  path: string,
  fields: Body
): Effect.fn.Return<{ readonly answer: Target.Answer; readonly order: Body }, Verdict.CheckError> {
  const answer = yield* submit(world, account, path, fields)
  return { answer, order: yield* placed(answer) }
})

/** Returns an account's orders, open or closed, keyed by id. */
export const list = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  path: typeof Paths.activeOrders | typeof Paths.orderHistory
): Effect.fn.Return<ReadonlyMap<string, Body>, Verdict.CheckError> {
  const answer = yield* world.call(account, path, { limit: 100 })
  // The response has one list of open orders, but a list of closed orders per market.
  const listed = Refusals.isSuccess(answer) && Json.isObject(answer.json)
    ? Object.values(answer.json).flat()
    : answer.json
  if (!Array.isArray(listed)) return yield* Verdict.skip(`needs ${path} to look up an order`)
  const key = Dialects.keys(world.dialect).orderId
  return new Map(listed.filter(Json.isObject).map((order) => [String(order[key] ?? order["id"]), order]))
})

/** Finds an order, open or closed. */
export const find = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  id: unknown
): Effect.fn.Return<Body, Verdict.CheckError> {
  const open = yield* list(world, account, Paths.activeOrders)
  const found = open.get(String(id)) ?? (yield* list(world, account, Paths.orderHistory)).get(String(id))
  return found === undefined
    ? yield* new Verdict.Broken({ expected: `order ${String(id)} is open or closed`, got: "neither" })
    : found
})

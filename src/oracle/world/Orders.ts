/**
 * Orders as the rules place them: of the smallest amount, far from the market, canceled again.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import * as Rule from "../Rule.ts"
import type * as Target from "../Target.ts"
import * as Paths from "./Paths.ts"
import * as Refusals from "./Refusals.ts"
import * as Spelling from "./Spelling.ts"
import * as World from "./World.ts"

type Fields = Readonly<Record<string, unknown>>

/** How many of the smallest possible amounts an order has. */
const worth = 3

/** An amount that is not below the market's least, and whose total is not either, at any of these prices. */
export const amountFor = ({ minAmount, minTotal, stockPrecision }: World.Market, ...prices: ReadonlyArray<number>) => {
  const step = 10 ** -stockPrecision
  const least = Math.max(minAmount, ...prices.map((price) => minTotal / price))
  return World.digits(Math.ceil(least * worth / step) * step, stockPrecision)
}

const at = (market: World.Market, factor: number): number =>
  Number(World.digits(market.price * factor, market.moneyPrecision))

const priceAt = (market: World.Market, factor: number): string =>
  World.digits(at(market, factor), market.moneyPrecision)

/** A price at which nobody sells. */
export const lowPrice = (market: World.Market): string => priceAt(market, 0.5)

/**
 * A stop-limit order that waits far from the market: a buy above it, a sell below it.
 *
 * @category orders
 * @since 0.1.0
 */
export const stopLimit = (market: World.Market, side: "buy" | "sell", more: Fields = {}): Fields => {
  const factor = side === "buy" ? 1.9 : 0.5
  return {
    market: market.name,
    side,
    amount: amountFor(market, at(market, factor)),
    price: priceAt(market, factor),
    activation_price: priceAt(market, factor),
    ...more
  }
}

/**
 * An OCO order whose legs wait far from the market on both sides.
 *
 * @category orders
 * @since 0.1.0
 */
export const oco = (market: World.Market, side: "buy" | "sell", more: Fields = {}): Fields => {
  const [takeProfit, stop] = side === "buy" ? [0.5, 1.8] : [1.8, 0.5]
  return {
    market: market.name,
    side,
    amount: amountFor(market, at(market, takeProfit), at(market, stop)),
    price: priceAt(market, takeProfit),
    activation_price: priceAt(market, stop),
    stop_limit_price: priceAt(market, stop),
    ...more
  }
}

/** The object that an answer is. */
export const objectOf = (answer: Target.Answer): Effect.Effect<Fields, Rule.Stop> =>
  answer.status === 200 && Json.isObject(answer.json)
    ? Effect.succeed(answer.json)
    : Effect.fail(new Rule.Broken({ expected: "HTTP 200 with a JSON object", got: Rule.describe(answer), answer }))

/** Whether the account can't have such an order, for a reason that has nothing to do with the rule. */
const isPoor = ({ json, status }: Target.Answer): boolean =>
  status !== 401 && Json.isObject(json) && (json["code"] === 10 || json["code"] === 111)

const tooPoor = "the account has not enough balance for the smallest order"

const placed = (answer: Target.Answer): Effect.Effect<Fields, Rule.Stop> =>
  isPoor(answer) ? Rule.skip(tooPoor) : objectOf(answer)

/** The identifiers in an order's answer; of both legs of an OCO order, and of the pair. */
export const idsOf = (world: World.World, order: Fields): ReadonlyArray<string> => {
  const key = Spelling.keys(world.dialect).orderId
  return [order["id"], order[key], order["stop_loss"], order["take_profit"]].flatMap((value) =>
    value === undefined ? [] : [String(Json.isObject(value) ? value[key] : value)]
  )
}

/**
 * Makes a call that may place an order. What it places is canceled when the run is over; where it can't be known whether
 * there is an order, or which, that is told.
 *
 * @category orders
 * @since 0.1.0
 */
export const attempt = Effect.fnUntraced(function*(
  world: World.World,
  account: World.Account,
  path: string,
  fields: Fields
): Effect.fn.Return<Target.Answer, Rule.Stop> {
  const call = world.call(account, path, fields)
  if (world.profile !== "mutating") return yield* call
  const inDoubt = (market: unknown, reason: string) =>
    world.warn(`an order on ${String(market)} may be open: ${reason}`)
  const answer = yield* Effect.tapError(call, ({ reason }) => inDoubt(fields["market"], reason))
  if (isPoor(answer)) return yield* Rule.skip(tooPoor)
  if (Refusals.isRefused(answer)) return answer
  const json = Json.isObject(answer.json) ? answer.json : {}
  // Where the market is wrong, the answer's is where the order is.
  const leg = Json.isObject(json["take_profit"]) ? json["take_profit"] : json
  const market = leg["market"] ?? fields["market"]
  const orderId = Number(idsOf(world, json)[0])
  if (!Number.isSafeInteger(orderId)) {
    yield* inDoubt(market, Rule.describe(answer))
    return answer
  }
  const cancel = world.call(account, path === Paths.oco ? Paths.cancelOco : Paths.cancelOrder, {
    market,
    [Spelling.keys(world.dialect).orderId]: orderId
  })
  const order = `order ${orderId} on ${String(market)}`
  yield* world.onEnd(
    Effect.matchEffect(cancel, {
      onSuccess: (answer) =>
        answer.status < 300 ? Effect.void : world.warn(`${order} may be open still: ${Rule.describe(answer)}`),
      onFailure: ({ reason }) => world.warn(`${order} may be open still: ${reason}`)
    })
  )
  return answer
})

/**
 * Places an order, which is canceled when the run is over.
 *
 * @category orders
 * @since 0.1.0
 */
export const place = Effect.fnUntraced(function*(
  world: World.World,
  account: World.Account,
  path: string,
  fields: Fields
): Effect.fn.Return<{ readonly answer: Target.Answer; readonly order: Fields }, Rule.Stop> {
  const answer = yield* attempt(world, account, path, fields)
  return { answer, order: yield* placed(answer) }
})

/**
 * An account's orders that can still trade, or that have ended, by identifier.
 *
 * @category orders
 * @since 0.1.0
 */
export const list = Effect.fnUntraced(function*(
  world: World.World,
  account: World.Account,
  path: typeof Paths.activeOrders | typeof Paths.orderHistory
): Effect.fn.Return<ReadonlyMap<string, Fields>, Rule.Stop> {
  const answer = yield* world.call(account, path, { limit: 100 })
  // Open orders come as a list, those that have ended as a list for each market.
  const listed = answer.status === 200 && Json.isObject(answer.json) ? Object.values(answer.json).flat() : answer.json
  if (!Array.isArray(listed)) return yield* Rule.skip(`needs ${path} to see what became of an order`)
  const key = Spelling.keys(world.dialect).orderId
  return new Map(listed.filter(Json.isObject).map((order) => [String(order[key] ?? order["id"]), order]))
})

/** What became of one order, whether it is open or has ended. */
export const find = Effect.fnUntraced(function*(
  world: World.World,
  account: World.Account,
  id: unknown
): Effect.fn.Return<Fields, Rule.Stop> {
  const open = yield* list(world, account, Paths.activeOrders)
  const found = open.get(String(id)) ?? (yield* list(world, account, Paths.orderHistory)).get(String(id))
  return found === undefined
    ? yield* new Rule.Broken({ expected: `order ${String(id)} is open or has ended`, got: "neither" })
    : found
})

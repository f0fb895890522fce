/** The markets that rules trade on. */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import type { Profile } from "../Profile.ts"
import * as Verdict from "../Verdict.ts"
import * as Paths from "./Paths.ts"
import type { Market, World } from "./World.ts"

/** The price of a sandbox's market at the start of every rule. */
export const basePrice = 40_000

/** A futures market of a sandbox. */
export const perpetual = "BTC_PERP"

/** The market that rules prefer to trade on. */
const preferred = "BTC_USDT"

/** Returns a number as text with `precision` decimal places, or with none if `precision` is negative. */
export const digits = (value: number, precision: number): string => value.toFixed(Math.max(precision, 0))

/** Returns a price rounded to the market's step, with the market's number of decimal places. */
export const priceText = ({ moneyPrecision, tick }: Pick<Market, "moneyPrecision" | "tick">, price: number): string =>
  digits(Math.round(price / tick) * tick, moneyPrecision)

/** Returns a price `percent` % above the market's price, or below it if `percent` is negative. */
export const above = (market: Market, percent: number): string => priceText(market, market.price * (1 + percent / 100))

/** Returns the step that the market list gives, or else one unit in the market's last decimal place. */
const stepOf = (listed: unknown, precision: number): number => Number(listed) > 0 ? Number(listed) : 10 ** -precision

/** Returns a market from the target's list, together with its price. */
export const toMarket = (listed: Readonly<Record<string, unknown>>, price: number): Market => ({
  name: String(listed["name"]),
  stock: String(listed["stock"]),
  money: String(listed["money"]),
  stockPrecision: Number(listed["stockPrec"]),
  moneyPrecision: Number(listed["moneyPrec"]),
  step: stepOf(listed["stepSize"], Number(listed["stockPrec"])),
  tick: stepOf(listed["tickSize"], Number(listed["moneyPrec"])),
  minAmount: Number(listed["minAmount"]),
  minTotal: Number(listed["minTotal"]),
  maxTotal: Number(listed["maxTotal"]),
  price
})

/** Skips the value if the market does not allow orders of this amount at this price. */
export const allows = (
  { minAmount, minTotal }: Market,
  amount: number,
  price: number
): Effect.Effect<void, Verdict.Skipped> =>
  amount < minAmount || amount * price < minTotal
    ? Verdict.skip(`the market does not allow an order of ${amount} at ${price}`)
    : Effect.void

const isTradable = (listed: Readonly<Record<string, unknown>>): boolean =>
  listed["tradesEnabled"] === true && listed["isCollateral"] === true && listed["type"] === "spot"

/** Reads a price from a response; 0 if the value is not a price. */
const toPrice = (value: unknown): number => {
  const price = Number(value)
  return price > 0 && Number.isFinite(price) ? price : 0
}

/** Returns the best price on one side of an order book. */
const best = (side: unknown): number => {
  const order: unknown = Array.isArray(side) ? side[0] : undefined
  return toPrice(Array.isArray(order) ? order[0] : undefined)
}

/** Returns a market's mid price, or 0 if one side of its book is empty. */
const bookPrice = Effect.fnUntraced(function*(get: World["get"], name: string) {
  const { json } = yield* get(`${Paths.orderBook}/${name}`)
  const [ask, bid] = Json.isObject(json) ? [best(json["asks"]), best(json["bids"])] : [0, 0]
  return ask > 0 && bid > 0 ? (ask + bid) / 2 : 0
})

/**
 * Returns a market's price: the declared price, the last price from the tickers, or the mid price of its order book.
 */
const priceOf = Effect.fnUntraced(function*(
  get: World["get"],
  declared: Readonly<Record<string, string>>,
  tickers: unknown,
  name: string
) {
  const declaredPrice = toPrice(declared[name])
  if (declaredPrice > 0) return declaredPrice
  const ticker = Json.isObject(tickers) ? tickers[name] : undefined
  const last = Json.isObject(ticker) ? toPrice(ticker["last_price"]) : 0
  return last > 0 ? last : yield* bookPrice(get, name)
})

/** The maximum number of order books that are read to find a price. */
const maxBooks = 5

const read = Effect.fnUntraced(function*(
  get: World["get"],
  profile: Profile,
  declared: Readonly<Record<string, string>>
): Effect.fn.Return<ReadonlyArray<Market>, Verdict.CheckError> {
  const { json } = yield* get(Paths.markets)
  const listed = (Array.isArray(json) ? json.filter(Json.isObject) : []).filter(isTradable)
  if (profile === "control") return listed.map((market) => toMarket(market, basePrice))
  const { json: tickers } = yield* get(Paths.tickers)
  const isPriced = Json.isObject(tickers) && Object.keys(tickers).length > 0
  // Without tickers, finding the price of every market would take one call each.
  const some = isPriced ? listed : listed.toSorted(byDeclared(declared)).slice(0, maxBooks)
  return yield* Effect.forEach(
    some,
    (market) => Effect.map(priceOf(get, declared, tickers, String(market["name"])), (price) => toMarket(market, price))
  )
})

/** Sorts markets: those with a declared price first, then the preferred market, then all others. */
const byDeclared =
  (declared: Readonly<Record<string, string>>) =>
  (one: Readonly<Record<string, unknown>>, two: Readonly<Record<string, unknown>>): number => {
    const rank = ({ name }: Readonly<Record<string, unknown>>) =>
      Object.hasOwn(declared, String(name)) ? 0 : name === preferred ? 1 : 2
    return rank(one) - rank(two)
  }

/** Returns the target's markets, read once. In a sandbox, `market` also moves the market's price to the base price. */
export const make = (
  { control, get }: Pick<World, "control" | "get">,
  profile: Profile,
  prices: Readonly<Record<string, string>> = {}
): Pick<World, "market" | "markets"> => {
  let known: ReadonlyArray<Market> | undefined
  const markets: World["markets"] = Effect.suspend(() =>
    known === undefined
      ? Effect.tap(read(get, profile, prices), (markets) => Effect.sync(() => known = markets))
      : Effect.succeed(known)
  )
  const market: World["market"] = Effect.gen(function*() {
    const all = yield* markets
    const found = all.find(({ name, price }) => name === preferred && price > 0) ?? all.find(({ price }) => price > 0)
    if (found === undefined) {
      return yield* Verdict.skip(
        `needs ${Paths.markets} to list a collateral market with a price; declare the price as a feature`
      )
    }
    if (profile === "control") yield* control("MovePrice", { market: found.name, price: String(basePrice) })
    return found
  })
  return { market, markets }
}

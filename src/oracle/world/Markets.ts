/** The markets that rules trade on. */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import type { Profile } from "../Profile.ts"
import * as Verdict from "../Verdict.ts"
import * as Paths from "./Paths.ts"
import type { Market, World } from "./World.ts"

/** The price from which every rule begins on a market of a sandbox. */
export const basePrice = 40_000

/** The market to trade on, where the target has it. */
const preferred = "BTC_USDT"

/** A number in decimal digits. */
export const digits = (value: number, precision: number): string => value.toFixed(precision)

/** A price in as many digits as the market allows. */
export const priceText = ({ moneyPrecision }: Pick<Market, "moneyPrecision">, price: number): string =>
  digits(price, moneyPrecision)

/** A market as the target lists it, with a price. */
export const toMarket = (listed: Readonly<Record<string, unknown>>, price: number): Market => ({
  name: String(listed["name"]),
  stock: String(listed["stock"]),
  money: String(listed["money"]),
  stockPrecision: Number(listed["stockPrec"]),
  moneyPrecision: Number(listed["moneyPrec"]),
  minAmount: Number(listed["minAmount"]),
  minTotal: Number(listed["minTotal"]),
  maxTotal: Number(listed["maxTotal"]),
  price
})

const isTradable = (listed: Readonly<Record<string, unknown>>): boolean =>
  listed["tradesEnabled"] === true && listed["isCollateral"] === true && listed["type"] === "spot"

/** A price in an answer; 0 where it is none. */
const toPrice = (value: unknown): number => {
  const price = Number(value)
  return price > 0 && Number.isFinite(price) ? price : 0
}

/** The price of the best order on one side of an order book. */
const best = (side: unknown): number => {
  const order: unknown = Array.isArray(side) ? side[0] : undefined
  return toPrice(Array.isArray(order) ? order[0] : undefined)
}

/** The price between the best orders of a market; 0 where its book lacks a side. */
const bookPrice = Effect.fnUntraced(function*(get: World["get"], name: string) {
  const { json } = yield* get(`${Paths.orderBook}/${name}`)
  const [ask, bid] = Json.isObject(json) ? [best(json["asks"]), best(json["bids"])] : [0, 0]
  return ask > 0 && bid > 0 ? (ask + bid) / 2 : 0
})

/** A market's price: the declared one, the last one of the tickers, or the middle of its order book. */
const priceOf = Effect.fnUntraced(function*(
  get: World["get"],
  declared: Readonly<Record<string, string>>,
  tickers: unknown,
  name: string
) {
  const said = toPrice(declared[name])
  if (said > 0) return said
  const ticker = Json.isObject(tickers) ? tickers[name] : undefined
  const last = Json.isObject(ticker) ? toPrice(ticker["last_price"]) : 0
  return last > 0 ? last : yield* bookPrice(get, name)
})

/** The most markets whose order books are asked for a price. */
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
  // Without tickers each market's book would be a call.
  const some = isPriced ? listed : listed.toSorted(byDeclared(declared)).slice(0, maxBooks)
  return yield* Effect.forEach(
    some,
    (market) => Effect.map(priceOf(get, declared, tickers, String(market["name"])), (price) => toMarket(market, price))
  )
})

/** Markets whose price is declared come first, and then the one that is traded by default. */
const byDeclared =
  (declared: Readonly<Record<string, string>>) =>
  (one: Readonly<Record<string, unknown>>, two: Readonly<Record<string, unknown>>): number => {
    const rank = ({ name }: Readonly<Record<string, unknown>>) =>
      Object.hasOwn(declared, String(name)) ? 0 : name === preferred ? 1 : 2
    return rank(one) - rank(two)
  }

/** The target's markets, which are read once. In a sandbox each rule begins with the market at its base price. */
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
        `needs ${Paths.markets} to list a market that trades with collateral, and its price: declare it as a feature`
      )
    }
    if (profile === "control") yield* control("MovePrice", { market: found.name, price: String(basePrice) })
    return found
  })
  return { market, markets }
}

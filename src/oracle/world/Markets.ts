/**
 * The markets that rules trade on.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import type { Profile } from "../Profile.ts"
import * as Verdict from "../Verdict.ts"
import * as Paths from "./Paths.ts"
import type { Market, World } from "./World.ts"

/** The price from which every rule begins on a market of a sandbox. */
export const basePrice = 40_000

/** A number in decimal digits. */
export const digits = (value: number, precision: number): string => value.toFixed(precision)

/** A price in as many digits as the market allows. */
export const priceText = ({ moneyPrecision }: Pick<Market, "moneyPrecision">, price: number): string =>
  digits(price, moneyPrecision)

const toMarket = (listed: Readonly<Record<string, unknown>>, price: number): Market => ({
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

const read = Effect.fnUntraced(function*(get: World["get"], profile: Profile) {
  const { json } = yield* get(Paths.markets)
  const listed = Array.isArray(json) ? json.filter(Json.isObject) : []
  const tickers = profile === "control" ? undefined : (yield* get(Paths.tickers)).json
  const priceOf = (name: string): number => {
    if (profile === "control") return basePrice
    const ticker = Json.isObject(tickers) ? tickers[name] : undefined
    return Number(Json.isObject(ticker) ? ticker["last_price"] : 0)
  }
  return listed.filter(isTradable).map((market) => toMarket(market, priceOf(String(market["name"]))))
})

/** The target's markets, which are read once. In a sandbox each rule begins with the market at its base price. */
export const make = (
  { control, get }: Pick<World, "control" | "get">,
  profile: Profile
): Pick<World, "market" | "markets"> => {
  let known: ReadonlyArray<Market> | undefined
  const markets: World["markets"] = Effect.suspend(() =>
    known === undefined
      ? Effect.tap(read(get, profile), (markets) => Effect.sync(() => known = markets))
      : Effect.succeed(known)
  )
  const market: World["market"] = Effect.gen(function*() {
    const all = yield* markets
    const found = all.find(({ name, price }) => name === "BTC_USDT" && price > 0) ?? all.find(({ price }) => price > 0)
    if (found === undefined) {
      return yield* Verdict.skip(
        `needs ${Paths.markets} and ${Paths.tickers} to list a market that trades with collateral`
      )
    }
    if (profile === "control") yield* control("MovePrice", { market: found.name, price: String(basePrice) })
    return found
  })
  return { market, markets }
}

/**
 * A market's index price and mark price. The index price follows the last price of the spot market with the same
 * currencies, or the market's own last price if no such spot market has a price. The mark price follows the index
 * price. The venue's owner can fix either price.
 *
 * The live exchange's mark price is the median of the index with accrued funding, the index with a smoothed basis, and
 * the last price. The sandbox has neither accrued funding nor a basis, so two of the three values equal the index, and
 * so does the median.
 */
import type { MarketName, Ticker } from "../../domain/Identifiers.ts"
import type { Market } from "../../domain/Market.ts"
import * as Listings from "./Listings.ts"
import type { State } from "./State.ts"
import * as Units from "./Units.ts"

/**
 * The source of each market's index price: the spot market with the same currencies if there is one, otherwise the
 * market itself.
 */
const sources: ReadonlyMap<MarketName, MarketName> = new Map(
  Listings.markets.map(({ money, name, stock }) => [
    name,
    Listings.markets.find((market) => market.type === "spot" && market.stock === stock && market.money === money)
      ?.name ?? name
  ])
)

/**
 * For each market, the markets whose reference prices can depend on its last price: the market itself and, for a spot
 * market, the futures markets with the same currencies.
 */
const followers: ReadonlyMap<MarketName, ReadonlyArray<MarketName>> = new Map(
  Listings.markets.map(({ name }) => [
    name,
    Listings.markets.flatMap((market) => market.name === name || sources.get(market.name) === name ? [market.name] : [])
  ])
)

/** A market's index price, in units of the quote currency; `undefined` before the first trade or owner-set price. */
export const index = ({ trading }: State, market: MarketName): Units.Units | undefined => {
  const own = trading.get(market)
  return own?.indexPrice ?? trading.get(sources.get(market) ?? market)?.lastPrice ?? own?.lastPrice
}

/** A market's mark price, in units of the quote currency; `undefined` before the first trade or owner-set price. */
export const mark = (state: State, market: MarketName): Units.Units | undefined =>
  state.trading.get(market)?.markPrice ?? index(state, market)

/** For each collateral asset, the spot market that determines its index price. */
const assetMarkets: ReadonlyMap<Ticker, MarketName> = new Map(
  Listings.markets.filter(({ money, type }) => type === "spot" && money === Listings.settlement)
    .map(({ name, stock }) => [stock, name])
)

/**
 * The market whose index price is used as an asset's price; `undefined` if there is none, as for the settlement
 * currency.
 */
export const assetMarket = (ticker: Ticker): MarketName | undefined => assetMarkets.get(ticker)

/** An asset's price in the settlement currency; `undefined` if the asset has no market, or its market has no price. */
export const ofAsset = (state: State, ticker: Ticker): Units.Units | undefined => {
  if (ticker === Listings.settlement) return Units.one
  const market = assetMarkets.get(ticker)
  return market === undefined ? undefined : index(state, market)
}

const followersOf = (market: MarketName): ReadonlyArray<MarketName> => followers.get(market) ?? []

/**
 * Records that a market's last price has changed, so that accounts with positions are checked at the end of the
 * command. Does nothing while there are no positions.
 */
export const lastMoved = (state: State, { name }: Market): void => {
  if (state.positions.size === 0) return
  for (const market of followersOf(name)) state.watches.moved.add(market)
}

/**
 * Records that the venue's owner has moved a market's last price, so that the outside market can take liquidated
 * positions at the mark price. Does nothing while there are no positions.
 */
export const lastMovedByOwner = (state: State, market: Market): void => {
  if (state.positions.size > 0) referenceMoved(state, market.name)
}

/** Records that the venue's owner has set a market's index price or mark price. */
export const referenceMoved = ({ watches }: State, market: MarketName): void => {
  for (const follower of followersOf(market)) {
    watches.moved.add(follower)
    watches.byOwner.add(follower)
  }
}

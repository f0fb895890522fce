/**
 * The index price and the mark price of a market. The index follows the last price of the spot market of the same
 * currencies, or else the market's own; the mark follows the index. The owner of the venue can set each.
 *
 * The live exchange's mark price is the median of the index with accrued funding, the index with a smoothed basis, and the
 * last price. Without funding that accrues and a basis that is smoothed over time, two of the three are the index.
 */
import type { MarketName, Ticker } from "../../domain/Identifiers.ts"
import type { Market } from "../../domain/Market.ts"
import * as Listings from "./Listings.ts"
import type { State } from "./State.ts"
import * as Units from "./Units.ts"

/** The market whose last price is the index: the spot market of the same currencies, or else the market itself. */
const sources: ReadonlyMap<MarketName, MarketName> = new Map(
  Listings.markets.map(({ money, name, stock }) => [
    name,
    Listings.markets.find((market) => market.type === "spot" && market.stock === stock && market.money === money)
      ?.name ?? name
  ])
)

/** The markets whose reference prices may depend on the last price of a market: itself, and the futures on it. */
const followers: ReadonlyMap<MarketName, ReadonlyArray<MarketName>> = new Map(
  Listings.markets.map(({ name }) => [
    name,
    Listings.markets.flatMap((market) => market.name === name || sources.get(market.name) === name ? [market.name] : [])
  ])
)

/** The index price of a market, in units of the quote currency; `undefined` if no market has a price. */
export const index = ({ trading }: State, market: MarketName): Units.Units | undefined => {
  const own = trading.get(market)
  return own?.indexPrice ?? trading.get(sources.get(market) ?? market)?.lastPrice ?? own?.lastPrice
}

/** The mark price of a market, in units of the quote currency; `undefined` if no market has a price. */
export const mark = (state: State, market: MarketName): Units.Units | undefined =>
  state.trading.get(market)?.markPrice ?? index(state, market)

/** The spot market that gives the index price of each collateral asset. */
const assetMarkets: ReadonlyMap<Ticker, MarketName> = new Map(
  Listings.markets.filter(({ money, type }) => type === "spot" && money === Listings.settlement)
    .map(({ name, stock }) => [stock, name])
)

/** The market whose index price is the price of an asset; `undefined` for the settlement currency. */
export const assetMarket = (ticker: Ticker): MarketName | undefined => assetMarkets.get(ticker)

/** The price of an asset in the settlement currency; `undefined` if no market has a price. */
export const ofAsset = (state: State, ticker: Ticker): Units.Units | undefined => {
  if (ticker === Listings.settlement) return Units.one
  const market = assetMarkets.get(ticker)
  return market === undefined ? undefined : index(state, market)
}

const followersOf = (market: MarketName): ReadonlyArray<MarketName> => followers.get(market) ?? []

/**
 * Notes that the last price of a market has changed, so that accounts with positions are checked at the end of the command.
 * Costs nothing while there are no positions.
 */
export const lastMoved = (state: State, { name }: Market): void => {
  if (state.positions.size === 0) return
  for (const market of followersOf(name)) state.watches.moved.add(market)
}

/** Notes that the owner has moved the last price of a market; the outside market then trades at the mark price. */
export const lastMovedByOwner = (state: State, market: Market): void => {
  if (state.positions.size > 0) referenceMoved(state, market.name)
}

/** Notes that the owner has set the index price or the mark price of a market. */
export const referenceMoved = ({ watches }: State, market: MarketName): void => {
  for (const follower of followersOf(market)) {
    watches.moved.add(follower)
    watches.byOwner.add(follower)
  }
}

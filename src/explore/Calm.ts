/** Restores the exchange for the calm period, in which nothing that events have changed may last. */
import { Price } from "../domain/Decimal.ts"
import { ApiKey, type MarketName } from "../domain/Identifiers.ts"
import type { State } from "../sandbox/engine/State.ts"
import * as Units from "../sandbox/engine/Units.ts"
import * as Example from "../sandbox/Example.ts"
import type { OwnerRequest } from "../sandbox/venue/OwnerActions.ts"
import type * as Scenario from "./Scenario.ts"

const apiKey = ApiKey.make(Example.alice.apiKey)

/** Creates the request that enables or disables the program's API key. */
export const setKey = (enabled: boolean): OwnerRequest => ({ _tag: "SetKey", apiKey, enabled })

/** Creates the request that sets a market's mark price; without a price, the mark price follows the market. */
export const moveMark = (market: MarketName, price: Units.Units | undefined): OwnerRequest => ({
  _tag: "MoveMark",
  market,
  price: price === undefined ? null : Price.make(Units.toDecimal(price))
})

/** A change that events make to the exchange and that lasts: its current value, and the request that sets the value. */
interface Lasting<A> {
  readonly value: (state: State) => A
  readonly set: (value: A) => OwnerRequest
}

const lasting = <A>(value: Lasting<A>["value"], set: Lasting<A>["set"]) => (before: State) => {
  const original = value(before)
  return (state: State): ReadonlyArray<OwnerRequest> => value(state) === original ? [] : [set(original)]
}

const key = lasting(({ keys }) => keys.get(apiKey)?.enabled ?? true, setKey)

const quotes = (market: MarketName) =>
  lasting(({ counterparty }) => counterparty.markets.get(market)?.settings, (settings) => ({
    _tag: "SetCounterparty",
    market,
    ...settings === undefined
      ? { enabled: false }
      : { enabled: settings.enabled, levels: settings.levels, spread: settings.spread }
  }))

const mark = (market: MarketName) =>
  lasting(({ trading }) => trading.get(market)?.markPrice, (price) => moveMark(market, price))

/**
 * Remembers the quotes, the mark prices and the API key before the events. Returns a function that returns the requests
 * that restore whatever has changed.
 */
export const restoring = (
  before: State,
  events: ReadonlyArray<Scenario.Event>
): (state: State) => ReadonlyArray<OwnerRequest> => {
  const markets = new Set(events.flatMap((event) => "market" in event ? [event.market as MarketName] : []))
  const all = [key, ...[...markets].flatMap((market) => [quotes(market), mark(market)])].map((one) => one(before))
  return (state) => all.flatMap((one) => one(state))
}

/** The counterparty as the sandbox's owner sees it. */
import * as Schema from "effect/Schema"
import { Amount, Decimal } from "../../domain/Decimal.ts"
import { MarketName, Ticker } from "../../domain/Identifiers.ts"
import * as Quotes from "../engine/Quotes.ts"
import type { SetCounterpartyOptions } from "../engine/SetCounterparty.ts"
import type * as State from "../engine/State.ts"
import * as Units from "../engine/Units.ts"

/** A market that the counterparty quotes or has quoted, and its settings for this market, including defaults. */
export interface QuotedMarket extends SetCounterpartyOptions {
  /** Whether the counterparty quotes this market. */
  readonly enabled: boolean
  /** The distance between the counterparty's best bid and best ask, as a percentage of the price. */
  readonly spread: Decimal
  /** The number of price levels that the counterparty quotes on each side. */
  readonly levels: number
  /** The distance between neighboring price levels, as a percentage of the price. */
  readonly step: Decimal
  /** The largest random deviation of a quote's size from `amount`, as a percentage of `amount`. */
  readonly variation: Decimal
  /** Whether a filled quote is replaced immediately. */
  readonly refill: boolean
  /** Whether funds that the counterparty lacks for its quotes are credited automatically. */
  readonly credit: boolean
  /** The seed of the random deviations. */
  readonly seed: number
  /**
   * The price around which the counterparty quotes, in units of the quote currency; absent until the market has a
   * price.
   */
  readonly price?: Decimal
}

/** The funds of one asset credited to the counterparty. */
export interface Credited {
  /** The asset's ticker, such as `BTC`. */
  readonly ticker: Ticker
  /** The sum credited, in units of the asset. */
  readonly amount: Decimal
}

/** The state of the counterparty. */
export interface Counterparty {
  /**
   * The account name of the counterparty, which `Balances`, `OpenOrders`, `Positions` and `Fills` accept. `Accounts`
   * does not list this account.
   */
  readonly account: string
  /**
   * The funds credited from outside, either by `Fund` or automatically. The counterparty's balances minus these funds
   * are its gain or loss from trading.
   */
  readonly credited: ReadonlyArray<Credited>
  /** The markets that the counterparty quotes or has quoted. */
  readonly markets: ReadonlyArray<QuotedMarket>
}

/** The schema of {@link Counterparty}. */
export const Counterparty: Schema.Codec<Counterparty, unknown> = Schema.Struct({
  account: Schema.String,
  credited: Schema.Array(Schema.Struct({ ticker: Ticker, amount: Decimal })),
  markets: Schema.Array(Schema.Struct({
    market: MarketName,
    enabled: Schema.Boolean,
    spread: Decimal,
    levels: Schema.Int,
    step: Decimal,
    amount: Schema.optionalKey(Amount),
    variation: Decimal,
    refill: Schema.Boolean,
    credit: Schema.Boolean,
    seed: Schema.Int,
    price: Schema.optionalKey(Decimal)
  }))
})

/** Returns the owner's view of the counterparty in a state. */
export const counterparty = ({ counterparty: { credited, markets } }: State.State): Counterparty => ({
  account: Quotes.account,
  credited: Array.from(credited, ([ticker, units]) => ({ ticker, amount: Units.toDecimal(units) })),
  markets: Array.from(markets, ([market, { price, settings }]) => ({
    market,
    ...settings,
    ...(price === undefined ? {} : { price: Units.toDecimal(price) })
  }))
})

/** The counterparty as the owner of a sandbox sees it. */
import * as Schema from "effect/Schema"
import { Amount, Decimal } from "../../domain/Decimal.ts"
import { MarketName, Ticker } from "../../domain/Identifiers.ts"
import * as Quotes from "../engine/Quotes.ts"
import type { SetCounterpartyOptions } from "../engine/SetCounterparty.ts"
import type * as State from "../engine/State.ts"
import * as Units from "../engine/Units.ts"

/** A market that the counterparty quotes: the settings in force, including defaults. */
export interface QuotedMarket extends SetCounterpartyOptions {
  /** Whether it quotes. */
  readonly enabled: boolean
  /** The distance between its best bid and its best ask, in percent of the price. */
  readonly spread: Decimal
  /** The number of prices that it quotes on each side. */
  readonly levels: number
  /** The distance between neighbouring prices, in percent of the price. */
  readonly step: Decimal
  /** The largest random deviation of an offer from `amount`, in percent. */
  readonly variation: Decimal
  /** Whether an offer that was taken is renewed at once. */
  readonly refill: boolean
  /** Whether funds that its wallets lack for its quotes are credited from outside. */
  readonly credit: boolean
  /** The seed of the random deviations. */
  readonly seed: number
  /** The price around which it quotes, in units of the quote currency; absent while the market has had no price. */
  readonly price?: Decimal
}

/** The funds of one asset credited to the counterparty. */
export interface Credited {
  /** The asset. */
  readonly ticker: Ticker
  /** The sum credited, in units of the asset. */
  readonly amount: Decimal
}

/** The counterparty. */
export interface Counterparty {
  /** Its account, for `Balances`, `OpenOrders`, `Positions` and `Fills`. `Accounts` does not list it. */
  readonly account: string
  /**
   * The funds credited from outside, by `Fund` and automatically. The difference from its balances is its gain or loss
   * from trading.
   */
  readonly credited: ReadonlyArray<Credited>
  /** The markets that it quotes or has quoted. */
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

/** Reads the counterparty from the state. */
export const counterparty = ({ counterparty: { credited, markets } }: State.State): Counterparty => ({
  account: Quotes.account,
  credited: Array.from(credited, ([ticker, units]) => ({ ticker, amount: Units.toDecimal(units) })),
  markets: Array.from(markets, ([market, { price, settings }]) => ({
    market,
    ...settings,
    ...(price === undefined ? {} : { price: Units.toDecimal(price) })
  }))
})

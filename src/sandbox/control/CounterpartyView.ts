/** What the owner of a sandbox sees of the counterparty. */
import * as Schema from "effect/Schema"
import { Amount, Decimal } from "../../domain/Decimal.ts"
import { MarketName, Ticker } from "../../domain/Identifiers.ts"
import * as Quotes from "../engine/Quotes.ts"
import type { SetCounterpartyOptions } from "../engine/SetCounterparty.ts"
import type * as State from "../engine/State.ts"
import * as Units from "../engine/Units.ts"

/** How the counterparty quotes a market: the settings in force, those that nobody has stated too. */
export interface QuotedMarket extends SetCounterpartyOptions {
  /** Whether it quotes. */
  readonly enabled: boolean
  /** How far its best bid is below its best ask, in percent of the price. */
  readonly spread: Decimal
  /** At how many prices it quotes on each side. */
  readonly levels: number
  /** How far one of these prices is from the next, in percent of the price. */
  readonly step: Decimal
  /** How much larger or smaller than `amount` an offer may be, in percent. */
  readonly variation: Decimal
  /** Whether what was taken is offered anew at once. */
  readonly refill: boolean
  /** Whether what its wallets lack for its quotes is credited from outside. */
  readonly credit: boolean
  /** What the draws of `variation` began with. */
  readonly seed: number
  /** The price around which it quotes, in units of the quote currency; absent while the market has had none. */
  readonly price?: Decimal
}

/** How much of an asset has been credited. */
export interface Credited {
  /** The asset. */
  readonly ticker: Ticker
  /** How much, in units of the asset. */
  readonly amount: Decimal
}

/** The counterparty. */
export interface Counterparty {
  /** Its account, for `Balances`, `OpenOrders`, `Positions` and `Fills`. `Accounts` does not list it. */
  readonly account: string
  /**
   * How much it has been credited from outside, by `Fund` and by itself. What it has beyond that it has gained by trading,
   * and what is missing it has lost.
   */
  readonly credited: ReadonlyArray<Credited>
  /** The markets that it quotes, or has quoted. */
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

/** The counterparty as it stands. */
export const counterparty = ({ counterparty: { credited, markets } }: State.State): Counterparty => ({
  account: Quotes.account,
  credited: Array.from(credited, ([ticker, units]) => ({ ticker, amount: Units.toDecimal(units) })),
  markets: Array.from(markets, ([market, { price, settings }]) => ({
    market,
    ...settings,
    ...(price === undefined ? {} : { price: Units.toDecimal(price) })
  }))
})

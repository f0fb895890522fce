/** The owner action that makes the counterparty quote a market. */
import * as Schema from "effect/Schema"
import { Amount, Decimal } from "../../domain/Decimal.ts"
import { MarketName } from "../../domain/Identifiers.ts"

/** The counterparty's settings for a market. */
export interface CounterpartyOptions {
  /**
   * Whether the counterparty quotes. Defaults to `true`. If `false`, the counterparty withdraws its quotes and keeps
   * its funds.
   */
  readonly enabled?: boolean
  /**
   * The spread: the distance from the best bid to the best ask, as a percentage of the mid, which is the market's
   * price; above 0, at most 50. Defaults to `0.1`.
   */
  readonly spread?: Decimal
  /** The number of price levels on each side; 1 to 50. Defaults to `5`. */
  readonly levels?: number
  /**
   * The distance between neighboring levels, as a percentage of the mid; 0 to 1. The levels are always at least one
   * tick apart. Defaults to `0.05`.
   */
  readonly step?: Decimal
  /**
   * The amount at each level, in units of the base currency. By default, the amount is worth a thousand times the
   * market's minimum total.
   */
  readonly amount?: Amount
  /** The largest random deviation of a level's amount, as a percentage of `amount`; 0 to 100. Defaults to `50`. */
  readonly variation?: Decimal
  /**
   * Whether quotes that have traded are replaced at the end of the same command. Defaults to `true`. If `false`, they
   * are replaced at the next price move.
   */
  readonly refill?: boolean
  /**
   * Whether funds missing for the quotes are credited from outside. Defaults to `true`. If `false`, the counterparty
   * quotes only the amounts that its earnings and credits by `Fund` can cover.
   */
  readonly credit?: boolean
  /** The seed for the random amounts; a whole number. Defaults to `0`. */
  readonly seed?: number
}

/** The options of the owner action `SetCounterparty`. */
export interface SetCounterpartyOptions extends CounterpartyOptions {
  /** The market to quote. */
  readonly market: MarketName
}

/** An optional setting, with its description for the control plane's API. */
const setting = <S extends Schema.Top>(schema: S, description: string) =>
  Schema.optionalKey(schema).pipe(Schema.annotateKey({ description }))

/** The fields of `SetCounterparty`. */
export const SetCounterparty = {
  market: MarketName,
  enabled: setting(Schema.Boolean, "Whether the counterparty quotes; true by default."),
  spread: setting(
    Decimal,
    "The distance from the best bid to the best ask, as a percentage of the mid; above 0, at most 50; 0.1 by default."
  ),
  levels: setting(Schema.Int, "The number of price levels on each side; 1 to 50; 5 by default."),
  step: setting(
    Decimal,
    "The distance between neighboring levels, as a percentage of the mid; 0 to 1; 0.05 by default."
  ),
  amount: setting(
    Amount,
    "The amount at each level, in base currency; by default worth a thousand times the market's minimum total."
  ),
  variation: setting(
    Decimal,
    "The largest random deviation of a level's amount, as a percentage of `amount`; 0 to 100; 50 by default."
  ),
  refill: setting(
    Schema.Boolean,
    "Whether quotes that have traded are replaced at the end of the same command; true by default."
  ),
  credit: setting(Schema.Boolean, "Whether missing funds are credited from outside; true by default."),
  seed: setting(Schema.Int, "The seed for the random amounts; 0 by default.")
}

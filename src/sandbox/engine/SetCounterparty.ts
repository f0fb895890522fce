/** The owner action that makes the counterparty quote a market. */
import * as Schema from "effect/Schema"
import { Amount, Decimal } from "../../domain/Decimal.ts"
import { MarketName } from "../../domain/Identifiers.ts"

/** The settings of the counterparty on a market. */
export interface CounterpartyOptions {
  /** Whether it quotes. `true` when absent. `false` withdraws its quotes; its funds stay. */
  readonly enabled?: boolean
  /**
   * The distance from its best bid to its best ask, in percent of the price; above 0, at most 50. The price is in the
   * middle. `0.1` when absent.
   */
  readonly spread?: Decimal
  /** The number of prices that it quotes on each side; 1 to 50. `5` when absent. */
  readonly levels?: number
  /** The distance between neighbouring prices, in percent of the price; 0 to 1, at least a tick. `0.05` when absent. */
  readonly step?: Decimal
  /**
   * The amount that it offers at each price, in units of the base currency. When absent, enough for a thousand times
   * the market's minimum total.
   */
  readonly amount?: Amount
  /** The range of the random difference of an offer from `amount`, in percent; 0 to 100. `50` when absent. */
  readonly variation?: Decimal
  /**
   * Whether it replaces taken quotes at the end of the same command. `true` when absent; with `false` it replaces them
   * at the next price move.
   */
  readonly refill?: boolean
  /**
   * Whether missing funds for its quotes are credited from outside. `true` when absent; with `false` it quotes only
   * what it can pay for with its earnings and with credits by `Fund`.
   */
  readonly credit?: boolean
  /** The seed of the random amounts; a whole number. `0` when absent. */
  readonly seed?: number
}

/** The options of the action `SetCounterparty`. */
export interface SetCounterpartyOptions extends CounterpartyOptions {
  /** The market. */
  readonly market: MarketName
}

/** A setting that may be absent, with its description in the control plane's API. */
const setting = <S extends Schema.Top>(schema: S, description: string) =>
  Schema.optionalKey(schema).pipe(Schema.annotateKey({ description }))

/** The fields of `SetCounterparty`. */
export const SetCounterparty = {
  market: MarketName,
  enabled: setting(Schema.Boolean, "Whether it quotes; true by default."),
  spread: setting(
    Decimal,
    "The distance from its best bid to its best ask, in percent of the price; above 0, at most 50; 0.1 by default."
  ),
  levels: setting(Schema.Int, "The number of prices that it quotes on each side; 1 to 50; 5 by default."),
  step: setting(Decimal, "The distance between neighbouring prices, in percent of the price; 0 to 1; 0.05 by default."),
  amount: setting(
    Amount,
    "The amount that it offers at each price, in base currency; by default enough for a thousand times the minimum total."
  ),
  variation: setting(
    Decimal,
    "The range of the random difference of an offer from the amount, in percent; 0 to 100; 50 by default."
  ),
  refill: setting(Schema.Boolean, "Whether it replaces taken quotes at once; true by default."),
  credit: setting(Schema.Boolean, "Whether missing funds are credited from outside; true by default."),
  seed: setting(Schema.Int, "The seed of the random amounts; 0 by default.")
}

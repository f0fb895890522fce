/** The owner action that makes the counterparty quote a market. */
import * as Schema from "effect/Schema"
import { Amount, Decimal } from "../../domain/Decimal.ts"
import { MarketName } from "../../domain/Identifiers.ts"

/** How the counterparty quotes a market. */
export interface CounterpartyOptions {
  /** Whether it quotes. `true` when absent. `false` withdraws its quotes; its money stays. */
  readonly enabled?: boolean
  /**
   * How far its best bid is below its best ask, in percent of the price; above 0, at most 50. Half of it is on each side
   * of the price. `0.1` when absent.
   */
  readonly spread?: Decimal
  /** At how many prices it quotes on each side; 1 to 50. `5` when absent. */
  readonly levels?: number
  /** How far one of these prices is from the next, in percent of the price; 0 to 1, and a tick at least. `0.05` when absent. */
  readonly step?: Decimal
  /**
   * How much it offers at each price, in units of the base currency. When absent: what a thousand times the market's least
   * total buys at the price.
   */
  readonly amount?: Amount
  /**
   * How much larger or smaller than `amount` an offer may be, in percent; 0 to 100. `50` when absent. The seed draws how
   * much.
   */
  readonly variation?: Decimal
  /**
   * Whether what was taken is offered anew at the end of the same command. `true` when absent; with `false` it is offered
   * anew when the price moves next.
   */
  readonly refill?: boolean
  /**
   * Whether what its wallets lack for its quotes is credited from outside. `true` when absent; with `false` it quotes no
   * more than it can pay for with what `Fund` gave it and what it has earned.
   */
  readonly credit?: boolean
  /** Begins the draws of `variation`; a whole number. `0` when absent. */
  readonly seed?: number
}

/** The options of the action `SetCounterparty`. */
export interface SetCounterpartyOptions extends CounterpartyOptions {
  /** The market. */
  readonly market: MarketName
}

/**
 * Makes the counterparty quote a market, or changes how it does. On a market that it quotes already, what is absent stays
 * as it is.
 */
export interface SetCounterparty extends SetCounterpartyOptions {
  readonly _tag: "SetCounterparty"
}

/** A setting that may be absent, and what the control plane's own description says of it. */
const setting = <S extends Schema.Top>(schema: S, description: string) =>
  Schema.optionalKey(schema).pipe(Schema.annotateKey({ description }))

/** The schema of `SetCounterparty`. */
export const SetCounterparty = Schema.TaggedStruct("SetCounterparty", {
  market: MarketName,
  enabled: setting(Schema.Boolean, "Whether it quotes; true by default."),
  spread: setting(
    Decimal,
    "From its best bid to its best ask, in percent of the price; above 0, at most 50; 0.1 by default."
  ),
  levels: setting(Schema.Int, "At how many prices it quotes on each side; 1 to 50; 5 by default."),
  step: setting(Decimal, "From one of these prices to the next, in percent of the price; 0 to 1; 0.05 by default."),
  amount: setting(
    Amount,
    "How much it offers at each price, in base currency; by default what a thousand times the least total buys."
  ),
  variation: setting(
    Decimal,
    "How much larger or smaller than the amount an offer may be, in percent; 0 to 100; 50 by default."
  ),
  refill: setting(Schema.Boolean, "Whether what was taken is offered anew at once; true by default."),
  credit: setting(Schema.Boolean, "Whether what its wallets lack is credited from outside; true by default."),
  seed: setting(Schema.Int, "Begins the draws of the variation; 0 by default.")
})

/** Margin as the sandbox's owner sees it: an account's margin and margin events, and the venue's margin policy. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Decimal } from "../../domain/Decimal.ts"
import { Ticker } from "../../domain/Identifiers.ts"
import type { MarginPolicy } from "../../domain/VenuePolicy.ts"
import * as Event from "../engine/Event.ts"
import * as Ledger from "../engine/Ledger.ts"
import * as Listings from "../engine/Listings.ts"
import * as MarginActions from "../engine/MarginActions.ts"
import * as Margins from "../engine/Margins.ts"
import * as Risk from "../engine/Risk.ts"
import type * as State from "../engine/State.ts"
import * as Units from "../engine/Units.ts"
import type { JournalError } from "../store/Journal.ts"
import type { Venue } from "../venue/Venue.ts"

const key = Schema.optionalKey

/** A collateral account's margin at the current mark prices. Amounts are in the settlement currency. */
export interface AccountMargin {
  /** The account's identifier. */
  readonly account: string
  /** The settlement currency, `USDT`. */
  readonly currency: Ticker
  /** The leverage of all positions. Markets and brackets can limit the leverage further. */
  readonly leverage: number
  /** Whether the account can have both a long and a short position on each futures market. */
  readonly hedgeMode: boolean
  /** The weighted value of the collateral minus the debts, without unrealized profit. */
  readonly equity: Decimal
  /** The unrealized profit of all positions; a loss is negative. */
  readonly pnl: Decimal
  /** The notional value of all positions. */
  readonly value: Decimal
  /** The initial margin of positions and open orders. */
  readonly margin: Decimal
  /**
   * Equity minus margin plus unrealized profit: the margin available to new positions and orders; negative if the
   * margin is insufficient.
   */
  readonly freeMargin: Decimal
  /**
   * The maintenance margin. The account is liquidated when equity plus unrealized profit is no more than this amount.
   */
  readonly maintenanceMargin: Decimal
  /**
   * The margin call level. The account gets a margin call when equity plus unrealized profit is no more than this
   * amount.
   */
  readonly callMargin: Decimal
  /** The ratio of equity plus unrealized profit to the notional value of all positions; absent without positions. */
  readonly marginFraction?: Decimal
  /** The ratio of the maintenance margin to the notional value of all positions; absent without positions. */
  readonly maintenanceMarginFraction?: Decimal
  /** `margin_call` if the account has a margin call, `liquidation` if it is in liquidation; otherwise absent. */
  readonly state?: "margin_call" | "liquidation"
}

/** The schema of {@link AccountMargin}. */
export const AccountMargin: Schema.Codec<AccountMargin, unknown> = Schema.Struct({
  account: Schema.String,
  currency: Ticker,
  leverage: Schema.Int,
  hedgeMode: Schema.Boolean,
  equity: Decimal,
  pnl: Decimal,
  value: Decimal,
  margin: Decimal,
  freeMargin: Decimal,
  maintenanceMargin: Decimal,
  callMargin: Decimal,
  marginFraction: key(Decimal),
  maintenanceMarginFraction: key(Decimal),
  state: key(Schema.Literals(["margin_call", "liquidation"]))
})

/** An account's margin at the current mark prices. */
export const margin = (state: State.State, account: string): AccountMargin => {
  const { equity, freeMargin, leverage, maintenance, margin, pnl, value } = Margins.of(state, account)
  const called = state.calls.get(account)
  return {
    account,
    currency: Listings.settlement,
    leverage,
    hedgeMode: state.accounts.get(account)?.hedgeMode ?? false,
    equity: Units.toDecimal(equity),
    pnl: Units.toDecimal(pnl),
    value: Units.toDecimal(value),
    margin: Units.toDecimal(margin),
    freeMargin: Units.toDecimal(freeMargin),
    maintenanceMargin: Units.toDecimal(maintenance),
    callMargin: Units.toDecimal(Risk.boundsOf(state, account).call),
    ...(value === 0n ? {} : {
      marginFraction: Units.toDecimal(Units.over(equity + pnl, value)),
      maintenanceMarginFraction: Units.toDecimal(Units.over(maintenance, value))
    }),
    ...(called === undefined ? {} : { state: called })
  }
}

/** The insurance account's balance of one asset. */
export interface Insurance {
  /** The asset's ticker, such as `USDT`. */
  readonly ticker: Ticker
  /** The balance, in units of the asset. */
  readonly amount: Decimal
}

/** The venue's margin policy, its collateral weights, and the insurance account. */
export interface VenueMargin {
  /** The margin policy, which `SetMargin` changes. */
  readonly policy: MarginPolicy
  /** The weights of collateral assets; an asset that is not listed has a weight of zero. */
  readonly weights: ReadonlyArray<MarginActions.CollateralWeight>
  /** The insurance account's assets, which `SetInsurance` changes; empty if the account has no assets. */
  readonly insurance: ReadonlyArray<Insurance>
}

/** The schema of {@link VenueMargin}. */
export const VenueMargin: Schema.Codec<VenueMargin, unknown> = Schema.Struct({
  policy: Schema.Struct(MarginActions.policy),
  weights: MarginActions.weights,
  insurance: Schema.Array(Schema.Struct({ ticker: Ticker, amount: Decimal }))
})

/** The venue's margin policy, its collateral weights, and the insurance account. */
export const venueMargin = ({ currencies, ledger, margin, weights }: State.State): VenueMargin => ({
  policy: margin,
  weights: Array.from(weights, ([ticker, weight]) => ({ ticker, weight: Units.toDecimal(weight) })),
  insurance: currencies.flatMap(({ ticker }) => {
    const units = Ledger.balance(ledger, "insurance", ticker)
    return units === 0n ? [] : [{ ticker, amount: Units.toDecimal(units) }]
  })
})

/** The tags of the events that concern an account's margin. */
const tags = [
  "LeverageChanged",
  "HedgeModeChanged",
  "PositionChanged",
  "FundingPaid",
  "BorrowInterestPaid",
  "MarginCalled",
  "MarginRestored",
  "LiquidationStarted",
  "Deleveraged",
  "CollateralConverted",
  "InsurancePaid",
  "DebtLeft"
] as const

type Tag = (typeof tags)[number]

/** An event that concerns an account's margin, and the number and time of the command that caused the event. */
export interface MarginEvent {
  /** The number of the command. */
  readonly sequence: number
  /** The command's time, in Unix microseconds on the venue's clock. */
  readonly at: number
  /** The event, as in the feed. */
  readonly event: Extract<Event.Shown, { readonly _tag: Tag }>
}

/** The schema of {@link MarginEvent}. */
export const MarginEvent: Schema.Codec<MarginEvent, unknown> = Schema.Struct({
  sequence: Schema.Int,
  at: Schema.Int,
  event: Schema.Union(tags.map((tag) => Schema.TaggedStruct(tag, Event.fields[tag])))
  // The cast is safe: each tag has its own fields, but the compiler can't derive the union's type from a list of tags.
}) as unknown as Schema.Codec<MarginEvent, unknown>

/** The maximum number of events in a response. */
const most = 100

const known: ReadonlySet<string> = new Set(tags)

/**
 * The events that concern an account's margin, latest first: at most 100, up to the command with the number `upTo`.
 * Events that a restore has undone, or that the feed no longer stores, are left out.
 */
export const marginEvents = (
  { feed, journal }: Venue["Service"],
  account: string,
  upTo?: number
): Effect.Effect<ReadonlyArray<MarginEvent>, JournalError> =>
  Effect.map(journal.committed, () => {
    const found = feed.latest((event) => known.has(event._tag) && "account" in event && event.account === account, upTo)
    return found.take(most).map(({ at, event, sequence }) => ({
      sequence,
      at,
      event: Event.show(event) as MarginEvent["event"]
    })).toArray()
  })

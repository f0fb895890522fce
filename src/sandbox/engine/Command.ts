/**
 * Commands: all changes to the exchange's state. The journal is a list of commands, so each command has a schema and
 * can be written as JSON.
 */
import * as Schema from "effect/Schema"
import * as String from "effect/String"
import * as Struct from "effect/Struct"
import { Code, Passphrase } from "../../domain/Code.ts"
import { Amount, Decimal, Price } from "../../domain/Decimal.ts"
import { ApiKey, InvestmentId, MarketName, PlanId, SubAccountId, Ticker } from "../../domain/Identifiers.ts"
import { OrderSide } from "../../domain/Order.ts"
import { HexColour, MaskedEmail } from "../../domain/SubAccount.ts"
import type { FieldsOf } from "./FieldsOf.ts"
import type * as Ledger from "./Ledger.ts"
import * as MarginActions from "./MarginActions.ts"
import { Operation, Wallet } from "./Operation.ts"
import { SetCounterparty, type SetCounterpartyOptions } from "./SetCounterparty.ts"
import type * as State from "./State.ts"
import * as Times from "./Times.ts"

/** The nonce of a call with a valid signature. */
export interface Nonce {
  /** The nonce itself, as the caller sent it. */
  readonly value: bigint
  /** Whether the nonce must lie within a time window, instead of having to increase. */
  readonly window: boolean
}

/** The command for a call with a valid signature. */
export interface Call {
  readonly _tag: "Call"
  /** The key that signed the call. */
  readonly apiKey: ApiKey
  /**
   * The nonce; absent if the endpoint requires none, or if the venue's owner makes the call on behalf of an account.
   */
  readonly nonce?: Nonce
  /** The operation that the call requests. */
  readonly operation: Operation
}

/** The options of the owner action `OpenAccount`. */
export interface OpenAccountOptions {
  /** The identifier of the new account. */
  readonly account: string
  /** Whether the account may call the B2B endpoints. */
  readonly b2b: boolean
}

/** The options of the owner action `SetAccount`. */
export interface SetAccountOptions {
  /** The identifier of the account or sub-account. */
  readonly account: string
  /** Whether the account may place `rpi` orders, which trade only against retail orders. */
  readonly rpi?: boolean
  /** Whether the account may place `retail` orders. */
  readonly retail?: boolean
}

/** The options of the owner action `OpenSubAccount`. */
export interface OpenSubAccountOptions {
  /** The identifier of the new sub-account. A sub-account is also an account, with the same identifier. */
  readonly id: SubAccountId
  /** The account that owns the sub-account. */
  readonly parent: string
  /** The name that the parent account gives to the sub-account. */
  readonly alias: string
  /** The masked e-mail address; may be empty. */
  readonly email: MaskedEmail
  /** The color in which the exchange displays the sub-account. */
  readonly color: HexColour
  /** Whether the sub-account shares its parent account's identity verification. */
  readonly shareKyc: boolean
  /** The identity verification status, such as `shared` or `none`. */
  readonly kycStatus: string
  /** Whether the sub-account may trade on spot markets. */
  readonly spotEnabled: boolean
  /** Whether the sub-account may trade on margin. */
  readonly collateralEnabled: boolean
}

/** The options of the owner action `SetSubAccount`. */
export interface SetSubAccountOptions {
  /** The identifier of the sub-account. */
  readonly id: SubAccountId
  /** The identity verification status, such as `shared` or `none`. */
  readonly kycStatus?: string
  /** Whether the sub-account may trade on spot markets. */
  readonly spotEnabled?: boolean
  /** Whether the sub-account may trade on margin. */
  readonly collateralEnabled?: boolean
}

/** The options of the owner action `AddKey`. */
export interface AddKeyOptions {
  /** The account for which the key signs calls. */
  readonly account: string
  /** The API key, which identifies the caller in every call. */
  readonly apiKey: ApiKey
  /** The secret that signs the calls. */
  readonly apiSecret: string
  /** The key's title, for display only. */
  readonly title: string
  /** The key's type. A key of type `1` can read and trade, but can't create or apply codes. */
  readonly type: string
  /** Whether the key may make calls. */
  readonly enabled: boolean
  /** The paths that the key may call; all paths if absent. */
  readonly endpoints?: ReadonlyArray<State.KeyEndpoint>
}

/** The options of the owner action `SetKey`. */
export interface SetKeyOptions {
  /** The API key to change. */
  readonly apiKey: ApiKey
  /** Whether the key may make calls. */
  readonly enabled?: boolean
  /** The paths that the key may call; `null` for all paths. */
  readonly endpoints?: ReadonlyArray<State.KeyEndpoint> | null
}

/**
 * Changes to the fees and limits of a currency's deposits or withdrawals. Each value is zero or more; zero disables the
 * setting. Absent fields stay unchanged.
 */
export interface TransferTermChanges {
  /** The minimum of the flexible fee, in units of the currency. */
  readonly minFlex?: Decimal
  /** The maximum of the flexible fee, in units of the currency. */
  readonly maxFlex?: Decimal
  /** The flexible fee, as a percentage of the amount. */
  readonly percentFlex?: Decimal
  /** The fixed fee, in units of the currency. */
  readonly fixed?: Decimal
  /** The minimum amount of a deposit or withdrawal, in units of the currency. */
  readonly minAmount?: Decimal
  /** The maximum amount of a deposit or withdrawal, in units of the currency. */
  readonly maxAmount?: Decimal
}

/** The options of the owner action `SetCurrency`. */
export interface SetCurrencyOptions {
  /** The currency to change. */
  readonly ticker: Ticker
  /** Whether the currency can be deposited. */
  readonly canDeposit?: boolean
  /** Whether the currency can be withdrawn. */
  readonly canWithdraw?: boolean
  /** The fees and limits of deposits. */
  readonly deposit?: TransferTermChanges
  /** The fees and limits of withdrawals. */
  readonly withdraw?: TransferTermChanges
}

/** The options of the owner action `Fund`. */
export interface FundOptions {
  /** The account to credit. */
  readonly account: string
  /** The wallet to credit. */
  readonly wallet: Ledger.Wallet
  /** The asset to credit. */
  readonly ticker: Ticker
  /** The amount, in units of the asset; greater than zero. */
  readonly amount: Amount
}

/** The options of the owner action `CreateCode`. */
export interface CreateCodeOptions {
  /** The account that pays for the code. */
  readonly account: string
  /** The code itself: the text that a caller sends to apply it. */
  readonly code: Code
  /** The code's asset. */
  readonly ticker: Ticker
  /** The code's value, in units of the asset; greater than zero. */
  readonly amount: Amount
  /** The passphrase required to apply the code; absent if no passphrase is required. */
  readonly passphrase?: Passphrase
}

/** The options of the owner action `OpenPlan`. */
export interface OpenPlanOptions {
  /** The identifier of the new plan. */
  readonly planId: PlanId
  /** The asset to invest. */
  readonly ticker: Ticker
  /** The daily interest, as a percentage of the invested amount. */
  readonly dailyPercent: Amount
  /** The term, in days; from 1 to 18250. */
  readonly days: number
  /** The plan's target currency, in which interest is paid. Defaults to the invested asset. */
  readonly interestTicker?: Ticker
  /** The number of units of the invested asset that equal one unit of the target currency. Defaults to 1. */
  readonly interestRatio?: Amount
}

/** The options of the owner action `Invest`. */
export interface InvestOptions {
  /** The account that invests. */
  readonly account: string
  /** The plan to invest in. */
  readonly planId: PlanId
  /** The identifier of the new investment. */
  readonly investmentId: InvestmentId
  /** The amount, in units of the plan's asset; greater than zero. */
  readonly amount: Amount
}

/** The options of the owner action `PayInterest`. */
export interface PayInterestOptions {
  /** The account that receives the interest. */
  readonly account: string
  /** The plan that the payment refers to. The plan does not have to exist. */
  readonly planId: PlanId
  /** The investment that the payment refers to. The investment does not have to exist. */
  readonly investmentId: InvestmentId
  /** The asset to pay. If the plan exists, it must be the plan's target currency. */
  readonly ticker: Ticker
  /** The amount, in units of the asset; greater than zero. */
  readonly amount: Amount
}

/** The options of the owner action `MovePrice`. */
export interface MovePriceOptions {
  /** The market whose price moves. */
  readonly market: MarketName
  /** The new price, in units of the quote currency. */
  readonly price: Price
}

/** The options of the owner action `StepPrice`. */
export interface StepPriceOptions {
  /** The market whose price moves. */
  readonly market: MarketName
  /** The price change, in units of the quote currency; may be negative. */
  readonly by: Decimal
}

/** A step in a price path. */
export interface PathStep {
  /**
   * The delay after the previous step, in milliseconds; for the first step, the delay after the command. Every step
   * must be before the year 2200.
   */
  readonly afterMillis: number
  /** The market's new price, in units of the quote currency. */
  readonly price: Price
}

/** The options of the owner action `PlayPrices`. */
export interface PlayPricesOptions {
  /** The market whose price moves. */
  readonly market: MarketName
  /** The price path's steps, in order. */
  readonly steps: ReadonlyArray<PathStep>
}

/** The options of the owner action `OpenPosition`. */
export interface OpenPositionOptions {
  /** The account that gets the position. */
  readonly account: string
  /** The position's market. */
  readonly market: MarketName
  /** Whether the account buys (long) or sells (short). */
  readonly side: OrderSide
  /** The position's size, in units of the base currency; greater than zero. */
  readonly amount: Amount
  /** The entry price, in units of the quote currency. Defaults to the market's last price. */
  readonly price?: Price
}

const key = Schema.optionalKey

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

const KeyEndpoints = Schema.Array(Schema.Struct({ name: Schema.String, title: Schema.String }))

const Terms = Schema.Struct({
  minFlex: key(Decimal),
  maxFlex: key(Decimal),
  percentFlex: key(Decimal),
  fixed: key(Decimal),
  minAmount: key(Decimal),
  maxAmount: key(Decimal)
})

/** An owner action in the table {@link ownerActions}. */
export interface OwnerAction<Options> {
  /** The action's description, which is shown in the OpenAPI document. */
  readonly description: string
  /** The fields of the action's command, except its tag. */
  readonly fields: Schema.Struct.Fields
  /** The schema of the options. */
  readonly options: Schema.Codec<Options, unknown>
}

const owned = <Options>(
  description: string,
  fields: FieldsOf<Options> & Schema.Struct.Fields
): OwnerAction<Options> => ({
  description,
  fields,
  // `FieldsOf` has checked each field against the options, but the compiler can't derive the struct's type from that.
  options: Schema.Struct(fields) as unknown as Schema.Codec<Options, unknown>
})

/** The methods for the owner actions. The docs are here so that code editors can show them. */
export interface OwnerMethods<Done> {
  /** Opens an account. */
  readonly openAccount: (options: OpenAccountOptions) => Done
  /**
   * Sets whether an account may place `rpi` and `retail` orders. A new account may place neither. Absent fields stay
   * unchanged.
   */
  readonly setAccount: (options: SetAccountOptions) => Done
  /** Opens a sub-account, which is also an account. */
  readonly openSubAccount: (options: OpenSubAccountOptions) => Done
  /** Sets a sub-account's permissions and verification status. Absent fields stay unchanged. */
  readonly setSubAccount: (options: SetSubAccountOptions) => Done
  /** Adds an API key and its secret. */
  readonly addKey: (options: AddKeyOptions) => Done
  /** Enables or disables an API key, or restricts it to some paths; `null` lifts the restriction. */
  readonly setKey: (options: SetKeyOptions) => Done
  /**
   * Sets whether a currency can be deposited and withdrawn, and the fees and limits that the exchange lists for the
   * currency. Absent fields stay unchanged. The sandbox only shows the settings; it has no deposits or withdrawals.
   */
  readonly setCurrency: (options: SetCurrencyOptions) => Done
  /** Credits a wallet from outside the exchange. The account `counterparty` can also be credited. */
  readonly fund: (options: FundOptions) => Done
  /** Moves an amount from an account's main wallet into a code that another account can apply. */
  readonly createCode: (options: CreateCodeOptions) => Done
  /** Opens a fixed-term plan. */
  readonly openPlan: (options: OpenPlanOptions) => Done
  /** Invests an amount in a fixed-term plan. Interest is paid daily, as the venue's time passes. */
  readonly invest: (options: InvestOptions) => Done
  /** Pays interest from a fixed-term plan into an account's main wallet immediately. */
  readonly payInterest: (options: PayInterestOptions) => Done
  /**
   * Moves a market's price. Buy orders priced above the new price and sell orders priced below it are filled, and stop
   * orders whose activation price has been reached are triggered.
   */
  readonly movePrice: (options: MovePriceOptions) => Done
  /** Raises or lowers a market's price. The market must already have a price. */
  readonly stepPrice: (options: StepPriceOptions) => Done
  /** Moves a market's price several times, as the venue's time passes. */
  readonly playPrices: (options: PlayPricesOptions) => Done
  /**
   * Opens a position without an order, at the given price or the last price, so that reduce-only orders can be tested.
   */
  readonly openPosition: (options: OpenPositionOptions) => Done
  /**
   * Makes the counterparty quote a market, or changes its settings for that market. Absent fields stay unchanged. The
   * counterparty is a built-in account that bids below the owner's price and asks above it, so that orders have a book
   * to trade against. The counterparty is off by default.
   */
  readonly setCounterparty: (options: SetCounterpartyOptions) => Done
  /** Sets a market's index price. With `null`, the index price follows the spot market's last price again. */
  readonly moveIndex: (options: MarginActions.MoveReferenceOptions) => Done
  /**
   * Sets a market's mark price, on which unrealized profits and liquidations depend. With `null`, the mark price
   * follows the index price again.
   */
  readonly moveMark: (options: MarginActions.MoveReferenceOptions) => Done
  /** Sets the funding rate, interval and bounds of a futures market. Absent fields stay unchanged. */
  readonly setFunding: (options: MarginActions.SetFundingOptions) => Done
  /**
   * Sets the venue's margin policy: the margin rules that the live exchange does not publish, and the weights of
   * collateral assets. Absent fields stay unchanged.
   */
  readonly setMargin: (options: MarginActions.SetMarginOptions) => Done
  /** Sets the balance of the insurance account, which pays liquidation losses that exceed the collateral. */
  readonly setInsurance: (options: MarginActions.SetInsuranceOptions) => Done
}

/** The owner actions, keyed by method name. */
export type OwnerActions = {
  readonly [Method in keyof OwnerMethods<void>]: OwnerAction<Parameters<OwnerMethods<void>[Method]>[0]>
}

/**
 * The owner actions. This is the only list of owner actions: the methods of `Control`, the operations of `ControlApi`
 * with their handlers, and the journal's commands are derived from it. An action's command and operation have the
 * method's name, with a capital first letter.
 */
export const ownerActions: OwnerActions = {
  openAccount: owned<OpenAccountOptions>("Opens an account.", { account: Schema.String, b2b: Schema.Boolean }),
  setAccount: owned<SetAccountOptions>(
    "Sets whether an account may place `rpi` and `retail` orders. A new account may place neither. " +
      "Absent fields stay unchanged.",
    { account: Schema.String, rpi: key(Schema.Boolean), retail: key(Schema.Boolean) }
  ),
  openSubAccount: owned<OpenSubAccountOptions>("Opens a sub-account, which is also an account.", {
    id: SubAccountId,
    parent: Schema.String,
    alias: Schema.String,
    email: MaskedEmail,
    color: HexColour,
    shareKyc: Schema.Boolean,
    kycStatus: Schema.String,
    spotEnabled: Schema.Boolean,
    collateralEnabled: Schema.Boolean
  }),
  setSubAccount: owned<SetSubAccountOptions>(
    "Sets a sub-account's permissions and verification status. Absent fields stay unchanged.",
    {
      id: SubAccountId,
      kycStatus: key(Schema.String),
      spotEnabled: key(Schema.Boolean),
      collateralEnabled: key(Schema.Boolean)
    }
  ),
  addKey: owned<AddKeyOptions>("Adds an API key and its secret.", {
    account: Schema.String,
    apiKey: ApiKey,
    apiSecret: Schema.String,
    title: Schema.String,
    type: Schema.String,
    enabled: Schema.Boolean,
    endpoints: key(KeyEndpoints)
  }),
  setKey: owned<SetKeyOptions>(
    "Enables or disables an API key, or restricts it to some paths; `null` lifts the restriction.",
    { apiKey: ApiKey, enabled: key(Schema.Boolean), endpoints: key(Schema.NullOr(KeyEndpoints)) }
  ),
  setCurrency: owned<SetCurrencyOptions>(
    "Sets whether a currency can be deposited and withdrawn, and the fees and limits that the exchange lists for the " +
      "currency. Absent fields stay unchanged. The sandbox only shows the settings; it has no deposits or withdrawals.",
    {
      ticker: Ticker,
      canDeposit: key(Schema.Boolean),
      canWithdraw: key(Schema.Boolean),
      deposit: key(Terms),
      withdraw: key(Terms)
    }
  ),
  fund: owned<FundOptions>(
    "Credits a wallet from outside the exchange. The account `counterparty` can also be credited.",
    {
      account: Schema.String,
      wallet: Wallet,
      ticker: Ticker,
      amount: Amount
    }
  ),
  createCode: owned<CreateCodeOptions>(
    "Moves an amount from an account's main wallet into a code that another account can apply.",
    { account: Schema.String, code: Code, ticker: Ticker, amount: Amount, passphrase: key(Passphrase) }
  ),
  openPlan: owned<OpenPlanOptions>("Opens a fixed-term plan.", {
    planId: PlanId,
    ticker: Ticker,
    dailyPercent: Amount,
    days: Times.Days,
    interestTicker: key(Ticker),
    interestRatio: key(Amount)
  }),
  invest: owned<InvestOptions>(
    "Invests an amount in a fixed-term plan. Interest is paid daily, as the venue's time passes.",
    { account: Schema.String, planId: PlanId, investmentId: InvestmentId, amount: Amount }
  ),
  payInterest: owned<PayInterestOptions>(
    "Pays interest from a fixed-term plan into an account's main wallet immediately.",
    {
      account: Schema.String,
      planId: PlanId,
      investmentId: InvestmentId,
      ticker: Ticker,
      amount: Amount
    }
  ),
  movePrice: owned<MovePriceOptions>(
    "Moves a market's price. Buy orders priced above the new price and sell orders priced below it are filled, and stop orders whose activation price has been reached are triggered.",
    { market: MarketName, price: Price }
  ),
  stepPrice: owned<StepPriceOptions>("Raises or lowers a market's price. The market must already have a price.", {
    market: MarketName,
    by: Decimal
  }),
  playPrices: owned<PlayPricesOptions>("Moves a market's price several times, as the venue's time passes.", {
    market: MarketName,
    steps: Schema.Array(Schema.Struct({ afterMillis: Times.Millis, price: Price }))
  }),
  openPosition: owned<OpenPositionOptions>(
    "Opens a position without an order, at the given price or the last price, so that reduce-only orders can be tested.",
    { account: Schema.String, market: MarketName, side: OrderSide, amount: Amount, price: key(Price) }
  ),
  setCounterparty: owned<SetCounterpartyOptions>(
    "Makes the counterparty quote a market, or changes its settings for that market. Absent fields stay unchanged. " +
      "The counterparty is a built-in account that bids below the owner's price and asks above it, so that orders have a " +
      "book to trade against. The counterparty is off by default.",
    SetCounterparty
  ),
  moveIndex: owned<MarginActions.MoveReferenceOptions>(
    "Sets a market's index price. With `null`, the index price follows the spot market's last price again.",
    MarginActions.MoveReference
  ),
  moveMark: owned<MarginActions.MoveReferenceOptions>(
    "Sets a market's mark price, on which unrealized profits and liquidations depend. With `null`, the mark price follows the index price again.",
    MarginActions.MoveReference
  ),
  setFunding: owned<MarginActions.SetFundingOptions>(
    "Sets the funding rate, interval and bounds of a futures market. Absent fields stay unchanged.",
    MarginActions.SetFunding
  ),
  setMargin: owned<MarginActions.SetMarginOptions>(
    "Sets the venue's margin policy: the margin rules that the live exchange does not publish, and the weights of " +
      "collateral assets. Absent fields stay unchanged.",
    MarginActions.SetMargin
  ),
  setInsurance: owned<MarginActions.SetInsuranceOptions>(
    "Sets the balance of the insurance account, which pays liquidation losses that exceed the collateral.",
    MarginActions.SetInsurance
  )
}

/** The type of an owner action's options. */
export type OptionsOf<Action> = Action extends OwnerAction<infer Options> ? Options : never

/** The tag of the command for an owner action: the method's name, with a capital first letter. */
const tagOf = (method: keyof OwnerActions) => String.capitalize(method)

/** Creates an object that holds one value for each owner action, keyed by method name. */
export const eachOwnerAction = <A extends { readonly [Method in keyof OwnerActions]: unknown }>(
  make: (method: keyof OwnerActions, tag: Capitalize<keyof OwnerActions>) => A[keyof OwnerActions]
): A => Object.fromEntries(Struct.keys(ownerActions).map((method) => [method, make(method, tagOf(method))])) as A

/** Sets the venue's clock. */
export interface SetClock {
  readonly _tag: "SetClock"
  /** The clock's state after the action: running with an offset, or frozen. */
  readonly clock: State.Clock
}

/** Sets how far the callers' clock is ahead of the machine's clock. */
export interface SetSkew {
  readonly _tag: "SetSkew"
  /** The time by which the callers' clock is ahead of the machine's clock, in microseconds; negative if behind. */
  readonly skew: number
}

/**
 * Gives the venue an identity. New keys, codes and sub-account identifiers contain the identity, so they differ from
 * those on other venues. A restored venue keeps its identity.
 */
export interface SetIdentity {
  readonly _tag: "SetIdentity"
  /** The first twelve hexadecimal digits of a UUID, such as `1f2e3d4c-5b6a`. */
  readonly identity: string
}

/** Only advances time: applies all scheduled events that are due, and does nothing else. */
export interface Pass {
  readonly _tag: "Pass"
}

/** Restores the state after an earlier command. */
export interface Restore {
  readonly _tag: "Restore"
  /**
   * The number of the command to go back to: the state after this command is restored; 0 restores the state before the
   * first command.
   */
  readonly sequence: number
}

/** Marks the current state as the state to which a reset returns. */
export interface Begin {
  readonly _tag: "Begin"
}

/** The command for an owner action. */
type OwnerCommand = {
  readonly [Method in keyof OwnerActions]: OptionsOf<OwnerActions[Method]> & { readonly _tag: Capitalize<Method> }
}[keyof OwnerActions]

/** The changes to the exchange's state that are not among the {@link ownerActions}. */
type Other = Call | SetClock | SetSkew | SetIdentity | Pass | Restore | Begin

/** A change to the exchange's state. */
export type Action = OwnerCommand | Other

/** An action and its time. */
export interface Command {
  /** The time, in Unix microseconds on the venue's clock. */
  readonly at: number
  /** The action to apply. */
  readonly action: Action
}

/** The schema of nonces. */
export const Nonce = Schema.Struct({ value: Schema.BigInt, window: Schema.Boolean })

const others: { readonly [Tag in Other["_tag"]]: FieldsOf<Omit<Extract<Other, { readonly _tag: Tag }>, "_tag">> } = {
  Call: { apiKey: ApiKey, nonce: key(Nonce), operation: Operation },
  SetClock: { clock: Schema.TaggedUnion({ Running: { ahead: Times.Ahead }, Frozen: { at: Times.At } }) },
  SetSkew: { skew: Times.Skew },
  SetIdentity: { identity: Schema.String.check(Schema.isPattern(/^[0-9a-f]{8}-[0-9a-f]{4}$/u)) },
  Pass: {},
  Restore: { sequence: Count },
  Begin: {}
}

/** The schema of actions. */
export const Action: Schema.Codec<Action, unknown> = Schema.Union([
  ...Struct.keys(ownerActions).map((method) => Schema.TaggedStruct(tagOf(method), ownerActions[method].fields)),
  ...Struct.keys(others).map((tag) => Schema.TaggedStruct(tag, others[tag]))
]) as unknown as Schema.Codec<Action, unknown>

/** The schema of commands. */
export const Command: Schema.Codec<Command, unknown> = Schema.Struct({ at: Times.At, action: Action })

/**
 * Everything that can change the state of the exchange. The journal is a list of commands, so each has a schema and can
 * be written as JSON.
 */
import * as Schema from "effect/Schema"
import { Code, Passphrase } from "../../domain/Code.ts"
import { Amount, Decimal, Price } from "../../domain/Decimal.ts"
import { ApiKey, InvestmentId, MarketName, PlanId, SubAccountId, Ticker } from "../../domain/Identifiers.ts"
import { OrderSide } from "../../domain/Order.ts"
import { HexColour, MaskedEmail } from "../../domain/SubAccount.ts"
import type * as Ledger from "./Ledger.ts"
import { Operation, Wallet } from "./Operation.ts"
import { SetCounterparty } from "./SetCounterparty.ts"
import type * as State from "./State.ts"

/** A nonce of a caller who has proved to hold the secret of the key. */
export interface Nonce {
  /** The number. */
  readonly value: bigint
  /** Whether the caller asks for the window around the clock instead of increasing order. */
  readonly window: boolean
}

/** A signed call. */
export interface Call {
  readonly _tag: "Call"
  /** The key that signed it. */
  readonly apiKey: ApiKey
  /** The nonce. Absent only where the document does not require one. */
  readonly nonce?: Nonce
  /** What the call asks for. */
  readonly operation: Operation
}

/** The options of the action `OpenAccount`. */
export interface OpenAccountOptions {
  /** The identifier of the new account. */
  readonly account: string
  /** Whether the account may call the B2B endpoints. */
  readonly b2b: boolean
}

/** Opens an account. */
export interface OpenAccount extends OpenAccountOptions {
  readonly _tag: "OpenAccount"
}

/** The options of the action `OpenSubAccount`. */
export interface OpenSubAccountOptions {
  /** The identifier of the new sub-account and of its account. */
  readonly id: SubAccountId
  /** The account that it belongs to. */
  readonly parent: string
  /** What its owner calls it. */
  readonly alias: string
  /** The masked e-mail address; may be empty. */
  readonly email: MaskedEmail
  /** The colour in which the exchange shows it. */
  readonly color: HexColour
  /** Whether it shares the identity check of its owner. */
  readonly shareKyc: boolean
  /** How far its identity check has come. */
  readonly kycStatus: string
  /** Whether it may trade on spot markets. */
  readonly spotEnabled: boolean
  /** Whether it may trade on margin. */
  readonly collateralEnabled: boolean
}

/** Opens a sub-account, which has an account of its own. */
export interface OpenSubAccount extends OpenSubAccountOptions {
  readonly _tag: "OpenSubAccount"
}

/** The options of the action `SetSubAccount`. */
export interface SetSubAccountOptions {
  /** The sub-account. */
  readonly id: SubAccountId
  /** How far its identity check has come. */
  readonly kycStatus?: string
  /** Whether it may trade on spot markets. */
  readonly spotEnabled?: boolean
  /** Whether it may trade on margin. */
  readonly collateralEnabled?: boolean
}

/** Changes a sub-account. What is absent stays as it is. */
export interface SetSubAccount extends SetSubAccountOptions {
  readonly _tag: "SetSubAccount"
}

/** The options of the action `AddKey`. */
export interface AddKeyOptions {
  /** The account whose calls it signs. */
  readonly account: string
  /** The key. */
  readonly apiKey: ApiKey
  /** The secret that signs the calls. */
  readonly apiSecret: string
  /** What its owner calls it. */
  readonly title: string
  /** The type of the key. */
  readonly type: string
  /** Whether the key may call at all. */
  readonly enabled: boolean
  /** The paths that the key may call. All when absent. */
  readonly endpoints?: ReadonlyArray<State.KeyEndpoint>
}

/** Adds an API key. */
export interface AddKey extends AddKeyOptions {
  readonly _tag: "AddKey"
}

/** The options of the action `SetKey`. */
export interface SetKeyOptions {
  /** The key. */
  readonly apiKey: ApiKey
  /** Whether the key may call at all. */
  readonly enabled?: boolean
  /** The paths that the key may call; `null` for all. */
  readonly endpoints?: ReadonlyArray<State.KeyEndpoint> | null
}

/** Changes an API key. What is absent stays as it is. */
export interface SetKey extends SetKeyOptions {
  readonly _tag: "SetKey"
}

/**
 * Changes of what deposits or withdrawals of a currency cost, and how much they may be. Each is zero or more; zero means
 * that the setting is off. What is absent stays as it is.
 */
export interface TransferTermChanges {
  /** The least flexible fee, in units of the currency. */
  readonly minFlex?: Decimal
  /** The greatest flexible fee, in units of the currency. */
  readonly maxFlex?: Decimal
  /** The flexible fee, in percent. */
  readonly percentFlex?: Decimal
  /** The fixed fee, in units of the currency. */
  readonly fixed?: Decimal
  /** The least amount, in units of the currency. */
  readonly minAmount?: Decimal
  /** The greatest amount, in units of the currency. */
  readonly maxAmount?: Decimal
}

/** The options of the action `SetCurrency`. */
export interface SetCurrencyOptions {
  /** The currency. */
  readonly ticker: Ticker
  /** Whether it can be deposited. */
  readonly canDeposit?: boolean
  /** Whether it can be withdrawn. */
  readonly canWithdraw?: boolean
  /** What deposits cost, and how much they may be; each zero or more. */
  readonly deposit?: TransferTermChanges
  /** What withdrawals cost, and how much they may be; each zero or more. */
  readonly withdraw?: TransferTermChanges
}

/** Changes what a currency shows of its deposits and withdrawals. What is absent stays as it is. */
export interface SetCurrency extends SetCurrencyOptions {
  readonly _tag: "SetCurrency"
}

/** The options of the action `Fund`. */
export interface FundOptions {
  /** The account. */
  readonly account: string
  /** The wallet. */
  readonly wallet: Ledger.Wallet
  /** The asset. */
  readonly ticker: Ticker
  /** How much. */
  readonly amount: Amount
}

/** Credits a wallet from outside the exchange. */
export interface Fund extends FundOptions {
  readonly _tag: "Fund"
}

/** The options of the action `CreateCode`. */
export interface IssueCodeOptions {
  /** The account that pays for the code. */
  readonly account: string
  /** The code. */
  readonly code: Code
  /** The asset. */
  readonly ticker: Ticker
  /** How much the code is worth. */
  readonly amount: Amount
  /** What must be given with the code. Nothing when absent. */
  readonly passphrase?: Passphrase
}

/** Creates a code of the owner's choice, which the main wallet of an account pays. */
export interface IssueCode extends IssueCodeOptions {
  readonly _tag: "CreateCode"
}

/** The options of the action `OpenPlan`. */
export interface OpenPlanOptions {
  /** The identifier of the new plan. */
  readonly planId: PlanId
  /** The asset that can be invested. */
  readonly ticker: Ticker
  /** What an investment earns a day, in percent of its amount. */
  readonly dailyPercent: Amount
  /** The term, in days; at least 1. */
  readonly days: number
  /** The plan's target currency, in which interest is paid. The asset that is invested when absent. */
  readonly interestTicker?: Ticker
  /** How many units of the asset make one unit of the target currency. 1 when absent. */
  readonly interestRatio?: Amount
}

/** Opens a fixed-term plan. */
export interface OpenPlan extends OpenPlanOptions {
  readonly _tag: "OpenPlan"
}

/** The options of the action `Invest`. */
export interface InvestOptions {
  /** The account. */
  readonly account: string
  /** The plan. */
  readonly planId: PlanId
  /** The identifier of the new investment. */
  readonly investmentId: InvestmentId
  /** How much. */
  readonly amount: Amount
}

/** Invests an amount of the main wallet. */
export interface Invest extends InvestOptions {
  readonly _tag: "Invest"
}

/** The options of the action `PayInterest`. */
export interface PayInterestOptions {
  /** The account that receives it. */
  readonly account: string
  /** The plan that the payment names. It need not exist. */
  readonly planId: PlanId
  /** The investment that the payment names. It need not exist. */
  readonly investmentId: InvestmentId
  /** The asset. If the plan exists, its target currency. */
  readonly ticker: Ticker
  /** How much. */
  readonly amount: Amount
}

/** Pays interest at once, whatever the plan says. */
export interface PayInterest extends PayInterestOptions {
  readonly _tag: "PayInterest"
}

/** The options of the action `MovePrice`. */
export interface MovePriceOptions {
  /** The market. */
  readonly market: MarketName
  /** The new price, in units of the quote currency. */
  readonly price: Price
}

/** Moves the price of a market. */
export interface MovePrice extends MovePriceOptions {
  readonly _tag: "MovePrice"
}

/** The options of the action `StepPrice`. */
export interface StepPriceOptions {
  /** The market. */
  readonly market: MarketName
  /** The difference, in units of the quote currency; may be below zero. */
  readonly by: Decimal
}

/** Moves the price of a market by a difference. The market must have a price. */
export interface StepPrice extends StepPriceOptions {
  readonly _tag: "StepPrice"
}

/** A step of a price path. */
export interface PathStep {
  /** How long after the step before it, in milliseconds; the first one from now. */
  readonly afterMillis: number
  /** The price that the market then has, in units of the quote currency. */
  readonly price: Price
}

/** The options of the action `PlayPrices`. */
export interface PlayPricesOptions {
  /** The market. */
  readonly market: MarketName
  /** The path. */
  readonly steps: ReadonlyArray<PathStep>
}

/** Makes the price of a market follow a path. */
export interface PlayPrices extends PlayPricesOptions {
  readonly _tag: "PlayPrices"
}

/** The options of the action `OpenPosition`. */
export interface OpenPositionOptions {
  /** The account. */
  readonly account: string
  /** The market. */
  readonly market: MarketName
  /** Whether the account buys or sells. */
  readonly side: OrderSide
  /** How much, in units of the base currency. */
  readonly amount: Amount
  /** The price, in units of the quote currency. The last price of the market when absent. */
  readonly price?: Price
}

/** Trades a position with the rest of the world, without an order. */
export interface OpenPosition extends OpenPositionOptions {
  readonly _tag: "OpenPosition"
}

/** Sets the clock of the venue. */
export interface SetClock {
  readonly _tag: "SetClock"
  /** The new clock. */
  readonly clock: State.Clock
}

/** Sets how far the clock that callers see is ahead of the machine's. */
export interface SetSkew {
  readonly _tag: "SetSkew"
  /** The difference, in microseconds; may be below zero. */
  readonly skew: number
}

/**
 * Gives the venue an identity: keys, codes and sub-accounts that are made from now on are named by it, and are not those of
 * another venue. Going back to an earlier state keeps it.
 */
export interface SetIdentity {
  readonly _tag: "SetIdentity"
  /** Twelve hexadecimal digits as a UUID begins, such as `1f2e3d4c-5b6a`. */
  readonly identity: string
}

/** Lets time pass: only what is due happens. */
export interface Pass {
  readonly _tag: "Pass"
}

/** Goes back to an earlier state. */
export interface Restore {
  readonly _tag: "Restore"
  /** The number of the command that had left that state; 0 for a new exchange. */
  readonly sequence: number
}

/** Makes this state the one that a reset restores. */
export interface Begin {
  readonly _tag: "Begin"
}

/** Something that changes the state of the exchange. */
export type Action =
  | Call
  | OpenAccount
  | OpenSubAccount
  | SetSubAccount
  | AddKey
  | SetKey
  | SetCurrency
  | Fund
  | IssueCode
  | OpenPlan
  | Invest
  | PayInterest
  | MovePrice
  | StepPrice
  | PlayPrices
  | OpenPosition
  | SetCounterparty
  | SetClock
  | SetSkew
  | SetIdentity
  | Pass
  | Restore
  | Begin

/** A command. */
export interface Command {
  /** When it happens, in Unix microseconds by the clock of the venue. */
  readonly at: number
  /** What happens. */
  readonly action: Action
}

const key = Schema.optionalKey

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** The schema of nonces. */
export const Nonce = Schema.Struct({ value: Schema.BigInt, window: Schema.Boolean })

const Call = Schema.TaggedStruct("Call", { apiKey: ApiKey, nonce: key(Nonce), operation: Operation })

/** The schema of `OpenAccount`. */
export const OpenAccount = Schema.TaggedStruct("OpenAccount", { account: Schema.String, b2b: Schema.Boolean })

/** The schema of `OpenSubAccount`. */
export const OpenSubAccount = Schema.TaggedStruct("OpenSubAccount", {
  id: SubAccountId,
  parent: Schema.String,
  alias: Schema.String,
  email: MaskedEmail,
  color: HexColour,
  shareKyc: Schema.Boolean,
  kycStatus: Schema.String,
  spotEnabled: Schema.Boolean,
  collateralEnabled: Schema.Boolean
})

const KeyEndpoints = Schema.Array(Schema.Struct({ name: Schema.String, title: Schema.String }))

/** The schema of `AddKey`. */
export const AddKey = Schema.TaggedStruct("AddKey", {
  account: Schema.String,
  apiKey: ApiKey,
  apiSecret: Schema.String,
  title: Schema.String,
  type: Schema.String,
  enabled: Schema.Boolean,
  endpoints: key(KeyEndpoints)
})

/** The schema of `SetSubAccount`. */
export const SetSubAccount = Schema.TaggedStruct("SetSubAccount", {
  id: SubAccountId,
  kycStatus: key(Schema.String),
  spotEnabled: key(Schema.Boolean),
  collateralEnabled: key(Schema.Boolean)
})

/** The schema of `SetKey`. */
export const SetKey = Schema.TaggedStruct("SetKey", {
  apiKey: ApiKey,
  enabled: key(Schema.Boolean),
  endpoints: key(Schema.NullOr(KeyEndpoints))
})

const Terms = Schema.Struct({
  minFlex: key(Decimal),
  maxFlex: key(Decimal),
  percentFlex: key(Decimal),
  fixed: key(Decimal),
  minAmount: key(Decimal),
  maxAmount: key(Decimal)
})

/** The schema of `SetCurrency`. */
export const SetCurrency = Schema.TaggedStruct("SetCurrency", {
  ticker: Ticker,
  canDeposit: key(Schema.Boolean),
  canWithdraw: key(Schema.Boolean),
  deposit: key(Terms),
  withdraw: key(Terms)
})

/** The schema of `Fund`. */
export const Fund = Schema.TaggedStruct("Fund", {
  account: Schema.String,
  wallet: Wallet,
  ticker: Ticker,
  amount: Amount
})

/** The schema of `IssueCode`. */
export const IssueCode = Schema.TaggedStruct("CreateCode", {
  account: Schema.String,
  code: Code,
  ticker: Ticker,
  amount: Amount,
  passphrase: key(Passphrase)
})

/** The schema of `OpenPlan`. */
export const OpenPlan = Schema.TaggedStruct("OpenPlan", {
  planId: PlanId,
  ticker: Ticker,
  dailyPercent: Amount,
  days: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)),
  interestTicker: key(Ticker),
  interestRatio: key(Amount)
})

/** The schema of `Invest`. */
export const Invest = Schema.TaggedStruct("Invest", {
  account: Schema.String,
  planId: PlanId,
  investmentId: InvestmentId,
  amount: Amount
})

/** The schema of `PayInterest`. */
export const PayInterest = Schema.TaggedStruct("PayInterest", {
  account: Schema.String,
  planId: PlanId,
  investmentId: InvestmentId,
  ticker: Ticker,
  amount: Amount
})

/** The schema of `MovePrice`. */
export const MovePrice = Schema.TaggedStruct("MovePrice", { market: MarketName, price: Price })

/** The schema of `StepPrice`. */
export const StepPrice = Schema.TaggedStruct("StepPrice", { market: MarketName, by: Decimal })

/** The schema of `PlayPrices`. */
export const PlayPrices = Schema.TaggedStruct("PlayPrices", {
  market: MarketName,
  steps: Schema.Array(Schema.Struct({ afterMillis: Count, price: Price }))
})

/** The schema of `OpenPosition`. */
export const OpenPosition = Schema.TaggedStruct("OpenPosition", {
  account: Schema.String,
  market: MarketName,
  side: OrderSide,
  amount: Amount,
  price: key(Price)
})

const Clock = Schema.TaggedUnion({ Running: { ahead: Schema.Int }, Frozen: { at: Schema.Int } })

const SetClock = Schema.TaggedStruct("SetClock", { clock: Clock })

const SetSkew = Schema.TaggedStruct("SetSkew", { skew: Schema.Int })

const SetIdentity = Schema.TaggedStruct("SetIdentity", {
  identity: Schema.String.check(Schema.isPattern(/^[0-9a-f]{8}-[0-9a-f]{4}$/u))
})

const Pass = Schema.TaggedStruct("Pass", {})

const Restore = Schema.TaggedStruct("Restore", { sequence: Count })

const Begin = Schema.TaggedStruct("Begin", {})

/** The schema of actions. */
export const Action = Schema.Union([
  Call,
  OpenAccount,
  OpenSubAccount,
  SetSubAccount,
  AddKey,
  SetKey,
  SetCurrency,
  Fund,
  IssueCode,
  OpenPlan,
  Invest,
  PayInterest,
  MovePrice,
  StepPrice,
  PlayPrices,
  OpenPosition,
  SetCounterparty,
  SetClock,
  SetSkew,
  SetIdentity,
  Pass,
  Restore,
  Begin
])
/** The schema of commands. */
export const Command = Schema.Struct({ at: Schema.Int, action: Action })

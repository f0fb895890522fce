/**
 * What the engine is told: everything that can change its state, with the time at which it happens. The journal is a
 * list of these, so each is plain JSON and has a schema.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Code, Description, Passphrase } from "../../domain/Code.ts"
import { Amount, Decimal, Price } from "../../domain/Decimal.ts"
import {
  ApiKey,
  ClientOrderId,
  InvestmentId,
  MarketName,
  OrderId,
  PlanId,
  SubAccountId,
  Ticker
} from "../../domain/Identifiers.ts"
import { BboRole, CancelAllType, OrderSide, SelfTradePrevention } from "../../domain/Order.ts"
import { Alias, Email, HexColour, KeyTitle, MaskedEmail } from "../../domain/SubAccount.ts"

const key = Schema.optionalKey

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

export const Wallet = Schema.Literals(["main", "trade", "collateral"])

// -----------------------------------------------------------------------------
// What a signed call asks for
// -----------------------------------------------------------------------------

/** Nothing that changes the state: a read, or a call refused for its fields. Its nonce is used all the same. */

const Nothing = Schema.TaggedStruct("Nothing", {})

const PlaceStopLimit = Schema.TaggedStruct("PlaceStopLimit", {
  market: MarketName,
  side: OrderSide,
  amount: Amount,
  price: Price,
  activationPrice: Price,
  clientOrderId: key(ClientOrderId),
  bboRole: key(BboRole),
  stp: key(SelfTradePrevention)
})

const PlaceLimit = Schema.TaggedStruct("PlaceLimit", {
  market: MarketName,
  side: OrderSide,
  amount: Amount,
  price: Price,
  collateral: Schema.Boolean,
  clientOrderId: key(ClientOrderId),
  postOnly: key(Schema.Boolean),
  ioc: key(Schema.Boolean),
  stp: key(SelfTradePrevention),
  reduceOnly: key(Schema.Boolean)
})

/** `quoteAmount`: whether the amount is what the order spends, in the quote currency. */
const PlaceMarket = Schema.TaggedStruct("PlaceMarket", {
  market: MarketName,
  side: OrderSide,
  amount: Amount,
  quoteAmount: Schema.Boolean,
  collateral: Schema.Boolean,
  clientOrderId: key(ClientOrderId),
  stp: key(SelfTradePrevention),
  reduceOnly: key(Schema.Boolean)
})

const Cancel = Schema.TaggedStruct("Cancel", {
  market: MarketName,
  orderId: key(OrderId),
  clientOrderId: key(ClientOrderId)
})

const CancelOco = Schema.TaggedStruct("CancelOco", { market: MarketName, orderId: OrderId })

const Transfer = Schema.TaggedStruct("Transfer", {
  from: Wallet,
  to: Wallet,
  ticker: Ticker,
  amount: Amount
})

const PlaceOco = Schema.TaggedStruct("PlaceOco", {
  market: MarketName,
  side: OrderSide,
  amount: Amount,
  price: Price,
  activationPrice: Price,
  stopLimitPrice: Price,
  clientOrderId: key(ClientOrderId),
  reduceOnly: key(Schema.Boolean)
})

const CancelAll = Schema.TaggedStruct("CancelAll", {
  market: key(MarketName),
  type: key(Schema.Array(CancelAllType))
})

const ApplyCode = Schema.TaggedStruct("ApplyCode", { code: Code, passphrase: key(Passphrase) })

const CreateCode = Schema.TaggedStruct("CreateCode", {
  ticker: Ticker,
  amount: Amount,
  passphrase: key(Passphrase),
  description: key(Description)
})

const CreateSubAccount = Schema.TaggedStruct("CreateSubAccount", {
  alias: Alias,
  email: key(Email),
  shareKyc: Schema.Boolean,
  spotEnabled: Schema.Boolean,
  collateralEnabled: Schema.Boolean
})

const CreateSubAccountKey = Schema.TaggedStruct("CreateSubAccountKey", {
  subAccountId: SubAccountId,
  title: KeyTitle,
  type: Schema.String
})

const DeleteSubAccount = Schema.TaggedStruct("DeleteSubAccount", { id: SubAccountId })

/**
 * What a signed call asks the engine to do.
 *
 * @category models
 * @since 0.1.0
 */
export const Operation = Schema.Union([
  Nothing,
  PlaceLimit,
  PlaceMarket,
  PlaceStopLimit,
  PlaceOco,
  Cancel,
  CancelOco,
  CancelAll,
  Transfer,
  CreateCode,
  ApplyCode,
  CreateSubAccount,
  CreateSubAccountKey,
  DeleteSubAccount
])
/** @category models */
export type Operation = typeof Operation.Type

/**
 * A nonce, once the caller has proved to hold the key's secret.
 *
 * @category models
 * @since 0.1.0
 */
export const Nonce = Schema.Struct({ value: Schema.BigInt, window: Schema.Boolean })
/** @category models */
export type Nonce = typeof Nonce.Type

/** A signed call. `nonce` is absent only where the document does not require one. */
const Call = Schema.TaggedStruct("Call", { apiKey: ApiKey, nonce: key(Nonce), operation: Operation })

// -----------------------------------------------------------------------------
// What only the owner of the sandbox can do
// -----------------------------------------------------------------------------

export const OpenAccount = Schema.TaggedStruct("OpenAccount", { account: Schema.String, b2b: Schema.Boolean })

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

/** The paths that a key may call. */
const KeyEndpoints = Schema.Array(Schema.Struct({ name: Schema.String, title: Schema.String }))

export const AddKey = Schema.TaggedStruct("AddKey", {
  account: Schema.String,
  apiKey: ApiKey,
  apiSecret: Schema.String,
  title: Schema.String,
  type: Schema.String,
  enabled: Schema.Boolean,
  /** The paths that the key may call; absent when it may call all. */
  endpoints: key(KeyEndpoints)
})

/** What is absent stays as it is. */
export const SetSubAccount = Schema.TaggedStruct("SetSubAccount", {
  id: SubAccountId,
  kycStatus: key(Schema.String),
  spotEnabled: key(Schema.Boolean),
  collateralEnabled: key(Schema.Boolean)
})

/** What is absent stays as it is; `endpoints` of null lets the key call all paths again. */
export const SetKey = Schema.TaggedStruct("SetKey", {
  apiKey: ApiKey,
  enabled: key(Schema.Boolean),
  endpoints: key(Schema.NullOr(KeyEndpoints))
})

export const Fund = Schema.TaggedStruct("Fund", {
  account: Schema.String,
  wallet: Wallet,
  ticker: Ticker,
  amount: Amount
})

export const IssueCode = Schema.TaggedStruct("CreateCode", {
  account: Schema.String,
  code: Code,
  ticker: Ticker,
  amount: Amount,
  passphrase: key(Passphrase)
})

/** `dailyPercent` is what an investment earns a day; `days` is its term. */
export const OpenPlan = Schema.TaggedStruct("OpenPlan", {
  planId: PlanId,
  ticker: Ticker,
  dailyPercent: Amount,
  days: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))
})

export const Invest = Schema.TaggedStruct("Invest", {
  account: Schema.String,
  planId: PlanId,
  investmentId: InvestmentId,
  amount: Amount
})

export const PayInterest = Schema.TaggedStruct("PayInterest", {
  account: Schema.String,
  planId: PlanId,
  investmentId: InvestmentId,
  ticker: Ticker,
  amount: Amount
})

export const MovePrice = Schema.TaggedStruct("MovePrice", { market: MarketName, price: Price })

/** `by` may be below zero. */
export const StepPrice = Schema.TaggedStruct("StepPrice", { market: MarketName, by: Decimal })

/** Each step moves the price so many milliseconds after the step before it, the first one from now. */
export const PlayPrices = Schema.TaggedStruct("PlayPrices", {
  market: MarketName,
  steps: Schema.Array(Schema.Struct({ afterMillis: Count, price: Price }))
})

/** What an account trades with the rest of the world, without an order: at the last price, or at this one. */
export const OpenPosition = Schema.TaggedStruct("OpenPosition", {
  account: Schema.String,
  market: MarketName,
  side: OrderSide,
  amount: Amount,
  price: key(Price)
})

const Clock = Schema.TaggedUnion({ Running: { ahead: Schema.Int }, Frozen: { at: Schema.Int } })

const SetClock = Schema.TaggedStruct("SetClock", { clock: Clock })

/** In microseconds. */
const SetSkew = Schema.TaggedStruct("SetSkew", { skew: Schema.Int })

/** Nothing happens but what has come due. */
const Pass = Schema.TaggedStruct("Pass", {})

/** Everything is again as the first so many commands had left it. */
const Restore = Schema.TaggedStruct("Restore", { sequence: Count })

/** What a reset goes back to is what there is now. */
const Begin = Schema.TaggedStruct("Begin", {})

/**
 * What happens.
 *
 * @category models
 * @since 0.1.0
 */
export const Action = Schema.Union([
  Call,
  OpenAccount,
  OpenSubAccount,
  SetSubAccount,
  AddKey,
  SetKey,
  Fund,
  IssueCode,
  OpenPlan,
  Invest,
  PayInterest,
  MovePrice,
  StepPrice,
  PlayPrices,
  OpenPosition,
  SetClock,
  SetSkew,
  Pass,
  Restore,
  Begin
])
/** @category models */
export type Action = typeof Action.Type

/**
 * What happens, and when: `at` in Unix microseconds, by the clock of the venue.
 *
 * @category models
 * @since 0.1.0
 */
export const Command = Schema.Struct({ at: Schema.Int, action: Action })
/** @category models */
export type Command = typeof Command.Type

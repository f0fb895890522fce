/**
 * What the engine is told: everything that can change its state, with the time at which it happens. The journal is a
 * list of these, so each is plain JSON and has a schema.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Code, Description, Passphrase } from "../../domain/Code.ts"
import { Amount, Price } from "../../domain/Decimal.ts"
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

const Wallet = Schema.Literals(["main", "trade", "collateral"])

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

/** `inMoney`: a buy whose amount is what it spends. */
const PlaceMarket = Schema.TaggedStruct("PlaceMarket", {
  market: MarketName,
  side: OrderSide,
  amount: Amount,
  inMoney: Schema.Boolean,
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

const OpenAccount = Schema.TaggedStruct("OpenAccount", { account: Schema.String, b2b: Schema.Boolean })

const OpenSubAccount = Schema.TaggedStruct("OpenSubAccount", {
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

const AddKey = Schema.TaggedStruct("AddKey", {
  account: Schema.String,
  apiKey: ApiKey,
  apiSecret: Schema.String,
  title: Schema.String,
  type: Schema.String,
  enabled: Schema.Boolean,
  /** The paths that the key may call; absent when it may call all. */
  endpoints: key(Schema.Array(Schema.Struct({ name: Schema.String, title: Schema.String })))
})

const SetKey = Schema.TaggedStruct("SetKey", { apiKey: ApiKey, enabled: Schema.Boolean })

const Fund = Schema.TaggedStruct("Fund", {
  account: Schema.String,
  wallet: Wallet,
  ticker: Ticker,
  amount: Amount
})

const IssueCode = Schema.TaggedStruct("CreateCode", {
  account: Schema.String,
  code: Code,
  ticker: Ticker,
  amount: Amount,
  passphrase: key(Passphrase)
})

/** `dailyPercent` is what an investment earns a day; `days` is its term. */
const OpenPlan = Schema.TaggedStruct("OpenPlan", {
  planId: PlanId,
  ticker: Ticker,
  dailyPercent: Amount,
  days: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))
})

const Invest = Schema.TaggedStruct("Invest", {
  account: Schema.String,
  planId: PlanId,
  investmentId: InvestmentId,
  amount: Amount
})

const PayInterest = Schema.TaggedStruct("PayInterest", {
  account: Schema.String,
  planId: PlanId,
  investmentId: InvestmentId,
  ticker: Ticker,
  amount: Amount
})

const MovePrice = Schema.TaggedStruct("MovePrice", { market: MarketName, price: Price })

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
  AddKey,
  SetKey,
  Fund,
  IssueCode,
  OpenPlan,
  Invest,
  PayInterest,
  MovePrice
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

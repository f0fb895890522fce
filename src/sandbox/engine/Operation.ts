/**
 * The operations that signed calls ask of the engine. The journal holds operations, so each has a schema and can be
 * written as JSON.
 */
import * as Schema from "effect/Schema"
import { Code, Description, Passphrase } from "../../domain/Code.ts"
import { Amount, Price } from "../../domain/Decimal.ts"
import { ClientOrderId, MarketName, OrderId, SubAccountId, Ticker } from "../../domain/Identifiers.ts"
import { KillSwitchSeconds } from "../../domain/KillSwitch.ts"
import { BboRole, CancelAllType, OrderSide, PositionSide, SelfTradePrevention } from "../../domain/Order.ts"
import { Alias, Email, KeyTitle } from "../../domain/SubAccount.ts"
import type * as Ledger from "./Ledger.ts"

const key = Schema.optionalKey

/** A wallet of an account. */
export const Wallet = Schema.Literals(["main", "trade", "collateral"])

/** No operation: the call only reads, or has wrong fields. It still uses its nonce. */
export interface Nothing {
  readonly _tag: "Nothing"
}

/** The take-profit and stop-loss that a margin order places when it is filled. */
export interface WithExit {
  /** The price that triggers a take-profit, in units of the quote currency. No take-profit when absent. */
  readonly takeProfit?: Price
  /** The price that triggers a stop-loss, in units of the quote currency. No stop-loss when absent. */
  readonly stopLoss?: Price
}

/** Places a limit order. */
export interface PlaceLimit extends WithExit {
  readonly _tag: "PlaceLimit"
  /** The market. */
  readonly market: MarketName
  /** Whether the order buys or sells. */
  readonly side: OrderSide
  /** The amount, in units of the base currency. */
  readonly amount: Amount
  /** The limit, in units of the quote currency. */
  readonly price: Price
  /** Whether the order opens or closes a position, instead of exchanging wallet balances. */
  readonly collateral: boolean
  /** The caller's own identifier. */
  readonly clientOrderId?: ClientOrderId
  /** Whether the order is refused if it would take liquidity. `false` when absent. */
  readonly postOnly?: boolean
  /** Whether what cannot trade at once is canceled. `false` when absent; excludes `postOnly`. */
  readonly ioc?: boolean
  /** The self-trade prevention: how to avoid a trade with another order of the same account. `"no"` when absent. */
  readonly stp?: SelfTradePrevention
  /** Whether the order may only reduce a position. `false` when absent. */
  readonly reduceOnly?: boolean
}

/** Places a market order. */
export interface PlaceMarket extends WithExit {
  readonly _tag: "PlaceMarket"
  /** The market. */
  readonly market: MarketName
  /** Whether the order buys or sells. */
  readonly side: OrderSide
  /**
   * The amount: in units of the quote currency if `quoteAmount` is `true` and the order buys, otherwise of the base
   * currency.
   */
  readonly amount: Amount
  /** Whether `amount` is the total that a buy spends, in units of the quote currency. Ignored on sells. */
  readonly quoteAmount: boolean
  /** Whether the order trades a position instead of wallets. */
  readonly collateral: boolean
  /** The caller's own identifier. */
  readonly clientOrderId?: ClientOrderId
  /** The self-trade prevention: how to avoid a trade with another order of the same account. `"no"` when absent. */
  readonly stp?: SelfTradePrevention
  /** Whether the order may only reduce a position. `false` when absent. */
  readonly reduceOnly?: boolean
}

/** Places a stop-limit order (document, Endpoints §3), or one that trades a position. */
export interface PlaceStopLimit extends WithExit {
  readonly _tag: "PlaceStopLimit"
  /** The market. */
  readonly market: MarketName
  /** Whether the order buys or sells. */
  readonly side: OrderSide
  /** The amount, in units of the base currency. */
  readonly amount: Amount
  /** The limit, in units of the quote currency. */
  readonly price: Price
  /** The price that triggers the order, in units of the quote currency. */
  readonly activationPrice: Price
  /** The caller's own identifier. */
  readonly clientOrderId?: ClientOrderId
  /** The side of the book whose best price the triggered order uses. Its own limit when absent. */
  readonly bboRole?: BboRole
  /** The self-trade prevention: how to avoid a trade with another order of the same account. `"no"` when absent. */
  readonly stp?: SelfTradePrevention
  /** Whether the order trades a position instead of wallets. `false` when absent. */
  readonly collateral?: boolean
  /** Whether the order may only reduce a position. `false` when absent. */
  readonly reduceOnly?: boolean
}

/** Places a stop-market order. */
export interface PlaceStopMarket extends WithExit {
  readonly _tag: "PlaceStopMarket"
  /** The market. On a futures market, `collateral` must be `true`. */
  readonly market: MarketName
  /** Whether the order buys or sells. */
  readonly side: OrderSide
  /**
   * The amount: for a spot buy the total that it spends, in units of the quote currency; otherwise in units of the base
   * currency.
   */
  readonly amount: Amount
  /** The price that triggers the order, in units of the quote currency. */
  readonly activationPrice: Price
  /** Whether the order trades a position instead of wallets. */
  readonly collateral: boolean
  /** The caller's own identifier. */
  readonly clientOrderId?: ClientOrderId
  /** The self-trade prevention: how to avoid a trade with another order of the same account. `"no"` when absent. */
  readonly stp?: SelfTradePrevention
  /** Whether the order may only reduce a position. `false` when absent. */
  readonly reduceOnly?: boolean
}

/** Places a collateral OCO order (document, Endpoints §2). */
export interface PlaceOco {
  readonly _tag: "PlaceOco"
  /** The market. */
  readonly market: MarketName
  /** Whether both legs buy or sell. */
  readonly side: OrderSide
  /** The amount, in units of the base currency. */
  readonly amount: Amount
  /** The limit of the take-profit, in units of the quote currency. */
  readonly price: Price
  /** The price that triggers the stop-loss, in units of the quote currency. */
  readonly activationPrice: Price
  /** The limit of the stop-loss, in units of the quote currency. */
  readonly stopLimitPrice: Price
  /** The caller's own identifier. Both legs have it. */
  readonly clientOrderId?: ClientOrderId
  /** Whether both legs may only reduce a position. `false` when absent. */
  readonly reduceOnly?: boolean
  /** The self-trade prevention: how to avoid a trade with another order of the same account. `"no"` when absent. */
  readonly stp?: SelfTradePrevention
}

/** Places limit orders, one after the other. */
export interface PlaceBulk {
  readonly _tag: "PlaceBulk"
  /** The orders, in the order in which they are placed. */
  readonly orders: ReadonlyArray<PlaceLimit>
  /** Whether placing stops at the first order that is refused. `false` when absent. */
  readonly stopOnFail?: boolean
}

/** Cancels orders, one after the other. */
export interface CancelBulk {
  readonly _tag: "CancelBulk"
  /** The orders, in the order in which they are canceled. */
  readonly orders: ReadonlyArray<Cancel>
}

/**
 * Modifies an open order: replaces it by a new one, with a new identifier, last in the queue at its price. Absent
 * fields stay as they are.
 */
export interface Modify {
  readonly _tag: "Modify"
  /** The market that the order is on. */
  readonly market: MarketName
  /** The exchange's identifier. It takes precedence if both are given. */
  readonly orderId?: OrderId
  /** The caller's own identifier, which the new order has too. */
  readonly clientOrderId?: ClientOrderId
  /** The total amount, including the filled part, in units of the base currency. */
  readonly amount?: Amount
  /** The total that a spot stop-market buy spends, in units of the quote currency. */
  readonly total?: Amount
  /** The limit, in units of the quote currency. */
  readonly price?: Price
  /** The price that triggers the order, in units of the quote currency. Allowed only before the order is triggered. */
  readonly activationPrice?: Price
  /** The self-trade prevention: how to avoid a trade with another order of the same account. */
  readonly stp?: SelfTradePrevention
}

/** Cancels one order. The caller names it by either identifier. */
export interface Cancel {
  readonly _tag: "Cancel"
  /** The market that the order is on. */
  readonly market: MarketName
  /** The exchange's identifier. It takes precedence if both are given. */
  readonly orderId?: OrderId
  /** The caller's own identifier. */
  readonly clientOrderId?: ClientOrderId
}

/** Cancels both legs of an OCO order. */
export interface CancelOco {
  readonly _tag: "CancelOco"
  /** The market that the order is on. */
  readonly market: MarketName
  /** The identifier of the pair. It takes precedence if both are given. */
  readonly orderId?: OrderId
  /** The caller's own identifier. */
  readonly clientOrderId?: ClientOrderId
}

/** Cancels an order that has not placed its take-profit and stop-loss yet. */
export interface CancelOto {
  readonly _tag: "CancelOto"
  /** The market that the order is on. */
  readonly market: MarketName
  /** The identifier of the group. */
  readonly otoId: OrderId
}

/** Cancels both legs of an OCO order, or an order that has not placed its take-profit and stop-loss yet. */
export interface CancelConditional {
  readonly _tag: "CancelConditional"
  /** The market that the order is on. */
  readonly market: MarketName
  /** The identifier of the pair or of the group. */
  readonly id: OrderId
}

/** Cancels all open orders of an account (document, Endpoints §4). */
export interface CancelAll {
  readonly _tag: "CancelAll"
  /** The market. All markets when absent. */
  readonly market?: MarketName
  /** The kinds of orders. All kinds when absent. */
  readonly type?: ReadonlyArray<CancelAllType>
  /** The position side that the orders belong to; only on a futures market. All when absent. */
  readonly positionSide?: PositionSide
}

/** Arms the kill switch of a market, or disarms it. */
export interface SetKillSwitch {
  readonly _tag: "SetKillSwitch"
  /** The market. */
  readonly market: MarketName
  /** The countdown until the orders are canceled, in seconds; 5 to 600. Disarms the kill switch when absent. */
  readonly seconds?: KillSwitchSeconds
  /** The kinds of orders that it cancels. All kinds when absent. */
  readonly types?: ReadonlyArray<CancelAllType>
}

/** Moves an amount between wallets of an account. */
export interface Transfer {
  readonly _tag: "Transfer"
  /** The wallet that pays. */
  readonly from: Ledger.Wallet
  /** The wallet that receives. */
  readonly to: Ledger.Wallet
  /** The asset. */
  readonly ticker: Ticker
  /** The amount. */
  readonly amount: Amount
}

/** Creates a code that another account can apply. */
export interface CreateCode {
  readonly _tag: "CreateCode"
  /** The asset. */
  readonly ticker: Ticker
  /** The amount that the code is worth, debited from the main wallet. */
  readonly amount: Amount
  /** The passphrase that is needed to apply the code. None when absent. */
  readonly passphrase?: Passphrase
  /** The caller's own note, without effect. */
  readonly description?: Description
}

/** Applies a code (document, Endpoints §6). */
export interface ApplyCode {
  readonly _tag: "ApplyCode"
  /** The code. */
  readonly code: Code
  /** The passphrase of the code, if it has one. */
  readonly passphrase?: Passphrase
}

/** Creates a sub-account. */
export interface CreateSubAccount {
  readonly _tag: "CreateSubAccount"
  /** The name that its owner gives it; unique among the owner's sub-accounts. */
  readonly alias: Alias
  /** Its e-mail address. */
  readonly email?: Email
  /** Whether it shares the identity check of its owner. */
  readonly shareKyc: boolean
  /** Whether it may trade on spot markets. */
  readonly spotEnabled: boolean
  /** Whether it may trade on margin. */
  readonly collateralEnabled: boolean
}

/** Creates an API key of a sub-account. */
export interface CreateSubAccountKey {
  readonly _tag: "CreateSubAccountKey"
  /** The sub-account. */
  readonly subAccountId: SubAccountId
  /** The name that its owner gives the key. */
  readonly title: KeyTitle
  /** The type of the key. */
  readonly type: string
}

/** Deletes a sub-account (document, Endpoints §11). */
export interface DeleteSubAccount {
  readonly _tag: "DeleteSubAccount"
  /** The sub-account. It must hold nothing. */
  readonly id: SubAccountId
}

/** An operation of a signed call. */
export type Operation =
  | Nothing
  | PlaceLimit
  | PlaceMarket
  | PlaceStopLimit
  | PlaceStopMarket
  | PlaceOco
  | PlaceBulk
  | Modify
  | Cancel
  | CancelBulk
  | CancelOco
  | CancelOto
  | CancelConditional
  | CancelAll
  | SetKillSwitch
  | Transfer
  | CreateCode
  | ApplyCode
  | CreateSubAccount
  | CreateSubAccountKey
  | DeleteSubAccount

const Nothing = Schema.TaggedStruct("Nothing", {})

const exit = { takeProfit: key(Price), stopLoss: key(Price) }

const PlaceStopLimit = Schema.TaggedStruct("PlaceStopLimit", {
  ...exit,
  market: MarketName,
  side: OrderSide,
  amount: Amount,
  price: Price,
  activationPrice: Price,
  clientOrderId: key(ClientOrderId),
  bboRole: key(BboRole),
  stp: key(SelfTradePrevention),
  collateral: key(Schema.Boolean),
  reduceOnly: key(Schema.Boolean)
})

const PlaceStopMarket = Schema.TaggedStruct("PlaceStopMarket", {
  ...exit,
  market: MarketName,
  side: OrderSide,
  amount: Amount,
  activationPrice: Price,
  collateral: Schema.Boolean,
  clientOrderId: key(ClientOrderId),
  stp: key(SelfTradePrevention),
  reduceOnly: key(Schema.Boolean)
})

const PlaceLimit = Schema.TaggedStruct("PlaceLimit", {
  ...exit,
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

const PlaceMarket = Schema.TaggedStruct("PlaceMarket", {
  ...exit,
  market: MarketName,
  side: OrderSide,
  amount: Amount,
  quoteAmount: Schema.Boolean,
  collateral: Schema.Boolean,
  clientOrderId: key(ClientOrderId),
  stp: key(SelfTradePrevention),
  reduceOnly: key(Schema.Boolean)
})

const Modify = Schema.TaggedStruct("Modify", {
  market: MarketName,
  orderId: key(OrderId),
  clientOrderId: key(ClientOrderId),
  amount: key(Amount),
  total: key(Amount),
  price: key(Price),
  activationPrice: key(Price),
  stp: key(SelfTradePrevention)
})

const Cancel = Schema.TaggedStruct("Cancel", {
  market: MarketName,
  orderId: key(OrderId),
  clientOrderId: key(ClientOrderId)
})

const PlaceBulk = Schema.TaggedStruct("PlaceBulk", {
  orders: Schema.Array(PlaceLimit),
  stopOnFail: key(Schema.Boolean)
})

const CancelBulk = Schema.TaggedStruct("CancelBulk", { orders: Schema.Array(Cancel) })

const CancelOco = Schema.TaggedStruct("CancelOco", {
  market: MarketName,
  orderId: key(OrderId),
  clientOrderId: key(ClientOrderId)
})

const CancelOto = Schema.TaggedStruct("CancelOto", { market: MarketName, otoId: OrderId })

const CancelConditional = Schema.TaggedStruct("CancelConditional", { market: MarketName, id: OrderId })

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
  reduceOnly: key(Schema.Boolean),
  stp: key(SelfTradePrevention)
})

const CancelAll = Schema.TaggedStruct("CancelAll", {
  market: key(MarketName),
  type: key(Schema.Array(CancelAllType)),
  positionSide: key(PositionSide)
})

const SetKillSwitch = Schema.TaggedStruct("SetKillSwitch", {
  market: MarketName,
  seconds: key(KillSwitchSeconds),
  types: key(Schema.Array(CancelAllType))
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

/** The schema of operations. */
export const Operation = Schema.Union([
  Nothing,
  PlaceLimit,
  PlaceMarket,
  PlaceStopLimit,
  PlaceStopMarket,
  PlaceOco,
  PlaceBulk,
  Modify,
  Cancel,
  CancelBulk,
  CancelOco,
  CancelOto,
  CancelConditional,
  CancelAll,
  SetKillSwitch,
  Transfer,
  CreateCode,
  ApplyCode,
  CreateSubAccount,
  CreateSubAccountKey,
  DeleteSubAccount
])

/**
 * The operations that signed calls request from the engine. The journal contains operations, so each operation has a
 * schema and can be written as JSON.
 */
import * as Schema from "effect/Schema"
import { Code, Description, Passphrase } from "../../domain/Code.ts"
import { Amount, Price } from "../../domain/Decimal.ts"
import { ClientOrderId, MarketName, OrderId, PositionId, SubAccountId, Ticker } from "../../domain/Identifiers.ts"
import { KillSwitchSeconds } from "../../domain/KillSwitch.ts"
import { leverages } from "../../domain/Margin.ts"
import { BboRole, CancelAllType, OrderSide, PositionSide, SelfTradePrevention } from "../../domain/Order.ts"
import { Alias, Email, KeyTitle } from "../../domain/SubAccount.ts"
import type * as Ledger from "./Ledger.ts"

const key = Schema.optionalKey

/** One of an account's wallets. */
export const Wallet = Schema.Literals(["main", "trade", "collateral"])

/** No operation, for a call that only reads or has invalid fields. Such a call still uses up its nonce. */
export interface Nothing {
  readonly _tag: "Nothing"
}

/** The take-profit and stop-loss that a margin or futures order places when it is filled. */
export interface WithExit {
  /** The price that triggers a take-profit, in units of the quote currency. If absent, there is no take-profit. */
  readonly takeProfit?: Price
  /** The price that triggers a stop-loss, in units of the quote currency. If absent, there is no stop-loss. */
  readonly stopLoss?: Price
}

/** Places a limit order. */
export interface PlaceLimit extends WithExit {
  readonly _tag: "PlaceLimit"
  /** The market to trade on. */
  readonly market: MarketName
  /** Whether the order buys or sells. */
  readonly side: OrderSide
  /** The amount, in units of the base currency. */
  readonly amount: Amount
  /**
   * The limit price, in units of the quote currency. Absent only with `bboRole`, which takes precedence over `price`.
   */
  readonly price?: Price
  /** The side of the book whose best price becomes the limit price. With `"queue"`, the order never takes liquidity. */
  readonly bboRole?: BboRole
  /** Whether the order affects a position instead of wallet balances. */
  readonly collateral: boolean
  /** The client order id. */
  readonly clientOrderId?: ClientOrderId
  /** Whether the exchange refuses the order if it would take liquidity. Defaults to `false`. */
  readonly postOnly?: boolean
  /**
   * Whether the part that can't trade immediately is canceled (immediate or cancel). Defaults to `false`; can't be
   * combined with `postOnly`.
   */
  readonly ioc?: boolean
  /**
   * Whether the order rests in the book, never takes liquidity, and trades only with retail orders. Defaults to
   * `false`. Allowed only if the venue's owner has permitted `rpi` orders for the account.
   */
  readonly rpi?: boolean
  /**
   * Whether the order also trades with `rpi` orders. Defaults to `false`. Allowed only if the venue's owner has
   * permitted `retail` orders for the account.
   */
  readonly retail?: boolean
  /**
   * The self-trade prevention: how the order avoids trading with another order of the same account. Defaults to `"no"`.
   */
  readonly stp?: SelfTradePrevention
  /** Whether the order may only reduce a position. Defaults to `false`. */
  readonly reduceOnly?: boolean
  /**
   * The position to trade: `LONG` or `SHORT` in hedge mode; in one-way mode `BOTH`, the default.
   */
  readonly positionSide?: PositionSide
}

/** Places a market order. */
export interface PlaceMarket extends WithExit {
  readonly _tag: "PlaceMarket"
  /** The market to trade on. */
  readonly market: MarketName
  /** Whether the order buys or sells. */
  readonly side: OrderSide
  /**
   * The amount: in units of the quote currency if `quoteAmount` is `true` and the order buys; otherwise in units of the
   * base currency.
   */
  readonly amount: Amount
  /** Whether `amount` is the total that a buy spends, in units of the quote currency. Ignored for sells. */
  readonly quoteAmount: boolean
  /** Whether the order affects a position instead of wallet balances. */
  readonly collateral: boolean
  /** The client order id. */
  readonly clientOrderId?: ClientOrderId
  /**
   * The self-trade prevention: how the order avoids trading with another order of the same account. Defaults to `"no"`.
   */
  readonly stp?: SelfTradePrevention
  /** Whether the order may only reduce a position. Defaults to `false`. */
  readonly reduceOnly?: boolean
  /**
   * The position to trade: `LONG` or `SHORT` in hedge mode; in one-way mode `BOTH`, the default.
   */
  readonly positionSide?: PositionSide
}

/** Places a stop-limit order, which affects wallet balances or a position (the document, Endpoints §3). */
export interface PlaceStopLimit extends WithExit {
  readonly _tag: "PlaceStopLimit"
  /** The market to trade on. */
  readonly market: MarketName
  /** Whether the order buys or sells. */
  readonly side: OrderSide
  /** The amount, in units of the base currency. */
  readonly amount: Amount
  /** The limit price, in units of the quote currency. */
  readonly price: Price
  /** The price that triggers the order, in units of the quote currency. */
  readonly activationPrice: Price
  /** The client order id. */
  readonly clientOrderId?: ClientOrderId
  /**
   * The side of the book whose best price becomes the limit price of the triggered order. If absent, the order keeps
   * `price`.
   */
  readonly bboRole?: BboRole
  /**
   * The self-trade prevention: how the order avoids trading with another order of the same account. Defaults to `"no"`.
   */
  readonly stp?: SelfTradePrevention
  /** Whether the order affects a position instead of wallet balances. Defaults to `false`. */
  readonly collateral?: boolean
  /** Whether the order may only reduce a position. Defaults to `false`. */
  readonly reduceOnly?: boolean
  /**
   * The position to trade: `LONG` or `SHORT` in hedge mode; in one-way mode `BOTH`, the default.
   */
  readonly positionSide?: PositionSide
}

/** Places a stop-market order. */
export interface PlaceStopMarket extends WithExit {
  readonly _tag: "PlaceStopMarket"
  /** The market to trade on. On a futures market, `collateral` must be `true`. */
  readonly market: MarketName
  /** Whether the order buys or sells. */
  readonly side: OrderSide
  /**
   * The amount, in units of the base currency. For a spot buy, the total that the order spends, in units of the quote
   * currency.
   */
  readonly amount: Amount
  /** The price that triggers the order, in units of the quote currency. */
  readonly activationPrice: Price
  /** Whether the order affects a position instead of wallet balances. */
  readonly collateral: boolean
  /** The client order id. */
  readonly clientOrderId?: ClientOrderId
  /**
   * The self-trade prevention: how the order avoids trading with another order of the same account. Defaults to `"no"`.
   */
  readonly stp?: SelfTradePrevention
  /** Whether the order may only reduce a position. Defaults to `false`. */
  readonly reduceOnly?: boolean
  /**
   * The position to trade: `LONG` or `SHORT` in hedge mode; in one-way mode `BOTH`, the default.
   */
  readonly positionSide?: PositionSide
}

/** Places a collateral OCO order (the document, Endpoints §2). */
export interface PlaceOco {
  readonly _tag: "PlaceOco"
  /** The market to trade on. */
  readonly market: MarketName
  /** The side of both legs: buy or sell. */
  readonly side: OrderSide
  /** The amount, in units of the base currency. */
  readonly amount: Amount
  /** The limit price of the take-profit, in units of the quote currency. */
  readonly price: Price
  /** The price that triggers the stop-loss, in units of the quote currency. */
  readonly activationPrice: Price
  /** The limit price of the stop-loss, in units of the quote currency. */
  readonly stopLimitPrice: Price
  /** The client order id of both legs. */
  readonly clientOrderId?: ClientOrderId
  /** Whether both legs may only reduce a position. Defaults to `false`. */
  readonly reduceOnly?: boolean
  /**
   * The self-trade prevention: how the order avoids trading with another order of the same account. Defaults to `"no"`.
   */
  readonly stp?: SelfTradePrevention
  /**
   * The position to trade: `LONG` or `SHORT` in hedge mode; in one-way mode `BOTH`, the default.
   */
  readonly positionSide?: PositionSide
}

/** Places limit orders, one after the other. */
export interface PlaceBulk {
  readonly _tag: "PlaceBulk"
  /** The orders, in the sequence in which they are placed. */
  readonly orders: ReadonlyArray<PlaceLimit>
  /** Whether to stop at the first order that is refused. Defaults to `false`. */
  readonly stopOnFail?: boolean
}

/** Cancels orders, one after the other. */
export interface CancelBulk {
  readonly _tag: "CancelBulk"
  /** The orders, in the sequence in which they are canceled. */
  readonly orders: ReadonlyArray<Cancel>
}

/**
 * Modifies an open order: replaces it with a new one that has a new identifier and is last in the queue at its price.
 * Absent fields stay unchanged.
 */
export interface Modify {
  readonly _tag: "Modify"
  /** The order's market. */
  readonly market: MarketName
  /** The order id assigned by the exchange. It takes precedence over the client order id. */
  readonly orderId?: OrderId
  /** The client order id, which the new order keeps. */
  readonly clientOrderId?: ClientOrderId
  /** The total amount, including the filled part, in units of the base currency. */
  readonly amount?: Amount
  /** The total that a spot stop-market buy spends, in units of the quote currency. */
  readonly total?: Amount
  /** The limit price, in units of the quote currency. */
  readonly price?: Price
  /** The price that triggers the order, in units of the quote currency. Allowed only before the order is triggered. */
  readonly activationPrice?: Price
  /** The self-trade prevention: how the order avoids trading with another order of the same account. */
  readonly stp?: SelfTradePrevention
}

/** Cancels one order, specified by either of its ids. */
export interface Cancel {
  readonly _tag: "Cancel"
  /** The order's market. */
  readonly market: MarketName
  /** The order id assigned by the exchange. It takes precedence over the client order id. */
  readonly orderId?: OrderId
  /** The client order id. */
  readonly clientOrderId?: ClientOrderId
}

/** Cancels both legs of an OCO order. */
export interface CancelOco {
  readonly _tag: "CancelOco"
  /** The order's market. */
  readonly market: MarketName
  /** The identifier of the OCO pair, which takes precedence over the client order id. */
  readonly orderId?: OrderId
  /** The client order id. */
  readonly clientOrderId?: ClientOrderId
}

/** Cancels an order that has not placed its take-profit and stop-loss yet. */
export interface CancelOto {
  readonly _tag: "CancelOto"
  /** The order's market. */
  readonly market: MarketName
  /** The identifier of the group that consists of the order, its take-profit and its stop-loss. */
  readonly otoId: OrderId
}

/** Cancels both legs of an OCO order, or an order that has not placed its take-profit and stop-loss yet. */
export interface CancelConditional {
  readonly _tag: "CancelConditional"
  /** The order's market. */
  readonly market: MarketName
  /** The identifier of the OCO pair, or of the group that consists of the order, its take-profit and its stop-loss. */
  readonly id: OrderId
}

/** Cancels an account's open orders (the document, Endpoints §4). */
export interface CancelAll {
  readonly _tag: "CancelAll"
  /** The only market on which orders are canceled; all markets if absent. */
  readonly market?: MarketName
  /** The kinds of orders to cancel; all kinds if absent. */
  readonly type?: ReadonlyArray<CancelAllType>
  /** The position side of the orders to cancel, for futures markets only; both sides if absent. */
  readonly positionSide?: PositionSide
}

/** Arms or disarms a market's kill switch. */
export interface SetKillSwitch {
  readonly _tag: "SetKillSwitch"
  /** The kill switch's market. */
  readonly market: MarketName
  /** The number of seconds until the orders are canceled; 5 to 600. If absent, the kill switch is disarmed. */
  readonly seconds?: KillSwitchSeconds
  /** The kinds of orders that the kill switch cancels; all kinds if absent. */
  readonly types?: ReadonlyArray<CancelAllType>
}

/** Moves an amount between an account's wallets. */
export interface Transfer {
  readonly _tag: "Transfer"
  /** The wallet to debit. */
  readonly from: Ledger.Wallet
  /** The wallet to credit. */
  readonly to: Ledger.Wallet
  /** The asset to move. */
  readonly ticker: Ticker
  /** The amount, in units of the asset. */
  readonly amount: Amount
}

/** Creates a code that another account can apply. */
export interface CreateCode {
  readonly _tag: "CreateCode"
  /** The code's asset. */
  readonly ticker: Ticker
  /** The code's value, in units of the asset. The amount is debited from the main wallet. */
  readonly amount: Amount
  /** The passphrase required to apply the code; absent if no passphrase is required. */
  readonly passphrase?: Passphrase
  /** A note for the caller's own use. It has no effect. */
  readonly description?: Description
  /** The UUID in the code, drawn at random. If absent, the venue's next sequential UUID is used. */
  readonly drawn?: string
}

/** Applies a code (the document, Endpoints §6). */
export interface ApplyCode {
  readonly _tag: "ApplyCode"
  /** The code to apply. */
  readonly code: Code
  /** The code's passphrase, if it has one. */
  readonly passphrase?: Passphrase
}

/** Creates a sub-account. */
export interface CreateSubAccount {
  readonly _tag: "CreateSubAccount"
  /** The sub-account's name, which is unique among the parent account's sub-accounts. */
  readonly alias: Alias
  /** The sub-account's e-mail address. */
  readonly email?: Email
  /** Whether the sub-account shares its parent account's identity verification. */
  readonly shareKyc: boolean
  /** Whether the sub-account may trade on spot markets. */
  readonly spotEnabled: boolean
  /** Whether the sub-account may trade on margin. */
  readonly collateralEnabled: boolean
}

/** Creates an API key for a sub-account. */
export interface CreateSubAccountKey {
  readonly _tag: "CreateSubAccountKey"
  /** The sub-account that gets the key. */
  readonly subAccountId: SubAccountId
  /** The key's title. */
  readonly title: KeyTitle
  /** The key's type. */
  readonly type: string
  /** The UUID in the secret, drawn at random. If absent, the venue's next sequential UUID is used. */
  readonly drawn?: string
}

/** Deletes a sub-account (the document, Endpoints §11). */
export interface DeleteSubAccount {
  readonly _tag: "DeleteSubAccount"
  /** The sub-account to delete. The sub-account must be empty. */
  readonly id: SubAccountId
}

/** Sets the account's leverage. */
export interface SetLeverage {
  readonly _tag: "SetLeverage"
  /** The leverage: 1, 2, 3, 5, 10, 20, 50 or 100. */
  readonly leverage: (typeof leverages)[number]
}

/** Switches the account between hedge mode and one-way mode, for futures markets. */
export interface SetHedgeMode {
  readonly _tag: "SetHedgeMode"
  /** Whether the account can have both a long and a short position on each futures market. */
  readonly hedgeMode: boolean
}

/** Closes a position with a market order. */
export interface ClosePosition {
  readonly _tag: "ClosePosition"
  /** The position's market. */
  readonly market: MarketName
  /** The position's identifier. */
  readonly positionId: PositionId
  /** The position's side; not checked if absent. */
  readonly positionSide?: PositionSide
}

/** An operation that a signed call requests. */
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
  | SetLeverage
  | SetHedgeMode
  | ClosePosition

const Nothing = Schema.TaggedStruct("Nothing", {})

const drawn = key(Schema.String.check(Schema.isPattern(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u)))

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
  reduceOnly: key(Schema.Boolean),
  positionSide: key(PositionSide)
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
  reduceOnly: key(Schema.Boolean),
  positionSide: key(PositionSide)
})

const PlaceLimit = Schema.TaggedStruct("PlaceLimit", {
  ...exit,
  market: MarketName,
  side: OrderSide,
  amount: Amount,
  price: key(Price),
  bboRole: key(BboRole),
  collateral: Schema.Boolean,
  clientOrderId: key(ClientOrderId),
  postOnly: key(Schema.Boolean),
  ioc: key(Schema.Boolean),
  rpi: key(Schema.Boolean),
  retail: key(Schema.Boolean),
  stp: key(SelfTradePrevention),
  reduceOnly: key(Schema.Boolean),
  positionSide: key(PositionSide)
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
  reduceOnly: key(Schema.Boolean),
  positionSide: key(PositionSide)
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
  stp: key(SelfTradePrevention),
  positionSide: key(PositionSide)
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
  description: key(Description),
  drawn
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
  type: Schema.String,
  drawn
})

const DeleteSubAccount = Schema.TaggedStruct("DeleteSubAccount", { id: SubAccountId })

const SetLeverage = Schema.TaggedStruct("SetLeverage", { leverage: Schema.Literals(leverages) })

const SetHedgeMode = Schema.TaggedStruct("SetHedgeMode", { hedgeMode: Schema.Boolean })

const ClosePosition = Schema.TaggedStruct("ClosePosition", {
  market: MarketName,
  positionId: PositionId,
  positionSide: key(PositionSide)
})

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
  DeleteSubAccount,
  SetLeverage,
  SetHedgeMode,
  ClosePosition
])

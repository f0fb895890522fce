/**
 * All that the exchange knows. Nothing here is a class and nothing holds a clock or a connection: the state is what the
 * commands have made of it.
 *
 * @since 0.1.0
 */
import type { Code, Passphrase } from "../../domain/Code.ts"
import type { Amount, Decimal, Price } from "../../domain/Decimal.ts"
import type {
  ApiKey,
  ApiKeyId,
  ClientOrderId,
  ExternalId,
  InvestmentId,
  MarketName,
  OrderId,
  PlanId,
  SubAccountId,
  Ticker,
  UserId
} from "../../domain/Identifiers.ts"
import type { Market } from "../../domain/Market.ts"
import type {
  ActivationCondition,
  BboRole,
  OrderSide,
  OrderStatus,
  OrderType,
  PositionSide,
  SelfTradePrevention
} from "../../domain/Order.ts"
import type { HexColour, MaskedEmail } from "../../domain/SubAccount.ts"
import type { UnixSeconds } from "../../domain/Time.ts"
import type { VenueRules } from "../../domain/VenueRules.ts"
import * as Ledger from "./Ledger.ts"
import * as Listings from "./Listings.ts"
import type { Units } from "./Units.ts"

/**
 * An account, or a sub-account's own.
 *
 * @category models
 */
export interface Account {
  readonly id: string
  readonly b2b: boolean
}

/**
 * An API key and the nonces it has used.
 *
 * @category models
 */
export interface Key {
  readonly id: ApiKeyId
  readonly account: string
  readonly apiKey: ApiKey
  readonly apiSecret: string
  readonly title: string
  readonly type: string
  readonly endpoints: ReadonlyArray<{ readonly name: string; readonly title: string }> | undefined
  enabled: boolean
  /** Unix seconds of the last accepted call; of creation before that. */
  lastActivity: UnixSeconds
  readonly usedNonces: Set<bigint>
  greatestNonce: bigint
}

/** @category models */
export interface SubAccount {
  readonly id: SubAccountId
  readonly parent: string
  readonly userId: UserId
  readonly alias: string
  readonly email: MaskedEmail
  readonly color: HexColour
  readonly shareKyc: boolean
  readonly kycStatus: string
  readonly spotEnabled: boolean
  readonly collateralEnabled: boolean
}

/** @category models */
export interface IssuedCode {
  readonly code: Code
  readonly creator: string
  readonly ticker: Ticker
  readonly units: Units
  readonly passphrase: Passphrase | undefined
  /** The account that applied it. */
  applied: string | undefined
}

/** @category models */
export interface AppliedCode {
  readonly ticker: Ticker
  readonly amount: Decimal
  readonly externalId: ExternalId
}

/** @category models */
export interface Payment {
  readonly planId: PlanId
  readonly investmentId: InvestmentId
  readonly amount: Decimal
  readonly ticker: Ticker
  readonly timestamp: UnixSeconds
}

/**
 * What makes an order wait: until the market reaches `price`, from the side that `condition` says.
 *
 * @category models
 */
export interface Stop {
  readonly price: Price
  readonly condition: ActivationCondition
  readonly bboRole: BboRole | undefined
  activated: boolean
}

/**
 * An order. Times are Unix microseconds.
 *
 * @category models
 */
export interface Order {
  readonly id: OrderId
  readonly account: string
  readonly market: MarketName
  readonly side: OrderSide
  readonly type: OrderType
  /** What a cancel-all knows it as. */
  readonly kind: "spot" | "margin" | "futures"
  readonly amount: Amount
  readonly price: Price
  readonly stop: Stop | undefined
  readonly clientOrderId: ClientOrderId | undefined
  readonly stp: SelfTradePrevention
  readonly reduceOnly: boolean
  readonly positionSide: PositionSide | undefined
  readonly placedAt: number
  /** What the order has locked, and of which asset. */
  readonly locked: { readonly ticker: Ticker; readonly units: Units } | undefined
  status: OrderStatus
  left: Decimal
  changedAt: number
}

/** @category models */
export interface StopOrder extends Order {
  readonly stop: Stop
}

/** @category models */
export interface OcoOrder {
  readonly id: OrderId
  readonly reduceOnly: boolean
  readonly stopLoss: StopOrder
  readonly takeProfit: Order
}

/** @category models */
export interface State {
  readonly rules: VenueRules
  readonly markets: ReadonlyMap<MarketName, Market>
  readonly currencies: ReadonlyArray<Listings.Currency>
  readonly ledger: Ledger.Ledger
  readonly accounts: Map<string, Account>
  readonly keys: Map<ApiKey, Key>
  /** By identifier, which is also that of the sub-account's own account. */
  readonly subAccounts: Map<string, SubAccount>
  readonly codes: Map<Code, IssuedCode>
  /** Interest payments by account, in the order in which they were paid. */
  readonly payments: Map<string, Array<Payment>>
  /** The orders that can still trade. */
  readonly openOrders: Map<OrderId, Order>
  /** Every client order id that an account has ever used. */
  readonly clientOrderIds: Map<string, Set<ClientOrderId>>
  /** The number of the last order, transaction or record. */
  lastId: number
}

/**
 * An exchange in which nothing has happened yet.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (rules: VenueRules): State => ({
  rules,
  markets: new Map(Listings.markets.map((market) => [market.name, market])),
  currencies: Listings.currencies,
  ledger: Ledger.make(),
  accounts: new Map(),
  keys: new Map(),
  subAccounts: new Map(),
  codes: new Map(),
  payments: new Map(),
  openOrders: new Map(),
  clientOrderIds: new Map(),
  lastId: 0
})

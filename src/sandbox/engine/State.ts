/**
 * All that the exchange knows. Nothing here is a class and nothing holds a clock or a connection: the state is what the
 * commands have made of it.
 *
 * @since 0.1.0
 */
import type { Code, Passphrase } from "../../domain/Code.ts"
import type { Decimal, Price } from "../../domain/Decimal.ts"
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
  Role,
  SelfTradePrevention
} from "../../domain/Order.ts"
import type { HexColour, MaskedEmail } from "../../domain/SubAccount.ts"
import type { UnixSeconds } from "../../domain/Time.ts"
import type { VenuePolicy } from "../../domain/VenuePolicy.ts"
import * as Book from "./Book.ts"
import * as Ledger from "./Ledger.ts"
import * as Listings from "./Listings.ts"
import type { Units } from "./Units.ts"
import * as Waiting from "./Waiting.ts"

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
  endpoints: ReadonlyArray<{ readonly name: string; readonly title: string }> | undefined
  enabled: boolean
  /** Unix seconds of the last accepted call; of creation before that. */
  lastActivity: UnixSeconds
  /** Each with the time of its use, in Unix microseconds. */
  readonly usedNonces: Map<bigint, number>
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
  kycStatus: string
  spotEnabled: boolean
  collateralEnabled: boolean
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
export interface CreatedCode {
  readonly code: Code
  readonly externalId: ExternalId
}

/** @category models */
export interface AppliedCode {
  readonly ticker: Ticker
  readonly amount: Decimal
  readonly externalId: ExternalId
}

/**
 * A fixed-term plan: what an investment earns a day, as a ratio, and for how many days.
 *
 * @category models
 */
export interface Plan {
  readonly id: PlanId
  readonly ticker: Ticker
  readonly dailyRate: Units
  readonly days: number
}

/**
 * An amount in a plan. Times are Unix microseconds.
 *
 * @category models
 */
export interface Investment {
  readonly id: InvestmentId
  readonly account: string
  readonly plan: Plan
  readonly units: Units
  readonly endsAt: number
  nextAt: number
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
 * An order. Times are Unix microseconds, quantities exact.
 *
 * - `kind`: what a cancel-all knows it as; `margin` and `futures` orders trade positions, `spot` orders trade wallets
 * - `amount`: as it was written; `quantity` is its value: in base currency, in quote currency for market buys
 * - `price`: the limit; absent on market orders
 * - `oco`: the pair that it is a leg of
 * - `locked`: what it has locked for what is left of it
 * - `queued`: the price at which it rests in the book; absent while it waits or after it has ended
 *
 * @category models
 */
export interface Order {
  readonly id: OrderId
  readonly account: string
  readonly market: MarketName
  readonly side: OrderSide
  readonly type: OrderType
  readonly kind: "spot" | "margin" | "futures"
  readonly amount: Decimal
  readonly quantity: Units
  readonly price: Price | undefined
  readonly postOnly: boolean
  readonly ioc: boolean
  readonly stop: Stop | undefined
  readonly clientOrderId: ClientOrderId | undefined
  readonly stp: SelfTradePrevention
  readonly reduceOnly: boolean
  readonly positionSide: PositionSide | undefined
  readonly oco: OrderId | undefined
  readonly placedAt: number
  locked: { readonly wallet: "trade" | "collateral"; readonly ticker: Ticker; units: Units } | undefined
  queued: Units | undefined
  status: OrderStatus
  left: Units
  dealStock: Units
  dealMoney: Units
  dealFee: Units
  changedAt: number
}

/** @category models */
export interface StopOrder extends Order {
  readonly stop: Stop
  readonly price: Price
}

/** @category models */
export interface OcoOrder {
  readonly id: OrderId
  readonly reduceOnly: boolean
  readonly stopLoss: StopOrder
  readonly takeProfit: Order & { readonly price: Price }
}

/**
 * A trade. `side` is the taker's.
 *
 * @category models
 */
export interface Trade {
  readonly id: number
  readonly at: number
  readonly price: Units
  readonly amount: Units
  readonly side: OrderSide
}

/**
 * An order's part in a trade. `fee` is charged in units of `feeAsset`.
 *
 * @category models
 */
export interface Fill {
  readonly trade: number
  readonly order: Order
  readonly at: number
  readonly role: Role
  readonly price: Units
  readonly amount: Units
  readonly fee: Units
  readonly feeAsset: Ticker
}

/**
 * A position: above zero is long, below is short. `cost` is what opening the part that is still open has paid or
 * received, in quote currency.
 *
 * @category models
 */
export interface Position {
  readonly id: number
  readonly account: string
  readonly market: MarketName
  readonly openedAt: number
  amount: Units
  cost: Units
  realised: Units
  changedAt: number
}

/**
 * A market while it trades.
 *
 * @category models
 */
export interface Trading {
  readonly book: Book.Book
  readonly waiting: Waiting.Waiting
  /** The latest trades, the latest last. */
  readonly trades: Array<Trade>
  lastPrice: Units | undefined
}

/**
 * The clock as the owner of the venue has set it. It runs `ahead` of the computer's, in microseconds, or stands still.
 *
 * @category models
 */
export type Clock =
  | { readonly _tag: "Running"; readonly ahead: number }
  | { readonly _tag: "Frozen"; readonly at: number }

/**
 * A move of a price that is still to come.
 *
 * @category models
 */
export interface PriceStep {
  readonly at: number
  readonly market: MarketName
  readonly price: Units
}

/** @category models */
export interface State {
  readonly policy: VenuePolicy
  readonly markets: ReadonlyMap<MarketName, Market>
  readonly currencies: ReadonlyArray<Listings.Currency>
  readonly ledger: Ledger.Ledger
  readonly accounts: Map<string, Account>
  readonly keys: Map<ApiKey, Key>
  /** By identifier, which is also that of the sub-account's own account. */
  readonly subAccounts: Map<string, SubAccount>
  readonly codes: Map<Code, IssuedCode>
  readonly plans: Map<PlanId, Plan>
  /** The investments whose term has not ended. */
  readonly investments: Map<InvestmentId, Investment>
  /** Interest payments by account, in the order in which they were paid. */
  readonly payments: Map<string, Array<Payment>>
  readonly trading: ReadonlyMap<MarketName, Trading>
  /** The orders that can still trade. */
  readonly openOrders: Map<OrderId, Order>
  /** The orders that can't any more, by account, the latest last. */
  readonly endedOrders: Map<string, Array<Order>>
  /** The pairs of which a leg can still trade. */
  /** What an account's orders have traded, in the order in which they did. */
  readonly fills: Map<string, Array<Fill>>
  readonly ocoOrders: Map<OrderId, OcoOrder>
  /** By account and market. */
  readonly positions: Map<string, Position>
  /** Every client order id that an account has ever used. */
  readonly clientOrderIds: Map<string, Set<ClientOrderId>>
  /** The number of the last order, transaction or record. */
  lastId: number
  /** The time of the latest command, in Unix microseconds. Nothing happens before it any more. */
  at: number
  clock: Clock
  /** How far the clock that callers are judged by and told is ahead of the venue's own, in microseconds. */
  skew: number
  /** In the order in which they were asked for. */
  readonly priceSteps: Array<PriceStep>
}

/**
 * An exchange in which nothing has happened yet.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (policy: VenuePolicy): State => ({
  policy,
  markets: new Map(Listings.markets.map((market) => [market.name, market])),
  currencies: Listings.currencies,
  ledger: Ledger.make(),
  accounts: new Map(),
  keys: new Map(),
  subAccounts: new Map(),
  codes: new Map(),
  plans: new Map(),
  investments: new Map(),
  payments: new Map(),
  trading: new Map(
    Listings.markets.map((
      { name }
    ) => [name, { book: Book.make(), waiting: Waiting.make(), trades: [], lastPrice: undefined }])
  ),
  openOrders: new Map(),
  endedOrders: new Map(),
  fills: new Map(),
  ocoOrders: new Map(),
  positions: new Map(),
  clientOrderIds: new Map(),
  lastId: 0,
  at: 0,
  clock: { _tag: "Running", ahead: 0 },
  skew: 0,
  priceSteps: []
})

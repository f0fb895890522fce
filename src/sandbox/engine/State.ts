/**
 * The state of the exchange. It contains no running clocks and no connections, and only commands change it. Commands
 * search the state through indexes, which are derived from the rest of the state. `Saved` is the state without these
 * indexes.
 */
import type { Code, Passphrase } from "../../domain/Code.ts"
import type { Decimal } from "../../domain/Decimal.ts"
import type {
  ApiKey,
  ApiKeyId,
  ClientOrderId,
  ExternalId,
  InvestmentId,
  MarketName,
  PlanId,
  SubAccountId,
  Ticker,
  UserId
} from "../../domain/Identifiers.ts"
import type { Market } from "../../domain/Market.ts"
import type { HexColour, MaskedEmail } from "../../domain/SubAccount.ts"
import type { UnixSeconds } from "../../domain/Time.ts"
import type { MarginPolicy, VenuePolicy } from "../../domain/VenuePolicy.ts"
import * as AccountIndex from "./AccountIndex.ts"
import * as Book from "./Book.ts"
import * as Candles from "./Candles.ts"
import type { Claims } from "./Claims.ts"
import type { KillSwitch } from "./KillSwitch.ts"
import * as Ledger from "./Ledger.ts"
import * as Listings from "./Listings.ts"
import type { Exit, OcoOrder, Order, OtoOrder } from "./Order.ts"
import { OrderIndex } from "./OrderIndex.ts"
import type { Pending } from "./Pending.ts"
import * as PendingStopOrders from "./PendingStopOrders.ts"
import type { Borrow, ClosedPosition, FundingPayment, FundingRate, Position, PositionChange } from "./Position.ts"
import * as Quotes from "./Quotes.ts"
import * as TimerQueue from "./TimerQueue.ts"
import type { Fill, Trade } from "./Trade.ts"
import type { Units } from "./Units.ts"
import * as Watches from "./Watches.ts"

/** A main account, or the account of a sub-account. */
export interface Account {
  /** The account's identifier. A sub-account and its account have the same identifier. */
  readonly id: string
  /** Whether the account belongs to a business partner, who may call the B2B endpoints. */
  readonly b2b: boolean
  /** Whether the account may place `rpi` orders, which trade only against retail orders. */
  rpi: boolean
  /** Whether the account may place retail orders. */
  retail: boolean
  /** The leverage of all the account's positions. */
  leverage: number
  /** Whether the account can have both a long and a short position on each futures market. */
  hedgeMode: boolean
}

/** A path of the API that an API key may call. */
export interface KeyEndpoint {
  /** The path, such as `/api/v4/order/new`. */
  readonly name: string
  /** The exchange's name for the path, as in the settings of API keys. */
  readonly title: string
}

/** An API key and the nonces that it has used. */
export interface Key {
  /** The exchange's identifier for the key. */
  readonly id: ApiKeyId
  /** The account for which the key signs calls. */
  readonly account: string
  /** The key itself, which identifies the caller in every call. */
  readonly apiKey: ApiKey
  /** The secret that signs the calls. */
  readonly apiSecret: string
  /** The key's title. */
  readonly title: string
  /** The key's type, as in the document's sub-account calls. */
  readonly type: string
  /** The paths that the key may call; `undefined` for all paths. */
  endpoints: ReadonlyArray<KeyEndpoint> | undefined
  /** Whether the key may make calls. */
  enabled: boolean
  /** The time of the latest accepted call; before the first call, the time of creation. */
  lastActivity: UnixSeconds
  /** The nonces that the key has used, each with the time of its use in Unix microseconds. */
  readonly usedNonces: Map<bigint, number>
  /** The greatest nonce that the key has used; -1 before the first nonce. */
  greatestNonce: bigint
  /**
   * The greatest nonce that has been dropped from `usedNonces`; -1 if none has been. This nonce and all smaller nonces
   * are refused.
   */
  nonceFloor: bigint
}

/** A sub-account (the document, Endpoints §9). */
export interface SubAccount {
  /** The sub-account's identifier, which is also its key in {@link State.accounts}. */
  readonly id: SubAccountId
  /** The account that owns the sub-account. */
  readonly parent: string
  /** The sub-account's user identifier. */
  readonly userId: UserId
  /**
   * The name that the parent account has given to the sub-account; unique among the sub-accounts that the parent
   * account has created through calls.
   */
  readonly alias: string
  /** The masked e-mail address; empty if there is no address. */
  readonly email: MaskedEmail
  /** The color in which the exchange displays the sub-account. */
  readonly color: HexColour
  /** Whether the sub-account shares its parent account's identity verification. */
  readonly shareKyc: boolean
  /** The identity verification status. */
  kycStatus: string
  /** Whether the sub-account may trade on spot markets and, on the live exchange, move funds to its trade wallet. */
  spotEnabled: boolean
  /** Whether the sub-account may trade on margin and, on the live exchange, move funds to its collateral wallet. */
  collateralEnabled: boolean
}

/** A code that an account has created (the document, Endpoints §6). */
export interface IssuedCode {
  /** The code itself: the text that a caller sends to apply it. */
  readonly code: Code
  /** The account that created the code. This account can't apply the code. */
  readonly creator: string
  /** The code's asset. */
  readonly ticker: Ticker
  /** The code's value, in units of the asset. */
  readonly units: Units
  /** The passphrase required to apply the code; `undefined` if no passphrase is required. */
  readonly passphrase: Passphrase | undefined
  /** The account that has applied the code; `undefined` until then. */
  applied: string | undefined
}

/** The result of creating a code. */
export interface CreatedCode {
  /** The code itself: the text that a caller sends to apply it. */
  readonly code: Code
  /** The identifier of the transaction that paid for the code. */
  readonly externalId: ExternalId
}

/** The result of applying a code. */
export interface AppliedCode {
  /** The code's asset. */
  readonly ticker: Ticker
  /** The amount credited to the main wallet, in units of the asset. */
  readonly amount: Decimal
  /** The identifier of the transaction that credited the amount. */
  readonly externalId: ExternalId
}

/** A fixed-term plan in which accounts can invest. */
export interface Plan {
  /** The plan's identifier. */
  readonly id: PlanId
  /** The asset that can be invested. */
  readonly ticker: Ticker
  /** The daily interest, as a ratio of the invested amount. */
  readonly dailyRate: Units
  /** The target currency, in which interest is paid. */
  readonly interestTicker: Ticker
  /** The number of units of the invested asset that equal one unit of the target currency. */
  readonly interestRatio: Units
  /** The plan's term, in days. */
  readonly days: number
}

/** An amount invested in a plan. */
export interface Investment {
  /** The investment's identifier. */
  readonly id: InvestmentId
  /** The account that invested the amount. */
  readonly account: string
  /** The plan in which the amount is invested. */
  readonly plan: Plan
  /** The invested amount, in units of the plan's asset. */
  readonly units: Units
  /** The end of the term, when the amount is returned, in Unix microseconds. */
  readonly endsAt: number
  /** The time of the next interest payment, in Unix microseconds. */
  nextAt: number
}

/** An interest payment (the document, Endpoints §1). */
export interface Payment {
  /** The plan that paid the interest. */
  readonly planId: PlanId
  /** The investment that earned the interest. */
  readonly investmentId: InvestmentId
  /** The amount paid, in units of the asset. */
  readonly amount: Decimal
  /** The asset: the plan's target currency. */
  readonly ticker: Ticker
  /** The time of the payment, in Unix seconds. */
  readonly timestamp: UnixSeconds
}

/** A market's trading state. */
export interface Trading {
  /** The order book, with the resting orders. */
  readonly book: Book.Book
  /** The stop orders that have not been triggered. */
  readonly waiting: PendingStopOrders.PendingStopOrders
  /** The latest trades, oldest first. */
  readonly trades: Array<Trade>
  /** The price of the last trade, or a price that the venue's owner has set since; `undefined` if there is neither. */
  lastPrice: Units | undefined
  /** The index price that the venue's owner has set; `undefined` if it follows the spot market. */
  indexPrice: Units | undefined
  /** The mark price that the venue's owner has set; `undefined` if it follows the index price. */
  markPrice: Units | undefined
  /** The market's candles. */
  readonly candles: Candles.Candles
}

/** The funding of a futures market. */
export interface Funding {
  /** The rate that the venue's owner has set, as a ratio; `undefined` if it is computed. */
  rate: Units | undefined
  /** The time between two settlements, in minutes. */
  intervalMinutes: number
  /** The upper limit for computed rates, as a ratio. */
  cap: Units
  /** The lower limit for computed rates, as a ratio. */
  floor: Units
  /** The weighted sum of the sampled premiums, as a ratio. The n-th sample has weight n. */
  weighted: Units
  /**
   * The number of premiums sampled, one at each whole minute, since the latest settlement, or since the market last had
   * no positions, if that was later.
   */
  samples: number
  /** The latest funding settlements, oldest first; at most 1000. */
  readonly settled: Array<FundingRate>
}

/** A clock that keeps pace with the machine's clock. */
export interface RunningClock {
  readonly _tag: "Running"
  /** The offset from the machine's clock, in microseconds; negative if this clock is behind. */
  readonly ahead: number
}

/** A clock that stands still. */
export interface FrozenClock {
  readonly _tag: "Frozen"
  /** The time that the frozen clock shows, in Unix microseconds. */
  readonly at: number
}

/** The setting of a venue's clock, which the venue's owner chooses. */
export type Clock = RunningClock | FrozenClock

/** A scheduled price move on a market. */
export interface PriceStep {
  /** The time at which the price is set, in Unix microseconds. */
  readonly at: number
  /** The market whose price is set. */
  readonly market: MarketName
  /** The market's new price, in units of the quote currency. */
  readonly price: Units
}

/** The state of an exchange. */
export interface State {
  /** The policy: the exchange's behavior where it depends on the dialect. */
  readonly policy: VenuePolicy
  /** The markets, keyed by name. */
  readonly markets: ReadonlyMap<MarketName, Market>
  /** The currencies, with the venue owner's settings. */
  currencies: ReadonlyArray<Listings.Currency>
  /** The balances of all holders. */
  readonly ledger: Ledger.Ledger
  /** The accounts, keyed by identifier. */
  readonly accounts: Map<string, Account>
  /** The API keys. */
  readonly keys: Map<ApiKey, Key>
  /** The sub-accounts, keyed by identifier. */
  readonly subAccounts: Map<string, SubAccount>
  /** The codes, both applied and unapplied. */
  readonly codes: Map<Code, IssuedCode>
  /** The plans in which accounts can invest. */
  readonly plans: Map<PlanId, Plan>
  /** The investments whose term has not ended. */
  readonly investments: Map<InvestmentId, Investment>
  /** The interest that fixed-term plans have paid to each account, oldest first. */
  readonly payments: Map<string, Array<Payment>>
  /** The trading state of each market: its book, stop orders, trades, prices and candles. */
  readonly trading: ReadonlyMap<MarketName, Trading>
  /** The open orders, oldest first. */
  readonly openOrders: OrderIndex<Order>
  /** The closed orders of each account, oldest first. */
  readonly endedOrders: Map<string, Array<Order>>
  /** The fills of each account's orders, oldest first. */
  readonly fills: Map<string, Array<Fill>>
  /** The OCO orders with both legs open. */
  readonly ocoOrders: OrderIndex<OcoOrder>
  /** The open orders that place a take-profit or stop-loss when they are filled. Derived from other fields. */
  readonly otoOrders: OrderIndex<OtoOrder>
  /** The positions' exits (take-profits and stop-losses) with at least one open leg. */
  readonly exits: OrderIndex<Exit>
  /** The part of each position that open orders would close. Derived from other fields. */
  readonly claims: Claims
  /** The value by which open orders could increase each futures position. Derived from other fields. */
  readonly pending: Pending
  /** The open positions, keyed by account, market and, in hedge mode, side. */
  readonly positions: Map<string, Position>
  /** The open positions of each account. Derived from other fields. */
  readonly positionsOf: Map<string, Set<Position>>
  /** The open positions on each market, oldest first. Derived from other fields. */
  readonly positionsOn: Map<MarketName, Set<Position>>
  /**
   * The margin that each account's open orders have reserved, in units of the quote currency. Derived from other
   * fields.
   */
  readonly reserved: Map<string, Units>
  /** The accounts that have a margin call or are in liquidation. */
  readonly calls: Map<string, "margin_call" | "liquidation">
  /** The venue's margin policy, with the owner's settings. */
  margin: MarginPolicy
  /** The weights of collateral assets, as ratios. An asset without an entry has a weight of zero. */
  readonly weights: Map<Ticker, Units>
  /** The funding settings and latest settlements of each futures market. */
  readonly funding: Map<MarketName, Funding>
  /** The changes to each account's positions, oldest first. */
  readonly positionChanges: Map<string, Array<PositionChange>>
  /** The closed positions of each account, oldest first. */
  readonly closedPositions: Map<string, Array<ClosedPosition>>
  /** The funding payments of each account, oldest first. */
  readonly fundingPayments: Map<string, Array<FundingPayment>>
  /** The borrows of each account, oldest first. */
  readonly borrows: Map<string, Array<Borrow>>
  /** The prices at which accounts might get a margin call or be liquidated. Derived from other fields. */
  readonly watches: Watches.Watches
  /** The client order ids that each account has ever used. */
  readonly clientOrderIds: Map<string, Set<ClientOrderId>>
  /** The latest number that was assigned to an order, a trade, a position or another object. */
  lastId: number
  /**
   * The prefix for the identifiers of new keys, codes and sub-accounts. Without a prefix, different venues create the
   * same identifiers.
   */
  identity?: string
  /** The time of the latest command, in Unix microseconds. No later command has an earlier time. */
  at: number
  /** The venue's clock. */
  clock: Clock
  /**
   * How far the callers' clock, against which nonces are checked, is ahead of the machine's clock, in microseconds;
   * negative if behind.
   */
  skew: number
  /** The scheduled prices, in the order in which they were requested. */
  readonly priceSteps: Set<PriceStep>
  /** The kill switches, keyed by account and market, in the order in which they were armed. */
  readonly killSwitches: Map<string, KillSwitch>
  /** The scheduled events, sorted by due time. Derived from other fields. */
  readonly due: {
    /** The investments, sorted by the time of their next interest payment. */
    readonly interest: TimerQueue.TimerQueue<Investment>
    /** The scheduled prices, sorted by the time at which they are set. */
    readonly prices: TimerQueue.TimerQueue<PriceStep>
    /** The kill switches, sorted by the time at which they cancel orders. */
    readonly killSwitches: TimerQueue.TimerQueue<KillSwitch>
    /** The futures markets with positions, sorted by the time of their next funding settlement. */
    readonly funding: TimerQueue.TimerQueue<MarketName>
    /** The margin positions, sorted by the time at which they next pay interest. */
    readonly borrows: TimerQueue.TimerQueue<Position>
  }
  /** The number of each account's current investments. Derived from other fields. */
  readonly investmentsOf: Map<string, number>
  /** Each account's API keys and sub-accounts. Derived from other fields. */
  readonly accountIndex: AccountIndex.AccountIndex<Key, SubAccount>
  /** The counterparty, which quotes around the owner's price on the markets where the owner has enabled it. */
  readonly counterparty: Quotes.Counterparty
}

const noTrading = (market: Market): Trading => ({
  book: Book.make(market),
  waiting: PendingStopOrders.make(),
  trades: [],
  lastPrice: undefined,
  indexPrice: undefined,
  markPrice: undefined,
  candles: Candles.make()
})

/** Creates a new exchange, with markets and currencies but without accounts. */
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
  trading: new Map(Listings.markets.map((market) => [market.name, noTrading(market)])),
  openOrders: new OrderIndex((order) => order),
  endedOrders: new Map(),
  fills: new Map(),
  ocoOrders: new OrderIndex(({ stopLoss }) => stopLoss),
  otoOrders: new OrderIndex(({ order }) => order),
  exits: new OrderIndex(({ account, market }) => ({ account, market, clientOrderId: undefined })),
  claims: new Map(),
  pending: new Map(),
  positions: new Map(),
  positionsOf: new Map(),
  positionsOn: new Map(),
  reserved: new Map(),
  calls: new Map(),
  margin: policy.margin,
  weights: new Map(Listings.weights),
  funding: new Map(
    Listings.markets.filter(({ type }) => type === "futures").map(({ name }) => [
      name,
      { ...Listings.funding, rate: undefined, weighted: 0n, samples: 0, settled: [] }
    ])
  ),
  positionChanges: new Map(),
  closedPositions: new Map(),
  fundingPayments: new Map(),
  borrows: new Map(),
  watches: Watches.make(),
  clientOrderIds: new Map(),
  lastId: 0,
  at: 0,
  clock: { _tag: "Running", ahead: 0 },
  skew: 0,
  priceSteps: new Set(),
  killSwitches: new Map(),
  due: {
    interest: TimerQueue.make(),
    prices: TimerQueue.make(),
    killSwitches: TimerQueue.make(),
    funding: TimerQueue.make(),
    borrows: TimerQueue.make()
  },
  investmentsOf: new Map(),
  accountIndex: AccountIndex.make(),
  counterparty: Quotes.make()
})

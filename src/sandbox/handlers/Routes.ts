/**
 * What each endpoint does in this exchange: from its request to an operation of the engine, and from the engine's reply
 * to its answer. Paths, access, limits and schemas come from the endpoints themselves.
 *
 * @since 0.1.0
 */
import * as Redacted from "effect/Redacted"
import * as Decimal from "../../domain/Decimal.ts"
import { type MarketName, PositionId, SubAccountId, type Ticker, TradeId } from "../../domain/Identifiers.ts"
import { Limit, Offset } from "../../domain/Paging.ts"
import * as Time from "../../domain/Time.ts"
import * as ActiveOrders from "../../endpoints/ActiveOrders.ts"
import * as Assets from "../../endpoints/Assets.ts"
import * as CancelAllOrders from "../../endpoints/CancelAllOrders.ts"
import * as CancelOcoOrder from "../../endpoints/CancelOcoOrder.ts"
import * as CancelOrder from "../../endpoints/CancelOrder.ts"
import * as CodeCreation from "../../endpoints/CodeCreation.ts"
import * as Codes from "../../endpoints/Codes.ts"
import * as CollateralBalance from "../../endpoints/CollateralBalance.ts"
import * as CollateralLimitOrders from "../../endpoints/CollateralLimitOrders.ts"
import * as CollateralMarketOrders from "../../endpoints/CollateralMarketOrders.ts"
import * as CollateralOcoOrders from "../../endpoints/CollateralOcoOrders.ts"
import * as DeleteSubAccount from "../../endpoints/DeleteSubAccount.ts"
import * as Fees from "../../endpoints/Fees.ts"
import * as Fills from "../../endpoints/Fills.ts"
import * as InterestPaymentHistory from "../../endpoints/InterestPaymentHistory.ts"
import * as LimitOrders from "../../endpoints/LimitOrders.ts"
import * as MainBalance from "../../endpoints/MainBalance.ts"
import * as MarketOrders from "../../endpoints/MarketOrders.ts"
import * as Markets from "../../endpoints/Markets.ts"
import * as OpenPositions from "../../endpoints/OpenPositions.ts"
import * as OrderBooks from "../../endpoints/OrderBooks.ts"
import * as OrderHistory from "../../endpoints/OrderHistory.ts"
import * as PublicTrades from "../../endpoints/PublicTrades.ts"
import * as ServerStatus from "../../endpoints/ServerStatus.ts"
import * as ServerTime from "../../endpoints/ServerTime.ts"
import * as StockMarketOrders from "../../endpoints/StockMarketOrders.ts"
import * as StopLimitOrders from "../../endpoints/StopLimitOrders.ts"
import * as SubAccountApiKeyCreation from "../../endpoints/SubAccountApiKeyCreation.ts"
import * as SubAccountApiKeys from "../../endpoints/SubAccountApiKeys.ts"
import * as SubAccountCreation from "../../endpoints/SubAccountCreation.ts"
import * as SubAccounts from "../../endpoints/SubAccounts.ts"
import * as Tickers from "../../endpoints/Tickers.ts"
import * as TradeBalance from "../../endpoints/TradeBalance.ts"
import * as TradingFees from "../../endpoints/TradingFees.ts"
import * as Transfers from "../../endpoints/Transfers.ts"
import * as UnexecutedOcoOrders from "../../endpoints/UnexecutedOcoOrders.ts"
import type { Dialect, RefusalKind } from "../../protocol/Dialect.ts"
import type * as Endpoint from "../../protocol/Endpoint.ts"
import type * as OrderAnswer from "../../protocol/OrderAnswer.ts"
import * as Book from "../engine/Book.ts"
import type { Operation } from "../engine/Command.ts"
import * as Ledger from "../engine/Ledger.ts"
import * as Positions from "../engine/Positions.ts"
import type { Reply, Violations } from "../engine/Reply.ts"
import type {
  Fill,
  Key,
  OcoOrder,
  Order,
  Position,
  State,
  Stop,
  StopOrder,
  SubAccount,
  Trade
} from "../engine/State.ts"
import * as Units from "../engine/Units.ts"

/**
 * What the engine knows when a call is answered.
 *
 * @category models
 * @since 0.1.0
 */
export interface Context {
  readonly dialect: Dialect
  readonly state: State
  /** The account that calls; empty for public calls. */
  readonly account: string
  /** Unix microseconds, by the clock of the venue. */
  readonly at: number
}

/** Why the engine refuses a call that is well formed. */
type Why = Extract<Reply, { readonly _tag: "Refused" }>["why"]

/**
 * An endpoint's place in the exchange.
 *
 * - `check`: what only the exchange can find wrong with a read
 * - `operation`: what the call asks the engine to do
 * - `status`: of a success
 * - `refusals`: which of the dialect's refusals it is, where that is not the engine's own word
 * - `answer`: what is answered once the engine has done it
 *
 * @category models
 * @since 0.1.0
 */
export interface Route {
  readonly endpoint: Endpoint.Any
  readonly check: (request: never, context: Context) => Violations
  readonly operation: (request: never) => Operation
  readonly status: (dialect: Dialect) => number
  readonly refusals: { readonly [K in Why]?: RefusalKind }
  readonly answer: (request: never, reply: Reply, context: Context) => unknown
}

const nothing: Operation = { _tag: "Nothing" }

const read = <Q, R, A extends "public" | "private", T extends Endpoint.RefusalTag>(
  endpoint: Endpoint.Endpoint<Q, R, A, false, T>,
  answer: (request: Q, context: Context) => R,
  check: (request: Q, context: Context) => Violations = () => []
): Route => ({
  endpoint,
  check,
  operation: () => nothing,
  status: () => 200,
  refusals: {},
  answer: (request, _reply, context) => answer(request, context)
})

const isReply = <Tag extends Reply["_tag"]>(
  reply: Reply,
  tag: Tag
): reply is Extract<Reply, { readonly _tag: Tag }> => reply._tag === tag

const write = <Q, R, T extends Endpoint.RefusalTag, Tag extends Reply["_tag"]>(
  endpoint: Endpoint.Endpoint<Q, R, "private", true, T>,
  operation: (request: Q) => Operation,
  tag: Tag,
  answer: (reply: Extract<Reply, { readonly _tag: Tag }>, context: Context) => R,
  status: (dialect: Dialect) => number = () => 200,
  refusals: Route["refusals"] = {}
): Route => ({
  endpoint,
  check: () => [],
  operation,
  status,
  refusals,
  answer: (_request, reply, context) => isReply(reply, tag) ? answer(reply, context) : undefined
})

// -----------------------------------------------------------------------------
// Pages
// -----------------------------------------------------------------------------

const pageOf = <A, B>(
  request: { readonly limit?: Limit; readonly offset?: Offset },
  defaultLimit: number,
  all: ReadonlyArray<A>,
  toRecord: (item: A) => B
): { readonly limit: Limit; readonly offset: Offset; readonly records: ReadonlyArray<B> } => {
  const { limit = Limit.make(defaultLimit), offset = Offset.make(0) } = request
  return { limit, offset, records: all.slice(offset, offset + limit).map(toRecord) }
}

// -----------------------------------------------------------------------------
// Orders
// -----------------------------------------------------------------------------

const zero = Decimal.zero

const common = (order: Order) => ({
  orderId: order.id,
  ...(order.clientOrderId === undefined ? {} : { clientOrderId: order.clientOrderId }),
  market: order.market,
  side: order.side,
  type: order.type,
  timestamp: Time.fromMicros(order.placedAt),
  dealMoney: Units.toDecimal(order.dealMoney),
  dealStock: Units.toDecimal(order.dealStock),
  amount: order.amount,
  // What was submitted comes back as it was written, until something of it is filled.
  // What a market buy could not spend on a whole step of the base currency is not left to be filled.
  left: order.status === "FILLED"
    ? zero
    : order.left === order.quantity
    ? order.amount
    : Units.toDecimal(order.left),
  dealFee: Units.toDecimal(order.dealFee),
  price: order.price ?? zero,
  status: order.status,
  stp: order.stp,
  postOnly: order.postOnly
})

const activation = (stop: Stop) => ({
  activated: stop.activated,
  activationCondition: stop.condition,
  activationPrice: stop.price
})

const stopLimitOrder = (order: StopOrder): StopLimitOrders.StopLimitOrder => ({
  ...common(order),
  ...activation(order.stop),
  ioc: order.ioc,
  rpi: false,
  reduceOnly: order.reduceOnly
})

/** A leg of an OCO order may have to answer without the client order id that it has. */
const withoutClientOrderId = (order: Order, { dialect }: Context): boolean =>
  order.oco !== undefined && dialect.policy.legClientOrderIds === "empty"

const orderAnswer = (order: Order, context: Context): OrderAnswer.Order => {
  const { clientOrderId, price, ...rest } = common(order)
  return {
    ...rest,
    ...(clientOrderId === undefined || withoutClientOrderId(order, context) ? {} : { clientOrderId }),
    ...(order.price === undefined ? {} : { price }),
    ...(order.positionSide === undefined ? {} : { positionSide: order.positionSide }),
    ...(order.stop === undefined ? {} : activation(order.stop)),
    ioc: order.ioc,
    rpi: false,
    reduceOnly: order.reduceOnly
  }
}

/** Markets state fees in percent, orders as ratios. */
const ratio = (percent: Decimal.Decimal): Decimal.FeeRate =>
  Decimal.FeeRate.make(Units.toDecimal((Units.from(percent) ?? 0n) / 100n))

const leg = (order: Order, { dialect, state }: Context) => {
  const market = state.markets.get(order.market)
  const { clientOrderId, ...rest } = common(order)
  return {
    ...rest,
    ...(clientOrderId === undefined || dialect.policy.legClientOrderIds === "empty" ? {} : { clientOrderId }),
    takerFee: ratio(market?.takerFee ?? zero),
    makerFee: ratio(market?.makerFee ?? zero),
    mtime: Time.fromMicros(order.changedAt),
    ...(order.positionSide === undefined ? {} : { positionSide: order.positionSide })
  }
}

const ocoOrder = (oco: OcoOrder, context: Context): CollateralOcoOrders.CollateralOcoOrder => ({
  id: oco.id,
  reduceOnly: oco.reduceOnly,
  stopLoss: { ...leg(oco.stopLoss, context), ...activation(oco.stopLoss.stop) },
  takeProfit: leg(oco.takeProfit, context)
})

const endedOrder = (order: Order, context: Context): OrderHistory.EndedOrder => {
  const { left: _, ...answer } = orderAnswer(order, context)
  const market = context.state.markets.get(order.market)
  return {
    ...answer,
    ftime: Time.fromMicros(order.changedAt),
    takerFee: ratio(market?.takerFee ?? zero),
    makerFee: ratio(market?.makerFee ?? zero)
  }
}

/** Where a market is asked for, its fills do not say which it is. */
const fillAnswer = (
  { amount, at, fee, feeAsset, order, price, role, trade }: Fill,
  context: Context,
  grouped: boolean
): Endpoint.Response<typeof Fills.endpoint>[number] => ({
  ...(grouped ? { market: order.market } : {}),
  tradeId: TradeId.make(trade.toString()),
  orderId: order.id,
  ...(order.clientOrderId === undefined || withoutClientOrderId(order, context)
    ? {}
    : { clientOrderId: order.clientOrderId }),
  timestamp: Time.fromMicros(at),
  side: order.side,
  role,
  amount: Units.toDecimal(amount),
  price: Units.toDecimal(price),
  total: Units.toDecimal(Units.times(amount, price)),
  fee: Units.toDecimal(fee),
  feeAsset
})

/** Orders of one account that a request selects, the latest first. */
const selected = (
  orders: Iterable<Order>,
  { clientOrderId, market, orderId }: Pick<ActiveOrders.Request, "clientOrderId" | "market" | "orderId">
): ReadonlyArray<Order> =>
  [...orders].filter((order) =>
    (market === undefined || order.market === market) && (orderId === undefined || order.id === orderId) &&
    (clientOrderId === undefined || order.clientOrderId === clientOrderId)
  ).toReversed()

const knownMarket = ({ market }: { readonly market?: MarketName }, { state }: Pick<Context, "state">): Violations =>
  market === undefined || state.markets.has(market) ? [] : [["market", { kind: "known" }]]

// -----------------------------------------------------------------------------
// Markets
// -----------------------------------------------------------------------------

const day = 24 * 60 * 60 * 1e6

const sum = (trades: ReadonlyArray<Trade>, of: (trade: Trade) => Units.Units): Decimal.Decimal =>
  Units.toDecimal(trades.reduce((total, trade) => total + of(trade), 0n))

/** From one price to another in percent, to two digits. */
const change = (from: Units.Units | undefined, to: Units.Units | undefined): Decimal.Decimal =>
  from === undefined || to === undefined || from === 0n
    ? zero
    : Units.toDecimal((to - from) * 10_000n / from * 10n ** BigInt(Units.scale - 2))

const total = ({ amount, price }: Trade): Units.Units => Units.times(amount, price)

/** A ticker of the trades that are kept; a market with very many trades in a day shows less than there were. */
const tickerOf = ({ at, state }: Context, market: MarketName): Tickers.Ticker => {
  const trading = state.trading.get(market)
  const trades = (trading?.trades ?? []).filter((trade) => trade.at > at - day)
  const last = trading?.lastPrice
  return {
    baseId: 0,
    quoteId: 0,
    lastPrice: last === undefined ? zero : Units.toDecimal(last),
    quoteVolume: sum(trades, total),
    baseVolume: sum(trades, ({ amount }) => amount),
    isFrozen: state.markets.get(market)?.tradesEnabled !== true,
    change: change(trades[0]?.price, last)
  }
}

const seconds = (at: number): Time.UnixSeconds => Time.UnixSeconds.make(Math.floor(at / 1e6))

const levelOf = ({ orders, price }: Book.Level): OrderBooks.Level => ({
  price: Units.toDecimal(price),
  amount: Units.toDecimal(orders.reduce((left, order) => left + order.left, 0n))
})

const publicTrade = (trade: Trade): PublicTrades.PublicTrade => ({
  tradeId: TradeId.make(trade.id.toString()),
  price: Units.toDecimal(trade.price),
  amount: Units.toDecimal(trade.amount),
  total: Units.toDecimal(total(trade)),
  timestamp: seconds(trade.at),
  side: trade.side,
  rpi: false
})

// -----------------------------------------------------------------------------
// Accounts
// -----------------------------------------------------------------------------

/** Both parts of a wallet, by asset. */
const balancesOf = (
  { account, state }: Context,
  wallet: Ledger.Wallet
): ReadonlyMap<Ticker, { readonly free: Units.Units; readonly locked: Units.Units }> => {
  const free = Ledger.balances(state.ledger, { account, wallet, locked: false })
  const locked = Ledger.balances(state.ledger, { account, wallet, locked: true })
  return new Map(
    [...new Set([...free.keys(), ...locked.keys()])].map((ticker) => [
      ticker,
      { free: free.get(ticker) ?? 0n, locked: locked.get(ticker) ?? 0n }
    ])
  )
}

const position = (position: Position, { account, state }: Context): OpenPositions.Position => {
  const { amount, cost, market: name } = position
  const size = amount < 0n ? -amount : amount
  const market = state.markets.get(name)
  const last = state.trading.get(name)?.lastPrice
  const worth = last === undefined ? cost : Units.times(size, last)
  const held = market === undefined ? 0n : Ledger.balance(
    state.ledger,
    { account, wallet: "collateral", locked: false },
    market.money
  ) - Positions.margin(state, account, market.money)
  return {
    positionId: PositionId.make(position.id.toString()),
    market: name,
    openDate: Time.fromMicros(position.openedAt),
    modifyDate: Time.fromMicros(position.changedAt),
    amount: Units.toDecimal(amount),
    basePrice: Units.toDecimal(Units.over(cost, size)),
    // Nothing is liquidated here.
    liquidationPrice: null,
    liquidationState: null,
    pnl: Units.toDecimal(position.realised),
    unrealizedPnl: Units.toDecimal(amount < 0n ? cost - worth : worth - cost),
    margin: Units.toDecimal(cost / Positions.leverage),
    freeMargin: Units.toDecimal(held),
    funding: zero,
    positionSide: "BOTH"
  }
}

const subAccountAnswer = (subAccount: SubAccount): SubAccounts.SubAccount => ({
  id: subAccount.id,
  alias: subAccount.alias,
  userId: subAccount.userId,
  email: subAccount.email,
  status: "active",
  color: subAccount.color,
  kyc: { shareKyc: subAccount.shareKyc, kycStatus: subAccount.kycStatus },
  permissions: { spotEnabled: subAccount.spotEnabled, collateralEnabled: subAccount.collateralEnabled }
})

/** A key without its secret. */
const apiKeyAnswer = (key: Key, owner: SubAccountId) => ({
  subAccountId: owner,
  id: key.id,
  title: key.title,
  isEnabled: key.enabled,
  apiKey: key.apiKey,
  type: key.type,
  lastActivity: key.lastActivity,
  restrictAccess: key.endpoints !== undefined,
  accessEndpoints: key.endpoints ?? []
})

/** What assets state as their fees, in percent; markets have their own. */
const assetFee = Decimal.of("0.1")

/** The wallets by the names that transfers have for them. */
const wallets = { main: "main", spot: "trade", collateral: "collateral" } as const

// -----------------------------------------------------------------------------
// The routes
// -----------------------------------------------------------------------------

const created = (dialect: Dialect): number => dialect.createdStatus

const main = (account: string): Ledger.Holder => ({ account, wallet: "main", locked: false })

/**
 * Every endpoint that this exchange serves.
 *
 * @category routes
 * @since 0.1.0
 */
export const routes: ReadonlyArray<Route> = [
  read(
    InterestPaymentHistory.endpoint,
    ({ planId, ticker, ...page }, { account, state }) =>
      pageOf(
        page,
        100,
        (state.payments.get(account) ?? []).filter((payment) =>
          (planId === undefined || payment.planId === planId) && (ticker === undefined || payment.ticker === ticker)
        ),
        (payment) => payment
      ),
    ({ planId, ticker }, { account, state }) => {
      const payments = state.payments.get(account) ?? []
      const listed = state.currencies.some((currency) => currency.ticker === ticker)
      return [
        ...(planId === undefined || state.plans.has(planId) || payments.some((payment) => payment.planId === planId)
          ? []
          : [["planId", { kind: "known" }]] as const),
        ...(ticker === undefined || listed ? [] : [["ticker", { kind: "known" }]] as const)
      ]
    }
  ),
  write(
    CollateralOcoOrders.endpoint,
    (request) => ({ _tag: "PlaceOco", ...request }),
    "OcoPlaced",
    ({ oco }, context) => ocoOrder(oco, context)
  ),
  write(
    StopLimitOrders.endpoint,
    (request) => ({ _tag: "PlaceStopLimit", ...request }),
    "StopPlaced",
    ({ order }) => stopLimitOrder(order)
  ),
  write(CancelAllOrders.endpoint, (request) => ({ _tag: "CancelAll", ...request }), "Done", () => undefined),
  read(Fees.endpoint, (_request, { state }) =>
    state.currencies.map((currency) => ({
      ticker: currency.ticker,
      name: currency.name,
      canDeposit: true,
      canWithdraw: true,
      deposit: {
        minFlex: zero,
        maxFlex: zero,
        percentFlex: zero,
        fixed: zero,
        minAmount: currency.depositMinimum,
        maxAmount: zero
      },
      withdraw: {
        minFlex: zero,
        maxFlex: zero,
        percentFlex: zero,
        fixed: currency.withdrawFee,
        minAmount: currency.withdrawMinimum,
        maxAmount: currency.withdrawMaximum
      }
    }))),
  write(
    Codes.endpoint,
    (request) => ({ _tag: "ApplyCode", ...request }),
    "CodeApplied",
    ({ applied }) => ({ message: "Code was successfully applied", ...applied }),
    (dialect) => dialect.codeAppliedStatus
  ),
  read(MainBalance.endpoint, (_request, { account, state }) =>
    new Map(
      [...Ledger.balances(state.ledger, main(account))].map(([ticker, units]) => [ticker, Units.toDecimal(units)])
    )),
  read(ServerStatus.endpoint, () => ["pong"] as const),
  read(SubAccounts.endpoint, ({ search = "", ...page }, { account, state }) =>
    pageOf(
      page,
      30,
      [...state.subAccounts.values()].filter((subAccount) =>
        subAccount.parent === account &&
        [subAccount.alias, subAccount.id].some((text) => text.toLowerCase().includes(search.toLowerCase()))
      ),
      subAccountAnswer
    )),
  read(
    SubAccountApiKeys.endpoint,
    ({ subAccountId, ...page }, { account, state }) =>
      pageOf(
        page,
        30,
        [...state.keys.values()].flatMap((key) => {
          const owner = state.subAccounts.get(key.account)
          return owner?.parent === account && (subAccountId === undefined || owner.id === subAccountId)
            ? [{ key, owner }]
            : []
        }),
        ({ key, owner }) => ({ ...apiKeyAnswer(key, owner.id), apiSecret: "" })
      ),
    ({ subAccountId }, { account, state }) =>
      subAccountId === undefined || state.subAccounts.get(subAccountId)?.parent === account
        ? []
        : [["subAccountId", { kind: "known" }]]
  ),
  write(DeleteSubAccount.endpoint, (request) => ({ _tag: "DeleteSubAccount", ...request }), "Done", () => undefined),
  read(Markets.endpoint, (_request, { state }) => [...state.markets.values()]),

  write(
    LimitOrders.endpoint,
    (request) => ({ _tag: "PlaceLimit", ...request, collateral: false }),
    "OrderPlaced",
    ({ order }, context) => orderAnswer(order, context)
  ),
  write(
    MarketOrders.endpoint,
    (request) => ({ _tag: "PlaceMarket", ...request, collateral: false, quoteAmount: request.side === "buy" }),
    "OrderPlaced",
    ({ order }, context) => orderAnswer(order, context)
  ),
  write(
    StockMarketOrders.endpoint,
    (request) => ({ _tag: "PlaceMarket", ...request, collateral: false, quoteAmount: false }),
    "OrderPlaced",
    ({ order }, context) => orderAnswer(order, context)
  ),
  write(
    CollateralLimitOrders.endpoint,
    (request) => ({ _tag: "PlaceLimit", ...request, collateral: true }),
    "OrderPlaced",
    ({ order }, context) => orderAnswer(order, context)
  ),
  write(
    CollateralMarketOrders.endpoint,
    (request) => ({ _tag: "PlaceMarket", ...request, collateral: true, quoteAmount: false }),
    "OrderPlaced",
    ({ order }, context) => orderAnswer(order, context)
  ),
  write(
    CancelOrder.endpoint,
    (request) => ({ _tag: "Cancel", ...request }),
    "OrderCanceled",
    ({ order }, context) => orderAnswer(order, context)
  ),
  read(
    ActiveOrders.endpoint,
    (request, context) => {
      const own = [...context.state.openOrders.values()].filter((order) => order.account === context.account)
      return pageOf(request, ActiveOrders.defaultLimit, selected(own, request), (order) => orderAnswer(order, context))
        .records
    },
    knownMarket
  ),
  read(
    OrderHistory.endpoint,
    (request, context) => {
      const own = context.state.endedOrders.get(context.account) ?? []
      return pageOf(request, OrderHistory.defaultLimit, selected(own, request), (order) => endedOrder(order, context))
        .records
    },
    knownMarket
  ),
  read(
    Fills.endpoint,
    ({ clientOrderId, market, ...page }, context) =>
      pageOf(
        page,
        Fills.defaultLimit,
        (context.state.fills.get(context.account) ?? []).filter(({ order }) =>
          (market === undefined || order.market === market) &&
          (clientOrderId === undefined || order.clientOrderId === clientOrderId)
        ).toReversed(),
        (fill) => fillAnswer(fill, context, market === undefined)
      ).records,
    knownMarket
  ),
  read(
    UnexecutedOcoOrders.endpoint,
    ({ market, ...page }, context) =>
      pageOf(
        page,
        UnexecutedOcoOrders.defaultLimit,
        [...context.state.ocoOrders.values()].filter(({ stopLoss }) =>
          stopLoss.account === context.account && (market === undefined || stopLoss.market === market)
        ).toReversed(),
        (oco) => ocoOrder(oco, context)
      ).records,
    knownMarket
  ),
  write(
    CancelOcoOrder.endpoint,
    (request) => ({ _tag: "CancelOco", ...request }),
    "OcoCanceled",
    ({ oco }, context) => ocoOrder(oco, context)
  ),

  read(TradeBalance.endpoint, (_request, context) =>
    new Map(
      [...balancesOf(context, "trade")].map(([ticker, { free, locked }]) => [
        ticker,
        { available: Units.toDecimal(free), freeze: Units.toDecimal(locked) }
      ])
    )),
  read(CollateralBalance.endpoint, (_request, context) =>
    new Map(
      [...balancesOf(context, "collateral")].map(([ticker, { free, locked }]) => [
        ticker,
        Units.toDecimal(free + locked)
      ])
    )),
  read(
    OpenPositions.endpoint,
    ({ market }, context) =>
      [...context.state.positions.values()].filter((position) =>
        position.account === context.account && (market === undefined || position.market === market)
      ).map((found) => position(found, context)),
    knownMarket
  ),
  write(
    Transfers.endpoint,
    ({ from, to, ...request }) => ({ _tag: "Transfer", ...request, from: wallets[from], to: wallets[to] }),
    "Done",
    () => undefined,
    created,
    { notEnoughBalance: "notEnoughToTransfer" }
  ),
  write(
    CodeCreation.endpoint,
    (request) => ({ _tag: "CreateCode", ...request }),
    "CodeCreated",
    ({ created }) => ({ message: "Code was successfully created", ...created }),
    created,
    { notEnoughBalance: "notEnoughForCode" }
  ),
  write(
    SubAccountCreation.endpoint,
    ({ permissions, shareKyc = false, ...request }) => ({
      _tag: "CreateSubAccount",
      ...request,
      ...permissions,
      shareKyc
    }),
    "SubAccountCreated",
    ({ subAccount }) => subAccountAnswer(subAccount),
    created
  ),
  write(
    SubAccountApiKeyCreation.endpoint,
    ({ type, ...request }) => ({ _tag: "CreateSubAccountKey", ...request, type: type.toString() }),
    "KeyCreated",
    ({ key }) => ({
      ...apiKeyAnswer(key, SubAccountId.make(key.account)),
      apiSecret: Redacted.make(key.apiSecret)
    }),
    created
  ),

  read(
    Tickers.endpoint,
    (_request, context) =>
      new Map([...context.state.markets.keys()].map((market) => [market, tickerOf(context, market)]))
  ),
  read(
    OrderBooks.endpoint,
    ({ limit = 0, market }, { at, state }) => {
      const { asks, bids } = state.trading.get(market)?.book ?? Book.make()
      const most = limit === 0 ? OrderBooks.maxLevels : limit
      return {
        market,
        timestamp: seconds(at),
        asks: asks.slice(0, most).map(levelOf),
        bids: bids.slice(0, most).map(levelOf)
      }
    },
    knownMarket
  ),
  read(
    PublicTrades.endpoint,
    ({ market, side }, { state }) =>
      (state.trading.get(market)?.trades ?? []).filter((trade) => side === undefined || trade.side === side)
        .slice(-100).toReversed().map(publicTrade),
    knownMarket
  ),
  read(Assets.endpoint, (_request, { state }) =>
    new Map(
      state.currencies.map((currency) => [currency.ticker, {
        name: currency.name,
        unifiedCryptoassetId: 0,
        canWithdraw: true,
        canDeposit: true,
        minWithdraw: currency.withdrawMinimum,
        maxWithdraw: currency.withdrawMaximum,
        makerFee: assetFee,
        takerFee: assetFee,
        minDeposit: currency.depositMinimum,
        maxDeposit: zero,
        currencyPrecision: Units.scale,
        isMemo: false
      }])
    )),
  read(ServerTime.endpoint, (_request, { at, state }) => ({ time: seconds(at + state.skew) })),
  // Each market has its own fees here; the defaults are those that the assets state.
  read(TradingFees.endpoint, (_request, { state }) => ({
    error: null,
    maker: assetFee,
    taker: assetFee,
    futuresMaker: assetFee,
    futuresTaker: assetFee,
    rpiMakerPremium: null,
    futuresRpiMakerPremium: null,
    customFees: new Map(
      [...state.markets.values()].map(({ makerFee, name, takerFee }) => [name, { maker: makerFee, taker: takerFee }])
    )
  }))
]

/**
 * The paths that the rules call. The oracle deliberately has its own copy: if it used the endpoints that the client and
 * the sandbox share, a wrong path there would pass every rule.
 */

/** The prefix of every path of this API. */
export const version = "/api/v4"

// Paths of the document
export const interest = "/api/v4/main-account/smart/interest-payment-history"
export const oco = "/api/v4/order/collateral/oco"
export const stopLimit = "/api/v4/order/stop_limit"
export const cancelAll = "/api/v4/order/cancel/all"
export const fees = "/api/v4/main-account/fee"
export const applyCode = "/api/v4/main-account/codes/apply"
export const mainBalance = "/api/v4/main-account/balance"
export const ping = "/api/v4/public/ping"
export const subAccounts = "/api/v4/sub-account/list"
export const apiKeys = "/api/v4/sub-account/api-key/list"
export const deleteSubAccount = "/api/v4/sub-account/delete"
export const markets = "/api/v4/public/markets"

// Paths that only the live exchange has: prices, order books and the time
export const tickers = "/api/v4/public/ticker"
export const orderBook = "/api/v4/public/orderbook"
export const time = "/api/v4/public/time"

// Market data of the live exchange
export const marketSummary = "/api/v1/public/ticker"
export const marketSummaries = "/api/v1/public/tickers"
export const candles = "/api/v1/public/kline"
export const tradeHistory = "/api/v1/public/history"
export const depth = "/api/v4/public/orderbook/depth"
export const publicFees = "/api/v4/public/fee"
export const platformStatus = "/api/v4/public/platform/status"
export const collateralMarkets = "/api/v4/public/collateral/markets"
export const futures = "/api/v4/public/futures"
export const fundingRates = "/api/v4/public/funding-history"
export const trades = "/api/v4/public/trades"
export const assets = "/api/v4/public/assets"

// Balances and accounts of the live exchange
export const tradeBalance = "/api/v4/trade-account/balance"
export const collateralBalance = "/api/v4/collateral-account/balance"
export const transfer = "/api/v4/main-account/transfer"
export const createCode = "/api/v4/main-account/codes"
export const tradingFees = "/api/v4/market/fee"
export const createSubAccount = "/api/v4/sub-account/create"
export const createApiKey = "/api/v4/sub-account/api-key/create"

// Orders of the live exchange
export const activeOrders = "/api/v4/orders"
export const orderHistory = "/api/v4/trade-account/order/history"
export const fills = "/api/v4/trade-account/executed-history"
export const limitOrder = "/api/v4/order/new"
export const marketOrder = "/api/v4/order/market"
export const collateralLimit = "/api/v4/order/collateral/limit"
export const stopMarket = "/api/v4/order/stop_market"
export const collateralStopLimit = "/api/v4/order/collateral/stop-limit"
export const triggerMarket = "/api/v4/order/collateral/trigger-market"
export const stockMarketOrder = "/api/v4/order/stock_market"
export const collateralMarketOrder = "/api/v4/order/collateral/market"
export const modifyOrder = "/api/v4/order/modify"
export const bulk = "/api/v4/order/bulk"
export const collateralBulk = "/api/v4/order/collateral/bulk"
export const cancelBulk = "/api/v4/order/cancel/bulk"
export const cancelOrder = "/api/v4/order/cancel"
export const cancelOco = "/api/v4/order/oco-cancel"
export const orderDeals = "/api/v4/trade-account/order"
export const killSwitch = "/api/v4/order/kill-switch"
export const killSwitchStatus = "/api/v4/order/kill-switch/status"
export const conditionalOrders = "/api/v4/conditional-orders"
export const ocoOrders = "/api/v4/oco-orders"
export const cancelConditional = "/api/v4/order/conditional-cancel"
export const cancelOto = "/api/v4/order/oto-cancel"
export const openPositions = "/api/v4/collateral-account/positions/open"
export const collateralSummary = "/api/v4/collateral-account/summary"
export const balanceSummary = "/api/v4/collateral-account/balance-summary"
export const leverage = "/api/v4/collateral-account/leverage"
export const hedgeMode = "/api/v4/collateral-account/hedge-mode"
export const updateHedgeMode = "/api/v4/collateral-account/hedge-mode/update"
export const closePosition = "/api/v4/collateral-account/position/close"
export const positionHistory = "/api/v4/collateral-account/positions/history"
export const closedPositions = "/api/v4/collateral-account/positions/closed-pnl"
export const fundingHistory = "/api/v4/collateral-account/funding-history"
export const borrowHistory = "/api/v4/collateral-account/borrow-history"
export const adlQuantile = "/api/v4/collateral-account/adl-quantile"

/** Creates a token for a WebSocket connection. The limit is ten per minute, so only stream rules create tokens. */
export const webSocketToken = "/api/v4/profile/websocket_token"

/** Private calls of the document that change nothing and succeed without fields. */
export const reads: ReadonlyArray<string> = [fees, mainBalance, subAccounts, apiKeys]

/** Calls about the margin account that change nothing. */
const marginReads: ReadonlyArray<string> = [
  collateralSummary,
  balanceSummary,
  hedgeMode,
  positionHistory,
  closedPositions,
  fundingHistory,
  borrowHistory,
  adlQuantile
]

/** Private calls that change nothing, so that a call without a response can be made again. */
export const unchanging: ReadonlyArray<string> = [
  ...reads,
  interest,
  activeOrders,
  orderHistory,
  orderDeals,
  killSwitchStatus,
  conditionalOrders,
  openPositions,
  fills,
  ocoOrders,
  tradeBalance,
  collateralBalance,
  ...marginReads,
  tradingFees,
  webSocketToken
]

/** Private calls that neither need money nor show any. */
export const moneyless: ReadonlyArray<string> = [
  fees,
  subAccounts,
  apiKeys,
  interest,
  activeOrders,
  orderHistory,
  orderDeals,
  fills,
  ocoOrders,
  conditionalOrders,
  killSwitch,
  killSwitchStatus,
  tradingFees,
  cancelAll,
  cancelOrder,
  cancelBulk,
  cancelOco,
  cancelConditional,
  cancelOto,
  // An order that can be changed has been placed with funds.
  modifyOrder
]

/** Calls that only use or show the main balance. */
export const ofMainBalance: ReadonlyArray<string> = [mainBalance, createCode, applyCode]

/** Calls that only use or show the trade balance. */
export const ofTradeBalance: ReadonlyArray<string> = [
  limitOrder,
  marketOrder,
  stockMarketOrder,
  stopMarket,
  stopLimit,
  bulk,
  tradeBalance
]

/** Calls that only use or show the collateral balance. */
export const ofCollateral: ReadonlyArray<string> = [
  collateralLimit,
  collateralMarketOrder,
  collateralStopLimit,
  triggerMarket,
  collateralBulk,
  oco,
  collateralBalance,
  collateralSummary,
  balanceSummary,
  leverage,
  hedgeMode,
  updateHedgeMode,
  openPositions,
  closePosition,
  positionHistory,
  closedPositions,
  fundingHistory,
  borrowHistory,
  adlQuantile
]

/** Calls for which `request` and `nonce` may be optional. */
export const unenveloped: ReadonlyArray<string> = [cancelAll, subAccounts, apiKeys, deleteSubAccount]

/** All private calls of the document. */
export const documentCalls: ReadonlyArray<string> = [
  interest,
  oco,
  stopLimit,
  cancelAll,
  fees,
  applyCode,
  mainBalance,
  subAccounts,
  apiKeys,
  deleteSubAccount
]

/** Public calls that only the live exchange's documentation describes. */
const livePublicCalls: ReadonlyArray<string> = [
  tickers,
  orderBook,
  time,
  marketSummary,
  marketSummaries,
  candles,
  tradeHistory,
  depth,
  publicFees,
  platformStatus,
  collateralMarkets,
  futures,
  fundingRates,
  trades,
  assets
]

/** The calls whose path ends with a market. */
export const ofMarkets: ReadonlyArray<string> = [orderBook, depth, fundingRates, trades]

/** The calls that place several orders. */
export const ofSeveral: ReadonlyArray<string> = [bulk, collateralBulk]

/**
 * Calls that only the live exchange's documentation describes, and that rules about other calls need to place and find
 * orders.
 */
const helping: ReadonlyArray<string> = [
  activeOrders,
  orderHistory,
  limitOrder,
  marketOrder,
  collateralLimit,
  cancelOrder,
  cancelOco,
  openPositions
]

/** All calls that only the live exchange's documentation describes. */
export const liveCalls: ReadonlyArray<string> = [
  ...livePublicCalls,
  ...helping,
  stopMarket,
  collateralStopLimit,
  triggerMarket,
  stockMarketOrder,
  collateralMarketOrder,
  modifyOrder,
  bulk,
  collateralBulk,
  cancelBulk,
  orderDeals,
  killSwitch,
  killSwitchStatus,
  conditionalOrders,
  cancelConditional,
  cancelOto,
  fills,
  ocoOrders,
  tradeBalance,
  collateralBalance,
  ...marginReads,
  leverage,
  updateHedgeMode,
  closePosition,
  tradingFees,
  transfer,
  createCode,
  createSubAccount,
  createApiKey
]

/** Calls that only the live exchange's documentation describes, and that change nothing. */
export const liveReads: ReadonlyArray<string> = [
  ...livePublicCalls,
  activeOrders,
  orderHistory,
  openPositions,
  orderDeals,
  killSwitchStatus,
  conditionalOrders,
  fills,
  ocoOrders,
  tradeBalance,
  collateralBalance,
  ...marginReads,
  tradingFees
]

/**
 * Calls that are tried even if a target does not declare them, because rules about other calls need them for prices,
 * clocks and orders.
 */
export const alwaysTried: ReadonlyArray<string> = [tickers, orderBook, time, ...helping]

/** All paths that the rules call. */
export const all: ReadonlyArray<string> = [...documentCalls, ping, markets, ...liveCalls, webSocketToken]

/** Paths that no endpoint has. */
export const unknown = {
  private: "/api/v4/main-account/no-such-call",
  public: "/api/v4/public/no-such-call"
}

/** The path of the order book of a market that does not exist. */
export const unknownOrderBook = "/api/v4/public/orderbook/NO_SUCH"

/** The names of the client's services. Generated: `TXC_TEST_RECORD=1 npx vitest run test/PromiseServices.test.ts`. */

/**
 * The endpoints: each property of the client, and its module's name.
 *
 * @category models
 */
export interface EndpointNames {
  /** Reads the interest payments received by the account. */
  readonly interestPaymentHistory: "InterestPaymentHistory"
  /** Places collateral OCO orders. */
  readonly collateralOcoOrders: "CollateralOcoOrders"
  /** Places stop-limit orders. */
  readonly stopLimitOrders: "StopLimitOrders"
  /** Reads the markets. */
  readonly markets: "Markets"
  /** Cancels all open orders in one call. */
  readonly cancelAllOrders: "CancelAllOrders"
  /** Reads deposit and withdrawal fees. */
  readonly fees: "Fees"
  /** Applies codes. */
  readonly codes: "Codes"
  /** Reads the main account's balances. */
  readonly mainBalance: "MainBalance"
  /** Checks whether the server is reachable. */
  readonly serverStatus: "ServerStatus"
  /** Reads the account's sub-accounts. */
  readonly subAccounts: "SubAccounts"
  /** Reads the API keys of the account's sub-accounts. */
  readonly subAccountApiKeys: "SubAccountApiKeys"
  /** Deletes sub-accounts. */
  readonly deleteSubAccount: "DeleteSubAccount"
  /** Reads a market's trades after a given trade. */
  readonly tradeHistory: "TradeHistory"
  /** Reads a market's candles. */
  readonly candles: "Candles"
  /** Reads a market's 24-hour statistics. */
  readonly marketSummary: "MarketSummary"
  /** Reads the 24-hour statistics of all markets. */
  readonly marketSummaries: "MarketSummaries"
  /** Reads the places of the account's positions in the auto-deleveraging queue. */
  readonly adlQuantiles: "AdlQuantiles"
  /** Reads the collateral account's balances. */
  readonly collateralBalance: "CollateralBalance"
  /** Reads the collateral account's detailed balances. */
  readonly collateralBalanceSummary: "CollateralBalanceSummary"
  /** Reads the account's borrows. */
  readonly borrowHistory: "BorrowHistory"
  /** Reads the account's funding payments. */
  readonly fundingPayments: "FundingPayments"
  /** Reads the collateral account's position mode. */
  readonly hedgeMode: "HedgeMode"
  /** Switches the collateral account's position mode. */
  readonly hedgeModeUpdate: "HedgeModeUpdate"
  /** Changes the collateral account's leverage. */
  readonly collateralLeverage: "CollateralLeverage"
  /** Closes positions. */
  readonly closePosition: "ClosePosition"
  /** Reads the profit and loss of closed positions. */
  readonly closedPositions: "ClosedPositions"
  /** Reads the account's position history. */
  readonly positionHistory: "PositionHistory"
  /** Reads the account's open positions. */
  readonly openPositions: "OpenPositions"
  /** Reads the collateral account's summary. */
  readonly collateralSummary: "CollateralSummary"
  /** Reads the open conditional orders. */
  readonly conditionalOrders: "ConditionalOrders"
  /** Creates codes. */
  readonly codeCreation: "CodeCreation"
  /** Moves funds between the account's balances. */
  readonly transfers: "Transfers"
  /** Reads the account's trading fees. */
  readonly tradingFees: "TradingFees"
  /** Reads the OCO orders whose legs have not traded yet. */
  readonly unexecutedOcoOrders: "UnexecutedOcoOrders"
  /** Places many limit orders in one call. */
  readonly bulkLimitOrders: "BulkLimitOrders"
  /** Cancels individual orders. */
  readonly cancelOrder: "CancelOrder"
  /** Cancels many orders in one call. */
  readonly cancelBulkOrders: "CancelBulkOrders"
  /** Places many margin limit orders in one call. */
  readonly collateralBulkLimitOrders: "CollateralBulkLimitOrders"
  /** Places margin limit orders. */
  readonly collateralLimitOrders: "CollateralLimitOrders"
  /** Places margin market orders. */
  readonly collateralMarketOrders: "CollateralMarketOrders"
  /** Places margin stop-limit orders. */
  readonly collateralStopLimitOrders: "CollateralStopLimitOrders"
  /** Places margin stop-market orders. */
  readonly collateralTriggerMarketOrders: "CollateralTriggerMarketOrders"
  /** Cancels conditional orders. */
  readonly cancelConditionalOrder: "CancelConditionalOrder"
  /** Arms and disarms kill switches. */
  readonly killSwitch: "KillSwitch"
  /** Reads the armed kill switches. */
  readonly killSwitchStatus: "KillSwitchStatus"
  /** Places market orders. For a buy, the amount is in the quote currency. */
  readonly marketOrders: "MarketOrders"
  /** Modifies open orders. */
  readonly modifyOrder: "ModifyOrder"
  /** Places limit orders. */
  readonly limitOrders: "LimitOrders"
  /** Cancels collateral OCO orders. */
  readonly cancelOcoOrder: "CancelOcoOrder"
  /** Cancels orders whose take-profit or stop-loss the exchange has not placed yet. */
  readonly cancelOtoOrder: "CancelOtoOrder"
  /** Places market orders with an amount in the base currency. */
  readonly stockMarketOrders: "StockMarketOrders"
  /** Places stop-market orders. */
  readonly stopMarketOrders: "StopMarketOrders"
  /** Reads the account's open orders. */
  readonly activeOrders: "ActiveOrders"
  /** Creates tokens for WebSocket connections. */
  readonly webSocketToken: "WebSocketToken"
  /** Reads the assets. */
  readonly assets: "Assets"
  /** Lists the margin markets. */
  readonly collateralMarkets: "CollateralMarkets"
  /** Reads deposit and withdrawal fees and limits. */
  readonly publicFees: "PublicFees"
  /** Reads a futures market's funding rates. */
  readonly fundingRates: "FundingRates"
  /** Lists the futures markets. */
  readonly futuresMarkets: "FuturesMarkets"
  /** Reads the bids and asks near a market's last price. */
  readonly orderBookDepth: "OrderBookDepth"
  /** Reads order books. */
  readonly orderBooks: "OrderBooks"
  /** Reads whether the exchange is operational. */
  readonly platformStatus: "PlatformStatus"
  /** Reads the 24-hour statistics of all markets. */
  readonly tickers: "Tickers"
  /** Reads the exchange's clock. */
  readonly serverTime: "ServerTime"
  /** Reads a market's latest trades. */
  readonly publicTrades: "PublicTrades"
  /** Creates API keys for sub-accounts. */
  readonly subAccountApiKeyCreation: "SubAccountApiKeyCreation"
  /** Creates sub-accounts. */
  readonly subAccountCreation: "SubAccountCreation"
  /** Reads the trade account's balances. */
  readonly tradeBalance: "TradeBalance"
  /** Reads the account's fills. */
  readonly fills: "Fills"
  /** Reads an order's deals. */
  readonly orderDeals: "OrderDeals"
  /** Reads the account's order history. */
  readonly orderHistory: "OrderHistory"
}

/**
 * The channels: each property of the client's `channels`, and its module's name.
 *
 * @category models
 */
export interface ChannelNames {
  /** A market's candles, as a stream or from a query. */
  readonly candles: "CandlesChannel"
  /** A market's last price, as a stream or from a query. */
  readonly lastPrice: "LastPriceChannel"
  /** A market's statistics: over the last 24 hours as a stream, or over any period from a query. */
  readonly marketStatistics: "MarketStatisticsChannel"
  /** A market's statistics since midnight UTC, as a stream or from a query. */
  readonly marketToday: "MarketTodayChannel"
  /** A market's trades, as a stream or from a query. */
  readonly trades: "TradesChannel"
  /** A market's order book, as a stream (a snapshot followed by changes) or from a query. */
  readonly depth: "DepthChannel"
  /** The best bid and best ask of a market, or of all markets, as a stream. */
  readonly bookTicker: "BookTickerChannel"
  /** The prices and the funding rate of a futures market, or of all futures markets, as a stream. */
  readonly premiumIndex: "PremiumIndexChannel"
  /** The trade account's balances, as a stream or from a query. */
  readonly spotBalance: "SpotBalanceChannel"
  /** The collateral account's balances, as a stream or from a query. */
  readonly marginBalance: "MarginBalanceChannel"
  /** The orders on a market that can still trade, as a stream or from a query. */
  readonly pendingOrders: "PendingOrdersChannel"
  /** The account's closed orders, as a stream or from a query. */
  readonly executedOrders: "ExecutedOrdersChannel"
  /** The trades of the account's own orders on a market, as a stream or from a query. */
  readonly deals: "DealsChannel"
  /** The account's open positions, as a stream. */
  readonly positions: "PositionsChannel"
  /** Liquidations of the account's positions, and margin calls on them, as a stream. */
  readonly positionEvents: "PositionEventsChannel"
  /** The assets that the account has borrowed, as a stream. */
  readonly borrows: "BorrowsChannel"
  /** Liquidations of the account's borrows, and margin calls on them, as a stream. */
  readonly borrowEvents: "BorrowEventsChannel"
  /** The places of the account's positions in the auto-deleveraging queue, as a stream. */
  readonly adlQuantile: "AdlQuantileChannel"
}

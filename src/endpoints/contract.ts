/**
 * The contract lists every exchange endpoint that this package supports, one per line. No other file repeats this list.
 *
 * The services of `Exchange`, the sandbox's handlers, the arguments of `effect-txc call`, `effect-txc tour`, the tables
 * on the services page, the oracle's generators and the test fixtures must cover every name listed here; the compiler
 * reports a missing endpoint.
 *
 * Each module exports the endpoint's value as `endpoint`, and its service under the name listed here.
 */

// The document's endpoints, sorted by the document's clauses
export * as InterestPaymentHistory from "./InterestPaymentHistory.ts"
export * as CollateralOcoOrders from "./CollateralOcoOrders.ts"
export * as StopLimitOrders from "./StopLimitOrders.ts"
export * as CancelAllOrders from "./CancelAllOrders.ts"
export * as Fees from "./Fees.ts"
export * as Codes from "./Codes.ts"
export * as MainBalance from "./MainBalance.ts"
export * as ServerStatus from "./ServerStatus.ts"
export * as SubAccounts from "./SubAccounts.ts"
export * as SubAccountApiKeys from "./SubAccountApiKeys.ts"
export * as DeleteSubAccount from "./DeleteSubAccount.ts"
export * as Markets from "./Markets.ts"

// Not in the document: placing orders, and order history
export * as LimitOrders from "./LimitOrders.ts"
export * as MarketOrders from "./MarketOrders.ts"
export * as StockMarketOrders from "./StockMarketOrders.ts"
export * as CollateralLimitOrders from "./CollateralLimitOrders.ts"
export * as CollateralMarketOrders from "./CollateralMarketOrders.ts"
export * as CancelOrder from "./CancelOrder.ts"
export * as ActiveOrders from "./ActiveOrders.ts"
export * as OrderHistory from "./OrderHistory.ts"
export * as Fills from "./Fills.ts"
export * as UnexecutedOcoOrders from "./UnexecutedOcoOrders.ts"
export * as CancelOcoOrder from "./CancelOcoOrder.ts"

// Not in the document: stop orders, bulk orders and modification
export * as StopMarketOrders from "./StopMarketOrders.ts"
export * as CollateralStopLimitOrders from "./CollateralStopLimitOrders.ts"
export * as CollateralTriggerMarketOrders from "./CollateralTriggerMarketOrders.ts"
export * as ModifyOrder from "./ModifyOrder.ts"
export * as BulkLimitOrders from "./BulkLimitOrders.ts"
export * as CollateralBulkLimitOrders from "./CollateralBulkLimitOrders.ts"
export * as CancelBulkOrders from "./CancelBulkOrders.ts"

// Not in the document: order deals, the kill switch and conditional orders
export * as OrderDeals from "./OrderDeals.ts"
export * as KillSwitch from "./KillSwitch.ts"
export * as KillSwitchStatus from "./KillSwitchStatus.ts"
export * as ConditionalOrders from "./ConditionalOrders.ts"
export * as CancelConditionalOrder from "./CancelConditionalOrder.ts"
export * as CancelOtoOrder from "./CancelOtoOrder.ts"

// Not in the document: accounts
export * as TradeBalance from "./TradeBalance.ts"
export * as CollateralBalance from "./CollateralBalance.ts"
export * as OpenPositions from "./OpenPositions.ts"
export * as CollateralSummary from "./CollateralSummary.ts"
export * as CollateralBalanceSummary from "./CollateralBalanceSummary.ts"
export * as CollateralLeverage from "./CollateralLeverage.ts"
export * as HedgeMode from "./HedgeMode.ts"
export * as HedgeModeUpdate from "./HedgeModeUpdate.ts"
export * as ClosePosition from "./ClosePosition.ts"
export * as PositionHistory from "./PositionHistory.ts"
export * as ClosedPositions from "./ClosedPositions.ts"
export * as FundingPayments from "./FundingPayments.ts"
export * as BorrowHistory from "./BorrowHistory.ts"
export * as AdlQuantiles from "./AdlQuantiles.ts"
export * as TradingFees from "./TradingFees.ts"
export * as Transfers from "./Transfers.ts"
export * as CodeCreation from "./CodeCreation.ts"
export * as SubAccountCreation from "./SubAccountCreation.ts"
export * as SubAccountApiKeyCreation from "./SubAccountApiKeyCreation.ts"
export * as WebSocketToken from "./WebSocketToken.ts"

// Not in the document: market data
export * as MarketSummary from "./MarketSummary.ts"
export * as MarketSummaries from "./MarketSummaries.ts"
export * as Candles from "./Candles.ts"
export * as TradeHistory from "./TradeHistory.ts"
export * as OrderBookDepth from "./OrderBookDepth.ts"
export * as PublicFees from "./PublicFees.ts"
export * as PlatformStatus from "./PlatformStatus.ts"
export * as CollateralMarkets from "./CollateralMarkets.ts"
export * as FuturesMarkets from "./FuturesMarkets.ts"
export * as FundingRates from "./FundingRates.ts"

// Not in the document: markets
export * as Tickers from "./Tickers.ts"
export * as OrderBooks from "./OrderBooks.ts"
export * as PublicTrades from "./PublicTrades.ts"
export * as Assets from "./Assets.ts"
export * as ServerTime from "./ServerTime.ts"

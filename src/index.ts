/**
 * A strictly typed client of the exchange's private HTTP API V4, as Effect services.
 *
 * @since 0.1.0
 */

// One layer with everything
export * as Exchange from "./Exchange.ts"

// What became of an order whose answer was lost
export * as Reconciliation from "./Reconciliation.ts"

// Nonces by the clock of the exchange
export * as ServerClock from "./ServerClock.ts"

// The endpoint services, in the order of the document
export * as InterestPaymentHistory from "./endpoints/InterestPaymentHistory.ts"
export * as CollateralOcoOrders from "./endpoints/CollateralOcoOrders.ts"
export * as StopLimitOrders from "./endpoints/StopLimitOrders.ts"
export * as CancelAllOrders from "./endpoints/CancelAllOrders.ts"
export * as Fees from "./endpoints/Fees.ts"
export * as Codes from "./endpoints/Codes.ts"
export * as MainBalance from "./endpoints/MainBalance.ts"
export * as ServerStatus from "./endpoints/ServerStatus.ts"
export * as SubAccounts from "./endpoints/SubAccounts.ts"
export * as SubAccountApiKeys from "./endpoints/SubAccountApiKeys.ts"
export * as DeleteSubAccount from "./endpoints/DeleteSubAccount.ts"
export * as Markets from "./endpoints/Markets.ts"

// What the document does not describe: how orders come to trade, and what became of them
export * as LimitOrders from "./endpoints/LimitOrders.ts"
export * as MarketOrders from "./endpoints/MarketOrders.ts"
export * as StockMarketOrders from "./endpoints/StockMarketOrders.ts"
export * as CollateralLimitOrders from "./endpoints/CollateralLimitOrders.ts"
export * as CollateralMarketOrders from "./endpoints/CollateralMarketOrders.ts"
export * as CancelOrder from "./endpoints/CancelOrder.ts"
export * as ActiveOrders from "./endpoints/ActiveOrders.ts"
export * as OrderHistory from "./endpoints/OrderHistory.ts"
export * as Fills from "./endpoints/Fills.ts"
export * as UnexecutedOcoOrders from "./endpoints/UnexecutedOcoOrders.ts"
export * as CancelOcoOrder from "./endpoints/CancelOcoOrder.ts"
export * as TradeBalance from "./endpoints/TradeBalance.ts"
export * as CollateralBalance from "./endpoints/CollateralBalance.ts"
export * as OpenPositions from "./endpoints/OpenPositions.ts"
export * as Transfers from "./endpoints/Transfers.ts"
export * as CodeCreation from "./endpoints/CodeCreation.ts"
export * as SubAccountCreation from "./endpoints/SubAccountCreation.ts"
export * as SubAccountApiKeyCreation from "./endpoints/SubAccountApiKeyCreation.ts"
export * as Tickers from "./endpoints/Tickers.ts"
export * as OrderBooks from "./endpoints/OrderBooks.ts"
export * as PublicTrades from "./endpoints/PublicTrades.ts"
export * as Assets from "./endpoints/Assets.ts"
export * as ServerTime from "./endpoints/ServerTime.ts"

// How a call is made
export * as Call from "./client/call/Call.ts"
export * as ClientOrderIdEcho from "./client/ClientOrderIdEcho.ts"
export * as ClientOrderIds from "./client/ClientOrderIds.ts"
export * as Credentials from "./client/Credentials.ts"
export * as Intents from "./client/Intents.ts"
export * as MarketRules from "./client/MarketRules.ts"
export * as Metrics from "./client/Metrics.ts"
export * as Nonce from "./client/Nonce.ts"
export * as Pages from "./client/Pages.ts"
export * as RateLimits from "./client/RateLimits.ts"
export * as Region from "./client/Region.ts"
export * as Signer from "./client/Signer.ts"

// What crosses the wire
export * as Dialect from "./protocol/Dialect.ts"
export * as Endpoint from "./protocol/Endpoint.ts"
export * as Errors from "./protocol/Errors.ts"
export * as OrderAnswer from "./protocol/OrderAnswer.ts"

// Values
export * as Code from "./domain/Code.ts"
export * as Decimal from "./domain/Decimal.ts"
export * as Identifiers from "./domain/Identifiers.ts"
export * as Market from "./domain/Market.ts"
export * as Order from "./domain/Order.ts"
export * as Paging from "./domain/Paging.ts"
export * as SubAccount from "./domain/SubAccount.ts"
export * as Time from "./domain/Time.ts"
export * as Unrecognised from "./domain/Unrecognised.ts"

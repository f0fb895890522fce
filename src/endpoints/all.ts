/**
 * Every endpoint: those of the document in its order, then those that it does not describe.
 *
 * @since 0.1.0
 */
import type * as Endpoint from "../protocol/Endpoint.ts"
import * as ActiveOrders from "./ActiveOrders.ts"
import * as Assets from "./Assets.ts"
import * as CancelAllOrders from "./CancelAllOrders.ts"
import * as CancelOcoOrder from "./CancelOcoOrder.ts"
import * as CancelOrder from "./CancelOrder.ts"
import * as CodeCreation from "./CodeCreation.ts"
import * as Codes from "./Codes.ts"
import * as CollateralBalance from "./CollateralBalance.ts"
import * as CollateralLimitOrders from "./CollateralLimitOrders.ts"
import * as CollateralMarketOrders from "./CollateralMarketOrders.ts"
import * as CollateralOcoOrders from "./CollateralOcoOrders.ts"
import * as DeleteSubAccount from "./DeleteSubAccount.ts"
import * as Fees from "./Fees.ts"
import * as Fills from "./Fills.ts"
import * as InterestPaymentHistory from "./InterestPaymentHistory.ts"
import * as LimitOrders from "./LimitOrders.ts"
import * as MainBalance from "./MainBalance.ts"
import * as MarketOrders from "./MarketOrders.ts"
import * as Markets from "./Markets.ts"
import * as OpenPositions from "./OpenPositions.ts"
import * as OrderBooks from "./OrderBooks.ts"
import * as OrderHistory from "./OrderHistory.ts"
import * as PublicTrades from "./PublicTrades.ts"
import * as ServerStatus from "./ServerStatus.ts"
import * as ServerTime from "./ServerTime.ts"
import * as StockMarketOrders from "./StockMarketOrders.ts"
import * as StopLimitOrders from "./StopLimitOrders.ts"
import * as SubAccountApiKeyCreation from "./SubAccountApiKeyCreation.ts"
import * as SubAccountApiKeys from "./SubAccountApiKeys.ts"
import * as SubAccountCreation from "./SubAccountCreation.ts"
import * as SubAccounts from "./SubAccounts.ts"
import * as Tickers from "./Tickers.ts"
import * as TradeBalance from "./TradeBalance.ts"
import * as Transfers from "./Transfers.ts"
import * as UnexecutedOcoOrders from "./UnexecutedOcoOrders.ts"

/**
 * @category endpoints
 * @since 0.1.0
 */
export const all: ReadonlyArray<Endpoint.Any> = [
  InterestPaymentHistory.endpoint,
  CollateralOcoOrders.endpoint,
  StopLimitOrders.endpoint,
  CancelAllOrders.endpoint,
  Fees.endpoint,
  Codes.endpoint,
  MainBalance.endpoint,
  ServerStatus.endpoint,
  SubAccounts.endpoint,
  SubAccountApiKeys.endpoint,
  DeleteSubAccount.endpoint,
  Markets.endpoint,
  LimitOrders.endpoint,
  MarketOrders.endpoint,
  StockMarketOrders.endpoint,
  CollateralLimitOrders.endpoint,
  CollateralMarketOrders.endpoint,
  CancelOrder.endpoint,
  ActiveOrders.endpoint,
  OrderHistory.endpoint,
  Fills.endpoint,
  UnexecutedOcoOrders.endpoint,
  CancelOcoOrder.endpoint,
  TradeBalance.endpoint,
  CollateralBalance.endpoint,
  OpenPositions.endpoint,
  Transfers.endpoint,
  CodeCreation.endpoint,
  SubAccountCreation.endpoint,
  SubAccountApiKeyCreation.endpoint,
  Tickers.endpoint,
  OrderBooks.endpoint,
  PublicTrades.endpoint,
  Assets.endpoint,
  ServerTime.endpoint
]

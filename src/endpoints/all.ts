/**
 * Every endpoint, in the order of the document.
 *
 * @since 0.1.0
 */
import type * as Endpoint from "../protocol/Endpoint.ts"
import * as CancelAllOrders from "./CancelAllOrders.ts"
import * as Codes from "./Codes.ts"
import * as CollateralOcoOrders from "./CollateralOcoOrders.ts"
import * as DeleteSubAccount from "./DeleteSubAccount.ts"
import * as Fees from "./Fees.ts"
import * as InterestPaymentHistory from "./InterestPaymentHistory.ts"
import * as MainBalance from "./MainBalance.ts"
import * as Markets from "./Markets.ts"
import * as ServerStatus from "./ServerStatus.ts"
import * as StopLimitOrders from "./StopLimitOrders.ts"
import * as SubAccountApiKeys from "./SubAccountApiKeys.ts"
import * as SubAccounts from "./SubAccounts.ts"

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
  Markets.endpoint
]

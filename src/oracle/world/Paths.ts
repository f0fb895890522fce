/**
 * The paths of the document, and of those calls besides that show what became of an order. Written down here once more on
 * purpose: a wrong path in an endpoint must not be right because both took it from there.
 *
 * @since 0.1.0
 */
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

/** Beyond the document, as the live exchange has them. */
export const markets = "/api/v4/public/markets"
export const activeOrders = "/api/v4/orders"
export const orderHistory = "/api/v4/trade-account/order/history"
export const limitOrder = "/api/v4/order/new"
export const marketOrder = "/api/v4/order/market"
export const collateralLimit = "/api/v4/order/collateral/limit"
export const cancelOrder = "/api/v4/order/cancel"
export const cancelOco = "/api/v4/order/oco-cancel"

/** Private calls of the document that change nothing, with fields that each accepts. */
export const reads: ReadonlyArray<string> = [fees, mainBalance, subAccounts, apiKeys]

/** All private calls of the document. */
export const all: ReadonlyArray<string> = [
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

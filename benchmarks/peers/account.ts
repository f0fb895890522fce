/** The requests that all peers send, and the credentials that sign them. */

export const account = {
  apiKey: "0123456789abcdef0123456789abcdef",
  apiSecret: "fedcba9876543210fedcba9876543210"
}

export const paths = {
  stopLimit: "/api/v4/order/stop_limit",
  balances: "/api/v4/main-account/balance",
  fees: "/api/v4/main-account/fee"
} as const

/** The order, encoded in the document's dialect. */
export const wireOrder = {
  market: "BTC_USDT",
  side: "buy",
  amount: "0.0015",
  price: "97250.25",
  activation_price: "97250.5",
  client_order_id: "bench-order-1"
}

/** The stub's canned responses, in the document's dialect. Every peer gets the same bytes. */

const order = {
  order_id: 4180284841,
  client_order_id: "bench-order-1",
  market: "BTC_USDT",
  side: "buy",
  type: "stop limit",
  timestamp: 1770000000.123456,
  deal_money: "0",
  deal_stock: "0",
  amount: "0.0015",
  left: "0.0015",
  deal_fee: "0",
  price: "97250.25",
  postOnly: false,
  ioc: false,
  status: "NEW",
  stp: "no",
  positionSide: "LONG",
  rpi: false,
  reduceOnly: false,
  activated: 0,
  activationCondition: "gte",
  activation_price: "97250.5"
}

const tickers = Array.from({ length: 500 }, (_, index) => `T${index.toString(36).toUpperCase().padStart(3, "0")}`)

const balances = Object.fromEntries(
  tickers.map((
    ticker,
    index
  ) => [ticker, { main_balance: `${index * 7}.${(index * 7919 % 100000000).toString().padStart(8, "0")}` }])
)

const transfer = (index: number) => ({
  minFlex: "0.0001",
  maxFlex: `${index}.5`,
  percentFlex: "0.1",
  fixed: `0.000${index}`,
  minAmount: "0.001",
  maxAmount: `${index * 1000}`
})

const fees = tickers.map((ticker, index) => ({
  ticker,
  name: `Currency number ${index}`,
  can_deposit: index % 7 !== 0,
  can_withdraw: index % 11 !== 0,
  deposit: transfer(index),
  withdraw: transfer(index + 1)
}))

/** The balances in the trade wallet. For each currency, the available amount equals the amount locked in orders. */
const tradeBalances = Object.fromEntries(
  Object.entries(balances).map(([ticker, { main_balance: available }]) => [ticker, { available, freeze: available }])
)

export const answers = {
  "/api/v4/order/stop_limit": JSON.stringify(order),
  "/api/v4/main-account/balance": JSON.stringify(balances),
  "/api/v4/trade-account/balance": JSON.stringify(tradeBalances),
  "/api/v4/main-account/fee": JSON.stringify(fees)
} as const

export type Path = keyof typeof answers

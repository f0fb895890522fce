/** Requests and answers about orders and positions, for the goldens: in the domain and as each dialect writes them. */
import * as Decimal from "../../src/domain/Decimal.ts"
import * as Identifiers from "../../src/domain/Identifiers.ts"
import { Limit, Offset } from "../../src/domain/Paging.ts"
import { UnixTime } from "../../src/domain/Time.ts"

const market = Identifiers.marketName("BTC_USDT")
const clientOrderId = Identifiers.ClientOrderId.make("my-order.1_a")

// -----------------------------------------------------------------------------
// Orders that trade wallets
// -----------------------------------------------------------------------------

const limitRequest = {
  market: "BTC_USDT",
  side: "buy",
  amount: "0.0100",
  price: "60000.5",
  postOnly: true,
  ioc: false
} as const

const limitWire = {
  market: "BTC_USDT",
  side: "buy",
  type: "limit",
  timestamp: 1700000000.000001,
  amount: "0.0100",
  left: "0.0060",
  price: "60000.5",
  postOnly: true,
  ioc: false,
  rpi: false,
  reduceOnly: false
} as const

const limitValue = {
  // Beyond what a double can count to.
  orderId: Identifiers.OrderId.make("9007199254740993"),
  clientOrderId,
  market,
  side: "buy",
  type: "limit",
  timestamp: UnixTime.make(1700000000.000001),
  dealMoney: Decimal.of("240.002"),
  dealStock: Decimal.of("0.004"),
  amount: Decimal.of("0.0100"),
  left: Decimal.of("0.0060"),
  dealFee: Decimal.of("0.24"),
  price: Decimal.of("60000.5"),
  postOnly: true,
  ioc: false,
  status: "PARTIAL_FILLED",
  stp: "cancel_new",
  rpi: false,
  reduceOnly: false
} as const

const limitDocument = {
  ...limitWire,
  order_id: 9007199254740993n,
  client_order_id: "my-order.1_a",
  deal_money: "240.002",
  deal_stock: "0.004",
  deal_fee: "0.24",
  status: "PARTIAL_FILLED",
  stp: "cancel_new"
} as const

const limitLive = {
  ...limitWire,
  orderId: 9007199254740993n,
  clientOrderId: "my-order.1_a",
  dealMoney: "240.002",
  dealStock: "0.004",
  dealFee: "0.24",
  status: "PARTIALLY_FILLED",
  stp: "cn"
} as const

export const limitOrder = {
  request: {
    market,
    side: "buy",
    amount: Decimal.amount("0.0100"),
    price: Decimal.price("60000.5"),
    clientOrderId,
    postOnly: true,
    ioc: false,
    stp: "cancel_new"
  },
  response: limitValue,
  wire: {
    document: {
      request: { ...limitRequest, client_order_id: "my-order.1_a", stp: "cancel_new" },
      response: limitDocument
    },
    live: {
      request: { ...limitRequest, clientOrderId: "my-order.1_a", stp: "cn" },
      response: limitLive
    }
  }
} as const

const takerWire = { postOnly: false, ioc: true, rpi: false, reduceOnly: false } as const

// Spends quote currency, and can't spend the last of it: a step of the amount would cost more.
const marketWire = {
  ...takerWire,
  market: "BTC_USDT",
  side: "buy",
  type: "market",
  timestamp: 1700000001.5,
  amount: "50",
  left: "0.01",
  price: "0"
} as const

export const marketOrder = {
  request: { market, side: "buy", amount: Decimal.amount("50"), clientOrderId, stp: "no" },
  response: {
    orderId: Identifiers.OrderId.make("4180284850"),
    clientOrderId,
    market,
    side: "buy",
    type: "market",
    timestamp: UnixTime.make(1700000001.5),
    dealMoney: Decimal.of("49.99"),
    dealStock: Decimal.of("0.000833"),
    amount: Decimal.of("50"),
    left: Decimal.of("0.01"),
    dealFee: Decimal.of("0.04999"),
    postOnly: false,
    ioc: true,
    status: "FILLED",
    stp: "no",
    rpi: false,
    reduceOnly: false
  },
  wire: {
    document: {
      request: { market: "BTC_USDT", side: "buy", amount: "50", client_order_id: "my-order.1_a", stp: "no" },
      response: {
        ...marketWire,
        order_id: 4180284850,
        client_order_id: "my-order.1_a",
        deal_money: "49.99",
        deal_stock: "0.000833",
        deal_fee: "0.04999",
        status: "FILLED",
        stp: "no"
      }
    },
    live: {
      request: { market: "BTC_USDT", side: "buy", amount: "50", clientOrderId: "my-order.1_a", stp: "no" },
      response: {
        ...marketWire,
        orderId: 4180284850,
        clientOrderId: "my-order.1_a",
        dealMoney: "49.99",
        dealStock: "0.000833",
        dealFee: "0.04999",
        status: "FILLED",
        stp: "no"
      }
    }
  }
} as const

// The book ended at the taker band.
const stockMarketWire = {
  ...takerWire,
  market: "BTC_USDT",
  side: "sell",
  type: "stock market",
  timestamp: 1700000002,
  amount: "0.5",
  left: "0.1",
  price: "0"
} as const

export const stockMarketOrder = {
  request: { market, side: "sell", amount: Decimal.amount("0.5"), clientOrderId, stp: "cancel_old" },
  response: {
    orderId: Identifiers.OrderId.make("4180284851"),
    clientOrderId,
    market,
    side: "sell",
    type: "stock market",
    timestamp: UnixTime.make(1700000002),
    dealMoney: Decimal.of("24000"),
    dealStock: Decimal.of("0.4"),
    amount: Decimal.of("0.5"),
    left: Decimal.of("0.1"),
    dealFee: Decimal.of("24"),
    postOnly: false,
    ioc: true,
    status: "CANCELED_TAKER_BAND",
    stp: "cancel_old",
    rpi: false,
    reduceOnly: false
  },
  wire: {
    document: {
      request: { market: "BTC_USDT", side: "sell", amount: "0.5", client_order_id: "my-order.1_a", stp: "cancel_old" },
      response: {
        ...stockMarketWire,
        order_id: 4180284851,
        client_order_id: "my-order.1_a",
        deal_money: "24000",
        deal_stock: "0.4",
        deal_fee: "24",
        status: "CANCELED_TAKER_BAND",
        stp: "cancel_old"
      }
    },
    live: {
      request: { market: "BTC_USDT", side: "sell", amount: "0.5", clientOrderId: "my-order.1_a", stp: "co" },
      response: {
        ...stockMarketWire,
        orderId: 4180284851,
        clientOrderId: "my-order.1_a",
        dealMoney: "24000",
        dealStock: "0.4",
        dealFee: "24",
        status: "CANCELED_TAKER_BAND",
        stp: "co"
      }
    }
  }
} as const

// -----------------------------------------------------------------------------
// Orders that trade positions
// -----------------------------------------------------------------------------

const collateralLimitRequest = {
  market: "BTC_USDT",
  side: "sell",
  amount: "2",
  price: "61000",
  postOnly: false,
  ioc: true,
  reduceOnly: true
} as const

const collateralLimitWire = {
  market: "BTC_USDT",
  side: "sell",
  timestamp: 1700000003.25,
  amount: "2",
  left: "2",
  price: "61000",
  postOnly: false,
  ioc: true,
  positionSide: "LONG",
  rpi: false,
  reduceOnly: true
} as const

export const collateralLimitOrder = {
  request: {
    market,
    side: "sell",
    amount: Decimal.amount("2"),
    price: Decimal.price("61000"),
    clientOrderId,
    postOnly: false,
    ioc: true,
    stp: "cancel_both",
    reduceOnly: true
  },
  response: {
    orderId: Identifiers.OrderId.make("4180284852"),
    clientOrderId,
    market,
    side: "sell",
    type: "limit",
    timestamp: UnixTime.make(1700000003.25),
    dealMoney: Decimal.of("0"),
    dealStock: Decimal.of("0"),
    amount: Decimal.of("2"),
    left: Decimal.of("2"),
    dealFee: Decimal.of("0"),
    price: Decimal.of("61000"),
    postOnly: false,
    ioc: true,
    status: "NEW",
    stp: "cancel_both",
    positionSide: "LONG",
    rpi: false,
    reduceOnly: true
  },
  wire: {
    document: {
      request: { ...collateralLimitRequest, client_order_id: "my-order.1_a", stp: "cancel_both" },
      response: {
        ...collateralLimitWire,
        type: "limit",
        order_id: 4180284852,
        client_order_id: "my-order.1_a",
        deal_money: "0",
        deal_stock: "0",
        deal_fee: "0",
        status: "NEW",
        stp: "cancel_both"
      }
    },
    live: {
      request: { ...collateralLimitRequest, clientOrderId: "my-order.1_a", stp: "cb" },
      response: {
        ...collateralLimitWire,
        type: "margin limit",
        orderId: 4180284852,
        clientOrderId: "my-order.1_a",
        dealMoney: "0",
        dealStock: "0",
        dealFee: "0",
        status: "OPEN",
        stp: "cb"
      }
    }
  }
} as const

const collateralMarketRequest = { market: "BTC_USDT", side: "buy", amount: "0.25", reduceOnly: false } as const

const collateralMarketWire = {
  ...takerWire,
  market: "BTC_USDT",
  side: "buy",
  timestamp: 1700000004.125,
  amount: "0.25",
  left: "0",
  price: "0",
  positionSide: "BOTH"
} as const

export const collateralMarketOrder = {
  request: {
    market,
    side: "buy",
    amount: Decimal.amount("0.25"),
    clientOrderId,
    stp: "no",
    reduceOnly: false
  },
  response: {
    orderId: Identifiers.OrderId.make("4180284853"),
    clientOrderId,
    market,
    side: "buy",
    type: "market",
    timestamp: UnixTime.make(1700000004.125),
    dealMoney: Decimal.of("15000"),
    dealStock: Decimal.of("0.25"),
    amount: Decimal.of("0.25"),
    left: Decimal.of("0"),
    dealFee: Decimal.of("15"),
    postOnly: false,
    ioc: true,
    status: "FILLED",
    stp: "no",
    positionSide: "BOTH",
    rpi: false,
    reduceOnly: false
  },
  wire: {
    document: {
      request: { ...collateralMarketRequest, client_order_id: "my-order.1_a", stp: "no" },
      response: {
        ...collateralMarketWire,
        type: "market",
        order_id: 4180284853,
        client_order_id: "my-order.1_a",
        deal_money: "15000",
        deal_stock: "0.25",
        deal_fee: "15",
        status: "FILLED",
        stp: "no"
      }
    },
    live: {
      request: { ...collateralMarketRequest, clientOrderId: "my-order.1_a", stp: "no" },
      response: {
        ...collateralMarketWire,
        type: "margin market",
        orderId: 4180284853,
        clientOrderId: "my-order.1_a",
        dealMoney: "15000",
        dealStock: "0.25",
        dealFee: "15",
        status: "FILLED",
        stp: "no"
      }
    }
  }
} as const

const stopWire = {
  market: "BTC_USDT",
  side: "sell",
  timestamp: 1700000005.5,
  amount: "1",
  left: "1",
  price: "58900",
  postOnly: false,
  ioc: false,
  positionSide: "SHORT",
  rpi: false,
  reduceOnly: false,
  activated: 1,
  activationCondition: "lte",
  activation_price: "59000"
} as const

/** A stop-limit order that trades a position. */
const stopValue = {
  orderId: Identifiers.OrderId.make("4180284854"),
  clientOrderId,
  market,
  side: "sell",
  type: "stop limit",
  timestamp: UnixTime.make(1700000005.5),
  dealMoney: Decimal.of("0"),
  dealStock: Decimal.of("0"),
  amount: Decimal.of("1"),
  left: Decimal.of("1"),
  dealFee: Decimal.of("0"),
  price: Decimal.of("58900"),
  postOnly: false,
  ioc: false,
  stp: "no",
  positionSide: "SHORT",
  rpi: false,
  reduceOnly: false,
  activated: true,
  activationCondition: "lte",
  activationPrice: Decimal.of("59000")
} as const

const stopDocument = {
  ...stopWire,
  type: "stop limit",
  order_id: 4180284854,
  client_order_id: "my-order.1_a",
  deal_money: "0",
  deal_stock: "0",
  deal_fee: "0",
  stp: "no"
} as const

const stopLive = {
  ...stopWire,
  type: "margin stop limit",
  orderId: 4180284854,
  clientOrderId: "my-order.1_a",
  dealMoney: "0",
  dealStock: "0",
  dealFee: "0",
  stp: "no"
} as const

// -----------------------------------------------------------------------------
// One order, open orders, ended orders
// -----------------------------------------------------------------------------

export const cancelOrder = {
  request: { market, orderId: Identifiers.OrderId.make("4180284854") },
  response: { ...stopValue, status: "CANCELED" },
  wire: {
    document: {
      request: { market: "BTC_USDT", order_id: 4180284854 },
      response: { ...stopDocument, status: "CANCELED" }
    },
    live: {
      request: { market: "BTC_USDT", orderId: 4180284854 },
      response: { ...stopLive, status: "CANCELED" }
    }
  }
} as const

const filter = {
  market,
  orderId: Identifiers.OrderId.make("4180284854"),
  clientOrderId,
  limit: Limit.make(2),
  offset: Offset.make(4)
} as const

const filterDocument = {
  market: "BTC_USDT",
  order_id: 4180284854,
  client_order_id: "my-order.1_a",
  limit: 2,
  offset: 4
} as const

const filterLive = {
  market: "BTC_USDT",
  orderId: 4180284854,
  clientOrderId: "my-order.1_a",
  limit: 2,
  offset: 4
} as const

export const activeOrders = {
  request: filter,
  response: [{ ...stopValue, status: "NEW" }, limitValue],
  wire: {
    document: { request: filterDocument, response: [{ ...stopDocument, status: "NEW" }, limitDocument] },
    live: { request: filterLive, response: [{ ...stopLive, status: "OPEN" }, limitLive] }
  }
} as const

const endedLimit = {
  id: 9007199254740993n,
  side: "sell",
  ctime: 1700000006.000001,
  ftime: 1700000007.000002,
  amount: "0.3",
  price: "60000",
  takerFee: "0.001",
  makerFee: "0.0010",
  postOnly: true,
  ioc: false,
  rpi: false,
  reduceOnly: true,
  positionSide: "LONG",
  activationPrice: "60100"
} as const

const endedMarket = {
  id: 4180284856,
  side: "buy",
  type: "market",
  ctime: 1700000008,
  ftime: 1700000008,
  amount: "100",
  price: "0"
} as const

export const orderHistory = {
  request: filter,
  response: [
    {
      market,
      orderId: Identifiers.OrderId.make("9007199254740993"),
      clientOrderId,
      side: "sell",
      type: "stop limit",
      timestamp: UnixTime.make(1700000006.000001),
      ftime: UnixTime.make(1700000007.000002),
      dealMoney: Decimal.of("6000"),
      dealStock: Decimal.of("0.1"),
      dealFee: Decimal.of("6"),
      amount: Decimal.of("0.3"),
      price: Decimal.of("60000"),
      takerFee: Decimal.feeRate("0.001"),
      makerFee: Decimal.feeRate("0.0010"),
      postOnly: true,
      ioc: false,
      status: "CANCELED",
      stp: "cancel_old",
      rpi: false,
      reduceOnly: true,
      positionSide: "LONG",
      activationPrice: Decimal.of("60100")
    },
    {
      market: Identifiers.marketName("ETH_USDT"),
      orderId: Identifiers.OrderId.make("4180284856"),
      side: "buy",
      type: "market",
      timestamp: UnixTime.make(1700000008),
      ftime: UnixTime.make(1700000008),
      dealMoney: Decimal.of("100"),
      dealStock: Decimal.of("0.05"),
      dealFee: Decimal.of("0.1"),
      amount: Decimal.of("100"),
      status: "FILLED",
      stp: "no"
    }
  ],
  wire: {
    document: {
      request: filterDocument,
      response: {
        BTC_USDT: [{
          ...endedLimit,
          type: "stop limit",
          client_order_id: "my-order.1_a",
          deal_money: "6000",
          deal_stock: "0.1",
          deal_fee: "6",
          status: "CANCELED",
          stp: "cancel_old"
        }],
        ETH_USDT: [{
          ...endedMarket,
          client_order_id: "",
          deal_money: "100",
          deal_stock: "0.05",
          deal_fee: "0.1",
          status: "FILLED",
          stp: "no"
        }]
      }
    },
    live: {
      request: filterLive,
      response: {
        BTC_USDT: [{
          ...endedLimit,
          type: "margin stop limit",
          clientOrderId: "my-order.1_a",
          dealMoney: "6000",
          dealStock: "0.1",
          dealFee: "6",
          status: "CANCELED",
          stp: "co"
        }],
        ETH_USDT: [{
          ...endedMarket,
          clientOrderId: "",
          dealMoney: "100",
          dealStock: "0.05",
          dealFee: "0.1",
          status: "FILLED",
          stp: "no"
        }]
      }
    }
  }
} as const

const fillWire = { side: "sell", role: 1, amount: "0.10", price: "60000.0", deal: "6000", fee: "6.00" } as const

export const fills = {
  request: { market, clientOrderId, limit: Limit.make(2), offset: Offset.make(4) },
  response: [
    {
      tradeId: Identifiers.TradeId.make("9007199254740993"),
      orderId: Identifiers.OrderId.make("9007199254740995"),
      clientOrderId,
      timestamp: UnixTime.make(1700000006.000001),
      side: "sell",
      role: "maker",
      amount: Decimal.of("0.10"),
      price: Decimal.of("60000.0"),
      total: Decimal.of("6000"),
      fee: Decimal.of("6.00"),
      feeAsset: Identifiers.ticker("USDT")
    },
    {
      tradeId: Identifiers.TradeId.make("17"),
      orderId: Identifiers.OrderId.make("16"),
      timestamp: UnixTime.make(1700000007),
      side: "buy",
      role: "taker",
      amount: Decimal.of("0.10"),
      price: Decimal.of("60000.0"),
      total: Decimal.of("6000"),
      fee: Decimal.of("6.00")
    }
  ],
  wire: {
    document: {
      request: { market: "BTC_USDT", client_order_id: "my-order.1_a", limit: 2, offset: 4 },
      response: [
        {
          ...fillWire,
          id: 9007199254740993n,
          order_id: 9007199254740995n,
          client_order_id: "my-order.1_a",
          time: 1700000006.000001,
          feeAsset: "USDT"
        },
        { ...fillWire, id: 17, order_id: 16, client_order_id: "", time: 1700000007, side: "buy", role: 2 }
      ]
    },
    live: {
      request: { market: "BTC_USDT", clientOrderId: "my-order.1_a", limit: 2, offset: 4 },
      response: [
        {
          ...fillWire,
          id: 9007199254740993n,
          orderId: 9007199254740995n,
          clientOrderId: "my-order.1_a",
          time: 1700000006.000001,
          feeAsset: "USDT"
        },
        { ...fillWire, id: 17, orderId: 16, clientOrderId: "", time: 1700000007, side: "buy", role: 2 }
      ]
    }
  }
} as const

// -----------------------------------------------------------------------------
// Positions
// -----------------------------------------------------------------------------

const positionsWire = {
  request: { market: "BTC_USDT" },
  response: [
    {
      positionId: 9007199254740993n,
      market: "BTC_USDT",
      openDate: 1700000000.25,
      modifyDate: 1700000009.000001,
      amount: "-0.50",
      basePrice: "60000.1",
      liquidationPrice: "71234.5",
      liquidationState: "margin_call",
      pnl: "-12.5",
      pnlPercent: "-0.04",
      unrealizedPnl: "3",
      margin: "6000.01",
      freeMargin: "1500",
      funding: "0.02",
      unrealizedFunding: "-0.001",
      positionSide: "SHORT"
    },
    {
      positionId: 7,
      market: "BTC_USDT",
      openDate: 1700000010,
      modifyDate: 1700000010,
      amount: "1",
      liquidationPrice: null,
      liquidationState: null,
      pnl: null
    }
  ]
} as const

export const openPositions = {
  request: { market },
  response: [
    {
      positionId: Identifiers.PositionId.make("9007199254740993"),
      market,
      openDate: UnixTime.make(1700000000.25),
      modifyDate: UnixTime.make(1700000009.000001),
      amount: Decimal.of("-0.50"),
      basePrice: Decimal.of("60000.1"),
      liquidationPrice: Decimal.of("71234.5"),
      liquidationState: "margin_call",
      pnl: Decimal.of("-12.5"),
      pnlPercent: Decimal.of("-0.04"),
      unrealizedPnl: Decimal.of("3"),
      margin: Decimal.of("6000.01"),
      freeMargin: Decimal.of("1500"),
      funding: Decimal.of("0.02"),
      unrealizedFunding: Decimal.of("-0.001"),
      positionSide: "SHORT"
    },
    {
      positionId: Identifiers.PositionId.make("7"),
      market,
      openDate: UnixTime.make(1700000010),
      modifyDate: UnixTime.make(1700000010),
      amount: Decimal.of("1"),
      liquidationPrice: null,
      liquidationState: null,
      pnl: null
    }
  ],
  wire: { document: positionsWire, live: positionsWire }
} as const

/**
 * Every endpoint with one request and one answer, in the domain and as each dialect writes them. The bodies are written
 * down by hand: no code of the library takes part in them.
 */
import * as Redacted from "effect/Redacted"
import { Code, Description, Passphrase } from "../../src/domain/Code.ts"
import * as Decimal from "../../src/domain/Decimal.ts"
import * as Identifiers from "../../src/domain/Identifiers.ts"
import { Limit, Offset } from "../../src/domain/Paging.ts"
import { Alias, Email, HexColour, KeyTitle, MaskedEmail } from "../../src/domain/SubAccount.ts"
import { UnixSeconds, UnixTime } from "../../src/domain/Time.ts"
import { Unrecognised } from "../../src/domain/Unrecognised.ts"
import * as ActiveOrders from "../../src/endpoints/ActiveOrders.ts"
import * as Assets from "../../src/endpoints/Assets.ts"
import * as CancelAllOrders from "../../src/endpoints/CancelAllOrders.ts"
import * as CancelOcoOrder from "../../src/endpoints/CancelOcoOrder.ts"
import * as CancelOrder from "../../src/endpoints/CancelOrder.ts"
import * as CodeCreation from "../../src/endpoints/CodeCreation.ts"
import * as Codes from "../../src/endpoints/Codes.ts"
import * as CollateralBalance from "../../src/endpoints/CollateralBalance.ts"
import * as CollateralLimitOrders from "../../src/endpoints/CollateralLimitOrders.ts"
import * as CollateralMarketOrders from "../../src/endpoints/CollateralMarketOrders.ts"
import * as CollateralOcoOrders from "../../src/endpoints/CollateralOcoOrders.ts"
import * as DeleteSubAccount from "../../src/endpoints/DeleteSubAccount.ts"
import * as Fees from "../../src/endpoints/Fees.ts"
import * as Fills from "../../src/endpoints/Fills.ts"
import * as InterestPaymentHistory from "../../src/endpoints/InterestPaymentHistory.ts"
import * as LimitOrders from "../../src/endpoints/LimitOrders.ts"
import * as MainBalance from "../../src/endpoints/MainBalance.ts"
import * as MarketOrders from "../../src/endpoints/MarketOrders.ts"
import * as Markets from "../../src/endpoints/Markets.ts"
import * as OpenPositions from "../../src/endpoints/OpenPositions.ts"
import * as OrderBooks from "../../src/endpoints/OrderBooks.ts"
import * as OrderHistory from "../../src/endpoints/OrderHistory.ts"
import * as PublicTrades from "../../src/endpoints/PublicTrades.ts"
import * as ServerStatus from "../../src/endpoints/ServerStatus.ts"
import * as ServerTime from "../../src/endpoints/ServerTime.ts"
import * as StockMarketOrders from "../../src/endpoints/StockMarketOrders.ts"
import * as StopLimitOrders from "../../src/endpoints/StopLimitOrders.ts"
import * as SubAccountApiKeyCreation from "../../src/endpoints/SubAccountApiKeyCreation.ts"
import * as SubAccountApiKeys from "../../src/endpoints/SubAccountApiKeys.ts"
import * as SubAccountCreation from "../../src/endpoints/SubAccountCreation.ts"
import * as SubAccounts from "../../src/endpoints/SubAccounts.ts"
import * as Tickers from "../../src/endpoints/Tickers.ts"
import * as TradeBalance from "../../src/endpoints/TradeBalance.ts"
import * as TradingFees from "../../src/endpoints/TradingFees.ts"
import * as Transfers from "../../src/endpoints/Transfers.ts"
import * as UnexecutedOcoOrders from "../../src/endpoints/UnexecutedOcoOrders.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import type * as Endpoint from "../../src/protocol/Endpoint.ts"
import * as Trading from "./goldens.trading.ts"

type Wire = { readonly request: Readonly<Record<string, unknown>>; readonly response: unknown }

export interface Golden {
  readonly endpoint: Endpoint.Any
  readonly request: Readonly<Record<string, unknown>>
  readonly response: unknown
  readonly wire: { readonly [K in Dialect.Dialect["name"]]: Wire }
}

const golden = <Q extends object, R, A extends "public" | "private", M extends boolean, T extends Endpoint.RefusalTag>(
  endpoint: Endpoint.Endpoint<Q, R, A, M, T>,
  golden: { readonly request: Q; readonly response: R; readonly wire: Golden["wire"] }
): Golden => ({ endpoint, ...golden, request: Object.fromEntries(Object.entries(golden.request)) })

/** Both dialects write the same. */
const both = (request: Wire["request"], response: Wire["response"]): Golden["wire"] => ({
  document: { request, response },
  live: { request, response }
})

export const dialects: ReadonlyArray<Dialect.Dialect> = [Dialect.document, Dialect.live]

const market = Identifiers.marketName("BTC_USDT")
const clientOrderId = Identifiers.ClientOrderId.make("my-order.1_a")

// -----------------------------------------------------------------------------
// Stop-limit order
// -----------------------------------------------------------------------------

const stopLimitRequest = { market: "BTC_USDT", side: "buy", amount: "0.0010", price: "60000.5", bboRole: 2 } as const

const stopLimitResponse = {
  market: "BTC_USDT",
  side: "buy",
  type: "stop limit",
  timestamp: 1699999999.123456,
  amount: "0.0010",
  left: "0.0010",
  price: "60000.5",
  postOnly: false,
  ioc: false,
  positionSide: "LONG",
  rpi: false,
  reduceOnly: true,
  activated: 0,
  activationCondition: "gte",
  activation_price: "60100"
} as const

const stopLimit = golden(StopLimitOrders.endpoint, {
  request: {
    market,
    side: "buy",
    amount: Decimal.amount("0.0010"),
    price: Decimal.price("60000.5"),
    activationPrice: Decimal.price("60100"),
    clientOrderId,
    bboRole: "counterparty",
    stp: "cancel_both"
  },
  response: {
    // Beyond what a double can count to.
    orderId: Identifiers.OrderId.make("9007199254740993"),
    clientOrderId,
    market,
    side: "buy",
    type: "stop limit",
    timestamp: UnixTime.make(1699999999.123456),
    dealMoney: Decimal.of("0"),
    dealStock: Decimal.of("0.0"),
    amount: Decimal.of("0.0010"),
    left: Decimal.of("0.0010"),
    dealFee: Decimal.of("0"),
    price: Decimal.of("60000.5"),
    postOnly: false,
    ioc: false,
    status: "NEW",
    stp: "cancel_both",
    positionSide: "LONG",
    rpi: false,
    reduceOnly: true,
    activated: false,
    activationCondition: "gte",
    activationPrice: Decimal.of("60100")
  },
  wire: {
    document: {
      request: {
        ...stopLimitRequest,
        activation_price: "60100",
        client_order_id: "my-order.1_a",
        stp: "cancel_both"
      },
      response: {
        ...stopLimitResponse,
        order_id: 9007199254740993n,
        client_order_id: "my-order.1_a",
        deal_money: "0",
        deal_stock: "0.0",
        deal_fee: "0",
        status: "NEW",
        stp: "cancel_both"
      }
    },
    live: {
      request: { ...stopLimitRequest, activation_price: "60100", clientOrderId: "my-order.1_a", stp: "cb" },
      response: {
        ...stopLimitResponse,
        orderId: 9007199254740993n,
        clientOrderId: "my-order.1_a",
        dealMoney: "0",
        dealStock: "0.0",
        dealFee: "0",
        status: "OPEN",
        stp: "cb"
      }
    }
  }
})

// -----------------------------------------------------------------------------
// Collateral OCO order
// -----------------------------------------------------------------------------

const legValue = {
  market,
  side: "sell",
  timestamp: UnixTime.make(1700000000.5),
  dealMoney: Decimal.of("30000.25"),
  dealStock: Decimal.of("0.5"),
  amount: Decimal.of("1"),
  takerFee: Decimal.feeRate("0.001"),
  makerFee: Decimal.feeRate("0"),
  left: Decimal.of("0.5"),
  dealFee: Decimal.of("30.00025"),
  postOnly: false,
  mtime: UnixTime.make(1700000001.000001),
  positionSide: "SHORT"
} as const

const legWire = {
  market: "BTC_USDT",
  side: "sell",
  timestamp: 1700000000.5,
  amount: "1",
  takerFee: "0.001",
  makerFee: "0",
  left: "0.5",
  post_only: false,
  mtime: 1700000001.000001,
  positionSide: "SHORT"
} as const

const trigger = { activation_price: "59000", activation_condition: "lte", activated: 1 } as const
const documentDeals = { deal_money: "30000.25", deal_stock: "0.5", deal_fee: "30.00025" } as const
const liveDeals = { dealMoney: "30000.25", dealStock: "0.5", dealFee: "30.00025" } as const

const ocoRequest = {
  market: "BTC_USDT",
  side: "sell",
  amount: "1",
  price: "65000",
  activation_price: "59000",
  stop_limit_price: "58900.10",
  reduceOnly: true
} as const

/** The pair, and how each dialect writes it. */
const pair = {
  id: Identifiers.OrderId.make("4180284841"),
  reduceOnly: true,
  stopLoss: {
    ...legValue,
    orderId: Identifiers.OrderId.make("4180284842"),
    clientOrderId,
    type: "stop limit",
    price: Decimal.of("58900.10"),
    activationPrice: Decimal.of("59000"),
    activationCondition: "lte",
    activated: true,
    status: "PARTIAL_FILLED",
    stp: "cancel_new"
  },
  takeProfit: {
    ...legValue,
    orderId: Identifiers.OrderId.make("4180284843"),
    type: "limit",
    price: Decimal.of("65000"),
    status: "NEW",
    stp: "cancel_old"
  }
} as const

const pairWire = {
  document: {
    id: 4180284841,
    reduceOnly: true,
    stop_loss: {
      ...legWire,
      ...documentDeals,
      ...trigger,
      order_id: 4180284842,
      client_order_id: "my-order.1_a",
      type: "stop limit",
      price: "58900.10",
      status: "PARTIAL_FILLED",
      stp: "cancel_new"
    },
    take_profit: {
      ...legWire,
      ...documentDeals,
      order_id: 4180284843,
      client_order_id: "",
      type: "limit",
      price: "65000",
      status: "NEW",
      stp: "cancel_old"
    }
  },
  live: {
    id: 4180284841,
    reduceOnly: true,
    stop_loss: {
      ...legWire,
      ...liveDeals,
      ...trigger,
      orderId: 4180284842,
      clientOrderId: "my-order.1_a",
      type: "margin stop limit",
      price: "58900.10",
      status: "PARTIALLY_FILLED",
      stp: "cn"
    },
    take_profit: {
      ...legWire,
      ...liveDeals,
      orderId: 4180284843,
      clientOrderId: "",
      type: "margin limit",
      price: "65000",
      status: "OPEN",
      stp: "co"
    }
  }
} as const

const collateralOco = golden(CollateralOcoOrders.endpoint, {
  request: {
    market,
    side: "sell",
    amount: Decimal.amount("1"),
    price: Decimal.price("65000"),
    activationPrice: Decimal.price("59000"),
    stopLimitPrice: Decimal.price("58900.10"),
    clientOrderId,
    reduceOnly: true
  },
  response: pair,
  wire: {
    document: { request: { ...ocoRequest, client_order_id: "my-order.1_a" }, response: pairWire.document },
    live: { request: { ...ocoRequest, clientOrderId: "my-order.1_a" }, response: pairWire.live }
  }
})

const unexecutedOco = golden(UnexecutedOcoOrders.endpoint, {
  request: { market, limit: Limit.make(10), offset: Offset.make(20) },
  response: [pair],
  wire: {
    document: { request: { market: "BTC_USDT", limit: 10, offset: 20 }, response: [pairWire.document] },
    live: { request: { market: "BTC_USDT", limit: 10, offset: 20 }, response: [pairWire.live] }
  }
})

const cancelOco = golden(CancelOcoOrder.endpoint, {
  request: { market, orderId: Identifiers.OrderId.make("4180284841") },
  response: pair,
  wire: {
    document: { request: { market: "BTC_USDT", order_id: 4180284841 }, response: pairWire.document },
    live: { request: { market: "BTC_USDT", orderId: 4180284841 }, response: pairWire.live }
  }
})

// -----------------------------------------------------------------------------
// Other orders and positions
// -----------------------------------------------------------------------------

const limitOrder = golden(LimitOrders.endpoint, Trading.limitOrder)
const marketOrder = golden(MarketOrders.endpoint, Trading.marketOrder)
const stockMarketOrder = golden(StockMarketOrders.endpoint, Trading.stockMarketOrder)
const collateralLimitOrder = golden(CollateralLimitOrders.endpoint, Trading.collateralLimitOrder)
const collateralMarketOrder = golden(CollateralMarketOrders.endpoint, Trading.collateralMarketOrder)
const cancelOrder = golden(CancelOrder.endpoint, Trading.cancelOrder)
const activeOrders = golden(ActiveOrders.endpoint, Trading.activeOrders)
const orderHistory = golden(OrderHistory.endpoint, Trading.orderHistory)
const fills = golden(Fills.endpoint, Trading.fills)
const openPositions = golden(OpenPositions.endpoint, Trading.openPositions)

// -----------------------------------------------------------------------------
// All others
// -----------------------------------------------------------------------------

const interestPaymentHistory = golden(InterestPaymentHistory.endpoint, {
  request: {
    planId: Identifiers.PlanId.make("plan-7"),
    ticker: Identifiers.ticker("USDT"),
    limit: Limit.make(100),
    offset: Offset.make(0)
  },
  response: {
    offset: Offset.make(0),
    limit: Limit.make(100),
    records: [{
      planId: Identifiers.PlanId.make("plan-7"),
      investmentId: Identifiers.InvestmentId.make("investment-9"),
      amount: Decimal.of("1.050"),
      ticker: Identifiers.ticker("USDT"),
      timestamp: UnixSeconds.make(1646839596)
    }]
  },
  wire: both({ planId: "plan-7", ticker: "USDT", limit: 100, offset: 0 }, {
    offset: 0,
    limit: 100,
    records: [{
      planId: "plan-7",
      investmentId: "investment-9",
      amount: "1.050",
      ticker: "USDT",
      timestamp: 1646839596
    }]
  })
})

const cancelAll = golden(CancelAllOrders.endpoint, {
  request: { market, type: ["spot", "margin", "futures"] },
  response: undefined,
  wire: both({ market: "BTC_USDT", type: ["spot", "margin", "futures"] }, [])
})

const transferWire = {
  minFlex: "1",
  maxFlex: "0",
  percentFlex: "0.50",
  fixed: "2.5",
  minAmount: "10",
  maxAmount: "0"
} as const

const transfer = {
  minFlex: Decimal.of("1"),
  maxFlex: Decimal.of("0"),
  percentFlex: Decimal.of("0.50"),
  fixed: Decimal.of("2.5"),
  minAmount: Decimal.of("10"),
  maxAmount: Decimal.of("0")
}

const fees = golden(Fees.endpoint, {
  request: {},
  response: [{
    ticker: Identifiers.ticker("USDT"),
    name: "Tether US",
    canDeposit: true,
    canWithdraw: false,
    deposit: { ...transfer, fixed: Decimal.of("0") },
    withdraw: transfer
  }],
  wire: both({}, [{
    ticker: "USDT",
    name: "Tether US",
    can_deposit: true,
    can_withdraw: false,
    deposit: { ...transferWire, fixed: "0" },
    withdraw: transferWire
  }])
})

const codes = golden(Codes.endpoint, {
  request: { code: Code.make("8b0e-a1"), passphrase: Passphrase.make("пароль 🙂") },
  response: {
    message: "Code was successfully applied",
    ticker: Identifiers.ticker("BTC"),
    amount: Decimal.of("0.002"),
    externalId: Identifiers.ExternalId.make("ext-1")
  },
  wire: both({ code: "8b0e-a1", passphrase: "пароль 🙂" }, {
    message: "Code was successfully applied",
    ticker: "BTC",
    amount: "0.002",
    external_id: "ext-1"
  })
})

const mainBalance = golden(MainBalance.endpoint, {
  request: {},
  response: new Map([
    [Identifiers.ticker("BTC"), Decimal.of("0.50")],
    [Identifiers.ticker("1INCH"), Decimal.of("-0")],
    // A ticker like any other, also where objects have a property of that name.
    [Identifiers.ticker("constructor"), Decimal.of("1")]
  ]),
  wire: both({}, {
    BTC: { main_balance: "0.50" },
    "1INCH": { main_balance: "-0" },
    constructor: { main_balance: "1" }
  })
})

const ping = golden(ServerStatus.endpoint, { request: {}, response: ["pong"], wire: both({}, ["pong"]) })

const subAccounts = golden(SubAccounts.endpoint, {
  request: { search: "bot", limit: Limit.make(1), offset: Offset.make(10000) },
  response: {
    offset: Offset.make(10000),
    limit: Limit.make(1),
    records: [{
      id: Identifiers.SubAccountId.make("sub-1"),
      alias: "bot",
      userId: Identifiers.UserId.make("user-1"),
      email: MaskedEmail.make("b***@e***.com"),
      status: "active",
      color: HexColour.make("#01AbCd"),
      kyc: { shareKyc: true, kycStatus: "verified" },
      permissions: { spotEnabled: true, collateralEnabled: false }
    }]
  },
  wire: both({ search: "bot", limit: 1, offset: 10000 }, {
    offset: 10000,
    limit: 1,
    data: [{
      id: "sub-1",
      alias: "bot",
      userId: "user-1",
      email: "b***@e***.com",
      status: "active",
      color: "#01AbCd",
      kyc: { shareKyc: true, kycStatus: "verified" },
      permissions: { spotEnabled: true, collateralEnabled: false }
    }]
  })
})

const subAccountApiKeys = golden(SubAccountApiKeys.endpoint, {
  request: { subAccountId: Identifiers.SubAccountId.make("sub-1"), limit: Limit.make(30), offset: Offset.make(60) },
  response: {
    limit: Limit.make(30),
    offset: Offset.make(60),
    records: [{
      subAccountId: Identifiers.SubAccountId.make("sub-1"),
      id: Identifiers.ApiKeyId.make("key-1"),
      title: "reader",
      isEnabled: true,
      apiKey: Identifiers.ApiKey.make("0123abcd"),
      apiSecret: "",
      type: "1",
      lastActivity: UnixSeconds.make(1700000000),
      restrictAccess: true,
      accessEndpoints: [{ name: "/api/v4/main-account/balance", title: "Main balance" }]
    }]
  },
  wire: both({ subAccountId: "sub-1", limit: 30, offset: 60 }, {
    limit: 30,
    offset: 60,
    data: [{
      subAccountId: "sub-1",
      id: "key-1",
      title: "reader",
      isEnabled: true,
      apiKey: "0123abcd",
      apiSecret: "",
      type: "1",
      lastActivity: 1700000000,
      restrictAccess: true,
      accessEndpoints: [{ name: "/api/v4/main-account/balance", title: "Main balance" }]
    }]
  })
})

const deleteSubAccount = golden(DeleteSubAccount.endpoint, {
  request: { id: Identifiers.SubAccountId.make("sub-1") },
  response: undefined,
  wire: both({ id: "sub-1" }, {})
})

const markets = golden(Markets.endpoint, {
  request: {},
  response: [{
    name: market,
    stock: Identifiers.ticker("BTC"),
    money: Identifiers.ticker("USDT"),
    stockPrecision: 6,
    moneyPrecision: 0,
    feePrecision: 10,
    makerFee: Decimal.of("0.1"),
    takerFee: Decimal.of("0.10"),
    minAmount: Decimal.of("0.00001"),
    minTotal: Decimal.of("5"),
    maxTotal: Decimal.of("0"),
    tradesEnabled: true,
    isCollateral: false,
    type: Unrecognised.make("options")
  }],
  wire: both({}, [{
    name: "BTC_USDT",
    stock: "BTC",
    money: "USDT",
    stockPrec: "6",
    moneyPrec: "0",
    feePrec: "10",
    makerFee: "0.1",
    takerFee: "0.10",
    minAmount: "0.00001",
    minTotal: "5",
    maxTotal: "0",
    tradesEnabled: true,
    isCollateral: false,
    type: "options"
  }])
})

// -----------------------------------------------------------------------------
// All others that the document does not describe
// -----------------------------------------------------------------------------

const tradeBalance = golden(TradeBalance.endpoint, {
  request: {},
  response: new Map([
    [Identifiers.ticker("BTC"), { available: Decimal.of("0.50"), freeze: Decimal.of("0") }],
    [Identifiers.ticker("constructor"), { available: Decimal.of("1"), freeze: Decimal.of("2") }]
  ]),
  wire: both({}, { BTC: { available: "0.50", freeze: "0" }, constructor: { available: "1", freeze: "2" } })
})

const collateralBalance = golden(CollateralBalance.endpoint, {
  request: {},
  response: new Map([
    [Identifiers.ticker("BTC"), Decimal.of("-0.10")],
    [Identifiers.ticker("constructor"), Decimal.of("1")]
  ]),
  wire: both({}, { BTC: "-0.10", constructor: "1" })
})

const transfers = golden(Transfers.endpoint, {
  request: {
    ticker: Identifiers.ticker("USDT"),
    amount: Decimal.amount("10.50"),
    from: "main" as const,
    to: "collateral" as const
  },
  response: undefined,
  wire: both({ ticker: "USDT", amount: "10.50", from: "main", to: "collateral" }, [])
})

const codeCreation = golden(CodeCreation.endpoint, {
  request: {
    ticker: Identifiers.ticker("BTC"),
    amount: Decimal.amount("0.002"),
    passphrase: Passphrase.make("пароль 🙂"),
    description: Description.make("for a friend")
  },
  response: {
    code: Code.make("8b0e-a1"),
    message: "Code was successfully created",
    externalId: Identifiers.ExternalId.make("ext-2")
  },
  wire: both({ ticker: "BTC", amount: "0.002", passphrase: "пароль 🙂", description: "for a friend" }, {
    code: "8b0e-a1",
    message: "Code was successfully created",
    external_id: "ext-2"
  })
})

const subAccountCreation = golden(SubAccountCreation.endpoint, {
  request: {
    alias: Alias.make("bot"),
    email: Email.make("email@google.com"),
    shareKyc: false,
    permissions: { spotEnabled: true, collateralEnabled: false }
  },
  response: {
    id: Identifiers.SubAccountId.make("sub-2"),
    alias: "bot",
    userId: Identifiers.UserId.make("user-2"),
    email: MaskedEmail.make("e***@g***m"),
    status: Unrecognised.make("pending"),
    color: HexColour.make("#abc"),
    kyc: { shareKyc: false, kycStatus: "" },
    permissions: { spotEnabled: true, collateralEnabled: false }
  },
  wire: both({
    alias: "bot",
    email: "email@google.com",
    shareKyc: false,
    permissions: { spotEnabled: true, collateralEnabled: false }
  }, {
    id: "sub-2",
    alias: "bot",
    userId: "user-2",
    email: "e***@g***m",
    status: "pending",
    color: "#abc",
    kyc: { shareKyc: false, kycStatus: "" },
    permissions: { spotEnabled: true, collateralEnabled: false }
  })
})

const subAccountApiKeyCreation = golden(SubAccountApiKeyCreation.endpoint, {
  request: { subAccountId: Identifiers.SubAccountId.make("sub-2"), title: KeyTitle.make("trader"), type: 2 as const },
  response: {
    subAccountId: Identifiers.SubAccountId.make("sub-2"),
    id: Identifiers.ApiKeyId.make("key-2"),
    title: "trader",
    isEnabled: true,
    apiKey: Identifiers.ApiKey.make("4567cdef"),
    apiSecret: Redacted.make("89abcdef"),
    type: "2",
    lastActivity: UnixSeconds.make(0),
    restrictAccess: false,
    accessEndpoints: [{ name: "/api/v4/order/new", title: "Limit order" }]
  },
  wire: both({ subAccountId: "sub-2", title: "trader", type: 2 }, {
    subAccountId: "sub-2",
    id: "key-2",
    title: "trader",
    isEnabled: true,
    apiKey: "4567cdef",
    apiSecret: "89abcdef",
    type: 2,
    lastActivity: 0,
    restrictAccess: false,
    accessEndpoints: [{ name: "/api/v4/order/new", title: "Limit order" }]
  })
})

const tickers = golden(Tickers.endpoint, {
  request: {},
  response: new Map([[market, {
    baseId: 1,
    quoteId: 825,
    lastPrice: Decimal.of("60000.10"),
    quoteVolume: Decimal.of("1234567.8"),
    baseVolume: Decimal.of("20.5"),
    isFrozen: false,
    change: Decimal.of("-1.25")
  }]]),
  wire: both({}, {
    BTC_USDT: {
      base_id: 1,
      quote_id: 825,
      last_price: "60000.10",
      quote_volume: "1234567.8",
      base_volume: "20.5",
      isFrozen: false,
      change: "-1.25"
    }
  })
})

const orderBooks = golden(OrderBooks.endpoint, {
  request: { market, limit: 2 },
  response: {
    market,
    timestamp: UnixSeconds.make(1700000000),
    asks: [
      { price: Decimal.of("60001"), amount: Decimal.of("0.5") },
      { price: Decimal.of("60002.50"), amount: Decimal.of("1") }
    ],
    bids: [{ price: Decimal.of("60000"), amount: Decimal.of("2.10") }]
  },
  // Queries are texts.
  wire: both({ market: "BTC_USDT", limit: "2" }, {
    ticker_id: "BTC_USDT",
    timestamp: 1700000000,
    asks: [["60001", "0.5"], ["60002.50", "1"]],
    bids: [["60000", "2.10"]]
  })
})

const publicTrades = golden(PublicTrades.endpoint, {
  request: { market, side: "sell" },
  response: [{
    tradeId: Identifiers.TradeId.make("9007199254740993"),
    price: Decimal.of("60000"),
    amount: Decimal.of("0.50"),
    total: Decimal.of("30000.00"),
    timestamp: UnixSeconds.make(1700000000),
    side: "sell",
    rpi: false
  }],
  wire: both({ market: "BTC_USDT", type: "sell" }, [{
    tradeID: 9007199254740993n,
    price: "60000",
    quote_volume: "0.50",
    base_volume: "30000.00",
    trade_timestamp: 1700000000,
    type: "sell",
    rpi: false
  }])
})

const assets = golden(Assets.endpoint, {
  request: {},
  response: new Map([[Identifiers.ticker("1INCH"), {
    name: "1inch",
    unifiedCryptoassetId: 8104,
    canWithdraw: true,
    canDeposit: false,
    minWithdraw: Decimal.of("42"),
    maxWithdraw: Decimal.of("0"),
    makerFee: Decimal.of("0.1"),
    takerFee: Decimal.of("0.10"),
    minDeposit: Decimal.of("20"),
    maxDeposit: Decimal.of("0.0"),
    currencyPrecision: 18,
    isMemo: false
  }]]),
  wire: both({}, {
    "1INCH": {
      name: "1inch",
      unified_cryptoasset_id: 8104,
      can_withdraw: true,
      can_deposit: false,
      min_withdraw: "42",
      max_withdraw: "0",
      maker_fee: "0.1",
      taker_fee: "0.10",
      min_deposit: "20",
      max_deposit: "0.0",
      currency_precision: 18,
      is_memo: false
    }
  })
})

const serverTime = golden(ServerTime.endpoint, {
  request: {},
  response: { time: UnixSeconds.make(1700000000) },
  wire: both({}, { time: 1700000000 })
})

const tradingFees = golden(TradingFees.endpoint, {
  request: {},
  response: {
    error: null,
    maker: Decimal.of("0.1"),
    taker: Decimal.of("0.10"),
    futuresMaker: Decimal.of("0.01"),
    futuresTaker: Decimal.of("0.035"),
    rpiMakerPremium: Decimal.of("0.015"),
    futuresRpiMakerPremium: null,
    customFees: new Map([[Identifiers.marketName("BTC_PERP"), {
      maker: Decimal.of("0"),
      taker: Decimal.of("0.055")
    }]])
  },
  wire: both({}, {
    error: null,
    maker: "0.1",
    taker: "0.10",
    futures_maker: "0.01",
    futures_taker: "0.035",
    rpi_maker_fee_premium: "0.015",
    futures_rpi_maker_fee_premium: null,
    custom_fee: { BTC_PERP: { maker: "0", taker: "0.055" } }
  })
})

/** All endpoints: those of the document in its order, then the markets, which it refers to, and those beyond it. */
export const goldens: ReadonlyArray<Golden> = [
  interestPaymentHistory,
  collateralOco,
  stopLimit,
  cancelAll,
  fees,
  codes,
  mainBalance,
  ping,
  subAccounts,
  subAccountApiKeys,
  deleteSubAccount,
  markets,
  limitOrder,
  marketOrder,
  stockMarketOrder,
  collateralLimitOrder,
  collateralMarketOrder,
  cancelOrder,
  activeOrders,
  orderHistory,
  fills,
  unexecutedOco,
  cancelOco,
  tradeBalance,
  collateralBalance,
  openPositions,
  transfers,
  codeCreation,
  subAccountCreation,
  subAccountApiKeyCreation,
  tickers,
  orderBooks,
  publicTrades,
  assets,
  serverTime,
  tradingFees
]

export const byName = {
  stopLimit,
  collateralOco,
  limitOrder,
  collateralLimitOrder,
  cancelOrder,
  orderHistory,
  fills,
  collateralBalance,
  transfers,
  subAccountCreation,
  subAccountApiKeyCreation,
  orderBooks
}

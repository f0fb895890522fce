/** Wrong values and wrong effects in the live exchange's calls about orders and fills. */
import * as ActiveOrders from "../../../src/endpoints/ActiveOrders.ts"
import * as BulkLimitOrders from "../../../src/endpoints/BulkLimitOrders.ts"
import * as CancelAllOrders from "../../../src/endpoints/CancelAllOrders.ts"
import * as CancelBulkOrders from "../../../src/endpoints/CancelBulkOrders.ts"
import * as CancelOcoOrder from "../../../src/endpoints/CancelOcoOrder.ts"
import * as CancelOrder from "../../../src/endpoints/CancelOrder.ts"
import * as CollateralBulkLimitOrders from "../../../src/endpoints/CollateralBulkLimitOrders.ts"
import * as CollateralLimitOrders from "../../../src/endpoints/CollateralLimitOrders.ts"
import * as CollateralMarketOrders from "../../../src/endpoints/CollateralMarketOrders.ts"
import * as CollateralStopLimitOrders from "../../../src/endpoints/CollateralStopLimitOrders.ts"
import * as CollateralTriggerMarketOrders from "../../../src/endpoints/CollateralTriggerMarketOrders.ts"
import * as ConditionalOrders from "../../../src/endpoints/ConditionalOrders.ts"
import * as Fills from "../../../src/endpoints/Fills.ts"
import * as InterestPaymentHistory from "../../../src/endpoints/InterestPaymentHistory.ts"
import * as KillSwitch from "../../../src/endpoints/KillSwitch.ts"
import * as KillSwitchStatus from "../../../src/endpoints/KillSwitchStatus.ts"
import * as LimitOrders from "../../../src/endpoints/LimitOrders.ts"
import * as MarketOrders from "../../../src/endpoints/MarketOrders.ts"
import * as ModifyOrder from "../../../src/endpoints/ModifyOrder.ts"
import * as OrderDeals from "../../../src/endpoints/OrderDeals.ts"
import * as OrderHistory from "../../../src/endpoints/OrderHistory.ts"
import * as StockMarketOrders from "../../../src/endpoints/StockMarketOrders.ts"
import * as StopLimitOrders from "../../../src/endpoints/StopLimitOrders.ts"
import * as StopMarketOrders from "../../../src/endpoints/StopMarketOrders.ts"
import * as TradeBalance from "../../../src/endpoints/TradeBalance.ts"
import * as UnexecutedOcoOrders from "../../../src/endpoints/UnexecutedOcoOrders.ts"
import * as Json from "../../../src/protocol/Json.ts"
import {
  answering,
  asking,
  calling,
  changedAt,
  changing,
  type Fields,
  jsonOf,
  type Mutant,
  mutant,
  type Place,
  unnamed,
  withBody,
  without,
  withStatus
} from "./Mutant.ts"

const active = ActiveOrders.endpoint.path
const cancel = CancelOrder.endpoint.path
const deals = OrderDeals.endpoint.path
const executed = Fills.endpoint.path
const history = OrderHistory.endpoint.path
const killSwitch = KillSwitch.endpoint.path
const modify = ModifyOrder.endpoint.path
const ocoOrders = UnexecutedOcoOrders.endpoint.path
const cancelOco = CancelOcoOrder.endpoint.path
const conditional = ConditionalOrders.endpoint.path
const balance = TradeBalance.endpoint.path
const limit = LimitOrders.endpoint.path
const collateralLimit = CollateralLimitOrders.endpoint.path

// -----------------------------------------------------------------------------
// Wrong values: each field of each response once
// -----------------------------------------------------------------------------

const opposites: Readonly<Record<string, string>> = {
  buy: "sell",
  sell: "buy",
  gte: "lte",
  lte: "gte",
  ">=": "<=",
  "<=": ">=",
  BTC: "USDT",
  USDT: "BTC"
}

/** Replaces a value with a different one of the same type. */
const twisted = (value: unknown): unknown => {
  if (typeof value === "boolean") return !value
  if (typeof value === "number") return value + 100
  if (typeof value !== "string") return value
  return /^[0-9.]+$/u.test(value) ? String(Number(value) * 2 || 1) : opposites[value] ?? `${value}x`
}

/** A response with orders or fills, and the rule that must detect an invalid value in each of its fields. */
interface View {
  readonly id: string
  readonly path: string
  readonly place: Place
  readonly rule: string
  readonly keys: ReadonlyArray<string>
}

const fills = ["dealMoney", "dealStock", "left", "status"]
const terms = [
  "market",
  "side",
  "type",
  "amount",
  "price",
  "clientOrderId",
  "stp",
  "postOnly",
  "ioc",
  "rpi",
  "reduceOnly"
]
const order = [...terms, ...fills, "dealFee"]
const stop = ["activated", "activationCondition", "activation_price"]
const fill = ["id", "time", "role", "price", "amount", "deal", "fee", "feeAsset", "clientOrderId"]
const leg = [
  ...fills,
  "orderId",
  "market",
  "side",
  "type",
  "amount",
  "price",
  "stp",
  "reduceOnly",
  "timestamp",
  "mtime"
]

/** The fields of an order in the order history. */
const past = ["id", "ctime", "ftime", ...order.filter((key) => !["market", "stp", "left"].includes(key))]

const placed = (id: string, path: string, keys: ReadonlyArray<string>, place: Place = []): View => ({
  id,
  path,
  place,
  rule: "order-answers.placed",
  keys
})

const market = (id: string, path: string): View => ({
  id,
  path,
  place: [],
  rule: "market-orders.answer",
  keys: ["market", "side", "type", "amount", "clientOrderId", "timestamp", ...fills]
})

const views: ReadonlyArray<View> = [
  placed("limit-answer", limit, [...order, "timestamp"]),
  placed("collateral-limit-answer", collateralLimit, ["type", "stp", "postOnly", "left"]),
  placed("stop-limit-answer", StopLimitOrders.endpoint.path, ["clientOrderId", "stp", ...stop]),
  placed("stop-market-answer", StopMarketOrders.endpoint.path, ["clientOrderId", "stp", ...stop]),
  placed("collateral-stop-limit-answer", CollateralStopLimitOrders.endpoint.path, ["clientOrderId", "stp", ...stop]),
  placed("trigger-market-answer", CollateralTriggerMarketOrders.endpoint.path, ["clientOrderId", "stp", ...stop]),
  placed("bulk-answer", BulkLimitOrders.endpoint.path, ["amount", "postOnly", "stp", "left"], ["*", "result"]),
  placed("collateral-bulk-answer", CollateralBulkLimitOrders.endpoint.path, ["amount", "stp"], ["*", "result"]),
  {
    id: "active",
    path: active,
    place: ["*"],
    rule: "order-answers.listed",
    keys: [...order, ...stop, "orderId", "timestamp", "positionSide"]
  },
  { id: "active-part", path: active, place: ["*"], rule: "fills.rest", keys: fills },
  { id: "active-part-fee", path: active, place: ["*"], rule: "fills.agree.fees", keys: ["dealFee", "feeAsset"] },
  {
    id: "cancel",
    path: cancel,
    place: [],
    rule: "order-answers.canceled",
    keys: [...order, ...stop, "orderId", "timestamp", "positionSide"]
  },
  { id: "cancel-part", path: cancel, place: [], rule: "order-answers.partly", keys: fills },
  {
    id: "history",
    path: history,
    place: ["*", "*"],
    rule: "order-answers.ended",
    keys: [...past, "activationPrice", "activationCondition", "positionSide"]
  },
  {
    id: "history-filled",
    path: history,
    place: ["*", "*"],
    rule: "fills.history",
    keys: ["dealMoney", "dealStock", "status"]
  },
  {
    id: "history-filled-fee",
    path: history,
    place: ["*", "*"],
    rule: "fills.agree.fees",
    keys: ["dealFee", "feeAsset"]
  },
  {
    id: "history-part",
    path: history,
    place: ["*", "*"],
    rule: "order-answers.partly",
    keys: ["dealMoney", "dealStock", "dealFee"]
  },
  {
    id: "history-market",
    path: history,
    place: ["*", "*"],
    rule: "market-orders.history",
    keys: ["type", "price", "dealFee"]
  },
  {
    id: "deals",
    path: deals,
    place: ["records", "*"],
    rule: "fills.deals",
    keys: [...fill.filter((key) => key !== "id" && key !== "fee" && key !== "feeAsset"), "rpi"]
  },
  { id: "deals-agree", path: deals, place: ["records", "*"], rule: "fills.agree.lists", keys: fill },
  {
    id: "deals-market",
    path: deals,
    place: ["records", "*"],
    rule: "market-orders.fills",
    keys: ["price", "deal", "role"]
  },
  {
    id: "fills-grouped",
    path: executed,
    place: ["*", "*"],
    rule: "fills.executed",
    keys: ["side", "orderId", "role", "price", "amount", "deal", "clientOrderId", "time"]
  },
  { id: "fills-flat", path: executed, place: ["*"], rule: "fills.agree.lists", keys: fill },
  { id: "fills-flat-own", path: executed, place: ["*"], rule: "fills.executed", keys: ["side", "orderId"] },
  {
    id: "fills-grouped-agree",
    path: executed,
    place: ["*", "*"],
    rule: "fills.agree.lists",
    keys: ["id", "fee", "feeAsset"]
  },
  { id: "history-rate", path: history, place: ["*", "*"], rule: "fills.fee", keys: ["takerFee", "makerFee"] },
  {
    id: "market-fee",
    path: CollateralMarketOrders.endpoint.path,
    place: [],
    rule: "market-orders.fills",
    keys: ["dealFee", "feeAsset"]
  },
  {
    id: "market-oto",
    path: CollateralMarketOrders.endpoint.path,
    place: ["oto"],
    rule: "oto.placed",
    keys: ["takeProfit", "stopLoss"]
  },
  { id: "limit-oto", path: collateralLimit, place: ["oto"], rule: "oto.placed", keys: ["takeProfit", "stopLoss"] },
  {
    id: "bulk-error",
    path: BulkLimitOrders.endpoint.path,
    place: ["*", "error"],
    rule: "live-bulk.errors",
    keys: ["code"]
  },
  {
    id: "cancel-bulk-error",
    path: CancelBulkOrders.endpoint.path,
    place: ["*", "error"],
    rule: "live-bulk.not-there",
    keys: ["code"]
  },
  {
    id: "modify-stop",
    path: modify,
    place: [],
    rule: "live-changes.terms",
    keys: ["activated", "activation_price", "activationCondition"]
  },
  { id: "limit-ioc", path: limit, place: [], rule: "order-answers.ioc", keys: ["ioc", "dealStock", "left"] },
  {
    id: "history-ioc",
    path: history,
    place: ["*", "*"],
    rule: "order-answers.ioc",
    keys: ["ioc", "dealMoney", "status"]
  },
  { id: "limit-taker", path: limit, place: [], rule: "fills.answer", keys: fills },
  { id: "limit-taker-fee", path: limit, place: [], rule: "fills.agree.fees", keys: ["dealFee", "feeAsset"] },
  market("market", MarketOrders.endpoint.path),
  market("stock-market", StockMarketOrders.endpoint.path),
  market("collateral-market", CollateralMarketOrders.endpoint.path),
  {
    id: "modify",
    path: modify,
    place: [],
    rule: "live-changes.terms",
    keys: [...order.filter((key) => key !== "stp"), "timestamp"]
  },
  {
    id: "modify-part",
    path: modify,
    place: [],
    rule: "live-changes.part",
    keys: ["left", "postOnly", "clientOrderId"]
  },
  ...["stop_loss", "take_profit"].flatMap((key): ReadonlyArray<View> => [
    {
      id: `oco-orders-${key}`,
      path: ocoOrders,
      place: ["*", key],
      rule: "oco-orders.listed",
      keys: [...leg, "clientOrderId", "post_only", "positionSide"]
    },
    {
      id: `oco-cancel-${key}`,
      path: cancelOco,
      place: [key],
      rule: "oco-orders.canceled",
      keys: [...leg, "clientOrderId", "post_only"]
    }
  ]),
  ...["stopLoss", "takeProfit"].map((key): View => ({
    id: `conditional-${key}`,
    path: conditional,
    place: ["records", "*", key],
    rule: "oco-orders.listed",
    keys: [...leg, "clientOrderId", "postOnly"]
  })),
  { id: "oco-orders", path: ocoOrders, place: ["*"], rule: "oco-orders.listed", keys: ["id", "reduceOnly"] },
  { id: "oco-cancel", path: cancelOco, place: [], rule: "oco-orders.canceled", keys: ["id", "reduceOnly"] },
  {
    id: "oco-orders-stop",
    path: ocoOrders,
    place: ["*", "stop_loss"],
    rule: "oco-orders.listed",
    keys: ["activated", "activation_price", "activation_condition"]
  },
  {
    id: "conditional-stop",
    path: conditional,
    place: ["records", "*", "stopLoss"],
    rule: "oco-orders.listed",
    keys: ["activated", "activationPrice", "activationCondition"]
  },
  {
    id: "oto-order",
    path: conditional,
    place: ["records", "*", "conditionalOrder"],
    rule: "oto.order",
    keys: [...order, "orderId", "timestamp"]
  },
  {
    id: "oto-record",
    path: conditional,
    place: ["records", "*"],
    rule: "oto.order",
    keys: ["stopLossPrice", "takeProfitPrice"]
  },
  {
    id: "kill-switch-status",
    path: KillSwitchStatus.endpoint.path,
    place: ["*"],
    rule: "kill-switch.status",
    keys: ["market", "startTime", "cancellationTime", "types"]
  },
  { id: "trade-balance", path: balance, place: ["*"], rule: "fills.funds", keys: ["available", "freeze"] },
  { id: "trade-balance-market", path: balance, place: ["*"], rule: "market-orders.funds", keys: ["available"] }
]

/** The rules that find the same faults on a real account, where there may be other orders. */
const ownRules: Readonly<Record<string, string>> = {
  "oco-orders.listed": "oco-orders.new",
  "oco-orders.canceled": "oco-orders.own.canceled"
}

/** The rules that find a wrong value of a field. Only orders on a futures market show their position side. */
const rulesFor = (rule: string, key: string): ReadonlyArray<string> => {
  const own = key === "positionSide" ? undefined : ownRules[rule]
  return own === undefined ? [rule] : [rule, own]
}

/** Mutants with an invalid value in one field of a response. A field that is a list loses its first element. */
const valueMutants: ReadonlyArray<Mutant> = views.flatMap(({ id, keys, path, place, rule }) =>
  keys.map((key) =>
    mutant(`value-${id}-${key}`, `${path} shows a wrong ${key} at ${place.join(".") || "the top"}`, {
      breaks: rulesFor(rule, key),
      ...changing(path, [...place, key], (value) => Array.isArray(value) ? value.slice(1) : twisted(value))
    })
  )
)

// -----------------------------------------------------------------------------
// Wrong effects
// -----------------------------------------------------------------------------

/** Removes fields from requests to a path, so that they have no effect. */
const ignoring = (path: string, ...keys: ReadonlyArray<string>) => asking(path, (fields) => without(fields, ...keys))

/** Responds to a call with the account's first open order, marked as canceled, and does nothing. */
const pretending = (path: string): Pick<Mutant, "make"> => ({
  make: () => ({
    ...calling(path, active).make?.(),
    answer: (answer, request) => {
      const [first] = request.path === path ? [jsonOf(answer)].flat() : []
      return Json.isObject(first) ? withBody(answer, { ...first, status: "CANCELED" }) : answer
    }
  })
})

/** Shows every account the first response with records that any account got to a call. */
const sharing = (path: string, isFull: (json: unknown) => boolean): Pick<Mutant, "make"> => ({
  make: () => {
    let first: unknown
    return {
      answer: (answer, request) => {
        if (request.path !== path || answer.status !== 200) return answer
        const json = jsonOf(answer)
        if (first === undefined && isFull(json)) first = json
        return first === undefined ? answer : withBody(answer, first)
      }
    }
  }
})

const isFull = (json: unknown): boolean =>
  Array.isArray(json) ? json.length > 0 : Json.isObject(json) && Object.values(json).flat().some(Json.isObject)

/** Turns a call's refusal into a success. */
const accepting = (path: string | ((path: string) => boolean)): Pick<Mutant, "make"> => ({
  make: () => ({
    answer: (answer, request) =>
      (typeof path === "string" ? request.path === path : path(request.path)) && answer.status >= 400
        ? withBody({ ...answer, status: 200 }, [])
        : answer
  })
})

const isMarketCall = (path: string): boolean =>
  [MarketOrders, StockMarketOrders, CollateralMarketOrders].some(({ endpoint }) => endpoint.path === path)

/** Reverses the lists in a response. */
const reversed = (path: string): Pick<Mutant, "make"> =>
  answering(path, "success", (json) =>
    Array.isArray(json)
      ? json.toReversed()
      : Object.fromEntries(
        Object.entries(json as Fields).map(([key, list]) => [key, Array.isArray(list) ? list.toReversed() : list])
      ))

const effectMutants: ReadonlyArray<Mutant> = [
  mutant("cancel-nothing", "an order is shown as canceled but stays open", {
    breaks: ["order-answers.canceled", "order-answers.ended", "order-answers.funds", "order-answers.partly"],
    ...pretending(cancel)
  }),
  ...[active, cancel, history].map((path) =>
    mutant(`no-client-order-id${path}`, "an order without client order id omits the field", {
      breaks: [
        path === active
          ? "order-answers.listed"
          : path === cancel
          ? "order-answers.canceled"
          : "order-answers.ended"
      ],
      ...changing(
        path,
        [...(path === active ? ["*"] : path === history ? ["*", "*"] : []), "clientOrderId"],
        (id) => id === "" ? undefined : id
      )
    })
  ),
  mutant("cancel-on-any-market", "a client order id cancels the order on another market", {
    breaks: ["order-answers.cancel.market"],
    ...asking(cancel, (fields) => fields["clientOrderId"] === undefined ? fields : { ...fields, market: "BTC_PERP" })
  }),
  mutant("cancel-unknown-422", "canceling an order that is not open returns HTTP 422", {
    breaks: ["order-answers.cancel.unknown"],
    ...withStatus(422, ({ status }, { path }) => path === cancel && status === 400)
  }),
  mutant("cancel-first-id", "the order id takes precedence if there are two ids", {
    breaks: ["order-answers.cancel.refusal"],
    ...asking(cancel, (fields) => fields["orderId"] === undefined ? fields : without(fields, "clientOrderId"))
  }),
  mutant("limit-refusal-unnamed", "the refusal of a limit order does not name its price", {
    breaks: ["order-answers.refusal"],
    ...unnamed(limit, "price")
  }),
  mutant("collateral-limit-refusal-400", "the refusal of a margin order has HTTP 400", {
    breaks: ["order-answers.refusal"],
    ...withStatus(400, ({ status }, { path }) => path === collateralLimit && status === 422)
  }),
  mutant("limit-without-funds", "an order without funds is accepted", {
    breaks: ["order-answers.no-funds"],
    ...accepting(limit)
  }),
  mutant("frozen-available", "the available balance includes the funds locked in orders", {
    breaks: ["order-answers.funds"],
    ...changing(balance, ["*"], (funds) => {
      const { available, freeze } = funds as Fields
      return { available: String(Number(available) + Number(freeze)), freeze }
    })
  }),
  mutant("active-again", "the list of open orders shows an order twice, with two ids", {
    breaks: ["order-answers.listed", "live-changes.terms", "live-changes.part", "live-changes.part.amount"],
    ...answering(active, "success", (json) => {
      const orders = json as ReadonlyArray<Fields>
      return [...orders, ...orders.slice(0, 1).map((order) => ({ ...order, orderId: Number(order["orderId"]) + 1e6 }))]
    })
  })
]

const listMutants: ReadonlyArray<Mutant> = [
  ...[active, history, executed].flatMap((path): ReadonlyArray<Mutant> => [
    mutant(`market-ignored${path}`, "a list filtered by market shows all markets", {
      breaks: ["order-lists.market"],
      ...ignoring(path, "market")
    }),
    mutant(`offset-ignored${path}`, "every page is the first page", {
      breaks: ["order-lists.pages"],
      ...ignoring(path, "offset")
    }),
    mutant(`limit-ignored${path}`, "the limit of a page is ignored", {
      breaks: ["order-lists.pages"],
      ...ignoring(path, "limit")
    }),
    mutant(`of-everybody${path}`, "every account sees the same list", {
      breaks: ["order-lists.isolation"],
      ...sharing(path, isFull)
    }),
    mutant(`refusal-unnamed${path}`, "a refusal does not name the field", {
      breaks: ["order-lists.refusal"],
      ...unnamed(path, "limit", "offset")
    })
  ]),
  ...[history, executed].flatMap((path): ReadonlyArray<Mutant> => [
    mutant(`oldest-first${path}`, "a history is in reverse order", {
      breaks: ["order-lists.newest-first"],
      ...reversed(path)
    }),
    mutant(`start-ignored${path}`, "startDate has no effect", {
      breaks: ["order-lists.dates"],
      ...ignoring(path, "startDate")
    }),
    mutant(`end-ignored${path}`, "endDate has no effect", {
      breaks: ["order-lists.dates"],
      ...ignoring(path, "endDate")
    }),
    mutant(`unknown-unnamed${path}`, "the refusal of an unknown client order id does not name the field", {
      breaks: ["order-lists.unknown-id"],
      ...unnamed(path, "orderHistory")
    })
  ]),
  mutant("fills-short-totals", "the totals of fills are cut to two decimal places", {
    breaks: ["fills.executed"],
    ...answering(
      executed,
      "success",
      (json) =>
        changedAt(
          json,
          Array.isArray(json) ? ["*", "deal"] : ["*", "*", "deal"],
          (total) => String(Math.floor(Number(total) * 100) / 100)
        )
    )
  }),
  mutant("fills-oldest-first", "fills are listed in reverse order", {
    breaks: ["fills.executed"],
    ...reversed(executed)
  }),
  ...[active, history].map((path) =>
    mutant(`ids-ignored${path}`, "a list is not filtered by ids", {
      breaks: [path === active ? "order-answers.listed" : "order-answers.ended"],
      ...ignoring(path, "orderId", "clientOrderId")
    })
  ),
  mutant("history-status-ignored", "order history is not filtered by status", {
    breaks: ["order-lists.status"],
    ...ignoring(history, "status")
  })
]

const tradeMutants: ReadonlyArray<Mutant> = [
  mutant("deals-times-of-sides", "both sides of a trade show different times", {
    breaks: ["fills.agree.sides"],
    ...changing(deals, ["records", "*"], (deal) => {
      const { role, time, ...rest } = deal as Fields
      return { ...rest, role, time: Number(time) + Number(role) }
    })
  }),
  mutant("fees-doubled", "all deals show twice the fee", {
    breaks: ["fills.fee"],
    ...changing(deals, ["records", "*", "fee"], twisted)
  }),
  mutant("market-rests", "a market order is a limit order at a bad price", {
    breaks: ["market-orders.answer", "market-orders.never-rests"],
    ...calling(CollateralMarketOrders.endpoint.path, collateralLimit, (fields) => ({
      ...fields,
      price: fields["side"] === "buy" ? "50000" : "30000"
    }))
  }),
  mutant("market-reduce-only-ignored", "a market order ignores reduceOnly", {
    breaks: ["market-orders.reduce-only"],
    ...ignoring(CollateralMarketOrders.endpoint.path, "reduceOnly")
  }),
  mutant("market-refusal-unnamed", "the refusal of a market order does not name its amount", {
    breaks: ["market-orders.refusal"],
    ...unnamed(StockMarketOrders.endpoint.path, "amount")
  }),
  mutant("market-without-funds", "a market order without funds is accepted", {
    breaks: ["market-orders.no-funds"],
    ...accepting(isMarketCall)
  })
]

const changeMutants: ReadonlyArray<Mutant> = [
  mutant("changes-drop-stp", "a changed order has the default stp", {
    breaks: ["live-changes.stp"],
    ...changing(modify, ["stp"], () => "no")
  }),
  mutant("changes-ignore-stp", "a change of stp has no effect", {
    breaks: ["live-changes.stp"],
    ...ignoring(modify, "stp")
  }),
  mutant("changes-of-rest", "the new amount of a partly filled order excludes the filled part", {
    breaks: ["live-changes.part.amount"],
    ...asking(modify, (fields) => fields["amount"] === "0.05" ? { ...fields, amount: "0.06" } : fields)
  }),
  mutant("changes-restore-part", "a change of price restores the filled part", {
    breaks: ["live-changes.part"],
    ...asking(modify, (fields) => fields["amount"] === undefined ? { ...fields, amount: "0.04" } : fields)
  })
]

const killSwitchMutants: ReadonlyArray<Mutant> = [
  mutant("kill-switch-types-ignored", "the kill switch cancels orders of all types", {
    breaks: ["kill-switch.scope", "kill-switch.status"],
    ...ignoring(killSwitch, "types")
  }),
  mutant("kill-switch-of-spot", "the kill switch cancels spot orders only", {
    breaks: ["kill-switch.scope"],
    ...asking(killSwitch, (fields) => ({ ...fields, types: ["spot"] }))
  }),
  mutant("kill-switch-keeps-funds", "canceled orders keep their funds", {
    breaks: ["kill-switch.funds"],
    ...changing(balance, ["*", "freeze"], () => "1")
  })
]

const conditionalMutants: ReadonlyArray<Mutant> = [
  ...[ocoOrders, conditional].flatMap((path): ReadonlyArray<Mutant> => [
    mutant(`pairs-offset-ignored${path}`, "every page of OCO orders is the first page", {
      breaks: ["oco-orders.pages"],
      ...ignoring(path, "offset")
    }),
    mutant(`pairs-market-ignored${path}`, "OCO orders are not filtered by market", {
      breaks: ["oco-orders.listed"],
      ...ignoring(path, "market")
    }),
    mutant(`pairs-of-everybody${path}`, "every account sees the same OCO orders", {
      breaks: ["oco-orders.isolation"],
      ...sharing(path, isFull)
    })
  ]),
  mutant("pairs-refusal-unnamed", "a refused list of OCO orders does not name the field", {
    breaks: ["oco-orders.refusal"],
    ...unnamed(ocoOrders, "limit", "offset")
  }),
  mutant("legs-with-other-prices", "the open orders show an OCO order's legs with the wrong prices", {
    breaks: ["oco-orders.legs"],
    ...changing(active, ["*", "price"], twisted)
  }),
  mutant("pairs-reversed-legs", "the list of OCO orders swaps their legs", {
    breaks: ["oco-orders.listed"],
    ...answering(
      ocoOrders,
      "success",
      (json) =>
        (json as ReadonlyArray<Fields>).map(({ stop_loss, take_profit, ...pair }) => ({
          ...pair,
          stop_loss: take_profit,
          take_profit: stop_loss
        }))
    )
  }),
  mutant("pairs-cached", "an OCO order stays in the list after it has closed", {
    breaks: ["oco-orders.executed"],
    make: () => {
      const seen: Array<unknown> = []
      return {
        answer: (answer, { path }) => {
          const { id, stop_loss, take_profit } = (jsonOf(answer) ?? {}) as Fields
          if (path === cancelOco) seen.length = 0
          if (stop_loss !== undefined && take_profit !== undefined) seen.push({ id, stop_loss, take_profit })
          return path === ocoOrders ? withBody(answer, seen) : answer
        }
      }
    }
  }),
  mutant("pairs-never-end", "order history lists no legs of OCO orders", {
    breaks: ["oco-orders.ended", "oco-orders.executed"],
    ...answering(history, "success", () => [])
  }),
  mutant("pairs-found", "canceling an OCO order that is not open succeeds", {
    breaks: ["oco-orders.not-found", "oco-orders.canceled"],
    ...accepting(cancelOco)
  }),
  mutant("exits-elsewhere", "the exits wait for prices one higher than requested", {
    breaks: ["oto.exits", "oto.alone"],
    ...changing(active, ["*", "activation_price"], (price) => String(Number(price) + 1))
  }),
  mutant("exits-halved", "the exits have half the amount", {
    breaks: ["oto.exits"],
    ...changing(active, ["*", "amount"], (amount) => String(Number(amount) / 2))
  }),
  mutant("exits-both", "an order with only a take-profit also gets a stop-loss", {
    breaks: ["oto.alone"],
    ...asking(collateralLimit, (fields) =>
      fields["takeProfit"] !== undefined && fields["stopLoss"] === undefined
        ? { ...fields, stopLoss: fields["side"] === "buy" ? "30000" : "50000" }
        : fields)
  }),
  mutant("exits-twice", "an exit is filled twice", {
    breaks: ["oto.alone", "oto.once"],
    ...answering(executed, "success", (json) => Array.isArray(json) ? [...json, ...json.slice(0, 1)] : json)
  }),
  mutant("exits-of-canceled", "a canceled order with exits is missing in order history", {
    breaks: ["oto.unfilled"],
    ...answering(history, "success", () => ({}))
  })
]

/** Faults that also exist in the document's dialect. */
const bothMutants: ReadonlyArray<Mutant> = [
  mutant("interest-ticker-alone", "planId has no effect if there is a ticker", {
    breaks: ["interest.plan-and-ticker.filter"],
    ...asking(
      InterestPaymentHistory.endpoint.path,
      (fields) => fields["ticker"] === undefined ? fields : without(fields, "planId")
    )
  }),
  mutant("interest-plan-alone", "ticker has no effect if there is a planId", {
    breaks: ["interest.plan-and-ticker.filter"],
    ...asking(
      InterestPaymentHistory.endpoint.path,
      (fields) => fields["planId"] === undefined ? fields : without(fields, "ticker")
    )
  }),
  mutant("nonce-reusable-for-cancel-all", "only cancel-all accepts a used nonce", {
    breaks: ["auth.nonce.unique.optional"],
    ...asking(CancelAllOrders.endpoint.path, ({ nonce, ...fields }) => ({
      ...fields,
      ...(typeof nonce === "string" ? { nonce: String(Number(nonce) + 1) } : { nonce: Number(nonce) + 1 })
    }))
  })
]

export const mutants: ReadonlyArray<Mutant> = [
  ...[
    ...valueMutants,
    ...effectMutants,
    ...listMutants,
    ...tradeMutants,
    ...changeMutants,
    ...killSwitchMutants,
    ...conditionalMutants
  ].map((mutant): Mutant => ({ ...mutant, dialects: ["live"] })),
  ...bothMutants
]

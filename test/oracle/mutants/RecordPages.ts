/** Faults in the pages, filters and times of an account's records. */
import * as ActiveOrders from "../../../src/endpoints/ActiveOrders.ts"
import * as BorrowHistory from "../../../src/endpoints/BorrowHistory.ts"
import * as ClosedPositions from "../../../src/endpoints/ClosedPositions.ts"
import * as CollateralLimitOrders from "../../../src/endpoints/CollateralLimitOrders.ts"
import * as CollateralStopLimitOrders from "../../../src/endpoints/CollateralStopLimitOrders.ts"
import * as ConditionalOrders from "../../../src/endpoints/ConditionalOrders.ts"
import * as Fills from "../../../src/endpoints/Fills.ts"
import * as FundingPayments from "../../../src/endpoints/FundingPayments.ts"
import * as InterestPaymentHistory from "../../../src/endpoints/InterestPaymentHistory.ts"
import * as KillSwitch from "../../../src/endpoints/KillSwitch.ts"
import * as LimitOrders from "../../../src/endpoints/LimitOrders.ts"
import * as OrderDeals from "../../../src/endpoints/OrderDeals.ts"
import * as OrderHistory from "../../../src/endpoints/OrderHistory.ts"
import * as StopLimitOrders from "../../../src/endpoints/StopLimitOrders.ts"
import * as SubAccountApiKeys from "../../../src/endpoints/SubAccountApiKeys.ts"
import * as SubAccounts from "../../../src/endpoints/SubAccounts.ts"
import * as TradeBalance from "../../../src/endpoints/TradeBalance.ts"
import * as UnexecutedOcoOrders from "../../../src/endpoints/UnexecutedOcoOrders.ts"
import * as Json from "../../../src/protocol/Json.ts"
import { sending } from "./Frames.ts"
import {
  answering,
  asking,
  type Change,
  changing,
  type Fields,
  fieldsOf,
  jsonOf,
  type Mutant,
  mutant,
  withBody,
  withFields,
  without
} from "./Mutant.ts"
import { list, stream, type StreamMutant } from "./Streams.ts"

const active = ActiveOrders.endpoint.path
const history = OrderHistory.endpoint.path
const fills = Fills.endpoint.path
const deals = OrderDeals.endpoint.path
const conditional = ConditionalOrders.endpoint.path
const orders: ReadonlyArray<string> = [
  LimitOrders.endpoint.path,
  CollateralLimitOrders.endpoint.path,
  StopLimitOrders.endpoint.path,
  CollateralStopLimitOrders.endpoint.path
]

/** Serves a different page than requested, but shows the requested limit and offset. */
const instead = (path: string, change: (fields: Fields) => Fields, after?: Rework): Change => ({
  make: () => ({
    request: (request, venue) => request.path === path ? withFields(venue, request, change) : request,
    answer: (answer, request) => {
      if (request.path !== path || answer.status !== 200) return answer
      const asked = fieldsOf(request) ?? {}
      const json = after === undefined ? jsonOf(answer) : after(jsonOf(answer), asked)
      if (!Json.isObject(json) || !Object.hasOwn(json, "limit")) return withBody(answer, json)
      const { limit = json["limit"], offset = json["offset"] } = asked
      return withBody(answer, { ...json, limit, offset })
    }
  })
})

/** Changes a page, given the fields of the request. */
type Rework = (json: unknown, asked: Fields) => unknown

/** Changes each list of records in a page, which may be grouped by market. */
const eachList = (json: unknown, change: (records: ReadonlyArray<Fields>) => ReadonlyArray<Fields>): unknown =>
  Array.isArray(json)
    ? change(json)
    : Json.isObject(json)
    ? Object.fromEntries(
      Object.entries(json).map(([key, value]) => [key, Array.isArray(value) ? change(value) : value])
    )
    : json

const withOffset = (change: (offset: number, limit: number) => number) => (fields: Fields): Fields => {
  const { limit, offset } = fields
  return typeof limit === "number" && typeof offset === "number" ? { ...fields, offset: change(offset, limit) } : fields
}

const byPages = withOffset((offset, limit) => offset * limit)
const rounded = withOffset((offset, limit) => Math.floor(offset / limit) * limit)

const lists = [
  active,
  history,
  fills,
  deals,
  UnexecutedOcoOrders.endpoint.path,
  conditional,
  ClosedPositions.endpoint.path,
  BorrowHistory.endpoint.path,
  FundingPayments.endpoint.path
]

const documentLists = [
  ["interest", InterestPaymentHistory.endpoint.path],
  ["sub-accounts", SubAccounts.endpoint.path],
  ["api-keys", SubAccountApiKeys.endpoint.path]
] as const

/** Keeps the records that this filter of the request selects. */
const keeping = (filter: string, asked: Fields) => (record: Fields): boolean => {
  const wanted = asked[filter]
  const time = Number(record["ftime"] ?? record["time"])
  if (wanted === undefined || wanted === "ALL") return true
  return filter === "startDate" ? time >= Number(wanted) : record[filter] === wanted
}

const pageMutants: ReadonlyArray<Mutant> = [
  ...lists.flatMap((path) => [
    mutant(`record-offset-pages${path}`, "the offset counts pages", {
      breaks: ["pages.slices"],
      dialects: ["live"],
      ...instead(path, byPages)
    }),
    mutant(`record-offset-rounded${path}`, "the offset is rounded down to a whole page", {
      breaks: ["pages.slices"],
      dialects: ["live"],
      ...instead(path, rounded)
    })
  ]),
  ...documentLists.flatMap(([id, path]) => [
    mutant(`${id}-slices-pages`, "the offset of a page with several records counts pages", {
      breaks: [`${id}.pages.slices`],
      ...instead(path, (fields) => Number(fields["limit"]) < 10 ? byPages(fields) : fields)
    }),
    mutant(`${id}-slices-end`, "the limit of a page after the first is the index of its end", {
      breaks: [`${id}.pages.slices`],
      ...instead(path, (fields) => {
        const { limit, offset = 0 } = fields
        return Number(offset) > 0 && Number(limit) > Number(offset)
          ? { ...fields, limit: Number(limit) - Number(offset) }
          : fields
      })
    })
  ]),
  ...[history, fills].flatMap((path) => [
    mutant(`record-page-per-market${path}`, "a page of all markets has its limit of records for each market", {
      breaks: ["pages.slices"],
      dialects: ["live"],
      ...instead(
        path,
        (fields) => "market" in fields ? fields : { ...without(fields, "offset"), limit: 100 },
        (json, { limit = 50, market, offset = 0 }) =>
          market === undefined
            ? eachList(json, (records) => records.slice(Number(offset), Number(offset) + Number(limit)))
            : json
      )
    }),
    mutant(`record-limit-100${path}`, "a limit above 100 counts as 100", {
      breaks: ["pages.large"],
      dialects: ["live"],
      ...asking(path, (fields) => Number(fields["limit"]) > 100 ? { ...fields, limit: 100 } : fields)
    }),
    mutant(`record-late-period${path}`, "a page is cut before its start date applies", {
      breaks: [path === history ? "pages.filters.orders" : "pages.filters.fills"],
      dialects: ["live"],
      ...instead(
        path,
        (fields) => "endDate" in fields ? without(fields, "startDate", "endDate") : fields,
        (json, asked) =>
          eachList(json, (records) =>
            records.filter((record) =>
              keeping("startDate", asked)(record) &&
              !(Number(record["ftime"] ?? record["time"]) > Number(asked["endDate"] ?? Infinity))
            ))
      )
    }),
    mutant(`record-open-period${path}`, "a start date without an end date is ignored", {
      breaks: [path === history ? "pages.filters.orders" : "pages.filters.fills"],
      dialects: ["live"],
      ...asking(path, (fields) => "endDate" in fields ? fields : without(fields, "startDate"))
    })
  ]),
  mutant("record-late-status", "a page is cut before its status applies", {
    breaks: ["pages.filters.orders"],
    dialects: ["live"],
    ...instead(
      history,
      (fields) => without(fields, "status"),
      (json, asked) => eachList(json, (records) => records.filter(keeping("status", asked)))
    )
  }),
  mutant("record-found-status", "the status also applies to a call for one order", {
    breaks: ["pages.filters.orders"],
    dialects: ["live"],
    ...instead(
      history,
      (fields) => fields,
      (json, asked) =>
        "orderId" in asked || "clientOrderId" in asked
          ? eachList(json, (records) => records.filter(keeping("status", asked)))
          : json
    )
  }),
  mutant("record-found-period", "the period also applies to a call for one order by client order id", {
    breaks: ["pages.filters.orders"],
    dialects: ["live"],
    ...instead(
      history,
      (fields) => fields,
      (json, asked) =>
        "clientOrderId" in asked ? eachList(json, (records) => records.filter(keeping("startDate", asked))) : json
    )
  }),
  mutant("record-future-period", "a period that ends in the future is empty", {
    breaks: ["pages.filters.orders"],
    dialects: ["live"],
    make: () => ({
      answer: (answer, request) => {
        const { endDate = 0, startDate = 0 } = fieldsOf(request) ?? {}
        return request.path === history && Number(endDate) - Number(startDate) > 4200 &&
            Number(endDate) - Number(startDate) < 7000
          ? withBody(answer, [])
          : answer
      }
    })
  }),
  mutant("record-total-page", "the total of conditional orders counts only those on the page", {
    breaks: ["pages.filters.conditional"],
    dialects: ["live"],
    ...answering(conditional, "success", (json) => {
      const page = json as Fields
      return { ...page, total: (page["records"] as ReadonlyArray<unknown>).length }
    })
  }),
  mutant("record-conditional-default", "only 50 conditional orders are listed by default", {
    breaks: ["live-pages.limit.default.oco"],
    dialects: ["live"],
    ...instead(conditional, (fields) => ({ limit: 50, ...fields }), (json) => ({ ...json as Fields, limit: 100 }))
  }),
  mutant("record-deals-default", "100 deals are listed by default, as a page of 50", {
    breaks: ["live-pages.limit.default.fills"],
    dialects: ["live"],
    ...instead(deals, (fields) => ({ limit: 100, ...fields }), (json) => ({ ...json as Fields, limit: 50 }))
  }),
  ...[active, history].map((path) =>
    mutant(`record-limit-50${path}`, "a limit above 50 counts as 50", {
      breaks: ["live-pages.limit.default"],
      dialects: ["live"],
      ...asking(path, (fields) => Number(fields["limit"]) > 50 ? { ...fields, limit: 50 } : fields)
    })
  )
]

/** Changes the records of a path, given the time of the latest order that was placed. */
const since = (
  path: string,
  change: (record: Fields, latest: number, first: number) => Fields
): Pick<Mutant, "make"> => ({
  make: () => {
    const times: Array<number> = []
    return {
      answer: (answer, request) => {
        const json = jsonOf(answer)
        if (orders.includes(request.path) && Json.isObject(json)) times.push(Number(json["timestamp"]))
        const [first = 0, latest = first] = [times[0], times.at(-1)]
        return request.path === path && answer.status === 200
          ? withBody(answer, eachList(json, (records) => records.map((record) => change(record, latest, first))))
          : answer
      }
    }
  }
})

const timeMutants: ReadonlyArray<Mutant> = [
  mutant("record-ftime-fill", "the ftime of a canceled order is the time of its last fill", {
    breaks: ["times.parts"],
    ...since(
      history,
      (order, latest) =>
        order["status"] === "CANCELED" && Number(order["dealStock"]) > 0 ? { ...order, ftime: latest } : order
    )
  }),
  mutant("record-ctime-last", "the ctime of a filled order is the time of its last fill", {
    breaks: ["times.parts"],
    ...since(history, (order) => order["status"] === "FILLED" ? { ...order, ctime: order["ftime"] } : order)
  }),
  mutant("record-opened-again", "a fill changes the timestamp of an open order", {
    breaks: ["times.parts"],
    ...since(active, (order, latest) => Number(order["dealStock"]) > 0 ? { ...order, timestamp: latest } : order)
  }),
  ...[deals, fills].map((path) =>
    mutant(`record-deal-time${path}`, "all fills show the time of the latest one", {
      breaks: ["times.parts"],
      ...since(path, (record, latest) => ({ ...record, time: latest }))
    })
  ),
  mutant("record-part-filled", "a canceled order with fills counts as filled", {
    breaks: ["times.parts"],
    ...instead(
      history,
      (fields) => without(fields, "status"),
      (json, { status = "ALL" }) =>
        eachList(
          json,
          (records) =>
            records.filter((record) => status === "ALL" || (Number(record["dealStock"]) > 0) === (status === "FILLED"))
        )
    )
  }),
  mutant("record-part-past", "a partly filled order is already among the past orders", {
    breaks: ["times.parts"],
    make: () => {
      let first: Fields | undefined
      return {
        answer: (answer, request) => {
          const json = jsonOf(answer)
          if (orders.includes(request.path) && Json.isObject(json)) first ??= json
          if (request.path !== history || first === undefined) return answer
          const { market, orderId, ...rest } = first
          return Array.isArray(json) && json.length === 0
            ? withBody(answer, { [String(market)]: [{ ...rest, id: orderId, ctime: 1, ftime: 1 }] })
            : answer
        }
      }
    }
  }),
  mutant("record-plain-trigger", "past orders without a trigger show an activation price of zero", {
    breaks: ["times.parts"],
    ...changing(history, ["*", "*"], (order) => ({ activationPrice: "0", ...order as Fields }))
  }),
  mutant("record-activated-late", "past orders show their ftime as the time of their activation", {
    breaks: ["times.triggered"],
    ...changing(history, ["*", "*"], (order) => {
      const { ftime } = order as Fields
      return { ...order as Fields, activated: Math.floor(Number(ftime)) }
    })
  }),
  mutant("record-triggered-new", "a past stop order shows its ftime as its ctime", {
    breaks: ["times.triggered"],
    ...changing(history, ["*", "*"], (order) => {
      const { ctime, ftime, type } = order as Fields
      return { ...order as Fields, ctime: String(type).includes("stop") ? ftime : ctime }
    })
  }),
  mutant("record-legs-ftime", "a canceled leg of an OCO order shows its ctime as its ftime", {
    breaks: ["times.pairs"],
    ...changing(history, ["*", "*"], (order) => {
      const { ctime, ftime, status, type } = order as Fields
      const isLeg = status === "CANCELED" && type === "margin stop limit"
      return { ...order as Fields, ftime: isLeg ? ctime : ftime }
    })
  }),
  mutant("record-part-fee", "a canceled order shows no fee for its fills", {
    breaks: ["times.parts"],
    ...changing(history, ["*", "*"], (order) => {
      const { dealFee, status } = order as Fields
      return { ...order as Fields, dealFee: status === "CANCELED" ? "0" : dealFee }
    })
  }),
  mutant("record-switch-armed", "an order that a kill switch canceled shows the time of its arming as ftime", {
    breaks: ["times.parts"],
    make: () => {
      let armed: unknown
      return {
        answer: (answer, request) => {
          const json = jsonOf(answer)
          if (request.path === KillSwitch.endpoint.path && Json.isObject(json)) armed = Number(json["startTime"])
          return request.path === history && armed !== undefined && answer.status === 200
            ? withBody(answer, eachList(json, (records) => records.map((record) => ({ ...record, ftime: armed }))))
            : answer
        }
      }
    }
  }),
  mutant("record-fills-by-order", "fills are sorted by the ids of their orders", {
    breaks: ["order-lists.newest-first"],
    ...answering(
      fills,
      "success",
      (json) =>
        eachList(json, (records) => records.toSorted((one, other) => Number(other["orderId"]) - Number(one["orderId"])))
    )
  }),
  mutant("record-another", "a client order id finds a past order of another account", {
    breaks: ["order-lists.isolation"],
    make: () => {
      const placed = new Map<unknown, Fields>()
      return {
        answer: (answer, request) => {
          const json = jsonOf(answer)
          if (orders.includes(request.path) && Json.isObject(json)) placed.set(json["clientOrderId"], json)
          const found = placed.get(fieldsOf(request)?.["clientOrderId"])
          return request.path === history && answer.status === 422 && found !== undefined
            ? { ...withBody(answer, { [String(found["market"])]: [found] }), status: 200 }
            : answer
        }
      }
    }
  }),
  mutant("record-ticker-number", "a balance without a ticker is shown for a ticker that is a number", {
    breaks: ["balances.refusal"],
    ...asking(
      TradeBalance.endpoint.path,
      (fields) => typeof fields["ticker"] === "number" ? without(fields, "ticker") : fields
    )
  }),
  mutant("record-equal-times", "a page begins with the last fill of the page before it if their times are equal", {
    breaks: ["pages.large"],
    ...asking(
      fills,
      (fields) =>
        fields["limit"] === 30 && Number(fields["offset"]) > 0
          ? { ...fields, offset: Number(fields["offset"]) - 1 }
          : fields
    )
  }),
  mutant("record-reused", "a client order id finds the first order that had it", {
    breaks: ["records.reused"],
    make: () => {
      const first = new Map<unknown, unknown>()
      return {
        answer: (answer, request) => {
          const json = jsonOf(answer)
          if (orders.includes(request.path) && Json.isObject(json) && !first.has(json["clientOrderId"])) {
            first.set(json["clientOrderId"], json)
          }
          const { clientOrderId } = fieldsOf(request) ?? {}
          return request.path === active && Array.isArray(json) && json.length > 0 && first.has(clientOrderId)
            ? withBody(answer, [first.get(clientOrderId)])
            : answer
        }
      }
    }
  }),
  mutant("record-all-locked", "a balance of which nothing is available is not listed", {
    breaks: ["balances.all-locked"],
    ...answering(TradeBalance.endpoint.path, "success", (json) =>
      Object.fromEntries(
        Object.entries(json as Fields).filter(([, entry]) => !Json.isObject(entry) || Number(entry["available"]) > 0)
      ))
  })
].map((mutant) => ({ ...mutant, dialects: ["live"] }))

export const mutants: ReadonlyArray<Mutant> = [...pageMutants, ...timeMutants]

/** Requests for pages whose offset counts pages. */
export const streams: ReadonlyArray<StreamMutant> = ["ordersPending", "ordersExecuted", "deals"].map((channel) =>
  stream(
    `record-offset-pages-${channel}`,
    "the offset counts pages",
    ["streams.pages.slices"],
    sending((frame) => {
      const [filter, offset, limit] = list(frame.params ?? [])
      return frame.method === `${channel}_request`
        ? { ...frame, params: [filter, Number(offset) * Number(limit), limit] }
        : frame
    })
  )
)

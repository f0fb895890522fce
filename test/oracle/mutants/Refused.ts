/** Faults in refusals, and in what the fills of an order add up to. */
import * as ActiveOrders from "../../../src/endpoints/ActiveOrders.ts"
import * as CancelAllOrders from "../../../src/endpoints/CancelAllOrders.ts"
import * as Codes from "../../../src/endpoints/Codes.ts"
import * as CollateralOcoOrders from "../../../src/endpoints/CollateralOcoOrders.ts"
import * as DeleteSubAccount from "../../../src/endpoints/DeleteSubAccount.ts"
import * as InterestPaymentHistory from "../../../src/endpoints/InterestPaymentHistory.ts"
import * as OrderHistory from "../../../src/endpoints/OrderHistory.ts"
import * as StopLimitOrders from "../../../src/endpoints/StopLimitOrders.ts"
import * as Json from "../../../src/protocol/Json.ts"
import {
  answering,
  asking,
  type Change,
  type Fields,
  fieldsOf,
  type Interception,
  jsonOf,
  type Mutant,
  mutant,
  withBody,
  withFields,
  without,
  withStatus
} from "./Mutant.ts"

const active = ActiveOrders.endpoint.path
const history = OrderHistory.endpoint.path
const cancelAll = CancelAllOrders.endpoint.path
const apply = Codes.endpoint.path
const oco = CollateralOcoOrders.endpoint.path
const remove = DeleteSubAccount.endpoint.path
const interest = InterestPaymentHistory.endpoint.path
const stopLimit = StopLimitOrders.endpoint.path

export const document = { dialects: ["document"] } as const

/** Renames a parameter in the errors of a path's refusals. */
const renaming = (path: string, from: string, to: string): Change =>
  answering(path, "refusal", (json) => {
    const errors = Json.isObject(json) ? json["errors"] : undefined
    if (!Json.isObject(json) || !Json.isObject(errors) || !Object.hasOwn(errors, from)) return json
    return { ...json, errors: { ...without(errors, from), [to]: errors[from] } }
  })

/** Removes `errors` from the refusals that `when` selects. */
const lacking = (path: string, when: (json: Fields, status: number) => boolean): Change =>
  answering(
    path,
    "refusal",
    (json, _request, { status }) => Json.isObject(json) && when(json, status) ? without(json, "errors") : json
  )

/** Changes each order in the response to a call that lists or places orders. */
export const deep = (json: unknown, change: (order: Fields) => Fields): unknown =>
  Array.isArray(json)
    ? json.map((item) => deep(item, change))
    : Json.isObject(json)
    ? (["deal_stock", "dealStock"].some((key) => Object.hasOwn(json, key)) ? change : (all: Fields) => all)(
      Object.fromEntries(Object.entries(json).map(([key, value]) => [key, deep(value, change)]))
    )
    : json

/** Changes the orders in lists. If `of` is given, only orders that a call to this path has placed, or their legs. */
const listing = (change: (order: Fields) => Fields, of?: string): Change => ({
  make: (): Interception => {
    const ids = new Set<unknown>()
    return {
      answer: (answer, { path }) => {
        const json = jsonOf(answer)
        if (path === of) deep(json, (order) => (ids.add(order["order_id"]), order))
        const isIt = (order: Fields) => of === undefined || ids.has(order["order_id"] ?? order["id"])
        return path === active || path === history
          ? withBody(answer, deep(json, (order) => isIt(order) ? change(order) : order))
          : answer
      }
    }
  }
})

const scaled = (key: string, factor: number, when: (order: Fields) => boolean = () => true) => (order: Fields) =>
  when(order) ? { ...order, [key]: String(Number(order[key]) * factor) } : order

/** Whether an order has several fills of 0.01 and 0.02. */
const isSwept = ({ deal_stock }: Fields): boolean => Number(deal_stock) === 0.03

/** Places an order although it refuses its amount of zero. */
const placesRefused = (path: string): Change => ({
  make: () => ({
    request: (request, venue) =>
      request.path === path && fieldsOf(request)?.["amount"] === "0"
        ? withFields(venue, request, (fields) => ({ ...fields, amount: "0.01" }))
        : request,
    answer: (answer, request) =>
      request.path === path && fieldsOf(request)?.["amount"] === "0"
        ? withBody({ ...answer, status: 400 }, {
          code: 30,
          message: "Validation failed",
          errors: { amount: ["Amount is too small."] }
        })
        : answer
  })
})

const refusals: ReadonlyArray<Mutant> = [
  mutant("refused-oco-camel-case", "errors of OCO orders name activation_price in camel case", {
    ...document,
    breaks: ["errors.private.parameters"],
    ...renaming(oco, "activation_price", "activationPrice")
  }),
  mutant("refused-stop-case", "errors of stop-limit orders name bboRole in snake case", {
    ...document,
    breaks: ["errors.private.parameters"],
    ...renaming(stopLimit, "bboRole", "bbo_role")
  }),
  mutant("refused-limit-name", "errors of the interest payment history name limit as perPage", {
    ...document,
    breaks: ["errors.private.parameters"],
    ...renaming(interest, "limit", "perPage")
  }),
  mutant("refused-code-name", "errors of codes name passphrase as password", {
    ...document,
    breaks: ["errors.private.parameters"],
    ...renaming(apply, "passphrase", "password")
  }),
  mutant("refused-delete-name", "errors of deletions name id as subAccountId", {
    ...document,
    breaks: ["errors.private.parameters"],
    ...renaming(remove, "id", "subAccountId")
  }),
  mutant("refused-partner-errors", "the refusal of an account that is no partner lacks errors", {
    ...document,
    breaks: ["errors.private.each"],
    ...lacking(interest, (_json, status) => status === 403)
  }),
  mutant("refused-position-errors", "the refusal with code 116 lacks errors", {
    ...document,
    breaks: ["errors.private.each"],
    ...lacking(oco, ({ code }) => code === 116)
  }),
  mutant("refused-oco-placed", "an OCO order is placed although its amount of zero is refused", {
    ...document,
    breaks: ["orders.refused.nothing"],
    ...placesRefused(oco)
  }),
  mutant("refused-stop-placed", "a stop-limit order is placed although its amount of zero is refused", {
    ...document,
    breaks: ["orders.refused.nothing"],
    ...placesRefused(stopLimit)
  }),
  mutant("refused-accepted-status", "a successful cancel-all call returns HTTP 202", {
    ...document,
    breaks: ["general.answer.ok"],
    ...withStatus(202, ({ status }, { path }) => path === cancelAll && status === 200)
  }),
  mutant("refused-plan-and-ticker", "the refusal of an unknown planId names the ticker too", {
    breaks: ["interest.plan.unknown"],
    ...answering(interest, "refusal", (json) => {
      const errors = Json.isObject(json) ? json["errors"] : undefined
      return Json.isObject(json) && Json.isObject(errors) && Object.hasOwn(errors, "planId")
        ? { ...json, errors: { ...errors, ticker: ["The ticker is invalid."] } }
        : json
    })
  }),
  mutant("refused-plan-type", "a planId that is not a string is refused with code 30", {
    breaks: ["interest.plan.type"],
    ...answering(
      interest,
      "refusal",
      (json, request) =>
        Json.isObject(json) && typeof (fieldsOf(request)?.["planId"] ?? "") !== "string" ? { ...json, code: 30 } : json
    )
  })
]

/** Drops the last digit of an amount that continues the amount of the order before, except on the first market. */
const roundsElsewhere = (path: string): Change => ({
  make: () => {
    let before = ""
    const change = asking(path, (fields) => {
      const amount = String(fields["amount"])
      const isFiner = fields["market"] !== "BTC_USDT" && amount.length > before.length && amount.startsWith(before)
      if (isFiner && before !== "") return { ...fields, amount: before }
      before = amount
      return fields
    })
    return change.make?.() ?? {}
  }
})

const orders: ReadonlyArray<Mutant> = [
  mutant("orders-sell-precision", "the price of a stop-limit order that sells is rounded", {
    breaks: ["stop-limit.request.price.precision"],
    ...asking(stopLimit, (fields) =>
      fields["side"] === "sell" && /^[0-9]+\.[0-9]{3,}$/u.test(String(fields["price"]))
        ? { ...fields, price: Number(fields["price"]).toFixed(2) }
        : fields)
  }),
  mutant("orders-sell-least", "the least amount does not apply to OCO orders that sell", {
    breaks: ["oco.request.amount.least", "oco.request.amount.min"],
    ...asking(
      oco,
      (fields) =>
        fields["side"] === "sell" && Number(fields["amount"]) < 0.1 && Number(fields["amount"]) > 0
          ? { ...fields, amount: "0.5" }
          : fields
    )
  }),
  mutant("orders-second-market", "amounts on other markets than the first are rounded", {
    breaks: ["stop-limit.markets.each"],
    ...roundsElsewhere(stopLimit)
  }),
  mutant("orders-second-market-oco", "amounts of OCO orders on other markets than the first are rounded", {
    breaks: ["oco.markets.each"],
    ...roundsElsewhere(oco)
  }),
  mutant("orders-latest-id", "only the client order id of the latest order may not be used again", {
    breaks: ["stop-limit.client-order-id.unique"],
    make: () => {
      let latest: unknown
      return {
        request: (request, venue) => {
          const key = ["client_order_id", "clientOrderId"].find((key) => fieldsOf(request)?.[key] !== undefined)
          const id = key === undefined ? undefined : fieldsOf(request)?.[key]
          if (request.path !== stopLimit || key === undefined || id === latest) return request
          latest = id
          return withFields(venue, request, (fields) => without(fields, key))
        }
      }
    }
  }),
  mutant("orders-id-question", "a client order id may contain a question mark", {
    breaks: ["stop-limit.client-order-id.refuses", "oco.client-order-id.refuses"],
    make: () => ({
      request: (request, venue) =>
        request.path !== stopLimit && request.path !== oco ?
          request :
          withFields(venue, request, (fields) =>
            Object.fromEntries(
              Object.entries(fields).map((
                [key, value]
              ) => [
                key,
                /^client_?order_?id$/iu.test(key) && typeof value === "string" ? value.replace("?", ".") : value
              ])
            ))
    })
  }),
  mutant("orders-cancel-some", "a cancel-all call cancels nothing if there are more than twenty orders", {
    breaks: ["cancel-all.everything"],
    make: () => {
      let placed = 0
      return {
        request: (request, venue) => {
          if (request.path === stopLimit) placed++
          const isMany = request.path === cancelAll && placed > 20
          if (request.path === cancelAll) placed = 0
          return isMany ? withFields(venue, request, (fields) => ({ ...fields, market: "ETH_USDT" })) : request
        }
      }
    }
  })
]

const fills: ReadonlyArray<Mutant> = [
  mutant("fills-fee-last", "an order shows only the fee of its last fill", {
    ...document,
    breaks: ["stop-limit.fills.sums", "stop-limit.fills.resting", "oco.fills.sums"],
    ...listing(scaled("deal_fee", 2 / 3, isSwept))
  }),
  mutant("fills-money-last", "an order shows only the total of its last fill", {
    ...document,
    breaks: ["stop-limit.fills.sums", "stop-limit.fills.resting", "oco.fills.sums"],
    ...listing(scaled("deal_money", 2 / 3, isSwept))
  }),
  mutant("fills-stock-last", "an order shows only the amount of its last fill", {
    ...document,
    breaks: ["stop-limit.fills.sums", "stop-limit.fills.resting", "oco.fills.sums"],
    ...listing(scaled("deal_stock", 2 / 3, isSwept))
  }),
  mutant("fills-no-leg-fee", "an OCO leg shows no fee", {
    ...document,
    breaks: ["oco.fills.sums"],
    ...listing(scaled("deal_fee", 0), oco)
  }),
  mutant("fills-no-stop-fee", "a stop-limit order shows no fee", {
    ...document,
    breaks: ["stop-limit.fills.sums"],
    ...listing(scaled("deal_fee", 0), stopLimit)
  }),
  mutant("fills-at-once", "the response to an order that is filled at once shows only the fee of its last fill", {
    ...document,
    breaks: ["stop-limit.fills.sums"],
    ...answering(stopLimit, "success", (json) => deep(json, scaled("deal_fee", 2 / 3, isSwept)))
  }),
  mutant("fills-leg-at-once", "the response to an OCO order that is filled at once shows only its last fill's total", {
    ...document,
    breaks: ["oco.fills.at-once"],
    ...answering(oco, "success", (json) => deep(json, scaled("deal_money", 2 / 3, isSwept)))
  }),
  mutant("fills-leg-not-canceled", "an OCO leg that is canceled before any execution shows NEW", {
    ...document,
    breaks: ["oco.fills.canceled"],
    ...listing((order) => order["status"] === "CANCELED" ? { ...order, status: "NEW" } : order, oco)
  }),
  mutant("fills-limit-price", "an order's deal_money is its amount times its own price", {
    ...document,
    breaks: ["stop-limit.fills.sums", "oco.fills.sums"],
    ...listing((order) => ({ ...order, deal_money: String(Number(order["deal_stock"]) * Number(order["price"])) }))
  }),
  mutant("fills-leg-canceled", "a partly filled OCO leg whose remainder is canceled shows CANCELED", {
    ...document,
    breaks: ["oco.fills.canceled"],
    ...listing((order) => order["status"] === "PARTIAL_CANCELED" ? { ...order, status: "CANCELED" } : order, oco)
  }),
  mutant("fills-new-timestamp", "the timestamp of a filled order is the time of its last change", {
    ...document,
    breaks: ["stop-limit.fills.sums", "oco.fills.sums"],
    ...listing((order) => ({ ...order, timestamp: Number(order["timestamp"] ?? order["ctime"]) + 600 }))
  })
]

export const mutants: ReadonlyArray<Mutant> = [...refusals, ...orders, ...fills]

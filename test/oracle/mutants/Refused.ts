/** Faults in refusals, in the pages of lists after several steps, and in what the fills of an order add up to. */
import * as ActiveOrders from "../../../src/endpoints/ActiveOrders.ts"
import * as CancelAllOrders from "../../../src/endpoints/CancelAllOrders.ts"
import * as Codes from "../../../src/endpoints/Codes.ts"
import * as CollateralOcoOrders from "../../../src/endpoints/CollateralOcoOrders.ts"
import * as DeleteSubAccount from "../../../src/endpoints/DeleteSubAccount.ts"
import * as InterestPaymentHistory from "../../../src/endpoints/InterestPaymentHistory.ts"
import * as MainBalance from "../../../src/endpoints/MainBalance.ts"
import * as OrderHistory from "../../../src/endpoints/OrderHistory.ts"
import * as StopLimitOrders from "../../../src/endpoints/StopLimitOrders.ts"
import * as SubAccountApiKeys from "../../../src/endpoints/SubAccountApiKeys.ts"
import * as SubAccounts from "../../../src/endpoints/SubAccounts.ts"
import * as Json from "../../../src/protocol/Json.ts"
import {
  answering,
  asking,
  type Change,
  changing,
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
const balance = MainBalance.endpoint.path
const stopLimit = StopLimitOrders.endpoint.path
const keys = SubAccountApiKeys.endpoint.path
const subAccounts = SubAccounts.endpoint.path

const document = { dialects: ["document"] } as const

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
const deep = (json: unknown, change: (order: Fields) => Fields): unknown =>
  Array.isArray(json)
    ? json.map((item) => deep(item, change))
    : Json.isObject(json)
    ? (Object.hasOwn(json, "deal_stock") ? change : (all: Fields) => all)(
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

/** Shows the key of a sub-account to every account that asks for it. */
const showsForeign: Change = {
  make: () => ({
    answer: (answer, request, { state }) => {
      const id = fieldsOf(request)?.["subAccountId"]
      const key = [...state.keys.values()].find(({ account }) => account === id)
      if (request.path !== keys || key === undefined || answer.status < 300) return answer
      const data = [{ subAccountId: id, id: "1", apiKey: key.apiKey, apiSecret: "" }]
      return withBody({ ...answer, status: 200 }, { limit: 30, offset: 0, data })
    }
  })
}

/** Repeats an offset of zero in the pages that a filter selects. */
const echoesZero = (path: string, filter: string): Change =>
  answering(
    path,
    "success",
    (json, request) => Json.isObject(json) && fieldsOf(request)?.[filter] !== undefined ? { ...json, offset: 0 } : json
  )

/** Shows at most this many records on a page, but repeats the requested limit. */
const capped = (path: string, most: number): Change => ({
  make: () => ({
    ...asking(path, (fields) => Number(fields["limit"]) > most ? { ...fields, limit: most } : fields).make?.(),
    answer: (answer, request) => {
      const json = jsonOf(answer)
      const limit = fieldsOf(request)?.["limit"]
      return request.path === path && answer.status === 200 && Json.isObject(json) && typeof limit === "number"
        ? withBody(answer, { ...json, limit })
        : answer
    }
  })
})

const records: ReadonlyArray<Mutant> = [
  mutant("records-deleted-offset", "deleted sub-accounts count towards an offset", {
    breaks: ["delete.pages"],
    make: () => {
      let deleted = 0
      return {
        request: (request, venue) => {
          if (request.path === remove) deleted++
          return request.path === subAccounts && Number(fieldsOf(request)?.["offset"]) > 0 && deleted > 0
            ? withFields(venue, request, (fields) => ({ ...fields, offset: Number(fields["offset"]) + 1 }))
            : request
        }
      }
    }
  }),
  mutant("records-deleted-keys", "a deletion removes the keys of every sub-account from the list", {
    breaks: ["delete.pages"],
    make: () => {
      let hasDeleted = false
      return {
        answer: (answer, { path }) => {
          const json = jsonOf(answer)
          if (path === remove && answer.status < 300) hasDeleted = true
          return path === keys && hasDeleted && Json.isObject(json) ? withBody(answer, { ...json, data: [] }) : answer
        }
      }
    }
  }),
  mutant("records-search-offset", "a page of found sub-accounts shows offset 0", {
    breaks: ["sub-accounts.search.pages"],
    ...echoesZero(subAccounts, "search")
  }),
  mutant("records-search-limit", "a search for sub-accounts ignores the limit", {
    breaks: ["sub-accounts.search.pages"],
    ...asking(subAccounts, (fields) => fields["search"] === undefined ? fields : without(fields, "limit"))
  }),
  mutant("records-search-default", "a search for sub-accounts has a default limit of 50", {
    ...document,
    breaks: ["sub-accounts.search.pages"],
    ...asking(
      subAccounts,
      (fields) => fields["search"] !== undefined && fields["limit"] === undefined ? { ...fields, limit: 50 } : fields
    )
  }),
  mutant("records-filter-default", "the keys of one sub-account have a default limit of 100", {
    ...document,
    breaks: ["api-keys.own.filter"],
    ...asking(
      keys,
      (fields) =>
        fields["subAccountId"] !== undefined && fields["limit"] === undefined ? { ...fields, limit: 100 } : fields
    )
  }),
  mutant("records-ticker-default", "the payments in one ticker have a default limit of 50", {
    ...document,
    breaks: ["interest.ticker.filter"],
    ...asking(
      interest,
      (fields) => fields["ticker"] !== undefined && fields["limit"] === undefined ? { ...fields, limit: 50 } : fields
    )
  }),
  mutant("records-plan-offset", "a page of one plan's payments shows offset 0", {
    breaks: ["interest.plan.filter"],
    ...echoesZero(interest, "planId")
  }),
  mutant("records-foreign-keys", "the keys of another account's sub-account can be listed by its id", {
    breaks: ["api-keys.own.filter"],
    ...showsForeign
  }),
  mutant("records-exponent", "a small balance is shown with an exponent", {
    breaks: ["general.money.small"],
    ...changing(balance, ["*", "main_balance"], (value) => String(Number(value)))
  }),
  mutant("records-capped-accounts", "a page shows at most 30 sub-accounts, whatever limit is asked for", {
    breaks: ["sub-accounts.limit.default.applies"],
    ...capped(subAccounts, 30)
  }),
  mutant("records-capped-payments", "a page shows at most 50 payments if a limit is asked for", {
    breaks: ["interest.limit.default.applies"],
    ...capped(interest, 50)
  }),
  mutant("records-one-market", "stops on the second market are never shown as activated", {
    ...document,
    breaks: ["activation.several"],
    ...answering(
      active,
      "success",
      (json) => deep(json, (order) => order["market"] === "BTC_USDT" ? order : { ...order, activated: 0 })
    )
  }),
  mutant("records-all-stops", "an activation activates every stop of the account", {
    ...document,
    breaks: ["activation.several"],
    ...answering(active, "success", (json) => {
      const isOne = JSON.stringify(json).includes("\"activated\":1")
      return isOne ? deep(json, (order) => ({ ...order, activated: 1 })) : json
    })
  })
]

const limits: ReadonlyArray<Mutant> = [
  mutant("limits-minute", "the limit of public calls applies to a minute instead of ten seconds", {
    breaks: ["limits.public"],
    make: () => ({ before: ({ limits }) => limits.override({ calls: 2000, perSeconds: 60 }, "public") })
  })
]

export const mutants: ReadonlyArray<Mutant> = [...refusals, ...orders, ...fills, ...records, ...limits]

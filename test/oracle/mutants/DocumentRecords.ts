/** Faults in lists after several steps, and in orders that wait on several markets. */
import * as ActiveOrders from "../../../src/endpoints/ActiveOrders.ts"
import * as CancelOrder from "../../../src/endpoints/CancelOrder.ts"
import * as DeleteSubAccount from "../../../src/endpoints/DeleteSubAccount.ts"
import * as InterestPaymentHistory from "../../../src/endpoints/InterestPaymentHistory.ts"
import * as MainBalance from "../../../src/endpoints/MainBalance.ts"
import * as SubAccountApiKeys from "../../../src/endpoints/SubAccountApiKeys.ts"
import * as SubAccounts from "../../../src/endpoints/SubAccounts.ts"
import * as Json from "../../../src/protocol/Json.ts"
import {
  answering,
  asking,
  type Change,
  changing,
  fieldsOf,
  jsonOf,
  type Mutant,
  mutant,
  withBody,
  withFields,
  without
} from "./Mutant.ts"
import { deep, document } from "./Refused.ts"

const active = ActiveOrders.endpoint.path
const cancel = CancelOrder.endpoint.path
const remove = DeleteSubAccount.endpoint.path
const interest = InterestPaymentHistory.endpoint.path
const balance = MainBalance.endpoint.path
const keys = SubAccountApiKeys.endpoint.path
const subAccounts = SubAccounts.endpoint.path

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
  mutant("records-valid-plan", "an unknown ticker is accepted if the planId is valid", {
    breaks: ["interest.one.unknown"],
    ...asking(interest, (fields) => fields["planId"] === undefined ? fields : without(fields, "ticker"))
  }),
  mutant("records-canceled-left", "the response to a cancellation shows nothing left of a partly filled order", {
    ...document,
    breaks: ["stop-limit.fills.canceled"],
    ...answering(cancel, "success", (json) => Json.isObject(json) ? { ...json, left: "0" } : json)
  }),
  mutant("records-changed-time", "the timestamp of a partly filled order is the time of its fill", {
    ...document,
    breaks: ["stop-limit.fills.canceled"],
    ...answering(
      active,
      "success",
      (json) => deep(json, (order) => Number(order["deal_stock"]) > 0 ? { ...order, timestamp: 2e9 } : order)
    )
  }),
  mutant("records-one-market", "stops on the second market are never shown as activated", {
    breaks: ["activation.several"],
    ...answering(
      active,
      "success",
      (json) => deep(json, (order) => order["market"] === "BTC_USDT" ? order : { ...order, activated: 0 })
    )
  }),
  mutant("records-all-stops", "an activation activates every stop of the account", {
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

export const mutants: ReadonlyArray<Mutant> = [...records, ...limits]

/** Faults in filtered lists, and at the bounds of lists' parameters. */
import * as BorrowHistory from "../../../src/endpoints/BorrowHistory.ts"
import * as Candles from "../../../src/endpoints/Candles.ts"
import * as ClosedPositions from "../../../src/endpoints/ClosedPositions.ts"
import * as CollateralBalanceSummary from "../../../src/endpoints/CollateralBalanceSummary.ts"
import * as ConditionalOrders from "../../../src/endpoints/ConditionalOrders.ts"
import * as InterestPaymentHistory from "../../../src/endpoints/InterestPaymentHistory.ts"
import * as KillSwitchStatus from "../../../src/endpoints/KillSwitchStatus.ts"
import * as OpenPositions from "../../../src/endpoints/OpenPositions.ts"
import * as OrderHistory from "../../../src/endpoints/OrderHistory.ts"
import * as PositionHistory from "../../../src/endpoints/PositionHistory.ts"
import * as SubAccountApiKeys from "../../../src/endpoints/SubAccountApiKeys.ts"
import * as SubAccounts from "../../../src/endpoints/SubAccounts.ts"
import * as Json from "../../../src/protocol/Json.ts"
import {
  answering,
  asking,
  type Change,
  changedAt,
  type Fields,
  fieldsOf,
  jsonOf,
  type Mutant,
  mutant,
  type Place,
  withBody
} from "./Mutant.ts"

const live = { dialects: ["live"] } as const

const interest = InterestPaymentHistory.endpoint.path
const keys = SubAccountApiKeys.endpoint.path
const subAccounts = SubAccounts.endpoint.path

/** Changes the value at a place in the responses to calls with all of these filters. */
const changingFiltered = (
  path: string,
  filters: ReadonlyArray<string>,
  place: Place,
  change: (value: unknown) => unknown
): Change =>
  answering(path, "success", (json, request) => {
    const fields = fieldsOf(request)
    return filters.every((filter) => fields?.[filter] !== undefined) ? changedAt(json, place, change) : json
  })

/** Searches only the sub-accounts that the page would show without a search. */
const searchesPage: Change = {
  make: () => ({
    answer: (answer, request, { state }) => {
      const { limit = 30, offset = 0, search } = fieldsOf(request) ?? {}
      const json = jsonOf(answer)
      if (request.path !== subAccounts || search === undefined || answer.status >= 300) return answer
      if (!Json.isObject(json) || !Array.isArray(json["data"])) return answer
      const isEarly = (one: unknown) => {
        const id = Json.isObject(one) ? one["id"] : undefined
        const all = [...state.subAccounts.values()]
        const parent = all.find((other) => other.id === id)?.parent
        const place = all.filter((other) => other.parent === parent).findIndex((other) => other.id === id)
        return place < Number(offset) + Number(limit)
      }
      return withBody(answer, { ...json, data: json["data"].filter(isEarly) })
    }
  })
}

/** Responds with an empty list to calls with these fields, which must be refused. */
const accepting = (path: string, when: (fields: Fields) => boolean): Change => ({
  make: () => ({
    answer: (answer, request) =>
      request.path === path && answer.status === 422 && when(fieldsOf(request) ?? {})
        ? { ...withBody(answer, []), status: 200 }
        : answer
  })
})

/** Refuses calls with these fields, which must be accepted. */
const refusing = (path: string, key: string, when: (fields: Fields) => boolean): Change => ({
  make: () => ({
    answer: (answer, request) =>
      request.path === path && answer.status === 200 && when(fieldsOf(request) ?? {})
        ? {
          ...withBody(answer, { code: 30, message: "Validation failed", errors: { [key]: [`${key} is invalid.`] } }),
          status: 422
        }
        : answer
  })
})

/** Changes the responses to queries of candles. */
const ofCandles = (change: (json: unknown, query: URLSearchParams) => unknown): Change =>
  answering(
    Candles.endpoint.path,
    "success",
    (json, request) => change(json, new URLSearchParams(request.query))
  )

const filters: ReadonlyArray<Mutant> = [
  mutant("filtered-secret", "the keys of one sub-account are listed with their secrets", {
    breaks: ["api-keys.filtered"],
    ...changingFiltered(keys, ["subAccountId"], ["data", "*", "apiSecret"], () => "a secret")
  }),
  mutant("filtered-endpoints", "the keys of one sub-account are listed without the endpoints that they may call", {
    breaks: ["api-keys.filtered"],
    ...changingFiltered(keys, ["subAccountId"], ["data", "*", "accessEndpoints"], () => [])
  }),
  mutant("filtered-search-page", "the page is cut before sub-accounts are searched", {
    breaks: ["sub-accounts.filtered", "sub-accounts.limit.default.applies"],
    ...searchesPage
  }),
  mutant("filtered-search-permissions", "a search shows all sub-accounts with all permissions", {
    breaks: ["sub-accounts.filtered"],
    ...changingFiltered(subAccounts, ["search"], ["data", "*", "permissions", "*"], () => true)
  }),
  mutant("filtered-payment-time", "payments of one plan in one ticker are shown without their time", {
    breaks: ["interest.filtered"],
    ...changingFiltered(interest, ["planId", "ticker"], ["records", "*", "timestamp"], () => 1)
  }),
  mutant("filtered-payment-limit", "the payments of one plan are listed for a limit above 100", {
    breaks: ["interest.filtered"],
    ...asking(
      interest,
      (fields) => fields["planId"] !== undefined && Number(fields["limit"]) > 100 ? { ...fields, limit: 100 } : fields
    )
  }),
  mutant("filtered-position-exits", "the positions on one market are shown without their exits", {
    ...live,
    breaks: ["records.alone"],
    ...changingFiltered(OpenPositions.endpoint.path, ["market"], ["*", "tpsl"], () => null)
  }),
  mutant("filtered-borrow", "the summary of one asset shows no borrow", {
    ...live,
    breaks: ["records.alone"],
    ...changingFiltered(CollateralBalanceSummary.endpoint.path, ["ticker"], ["*", "borrow"], () => "0")
  }),
  mutant("filtered-position-kept", "the positions on one market are those that were listed first", {
    ...live,
    breaks: ["records.alone"],
    make: () => {
      const shown = new Map<string, unknown>()
      return {
        answer: (answer, request) => {
          const market = fieldsOf(request)?.["market"]
          if (request.path !== OpenPositions.endpoint.path || typeof market !== "string") return answer
          const kept = shown.get(market) ?? jsonOf(answer)
          shown.set(market, kept)
          return withBody(answer, kept)
        }
      }
    }
  }),
  mutant("filtered-timer-kept", "the timer of one market is shown after it is disarmed", {
    ...live,
    breaks: ["kill-switch.markets"],
    make: () => {
      let last: unknown
      return {
        answer: (answer, request) => {
          const json = jsonOf(answer)
          if (request.path !== KillSwitchStatus.endpoint.path || fieldsOf(request)?.["market"] === undefined) {
            return answer
          }
          if (!Array.isArray(json) || json.length > 0 || last === undefined) {
            last = json
            return answer
          }
          return withBody(answer, last)
        }
      }
    }
  }),
  mutant("filtered-activity", "the keys of one sub-account are listed as never used", {
    breaks: ["api-keys.filtered"],
    ...changingFiltered(keys, ["subAccountId"], ["data", "*", "lastActivity"], () => 0)
  }),
  mutant("filtered-disabled-activity", "a disabled key is listed as never used", {
    breaks: ["api-keys.filtered"],
    ...answering(
      keys,
      "success",
      (json) =>
        changedAt(
          json,
          ["data", "*"],
          (key) => Json.isObject(key) && key["isEnabled"] === false ? { ...key, lastActivity: 0 } : key
        )
    )
  }),
  mutant("filtered-changes-mode", "the changes of positions on one market are shown in hedge mode", {
    ...live,
    breaks: ["positions.windows"],
    ...changingFiltered(PositionHistory.endpoint.path, ["market"], ["*", "isHedge"], () => true)
  }),
  mutant("filtered-borrow-status", "the borrows of one asset are always active", {
    ...live,
    breaks: ["margin.borrows-order"],
    ...changingFiltered(BorrowHistory.endpoint.path, ["asset"], ["records", "*", "status"], () => "active")
  }),
  mutant("filtered-conditional-type", "the conditional orders of one market are all shown as OCO orders", {
    ...live,
    breaks: ["conditional.several"],
    ...changingFiltered(ConditionalOrders.endpoint.path, ["market"], ["records", "*", "type"], () => "oco")
  }),
  mutant("filtered-timer", "the timer of one market starts a second later than in the list of all timers", {
    ...live,
    breaks: ["kill-switch.markets"],
    ...changingFiltered(KillSwitchStatus.endpoint.path, ["market"], ["*", "startTime"], (at) => Number(at) + 1)
  }),
  mutant("filtered-order-fee", "closed orders of one status and market are shown without fees", {
    ...live,
    breaks: ["pages.filters.orders"],
    ...changingFiltered(OrderHistory.endpoint.path, ["status", "market"], ["*", "*", "dealFee"], () => "0")
  })
]

const bounds: ReadonlyArray<Mutant> = [
  mutant("bounds-future", "changes of positions can be listed up to a time in the near future", {
    ...live,
    breaks: ["lists.bounds.refuses"],
    ...accepting(
      PositionHistory.endpoint.path,
      ({ endDate, startDate }) => startDate === undefined && Number(endDate) < 3_000_000_000
    )
  }),
  mutant("bounds-borrow-offset", "borrows can be listed from any offset", {
    ...live,
    breaks: ["lists.bounds.refuses"],
    ...accepting(BorrowHistory.endpoint.path, ({ offset }) => Number(offset) > 10_000)
  }),
  mutant("bounds-second", "positions closed in a single second cannot be listed", {
    ...live,
    breaks: ["lists.bounds.accepts"],
    ...refusing(
      ClosedPositions.endpoint.path,
      "endDate",
      ({ endDate, startDate }) => endDate !== undefined && startDate === endDate
    )
  }),
  mutant("bounds-limit", "closed positions can be listed only up to a limit of 99", {
    ...live,
    breaks: ["lists.bounds.accepts"],
    ...refusing(ClosedPositions.endpoint.path, "limit", ({ limit }) => limit === 100)
  }),
  mutant("bounds-candles-future", "candles can be listed up to a time in the future", {
    ...live,
    breaks: ["candles.bounds.refuses"],
    ...ofCandles((json, query) =>
      Json.isObject(json) && json["success"] === false && query.has("end") && !query.has("start")
        ? { success: true, message: null, result: [] }
        : json
    )
  }),
  mutant("bounds-candles-limit", "the highest limit of candles is 1439", {
    ...live,
    breaks: ["candles.bounds.accepts"],
    ...ofCandles((json, query) =>
      query.get("limit") === "1440"
        ? { success: false, message: { limit: ["Limit should not be greater than 1439."] }, result: null }
        : json
    )
  })
]

export const mutants: ReadonlyArray<Mutant> = [...filters, ...bounds]

/** Faults in calls that only the live exchange documents: an order's deals, the kill switch and conditional orders. */
import * as ActiveOrders from "../../../src/endpoints/ActiveOrders.ts"
import * as CancelConditionalOrder from "../../../src/endpoints/CancelConditionalOrder.ts"
import * as CancelOtoOrder from "../../../src/endpoints/CancelOtoOrder.ts"
import * as CollateralLimitOrders from "../../../src/endpoints/CollateralLimitOrders.ts"
import * as ConditionalOrders from "../../../src/endpoints/ConditionalOrders.ts"
import * as KillSwitch from "../../../src/endpoints/KillSwitch.ts"
import * as KillSwitchStatus from "../../../src/endpoints/KillSwitchStatus.ts"
import * as OrderDeals from "../../../src/endpoints/OrderDeals.ts"
import {
  answering,
  asking,
  changing,
  type Fields,
  type Instance,
  jsonOf,
  type Mutant,
  mutant,
  unnamed,
  withBody,
  without,
  withStatus
} from "./Mutant.ts"

const deals = OrderDeals.endpoint.path

const killSwitch = KillSwitch.endpoint.path
const killSwitchStatus = KillSwitchStatus.endpoint.path

const dialects = ["live"] as const

const dealMutants: ReadonlyArray<Mutant> = [
  mutant("deals-own-order", "dealOrderId is the requested order's id", {
    breaks: ["deals.counterparty"],
    make: () => {
      let asked: unknown
      return {
        ...asking(deals, (fields) => {
          asked = fields["orderId"]
          return fields
        }).make?.(),
        ...changing(deals, ["records", "*", "dealOrderId"], () => asked).make?.()
      }
    }
  }),
  mutant("deals-all-makers", "every deal shows the maker role", {
    breaks: ["deals.trade"],
    ...changing(deals, ["records", "*", "role"], () => 1)
  }),
  mutant("deals-total-in-base", "the total of a deal is its amount", {
    breaks: ["deals.trade"],
    ...answering(deals, "success", (json) => mapRecords(json, (deal) => ({ ...deal, deal: deal["amount"] })))
  }),
  mutant("deals-ids-of-sides", "the two sides of a trade show different ids", {
    breaks: ["deals.trade"],
    ...answering(
      deals,
      "success",
      (json) => mapRecords(json, (deal) => ({ ...deal, id: Number(deal["id"]) * 10 + Number(deal["role"]) }))
    )
  }),
  mutant("deals-of-everybody", "every order has a deal", {
    breaks: ["deals.isolation", "deals.unknown"],
    ...answering(deals, "success", (json) => ({ ...json as Fields, records: [{ id: 1 }] }))
  }),
  mutant("deals-unknown-order", "an order without deals is not found", {
    breaks: ["deals.unknown"],
    ...withStatus(422, ({ body }, { path }) => path === deals && body.includes("\"records\":[]"))
  }),
  mutant("deals-offset-ignored", "every page of deals is the first page", {
    breaks: ["deals.pages"],
    ...asking(deals, (fields) => without(fields, "offset"))
  }),
  mutant("deals-limit-100", "the default limit of deals is 100", {
    breaks: ["deals.pages"],
    ...asking(deals, (fields) => ({ limit: 100, ...fields }))
  }),
  mutant("deals-refusal-unnamed", "the refusal to list deals does not name the field", {
    breaks: ["deals.refusal"],
    ...unnamed(deals, "orderId", "limit", "offset")
  }),
  mutant("deals-refusal-400", "the refusal to list deals has HTTP 400", {
    breaks: ["deals.refusal"],
    ...withStatus(400, ({ status }, { path }) => path === deals && status === 422)
  })
]

/** Changes a page's records. */
const mapRecords = (json: unknown, change: (record: Fields) => Fields): unknown => {
  const page = json as Fields & { readonly records: ReadonlyArray<Fields> }
  return { ...page, records: page.records.map(change) }
}

/** Whether a kill switch is armed with these fields. */
const isArming = (fields: Fields): boolean => typeof fields["timeout"] === "string"

const killSwitchMutants: ReadonlyArray<Mutant> = [
  mutant("kill-switch-milliseconds", "a timer shows its start time in milliseconds", {
    breaks: ["kill-switch.timer"],
    ...changing(killSwitch, ["startTime"], (seconds) => Number(seconds) * 1000)
  }),
  mutant("kill-switch-without-types", "a timer does not show its types", {
    breaks: ["kill-switch.timer"],
    ...changing(killSwitch, ["types"], () => undefined)
  }),
  mutant("kill-switch-silent", "the status lists no timers", {
    breaks: ["kill-switch.timer", "kill-switch.again", "kill-switch.markets"],
    ...answering(killSwitchStatus, "success", () => [])
  }),
  mutant("kill-switch-never", "a timer's timeout is ten times as long as requested", {
    breaks: ["kill-switch.cancels", "kill-switch.types"],
    ...asking(
      killSwitch,
      (fields) =>
        isArming(fields) ? { ...fields, timeout: String(Math.min(600, Number(fields["timeout"]) * 10)) } : fields
    )
  }),
  mutant("kill-switch-early", "a timer's timeout is half as long as requested", {
    breaks: ["kill-switch.cancels", "kill-switch.again"],
    ...asking(killSwitch, (fields) =>
      isArming(fields) && Number(fields["timeout"]) >= 10
        ? { ...fields, timeout: String(Number(fields["timeout"]) / 2) }
        : fields)
  }),
  mutant("kill-switch-adds", "a timer that is armed again adds its timeout to the earlier cancellation time", {
    breaks: ["kill-switch.again"],
    make: () => {
      const ends = new Map<string, number>()
      return {
        answer: (answer, request) => {
          if (request.path !== killSwitch || answer.status >= 300) return answer
          const json = (jsonOf(answer) ?? {}) as Fields
          if (json["cancellationTime"] === undefined) return answer
          const key = String(request.headers["x-txc-apikey"])
          const [start, end] = [Number(json["startTime"]), Number(json["cancellationTime"])]
          const cancellationTime = Math.max(ends.get(key) ?? 0, start) + end - start
          ends.set(key, cancellationTime)
          return withBody(answer, { ...json, cancellationTime })
        }
      }
    }
  }),
  mutant("kill-switch-of-all-types", "a timer cancels orders of all types", {
    breaks: ["kill-switch.types"],
    ...asking(killSwitch, (fields) => isArming(fields) ? without(fields, "types") : fields)
  }),
  mutant("kill-switch-spot-only", "a timer without types cancels spot orders only", {
    breaks: ["kill-switch.cancels"],
    ...asking(killSwitch, (fields) => isArming(fields) ? { types: ["spot"], ...fields } : fields)
  }),
  mutant("kill-switch-armed-for-ever", "disarming is reported but not carried out", {
    breaks: ["kill-switch.disarm"],
    ...asking(killSwitch, (fields) => fields["timeout"] === null ? { ...fields, market: "ETH_USDT" } : fields)
  }),
  mutant("kill-switch-disarmed-object", "disarming returns an object", {
    breaks: ["kill-switch.disarm"],
    ...answering(killSwitch, "success", (json) => Array.isArray(json) ? {} : json)
  }),
  mutant("kill-switch-one-of-all-markets", "every timer is on the same market", {
    breaks: ["kill-switch.markets"],
    ...asking(killSwitch, (fields) => "market" in fields ? { ...fields, market: "BTC_USDT" } : fields)
  }),
  mutant("kill-switch-status-of-all", "the status of one market shows the timers of all markets", {
    breaks: ["kill-switch.markets"],
    ...asking(killSwitchStatus, (fields) => without(fields, "market"))
  }),
  mutant("kill-switch-of-everybody", "every account sees all timers", {
    breaks: ["kill-switch.isolation"],
    make: () => {
      let armed: unknown
      return {
        answer: (answer, request) => {
          if (answer.status === 200 && request.path === killSwitch) armed = jsonOf(answer)
          return request.path === killSwitchStatus ? withBody(answer, [armed]) : answer
        }
      }
    }
  }),
  mutant("kill-switch-loose", "a numeric or out-of-bounds timeout is treated as one minute", {
    breaks: ["kill-switch.refusal"],
    ...asking(killSwitch, (fields) => fields["timeout"] === null ? fields : { ...fields, timeout: "60" })
  })
]

const entry = CollateralLimitOrders.endpoint.path
const conditional = ConditionalOrders.endpoint.path
const cancelOto = CancelOtoOrder.endpoint.path
const cancelConditional = CancelConditionalOrder.endpoint.path

const isCancel = (path: string): boolean => path === cancelOto || path === cancelConditional

/** The take-profit and stop-loss legs that were canceled because the other leg was triggered. */
const canceledLegs = ({ state }: Instance) =>
  [...state.endedOrders.values()].flat().filter(({ oco, status, type }) =>
    type === "stop market" && oco !== undefined && status === "CANCELED"
  )

const conditionalMutants: ReadonlyArray<Mutant> = [
  mutant("oto-unseen", "the response to an order omits its take-profit and stop-loss", {
    breaks: ["oto.answer"],
    ...changing(entry, ["oto"], () => undefined)
  }),
  mutant("oto-named-as-order", "an order's take-profit and stop-loss group has the order's id", {
    breaks: ["oto.answer"],
    ...answering(entry, "success", (json) => {
      const { oto, orderId, ...order } = json as Fields
      return { ...order, orderId, ...(oto === undefined ? {} : { oto: { ...oto as Fields, otoId: orderId } }) }
    })
  }),
  mutant("oto-dropped", "take-profit and stop-loss are accepted and ignored", {
    breaks: ["oto.answer", "oto.listed", "oto.filled", "oto.exit"],
    ...asking(entry, (fields) => without(fields, "takeProfit", "stopLoss"))
  }),
  mutant("oto-swapped", "the list of conditional orders swaps the two prices", {
    breaks: ["oto.listed"],
    ...answering(
      conditional,
      "success",
      (json) =>
        mapRecords(json, ({ stopLossPrice, takeProfitPrice, ...record }) => ({
          ...record,
          stopLossPrice: takeProfitPrice,
          takeProfitPrice: stopLossPrice
        }))
    )
  }),
  mutant("oto-one-leg", "only the take-profit of two legs is placed", {
    breaks: ["oto.filled", "oto.exit"],
    ...asking(entry, (fields) => "takeProfit" in fields ? without(fields, "stopLoss") : fields)
  }),
  mutant("oto-exit-survives", "the untriggered exit stays open", {
    breaks: ["oto.exit"],
    make: () => ({
      answer: (answer, { path }, venue) => {
        const open = jsonOf(answer)
        if (path !== ActiveOrders.endpoint.path || !Array.isArray(open)) return answer
        const legs = canceledLegs(venue).map(({ id, side }) => ({ orderId: Number(id), side, type: "stop market" }))
        return withBody(answer, [...open, ...legs])
      }
    })
  }),
  mutant("oto-cancel-nothing", "the refused cancellation of a conditional order is reported as done", {
    breaks: ["oto.cancel", "conditional.cancel"],
    ...answering(isCancel, "refusal", () => [])
  }),
  mutant("oto-cancel-unnamed", "the refusal to cancel a conditional order does not name the unknown id", {
    breaks: ["oto.cancel", "conditional.cancel", "conditional.isolation"],
    ...answering(isCancel, "refusal", (json) => ({ ...json as Fields, errors: {} }))
  }),
  mutant("oto-cancel-object", "the cancellation of a conditional order returns an object", {
    breaks: ["oto.cancel", "conditional.cancel"],
    ...answering(isCancel, "success", () => ({}))
  }),
  mutant("oto-any-side", "a take-profit or stop-loss on the wrong side is ignored, not refused", {
    breaks: ["oto.side"],
    ...asking(entry, (fields) => without(fields, "takeProfit", "stopLoss"))
  }),
  mutant("oto-reduce-only", "a reduce-only order accepts take-profit and stop-loss", {
    breaks: ["oto.reduce-only.calls"],
    ...asking(entry, (fields) => fields["reduceOnly"] === true ? without(fields, "stopLoss", "takeProfit") : fields)
  }),
  mutant("conditional-snake-legs", "legs of conditional orders have the keys of OCO orders", {
    breaks: ["conditional.listed"],
    ...answering(conditional, "success", (json) =>
      mapRecords(json, ({ stopLoss, takeProfit, ...record }) => ({
        ...record,
        ...(stopLoss === undefined ? {} : { stop_loss: stopLoss, take_profit: takeProfit })
      })))
  }),
  mutant("conditional-total-of-page", "the total of conditional orders counts only the page", {
    breaks: ["conditional.listed"],
    ...answering(conditional, "success", (json) => {
      const page = json as Fields & { readonly records: ReadonlyArray<unknown> }
      return { ...page, total: page.records.length }
    })
  }),
  mutant("conditional-limit-50", "the default limit of conditional orders is 50", {
    breaks: ["conditional.listed"],
    ...asking(conditional, (fields) => ({ limit: 50, ...fields }))
  }),
  mutant("conditional-of-everybody", "every account sees all conditional orders", {
    breaks: ["conditional.isolation"],
    ...answering(conditional, "success", (json) => ({ ...json as Fields, records: [{ id: 1, type: "oto" }] }))
  }),
  mutant("conditional-clamped", "an invalid limit, offset or market of conditional orders is ignored", {
    breaks: ["conditional.refusal"],
    ...asking(conditional, () => ({}))
  })
]

export const mutants: ReadonlyArray<Mutant> = [...dealMutants, ...killSwitchMutants, ...conditionalMutants].map((
  mutant
) => ({
  ...mutant,
  dialects
}))

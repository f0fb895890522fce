/**
 * Faults in calls that only the live exchange's documentation describes: the deals of an order, the kill switch and
 * conditional orders.
 *
 * @since 0.1.0
 */
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
  {
    id: "deals-own-order",
    fault: "dealOrderId is the requested order's id",
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
  },
  {
    id: "deals-all-makers",
    fault: "every deal shows the maker role",
    breaks: ["deals.trade"],
    ...changing(deals, ["records", "*", "role"], () => 1)
  },
  {
    id: "deals-total-in-base",
    fault: "the total of a deal is its amount",
    breaks: ["deals.trade"],
    ...answering(deals, "success", (json) => mapRecords(json, (deal) => ({ ...deal, deal: deal["amount"] })))
  },
  {
    id: "deals-ids-of-sides",
    fault: "the two sides of a trade show different ids",
    breaks: ["deals.trade"],
    ...answering(
      deals,
      "success",
      (json) => mapRecords(json, (deal) => ({ ...deal, id: Number(deal["id"]) * 10 + Number(deal["role"]) }))
    )
  },
  {
    id: "deals-of-everybody",
    fault: "every order has a deal",
    breaks: ["deals.isolation", "deals.unknown"],
    ...answering(deals, "success", (json) => ({ ...json as Fields, records: [{ id: 1 }] }))
  },
  {
    id: "deals-unknown-order",
    fault: "an order without deals is not found",
    breaks: ["deals.unknown"],
    ...withStatus(422, ({ body }, { path }) => path === deals && body.includes("\"records\":[]"))
  },
  {
    id: "deals-offset-ignored",
    fault: "every page is the first one",
    breaks: ["deals.pages"],
    ...asking(deals, (fields) => without(fields, "offset"))
  },
  {
    id: "deals-limit-100",
    fault: "the default limit of deals is 100",
    breaks: ["deals.pages"],
    ...asking(deals, (fields) => ({ limit: 100, ...fields }))
  },
  {
    id: "deals-refusal-unnamed",
    fault: "a refusal does not name the field",
    breaks: ["deals.refusal"],
    ...unnamed(deals, "orderId", "limit", "offset")
  },
  {
    id: "deals-refusal-400",
    fault: "a wrong field is refused with HTTP 400",
    breaks: ["deals.refusal"],
    ...withStatus(400, ({ status }, { path }) => path === deals && status === 422)
  }
]

/** Changes the records of a page. */
const mapRecords = (json: unknown, change: (record: Fields) => Fields): unknown => {
  const page = json as Fields & { readonly records: ReadonlyArray<Fields> }
  return { ...page, records: page.records.map(change) }
}

/** Whether a kill switch is armed with these fields. */
const isArming = (fields: Fields): boolean => typeof fields["timeout"] === "string"

const killSwitchMutants: ReadonlyArray<Mutant> = [
  {
    id: "kill-switch-milliseconds",
    fault: "a timer shows its times in milliseconds",
    breaks: ["kill-switch.timer"],
    ...changing(killSwitch, ["startTime"], (seconds) => Number(seconds) * 1000)
  },
  {
    id: "kill-switch-without-types",
    fault: "a timer does not show its types",
    breaks: ["kill-switch.timer"],
    ...changing(killSwitch, ["types"], () => undefined)
  },
  {
    id: "kill-switch-silent",
    fault: "the status lists no timers",
    breaks: ["kill-switch.timer", "kill-switch.again", "kill-switch.markets"],
    ...answering(killSwitchStatus, "success", () => [])
  },
  {
    id: "kill-switch-never",
    fault: "the timer waits ten times as long",
    breaks: ["kill-switch.cancels", "kill-switch.types"],
    ...asking(
      killSwitch,
      (fields) =>
        isArming(fields) ? { ...fields, timeout: String(Math.min(600, Number(fields["timeout"]) * 10)) } : fields
    )
  },
  {
    id: "kill-switch-early",
    fault: "the timer waits half as long",
    breaks: ["kill-switch.cancels", "kill-switch.again"],
    ...asking(killSwitch, (fields) =>
      isArming(fields) && Number(fields["timeout"]) >= 10
        ? { ...fields, timeout: String(Number(fields["timeout"]) / 2) }
        : fields)
  },
  {
    id: "kill-switch-of-all-types",
    fault: "a timer cancels orders of all types",
    breaks: ["kill-switch.types"],
    ...asking(killSwitch, (fields) => isArming(fields) ? without(fields, "types") : fields)
  },
  {
    id: "kill-switch-spot-only",
    fault: "a timer without types cancels spot orders only",
    breaks: ["kill-switch.cancels"],
    ...asking(killSwitch, (fields) => isArming(fields) ? { types: ["spot"], ...fields } : fields)
  },
  {
    id: "kill-switch-armed-for-ever",
    fault: "disarming is reported, but not done",
    breaks: ["kill-switch.disarm"],
    ...asking(killSwitch, (fields) => fields["timeout"] === null ? { ...fields, market: "ETH_USDT" } : fields)
  },
  {
    id: "kill-switch-disarmed-object",
    fault: "disarming returns an object",
    breaks: ["kill-switch.disarm"],
    ...answering(killSwitch, "success", (json) => Array.isArray(json) ? {} : json)
  },
  {
    id: "kill-switch-one-of-all-markets",
    fault: "every timer is on the same market",
    breaks: ["kill-switch.markets"],
    ...asking(killSwitch, (fields) => "market" in fields ? { ...fields, market: "BTC_USDT" } : fields)
  },
  {
    id: "kill-switch-status-of-all",
    fault: "the status shows the timers of all markets for any market",
    breaks: ["kill-switch.markets"],
    ...asking(killSwitchStatus, (fields) => without(fields, "market"))
  },
  {
    id: "kill-switch-of-everybody",
    fault: "every account sees all timers",
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
  },
  {
    id: "kill-switch-loose",
    fault: "a numeric or out-of-bounds timeout counts as one minute",
    breaks: ["kill-switch.refusal"],
    ...asking(killSwitch, (fields) => fields["timeout"] === null ? fields : { ...fields, timeout: "60" })
  }
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
  {
    id: "oto-unseen",
    fault: "the answer to an order omits its take-profit and stop-loss",
    breaks: ["oto.answer"],
    ...changing(entry, ["oto"], () => undefined)
  },
  {
    id: "oto-named-as-order",
    fault: "the group has the id of its order",
    breaks: ["oto.answer"],
    ...answering(entry, "success", (json) => {
      const { oto, orderId, ...order } = json as Fields
      return { ...order, orderId, ...(oto === undefined ? {} : { oto: { ...oto as Fields, otoId: orderId } }) }
    })
  },
  {
    id: "oto-dropped",
    fault: "take-profit and stop-loss are accepted and ignored",
    breaks: ["oto.answer", "oto.listed", "oto.filled", "oto.exit"],
    ...asking(entry, (fields) => without(fields, "takeProfit", "stopLoss"))
  },
  {
    id: "oto-swapped",
    fault: "the list of conditional orders swaps the two prices",
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
  },
  {
    id: "oto-one-leg",
    fault: "only the take-profit of two legs is placed",
    breaks: ["oto.filled", "oto.exit"],
    ...asking(entry, (fields) => "takeProfit" in fields ? without(fields, "stopLoss") : fields)
  },
  {
    id: "oto-exit-survives",
    fault: "the untriggered leg stays open",
    breaks: ["oto.exit"],
    make: () => ({
      answer: (answer, { path }, venue) => {
        const open = jsonOf(answer)
        if (path !== ActiveOrders.endpoint.path || !Array.isArray(open)) return answer
        const legs = canceledLegs(venue).map(({ id, side }) => ({ orderId: Number(id), side, type: "stop market" }))
        return withBody(answer, [...open, ...legs])
      }
    })
  },
  {
    id: "oto-cancel-nothing",
    fault: "cancellations are reported, but not done",
    breaks: ["oto.cancel", "conditional.cancel"],
    ...answering(isCancel, "refusal", () => [])
  },
  {
    id: "oto-cancel-unnamed",
    fault: "errors does not name an id that is not found",
    breaks: ["oto.cancel", "conditional.cancel", "conditional.isolation"],
    ...answering(isCancel, "refusal", (json) => ({ ...json as Fields, errors: {} }))
  },
  {
    id: "oto-cancel-object",
    fault: "cancellations return an object",
    breaks: ["oto.cancel", "conditional.cancel"],
    ...answering(isCancel, "success", () => ({}))
  },
  {
    id: "oto-any-side",
    fault: "a price on the wrong side is corrected, not refused",
    breaks: ["oto.side"],
    ...asking(entry, (fields) => without(fields, "takeProfit", "stopLoss"))
  },
  {
    id: "oto-reduce-only",
    fault: "a reduce-only order accepts take-profit and stop-loss",
    breaks: ["oto.reduce-only"],
    ...asking(entry, (fields) => fields["reduceOnly"] === true ? without(fields, "stopLoss", "takeProfit") : fields)
  },
  {
    id: "conditional-snake-legs",
    fault: "legs of conditional orders have the keys of OCO orders",
    breaks: ["conditional.listed"],
    ...answering(conditional, "success", (json) =>
      mapRecords(json, ({ stopLoss, takeProfit, ...record }) => ({
        ...record,
        ...(stopLoss === undefined ? {} : { stop_loss: stopLoss, take_profit: takeProfit })
      })))
  },
  {
    id: "conditional-total-of-page",
    fault: "total counts the records of the page",
    breaks: ["conditional.listed"],
    ...answering(conditional, "success", (json) => {
      const page = json as Fields & { readonly records: ReadonlyArray<unknown> }
      return { ...page, total: page.records.length }
    })
  },
  {
    id: "conditional-limit-50",
    fault: "the default limit is 50",
    breaks: ["conditional.listed"],
    ...asking(conditional, (fields) => ({ limit: 50, ...fields }))
  },
  {
    id: "conditional-of-everybody",
    fault: "every account sees all conditional orders",
    breaks: ["conditional.isolation"],
    ...answering(conditional, "success", (json) => ({ ...json as Fields, records: [{ id: 1, type: "oto" }] }))
  },
  {
    id: "conditional-clamped",
    fault: "a wrong limit, offset or market is ignored",
    breaks: ["conditional.refusal"],
    ...asking(conditional, () => ({}))
  }
]

export const mutants: ReadonlyArray<Mutant> = [...dealMutants, ...killSwitchMutants, ...conditionalMutants].map((
  mutant
) => ({
  ...mutant,
  dialects
}))

/** Faults in orders that only the live exchange documents: stop orders, modified orders and bulk orders. */
import * as ActiveOrders from "../../../src/endpoints/ActiveOrders.ts"
import * as BulkLimitOrders from "../../../src/endpoints/BulkLimitOrders.ts"
import * as CancelBulkOrders from "../../../src/endpoints/CancelBulkOrders.ts"
import * as CancelOrder from "../../../src/endpoints/CancelOrder.ts"
import * as CollateralBulkLimitOrders from "../../../src/endpoints/CollateralBulkLimitOrders.ts"
import * as CollateralOcoOrders from "../../../src/endpoints/CollateralOcoOrders.ts"
import * as CollateralStopLimitOrders from "../../../src/endpoints/CollateralStopLimitOrders.ts"
import * as CollateralTriggerMarketOrders from "../../../src/endpoints/CollateralTriggerMarketOrders.ts"
import * as LimitOrders from "../../../src/endpoints/LimitOrders.ts"
import * as Markets from "../../../src/endpoints/Markets.ts"
import * as ModifyOrder from "../../../src/endpoints/ModifyOrder.ts"
import * as StopLimitOrders from "../../../src/endpoints/StopLimitOrders.ts"
import * as StopMarketOrders from "../../../src/endpoints/StopMarketOrders.ts"
import { answering, asking, calling, changing, type Fields, jsonOf, type Mutant, mutant } from "./Mutant.ts"
import { unnamed, withBody, withFields, without, withStatus } from "./Mutant.ts"

const stopMarket = StopMarketOrders.endpoint.path
const stopLimit = CollateralStopLimitOrders.endpoint.path
const triggerMarket = CollateralTriggerMarketOrders.endpoint.path

const paths: ReadonlyArray<string> = [stopMarket, stopLimit, triggerMarket]

const isStop = (path: string): boolean => paths.includes(path)

const stopMutants: ReadonlyArray<Mutant> = [
  mutant("live-stops-type", "a stop-market order shows the type market", {
    breaks: ["live-stops.waits"],
    ...answering(isStop, "success", (json) => ({ ...json as Fields, type: "market" }))
  }),
  mutant("live-stops-activated", "a waiting stop order is shown as activated", {
    breaks: ["live-stops.waits"],
    ...answering(isStop, "success", (json) => ({ ...json as Fields, activated: 1 }))
  }),
  mutant("live-stops-activation-price", "the response to a stop order has a different activation price", {
    breaks: ["live-stops.waits"],
    ...changing(triggerMarket, ["activation_price"], (price) => String(Number(price) + 1))
  }),
  mutant("trigger-market-rests", "a triggered stop-market order is a limit order at its activation price", {
    breaks: ["live-stops.market.trades", "live-stops.market.never-rests", "live-stops.waits"],
    ...calling(triggerMarket, stopLimit, (fields) => ({ ...fields, price: fields["activation_price"] }))
  }),
  mutant("stop-market-in-base", "a stop-market buy interprets its amount in the base currency", {
    breaks: ["live-stops.market.spends"],
    ...asking(
      stopMarket,
      (fields) =>
        fields["side"] === "buy" ? { ...fields, amount: String(Math.round(Number(fields["amount"]) * 2)) } : fields
    )
  }),
  mutant("stop-market-halved", "only half of a stop-market order is placed", {
    breaks: ["live-stops.market.base", "live-stops.market.trades"],
    make: () => ({
      request: (request, venue) =>
        request.path === triggerMarket || request.path === stopMarket
          ? withFields(venue, request, (fields) => ({ ...fields, amount: String(Number(fields["amount"]) / 2) }))
          : request
    })
  }),
  mutant("collateral-stop-limit-is-market", "a triggered margin stop-limit order trades beyond its limit", {
    breaks: ["live-stops.limit.rests"],
    ...calling(stopLimit, triggerMarket, ({ price: _price, ...fields }) => fields)
  }),
  mutant("live-stops-reduce-only-ignored", "reduceOnly of a stop order is ignored", {
    breaks: ["live-stops.reduce-only"],
    make: () => ({
      request: (request, venue) =>
        isStop(request.path)
          ? withFields(venue, request, ({ reduceOnly: _ignored, ...fields }) => fields)
          : request
    })
  }),
  mutant("live-stops-unnamed", "the refusal of a stop order does not name the missing field", {
    breaks: ["live-stops.refusal"],
    ...unnamed(stopMarket, "activation_price")
  }),
  mutant("live-stops-400", "a stop order with an invalid field is refused with HTTP 400", {
    breaks: ["live-stops.refusal"],
    ...withStatus(400, ({ status }, { path }) => isStop(path) && status === 422)
  }),
  mutant("live-stops-last-price", "an activation price equal to the last price is treated as lower", {
    breaks: ["live-stops.last-price"],
    make: () => ({
      request: (request, venue) =>
        isStop(request.path)
          ? withFields(venue, request, (fields) => ({
            ...fields,
            ...(fields["activation_price"] === undefined
              ? {}
              : { activation_price: String(Number(fields["activation_price"]) - 1) })
          }))
          : request
    })
  })
]

const modify = ModifyOrder.endpoint.path

const changeMutants: ReadonlyArray<Mutant> = [
  mutant("live-changes-old-id", "the response to a change has the old order's id", {
    breaks: ["live-changes.replaces"],
    make: () => {
      let asked: unknown
      return {
        ...asking(modify, (fields) => {
          asked = fields["orderId"]
          return fields
        }).make?.(),
        ...changing(modify, ["orderId"], (id) => asked ?? id).make?.()
      }
    }
  }),
  mutant("live-changes-nothing", "a changed order keeps its values", {
    breaks: ["live-changes.replaces", "live-changes.queue", "live-changes.trades"],
    ...calling(modify, CancelOrder.endpoint.path, ({ market, orderId }) => ({ market, orderId: orderId ?? 0 }))
  }),
  mutant("live-changes-amount-ignored", "a change of both price and amount ignores the amount", {
    breaks: ["live-changes.keeps"],
    ...asking(modify, (fields) => fields["price"] === undefined ? fields : without(fields, "amount"))
  }),
  mutant("live-changes-client-order-id", "a changed order shows no client order id", {
    breaks: ["live-changes.client-order-id"],
    ...changing(modify, ["clientOrderId"], () => "")
  }),
  mutant("live-changes-drops-what-does-not-apply", "a field that the order type does not have is ignored", {
    breaks: ["live-changes.inapplicable"],
    ...asking(modify, (fields) => ({ amount: "0.03", ...without(fields, "activationPrice", "total") }))
  }),
  mutant("live-changes-total-preferred", "the first of two conflicting fields takes precedence", {
    breaks: ["live-changes.refusal"],
    ...asking(modify, (fields) => ({
      ...fields,
      ...(fields["amount"] === undefined ? {} : { total: undefined }),
      ...(fields["orderId"] === undefined ? {} : { clientOrderId: undefined })
    }))
  }),
  mutant("live-changes-unknown-404", "changing an order that is not open returns HTTP 422", {
    breaks: ["live-changes.unknown"],
    ...withStatus(422, ({ status }, { path }) => path === modify && status === 400)
  }),
  mutant("live-changes-keeps-turn", "an order with an unchanged price keeps its place in the queue", {
    breaks: ["live-changes.queue", "live-changes.replaces"],
    make: () => ({
      request: (request, venue) =>
        request.path === modify
          ? {
            ...withFields(venue, request, ({ market, orderId }) => ({
              market,
              orderId: orderId ?? 0,
              request: ActiveOrders.endpoint.path
            })),
            path: ActiveOrders.endpoint.path
          }
          : request,
      answer: (answer, { path }) => {
        const listed = jsonOf(answer)
        return path === modify && Array.isArray(listed) ? withBody(answer, listed[0]) : answer
      }
    })
  })
]

const isBulk = (path: string) =>
  [BulkLimitOrders, CollateralBulkLimitOrders].some(({ endpoint }) => endpoint.path === path)
const cancelBulk = CancelBulkOrders.endpoint.path

/** Changes the list in a bulk call's response. */
const listing = (
  concerns: (path: string) => boolean,
  change: (items: ReadonlyArray<Fields>) => unknown
): Pick<Mutant, "make"> => ({
  make: () => ({
    answer: (answer, { path }) => {
      const items = jsonOf(answer)
      return concerns(path) && Array.isArray(items) ? withBody(answer, change(items)) : answer
    }
  })
})

/** Changes the orders in a bulk call's request. */
const ordering = (
  concerns: (path: string) => boolean,
  change: (orders: ReadonlyArray<Fields>, fields: Fields) => Fields
): Pick<Mutant, "make"> => ({
  make: () => ({
    request: (request, venue) =>
      concerns(request.path)
        ? withFields(venue, request, (fields) =>
          Array.isArray(fields["orders"]) ? { ...fields, ...change(fields["orders"], fields) } : fields)
        : request
  })
})

const bulkMutants: ReadonlyArray<Mutant> = [
  mutant("live-bulk-order", "the response to a bulk call is in reverse order", {
    breaks: ["live-bulk.places"],
    ...listing(isBulk, (items) => items.toReversed())
  }),
  mutant("live-bulk-first-only", "a bulk call places only its first order", {
    breaks: ["live-bulk.places", "live-bulk.apart"],
    ...ordering(isBulk, (orders) => ({ orders: orders.slice(0, 1) }))
  }),
  mutant("live-bulk-refusals-left-out", "refused orders are missing from the response to a bulk call", {
    breaks: ["live-bulk.apart", "live-bulk.not-there"],
    ...listing((path) => isBulk(path) || path === cancelBulk, (items) => items.filter(({ result }) => result !== null))
  }),
  mutant("live-bulk-always-stops", "the first refused order ends a bulk call", {
    breaks: ["live-bulk.apart"],
    ...ordering(isBulk, () => ({ stopOnFail: true }))
  }),
  mutant("live-bulk-never-stops", "stopOnFail has no effect", {
    breaks: ["live-bulk.stops"],
    ...ordering(isBulk, () => ({ stopOnFail: false }))
  }),
  mutant("live-bulk-any-count", "the first 20 of too many orders are placed", {
    breaks: ["live-bulk.refusal"],
    ...ordering(isBulk, (orders) => ({ orders: orders.slice(0, 20) }))
  }),
  mutant("live-bulk-cancels-first", "a bulk cancellation cancels only the first order", {
    breaks: ["live-bulk.cancels", "live-bulk.not-there"],
    ...ordering((path) => path === cancelBulk, (orders) => ({ orders: orders.slice(0, 1) }))
  }),
  mutant("live-bulk-no-client-order-id", "a canceled order shows no client order id", {
    breaks: ["live-bulk.cancels"],
    ...listing(
      (path) => path === cancelBulk,
      (items) => items.map(({ result, ...item }) => ({ ...item, result: { ...result as Fields, clientOrderId: "" } }))
    )
  }),
  mutant("live-bulk-nothing-to-cancel", "a call without orders to cancel succeeds", {
    breaks: ["live-bulk.cancel-refusal"],
    make: () => ({
      answer: (answer, { path }) =>
        path === cancelBulk && answer.status !== 200
          ? withBody({ ...answer, status: 200 }, [])
          : answer
    })
  })
]

const limitOrder = LimitOrders.endpoint.path
const stepped: ReadonlyArray<string> = [
  limitOrder,
  ...paths,
  StopLimitOrders.endpoint.path,
  CollateralOcoOrders.endpoint.path
]

/** Rounds values that are off their market's step, so that the sandbox accepts them. */
const aligned = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [
      key,
      typeof value === "string" && /(?:amount|price)$/u.test(key)
        ? Number(value).toFixed(key === "amount" ? 6 : 2)
        : value
    ])
  )

const stepMutants: ReadonlyArray<Mutant> = [
  mutant("live-steps-as-number", "the steps of a market are numbers", {
    breaks: ["live-steps.listed"],
    ...changing(Markets.endpoint.path, ["*", "tickSize"], Number)
  }),
  mutant("live-steps-rounded", "values off their market's step are rounded", {
    breaks: ["live-steps.refused"],
    make: () => ({
      request: (request, venue) => stepped.includes(request.path) ? withFields(venue, request, aligned) : request
    })
  }),
  mutant("live-steps-old-code", "values off their market's step are refused with the code of their field", {
    breaks: ["live-steps.refused"],
    ...answering(
      (path) => stepped.includes(path),
      "refusal",
      (json) => ({ ...json as Fields, code: (json as Fields)["code"] === 1 ? 30 : (json as Fields)["code"] })
    )
  }),
  mutant("live-steps-rounded-changes", "changes off a market's step are rounded", {
    breaks: ["live-steps.changes"],
    ...asking(modify, aligned)
  }),
  mutant("live-steps-rounded-in-bulk", "values off their market's step are rounded in bulk calls", {
    breaks: ["live-steps.bulk"],
    ...ordering(isBulk, (orders) => ({ orders: orders.map(aligned) }))
  })
]

export const mutants: ReadonlyArray<Mutant> = [...stopMutants, ...changeMutants, ...bulkMutants, ...stepMutants].map((
  mutant
) => ({
  dialects: ["live"],
  ...mutant
}))

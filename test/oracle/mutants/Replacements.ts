/** Faults in the orders that replace changed orders, and in details of the calls that place and cancel orders. */
import * as ActiveOrders from "../../../src/endpoints/ActiveOrders.ts"
import * as BulkLimitOrders from "../../../src/endpoints/BulkLimitOrders.ts"
import * as CancelAllOrders from "../../../src/endpoints/CancelAllOrders.ts"
import * as CancelBulkOrders from "../../../src/endpoints/CancelBulkOrders.ts"
import * as CancelOrder from "../../../src/endpoints/CancelOrder.ts"
import * as CollateralLimitOrders from "../../../src/endpoints/CollateralLimitOrders.ts"
import * as CollateralStopLimitOrders from "../../../src/endpoints/CollateralStopLimitOrders.ts"
import * as CollateralTriggerMarketOrders from "../../../src/endpoints/CollateralTriggerMarketOrders.ts"
import * as Fills from "../../../src/endpoints/Fills.ts"
import * as KillSwitch from "../../../src/endpoints/KillSwitch.ts"
import * as LimitOrders from "../../../src/endpoints/LimitOrders.ts"
import * as MarketOrders from "../../../src/endpoints/MarketOrders.ts"
import * as ModifyOrder from "../../../src/endpoints/ModifyOrder.ts"
import * as OrderHistory from "../../../src/endpoints/OrderHistory.ts"
import * as StopLimitOrders from "../../../src/endpoints/StopLimitOrders.ts"
import * as StopMarketOrders from "../../../src/endpoints/StopMarketOrders.ts"
import * as TradeBalance from "../../../src/endpoints/TradeBalance.ts"
import * as Json from "../../../src/protocol/Json.ts"
import {
  answering,
  asking,
  type Change,
  changedAt,
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

const modify = ModifyOrder.endpoint.path
const active = ActiveOrders.endpoint.path
const bulk = BulkLimitOrders.endpoint.path
const cancelBulk = CancelBulkOrders.endpoint.path
const limit = LimitOrders.endpoint.path
const collateralLimit = CollateralLimitOrders.endpoint.path

/** Changes the fields in calls to a path for which `when` is true. */
const askingWhen = (path: string, when: (fields: Fields) => boolean, change: (fields: Fields) => Fields): Change =>
  asking(path, (fields) => when(fields) ? change(fields) : fields)

/** Changes the orders in a call that places several. */
const ordering = (path: string, change: (order: Fields) => Fields): Change =>
  asking(path, (fields) =>
    Array.isArray(fields["orders"])
      ? { ...fields, orders: fields["orders"].map((order) => Json.isObject(order) ? change(order) : order) }
      : fields)

/** After a successful change of an order, changes the response to another call. */
const afterChange = (
  path: string,
  change: (json: unknown, ids: { readonly old: unknown; readonly new: unknown }) => unknown
): Change => ({
  make: () => {
    let ids: { readonly old: unknown; readonly new: unknown } | undefined
    return {
      answer: (answer, request) => {
        const json = jsonOf(answer)
        if (request.path === modify && answer.status === 200 && Json.isObject(json)) {
          ids = { old: fieldsOf(request)?.["orderId"], new: json["orderId"] }
        }
        return request.path === path && answer.status === 200 && ids !== undefined
          ? withBody(answer, change(json, ids))
          : answer
      }
    }
  }
})

/** Returns a field with at most two decimal places. */
const cut = (fields: Fields, key: string): Fields =>
  typeof fields[key] === "string" ? { [key]: fields[key].replace(/(\.\d\d)\d+$/u, "$1") } : {}

const opposite: Readonly<Record<string, string>> = { gte: "lte", lte: "gte" }

const changeMutants: ReadonlyArray<Mutant> = [
  mutant("replaced-condition-kept", "a changed stop order keeps its condition on the market's other side", {
    breaks: ["live-changes.like-new"],
    ...changing(modify, ["activationCondition"], (condition) => opposite[String(condition)] ?? condition)
  }),
  mutant("replaced-triggered-at-once", "a stop order that is moved to the market's other side no longer waits", {
    breaks: ["live-changes.like-new"],
    ...afterChange(
      active,
      (json, ids) =>
        changedAt(
          json,
          ["*"],
          (order) =>
            Json.isObject(order) && order["orderId"] === ids.new && Number(order["activation_price"]) === 36_000 &&
              order["side"] === "buy"
              ? { ...order, activated: 1 }
              : order
        )
    )
  }),
  mutant("replaced-triggered-early", "a stop order that is moved above the market is triggered far below its trigger", {
    breaks: ["live-changes.like-new"],
    ...askingWhen(
      modify,
      ({ activationPrice }) => activationPrice === "44000.00",
      (fields) => ({ ...fields, activationPrice: "40100.00" })
    )
  }),
  mutant("replaced-trigger-or-size", "a change of both trigger and size changes only the size", {
    breaks: ["live-changes.triggered"],
    ...askingWhen(
      modify,
      ({ amount, total }) => amount !== undefined || total !== undefined,
      (fields) => without(fields, "activationPrice")
    )
  }),
  mutant("replaced-size-or-trigger", "a change of both trigger and size changes only the trigger", {
    breaks: ["live-changes.triggered"],
    ...askingWhen(
      modify,
      ({ activationPrice }) => activationPrice !== undefined,
      (fields) => without(fields, "amount", "total")
    )
  }),
  mutant("replaced-fill-old-id", "the fill of a changed order shows the old order's id", {
    breaks: ["live-changes.triggered", "live-changes.crosses"],
    ...afterChange(
      Fills.endpoint.path,
      (json, ids) =>
        changedAt(
          json,
          ["*", "*"],
          (fill) => Json.isObject(fill) && fill["orderId"] === ids.new ? { ...fill, orderId: ids.old } : fill
        )
    )
  }),
  mutant("replaced-fill-unnamed", "the fill of a changed order shows no client order id", {
    breaks: ["live-changes.triggered", "live-changes.crosses"],
    ...afterChange(Fills.endpoint.path, (json) => changedAt(json, ["*", "*", "clientOrderId"], () => ""))
  }),
  mutant("replaced-crossing-maker", "a changed order that crosses the book trades as the maker", {
    breaks: ["live-changes.crosses"],
    ...afterChange(Fills.endpoint.path, (json) => changedAt(json, ["*", "*", "role"], () => 1))
  }),
  mutant("replaced-crossing-unshown", "the response to a change shows no fills", {
    breaks: ["live-changes.crosses"],
    ...answering(modify, "success", (json) => {
      const order = json as Fields
      return { ...order, dealStock: "0", dealMoney: "0", dealFee: "0", left: order["amount"], status: "OPEN" }
    })
  }),
  mutant("replaced-old-filled", "the old order of a change that trades is listed as filled", {
    breaks: ["live-changes.crosses"],
    ...afterChange(OrderHistory.endpoint.path, (json) => changedAt(json, ["*", "*", "status"], () => "FILLED"))
  }),
  mutant("replaced-crossing-locked", "a changed order that has traded locks its whole amount", {
    breaks: ["live-changes.crosses"],
    ...afterChange(
      TradeBalance.endpoint.path,
      (json) => changedAt(json, ["*", "freeze"], (freeze) => String(Number(freeze) * 1.5))
    )
  }),
  mutant("replaced-price-finer", "a changed price is cut to the market's decimal places", {
    breaks: ["live-changes.values"],
    ...asking(modify, (fields) => ({ ...fields, ...cut(fields, "price"), ...cut(fields, "activationPrice") }))
  }),
  mutant("replaced-margin-locks", "a changed margin order locks trade balance", {
    breaks: ["live-changes.crosses"],
    make: () => {
      let isMargin = false
      return {
        answer: (answer, { path }) => {
          if (path === collateralLimit) isMargin = true
          return path === TradeBalance.endpoint.path && isMargin
            ? withBody(answer, changedAt(jsonOf(answer), ["*", "freeze"], () => "0.02"))
            : answer
        }
      }
    }
  }),
  mutant("replaced-stp-forgotten", "the stp of a change is ignored", {
    breaks: ["live-changes.self-trade"],
    ...asking(modify, (fields) => without(fields, "stp"))
  }),
  mutant("replaced-stp-swapped", "a change's stp cancels the other order", {
    breaks: ["live-changes.self-trade"],
    ...asking(modify, (fields) => ({
      ...fields,
      ...(fields["stp"] === "cn" ? { stp: "co" } : fields["stp"] === "co" ? { stp: "cn" } : {})
    }))
  }),
  ...[CancelOrder.endpoint.path, cancelBulk].map((path) =>
    mutant(`replaced-old-id${path}`, "the old order id still names the changed order", {
      breaks: ["live-changes.ids"],
      make: () => {
        let changed: unknown
        const old = new Set<unknown>()
        const toNew = (item: Fields): Fields => old.has(item["orderId"]) ? { ...item, orderId: changed } : item
        return {
          request: (request, venue) =>
            request.path === path
              ? withFields(venue, request, (fields) =>
                Array.isArray(fields["orders"])
                  ? { ...fields, orders: fields["orders"].filter(Json.isObject).map(toNew) }
                  : toNew(fields))
              : request,
          answer: (answer, request) => {
            const json = jsonOf(answer)
            if (answer.status === 200 && Json.isObject(json)) {
              if (request.path === modify) changed = json["orderId"]
              else if (changed === undefined && json["clientOrderId"] !== "") old.add(json["orderId"])
            }
            return answer
          }
        }
      }
    })
  ),
  mutant("replaced-time", "a changed order shows the time of the old order", {
    breaks: ["live-changes.ids"],
    ...changing(modify, ["timestamp"], (time) => Number(time) - 120)
  }),
  mutant("replaced-position-side", "a changed order has the position side BOTH", {
    breaks: ["live-changes.ids"],
    ...afterChange(active, (json) => changedAt(json, ["*", "positionSide"], () => "BOTH"))
  }),
  mutant("replaced-numbers", "a change to a number is refused", {
    breaks: ["live-changes.numbers"],
    ...asking(modify, (fields) => ({
      ...fields,
      ...Object.fromEntries(
        ["price", "amount", "total", "activationPrice"].flatMap((key) =>
          typeof fields[key] === "number" ? [[key, "ten"]] : []
        )
      )
    }))
  }),
  mutant("replaced-buy-part", "the price change of a partly filled buy order restores its whole amount", {
    breaks: ["live-changes.part"],
    ...askingWhen(
      modify,
      ({ price }) => price === "38400.00",
      (fields) => ({ ...fields, amount: "0.04" })
    )
  })
]

/** Replaces the longer values of stp. */
const older = (order: Fields, stp: (mode: string) => string): Fields =>
  typeof order["stp"] === "string" && order["stp"].startsWith("cancel_") ? { ...order, stp: stp(order["stp"]) } : order

const requestMutants: ReadonlyArray<Mutant> = [
  mutant("requests-stp-bulk", "the items of a bulk call ignore stp", {
    breaks: ["live-options.stp"],
    ...ordering(bulk, (order) => without(order, "stp"))
  }),
  ...[limit, collateralLimit].flatMap((path) => [
    mutant(`requests-stp-older${path}`, "the older values of stp are treated as no", {
      breaks: ["live-options.stp"],
      ...asking(path, (fields) => older(fields, () => "no"))
    }),
    mutant(`requests-stp-both${path}`, "stp co cancels both orders", {
      breaks: ["live-options.stp"],
      ...asking(path, (fields) => fields["stp"] === "co" ? { ...fields, stp: "cb" } : fields)
    })
  ]),
  mutant("requests-best-bulk", "the roles of a bulk item at the best price are swapped", {
    breaks: ["matching.best.options"],
    ...ordering(
      bulk,
      (order) => order["bboRole"] === undefined ? order : { ...order, bboRole: order["bboRole"] === 1 ? 2 : 1 }
    )
  }),
  mutant("requests-best-ioc", "ioc is ignored with bboRole", {
    breaks: ["matching.best.options"],
    ...askingWhen(limit, ({ bboRole }) => bboRole !== undefined, (fields) => without(fields, "ioc"))
  }),
  ...[CollateralTriggerMarketOrders, StopMarketOrders].map(({ endpoint: { path } }) =>
    mutant(`requests-chain${path}`, "a stop order is not triggered by the fill of another triggered order", {
      breaks: ["live-stops.chain"],
      ...askingWhen(
        path,
        ({ activation_price }) => activation_price === "42400.00" || activation_price === "37600.00",
        (fields) => ({ ...fields, activation_price: fields["side"] === "buy" ? "48000.00" : "30000.00" })
      )
    })
  ),
  ...["ioc", "postOnly", "retail", "bboRole"].map((flag) =>
    mutant(`requests-flags-${flag}`, `a bulk item ignores ${flag} if another option excludes it`, {
      breaks: ["live-bulk.flags"],
      ...ordering(bulk, (order) => {
        const excluded = ["ioc", "postOnly", "retail", "rpi", "bboRole"].filter((key) => order[key] !== undefined)
        return excluded.length === 2 && excluded.includes(flag)
          ? { price: "20000.00", ...without(order, flag, "rpi") }
          : order
      })
    })
  ),
  mutant("requests-cancel-items", "a bulk cancellation with both ids uses the order id", {
    breaks: ["live-bulk.cancel-items"],
    ...ordering(cancelBulk, (item) => item["orderId"] === undefined ? item : without(item, "clientOrderId"))
  }),
  mutant("requests-cancel-items-code", "an invalid item of a bulk cancellation gets code 404", {
    breaks: ["live-bulk.cancel-items"],
    ...changing(cancelBulk, ["*", "error", "code"], () => 404)
  }),
  mutant("requests-cancel-hundred", "a call cancels at most 100 orders", {
    breaks: ["live-cancels.many"],
    make: () => {
      let placed = 0
      return {
        answer: (answer, { path }) => {
          const json = jsonOf(answer)
          if (path === bulk && Array.isArray(json)) placed += json.length
          return path === active && placed > 100 && Array.isArray(json) && json.length === 0
            ? withBody(answer, [{ orderId: 1, market: "BTC_USDT" }])
            : answer
        }
      }
    }
  }),
  mutant("requests-cancel-side", "the position side is ignored without a perpetual market", {
    breaks: ["live-cancels.side"],
    ...askingWhen(
      CancelAllOrders.endpoint.path,
      ({ market }) => market !== "BTC_PERP",
      (fields) => without(fields, "positionSide")
    )
  }),
  ...[MarketOrders, StopMarketOrders].map(({ endpoint: { path } }) =>
    mutant(`requests-least-cost${path}`, "the cost of a buy is raised to the market's minTotal", {
      breaks: ["live-terms.least-cost"],
      ...askingWhen(
        path,
        ({ amount, side }) => side === "buy" && Number(amount) < 10,
        (fields) => ({ ...fields, amount: "60" })
      )
    })
  ),
  mutant("requests-kill-null", "types null arms the kill switch for spot orders only", {
    breaks: ["kill-switch.null"],
    ...askingWhen(KillSwitch.endpoint.path, ({ types }) => types === null, (fields) => ({ ...fields, types: ["spot"] }))
  }),
  mutant("requests-kill-longest", "arming the kill switch again never shortens its timeout", {
    breaks: ["kill-switch.rearmed"],
    make: () => {
      let longest = 0
      return asking(KillSwitch.endpoint.path, (fields) => {
        longest = Math.max(longest, Number(fields["timeout"]))
        return { ...fields, timeout: String(longest) }
      }).make?.() ?? {}
    }
  }),
  ...[StopLimitOrders, CollateralStopLimitOrders].map(({ endpoint: { path } }) =>
    mutant(`requests-stop-rests${path}`, "a stop-limit order is in the book before it is triggered", {
      breaks: ["live-stops.triggered"],
      make: () => {
        let isPlaced = false
        return {
          answer: (answer, request) => {
            if (request.path === path) isPlaced = true
            const isLimit = request.path === limit || request.path === collateralLimit
            return isPlaced && isLimit && answer.status === 200
              ? withBody(answer, { ...jsonOf(answer) as Fields, dealStock: "0.01" })
              : answer
          }
        }
      }
    })
  ),
  mutant("requests-stop-priced", "the response to a stop-market order shows its activation price as the price", {
    breaks: ["live-stops.waits"],
    ...answering(StopMarketOrders.endpoint.path, "success", (json) => {
      const order = json as Fields
      return { ...order, price: order["activation_price"] }
    })
  }),
  mutant("requests-stop-best-price", "a stop-limit order with bboRole needs a price", {
    breaks: ["matching.best.options"],
    ...askingWhen(
      StopLimitOrders.endpoint.path,
      ({ price }) => price === undefined,
      (fields) => without(fields, "bboRole")
    )
  })
]

/** Changes the order of the n-th call to a path for which `when` is true, counted from 1. */
const askingNth = (
  path: string,
  when: (fields: Fields) => boolean,
  nth: (count: number) => boolean,
  change: (fields: Fields) => Fields
): Change => ({
  make: () => {
    const counts = new Map<unknown, number>()
    return askingWhen(path, when, (fields) => {
      const count = (counts.get(fields["clientOrderId"]) ?? 0) + 1
      counts.set(fields["clientOrderId"], count)
      return nth(count) ? change(fields) : fields
    }).make?.() ?? {}
  }
})

const isAgain = ({ clientOrderId }: Fields): boolean => String(clientOrderId).startsWith("again")

const strengthened: ReadonlyArray<Mutant> = [
  ...[CancelAllOrders.endpoint.path, cancelBulk].map((path) =>
    mutant(`requests-id-kept${path}`, "the client order id of an order that is canceled with others stays taken", {
      breaks: ["live-entry.client-order-id.again"],
      make: () => {
        let isCanceled = false
        const taken = askingWhen(limit, isAgain, (fields) => ({ ...fields, clientOrderId: "al ready used" })).make?.()
        return {
          request: (request, venue) => {
            if (request.path === path) isCanceled = true
            return isCanceled && taken?.request !== undefined ? taken.request(request, venue) : request
          }
        }
      }
    })
  ),
  mutant("requests-id-freed", "the client order id of an order is free once a part of the order is filled", {
    breaks: ["live-entry.client-order-id.again"],
    ...askingNth(collateralLimit, isAgain, (count) => count > 1, (fields) => without(fields, "clientOrderId"))
  }),
  mutant("requests-id-first", "a client order id names the first order that had it", {
    breaks: ["live-entry.client-order-id.again"],
    ...askingWhen(
      CancelOrder.endpoint.path,
      isAgain,
      (fields) => ({ ...without(fields, "clientOrderId"), orderId: 1 })
    )
  }),
  mutant("requests-id-trimmed", "spaces around a client order id are ignored", {
    breaks: ["live-options.client-order-id.form"],
    ...asking(limit, (fields) => {
      const { clientOrderId: id } = fields
      return typeof id === "string" ? { ...fields, clientOrderId: id.trim() } : fields
    })
  }),
  mutant("requests-part-last", "a partly filled order goes behind the other orders at its price", {
    breaks: ["matching.priority"],
    ...askingNth(
      limit,
      ({ amount, price }) => amount === "0.01" && price === "40400.00",
      (count) => count % 2 === 0,
      (fields) => ({ ...fields, price: "40399.99" })
    )
  }),
  mutant("requests-post-only-far", "a post-only order next to the best price is placed farther away", {
    breaks: ["live-terms.post-only"],
    ...askingWhen(
      limit,
      ({ postOnly, price }) => postOnly === true && (price === "39999.99" || price === "40000.01"),
      (fields) => ({ ...fields, price: fields["side"] === "buy" ? "39000.00" : "41000.00" })
    )
  }),
  ...[limit, collateralLimit].map((path) =>
    mutant(`requests-stp-default${path}`, "the default of stp is cn", {
      breaks: ["live-options.stp"],
      ...asking(path, (fields) => ({ stp: "cn", ...fields }))
    })
  ),
  mutant("requests-bulk-decimals", "the price of a bulk item is cut to the market's decimal places", {
    breaks: ["live-bulk.flags"],
    ...ordering(bulk, (order) => ({ ...order, price: String(order["price"]).replace(/(\.\d\d)\d+$/u, "$1") }))
  }),
  mutant("requests-cancel-releases-all", "canceling an order releases the funds of all orders", {
    breaks: ["order-answers.funds"],
    make: () => {
      let isCanceled = false
      return {
        answer: (answer, { path }) => {
          isCanceled ||= path === CancelOrder.endpoint.path
          return path === TradeBalance.endpoint.path && isCanceled
            ? withBody(answer, changedAt(jsonOf(answer), ["*", "freeze"], () => "0"))
            : answer
        }
      }
    }
  }),
  mutant("requests-canceled-stop", "a canceled stop order is triggered", {
    breaks: ["live-stops.locks"],
    make: () => {
      let isStop = false
      let canceled: unknown
      return {
        answer: (answer, { path }) => {
          const json = jsonOf(answer)
          if (path === StopMarketOrders.endpoint.path || path === StopLimitOrders.endpoint.path) isStop = true
          if (path === CancelOrder.endpoint.path && isStop && Json.isObject(json)) canceled = json["orderId"]
          return path === Fills.endpoint.path && canceled !== undefined
            ? withBody(answer, { BTC_USDT: [{ id: 1, orderId: canceled, side: "buy", role: 2, amount: "0.02" }] })
            : answer
        }
      }
    }
  }),
  mutant("requests-change-first-price", "a change of the amount restores the order's first price", {
    breaks: ["live-changes.client-order-id"],
    ...askingWhen(
      modify,
      ({ amount, clientOrderId }) => amount === "0.02" && String(clientOrderId).startsWith("change"),
      (fields) => ({ ...fields, price: "44000.00" })
    )
  }),
  mutant("requests-change-stp", "a change of stp alone is accepted", {
    breaks: ["live-changes.refusal"],
    ...askingWhen(
      modify,
      ({ amount, price, stp }) => stp !== undefined && amount === undefined && price === undefined,
      (fields) => ({ ...fields, amount: "0.03" })
    )
  })
]

export const mutants: ReadonlyArray<Mutant> = [...changeMutants, ...requestMutants, ...strengthened].map((
  one
): Mutant => ({
  ...one,
  dialects: ["live"]
}))

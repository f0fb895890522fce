/** Faults in the live exchange's limit orders: flags, client order ids, decimals and pages. */
import * as ActiveOrders from "../../../src/endpoints/ActiveOrders.ts"
import * as BulkLimitOrders from "../../../src/endpoints/BulkLimitOrders.ts"
import * as CancelBulkOrders from "../../../src/endpoints/CancelBulkOrders.ts"
import * as CancelConditionalOrder from "../../../src/endpoints/CancelConditionalOrder.ts"
import * as CancelOcoOrder from "../../../src/endpoints/CancelOcoOrder.ts"
import * as CollateralBulkLimitOrders from "../../../src/endpoints/CollateralBulkLimitOrders.ts"
import * as CollateralLimitOrders from "../../../src/endpoints/CollateralLimitOrders.ts"
import * as ConditionalOrders from "../../../src/endpoints/ConditionalOrders.ts"
import * as Fills from "../../../src/endpoints/Fills.ts"
import * as LimitOrders from "../../../src/endpoints/LimitOrders.ts"
import * as MarketOrders from "../../../src/endpoints/MarketOrders.ts"
import * as OrderDeals from "../../../src/endpoints/OrderDeals.ts"
import * as OrderHistory from "../../../src/endpoints/OrderHistory.ts"
import * as StockMarketOrders from "../../../src/endpoints/StockMarketOrders.ts"
import * as UnexecutedOcoOrders from "../../../src/endpoints/UnexecutedOcoOrders.ts"
import {
  answering,
  asking,
  calling,
  changing,
  type Fields,
  fieldsOf,
  jsonOf,
  type Mutant,
  mutant,
  withBody,
  without
} from "./Mutant.ts"

const active = ActiveOrders.endpoint.path
const bulk = BulkLimitOrders.endpoint.path
const cancelBulk = CancelBulkOrders.endpoint.path
const cancelConditional = CancelConditionalOrder.endpoint.path
const cancelOco = CancelOcoOrder.endpoint.path
const collateralBulk = CollateralBulkLimitOrders.endpoint.path
const collateralLimit = CollateralLimitOrders.endpoint.path
const conditional = ConditionalOrders.endpoint.path
const deals = OrderDeals.endpoint.path
const history = OrderHistory.endpoint.path
const limit = LimitOrders.endpoint.path
const ocoOrders = UnexecutedOcoOrders.endpoint.path

/** Changes the orders in a bulk call's request. */
const ordering = (path: string, change: (orders: ReadonlyArray<Fields>) => ReadonlyArray<Fields>) =>
  asking(path, (fields) => Array.isArray(fields["orders"]) ? { ...fields, orders: change(fields["orders"]) } : fields)

/** Removes a flag from requests that also set another flag. */
const dropping = (path: string, flag: string, other: string) =>
  asking(path, (fields) => fields[flag] === undefined || fields[other] === undefined ? fields : without(fields, flag))

const cut = (value: unknown, places: number): unknown =>
  typeof value === "string" && /\./u.test(value) ? value.slice(0, value.indexOf(".") + 1 + places) : value

/** Refuses an order if `isTaken` is true for its client order id. */
const taking = (path: string, isTaken: (seen: ReadonlyMap<string, unknown>, order: Fields) => boolean): Pick<
  Mutant,
  "make"
> => ({
  make: () => {
    const seen = new Map<string, unknown>()
    return {
      answer: (answer, request) => {
        const order = fieldsOf(request) ?? {}
        const { clientOrderId } = order
        if (typeof clientOrderId !== "string" || !request.path.includes("/order/") || answer.status !== 200) {
          return answer
        }
        const taken = request.path === path && isTaken(seen, order)
        seen.set(clientOrderId, order["market"])
        const errors = { clientOrderId: ["This client order id is already used by the current account."] }
        return taken
          ? withBody({ ...answer, status: 422 }, { code: 36, message: "Validation failed", errors })
          : answer
      }
    }
  }
})

const entryMutants: ReadonlyArray<Mutant> = [
  ...[limit, collateralLimit].flatMap((path): ReadonlyArray<Mutant> => [
    ...([["ioc", "postOnly"], ["ioc", "rpi"], ["postOnly", "rpi"]] as const).map(([flag, other]) =>
      mutant(`entry-${flag}-${other}${path}`, `${flag} is ignored if ${other} is set too`, {
        breaks: ["live-entry.flags"],
        // Without the sandbox's permission, the rpi flag alone would still be refused.
        ...(other === "rpi"
          ? asking(
            path,
            (fields) => fields[flag] === true && fields["rpi"] === true ? without(fields, flag, "rpi") : fields
          )
          : dropping(path, flag, other))
      })
    ),
    mutant(`entry-price-cut${path}`, "excess decimal places of a price are cut off", {
      breaks: ["live-entry.decimals"],
      ...asking(path, (fields) => ({ ...fields, price: cut(fields["price"], 2) }))
    }),
    mutant(`entry-amount-cut${path}`, "excess decimal places of an amount are cut off", {
      breaks: ["live-entry.decimals"],
      ...asking(path, (fields) => ({ ...fields, amount: cut(fields["amount"], 6) }))
    }),
    mutant(`entry-id-for-ever${path}`, "a client order id can never be used again", {
      breaks: ["live-entry.client-order-id.again"],
      ...taking(path, (seen, { clientOrderId, market }) => seen.get(String(clientOrderId)) === market)
    }),
    mutant(`entry-id-of-market${path}`, "a client order id can be used on one market only", {
      breaks: ["live-entry.client-order-id.market"],
      ...taking(path, (seen, { clientOrderId, market }) => (seen.get(String(clientOrderId)) ?? market) !== market)
    }),
    mutant(`entry-id-twice${path}`, "two open orders can have the same client order id", {
      breaks: ["live-entry.client-order-id.unique"],
      make: () => {
        const seen = new Set<unknown>()
        return asking(path, (fields) => {
          const { clientOrderId } = fields
          const isSeen = clientOrderId !== undefined && seen.has(clientOrderId)
          seen.add(clientOrderId)
          return isSeen ? without(fields, "clientOrderId") : fields
        }).make?.() ?? {}
      }
    })
  ]),
  mutant("entry-retail-rpi", "retail and rpi are ignored if both are set", {
    breaks: ["live-entry.flags"],
    ...asking(
      limit,
      (fields) => fields["retail"] === true && fields["rpi"] === true ? without(fields, "retail", "rpi") : fields
    )
  }),
  mutant("entry-best-post-only", "postOnly is ignored at the best price", {
    breaks: ["live-entry.flags"],
    ...asking(limit, (fields) =>
      fields["bboRole"] === 1 && fields["postOnly"] === true
        ? { ...without(fields, "bboRole", "postOnly"), price: "30000" }
        : fields)
  }),
  mutant("entry-best-ioc", "ioc is ignored in the queue at the best price", {
    breaks: ["live-entry.flags"],
    ...asking(limit, (fields) =>
      fields["bboRole"] === 1 && fields["ioc"] === true
        ? { ...without(fields, "bboRole", "ioc"), price: "30000" }
        : fields)
  }),
  mutant("entry-old-code", "flags that exclude each other are refused with the code of another field", {
    breaks: ["live-entry.flags"],
    ...answering(limit, "refusal", (json) => ({ ...json as Fields, code: 32 }))
  }),
  ...[bulk, collateralBulk].map((path) =>
    mutant(`bulk-id-twice${path}`, "two orders of one call can have the same client order id", {
      breaks: ["live-entry.client-order-id.unique"],
      ...ordering(
        path,
        (orders) =>
          orders.map((order, index) =>
            orders.findIndex(({ clientOrderId }) => clientOrderId === order["clientOrderId"]) === index
              ? order
              : without(order, "clientOrderId")
          )
      )
    })
  ),
  ...[bulk, collateralBulk].map((path) =>
    mutant(`bulk-first-id${path}`, "only the first order of a call gets its client order id", {
      breaks: ["live-bulk.apart"],
      ...ordering(path, (orders) => orders.map((order, index) => index === 0 ? order : without(order, "clientOrderId")))
    })
  ),
  mutant("cancel-bulk-any-count", "the first 100 of too many orders are canceled", {
    breaks: ["live-bulk.cancel-refusal"],
    ...ordering(cancelBulk, (orders) => orders.slice(0, 100))
  }),
  mutant("bulk-on-spot", "a margin bulk order is placed as a spot order", {
    breaks: ["order-answers.collateral"],
    ...calling(collateralBulk, bulk)
  }),
  mutant("limit-older-stp", "an order shows the older name of its stp, with which it was placed", {
    breaks: ["order-answers.stp"],
    ...answering(limit, "success", (json, request) => ({ ...json as Fields, stp: fieldsOf(request)?.["stp"] ?? "no" }))
  }),
  ...[StockMarketOrders, MarketOrders].map(({ endpoint: { path } }) =>
    mutant(`market-no-id${path}`, "a market order without client order id omits the field", {
      breaks: ["market-orders.answer"],
      ...changing(path, ["clientOrderId"], (id) => id === "" ? undefined : id)
    })
  ),
  mutant("market-nothing-left", "a partly filled market order has nothing left", {
    breaks: ["market-orders.rest"],
    ...changing(MarketOrders.endpoint.path, ["left"], () => "0")
  }),
  mutant("market-filled-in-part", "a partly filled market order is shown as filled", {
    breaks: ["market-orders.rest"],
    ...changing(StockMarketOrders.endpoint.path, ["status"], () => "FILLED")
  }),
  mutant("market-amount-spent", "a market buy shows the money spent as its amount", {
    breaks: ["market-orders.never-rests"],
    ...answering(MarketOrders.endpoint.path, "success", (json) => {
      const { dealMoney, side, ...order } = json as Fields
      return { ...order, dealMoney, side, ...(side === "buy" ? { amount: dealMoney } : {}) }
    })
  })
]

/** Mutants of the order lists and their pages. */
const pageMutants: ReadonlyArray<Mutant> = [
  mutant("deals-limit-shown", "the limit of deals is shown, but has no effect", {
    breaks: ["deals.pages"],
    make: () => ({
      ...asking(deals, (fields) => ({ ...fields, limit: 100 })).make?.(),
      answer: (answer, request) =>
        request.path === deals && answer.status === 200
          ? withBody(answer, { ...jsonOf(answer) as Fields, limit: fieldsOf(request)?.["limit"] ?? 50 })
          : answer
    })
  }),
  ...[active, history, Fills.endpoint.path].map((path) =>
    mutant(`offset-of-pages${path}`, "the offset counts pages", {
      breaks: ["order-lists.pages"],
      ...asking(path, (fields) => ({
        ...fields,
        ...(fields["offset"] === undefined ? {} : { offset: Number(fields["offset"]) * Number(fields["limit"] ?? 50) })
      }))
    })
  ),
  ...[active, history].map((path) =>
    mutant(`default-100${path}`, "a page has 100 orders by default", {
      breaks: ["live-pages.limit.default"],
      ...asking(path, (fields) => ({ limit: 100, ...fields }))
    })
  ),
  mutant("history-client-id-first", "the client order id takes precedence over the order id", {
    breaks: ["order-answers.ended"],
    ...asking(history, (fields) => fields["clientOrderId"] === undefined ? fields : without(fields, "orderId"))
  }),
  mutant("history-activated-flag", "order history shows a flag instead of the activation time", {
    breaks: ["live-stops.history"],
    ...changing(
      history,
      ["*", "*"],
      (order) => (order as Fields)["activationPrice"] === undefined ? order : { ...order as Fields, activated: 1 }
    )
  }),
  mutant("pairs-total-of-page", "the total of conditional orders counts only the page", {
    breaks: ["oco-orders.pages"],
    ...answering(conditional, "success", (json) => {
      const { records, ...page } = json as Fields & { readonly records: ReadonlyArray<unknown> }
      return { ...page, records, total: records.length }
    })
  }),
  mutant("pairs-trigger-on-both", "both legs of a listed OCO order show a trigger", {
    breaks: ["oco-orders.listed"],
    ...changing(ocoOrders, ["*", "take_profit"], (leg) => ({ ...leg as Fields, activated: 0 }))
  }),
  mutant("pairs-snake-legs", "the legs of conditional orders have keys in snake case", {
    breaks: ["oco-orders.listed"],
    ...changing(conditional, ["records", "*", "stopLoss"], (leg) => {
      const { activationPrice, ...rest } = leg as Fields
      return { ...rest, activation_price: activationPrice }
    })
  }),
  mutant("pairs-snake-take-profit", "the take-profits of conditional orders show post_only instead of postOnly", {
    breaks: ["oco-orders.listed"],
    ...changing(conditional, ["records", "*", "takeProfit"], (leg) => {
      const { postOnly, ...rest } = leg as Fields
      return { ...rest, post_only: postOnly }
    })
  }),
  ...[cancelOco, cancelConditional].map((path) =>
    mutant(`cancel-pair-on-any-market${path}`, "an OCO order can be canceled with the name of any market", {
      breaks: ["oco-orders.not-found"],
      ...asking(path, (fields) => ({ ...fields, market: "BTC_USDT" }))
    })
  ),
  mutant("cancel-pair-first-id", "an OCO order's order id takes precedence if there are two ids", {
    breaks: ["oco-orders.cancel-refusal"],
    ...asking(cancelOco, (fields) => fields["orderId"] === undefined ? fields : without(fields, "clientOrderId"))
  })
]

export const mutants: ReadonlyArray<Mutant> = [...entryMutants, ...pageMutants].map((mutant) => ({
  ...mutant,
  dialects: ["live"]
}))

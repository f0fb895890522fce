/** Faults that show only after an order was triggered, filled in part, refused or closed, or in one kind of call. */
import * as ActiveOrders from "../../../src/endpoints/ActiveOrders.ts"
import * as BulkLimitOrders from "../../../src/endpoints/BulkLimitOrders.ts"
import * as CancelAllOrders from "../../../src/endpoints/CancelAllOrders.ts"
import * as CancelBulkOrders from "../../../src/endpoints/CancelBulkOrders.ts"
import * as CancelOcoOrder from "../../../src/endpoints/CancelOcoOrder.ts"
import * as CancelOrder from "../../../src/endpoints/CancelOrder.ts"
import * as ClosedPositions from "../../../src/endpoints/ClosedPositions.ts"
import * as ClosePosition from "../../../src/endpoints/ClosePosition.ts"
import * as Codes from "../../../src/endpoints/Codes.ts"
import * as CollateralBulkLimitOrders from "../../../src/endpoints/CollateralBulkLimitOrders.ts"
import * as CollateralLeverage from "../../../src/endpoints/CollateralLeverage.ts"
import * as CollateralLimitOrders from "../../../src/endpoints/CollateralLimitOrders.ts"
import * as CollateralMarketOrders from "../../../src/endpoints/CollateralMarketOrders.ts"
import * as CollateralOcoOrders from "../../../src/endpoints/CollateralOcoOrders.ts"
import * as ConditionalOrders from "../../../src/endpoints/ConditionalOrders.ts"
import * as DeleteSubAccount from "../../../src/endpoints/DeleteSubAccount.ts"
import * as InterestPaymentHistory from "../../../src/endpoints/InterestPaymentHistory.ts"
import * as KillSwitch from "../../../src/endpoints/KillSwitch.ts"
import * as LimitOrders from "../../../src/endpoints/LimitOrders.ts"
import * as MarketOrders from "../../../src/endpoints/MarketOrders.ts"
import * as ModifyOrder from "../../../src/endpoints/ModifyOrder.ts"
import * as OpenPositions from "../../../src/endpoints/OpenPositions.ts"
import * as OrderHistory from "../../../src/endpoints/OrderHistory.ts"
import * as PositionHistory from "../../../src/endpoints/PositionHistory.ts"
import * as StockMarketOrders from "../../../src/endpoints/StockMarketOrders.ts"
import * as StopLimitOrders from "../../../src/endpoints/StopLimitOrders.ts"
import * as SubAccountApiKeys from "../../../src/endpoints/SubAccountApiKeys.ts"
import * as SubAccounts from "../../../src/endpoints/SubAccounts.ts"
import * as TradeBalance from "../../../src/endpoints/TradeBalance.ts"
import * as UnexecutedOcoOrders from "../../../src/endpoints/UnexecutedOcoOrders.ts"
import * as Json from "../../../src/protocol/Json.ts"
import * as Signature from "../../../src/protocol/Signature.ts"
import type { Request } from "../../../src/sandbox/gateway/Message.ts"
import {
  answering,
  asking,
  type Change,
  changedAt,
  changing,
  type Fields,
  fieldsOf,
  type Instance,
  jsonOf,
  type Mutant,
  mutant,
  withBody,
  withFields,
  without,
  withStatus,
  type Written
} from "./Mutant.ts"

const active = ActiveOrders.endpoint.path
const bulk = BulkLimitOrders.endpoint.path
const cancelAll = CancelAllOrders.endpoint.path
const cancelBulk = CancelBulkOrders.endpoint.path
const codes = Codes.endpoint.path
const collateralBulk = CollateralBulkLimitOrders.endpoint.path
const collateralLimit = CollateralLimitOrders.endpoint.path
const conditional = ConditionalOrders.endpoint.path
const history = OrderHistory.endpoint.path
const interest = InterestPaymentHistory.endpoint.path
const keys = SubAccountApiKeys.endpoint.path
const limit = LimitOrders.endpoint.path
const modify = ModifyOrder.endpoint.path
const oco = CollateralOcoOrders.endpoint.path
const ocoOrders = UnexecutedOcoOrders.endpoint.path
const stopLimit = StopLimitOrders.endpoint.path

const apiKeyOf = ({ headers }: Request): string => String(headers[Signature.headers.apiKey])

/** Changes the objects that contain an order, at any depth of successful responses to these paths. */
const orders = (paths: ReadonlyArray<string>, change: (order: Fields, venue: Instance) => Fields): Change => ({
  make: () => ({
    answer: (answer, request, venue) => {
      const visit = (json: unknown): unknown => {
        if (Array.isArray(json)) return json.map(visit)
        if (!Json.isObject(json)) return json
        const inner = Object.fromEntries(Object.entries(json).map(([key, value]) => [key, visit(value)]))
        return Object.hasOwn(inner, "side") ? change(inner, venue) : inner
      }
      return paths.includes(request.path) && answer.status < 300 ? withBody(answer, visit(jsonOf(answer))) : answer
    }
  })
})

/** Changes triggered orders in the lists. */
const triggered = (change: (order: Fields) => Fields): Change =>
  orders(
    [active, history],
    (order) => order["activated"] !== undefined && order["activated"] !== 0 ? change(order) : order
  )

/** Changes the fields in calls to a path for which `when` is true. */
const askingWhen = (path: string, when: (fields: Fields) => boolean, change: (fields: Fields) => Fields): Change =>
  asking(path, (fields) => when(fields) ? change(fields) : fields)

/** Keeps listing the open orders for which `when` is true, whatever happens to them. */
const kept = (when: (order: Fields) => boolean): Change => ({
  make: () => {
    const seen = new Map<string, Map<unknown, Fields>>()
    return {
      answer: (answer, request) => {
        const json = jsonOf(answer)
        if (request.path !== active || !Array.isArray(json)) return answer
        const own = seen.get(apiKeyOf(request)) ?? new Map<unknown, Fields>()
        seen.set(apiKeyOf(request), own)
        const shown = json.filter(Json.isObject)
        for (const order of shown) if (when(order)) own.set(order["orderId"], order)
        const ids = new Set(shown.map(({ orderId }) => orderId))
        return withBody(answer, [...shown, ...[...own.values()].filter(({ orderId }) => !ids.has(orderId))])
      }
    }
  }
})

const succeeding = (answer: Written): Written => withBody({ ...answer, status: 200 }, {})

/** Changes the error of each bulk item with this code. */
const recoded = (path: string, from: number, to: number): Change =>
  changing(
    path,
    ["*", "error"],
    (error) => Json.isObject(error) && error["code"] === from ? { ...error, code: to } : error
  )

const isSell = ({ side }: Fields): boolean => side === "sell"

// -----------------------------------------------------------------------------
// The document
// -----------------------------------------------------------------------------

const refusedPaths: ReadonlyArray<readonly [path: string, rule: string]> = [
  [codes, "codes.code.type"],
  [DeleteSubAccount.endpoint.path, "delete.id.type"],
  [stopLimit, "stop-limit.request.amount.type"],
  [oco, "oco.request.amount.type"],
  [cancelAll, "cancel-all.type.array"],
  [keys, "api-keys.filter.type"],
  [SubAccounts.endpoint.path, "sub-accounts.search.type"]
]

/** Faults in the form of refusals. */
const forms: ReadonlyArray<readonly [name: string, fault: string, change: (json: Fields) => Fields]> = [
  ["code-text", "the code is a string", (json) => ({ ...json, code: String(json["code"]) })],
  ["no-message", "the message is missing", (json) => without(json, "message")],
  ["errors-texts", "errors map parameters to strings", (json) => ({
    ...json,
    errors: changedAt(json["errors"], ["*"], (list) => Array.isArray(list) ? list.join() : list)
  })]
]

const refusalMutants: ReadonlyArray<Mutant> = refusedPaths.flatMap(([path, rule]) =>
  forms.map(([name, fault, change]) =>
    mutant(`followed-${name}${path}`, `in refusals of one call, ${fault}`, {
      breaks: [rule],
      dialects: ["document"],
      ...answering(path, "refusal", (json) => Json.isObject(json) ? change(json) : json)
    })
  )
)

const methodMutants: ReadonlyArray<Mutant> = [oco, cancelAll, codes, interest, limit].flatMap((path) =>
  ["GET", "PUT"].map((method) =>
    mutant(`followed-${method}${path}`, `one call is served with the method ${method}`, {
      breaks: ["general.private.post.only"],
      ...(path === limit ? { dialects: ["live"] as const } : {}),
      make: () => ({
        request: (request) =>
          request.path === path && request.method === method
            ? {
              ...request,
              method: "POST",
              body: method === "PUT"
                ? request.body
                : Buffer.from(String(request.headers[Signature.headers.payload]), "base64")
            }
            : request
      })
    })
  )
)

const stopMutants: ReadonlyArray<Mutant> = [
  ...["buy", "sell"].flatMap((side) => [
    mutant(`followed-triggered-price-${side}`, `a triggered ${side} shows its activation price as its price`, {
      breaks: [`activation.${side}.partly`, "live-stops.triggered"],
      ...triggered((order) =>
        order["side"] === side && order["price"] !== undefined
          ? { ...order, price: order["activation_price"] ?? order["activationPrice"] }
          : order
      )
    }),
    mutant(`followed-triggered-id-${side}`, `a triggered ${side} loses its client order id`, {
      breaks: [`activation.${side}.partly`, "live-stops.triggered"],
      ...triggered((order) =>
        order["side"] === side
          ? {
            ...order,
            ...(Object.hasOwn(order, "client_order_id") ? { client_order_id: "" } : { clientOrderId: "" })
          }
          : order
      )
    }),
    mutant(`followed-triggered-amount-${side}`, `a triggered ${side} shows its unfilled amount as its amount`, {
      breaks: [`activation.${side}.partly`, "live-stops.triggered"],
      ...triggered((order) =>
        order["side"] === side && order["left"] !== undefined ? { ...order, amount: order["left"] } : order
      )
    }),
    mutant(`followed-triggered-status-${side}`, `a partly filled ${side} stop order is shown as new`, {
      breaks: [`activation.${side}.partly`, "live-stops.triggered"],
      ...triggered((order) => {
        const isPart = order["status"] === "PARTIAL_FILLED" || order["status"] === "PARTIALLY_FILLED"
        const word = order["status"] === "PARTIAL_FILLED" ? "NEW" : "OPEN"
        return order["side"] === side && isPart ? { ...order, status: word } : order
      })
    })
  ]),
  mutant("followed-triggered-by-any-market", "a stop order is triggered by the price of any market", {
    breaks: ["activation.market"],
    ...orders([active], (order, { state }) => {
      const trigger = Number(order["activation_price"] ?? order["activationPrice"])
      const prices = [...state.trading.values()].map(({ lastPrice = 0n }) => Number(lastPrice) / 1e18)
      const isMet = prices.some((price) => price > 0 && (isSell(order) ? price <= trigger : price >= trigger))
      return isMet ? { ...order, activated: 1 } : order
    })
  }),
  ...["buy", "sell"].flatMap((side) => {
    const step = side === "buy" ? 0.01 : -0.01
    return [[-step, "before"], [step, "after"]].map(([by, when]) =>
      mutant(
        `followed-leg-${side}-${String(when)}`,
        `the stop-loss of a ${side} is triggered one step ${String(when)}`,
        {
          breaks: ["oco.stop-loss.trigger"],
          ...askingWhen(oco, (fields) => fields["side"] === side, (fields) => ({
            ...fields,
            activation_price: (Number(fields["activation_price"]) + Number(by)).toFixed(2)
          }))
        }
      )
    )
  }),
  ...["stop_loss", "take_profit"].map((leg) =>
    mutant(`followed-leg-time-${leg}`, `the times of the ${leg} are in the wrong time zone`, {
      breaks: ["general.times.now"],
      ...answering(oco, "success", (json) =>
        ["timestamp", "mtime"].reduce<unknown>(
          (pair, key) => changedAt(pair, [leg, key], (time) => Number(time) + 3600),
          json
        ))
    })
  ),
  ...["stop_loss", "take_profit"].map((leg) =>
    mutant(`followed-leg-id-${leg}`, `the ${leg} does not show the client order id`, {
      breaks: ["oco.client-order-id.legs"],
      dialects: ["document"],
      ...changing(oco, [leg, "client_order_id"], () => "")
    })
  ),
  mutant("followed-leg-id-live", "one leg of an OCO order shows a client order id", {
    breaks: ["oco.client-order-id.legs"],
    dialects: ["live"],
    ...changing(oco, ["take_profit", "clientOrderId"], () => "mine")
  }),
  mutant("followed-oco-one-market", "an OCO order is placed on one market only", {
    breaks: ["oco.markets.each"],
    ...askingWhen(oco, ({ market }) => market !== "BTC_USDT", (fields) => ({ ...fields, market: "NO_SUCH" }))
  }),
  ...[stopLimit, oco].map((path) =>
    mutant(`followed-id-used-up${path}`, "a refused order uses up its client order id", {
      breaks: [`${path === oco ? "oco" : "stop-limit"}.client-order-id.after-refusal`],
      make: () => {
        const used = new Set<string>()
        const idOf = (request: Request) => {
          const fields = fieldsOf(request) ?? {}
          const id = fields["clientOrderId"] ?? fields["client_order_id"]
          return request.path === path && typeof id === "string" ? id : undefined
        }
        return {
          request: (request, venue) =>
            used.has(idOf(request) ?? "")
              ? withFields(venue, request, (fields) => ({ ...fields, amount: "0" }))
              : request,
          answer: (answer, request) => {
            const id = idOf(request)
            if (id !== undefined && answer.status >= 400) used.add(id)
            return answer
          }
        }
      }
    })
  ),
  ...[stopLimit, oco].flatMap((path) =>
    [["amount", "1"], ["side", "buy"], ["market", "BTC_USDT"]].map(([key = "", value]) =>
      mutant(`followed-null-${key}${path}`, `null in place of ${key} counts as a default value`, {
        breaks: [`${path === oco ? "oco" : "stop-limit"}.request.${key}.required`],
        ...askingWhen(path, (fields) => fields[key] === null, (fields) => ({ ...fields, [key]: value }))
      })
    )
  )
]

const otherMutants: ReadonlyArray<Mutant> = [
  mutant("followed-key-prefix", "a restricted key may call all paths that begin with a listed one", {
    breaks: ["auth.key.endpoints.prefix"],
    make: () => ({
      before: ({ state }, request) => {
        const key = state.keys.get(apiKeyOf(request) as never)
        const isListed = key?.endpoints?.some(({ name }) => request.path.startsWith(`${name}/`)) === true
        if (key !== undefined && isListed) Object.assign(key, { endpoints: undefined })
      }
    })
  }),
  ...["document", "live"].map((dialect) =>
    mutant(`followed-ioc-filled-${dialect}`, "a partly filled immediate-or-cancel order is shown as filled", {
      breaks: ["orders.ioc"],
      dialects: [dialect === "live" ? "live" : "document"],
      ...orders([history], (order) => order["ioc"] === true ? { ...order, status: "FILLED" } : order)
    })
  ),
  mutant("followed-cancel-stops-elsewhere", "cancel-all of one market also cancels waiting orders on others", {
    breaks: ["cancel-all.stops"],
    ...askingWhen(cancelAll, ({ market }) => market === "BTC_PERP", (fields) => without(fields, "market"))
  }),
  mutant("followed-filled-left", "a filled order shows its amount as left", {
    breaks: ["status.filled"],
    ...orders([history], (order) => order["status"] === "FILLED" ? { ...order, left: order["amount"] } : order)
  }),
  mutant("followed-order-has-leg-id", "a stop-limit order has the id of the last OCO order's leg", {
    breaks: ["oco.ids.orders"],
    make: () => {
      let last: Fields = {}
      return {
        answer: (answer, { path }) => {
          const json = jsonOf(answer)
          if (answer.status !== 200 || !Json.isObject(json)) return answer
          const leg = json["take_profit"]
          if (path === oco && Json.isObject(leg)) {
            last = Object.fromEntries(Object.entries(leg).filter(([key]) => key === "order_id" || key === "orderId"))
          }
          return path === stopLimit ? withBody(answer, { ...json, ...last }) : answer
        }
      }
    }
  }),
  mutant("followed-nonces-forgotten", "only the last twenty nonces of a key are remembered", {
    breaks: ["auth.nonce.unique.later"],
    make: () => {
      const seen = new Map<string, Array<string>>()
      return {
        request: (request, venue) => {
          const fields = fieldsOf(request)
          if (fields?.["nonce"] === undefined) return request
          const nonces = seen.get(apiKeyOf(request)) ?? []
          seen.set(apiKeyOf(request), nonces)
          const nonce = String(fields["nonce"])
          const isForgotten = nonces.includes(nonce) && !nonces.slice(-20).includes(nonce)
          nonces.push(nonce)
          const next = Number(nonce) + 2000
          const unused = venue.dialect.policy.nonce === "unique"
            ? { nonce: next.toString() }
            : { nonce: next, nonceWindow: true }
          return isForgotten ? withFields(venue, request, (fields) => ({ ...fields, ...unused })) : request
        }
      }
    }
  })
]

const listMutants: ReadonlyArray<Mutant> = [
  ...["planId", "ticker"].map((key) =>
    mutant(`followed-payments-cached-${key}`, `the list of payments with a given ${key} never changes`, {
      breaks: ["interest.fresh"],
      make: () => {
        const first = new Map<string, Written>()
        return {
          answer: (answer, request) => {
            const value = fieldsOf(request)?.[key]
            if (request.path !== interest || value === undefined) return answer
            const known = first.get(`${apiKeyOf(request)} ${String(value)}`) ?? answer
            first.set(`${apiKeyOf(request)} ${String(value)}`, known)
            return known
          }
        }
      }
    })
  ),
  ...["planId", "investmentId", "amount", "ticker", "timestamp"].map((key) =>
    mutant(`followed-payments-${key}`, `all payments show the ${key} of the first one`, {
      breaks: ["interest.fields"],
      ...changing(interest, ["records"], (records) => {
        const [first]: ReadonlyArray<unknown> = Array.isArray(records) ? records : []
        return changedAt(records, ["*", key], (value) => Json.isObject(first) ? first[key] : value)
      })
    })
  ),
  mutant("followed-keys-one-each", "only one key of each sub-account is listed", {
    breaks: ["api-keys.together"],
    ...changing(keys, ["data"], (data) =>
      Array.isArray(data)
        ? [...new Map(data.filter(Json.isObject).map((key) => [key["subAccountId"], key])).values()]
        : data)
  }),
  mutant("followed-keys-state", "a key is shown in the state in which it was created", {
    breaks: ["api-keys.together"],
    make: () => {
      const first = new Map<unknown, unknown>()
      return {
        answer: (answer, request) =>
          request.path === keys && answer.status === 200
            ? withBody(
              answer,
              changedAt(jsonOf(answer), ["data", "*"], (key) => {
                if (!Json.isObject(key)) return key
                const isEnabled = first.get(key["apiKey"]) ?? key["isEnabled"]
                first.set(key["apiKey"], isEnabled)
                return { ...key, isEnabled }
              })
            )
            : answer
      }
    }
  }),
  ...[[interest, "interest"], [SubAccounts.endpoint.path, "sub-accounts"], [keys, "api-keys"]].map(([path = "", id]) =>
    mutant(`followed-past-the-end${path}`, "an offset of more than ten records beyond the end begins anew", {
      breaks: [`${String(id)}.offset.skips`],
      ...askingWhen(path, ({ offset }) => Number(offset) >= 10_000, (fields) => ({ ...fields, offset: 0 }))
    })
  ),
  mutant("followed-code-ticker", "every applied code shows the ticker of the first one", {
    breaks: ["codes.several"],
    make: () => {
      let ticker: unknown
      return {
        answer: (answer, request) =>
          request.path === codes && answer.status < 300
            ? withBody(answer, changedAt(jsonOf(answer), ["ticker"], (value) => ticker ??= value))
            : answer
      }
    }
  }),
  ...[["spot", "margin"], ["margin", "spot"]].map(([type, other]) =>
    mutant(`followed-cancel-stops-${String(type)}`, `cancel-all of ${String(type)} orders cancels all waiting orders`, {
      breaks: ["cancel-all.stops"],
      ...askingWhen(
        cancelAll,
        (fields) => JSON.stringify(fields["type"]) === JSON.stringify([type]),
        (fields) => ({ ...fields, type: [type, other] })
      )
    })
  ),
  mutant("followed-post-only-sell", "a sell order is never post-only", {
    breaks: ["orders.post-only"],
    ...askingWhen(limit, isSell, (fields) => without(fields, "postOnly"))
  }),
  mutant("followed-ioc-sell", "a sell order is never immediate-or-cancel", {
    breaks: ["orders.ioc"],
    ...askingWhen(limit, isSell, (fields) => without(fields, "ioc"))
  }),
  ...[
    ["NEW", "status.new"],
    ["OPEN", "status.new"],
    ["PARTIAL_FILLED", "status.partial-filled"],
    ["PARTIALLY_FILLED", "status.partial-filled"],
    ["PARTIAL_CANCELED", "status.partial-canceled"],
    ["CANCELED", "status.canceled"],
    ["FILLED", "status.filled"]
  ].map(([status, rule = ""]) =>
    mutant(`followed-sell-${String(status)}`, `a sell with status ${String(status)} is shown as pending`, {
      breaks: [rule],
      dialects: status === "OPEN" || status === "PARTIALLY_FILLED"
        ? ["live"]
        : status === "FILLED" || status === "CANCELED"
        ? ["document", "live"]
        : ["document"],
      ...orders(
        [active, history],
        (order) => isSell(order) && order["status"] === status ? { ...order, status: "PENDING" } : order
      )
    })
  )
]

// -----------------------------------------------------------------------------
// The live exchange's documentation
// -----------------------------------------------------------------------------

/** Lets every second order at the same price jump the queue by one price step. */
const jumping = (path: string): Change => ({
  make: () => {
    const seen = new Set<string>()
    return asking(path, (fields) => {
      const { price, side } = fields
      const isSecond = seen.has(`${String(price)}${String(side)}`)
      seen.add(`${String(price)}${String(side)}`)
      const better = Number(price) + (side === "buy" ? 0.01 : -0.01)
      return isSecond ? { ...fields, price: better.toFixed(2) } : fields
    }).make?.() ?? {}
  }
})

const liveMutants: ReadonlyArray<Mutant> = [
  mutant("followed-pair-listed", "an OCO order is still listed after its stop-loss was filled", {
    breaks: ["oco-orders.stopped"],
    make: () => {
      const first = new Map<string, string>()
      return {
        answer: (answer, request) => {
          if (request.path !== ocoOrders && request.path !== conditional) return answer
          const body = first.get(`${apiKeyOf(request)}${request.path}`) ?? answer.body
          first.set(`${apiKeyOf(request)}${request.path}`, body)
          return { ...answer, body }
        }
      }
    }
  }),
  mutant("followed-pair-no-position", "a filled OCO order opens no position", {
    breaks: ["oco-orders.stopped", "oco-orders.executed"],
    ...answering(OpenPositions.endpoint.path, "success", () => [])
  }),
  ...["buy", "sell"].map((side) =>
    mutant(`followed-reduce-only-${side}`, `a reduce-only ${side} stays open when its position is closed`, {
      breaks: ["reduce-only.ended", "reduce-only.ended.waiting"],
      ...kept((order) => order["reduceOnly"] === true && order["side"] === side)
    })
  ),
  ...[false, true].map((isStop) =>
    mutant(`followed-reduce-only-status-${String(isStop)}`, "the status of an ended reduce-only order is CANCELED", {
      breaks: [isStop ? "reduce-only.ended.waiting" : "reduce-only.ended"],
      ...orders(
        [history],
        (order) =>
          (order["activationPrice"] !== undefined) === isStop && order["status"] === "AUTO_CANCELED_REDUCE_ONLY"
            ? { ...order, status: "CANCELED" }
            : order
      )
    })
  ),
  ...[limit, collateralLimit].map((path) =>
    mutant(`followed-last-in-first-out${path}`, "the latest order at a price is matched first", {
      breaks: ["matching.priority"],
      ...jumping(path)
    })
  ),
  mutant("followed-best-swapped", "a limit order with bboRole is placed at the best price of the wrong side", {
    breaks: ["matching.best"],
    ...askingWhen(limit, ({ bboRole }) => bboRole !== undefined, (fields) => ({
      ...fields,
      bboRole: fields["bboRole"] === 1 ? 2 : 1
    }))
  }),
  ...[limit, collateralLimit].map((path) =>
    mutant(`followed-ioc${path}`, "the rest of an immediate-or-cancel order rests in the book", {
      breaks: ["matching.ioc"],
      ...asking(path, (fields) => without(fields, "ioc"))
    })
  ),
  ...[bulk, collateralBulk].map((path) =>
    mutant(`followed-ioc${path}`, "the rest of a bulk order with ioc rests in the book", {
      breaks: ["matching.ioc"],
      ...asking(path, (fields) =>
        Array.isArray(fields["orders"])
          ? { ...fields, orders: fields["orders"].map((order: Fields) => without(order, "ioc")) }
          : fields)
    })
  ),
  mutant("followed-conditional-code", "a change of a conditional order is refused with the code of an unknown order", {
    breaks: ["live-changes.conditional"],
    ...answering(modify, "refusal", (json) => Json.isObject(json) && json["code"] === 155 ? { ...json, code: 2 } : json)
  }),
  mutant("followed-conditional-changed", "a leg of an OCO order shows a changed price after a refused change", {
    breaks: ["live-changes.conditional"],
    make: () => {
      const changed = new Map<unknown, unknown>()
      return {
        answer: (answer, request) => {
          const fields = fieldsOf(request) ?? {}
          if (request.path === modify && fields["price"] !== undefined) changed.set(fields["orderId"], fields["price"])
          if (request.path !== active) return answer
          return withBody(
            answer,
            changedAt(jsonOf(answer), ["*"], (order) =>
              Json.isObject(order) && changed.has(order["orderId"])
                ? { ...order, price: changed.get(order["orderId"]) }
                : order)
          )
        }
      }
    }
  }),
  mutant("followed-refused-canceled", "an order is canceled if the balance does not cover its change", {
    breaks: ["live-changes.refused"],
    make: () => {
      const gone = new Set<unknown>()
      return {
        answer: (answer, request) => {
          const { orderId } = fieldsOf(request) ?? {}
          if (request.path === modify && answer.status >= 400) gone.add(orderId)
          const json = jsonOf(answer)
          return request.path === active && Array.isArray(json)
            ? withBody(answer, json.filter((order) => !Json.isObject(order) || !gone.has(order["orderId"])))
            : answer
        }
      }
    }
  }),
  mutant("followed-refused-code", "a change that the balance does not cover is refused like an unknown order", {
    breaks: ["live-changes.refused"],
    ...answering(modify, "refusal", (json) => Json.isObject(json) && json["code"] === 10 ? { ...json, code: 2 } : json)
  }),
  mutant("followed-refused-locked", "a refused change locks funds", {
    breaks: ["live-changes.refused"],
    make: () => {
      let isRefused = false
      return {
        answer: (answer, { path }) => {
          isRefused ||= path === modify && answer.status >= 400
          return path === TradeBalance.endpoint.path && isRefused
            ? withBody(
              answer,
              changedAt(jsonOf(answer), ["BTC", "freeze"], (units) => String(Number(units) + 0.01))
            )
            : answer
        }
      }
    }
  }),
  ...[limit, collateralLimit, bulk, collateralBulk].map((path) =>
    mutant(
      `followed-maker-code${path}`,
      "a post-only order that would match is refused with the code of other fields",
      {
        breaks: ["live-terms.post-only"],
        ...answering(path, "always", (json) =>
          JSON.parse(JSON.stringify(json).replace("\"code\":13", "\"code\":30")) as unknown)
      }
    )
  ),
  ...[limit, collateralLimit].flatMap((path) => [
    mutant(`followed-funds-status${path}`, "an order that the balance does not cover is refused with HTTP 403", {
      breaks: ["order-answers.no-funds"],
      ...withStatus(403, (answer, request) => request.path === path && answer.body.includes("\"code\":10,"))
    }),
    mutant(`followed-funds-key${path}`, "the refusal of an order that the balance does not cover names total", {
      breaks: ["order-answers.no-funds"],
      ...answering(
        path,
        "refusal",
        (json) =>
          Json.isObject(json) && json["code"] === 10 ? { ...json, errors: { total: ["Not enough balance."] } } : json
      )
    })
  ]),
  mutant("followed-funds-key-market", "the refusal of a market order that the balance does not cover names total", {
    breaks: ["market-orders.no-funds"],
    ...answering(
      MarketOrders.endpoint.path,
      "refusal",
      (json) =>
        Json.isObject(json) && json["code"] === 10 ? { ...json, errors: { total: ["Not enough balance."] } } : json
    )
  }),
  ...[
    [CancelOrder.endpoint.path, "order-answers.cancel.unknown"],
    [modify, "live-changes.unknown"],
    [CancelOcoOrder.endpoint.path, "oco-orders.not-found"]
  ].map(([path = "", rule = ""]) =>
    mutant(`followed-not-found-key${path}`, "the refusal of an unknown order names clientOrderId", {
      breaks: [rule],
      ...answering(path, "refusal", (json) =>
        Json.isObject(json) && json["code"] === 2
          ? { ...json, errors: { clientOrderId: ["Unexecuted order was not found."] } }
          : json)
    })
  ),
  ...[["amount", 32], ["price", 33], ["clientOrderId", 36]].map(([key, code]) =>
    mutant(`followed-code-30-${String(key)}`, `an invalid ${String(key)} is refused with code 30`, {
      breaks: ["live-terms.values"],
      ...answering(
        (path) => path.startsWith("/api/v4/order/"),
        "refusal",
        (json) => Json.isObject(json) && json["code"] === code ? { ...json, code: 30 } : json
      )
    })
  ),
  mutant("followed-buy-locked", "a changed buy locks the funds from before the change", {
    breaks: ["live-changes.keeps"],
    make: () => {
      let before: number | undefined
      return {
        answer: (answer, { path }) => {
          const json = jsonOf(answer) as Fields
          if (path === limit && json["side"] === "buy") before = Number(json["amount"]) * Number(json["price"])
          return path === TradeBalance.endpoint.path && before !== undefined
            ? withBody(answer, changedAt(json, ["USDT", "freeze"], () => String(before)))
            : answer
        }
      }
    }
  }),
  mutant("followed-changed-buy", "a changed buy never trades at once", {
    breaks: ["live-changes.trades"],
    ...orders([history, active], (order) => order["side"] === "buy" ? { ...order, dealStock: "0" } : order)
  }),
  mutant("followed-closed-changed", "a change of a closed order succeeds", {
    breaks: ["live-changes.closed"],
    make: () => ({
      answer: (answer, { path }) => {
        const json = jsonOf(answer)
        const isMissing = Json.isObject(json) && (json["code"] === 2 || json["code"] === 6)
        return path === modify && isMissing ? succeeding(answer) : answer
      }
    })
  }),
  ...[bulk, collateralBulk].flatMap((path) => [
    mutant(`followed-bulk-32${path}`, "a bulk order with an invalid amount shows the code for other fields", {
      breaks: ["live-bulk.errors"],
      ...recoded(path, 32, 30)
    }),
    mutant(`followed-bulk-33${path}`, "a bulk order with an invalid price shows the code for other fields", {
      breaks: ["live-bulk.errors"],
      ...recoded(path, 33, 30)
    }),
    mutant(`followed-bulk-36${path}`, "a bulk order with an invalid client order id shows the code for other fields", {
      breaks: ["live-bulk.errors"],
      ...recoded(path, 36, 30)
    }),
    mutant(`followed-bulk-37${path}`, "a bulk order with ioc and postOnly shows the code for other fields", {
      breaks: ["live-bulk.errors"],
      ...recoded(path, 37, 30)
    }),
    mutant(`followed-bulk-10${path}`, "a bulk order that the balance does not cover shows the code for other fields", {
      breaks: ["live-bulk.no-funds"],
      ...recoded(path, 10, 30)
    }),
    mutant(`followed-total${path}`, "a bulk order with a small total shows an error that names price", {
      breaks: ["live-entry.total"],
      ...changing(path, ["*", "error", "errors"], (errors) => {
        const { amount, total, ...others } = errors as Fields
        const messages = total ?? amount
        return messages === undefined ? others : { ...others, price: messages }
      })
    })
  ]),
  ...[limit, collateralLimit].flatMap((path) => [
    mutant(`followed-total${path}`, "the refusal of a total names price", {
      breaks: ["live-entry.total"],
      ...answering(path, "refusal", (json) => {
        const { amount, total, ...others } = (Json.isObject(json) ? json["errors"] ?? {} : {}) as Fields
        const messages = total ?? amount
        return { ...json as Fields, errors: messages === undefined ? others : { ...others, price: messages } }
      })
    }),
    mutant(`followed-total-loose${path}`, "a total just below the minimum is accepted", {
      breaks: ["live-entry.total"],
      ...askingWhen(path, ({ amount, price }) => Number(amount) * Number(price) < 100, (fields) => ({
        ...fields,
        price: (Number(fields["price"]) + 1).toFixed(2)
      }))
    })
  ]),
  ...[bulk, collateralBulk].map((path) =>
    mutant(`followed-stop-on-fail${path}`, "stopOnFail has no effect on orders that the balance does not cover", {
      breaks: ["live-bulk.stops"],
      ...askingWhen(
        path,
        ({ orders }) => Array.isArray(orders) && orders.some((order: Fields) => order["amount"] === "10"),
        (fields) => without(fields, "stopOnFail")
      )
    })
  ),
  ...[bulk, collateralBulk].map((path) =>
    mutant(`followed-stop-anyway${path}`, "a stopOnFail of false stops after the first refused order", {
      breaks: ["live-bulk.apart"],
      ...askingWhen(path, ({ stopOnFail }) => stopOnFail === false, (fields) => ({ ...fields, stopOnFail: true }))
    })
  ),
  mutant("followed-executed-canceled", "an OCO order that is no longer open is reported as canceled again", {
    breaks: ["oco-orders.executed"],
    make: () => ({
      answer: (answer, { path }) =>
        path === CancelOcoOrder.endpoint.path && answer.status === 400 ? succeeding(answer) : answer
    })
  }),
  mutant("followed-cancel-first-market", "a bulk cancellation cancels only orders on the market of the first one", {
    breaks: ["live-bulk.cancels.kinds"],
    ...asking(cancelBulk, (fields) => {
      const [first]: ReadonlyArray<unknown> = Array.isArray(fields["orders"]) ? fields["orders"] : []
      const market = Json.isObject(first) ? first["market"] : undefined
      return { ...fields, orders: changedAt(fields["orders"], ["*", "market"], () => market) }
    })
  }),
  ...[MarketOrders, CollateralMarketOrders].map(({ endpoint: { path } }) =>
    mutant(`followed-id-twice${path}`, "a market order can have the client order id of an open order", {
      breaks: ["live-entry.client-order-id.kinds"],
      ...asking(path, (fields) => without(fields, "clientOrderId"))
    })
  ),
  mutant("followed-id-twice-oco", "an OCO order can have the client order id of an open limit order", {
    breaks: ["live-entry.client-order-id.kinds"],
    make: () => {
      const seen = new Set<unknown>()
      return {
        request: (request, venue) => {
          const { clientOrderId } = fieldsOf(request) ?? {}
          if (request.path === limit && clientOrderId !== undefined) seen.add(clientOrderId)
          return request.path === oco && seen.has(clientOrderId)
            ? withFields(venue, request, (fields) => without(fields, "clientOrderId"))
            : request
        }
      }
    }
  }),
  mutant("followed-open-beyond", "an offset past the last open order of all markets is ignored", {
    breaks: ["order-lists.pages.all"],
    ...askingWhen(active, ({ market, offset }) => market === undefined && Number(offset) > 2, (fields) => ({
      ...fields,
      offset: 0
    }))
  }),
  ...[active, history].map((path) =>
    mutant(`followed-far-beyond${path}`, "an offset far past the last order is ignored", {
      breaks: ["order-lists.pages"],
      ...askingWhen(path, ({ offset }) => Number(offset) === 1000, (fields) => ({ ...fields, offset: 0 }))
    })
  ),
  mutant("followed-closed-beyond", "a page past the last closed position is the last page", {
    breaks: ["margin.closed.pages"],
    ...askingWhen(ClosedPositions.endpoint.path, ({ offset }) => Number(offset) > 1, (fields) => ({
      ...fields,
      offset: 1
    }))
  }),
  mutant("followed-close-other-side", "in hedge mode, the position on the other side is closed", {
    breaks: ["margin.close.side"],
    make: () => {
      let shown: ReadonlyArray<Fields> = []
      return {
        request: (request, venue) =>
          request.path === ClosePosition.endpoint.path
            ? withFields(venue, request, (fields) => ({
              ...fields,
              positionId: shown.find(({ positionId }) => positionId !== fields["positionId"])?.["positionId"] ??
                fields["positionId"]
            }))
            : request,
        answer: (answer, { path }) => {
          const json = jsonOf(answer)
          if (path === OpenPositions.endpoint.path && Array.isArray(json)) shown = json.filter(Json.isObject)
          return answer
        }
      }
    }
  }),
  ...[ClosedPositions, PositionHistory].map(({ endpoint: { path } }) =>
    mutant(`followed-close-side${path}`, "a history shows the side BOTH in hedge mode", {
      breaks: ["margin.close.side"],
      ...answering(
        path,
        "success",
        (json) =>
          JSON.parse(JSON.stringify(json).replaceAll(/"side":"(?:LONG|SHORT)"/gu, "\"side\":\"BOTH\"")) as unknown
      )
    })
  ),
  mutant("followed-nonce-text", "nonces in strings are refused", {
    breaks: ["auth.nonce.text"],
    make: () => ({
      request: (request, venue) =>
        withFields(
          venue,
          request,
          (fields) => typeof fields["nonce"] === "string" ? { ...fields, nonce: true } : fields
        )
    })
  }),
  ...[MarketOrders, StockMarketOrders, CollateralMarketOrders].map(({ endpoint: { path } }) =>
    mutant(`followed-stp${path}`, "a market order ignores stp", {
      breaks: ["matching.stp"],
      ...asking(path, (fields) => without(fields, "stp"))
    })
  ),
  mutant("followed-one-way-long", "an order that buys shows the position side LONG in one-way mode", {
    breaks: ["margin.side-one-way"],
    ...orders([active], (order) => order["side"] === "buy" ? { ...order, positionSide: "LONG" } : order)
  }),
  ...["market", "positionId"].map((key) =>
    mutant(`followed-close-${key}`, `the only position is closed, whatever the ${key}`, {
      breaks: ["margin.close.refusal"],
      make: () => ({
        request: (request, venue) => {
          const account = venue.state.keys.get(apiKeyOf(request) as never)?.account ?? ""
          const [position] = venue.state.positionsOf.get(account) ?? []
          return request.path === ClosePosition.endpoint.path && position !== undefined
            ? withFields(venue, request, (fields) => ({
              ...fields,
              ...(key === "market" ? { market: position.market } : { positionId: position.id })
            }))
            : request
        }
      })
    })
  ),
  mutant("followed-history-of-all", "the changes of a position are shown to every account that names it", {
    breaks: ["margin.isolation"],
    make: () => {
      const known = new Map<unknown, unknown>()
      return {
        answer: (answer, request) => {
          const json = jsonOf(answer)
          if (request.path !== PositionHistory.endpoint.path || !Array.isArray(json)) return answer
          for (const record of json) if (Json.isObject(record)) known.set(record["positionId"], record)
          const record = known.get(fieldsOf(request)?.["positionId"])
          return json.length === 0 && record !== undefined ? withBody(answer, [record]) : answer
        }
      }
    }
  }),
  ...[CancelOrder.endpoint.path, modify].map((path) =>
    mutant(`followed-shared-id${path}`, "a client order id names the oldest order of all accounts", {
      breaks: ["live-entry.client-order-id.own"],
      make: () => {
        const gone = new Set<unknown>()
        return {
          answer: (answer, request, { state }) => {
            const { clientOrderId } = fieldsOf(request) ?? {}
            const all = [...state.accounts.keys()].flatMap((account) => [...state.openOrders.latest(account)])
            const oldest = all.filter((order) => order.clientOrderId === clientOrderId)
              .toSorted((one, other) => Number(one.id) - Number(other.id))[0]
            if (request.path === path && answer.status < 300 && oldest !== undefined) gone.add(Number(oldest.id))
            const json = jsonOf(answer)
            return request.path === active && Array.isArray(json)
              ? withBody(answer, json.filter((order) => !Json.isObject(order) || !gone.has(Number(order["orderId"]))))
              : answer
          }
        }
      }
    })
  ),
  mutant("followed-window-used", "with nonceWindow, a nonce can be used twice", {
    breaks: ["auth.nonce.window.unique"],
    make: () => {
      const seen = new Set<string>()
      return {
        request: (request, venue) => {
          const { nonce, nonceWindow } = fieldsOf(request) ?? {}
          const key = `${apiKeyOf(request)} ${String(nonce)}`
          const isUsed = nonceWindow === true && seen.has(key)
          seen.add(key)
          return isUsed ? withFields(venue, request, (fields) => ({ ...fields, nonce: Number(nonce) + 7 })) : request
        }
      }
    }
  }),
  mutant("followed-flipped-price", "a flipped position keeps the entry price of the closed one", {
    breaks: ["positions.flipped"],
    make: () => {
      const first = new Map<string, unknown>()
      return {
        answer: (answer, request, { state }) => {
          const [account] = [state.keys.get(apiKeyOf(request) as never)?.account ?? ""]
          const [position] = state.positionsOf.get(account) ?? []
          if (position !== undefined && position.openedFor > 0n && !first.has(account)) {
            first.set(account, String(Number(position.openedFor) / Number(position.opened)))
          }
          return request.path === OpenPositions.endpoint.path
            ? withBody(answer, changedAt(jsonOf(answer), ["*", "basePrice"], (price) => first.get(account) ?? price))
            : answer
        }
      }
    }
  }),
  mutant("followed-triggered-locked", "a triggered spot order locks twice its funds", {
    breaks: ["live-stops.triggered"],
    ...changing(TradeBalance.endpoint.path, ["*", "freeze"], (units) => String(2 * Number(units)))
  }),
  mutant("followed-side-both", "open orders show the position side BOTH in hedge mode", {
    breaks: ["margin.side-shown"],
    ...orders([active], (order) => ({ ...order, positionSide: "BOTH" }))
  }),
  mutant("followed-side-bulk", "a bulk order without a position side trades the long position in hedge mode", {
    breaks: ["margin.side-required.bulk"],
    ...asking(collateralBulk, (fields) => ({
      ...fields,
      orders: changedAt(
        fields["orders"],
        ["*"],
        (order) => Json.isObject(order) ? { ...order, positionSide: "LONG" } : order
      )
    }))
  }),
  mutant("followed-side-oco", "an OCO order without a position side trades the long position in hedge mode", {
    breaks: ["margin.side-required"],
    ...askingWhen(
      oco,
      ({ positionSide }) => positionSide === undefined || positionSide === "BOTH",
      (fields) => ({ ...fields, positionSide: "LONG" })
    )
  }),
  mutant("followed-leverage-shown", "a leverage of 1 is shown, but has no effect", {
    breaks: ["margin.leverage.applies"],
    make: () => ({
      ...askingWhen(CollateralLeverage.endpoint.path, ({ leverage }) => leverage === 1, (fields) => ({
        ...fields,
        leverage: 10
      })).make?.(),
      ...changing(CollateralLeverage.endpoint.path, ["leverage"], (leverage) => leverage === 10 ? 1 : leverage).make?.()
    })
  }),
  mutant("followed-switch-later", "the kill switch cancels only orders that were open when it was armed", {
    breaks: ["kill-switch.cancels"],
    make: () => {
      const armed = new Set<string>()
      const later = new Map<unknown, Fields>()
      return {
        answer: (answer, request) => {
          const json = jsonOf(answer)
          const key = apiKeyOf(request)
          if (request.path === KillSwitch.endpoint.path) armed.add(key)
          if (request.path === limit && armed.has(key) && Json.isObject(json)) later.set(json["orderId"], json)
          if (request.path !== active || !Array.isArray(json) || !armed.has(key)) return answer
          const ids = new Set(json.filter(Json.isObject).map(({ orderId }) => orderId))
          return withBody(answer, [...json, ...[...later.values()].filter(({ orderId }) => !ids.has(orderId))])
        }
      }
    }
  }),
  mutant("followed-bulk-locked", "a bulk cancellation releases no funds", {
    breaks: ["balances.order"],
    make: () => {
      let isCanceled = false
      return {
        answer: (answer, { path }) => {
          isCanceled ||= path === cancelBulk
          return path === TradeBalance.endpoint.path && isCanceled
            ? withBody(
              answer,
              changedAt(jsonOf(answer), ["USDT", "freeze"], (units) => String(Number(units) + 10))
            )
            : answer
        }
      }
    }
  }),
  mutant("followed-nonce-wide", "the acceptance window of nonces is ten seconds", {
    breaks: ["auth.nonce.window"],
    make: () => ({
      request: (request, venue) =>
        withFields(venue, request, (fields) => {
          const now = performance.timeOrigin + performance.now()
          const off = fields["nonceWindow"] === true ? Number(fields["nonce"]) - now : 0
          return Math.abs(off) > 5000 && Math.abs(off) < 10_000 ? without(fields, "nonceWindow") : fields
        })
    })
  })
]

export const mutants: ReadonlyArray<Mutant> = [
  ...refusalMutants,
  ...methodMutants,
  ...stopMutants,
  ...otherMutants,
  ...listMutants,
  ...liveMutants.map((mutant): Mutant => ({ ...mutant, dialects: ["live"] }))
]

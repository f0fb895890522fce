/** Faults in changes of orders, in the effects of order options, and in conditional orders after other calls. */
import * as ActiveOrders from "../../../src/endpoints/ActiveOrders.ts"
import * as BulkLimitOrders from "../../../src/endpoints/BulkLimitOrders.ts"
import * as CancelAllOrders from "../../../src/endpoints/CancelAllOrders.ts"
import * as CancelBulkOrders from "../../../src/endpoints/CancelBulkOrders.ts"
import * as CancelConditionalOrder from "../../../src/endpoints/CancelConditionalOrder.ts"
import * as CancelOrder from "../../../src/endpoints/CancelOrder.ts"
import * as CancelOtoOrder from "../../../src/endpoints/CancelOtoOrder.ts"
import * as CollateralBulkLimitOrders from "../../../src/endpoints/CollateralBulkLimitOrders.ts"
import * as CollateralLimitOrders from "../../../src/endpoints/CollateralLimitOrders.ts"
import * as CollateralMarketOrders from "../../../src/endpoints/CollateralMarketOrders.ts"
import * as CollateralOcoOrders from "../../../src/endpoints/CollateralOcoOrders.ts"
import * as CollateralStopLimitOrders from "../../../src/endpoints/CollateralStopLimitOrders.ts"
import * as CollateralTriggerMarketOrders from "../../../src/endpoints/CollateralTriggerMarketOrders.ts"
import * as ConditionalOrders from "../../../src/endpoints/ConditionalOrders.ts"
import * as Fills from "../../../src/endpoints/Fills.ts"
import * as KillSwitch from "../../../src/endpoints/KillSwitch.ts"
import * as KillSwitchStatus from "../../../src/endpoints/KillSwitchStatus.ts"
import * as LimitOrders from "../../../src/endpoints/LimitOrders.ts"
import * as MarketOrders from "../../../src/endpoints/MarketOrders.ts"
import * as ModifyOrder from "../../../src/endpoints/ModifyOrder.ts"
import * as OrderHistory from "../../../src/endpoints/OrderHistory.ts"
import * as StockMarketOrders from "../../../src/endpoints/StockMarketOrders.ts"
import * as StopLimitOrders from "../../../src/endpoints/StopLimitOrders.ts"
import * as StopMarketOrders from "../../../src/endpoints/StopMarketOrders.ts"
import * as TradeBalance from "../../../src/endpoints/TradeBalance.ts"
import * as UnexecutedOcoOrders from "../../../src/endpoints/UnexecutedOcoOrders.ts"
import * as Json from "../../../src/protocol/Json.ts"
import { accepting, otherCode } from "./Margin.ts"
import {
  answering,
  asking,
  type Change,
  changedAt,
  changing,
  type Fields,
  jsonOf,
  type Mutant,
  mutant,
  withBody,
  without,
  withStatus
} from "./Mutant.ts"

const modify = ModifyOrder.endpoint.path
const active = ActiveOrders.endpoint.path
const limit = LimitOrders.endpoint.path
const collateralLimit = CollateralLimitOrders.endpoint.path
const conditional = ConditionalOrders.endpoint.path
const ocoOrders = UnexecutedOcoOrders.endpoint.path
const killSwitch = KillSwitch.endpoint.path
const killSwitchStatus = KillSwitchStatus.endpoint.path
const trigger = CollateralTriggerMarketOrders.endpoint.path
const stopLimit = CollateralStopLimitOrders.endpoint.path
const stopMarket = StopMarketOrders.endpoint.path
const [bulk, collateralBulk] = [BulkLimitOrders.endpoint.path, CollateralBulkLimitOrders.endpoint.path]

const marketCalls = [MarketOrders, StockMarketOrders, CollateralMarketOrders].map(({ endpoint }) => endpoint.path)

const singles = [limit, collateralLimit]

/** Changes the fields in calls to a path for which `when` is true. */
const askingWhen = (path: string, when: (fields: Fields) => boolean, change: (fields: Fields) => Fields): Change =>
  asking(path, (fields) => when(fields) ? change(fields) : fields)

/** Changes the orders in a call, whether the call places one order or several. */
const ordering = (path: string, change: (order: Fields) => Fields): Change =>
  asking(
    path,
    (fields) =>
      Array.isArray(fields["orders"])
        ? { ...fields, orders: fields["orders"].map((order) => Json.isObject(order) ? change(order) : order) }
        : change(fields)
  )

/** After one of `calls` has succeeded, repeats the last list with records from before that call. */
const staleAfter = (list: string, ...calls: ReadonlyArray<string>): Change => ({
  make: () => {
    let last: unknown
    let isStale = false
    return {
      answer: (answer, { path }) => {
        const json = jsonOf(answer)
        if (calls.includes(path) && answer.status === 200) isStale = true
        if (path !== list || answer.status !== 200) return answer
        if (isStale && last !== undefined) return withBody(answer, last)
        if (answer.body.includes("[{")) last = json
        return answer
      }
    }
  }
})

/** Removes an option from calls to a path once there has been a call to `opening`, which opens a position. */
const forgettingAfter = (path: string, opening: string, key: string): Change => ({
  make: () => {
    let hasPosition = false
    const { request: drop } = asking(path, (fields) => without(fields, key)).make?.() ?? {}
    return {
      request: (request, venue) => {
        hasPosition ||= request.path === opening
        return hasPosition && drop !== undefined ? drop(request, venue) : request
      }
    }
  }
})

/** Removes options from the orders in calls to a path. */
const drops = (path: string, ...keys: ReadonlyArray<string>): Change =>
  ordering(path, (order) => without(order, ...keys))

const changeMutants: ReadonlyArray<Mutant> = [
  mutant("effects-change-kind-code", "a field that an order does not have is refused with code 30", {
    breaks: ["live-changes.kind", "live-changes.conditional", "live-changes.no-funds", "live-changes.post-only"],
    ...otherCode(modify, 30)
  }),
  mutant("effects-change-total", "the total of an order without one changes its amount", {
    breaks: ["live-changes.kind"],
    ...askingWhen(modify, ({ total }) => total === "900", (fields) => ({ ...without(fields, "total"), amount: "0.02" }))
  }),
  mutant("effects-change-sign", "the sign of a changed amount or price is ignored", {
    breaks: ["live-changes.values"],
    ...asking(modify, (fields) =>
      Object.fromEntries(
        Object.entries(fields).map(([key, value]) => [
          key,
          key !== "nonce" && typeof value === "string" ? value.replace(/^-/u, "") : value
        ])
      ))
  }),
  mutant("effects-change-trigger", "an invalid activation price of a change is ignored", {
    breaks: ["live-changes.values"],
    ...askingWhen(
      modify,
      ({ activationPrice }) => activationPrice === "ten" || activationPrice === "0",
      (fields) => ({ ...fields, activationPrice: "30000.00" })
    )
  }),
  mutant("effects-change-to-last", "an activation price equal to the last price is moved by a step", {
    breaks: ["live-changes.last-price"],
    ...askingWhen(
      modify,
      ({ activationPrice }) => activationPrice === "40000.00",
      (fields) => ({ ...fields, activationPrice: "39999.99" })
    )
  }),
  mutant("effects-change-clipped", "a change that the balance does not cover is made as far as possible", {
    breaks: ["live-changes.no-funds"],
    ...askingWhen(modify, ({ amount }) => amount === "0.09", (fields) => ({ ...fields, amount: "0.0005" }))
  }),
  mutant("effects-change-cancels", "an order whose change is refused is no longer listed", {
    breaks: ["live-changes.kind", "live-changes.values", "live-changes.no-funds"],
    make: () => {
      let isRefused = false
      return {
        answer: (answer, { path }) => {
          if (path === modify && answer.status >= 400) isRefused = true
          return path === active && isRefused ? withBody(answer, []) : answer
        }
      }
    }
  }),
  mutant("effects-change-crosses", "a post-only order that would match after a change gets another price", {
    breaks: ["live-changes.post-only"],
    ...askingWhen(modify, ({ price }) => price === "39200.00", (fields) => ({ ...fields, price: "41000.00" }))
  }),
  mutant("effects-change-stop-kept", "a changed stop-market order is listed with its old trigger", {
    breaks: ["live-changes.stop-market"],
    ...changing(active, ["*"], (order) => {
      const { activation_price: at, ...rest } = order as Fields
      const old: Readonly<Record<string, string>> = { "30000": "32000", "50000": "48000" }
      return at === undefined ? order : { ...rest, activation_price: old[String(Number(at))] ?? at }
    })
  }),
  mutant("effects-change-stop-total", "the response to a change of a stop-market order shows the old total", {
    breaks: ["live-changes.stop-market"],
    ...changing(modify, ["amount"], (amount) => amount === "900" ? "800" : amount)
  }),
  mutant("effects-change-locked", "a changed buy order locks the funds of the old order", {
    breaks: ["live-changes.locks"],
    make: () => {
      let isChanged = false
      return {
        answer: (answer, { path }) => {
          isChanged ||= path === modify
          return path === TradeBalance.endpoint.path && isChanged
            ? withBody(answer, changedAt(jsonOf(answer), ["USDT", "freeze"], () => "960"))
            : answer
        }
      }
    }
  }),
  mutant("effects-change-unreleased", "a canceled order that was changed keeps one unit locked", {
    breaks: ["live-changes.locks"],
    make: () => {
      let isCanceled = false
      return {
        answer: (answer, { path }) => {
          isCanceled ||= path === CancelAllOrders.endpoint.path
          return path === TradeBalance.endpoint.path && isCanceled
            ? withBody(answer, changedAt(jsonOf(answer), ["USDT", "freeze"], () => "1"))
            : answer
        }
      }
    }
  })
]

const optionMutants: ReadonlyArray<Mutant> = [
  ...[...singles, bulk, collateralBulk].map((path) =>
    mutant(`effects-ioc-ignored${path}`, "ioc is ignored", {
      breaks: ["live-options.ioc", "matching.ioc"],
      ...drops(path, "ioc")
    })
  ),
  ...[bulk, collateralLimit].map((path) =>
    mutant(`effects-ioc-hidden${path}`, "the response does not show ioc", {
      breaks: ["live-options.ioc"],
      ...changing(path, path === bulk ? ["*", "result", "ioc"] : ["ioc"], () => false)
    })
  ),
  ...marketCalls.flatMap((path) => [
    mutant(`effects-stp-market${path}`, "a market order ignores stp", {
      breaks: ["matching.stp"],
      ...drops(path, "stp")
    }),
    mutant(`effects-stp-market-new${path}`, "stp of a market order always cancels the old order", {
      breaks: ["matching.stp"],
      ...askingWhen(path, ({ stp }) => stp === "cn", (fields) => ({ ...fields, stp: "cb" }))
    }),
    mutant(`effects-id-market${path}`, "a market order can have the client order id of an open order", {
      breaks: ["live-entry.client-order-id.kinds"],
      ...drops(path, "clientOrderId")
    })
  ]),
  ...[stopMarket, trigger, stopLimit].map((path) =>
    mutant(`effects-stp-triggered${path}`, "a triggered stop order ignores stp", {
      breaks: ["live-options.stp.triggered"],
      ...drops(path, "stp")
    })
  ),
  mutant("effects-bbo-swapped", "the roles of a limit order at the best price are swapped", {
    breaks: ["matching.best"],
    ...askingWhen(limit, ({ bboRole }) => bboRole !== undefined, (fields) => ({
      ...fields,
      bboRole: fields["bboRole"] === 1 ? 2 : 1
    }))
  }),
  mutant("effects-bbo-price", "a limit order at the best price shows a price one percent off", {
    breaks: ["matching.best"],
    make: () => ({
      answer: (answer, request) =>
        request.path === limit && answer.status === 200 && new TextDecoder().decode(request.body).includes("bboRole")
          ? withBody(answer, changedAt(jsonOf(answer), ["price"], (price) => String(Number(price) * 1.01)))
          : answer
    })
  }),
  ...singles.flatMap((path) => [
    mutant(`effects-priority${path}`, "the oldest order trades first, whatever its price", {
      breaks: ["matching.priority"],
      ...askingWhen(
        path,
        ({ price, side }) => side === "sell" && price === "40800.00",
        (fields) => ({ ...fields, price: "40200.00" })
      )
    }),
    mutant(`effects-ids-of-all${path}`, "no two accounts can use the same client order id", {
      breaks: ["live-entry.client-order-id.own"],
      make: () => {
        const seen = new Set<unknown>()
        return askingWhen(path, ({ clientOrderId }) => clientOrderId !== undefined, (fields) => {
          const isSeen = seen.has(fields["clientOrderId"])
          seen.add(fields["clientOrderId"])
          return isSeen ? { ...fields, clientOrderId: "already used" } : fields
        }).make?.() ?? {}
      }
    })
  ]),
  ...[limit, bulk, collateralBulk, stopMarket, stopLimit].map((path) =>
    mutant(`effects-numbers${path}`, "an amount that is a number is refused", {
      breaks: ["live-options.numbers"],
      ...ordering(path, (order) => typeof order["amount"] === "number" ? { ...order, amount: "ten" } : order)
    })
  ),
  ...[...singles, bulk, collateralBulk].map((path) =>
    mutant(`effects-total${path}`, "an order below the smallest total is placed with a larger amount", {
      breaks: ["live-options.total"],
      ...ordering(
        path,
        (order) => Number(order["amount"]) * Number(order["price"]) < 5 ? { ...order, amount: "0.001" } : order
      )
    })
  ),
  ...[limit, stopMarket, StockMarketOrders.endpoint.path].map((path) =>
    mutant(`effects-id-empty${path}`, "an empty client order id is ignored", {
      breaks: ["live-options.client-order-id.form"],
      ...askingWhen(path, ({ clientOrderId }) => clientOrderId === "", (fields) => without(fields, "clientOrderId"))
    })
  ),
  mutant("effects-future-side", "the list of open orders shows a futures order as long", {
    breaks: ["live-options.futures"],
    ...changing(
      active,
      ["*"],
      (order) => Json.isObject(order) && order["market"] === "BTC_PERP" ? { ...order, positionSide: "LONG" } : order
    )
  }),
  mutant("effects-post-only-code", "a post-only order that would match is refused with code 30", {
    breaks: ["live-terms.post-only"],
    ...otherCode(limit, 30)
  }),
  mutant("effects-early-buy", "a buy stop order is triggered 5 percent early", {
    breaks: ["live-terms.untriggered"],
    ...askingWhen(
      trigger,
      (fields) => fields["activation_price"] === "44000.00",
      (fields) => ({ ...fields, activation_price: "42000.00" })
    )
  }),
  mutant("effects-bulk-funds", "a bulk order beyond the balance is refused with code 1", {
    breaks: ["live-bulk.no-funds"],
    ...changing(bulk, ["*", "error", "code"], (code) => code === 10 ? 1 : code)
  }),
  mutant("effects-market-reduces", "a reduce-only market order on the position's side increases the position", {
    breaks: ["market-orders.reduce-only"],
    ...forgettingAfter(CollateralMarketOrders.endpoint.path, collateralLimit, "reduceOnly")
  })
]

const stopMutants: ReadonlyArray<Mutant> = [
  mutant("effects-stop-untriggered", "a triggered stop order is listed as not activated", {
    breaks: ["live-stops.limit.rests"],
    ...changing(active, ["*", "activated"], () => 0)
  }),
  mutant("effects-stop-left", "a triggered stop order is listed with its whole amount as left", {
    breaks: ["live-stops.limit.rests"],
    ...changing(active, ["*"], (order) => Json.isObject(order) ? { ...order, left: order["amount"] } : order)
  }),
  mutant("effects-stop-maker", "the fills of a triggered stop order show the maker role", {
    breaks: ["live-stops.market.trades"],
    ...changing(Fills.endpoint.path, ["*", "*", "role"], () => 1)
  }),
  mutant("effects-stop-history", "order history shows stop orders with the other side", {
    breaks: ["live-stops.history"],
    ...changing(OrderHistory.endpoint.path, ["*", "*", "side"], (side) => side === "buy" ? "sell" : "buy")
  }),
  mutant("effects-stop-condition", "order history shows the opposite activation condition", {
    breaks: ["live-stops.history"],
    ...changing(
      OrderHistory.endpoint.path,
      ["*", "*", "activationCondition"],
      (condition) => condition === ">=" ? "<=" : ">="
    )
  }),
  mutant("effects-stop-reduces", "a reduce-only stop order on the position's side is not reduce-only", {
    breaks: ["live-stops.reduce-only"],
    ...forgettingAfter(trigger, collateralLimit, "reduceOnly")
  }),
  mutant("effects-stop-status", "a reduce-only stop order whose position has closed is CANCELED", {
    breaks: ["reduce-only.ended.waiting"],
    ...changing(OrderHistory.endpoint.path, ["*", "*", "status"], () => "CANCELED")
  }),
  mutant("effects-stop-kept", "a reduce-only stop order is still listed after its position has closed", {
    breaks: ["reduce-only.ended.waiting"],
    make: () => {
      let kept: unknown
      return {
        answer: (answer, { path }) => {
          if (path === trigger || path === stopLimit) kept = jsonOf(answer)
          return path === active && kept !== undefined ? withBody(answer, [kept]) : answer
        }
      }
    }
  })
]

const cancelOto = CancelOtoOrder.endpoint.path
const cancelConditional = CancelConditionalOrder.endpoint.path

const conditionalMutants: ReadonlyArray<Mutant> = [
  ...[conditional, ocoOrders].map((list) =>
    mutant(`effects-listed-after-all${list}`, "a conditional order is still listed after cancel-all", {
      breaks: list === conditional ? ["conditional.cancel-all"] : ["oco-orders.executed.cancel"],
      make: () => {
        const pairs: Array<unknown> = []
        const stale = staleAfter(conditional, CancelAllOrders.endpoint.path).make?.() ?? {}
        return list === conditional ? stale : {
          answer: (answer, { path }) => {
            const json = jsonOf(answer)
            if (path === CollateralOcoOrders.endpoint.path) pairs.push(json)
            return path === ocoOrders && answer.status === 200 ? withBody(answer, pairs) : answer
          }
        }
      }
    })
  ),
  mutant("effects-listed-after-switch", "a conditional order is still listed after a kill switch", {
    breaks: ["conditional.cancel-all"],
    ...staleAfter(conditional, killSwitch)
  }),
  mutant("effects-listed-after-cancel", "an order with exits is still listed after its cancellation", {
    breaks: ["conditional.order-cancel"],
    ...staleAfter(conditional, CancelOrder.endpoint.path)
  }),
  mutant("effects-canceled-again", "a canceled conditional order can be canceled again", {
    breaks: ["conditional.cancel-all", "conditional.order-cancel"],
    ...accepting(cancelOto, [])
  }),
  mutant("effects-conditional-market", "conditional orders are not selected by market", {
    breaks: ["conditional.markets"],
    ...asking(conditional, (fields) => without(fields, "market"))
  }),
  mutant("effects-conditional-total", "the total of conditional orders counts those on all markets", {
    breaks: ["conditional.markets"],
    ...changing(conditional, ["total"], (total) => Number(total) + 1)
  }),
  mutant("effects-oco-list", "the list of OCO orders also has an order with exits", {
    breaks: ["conditional.markets"],
    ...answering(
      ocoOrders,
      "success",
      (json) => Array.isArray(json) ? [...json, { ...json[0] as Fields, id: 7 }] : json
    )
  }),
  ...[cancelOto, cancelConditional].flatMap((path) => [
    mutant(`effects-cancel-market${path}`, "an unknown market of a cancellation is ignored", {
      breaks: ["conditional.cancel-refusal"],
      ...askingWhen(path, ({ market }) => market === "NO_SUCH", (fields) => ({ ...fields, market: "BTC_USDT" }))
    }),
    mutant(`effects-cancel-status${path}`, "a malformed cancellation is refused with HTTP 400", {
      breaks: ["conditional.cancel-refusal"],
      ...withStatus(400, ({ status }, request) => request.path === path && status === 422)
    })
  ]),
  mutant("effects-conditional-unfilled", "a conditional order is listed without its fills", {
    breaks: ["conditional.part"],
    ...changing(conditional, ["records", "*", "conditionalOrder", "dealStock"], () => "0")
  }),
  mutant("effects-reduce-only-pair", "a reduce-only OCO order stays open when its position closes", {
    breaks: ["oco-orders.reduce-only.closed", "reduce-only.ended.waiting"],
    ...ordering(CollateralOcoOrders.endpoint.path, (fields) => without(fields, "reduceOnly"))
  }),
  mutant("effects-executed-canceled", "an executed OCO order can be canceled", {
    breaks: ["oco-orders.executed.cancel"],
    ...accepting(cancelConditional, [])
  }),
  mutant("effects-oto-both", "the list of conditional orders shows both exits of an order with one", {
    breaks: ["oto.single"],
    ...changing(conditional, ["records", "*"], (record) => ({ stopLossPrice: "16000", ...record as Fields }))
  }),
  mutant("effects-oto-other", "the response to an order with one exit shows the other one", {
    breaks: ["oto.single"],
    ...changing(collateralLimit, ["oto"], (oto) => {
      const { stopLoss, takeProfit, ...rest } = oto as Fields
      return { ...rest, stopLoss: takeProfit, takeProfit: stopLoss }
    })
  }),
  ...[trigger, stopLimit].map((path) =>
    mutant(`effects-oto-unseen${path}`, "the response to a stop order omits its exits", {
      breaks: ["oto.waiting"],
      ...changing(path, ["oto"], () => undefined)
    })
  ),
  ...[collateralLimit, CollateralMarketOrders.endpoint.path, trigger, stopLimit].flatMap((path) =>
    (["takeProfit", "stopLoss"] as const).map((leg) =>
      mutant(`effects-reduce-only-${leg}${path}`, `a reduce-only order with ${leg} is placed without it`, {
        breaks: ["oto.reduce-only.calls"],
        ...askingWhen(path, ({ reduceOnly }) => reduceOnly === true, (fields) => without(fields, leg))
      })
    )
  ),
  ...[StopLimitOrders.endpoint.path, stopMarket, CollateralOcoOrders.endpoint.path].map((path) =>
    mutant(`effects-no-funds${path}`, "an order that the balance does not cover is placed with a smaller amount", {
      breaks: ["conditional.no-funds"],
      ...askingWhen(
        path,
        ({ amount }) => amount === "0.1" || amount === "1000",
        (fields) => ({ ...fields, amount: fields["amount"] === "1000" ? "100" : "0.0004" })
      )
    })
  )
]

const cancelAll = CancelAllOrders.endpoint.path
const cancelBulk = CancelBulkOrders.endpoint.path

const cancelMutants: ReadonlyArray<Mutant> = [
  ...[cancelAll, cancelBulk, killSwitch].flatMap((call) => [
    mutant(`effects-part-lost${call}`, "the fills of an order are lost when it is canceled with others", {
      breaks: ["live-cancels.part"],
      make: () => {
        let isCanceled = false
        return {
          answer: (answer, { path }) => {
            isCanceled ||= path === call
            return path === OrderHistory.endpoint.path && isCanceled && answer.status === 200
              ? withBody(answer, changedAt(jsonOf(answer), ["*", "*", "dealStock"], () => "0"))
              : answer
          }
        }
      }
    }),
    mutant(`effects-part-locked${call}`, "an order that is canceled with others keeps funds locked", {
      breaks: ["live-cancels.part", ...(call === cancelBulk ? ["live-bulk.cancels"] : [])],
      make: () => {
        let isCanceled = false
        return {
          answer: (answer, { path }) => {
            isCanceled ||= path === call
            return path === TradeBalance.endpoint.path && isCanceled && answer.status === 200
              ? withBody(answer, changedAt(jsonOf(answer), ["BTC", "freeze"], () => "0.01"))
              : answer
          }
        }
      }
    })
  ]),
  mutant("effects-bulk-expired", "orders that are canceled together are EXPIRED", {
    breaks: ["live-bulk.cancels"],
    ...changing(OrderHistory.endpoint.path, ["*", "*", "status"], () => "EXPIRED")
  }),
  mutant("effects-cancel-both", "the position side both selects no orders in one-way mode", {
    breaks: ["live-cancels.one-way"],
    ...askingWhen(
      cancelAll,
      ({ positionSide }) => positionSide === "both",
      (fields) => ({ ...fields, positionSide: "short" })
    )
  }),
  mutant("effects-cancel-up", "an unknown position side is ignored", {
    breaks: ["live-cancels.side"],
    ...askingWhen(cancelAll, ({ positionSide }) => positionSide === "up", (fields) => without(fields, "positionSide"))
  })
]

const killSwitchMutants: ReadonlyArray<Mutant> = [
  mutant("effects-switch-again", "a kill switch that has ended also cancels later orders", {
    breaks: ["kill-switch.once"],
    make: () => {
      let isArmed = false
      return {
        answer: (answer, { path }) => {
          isArmed ||= path === killSwitch
          const json = jsonOf(answer)
          return path === active && isArmed && Array.isArray(json)
            ? withBody(answer, json.filter((order) => !String((order as Fields)["type"]).startsWith("margin")))
            : answer
        }
      }
    }
  }),
  mutant("effects-switch-snapshot", "a kill switch only cancels orders that are open when it is armed", {
    breaks: ["kill-switch.once"],
    make: () => {
      let isArmed = false
      const later: Array<unknown> = []
      return {
        answer: (answer, { path }) => {
          isArmed ||= path === killSwitch
          if (path === limit && isArmed) later.push(jsonOf(answer))
          return path === active && later.length > 0 ? withBody(answer, later) : answer
        }
      }
    }
  }),
  mutant("effects-switch-shared", "all timers of an account show the times of the one that was armed last", {
    breaks: ["kill-switch.independent"],
    make: () => {
      let last: Fields = {}
      return {
        answer: (answer, { path }) => {
          const json = jsonOf(answer)
          if (path === killSwitch && Json.isObject(json)) last = json
          const { cancellationTime, startTime } = last
          return path === killSwitchStatus && Array.isArray(json)
            ? withBody(answer, json.map((timer) => ({ ...timer as Fields, cancellationTime, startTime })))
            : answer
        }
      }
    }
  }),
  mutant("effects-switch-types", "a kill switch that is armed again keeps its first types", {
    breaks: ["kill-switch.rearmed"],
    make: () => {
      let first: unknown
      return asking(killSwitch, (fields) => {
        first ??= fields["types"]
        return first === undefined ? fields : { ...fields, types: first }
      }).make?.() ?? {}
    }
  }),
  mutant("effects-switch-unknown", "the status of an unknown market's kill switch is that of all markets", {
    breaks: ["kill-switch.status.refusal"],
    ...asking(killSwitchStatus, (fields) => without(fields, "market"))
  }),
  ...["ten", ""].map((timeout) =>
    mutant(`effects-switch-timeout-${timeout === "" ? "empty" : timeout}`, `a timeout of "${timeout}" is a minute`, {
      breaks: ["kill-switch.refusal"],
      ...askingWhen(killSwitch, (fields) => fields["timeout"] === timeout, (fields) => ({ ...fields, timeout: "60" }))
    })
  )
]

export const mutants: ReadonlyArray<Mutant> = [
  ...changeMutants,
  ...optionMutants,
  ...stopMutants,
  ...conditionalMutants,
  ...cancelMutants,
  ...killSwitchMutants
].map((mutant) => ({ ...mutant, dialects: ["live"] }))

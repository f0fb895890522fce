/** Faults that show only when a waiting order is triggered, or in the order's own response. */
import * as CollateralBalance from "../../../src/endpoints/CollateralBalance.ts"
import * as CollateralMarketOrders from "../../../src/endpoints/CollateralMarketOrders.ts"
import * as CollateralStopLimitOrders from "../../../src/endpoints/CollateralStopLimitOrders.ts"
import * as CollateralTriggerMarketOrders from "../../../src/endpoints/CollateralTriggerMarketOrders.ts"
import * as MarketOrders from "../../../src/endpoints/MarketOrders.ts"
import * as StockMarketOrders from "../../../src/endpoints/StockMarketOrders.ts"
import * as StopLimitOrders from "../../../src/endpoints/StopLimitOrders.ts"
import * as StopMarketOrders from "../../../src/endpoints/StopMarketOrders.ts"
import * as SubAccountApiKeys from "../../../src/endpoints/SubAccountApiKeys.ts"
import * as TradeBalance from "../../../src/endpoints/TradeBalance.ts"
import * as Json from "../../../src/protocol/Json.ts"
import { answering, asking, changing, type Fields, jsonOf, type Mutant, mutant, withBody, without } from "./Mutant.ts"

const markets = [MarketOrders, StockMarketOrders, CollateralMarketOrders].map(({ endpoint }) => endpoint.path)

const spotStops = [StopMarketOrders.endpoint.path, StopLimitOrders.endpoint.path]

const marginStops = [CollateralTriggerMarketOrders.endpoint.path, CollateralStopLimitOrders.endpoint.path]

const liveMutants: ReadonlyArray<Mutant> = [
  ...markets.map((path) =>
    mutant(`market-filled-anyway${path}`, "the response to a market order always shows the order as filled", {
      breaks: [
        "market-orders.agrees",
        ...(path === MarketOrders.endpoint.path ? ["status.taker-band"] : [])
      ],
      ...answering(path, "success", (json) => ({ ...json as Fields, left: "0", status: "FILLED" }))
    })
  ),
  ...markets.map((path) =>
    mutant(`market-half-shown${path}`, "the response to a market order shows half of the filled amount", {
      breaks: ["market-orders.agrees"],
      ...changing(path, ["dealStock"], (stock) => String(Number(stock) / 2))
    })
  ),
  ...marginStops.flatMap((path) => [
    mutant(`waiting-reduce-only-forgotten${path}`, "a waiting stop order is not reduce-only", {
      breaks: ["live-stops.reduce-only.closed"],
      ...asking(path, (fields) => without(fields, "reduceOnly"))
    }),
    ...["takeProfit", "stopLoss"].map((exit) =>
      mutant(`waiting-exit-forgotten-${exit}${path}`, `the ${exit} of a stop order is ignored`, {
        breaks: ["oto.triggered"],
        ...asking(path, (fields) => without(fields, exit))
      })
    )
  ]),
  ...spotStops.map((path) =>
    mutant(`waiting-unlocked${path}`, "a waiting stop order locks no funds", {
      breaks: ["live-stops.locks"],
      make: () => {
        let waits = false
        return {
          answer: (answer, request) => {
            if (request.path === path && answer.status === 200) waits = true
            const json = jsonOf(answer)
            if (!waits || request.path !== TradeBalance.endpoint.path || !Json.isObject(json)) return answer
            const unlocked = (balance: Fields): Fields => ({
              available: String(Number(balance["available"]) + Number(balance["freeze"])),
              freeze: "0"
            })
            return withBody(
              answer,
              Object.fromEntries(Object.entries(json).map(([ticker, balance]) => [ticker, unlocked(balance as Fields)]))
            )
          }
        }
      }
    })
  ),
  mutant("collateral-less-orders", "the collateral balance does not include the funds that open orders may need", {
    breaks: ["margin.balances.same"],
    ...changing(CollateralBalance.endpoint.path, ["*"], (units) => String(Number(units) - 400))
  })
]

export const mutants: ReadonlyArray<Mutant> = [
  ...liveMutants.map((mutant): Mutant => ({ ...mutant, dialects: ["live"] })),
  mutant("activity-of-another-key", "every key shows the last use of the most recently used key", {
    breaks: ["api-keys.last-activity.own"],
    ...answering(SubAccountApiKeys.endpoint.path, "success", (json) => {
      const keys = (Json.isObject(json) && Array.isArray(json["data"]) ? json["data"] : []).filter(Json.isObject)
      const lastActivity = Math.max(...keys.map((key) => Number(key["lastActivity"])))
      return { ...json as Fields, data: keys.map((key) => ({ ...key, lastActivity })) }
    })
  })
]

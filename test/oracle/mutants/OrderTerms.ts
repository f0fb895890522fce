/** Faults in pages, and in values and options of orders. Only the live exchange documents these values and options. */
import * as BulkLimitOrders from "../../../src/endpoints/BulkLimitOrders.ts"
import * as CollateralBulkLimitOrders from "../../../src/endpoints/CollateralBulkLimitOrders.ts"
import * as CollateralLimitOrders from "../../../src/endpoints/CollateralLimitOrders.ts"
import * as CollateralMarketOrders from "../../../src/endpoints/CollateralMarketOrders.ts"
import * as CollateralStopLimitOrders from "../../../src/endpoints/CollateralStopLimitOrders.ts"
import * as CollateralTriggerMarketOrders from "../../../src/endpoints/CollateralTriggerMarketOrders.ts"
import * as Fills from "../../../src/endpoints/Fills.ts"
import * as InterestPaymentHistory from "../../../src/endpoints/InterestPaymentHistory.ts"
import * as LimitOrders from "../../../src/endpoints/LimitOrders.ts"
import * as MarketOrders from "../../../src/endpoints/MarketOrders.ts"
import * as ModifyOrder from "../../../src/endpoints/ModifyOrder.ts"
import * as StockMarketOrders from "../../../src/endpoints/StockMarketOrders.ts"
import * as StopLimitOrders from "../../../src/endpoints/StopLimitOrders.ts"
import * as StopMarketOrders from "../../../src/endpoints/StopMarketOrders.ts"
import * as UnexecutedOcoOrders from "../../../src/endpoints/UnexecutedOcoOrders.ts"
import * as Json from "../../../src/protocol/Json.ts"
import {
  answering,
  asking,
  type Change,
  changing,
  type Fields,
  type Mutant,
  mutant,
  withBody,
  without,
  withStatus
} from "./Mutant.ts"

const limit = LimitOrders.endpoint.path
const collateralLimit = CollateralLimitOrders.endpoint.path
const [bulk, collateralBulk] = [BulkLimitOrders.endpoint.path, CollateralBulkLimitOrders.endpoint.path]
const stopMarket = StopMarketOrders.endpoint.path
const collateralStopLimit = CollateralStopLimitOrders.endpoint.path
const triggerMarket = CollateralTriggerMarketOrders.endpoint.path

const single: ReadonlyArray<string> = [
  limit,
  collateralLimit,
  stopMarket,
  collateralStopLimit,
  triggerMarket,
  MarketOrders.endpoint.path,
  StockMarketOrders.endpoint.path,
  CollateralMarketOrders.endpoint.path
]

/** Changes the orders in a call, whether the call places one order or several. */
const ordering = (path: string, change: (order: Fields) => Fields): Change =>
  asking(
    path,
    (fields) =>
      Array.isArray(fields["orders"])
        ? { ...fields, orders: fields["orders"].map((order) => Json.isObject(order) ? change(order) : order) }
        : change(fields)
  )

const valueMutants: ReadonlyArray<Mutant> = [
  ...single.flatMap((path) => [
    mutant(`terms-side-case${path}`, "a side in capital letters is accepted", {
      breaks: ["live-terms.values"],
      ...asking(
        path,
        (fields) => typeof fields["side"] === "string" ? { ...fields, side: fields["side"].toLowerCase() } : fields
      )
    }),
    mutant(`terms-amount-sign${path}`, "the sign of an amount is ignored", {
      breaks: ["live-terms.values"],
      ...asking(
        path,
        (fields) =>
          typeof fields["amount"] === "string" ? { ...fields, amount: fields["amount"].replace("-", "") } : fields
      )
    }),
    mutant(`terms-other-code${path}`, "an unknown market is refused with the code of another field", {
      breaks: ["live-terms.values"],
      ...answering(path, "refusal", (json) => {
        const { code, ...rest } = json as Fields
        return { ...rest, code: code === 31 ? 36 : code }
      })
    }),
    mutant(`terms-other-status${path}`, "an invalid value is refused with HTTP 400", {
      breaks: ["live-terms.values"],
      ...withStatus(400, ({ status }, request) => request.path === path && status === 422)
    })
  ]),
  ...[stopMarket, collateralStopLimit, triggerMarket].flatMap((path) => [
    mutant(`terms-stop-id-twice${path}`, "two stop orders can have the same client order id", {
      breaks: ["live-terms.client-order-id"],
      make: () => {
        const seen = new Set<unknown>()
        return asking(path, (fields) => {
          const { clientOrderId } = fields
          const isSeen = clientOrderId !== undefined && seen.has(clientOrderId)
          seen.add(clientOrderId)
          return isSeen ? without(fields, "clientOrderId") : fields
        }).make?.() ?? {}
      }
    }),
    mutant(`terms-early${path}`, "a stop order is triggered 5 percent early", {
      breaks: ["live-terms.untriggered"],
      ...asking(
        path,
        (fields) => fields["activation_price"] === "36000.00" ? { ...fields, activation_price: "38000.00" } : fields
      )
    })
  ])
]

const optionMutants: ReadonlyArray<Mutant> = [
  ...[collateralLimit, collateralBulk].map((path) =>
    mutant(`terms-reduce-only-ignored${path}`, "reduceOnly is ignored", {
      breaks: ["live-terms.reduce-only"],
      ...ordering(path, (order) => without(order, "reduceOnly"))
    })
  ),
  ...[collateralLimit, collateralStopLimit, triggerMarket].map((path) =>
    mutant(`terms-not-clipped${path}`, "the response shows the original amount of a reduced order", {
      breaks: ["live-terms.reduce-only.clipped"],
      ...changing(path, ["amount"], () => "0.05")
    })
  ),
  ...[collateralLimit, bulk, collateralBulk].map((path) =>
    mutant(`terms-post-only-ignored${path}`, "postOnly is ignored", {
      breaks: ["live-terms.post-only"],
      ...ordering(path, (order) => without(order, "postOnly"))
    })
  ),
  mutant("terms-unknown-market", "a stop-limit order on an unknown market is refused with the code of other fields", {
    breaks: ["live-terms.market"],
    ...answering(StopLimitOrders.endpoint.path, "refusal", (json) => ({ ...json as Fields, code: 30 }))
  }),
  mutant(
    "terms-stop-used-id",
    "a stop-limit order with a used client order id is refused with the code of other fields",
    {
      breaks: ["live-terms.client-order-id"],
      ...answering(StopLimitOrders.endpoint.path, "refusal", (json) => ({ ...json as Fields, code: 30 }))
    }
  ),
  mutant("terms-stp-ignored", "a margin order ignores stp", {
    breaks: ["live-terms.stp"],
    ...asking(collateralLimit, (fields) => without(fields, "stp"))
  }),
  mutant("terms-stp-swapped", "a margin order cancels the order that stp does not name", {
    breaks: ["live-terms.stp"],
    ...asking(collateralLimit, (fields) =>
      fields["stp"] === "cn"
        ? { ...fields, stp: "co" }
        : fields["stp"] === "co"
        ? { ...fields, stp: "cn" }
        : fields)
  }),
  mutant("bulk-errors-without-messages", "the errors of a bulk order have no messages", {
    breaks: ["live-bulk.errors"],
    ...changing(bulk, ["*", "error", "errors", "*"], () => [])
  }),
  mutant("changes-unknown-stp", "a changed order shows an unknown stp", {
    breaks: ["live-changes.terms"],
    ...changing(ModifyOrder.endpoint.path, ["stp"], () => "cancel")
  }),
  mutant("stops-reduce-only-unnamed", "the refusal of a reduce-only stop order names no field", {
    breaks: ["live-stops.reduce-only"],
    ...answering(triggerMarket, "refusal", (json) => ({ ...json as Fields, errors: {} }))
  }),
  mutant("limit-no-funds-code", "an order without funds is refused with another code", {
    breaks: ["order-answers.no-funds"],
    ...answering(limit, "refusal", (json) => ({ ...json as Fields, code: 7 }))
  })
]

const pageMutants: ReadonlyArray<Mutant> = [
  mutant("oco-orders-default-100", "a page has 100 OCO orders by default", {
    breaks: ["live-pages.limit.default.oco"],
    ...asking(UnexecutedOcoOrders.endpoint.path, (fields) => ({ limit: 100, ...fields }))
  }),
  mutant("fills-default-100", "a page has 100 fills by default", {
    breaks: ["live-pages.limit.default.fills"],
    ...asking(Fills.endpoint.path, (fields) => ({ limit: 100, ...fields }))
  }),
  mutant("funding-millis", "funding rates show their times in milliseconds", {
    breaks: ["funding-rates.list"],
    make: () => ({
      answer: (answer, { path }) =>
        path.startsWith("/api/v4/public/funding-history/") && answer.status === 200
          ? withBody(answer, [{
            market: "BTC_PERP",
            fundingRate: "0.0001",
            settlementPrice: "40000",
            fundingTime: "1752537600000",
            rateCalculatedTime: "1752508800000"
          }])
          : answer
    })
  })
]

export const mutants: ReadonlyArray<Mutant> = [
  mutant("interest-both-accepted", "a planId and a ticker that are both wrong are ignored", {
    breaks: ["interest.both.refused"],
    ...asking(
      InterestPaymentHistory.endpoint.path,
      (fields) =>
        fields["ticker"] === "NOSUCH" && fields["planId"] !== undefined ? without(fields, "planId", "ticker") : fields
    )
  }),
  ...[...valueMutants, ...optionMutants, ...pageMutants].map((mutant): Mutant => ({ ...mutant, dialects: ["live"] }))
]

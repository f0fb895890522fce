/**
 * Faults of stop orders that only the live exchange's documentation describes.
 *
 * @since 0.1.0
 */
import * as CollateralStopLimitOrders from "../../../src/endpoints/CollateralStopLimitOrders.ts"
import * as CollateralTriggerMarketOrders from "../../../src/endpoints/CollateralTriggerMarketOrders.ts"
import * as StopMarketOrders from "../../../src/endpoints/StopMarketOrders.ts"
import { answering, asking, changing, type Fields, type Mutant, unnamed, withFields, withStatus } from "./Mutant.ts"

const stopMarket = StopMarketOrders.endpoint.path
const stopLimit = CollateralStopLimitOrders.endpoint.path
const triggerMarket = CollateralTriggerMarketOrders.endpoint.path

const paths: ReadonlyArray<string> = [stopMarket, stopLimit, triggerMarket]

const isStop = (path: string): boolean => paths.includes(path)

/** The path of another call, which gets the request. */
const calling = (from: string, to: string, change: (fields: Fields) => Fields): Pick<Mutant, "make"> => ({
  make: () => ({
    request: (request, venue) =>
      request.path === from
        ? {
          ...withFields(venue, request, (fields) => ({ ...change(fields), request: to })),
          path: to
        }
        : request
  })
})

const stopMutants: ReadonlyArray<Mutant> = [
  {
    id: "live-stops-type",
    fault: "a stop-market order calls itself a market order",
    breaks: ["live-stops.waits"],
    ...answering(isStop, "success", (json) => ({ ...json as Fields, type: "market" }))
  },
  {
    id: "live-stops-activated",
    fault: "a stop order says that it is activated while it waits",
    breaks: ["live-stops.waits"],
    ...answering(isStop, "success", (json) => ({ ...json as Fields, activated: 1 }))
  },
  {
    id: "live-stops-activation-price",
    fault: "the answer has another activation price",
    breaks: ["live-stops.waits"],
    ...changing(triggerMarket, ["activation_price"], (price) => String(Number(price) + 1))
  },
  {
    id: "trigger-market-rests",
    fault: "a triggered stop-market order is a limit order at its activation price",
    breaks: ["live-stops.market.trades", "live-stops.market.never-rests", "live-stops.waits"],
    ...calling(triggerMarket, stopLimit, (fields) => ({ ...fields, price: fields["activation_price"] }))
  },
  {
    id: "stop-market-in-base",
    fault: "the amount of a stop-market buy is taken for one in the base currency",
    breaks: ["live-stops.market.spends"],
    ...asking(
      stopMarket,
      (fields) =>
        fields["side"] === "buy" ? { ...fields, amount: String(Math.round(Number(fields["amount"]) * 2)) } : fields
    )
  },
  {
    id: "stop-market-halved",
    fault: "half of a stop-market order is placed",
    breaks: ["live-stops.market.base", "live-stops.market.trades"],
    make: () => ({
      request: (request, venue) =>
        request.path === triggerMarket || request.path === stopMarket
          ? withFields(venue, request, (fields) => ({ ...fields, amount: String(Number(fields["amount"]) / 2) }))
          : request
    })
  },
  {
    id: "collateral-stop-limit-is-market",
    fault: "a triggered stop-limit order on margin takes whatever there is",
    breaks: ["live-stops.limit.rests"],
    ...calling(stopLimit, triggerMarket, ({ price: _price, ...fields }) => fields)
  },
  {
    id: "live-stops-reduce-only-ignored",
    fault: "reduceOnly of a stop order is ignored",
    breaks: ["live-stops.reduce-only"],
    make: () => ({
      request: (request, venue) =>
        isStop(request.path)
          ? withFields(venue, request, ({ reduceOnly: _ignored, ...fields }) => fields)
          : request
    })
  },
  {
    id: "live-stops-unnamed",
    fault: "a refusal does not name the field that is missing",
    breaks: ["live-stops.refusal"],
    ...unnamed(stopMarket, "activation_price")
  },
  {
    id: "live-stops-400",
    fault: "a wrong field is refused with HTTP 400",
    breaks: ["live-stops.refusal"],
    ...withStatus(400, ({ status }, { path }) => isStop(path) && status === 422)
  },
  {
    id: "live-stops-last-price",
    fault: "an activation price at the last price is taken for one below it",
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
  }
]

/**
 * @category mutants
 * @since 0.1.0
 */
export const mutants: ReadonlyArray<Mutant> = stopMutants.map((mutant) => ({ dialects: ["live"], ...mutant }))

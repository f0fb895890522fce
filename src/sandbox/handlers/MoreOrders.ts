/** The handlers for order calls that the document does not describe: further kinds of stop orders, and modification. */
import { group } from "./Handler.ts"
import * as OrderAnswers from "./OrderAnswers.ts"

/** The handlers for order calls that the document does not describe. */
export const moreOrders = group({
  StopMarketOrders: {
    operation: (request) => ({ _tag: "PlaceStopMarket", ...request, collateral: false }),
    reply: "StopPlaced",
    answer: ({ order }, context) => OrderAnswers.stopOrder(order, context)
  },
  CollateralStopLimitOrders: {
    operation: (request) => ({ _tag: "PlaceStopLimit", ...request, collateral: true }),
    reply: "StopPlaced",
    answer: ({ order }, context) => OrderAnswers.stopOrder(order, context)
  },
  CollateralTriggerMarketOrders: {
    operation: (request) => ({ _tag: "PlaceStopMarket", ...request, collateral: true }),
    reply: "StopPlaced",
    answer: ({ order }, context) => OrderAnswers.stopOrder(order, context)
  },
  ModifyOrder: {
    operation: (request) => ({ _tag: "Modify", ...request }),
    reply: "OrderModified",
    answer: ({ order }, context) => OrderAnswers.order(order, context),
    refusals: { notEnoughBalance: "notEnoughToModify", notMaker: "notMakerModified" }
  }
})

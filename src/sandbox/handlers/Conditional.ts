/**
 * The deals of an order.
 *
 * @since 0.1.0
 */
import * as OrderDeals from "../../endpoints/OrderDeals.ts"
import type { Fill } from "../engine/Trade.ts"
import { group } from "./Handler.ts"
import * as OrderAnswers from "./OrderAnswers.ts"
import * as Page from "./Page.ts"
import * as Records from "./Records.ts"

const fillsByOrder = Records.indexBy(({ order }: Fill) => order.id)

/**
 * The handlers of the deals of an order.
 *
 * @category handlers
 * @since 0.1.0
 */
export const conditional = group({
  OrderDeals: {
    answer: (request, context) =>
      Page.make(
        request,
        OrderDeals.defaultLimit,
        Records.latest(
          fillsByOrder(context.state.fills.get(context.account) ?? [], request.orderId),
          ({ at }) => at
        ),
        (fill) => OrderAnswers.deal(fill, context)
      )
  }
})

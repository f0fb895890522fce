/** Bulk orders: one command places or cancels several orders one after the other, all with the same timestamp. */
import * as Cancellation from "./Cancellation.ts"
import type { CancelBulk, PlaceBulk } from "./Operation.ts"
import * as Orders from "./Orders.ts"
import * as Reply from "./Reply.ts"
import type { Work } from "./Work.ts"

/**
 * Places limit orders, each as if it were the only order in the command. A rejected order changes nothing; with
 * `stopOnFail`, the orders after it are not placed.
 */
export const place = (work: Work, account: string, { orders, stopOnFail = false }: PlaceBulk): Reply.Reply => {
  const replies: Array<Reply.Reply> = []
  for (const order of orders) {
    const reply = Orders.placeLimit(work, account, order)
    replies.push(reply)
    if (stopOnFail && Reply.isFailed(reply)) break
  }
  return { _tag: "BulkDone", replies }
}

const notThere = Reply.refused("orderNotFound", ["orderId", { kind: "existing" }])

/** Cancels orders, each as if it were the only order in the command. */
export const cancel = (work: Work, account: string, { orders }: CancelBulk): Reply.Reply => ({
  _tag: "BulkDone",
  replies: orders.map((order) => {
    const reply = Cancellation.cancel(work, account, order)
    return reply === Cancellation.notFound ? notThere : reply
  })
})

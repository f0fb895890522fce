import { type Identifiers, type Item, PendingOrdersChannel } from "effect-txc"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

type Orders = ReadonlyMap<Identifiers.OrderId, PendingOrdersChannel.PendingOrder>
type OrderItem = Item.Item<PendingOrdersChannel.OrderEvent, ReadonlyArray<PendingOrdersChannel.PendingOrder>>

/** Returns the open orders after an item, or `undefined` while some orders may be missing. */
const after = (open: Orders | undefined, item: OrderItem): Orders | undefined => {
  if (item._tag === "Interrupted") return undefined
  if (item._tag === "Snapshot") return new Map(item.state.map((order) => [order.orderId, order]))
  const { event, order } = item.event
  const changed = new Map(open)
  if (event === "finished") changed.delete(order.orderId)
  else changed.set(order.orderId, order)
  return changed
}

export const follow = (market: Identifiers.MarketName) =>
  PendingOrdersChannel.PendingOrdersChannel.use(({ stream }) =>
    stream({ market }).pipe(
      Stream.scan((): Orders | undefined => undefined, after),
      Stream.runForEach((open) => Effect.log(open === undefined ? "orders may be missing" : `${open.size} orders`))
    )
  )

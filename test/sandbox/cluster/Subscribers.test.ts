/**
 * Kills a venue's node while many clients follow the venue's orders over WebSockets. Each client is connected to one of
 * the nodes.
 */
import { assert } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Socket from "effect/socket/Socket"
import * as Stream from "effect/Stream"
import * as PendingOrdersChannel from "../../../src/channels/PendingOrdersChannel.ts"
import * as Call from "../../../src/client/call/Call.ts"
import * as Dialer from "../../../src/client/session/Dialer.ts"
import * as Session from "../../../src/client/session/Session.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { ClientOrderId, marketName, type OrderId } from "../../../src/domain/Identifiers.ts"
import { ActiveOrders } from "../../../src/endpoints/ActiveOrders.ts"
import { CancelOrder } from "../../../src/endpoints/CancelOrder.ts"
import { LimitOrders } from "../../../src/endpoints/LimitOrders.ts"
import { WebSocketToken } from "../../../src/endpoints/WebSocketToken.ts"
import type { Made } from "../../../src/sandbox/host/HostModels.ts"
import { until } from "../../support/clock.ts"
import { ask, clientOf, cluster, fund, makeVenues, type Node } from "../../support/cluster.ts"
import { isLong } from "../../support/long.ts"
import { itWithPostgres } from "../../support/postgres.ts"

const market = marketName("BTC_USDT")

/** A client's knowledge of a venue's orders. */
interface Subscriber {
  /** The open orders, or `undefined` while events may be missing. */
  orders: Set<OrderId> | undefined
  /** The orders reported as new since the latest snapshot. */
  fresh: Set<OrderId>
  /** The orders that were wrongly reported as new a second time. */
  readonly twice: Array<OrderId>
  /** The number of connections so far. */
  dials: number
}

/** Connects to the nodes in turn, as a load balancer would. */
const dialer = (made: Made, nodes: ReadonlyArray<Node>, first: number, subscriber: Subscriber) => {
  const next = Effect.sync(() => {
    const { baseUrl } = nodes[(first + subscriber.dials++) % nodes.length] ?? assert.fail()
    return `${baseUrl.replace("http", "ws")}/v/${made.id}/ws`
  })
  return Layer.effect(
    Dialer.Dialer,
    Effect.map(Effect.context<Socket.WebSocketConstructor>(), (context) => ({
      dial: Effect.provideContext(Socket.makeWebSocket(next), context)
    }))
  ).pipe(Layer.provide(Socket.layerWebSocketConstructorGlobal))
}

/** Follows a venue's orders until the scope is closed. */
const follow = Effect.fnUntraced(function*(
  made: Made,
  nodes: ReadonlyArray<Node>,
  create: Session.StreamToken["Service"]["create"],
  first: number
) {
  const subscriber: Subscriber = { orders: undefined, fresh: new Set(), twice: [], dials: 0 }
  const channel = PendingOrdersChannel.PendingOrdersChannel.layer.pipe(
    Layer.provide(Session.layer),
    Layer.provide([dialer(made, nodes, first, subscriber), Layer.succeed(Session.StreamToken, { create })])
  )
  const { stream } = Context.get(yield* Layer.build(Layer.fresh(channel)), PendingOrdersChannel.PendingOrdersChannel)
  yield* Effect.forkScoped(Stream.runForEach(stream({ market }), (item) =>
    Effect.sync(() => {
      if (item._tag !== "Event") {
        subscriber.fresh = new Set()
        subscriber.orders = item._tag === "Snapshot" ? new Set(item.state.map(({ orderId }) => orderId)) : undefined
        return
      }
      const { event: { event, order: { orderId } } } = item
      if (event === "finished") return void subscriber.orders?.delete(orderId)
      if (event === "new" && subscriber.fresh.has(orderId)) subscriber.twice.push(orderId)
      subscriber.fresh.add(orderId)
      subscriber.orders?.add(orderId)
    })))
  return subscriber
})

/** Places orders, and cancels every third order. */
const trade = Effect.fnUntraced(function*(
  client: Effect.Success<ReturnType<typeof clientOf>>,
  name: string,
  isOver: () => boolean
) {
  const [orders, cancel] = [Context.get(client, LimitOrders), Context.get(client, CancelOrder)]
  for (let count = 0; !isOver(); count++) {
    const clientOrderId = ClientOrderId.make(`${name}-${count}`)
    const price = Decimal.Price.make(String(30_000 + count % 20))
    const order = { market, side: "buy", amount: Decimal.amount("0.001"), price, clientOrderId } as const
    const placed = yield* Effect.option(Call.withTimeout("40 seconds")(orders.create(order)))
    if (count % 3 === 0 && placed._tag === "Some") {
      yield* Effect.ignore(cancel.cancel({ market, orderId: placed.value.orderId }))
    }
    yield* Effect.sleep("50 millis")
  }
})

/** Returns the address of a venue's node. */
const ownerOf = (node: Node, { id }: Made) =>
  Effect.map(
    ask(node, "GET", "/Venues"),
    (all) =>
      (all as ReadonlyArray<{ readonly id: string; readonly node?: string }>).find((venue) => venue.id === id)?.node
  )

itWithPostgres(
  "every subscriber to a killed node's venue resumes through another node, and knows the same orders that REST returns",
  () =>
    Effect.gen(function*() {
      const { nodes } = yield* cluster(3)
      const [killed = assert.fail(), ...others] = nodes
      const [second = assert.fail(), third = assert.fail()] = others
      const isTheirs = (made: Made) => Effect.map(ownerOf(third, made), (owner) => `http://${owner}` === killed.vitals)
      const [made = assert.fail()] = yield* Effect.filter(yield* makeVenues(nodes, 3), isTheirs)
      yield* fund(made, third)
      const [one, two] = [yield* clientOf(made, second), yield* clientOf(made, third)]
      // A key may create ten tokens a minute, so the clients share a token as long as it is valid.
      const token = yield* Effect.cachedWithTTL(
        Effect.map(Context.get(two, WebSocketToken).create, ({ token }): Redacted.Redacted => token),
        "20 seconds"
      )
      const subscribers = yield* Effect.forEach(
        Array.from({ length: isLong ? 100 : 20 }, (_, at) => at),
        (at) => follow(made, nodes, token, at)
      )
      const all = (holds: (subscriber: Subscriber) => boolean) => until(Effect.sync(() => subscribers.every(holds)))
      let isOver = false
      const trading = yield* Effect.forkChild(Effect.all([
        trade(one, "one", () => isOver),
        trade(two, "two", () => isOver)
      ], { concurrency: "unbounded" }))
      yield* all(({ fresh }) => fresh.size > 3)
      const dialed = subscribers.map(({ dials }) => dials)

      yield* killed.signal("SIGKILL")
      yield* until(Effect.sync(() => subscribers.every(({ dials }, at) => dials > (dialed[at] ?? 0))))
      // All subscribers receive new orders again.
      yield* all(({ fresh, orders }) => orders !== undefined && fresh.size > 3)
      isOver = true
      yield* Fiber.join(trading)
      const open = yield* Stream.runCollect(Context.get(two, ActiveOrders).stream({ market }))
      const ids = open.map(({ orderId }) => orderId)
      assert.isAbove(ids.length, 3)
      yield* Effect.timeoutOption(all(({ orders }) => orders?.size === ids.length), "20 seconds")
      for (const { orders, twice } of subscribers) {
        assert.sameMembers([...orders ?? []], ids)
        assert.deepStrictEqual(twice, [])
      }
    })
)

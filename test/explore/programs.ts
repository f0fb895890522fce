import * as Effect from "effect/Effect"
import * as KeyValueStore from "effect/persistence/KeyValueStore"
import * as Decimal from "../../src/domain/Decimal.ts"
import { ClientOrderId, marketName } from "../../src/domain/Identifiers.ts"
import * as LimitOrders from "../../src/endpoints/LimitOrders.ts"
import { Explore, Invariant, Possibilities } from "../../src/explore/index.ts"

export const market = marketName("BTC_USDT")

const order = {
  market,
  side: "buy",
  amount: Decimal.amount("0.01"),
  price: Decimal.price("39000")
} as const

/** Places an order again if the response does not arrive, although the first order may exist. */
export const impatient = Explore.program({
  name: "impatient",
  run: LimitOrders.LimitOrders.use(({ create }) => create(order)).pipe(Effect.retry({ times: 3 })),
  invariants: [Invariant.noOrderTwice()],
  possible: Possibilities.lostAnswers
})

/**
 * Three workers each check that fewer than two orders were placed, and then place one. Together, they can place three.
 */
export const racing = Explore.program({
  name: "racing",
  run: Effect.gen(function*() {
    const { create } = yield* LimitOrders.LimitOrders
    let placed = 0
    const work = (index: number) =>
      Effect.gen(function*() {
        yield* Effect.sleep(150 * index)
        if (placed >= 2) return
        yield* create(order)
        placed++
      })
    yield* Effect.all([work(0), work(1), work(2)], { concurrency: "unbounded" })
  }),
  invariants: [
    Invariant.always(
      "at most two orders are open",
      ({ openOrders }) => openOrders.length <= 2 || `${openOrders.length} orders are open`
    )
  ],
  possible: Possibilities.of()
})

/** Places a single order in its lifetime. It records its intention first, and gives the order a client order id. */
export const careful = Explore.program({
  name: "careful",
  run: Effect.gen(function*() {
    const { create } = yield* LimitOrders.LimitOrders
    const store = yield* KeyValueStore.KeyValueStore
    if (yield* store.has("intended")) return
    yield* store.set("intended", "yes")
    yield* create({ ...order, clientOrderId: ClientOrderId.make("the-only-one") })
  }),
  invariants: [
    Invariant.noOrderTwice(),
    Invariant.reached("an order is open", ({ openOrders }) => openOrders.length > 0)
  ]
})

/** Programs that use the client as its users do, and that state the client's own promises as invariants. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Decimal from "../../src/domain/Decimal.ts"
import * as CancelOrder from "../../src/endpoints/CancelOrder.ts"
import * as LimitOrders from "../../src/endpoints/LimitOrders.ts"
import { Explore, Invariant, type Moment, Possibilities } from "../../src/explore/index.ts"
import * as LiveOrders from "../../src/LiveOrders.ts"
import * as Reconciliation from "../../src/Reconciliation.ts"
import { market } from "./programs.ts"

const order = (index: number) => ({
  market,
  side: "buy",
  amount: Decimal.amount("0.01"),
  price: Decimal.Price.make(String(39_000 + index))
} as const)

/** Faults, outages, clock drift, kills, stops, price moves and trades. The key is never disabled. */
const possible: Possibilities.Possibilities = {
  weights: { Fault: 8, Outage: 1, Drift: 1, Kill: 1, KillAtCall: 2, Price: 1, Trade: 1, Stop: 1 }
}

/**
 * Whether a restarted process made a call in the three seconds before `at` (in Unix milliseconds). Its first nonces may
 * have been used already: they follow the clock, and the previous process's nonces may have run ahead of the clock.
 */
const isSoonAfterRestart = ({ sent }: Moment, at: number): boolean =>
  sent.some(({ at: sentAt, process }) => process > 1 && sentAt <= at && at <= sentAt + 3000)

const ids = ({ endedOrders, openOrders }: Moment) =>
  [...endedOrders, ...openOrders].flatMap(({ clientOrderId }) => clientOrderId === undefined ? [] : [clientOrderId])

/** Places orders, some of them at the same time, and ignores every failure. */
export const placing = Explore.program({
  name: "placing",
  run: Effect.gen(function*() {
    const { create } = yield* LimitOrders.LimitOrders
    const place = (index: number) => Effect.ignore(create(order(index)))
    yield* Effect.forEach([1, 2, 3, 4, 5, 6], place, { concurrency: 3 })
  }),
  invariants: [
    Invariant.always("a call is delivered at most once", (moment) => new Set(ids(moment)).size === ids(moment).length),
    Invariant.always(
      "no process uses a nonce twice",
      (moment) =>
        moment.calls.every(({ at, fault, refused }) =>
          refused !== "nonceUsed" || fault !== undefined || isSoonAfterRestart(moment, at / 1000)
        )
    )
  ],
  possible
})

/** Places orders, and reconciles those whose outcome is unknown. */
export const reconciling = Explore.program({
  name: "reconciling",
  run: Effect.gen(function*() {
    const { create } = yield* LimitOrders.LimitOrders
    const { reconcile } = yield* Reconciliation.Reconciliation
    const verdicts: Record<string, string> = {}
    const place = Effect.fn(function*(index: number) {
      yield* create(order(index)).pipe(
        Effect.catchTag(
          "OutcomeUnknown",
          (lost) =>
            Effect.flatMap(reconcile(lost, { recordsCanceled: true }), ({ _tag }) => {
              if (lost.clientOrderId !== undefined) verdicts[lost.clientOrderId] = _tag
              return Explore.say("verdicts", { ...verdicts })
            })
        ),
        Effect.ignore
      )
    })
    yield* Effect.forEach([1, 2, 3], place, { concurrency: 2 })
  }),
  invariants: [
    Invariant.always("Reconciliation is never wrong", (moment) => {
      const verdicts = moment.said.get("verdicts")?.value ?? {}
      const placed = new Set<string>(ids(moment))
      for (const [id, verdict] of Object.entries(verdicts)) {
        if (verdict === "NotPlaced" && placed.has(id)) return `${id} was placed`
        if (verdict === "Placed" && !placed.has(id)) return `${id} was not placed`
      }
      return true
    }),
    Invariant.reached(
      "an order is found to have been placed",
      ({ said }) => Object.values(said.get("verdicts")?.value ?? {}).includes("Placed")
    ),
    Invariant.reached(
      "an order is found not to have been placed",
      ({ said }) => Object.values(said.get("verdicts")?.value ?? {}).includes("NotPlaced")
    )
  ],
  during: "2 minutes",
  possible
})

/** Follows its open orders in a live view while it places and cancels orders. */
const watch = Effect.gen(function*() {
  const { create } = yield* LimitOrders.LimitOrders
  const { cancel } = yield* CancelOrder.CancelOrder
  const view = yield* LiveOrders.make({ market })
  const trade = Effect.fn(function*(index: number) {
    yield* Effect.sleep(700 * index)
    const { orderId } = yield* create(order(index))
    if (index % 2 === 0) yield* cancel({ market, orderId })
  })
  yield* Effect.forkScoped(Effect.forEach([1, 2, 3, 4], (index) => Effect.ignore(trade(index))))
  yield* Stream.runForEach(
    view.changes,
    (state) => Explore.say("orders", state._tag === "Whole" ? [...state.value.keys()].toSorted() : null)
  )
})

/**
 * Follows its open orders in a live view. While faults last, the view may be wrong or incomplete, because the exchange
 * may repeat old states that look like new ones, or refuse every connection.
 */
export const watching = Explore.program({
  name: "watching",
  run: watch,
  invariants: [
    Invariant.eventually("once the faults have stopped, the view shows the exchange's open orders", {
      when: ({ elapsed }) => elapsed > 120_000,
      holds: ({ isRunning, openOrders, said }) => {
        const theirs = openOrders.map(({ id }) => id).toSorted().join(" ")
        const ours = said.get("orders")?.value
        const own = Array.isArray(ours) ? ours.join(" ") : "incomplete"
        return !isRunning || own === theirs || `the view has "${own}", the exchange "${theirs}"`
      },
      // Longer than the client needs to notice a stalled connection, to reconnect, and to poll again.
      within: "100 seconds"
    })
  ],
  during: "2 minutes",
  calm: "2 minutes",
  possible: { weights: { Fault: 8, Outage: 1, Kill: 1, Trade: 2, Price: 1 } }
})

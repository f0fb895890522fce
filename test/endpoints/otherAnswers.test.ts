/** Tests that the outcome is unknown if the response does not match the cancellation or kill switch that was sent. */
import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ClientOrderId, marketName, OrderId } from "../../src/domain/Identifiers.ts"
import * as CancelOcoOrder from "../../src/endpoints/CancelOcoOrder.ts"
import * as CancelOrder from "../../src/endpoints/CancelOrder.ts"
import * as KillSwitch from "../../src/endpoints/KillSwitch.ts"
import type { Dialect } from "../../src/protocol/Dialect.ts"
import * as Json from "../../src/protocol/Json.ts"
import { answered } from "../support/exchange.ts"
import { btcUsdt, dialects, failsWith, same } from "../support/trading.ts"
import { entryOf } from "./fixtures/all.ts"

type Wire = Readonly<Record<string, unknown>>

const answering = (dialect: Dialect, body: Wire) =>
  Effect.provide(answered(() => new Response(Json.stringify(body)), dialect))

const contradicts = <A, E extends KillSwitch.Failure | CancelOrder.Failure>(call: Effect.Effect<A, E>) =>
  Effect.gen(function*() {
    const error = yield* failsWith("OutcomeUnknown")(call)
    same([error.why, error.market], ["contradictory-answer", btcUsdt])
  })

describe.each(dialects)("mismatched responses in the $name dialect", (dialect) => {
  const { clientOrderId: idKey, orderId: orderKey } = dialect.keys
  const order = entryOf("CancelOrder").golden.wire[dialect.name].response as Wire
  const cancel = (request: CancelOrder.Request) => CancelOrder.CancelOrder.use((orders) => orders.cancel(request))
  const one = { market: btcUsdt, orderId: OrderId.make("1") }
  const named = { market: btcUsdt, clientOrderId: ClientOrderId.make("mine") }
  const about = { ...order, market: "BTC_USDT", [orderKey]: 1, [idKey]: "mine" }

  it.effect("a cancellation's outcome is unknown when the response names a different order", () =>
    Effect.gen(function*() {
      yield* cancel(one).pipe(answering(dialect, about))
      yield* cancel(named).pipe(answering(dialect, about))
      for (
        const [request, other] of [
          [one, { [orderKey]: 2 }],
          [one, { market: "ETH_USDT" }],
          [named, { [idKey]: "theirs" }],
          // The outcome is also unknown if the mismatched response is unreadable.
          [one, { [orderKey]: 2, amount: null }],
          [named, { [idKey]: "theirs", amount: null }]
        ] as const
      ) yield* contradicts(cancel(request).pipe(answering(dialect, { ...about, ...other })))
    }))

  const pair = entryOf("CancelOcoOrder").golden.wire[dialect.name].response as Wire
  const leg = (name: string, id: number) => ({
    ...pair[name] as Wire,
    market: "BTC_USDT",
    [orderKey]: id,
    [idKey]: "mine"
  })
  const pairOf = (id: number) => ({
    ...pair,
    id,
    stop_loss: leg("stop_loss", id + 1),
    take_profit: leg("take_profit", id + 2)
  })
  const cancelPair = (request: CancelOcoOrder.Request) =>
    CancelOcoOrder.CancelOcoOrder.use((orders) => orders.cancel(request))

  it.effect("an OCO cancellation's outcome is unknown when the response names a different pair", () =>
    Effect.gen(function*() {
      for (const id of ["1", "2", "3"]) {
        yield* cancelPair({ market: btcUsdt, orderId: OrderId.make(id) }).pipe(answering(dialect, pairOf(1)))
      }
      yield* contradicts(cancelPair(one).pipe(answering(dialect, pairOf(7))))
      const elsewhere = { ...pairOf(1), take_profit: { ...leg("take_profit", 3), market: "ETH_USDT" } }
      yield* contradicts(cancelPair(one).pipe(answering(dialect, elsewhere)))
    }))

  const arm = (types?: KillSwitch.Arming["types"]) =>
    KillSwitch.KillSwitch.use((timer) =>
      timer.arm({
        market: marketName("BTC_USDT"),
        timeout: KillSwitch.KillSwitchSeconds.make(60),
        ...(types === undefined ? {} : { types })
      })
    )
  const timer = { market: "BTC_USDT", startTime: 1700000000, cancellationTime: 1700000060 }

  it.effect("a kill switch's outcome is unknown when the response has a different timeout, market or order type", () =>
    Effect.gen(function*() {
      const all = ["spot", "margin", "futures"]
      yield* arm().pipe(answering(dialect, timer))
      yield* arm().pipe(answering(dialect, { ...timer, types: all }))
      yield* arm(["spot"]).pipe(answering(dialect, { ...timer, types: ["spot"] }))
      yield* contradicts(arm().pipe(answering(dialect, { ...timer, cancellationTime: 1700000600 })))
      yield* contradicts(arm().pipe(answering(dialect, { ...timer, market: "ETH_USDT" })))
      yield* contradicts(arm().pipe(answering(dialect, { ...timer, types: ["spot"] })))
      yield* contradicts(arm(["spot"]).pipe(answering(dialect, { ...timer, types: all })))
      yield* contradicts(arm(["spot", "margin"]).pipe(answering(dialect, { ...timer, types: ["spot"] })))
    }))
})

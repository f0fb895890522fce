/** Explores a program of ten calls. The message is the number of histories. */
import * as Effect from "effect/Effect"
import * as Decimal from "../../src/domain/Decimal.ts"
import { marketName, ticker } from "../../src/domain/Identifiers.ts"
import * as ActiveOrders from "../../src/endpoints/ActiveOrders.ts"
import * as CancelOrder from "../../src/endpoints/CancelOrder.ts"
import * as LimitOrders from "../../src/endpoints/LimitOrders.ts"
import * as TradeBalance from "../../src/endpoints/TradeBalance.ts"
import { Explore, Invariant } from "../../src/explore/index.ts"
import { serve } from "../harness/children.ts"
import type { Sample } from "../harness/operation.ts"

const market = marketName("BTC_USDT")

/**
 * Ten calls: four orders, two cancels, two lists and two balances. The program also reads the markets, because it needs
 * their rules.
 */
const run = Effect.gen(function*() {
  const { create } = yield* LimitOrders.LimitOrders
  const { cancel } = yield* CancelOrder.CancelOrder
  const { page } = yield* ActiveOrders.ActiveOrders
  const { of } = yield* TradeBalance.TradeBalance
  for (const price of ["39000", "39100"]) {
    const terms = { market, side: "buy", amount: Decimal.amount("0.01") } as const
    const { orderId } = yield* create({ ...terms, price: Decimal.Price.make(price) })
    yield* create({ ...terms, price: Decimal.price("38000") })
    yield* page({ market })
    yield* of(ticker("USDT"))
    yield* cancel({ market, orderId })
  }
})

const program = Explore.program({
  name: "ten calls",
  run: Effect.ignore(run),
  invariants: [
    Invariant.always("few orders", ({ openOrders }) => openOrders.length < 10),
    Invariant.exposureWithin("BTC_USDT", Decimal.amount("1"))
  ]
})

let seed = 0

serve("ready", async (runs: number): Promise<Sample> => {
  const before = process.cpuUsage()
  const start = performance.now()
  const { verdict } = await Effect.runPromise(Explore.explore(program, { runs, seed: seed++ }))
  if (verdict !== "held") throw new Error(`the exploration ended with ${verdict}`)
  const wall = (performance.now() - start) * 1000
  const { system, user } = process.cpuUsage(before)
  return { cpu: (user + system) / runs, wall: wall / runs }
})

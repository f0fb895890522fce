/** Rules about collateral balances and positions over a WebSocket, with borrows and in hedge mode. */
import * as Effect from "effect/Effect"
import type * as Rule from "../Rule.ts"
import * as LiveCalls from "../world/LiveCalls.ts"
import { basePrice, perpetual } from "../world/Markets.ts"
import * as Orders from "../world/Orders.ts"
import * as Paths from "../world/Paths.ts"
import * as Streams from "../world/Streams.ts"
import * as Trading from "../world/Trading.ts"
import type { Body } from "../world/World.ts"

const margin = Streams.documented("Balance margin")
const positions = Streams.documented("Positions")

/** The keys of each amount: in the detailed balances of the call, in the response to a request, and in a message. */
const keys = [
  ["balance", "balance", "B"],
  ["borrow", "borrow", "b"],
  ["availableWithoutBorrow", "available_without_borrow", "av"],
  ["availableWithBorrow", "available_with_borrow", "ab"]
] as const

/** Returns the amounts of an entry; an absent amount is zero. */
const amountsOf = (entry: Body, at: 0 | 1 | 2): ReadonlyArray<unknown> => keys.map((names) => entry[names[at]] ?? "0")

export const rules: ReadonlyArray<Rule.Rule> = [
  margin.forEach("streams.margin.borrows", {
    statement:
      "Shows the same amounts of each collateral asset as the call for detailed balances, in responses and messages, "
      + "even while a position borrows",
    values: Orders.sides,
    check: Effect.fnUntraced(function*(world, side) {
      const account = yield* world.open()
      const connection = yield* Streams.authorized(world, account)
      const listening = yield* Streams.subscribe(connection, "balanceMargin")
      yield* Trading.openPosition(world, account, side, "0.02")
      yield* Streams.pass(world)
      yield* Streams.settles(
        connection,
        "the detailed balances",
        Effect.gen(function*() {
          const call = (yield* LiveCalls.records(world, account, Paths.balanceSummary, {})).records
          const request = Streams.objectOf((yield* Streams.ask(connection, "balanceMargin_request")).result)
          const all = Streams.pushed(listening).flatMap(Streams.listOf).map(Streams.objectOf)
          const pushed = all.findLast(({ a }) => a === "USDT") ?? {}
          const holds = call.some(({ asset }) => asset === "USDT") &&
            call.every((entry) =>
              Streams.areEqual(amountsOf(entry, 0), amountsOf(Streams.objectOf(request[String(entry["asset"])]), 1)) &&
              (entry["asset"] !== "USDT" || Streams.areEqual(amountsOf(entry, 0), amountsOf(pushed, 2)))
            )
          return { holds, got: { call, request, pushed } }
        })
      )
    })
  }),
  positions.always("streams.positions.sides", {
    statement:
      "Pushes the long and the short position of a futures market in hedge mode, with their sides, as the call for "
      + "open positions shows them",
    check: Effect.fnUntraced(function*(world) {
      const account = yield* Trading.openHedged(world)
      const connection = yield* Streams.authorized(world, account)
      const listening = yield* Streams.subscribe(connection, "positionsMargin")
      for (const [side, positionSide, amount] of [["buy", "LONG", "0.03"], ["sell", "SHORT", "0.02"]] as const) {
        const order = { market: perpetual, side, amount, price: String(basePrice) }
        yield* Trading.onMargin(world, account, order, { positionSide })
      }
      yield* Streams.pass(world)
      yield* Streams.settles(
        connection,
        "a LONG position of 0.03 and a SHORT one of -0.02, as the HTTP call shows them",
        Effect.gen(function*() {
          const call = (yield* LiveCalls.openPositions(world, account)).positions
          const pushed = Streams.listOf(Streams.objectOf(Streams.pushed(listening).at(-1))["records"]).map(
            Streams.objectOf
          )
          const holds = [["LONG", 0.03], ["SHORT", -0.02]].every(([side, amount]) => {
            const shown = pushed.filter((one) => one["position_side"] === side && Number(one["amount"]) === amount)
            const called = call.filter((one) => one["positionSide"] === side && Number(one["amount"]) === amount)
            return shown.length === 1 && called.length === 1 && shown[0]?.["id"] === called[0]?.["positionId"]
          })
          return { holds, got: { pushed, call } }
        })
      )
    })
  })
]

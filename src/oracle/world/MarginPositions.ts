/** Positions of sandbox accounts on the futures market, for rules about the collateral account. */
import * as Effect from "effect/Effect"
import * as Verdict from "../Verdict.ts"
import * as LiveCalls from "./LiveCalls.ts"
import { basePrice, perpetual } from "./Markets.ts"
import type * as Orders from "./Orders.ts"
import * as Paths from "./Paths.ts"
import * as Refusals from "./Refusals.ts"
import * as Trading from "./Trading.ts"
import type { Account, Body, World } from "./World.ts"

/** Opens a position of 0.02 on the futures market for an account that has none. */
export const open = (world: World, account: Account, side: Orders.Side) =>
  Trading.onMargin(world, account, { market: perpetual, side, amount: "0.02", price: String(basePrice) })

/** Opens an account with a position of 0.02 on the futures market. */
export const withPosition = Effect.fnUntraced(function*(world: World, side: Orders.Side) {
  const account = yield* world.open()
  yield* world.control("MovePrice", { market: perpetual, price: String(basePrice) })
  yield* open(world, account, side)
  return account
})

/** Makes the call that closes a position with a market order. */
export const closing = (world: World, account: Account, fields: Body) =>
  LiveCalls.call(world, account, Paths.closePosition, fields)

/** Closes an account's only position with a market order. */
export const closed = Effect.fnUntraced(function*(
  world: World,
  account: Account,
  side: Orders.Side,
  price: number = basePrice
) {
  const { positions: [position = {}] } = yield* LiveCalls.openPositions(world, account)
  const rest = { market: perpetual, side, amount: "0.02", price: String(price) }
  yield* Trading.placeOther(world, yield* world.open(), rest, Paths.collateralLimit)
  const { market, positionId } = position
  const answer = yield* closing(world, account, { market, positionId })
  yield* Verdict.expect(answer, "HTTP 200", answer.status === 200 && Refusals.isSuccess(answer))
  return { answer, positionId }
})

/** Returns the summary of an account's collateral and positions. */
export const summary = (world: World, account: Account) => LiveCalls.object(world, account, Paths.collateralSummary, {})

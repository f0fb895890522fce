/** OCO orders and their legs. */
import * as Effect from "effect/Effect"
import * as Json from "../../protocol/Json.ts"
import * as Orders from "./Orders.ts"
import * as Paths from "./Paths.ts"
import type { Body, World } from "./World.ts"

/** The key of a leg. */
export type Leg = "stop_loss" | "take_profit"

/** The keys of both legs of an OCO order. */
export const legs: ReadonlyArray<Leg> = ["stop_loss", "take_profit"]

/** Places an OCO order. */
export const place = Effect.fnUntraced(function*(world: World, side: Orders.Side = "buy", more: Body = {}) {
  const market = yield* world.market
  return yield* Orders.place(world, yield* world.trader, Paths.oco, Orders.oco(market, side, more))
})

/** Returns one leg of an OCO order, or an empty object if it is missing. */
export const leg = (order: Body, key: Leg): Body => {
  const found = order[key]
  return Json.isObject(found) ? found : {}
}

/** Whether a condition holds for both legs. */
export const both = (order: Body, holds: (leg: Body) => boolean): boolean => legs.every((key) => holds(leg(order, key)))

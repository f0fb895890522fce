/** The calls that place orders, as far as stop-limit and OCO orders are alike. */
import * as Effect from "effect/Effect"
import type { Profile } from "../Profile.ts"
import type { Rule } from "../Rule.ts"
import type { Answer } from "../Target.ts"
import * as Orders from "./Orders.ts"
import * as Refusals from "./Refusals.ts"
import type { Body, Market, World } from "./World.ts"

/** A call that places orders. */
export interface OrderEntry {
  /** What the ids of its rules begin with. */
  readonly id: string
  /** The heading of the document that describes it. */
  readonly clause: string
  /** Where it is. */
  readonly path: string
  /** The fields that are prices. */
  readonly prices: ReadonlyArray<string>
  /** The prices whose products with the amount are bounded. */
  readonly limits: ReadonlyArray<string>
  /** The price at which a triggered order trades. */
  readonly stopPrice: string
  /** Whether the document shows how wrong fields are refused. */
  readonly isRefusalShown: boolean
  /** The fields whose bounds and precision the document does not state for this call. */
  readonly unbounded: ReadonlyArray<string>
  /** What a check needs to send a wrong side: a wrong target could take it for a buy or for a sell. */
  readonly sideProfile: Profile
  /** Drafts an order far from the market. */
  readonly draft: (market: Market, side: Orders.Side, more?: Body) => Body
  /** The client order ids that an order shows. */
  readonly clientOrderIds: (order: Body, key: string) => ReadonlyArray<unknown>
  /** How sure it is that client order ids are unique per account: `MUST` where the document says so. */
  readonly perAccount: Rule["level"]
  /** Whether an order shows the amount and the prices of its request. */
  readonly isAsSubmitted: (order: Body, fields: Body) => boolean
  /** The client order id that an order shows in the live dialect, where that is not the one it was given. */
  readonly liveClientOrderId?: string
}

/** Whether an order, or a leg, has the amount and the limit of a request, and its trigger where it has one. */
export const hasValues = (order: Body, amount: unknown, price: unknown, trigger?: unknown): boolean =>
  Number(order["amount"]) === Number(amount) && Number(order["price"]) === Number(price) &&
  (trigger === undefined || order["activation_price"] === trigger)

/** Submits a draft that is changed. An order that a wrong target places is canceled afterwards. */
export const submit = Effect.fnUntraced(function*(
  world: World,
  { draft, path }: OrderEntry,
  change: (order: Body, market: Market) => Body
) {
  const market = yield* world.market
  const account = yield* world.trader
  return yield* Orders.submit(world, account, path, change(draft(market, "buy"), market))
})

/** Expects that the fields are refused, as far as the document or the live exchange shows how. */
export const refuses = (
  { dialect }: Pick<World, "dialect">,
  { isRefusalShown }: Pick<OrderEntry, "isRefusalShown">,
  answer: Answer,
  ...keys: ReadonlyArray<string>
) => Refusals.order(answer, dialect, isRefusalShown, ...keys)

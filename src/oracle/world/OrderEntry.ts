/** The common ground of the calls that place stop-limit and OCO orders. */
import * as Effect from "effect/Effect"
import type { Profile } from "../Profile.ts"
import type { Rule } from "../Rule.ts"
import type { Answer } from "../Target.ts"
import * as Orders from "./Orders.ts"
import * as Refusals from "./Refusals.ts"
import * as Section from "./Section.ts"
import type { Body, Market, World } from "./World.ts"

/** A call that places orders. */
export interface OrderEntry {
  /** The prefix of the rules' ids. */
  readonly id: string
  /** The heading of the document that describes it. */
  readonly clause: string
  /** The path of the call. */
  readonly path: string
  /** The price fields. */
  readonly prices: ReadonlyArray<string>
  /** The price fields whose product with the amount is bounded. */
  readonly limits: ReadonlyArray<string>
  /** The field with the limit price of a triggered order. */
  readonly stopPrice: string
  /** Whether the document shows how wrong fields are refused. */
  readonly isRefusalShown: boolean
  /** The fields for which the document states neither bounds nor precision. */
  readonly unbounded: ReadonlyArray<string>
  /** The profile needed to send a wrong side: a faulty target could take it for a buy or a sell. */
  readonly sideProfile: Profile
  /** Drafts an order far from the market. */
  readonly draft: (market: Market, side: Orders.Side, more?: Body) => Body
  /** The client order ids in an order. */
  readonly clientOrderIds: (order: Body, key: string) => ReadonlyArray<unknown>
  /** The level of the rule that client order ids are unique per account: `MUST` if the document says so. */
  readonly perAccount: Rule["level"]
  /** Whether an order shows the amount and prices of its request. */
  readonly isAsSubmitted: (order: Body, fields: Body) => boolean
  /** The client order id that an order shows in the live dialect, if it differs from the submitted one. */
  readonly liveClientOrderId?: string
}

/** The makers of a call's rules; most of them place orders and need no sandbox. */
export const rulesOf = ({ clause }: OrderEntry): Section.Section => Section.of({ clause, profile: "mutating" })

/** Whether an order or a leg has the request's amount, limit and, if given, trigger. */
export const hasValues = (order: Body, amount: unknown, price: unknown, trigger?: unknown): boolean =>
  Number(order["amount"]) === Number(amount) && Number(order["price"]) === Number(price) &&
  (trigger === undefined || order["activation_price"] === trigger)

/** Submits a modified draft. An order that a faulty target accepts is canceled afterwards. */
export const submit = Effect.fnUntraced(function*(
  world: World,
  { draft, path }: OrderEntry,
  change: (order: Body, market: Market) => Body
) {
  const market = yield* world.market
  const account = yield* world.trader
  return yield* Orders.submit(world, account, path, change(draft(market, "buy"), market))
})

/** Expects that the fields are refused, in the form that the document or the live exchange shows. */
export const refuses = (
  { dialect }: Pick<World, "dialect">,
  { isRefusalShown }: Pick<OrderEntry, "isRefusalShown">,
  answer: Answer,
  ...keys: ReadonlyArray<string>
) => Refusals.order(answer, dialect, isRefusalShown, ...keys)

/** The common properties of the calls that place stop-limit and OCO orders. */
import * as Effect from "effect/Effect"
import type { Profile } from "../Profile.ts"
import type { Level } from "../Rule.ts"
import type { Answer } from "../Target.ts"
import * as Orders from "./Orders.ts"
import * as Refusals from "./Refusals.ts"
import * as Section from "./Section.ts"
import type { Body, Market, World } from "./World.ts"

/** A call that places orders. */
export interface OrderEntry {
  /** The prefix of the rules' ids. */
  readonly id: string
  /** The document's heading about the call. */
  readonly clause: string
  /** The path of the call. */
  readonly path: string
  /** The request fields that are prices. */
  readonly prices: ReadonlyArray<string>
  /** The price fields whose product with the amount must be within the market's bounds. */
  readonly limits: ReadonlyArray<string>
  /** The field with the limit price of the triggered order. */
  readonly stopPrice: string
  /** Whether the document shows how invalid fields are refused. */
  readonly isRefusalShown: boolean
  /** The fields whose bounds and precision the document does not state. */
  readonly unbounded: ReadonlyArray<string>
  /** The profile needed to send an invalid side, which a faulty target could treat as a buy or a sell. */
  readonly sideProfile: Profile
  /** Creates the fields of an order that waits far from the market. */
  readonly draft: (market: Market, side: Orders.Side, more?: Body) => Body
  /** The client order ids in an order. */
  readonly clientOrderIds: (order: Body, key: string) => ReadonlyArray<unknown>
  /** The level of the rule that client order ids are unique per account: `MUST` if the document says so. */
  readonly perAccount: Level
  /** Whether an order in a response shows the amount and prices of its request. */
  readonly isAsSubmitted: (order: Body, fields: Body) => boolean
  /** The client order id that an order shows in the live dialect, if it differs from the submitted one. */
  readonly liveClientOrderId?: string
}

/** Returns the constructors for a call's rules. Most of these rules place orders, and do not need a sandbox. */
export const rulesOf = ({ clause }: OrderEntry): Section.Section => Section.of({ clause, profile: "mutating" })

/**
 * Whether an order or a leg has the request's amount, limit and, if given, trigger. Compares by value, because a target
 * may write `1` as `1.00`.
 */
export const hasValues = (order: Body, amount: unknown, price: unknown, trigger?: unknown): boolean =>
  Number(order["amount"]) === Number(amount) && Number(order["price"]) === Number(price) &&
  (trigger === undefined || Number(order["activation_price"]) === Number(trigger))

/** Submits a modified draft. An order that a faulty target accepts is canceled afterwards. */
export const submit = Effect.fnUntraced(function*(
  world: World,
  { draft, path }: OrderEntry,
  change: (order: Body, market: Market) => Body,
  side: Orders.Side = "buy"
) {
  const market = yield* world.market
  const account = yield* world.trader
  return yield* Orders.submit(world, account, path, change(draft(market, side), market))
})

/**
 * The sides of an order with an invalid field. On a real account, a target that accepts a sell with an invalid field
 * might trade, so only buys are tried.
 */
export const sidesOf = ({ profile }: Pick<World, "profile">): ReadonlyArray<Orders.Side> =>
  profile === "control" ? Orders.sides : ["buy"]

/** Expects a refusal of these fields, in the format that the document or the live exchange shows. */
export const refuses = (
  { dialect }: Pick<World, "dialect">,
  { isRefusalShown }: Pick<OrderEntry, "isRefusalShown">,
  answer: Answer,
  ...keys: ReadonlyArray<string>
) => Refusals.order(answer, dialect, isRefusalShown, ...keys)

/**
 * Expects a refusal of an order's total. According to the live documentation, `errors` names `total`, but recorded
 * responses name `amount`.
 */
export const refusesTotal = (
  { dialect }: Pick<World, "dialect">,
  entry: Pick<OrderEntry, "isRefusalShown">,
  answer: Answer
) => refuses({ dialect }, entry, answer, Refusals.namedFields(answer).includes("total") ? "total" : "amount")

/** The life of one order as the sandbox's owner sees it: its events, and the commands that caused them. */
import * as Schema from "effect/Schema"
import { Decimal } from "../../domain/Decimal.ts"
import type { OrderId } from "../../domain/Identifiers.ts"
import { SelfTradePrevention } from "../../domain/Order.ts"
import type { Order } from "../engine/Order.ts"
import type * as State from "../engine/State.ts"
import * as Units from "../engine/Units.ts"
import { fillsByOrder } from "../handlers/Conditional.ts"
import { endedById } from "../handlers/Trading.ts"
import type { Happened } from "../venue/Feed.ts"
import * as Views from "./Views.ts"

/** An event in an order's life. */
export interface OrderEvent {
  /** The kind of event. */
  readonly what: "placed" | "triggered" | "filled" | "ended"
  /** The time, in Unix microseconds on the venue's clock; absent if the time is no longer known. */
  readonly at?: number
  /** The number of the command that caused the event; absent if the number is no longer known. */
  readonly command?: number
  /** The fill; present only if the kind is `filled`. */
  readonly fill?: Views.AccountFill
}

/** An order, its options, and its events. */
export interface OrderLife extends Views.OpenOrder {
  /** Whether the order can still trade. */
  readonly open: boolean
  /** Whether the order never takes liquidity. */
  readonly postOnly: boolean
  /** Whether the part that can't trade immediately is canceled. */
  readonly ioc: boolean
  /** How the order avoids trading with another order of the same account. */
  readonly stp: SelfTradePrevention
  /** The fee charged so far, in units of the fee asset. */
  readonly dealFee: Decimal
  /** The order's events, oldest first, including its latest 100 fills. */
  readonly events: ReadonlyArray<OrderEvent>
}

const key = Schema.optionalKey

/** The schema of {@link OrderLife}. */
export const OrderLife: Schema.Codec<OrderLife, unknown> = Schema.Struct({
  ...Views.orderFields,
  locked: key(Views.Locked),
  open: Schema.Boolean,
  postOnly: Schema.Boolean,
  ioc: Schema.Boolean,
  stp: SelfTradePrevention,
  dealFee: Decimal,
  events: Schema.Array(Schema.Struct({
    what: Schema.Literals(["placed", "triggered", "filled", "ended"]),
    at: key(Schema.Int),
    command: key(Schema.Int),
    fill: key(Views.AccountFill)
  }))
})

/** The maximum number of fills that are shown. */
const mostFills = 100

/**
 * The latest fills of an order, each with the number of the command that caused the fill, if the number is still known.
 */
const filled = (fills: ReadonlyArray<Views.AccountFill>, known: ReadonlyArray<Happened>): ReadonlyArray<OrderEvent> => {
  const trades = known.filter(({ event }) => event._tag === "Traded")
  // The feed forgets the oldest events first, so the known trades belong to the latest fills.
  const forgotten = fills.length - trades.length
  return fills.map((fill, index) => {
    const command = trades[index - forgotten]?.sequence
    return { what: "filled" as const, at: fill.at, ...(command === undefined ? {} : { command }), fill }
  }).slice(-mostFills)
}

const eventsOf = (
  order: Order,
  isOpen: boolean,
  fills: ReadonlyArray<Views.AccountFill>,
  known: ReadonlyArray<Happened>
): ReadonlyArray<OrderEvent> => {
  const commandOf = (tag: Happened["event"]["_tag"]) => {
    const sequence = known.find(({ event }) => event._tag === tag)?.sequence
    return sequence === undefined ? {} : { command: sequence }
  }
  const triggered = known.find(({ event }) => event._tag === "OrderActivated")
  return [
    { what: "placed", at: order.placedAt, ...commandOf("OrderPlaced") },
    ...(order.stop?.activated === true
      ? [{ what: "triggered" as const, ...(triggered && { at: triggered.at, command: triggered.sequence }) }]
      : []),
    ...filled(fills, known),
    ...(isOpen ? [] : [{ what: "ended" as const, at: order.changedAt, ...commandOf("OrderEnded") }])
  ]
}

/**
 * An account's order with this id; `undefined` if there is no such order. `about` returns the order's events that are
 * still known.
 */
export const order = (
  { endedOrders, fills, openOrders }: State.State,
  about: (order: OrderId) => ReadonlyArray<Happened>,
  account: string,
  id: OrderId
): OrderLife | undefined => {
  const open = openOrders.get(id)
  const found = open ?? endedById(endedOrders.get(account) ?? [], id)[0]
  if (found?.account !== account) return undefined
  const own = fillsByOrder(fills.get(account) ?? [], id).map(Views.toFill)
  return {
    ...(open === undefined ? Views.toOrder(found) : Views.toOpenOrder(found)),
    open: open !== undefined,
    postOnly: found.postOnly,
    ioc: found.ioc,
    stp: found.stp,
    dealFee: Units.toDecimal(found.dealFee),
    events: eventsOf(found, open !== undefined, own, about(id))
  }
}

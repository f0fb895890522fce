/** Creates and opens new orders. */
import type { OrderId } from "../../domain/Identifiers.ts"
import type { PositionSide } from "../../domain/Order.ts"
import * as Event from "./Event.ts"
import * as Locks from "./Locks.ts"
import type { Order } from "./Order.ts"
import type { State } from "./State.ts"
import type { Work } from "./Work.ts"

/**
 * Returns the identifier that an upcoming order will have: the next order if `ahead` is 1, the order after it if
 * `ahead` is 2, and so on. Does not advance the counter; {@link open} does.
 */
export const nextId = (state: State, ahead = 1): OrderId =>
  // The decimal digits of a whole number are a valid identifier.
  (state.lastId + ahead).toString() as OrderId

/** The side of the position that an order of the given side reduces. */
const reduces = { buy: "SHORT", sell: "LONG" } as const

/** The side of the position that an order of the given side opens or increases. */
const opens = { buy: "LONG", sell: "SHORT" } as const

/** An order's position side; `undefined` for spot. In one-way mode, the policy decides which orders get `BOTH`. */
const positionSideOf = (
  { accounts, policy: { positionSides } }: State,
  account: string,
  { kind, oco, reduceOnly, side }: Pick<Order, "kind" | "reduceOnly" | "side"> & Partial<Pick<Order, "oco">>
): PositionSide | undefined => {
  if (kind === "spot") return undefined
  if (kind === "futures" && accounts.get(account)?.hedgeMode === true) return (reduceOnly ? reduces : opens)[side]
  if (positionSides === "one-way") return "BOTH"
  return reduceOnly ? reduces[side] : oco === undefined ? "BOTH" : opens[side]
}

/** The fields in which new orders differ. An absent field gets its default value. */
export interface Draft<P, S>
  extends
    Pick<Order, "market" | "side" | "type" | "kind" | "amount" | "quantity" | "clientOrderId" | "stp" | "reduceOnly">,
    Partial<Pick<Order, "postOnly" | "ioc" | "rpi" | "retail" | "oco" | "oto">>
{
  /** The limit price, in units of the quote currency. */
  readonly price: P
  /** The trigger of a stop order; `undefined` for any other order. */
  readonly stop: S
}

/**
 * Creates an order. All orders are created by this one object literal, so that they have the same shape, which makes
 * reading their fields fast.
 */
export const make = <P extends Order["price"], S extends Order["stop"]>(
  { at, state }: Work,
  account: string,
  draft: Draft<P, S>,
  ahead = 1
): Order & { readonly price: P; readonly stop: S } => ({
  id: nextId(state, ahead),
  account,
  market: draft.market,
  side: draft.side,
  type: draft.type,
  kind: draft.kind,
  amount: draft.amount,
  quantity: draft.quantity,
  price: draft.price,
  postOnly: draft.postOnly ?? false,
  ioc: draft.ioc ?? false,
  rpi: draft.rpi ?? false,
  retail: draft.retail ?? false,
  stop: draft.stop,
  clientOrderId: draft.clientOrderId,
  stp: draft.stp,
  reduceOnly: draft.reduceOnly,
  positionSide: positionSideOf(state, account, draft),
  oco: draft.oco,
  oto: draft.oto,
  placedAt: at,
  locked: undefined,
  closing: 0n,
  queued: undefined,
  status: "NEW",
  left: draft.quantity,
  dealStock: 0n,
  dealMoney: 0n,
  dealFee: 0n,
  changedAt: at
})

/** Adds an order to the open orders. */
export const open = ({ events, state }: Work, order: Order): void => {
  state.lastId = state.openOrders.add(order)
  if (order.oto !== undefined) state.otoOrders.add({ id: order.oto.id, order })
  Locks.claim(state, order)
  events.push(Event.of("OrderPlaced", order))
  // A client order id that ends in `!` is the exchange's own. No caller can use one, so it is not recorded.
  if (order.clientOrderId === undefined || order.clientOrderId.endsWith("!")) return
  const used = state.clientOrderIds.get(order.account) ?? new Set()
  state.clientOrderIds.set(order.account, used.add(order.clientOrderId))
}

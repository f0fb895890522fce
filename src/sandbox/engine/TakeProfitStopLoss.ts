/**
 * An order's exit: the take-profit and stop-loss for the position that the order opens. The exit is placed when the
 * order is filled.
 */
import type { Price } from "../../domain/Decimal.ts"
import type { OrderSide } from "../../domain/Order.ts"
import * as Locks from "./Locks.ts"
import * as NewOrder from "./NewOrder.ts"
import type { WithExit } from "./Operation.ts"
import type { Exit, Order, Oto, StopOrder } from "./Order.ts"
import * as PendingStopOrders from "./PendingStopOrders.ts"
import * as Positions from "./Positions.ts"
import * as Reply from "./Reply.ts"
import type { State } from "./State.ts"
import * as Units from "./Units.ts"
import type { Work } from "./Work.ts"

const opposite: { readonly [K in OrderSide]: OrderSide } = { buy: "sell", sell: "buy" }

/** Whether an order has a take-profit or a stop-loss. */
export const isAsked = ({ stopLoss, takeProfit }: WithExit): boolean =>
  takeProfit !== undefined || stopLoss !== undefined

/** The fields of an order that determine whether the order's exit is valid. */
interface Asked extends WithExit {
  readonly side: OrderSide
  readonly reduceOnly?: boolean
}

/** Whether a price is above another price or, if `isAbove` is `false`, below the other price. */
const isBeyond = (price: Price, entry: Units.Units, isAbove: boolean): boolean => {
  const units = Units.from(price) ?? 0n
  return isAbove ? units > entry : units < entry
}

/**
 * Returns the exit that an order requests, `undefined` if it requests none, or a refusal if the exit is invalid. Only
 * an order that can open a position can have an exit. `entry` is the expected entry price: the take-profit must be on
 * the profit side of this price, and the stop-loss on the loss side. If `entry` is `undefined`, the sides are not
 * checked.
 */
export const of = (
  state: State,
  kind: Order["kind"],
  { reduceOnly = false, side, stopLoss, takeProfit }: Asked,
  entry: Units.Units | undefined
): Oto | undefined | Reply.Reply => {
  if (takeProfit === undefined && stopLoss === undefined) return undefined
  const field = takeProfit === undefined ? "stopLoss" : "takeProfit"
  if (kind === "spot") return Reply.invalid([field, { kind: "expected" }])
  if (reduceOnly) return Reply.invalid(["reduceOnly", { kind: "alone", with: field }])
  const wrong: Array<Reply.Violations[number]> = []
  if (takeProfit !== undefined && entry !== undefined && !isBeyond(takeProfit, entry, side === "buy")) {
    wrong.push(["takeProfit", { kind: "exitSide" }])
  }
  if (stopLoss !== undefined && entry !== undefined && !isBeyond(stopLoss, entry, side === "sell")) {
    wrong.push(["stopLoss", { kind: "exitSide" }])
  }
  return wrong.length > 0 ? Reply.invalid(...wrong) : { id: NewOrder.nextId(state), takeProfit, stopLoss }
}

/**
 * Creates one leg of an exit. The leg closes the amount that the entry order traded, or the whole position if the
 * position is smaller by then.
 */
const legOf = (
  work: Work,
  { account, dealStock, kind, market, side, stp }: Order,
  oco: Exit["id"],
  price: Price,
  isProfit: boolean,
  ahead: number
): StopOrder =>
  NewOrder.make(work, account, {
    market,
    side: opposite[side],
    type: "stop market",
    kind,
    amount: Units.toDecimal(dealStock),
    quantity: dealStock,
    price: undefined,
    // A long position's take-profit sells, but waits for the price to rise above the entry price.
    stop: { price, condition: isProfit === (side === "buy") ? "gte" : "lte", bboRole: undefined, activated: false },
    clientOrderId: undefined,
    stp,
    reduceOnly: true,
    oco
  }, ahead)

/**
 * Places a filled order's exit. Does nothing if the order only closed a position. The exit, the take-profit and the
 * stop-loss have consecutive identifiers.
 */
export const arm = (work: Work, entry: Order): void => {
  const { state } = work
  const { account, market, oto, side } = entry
  const trading = state.trading.get(market)
  if (oto === undefined || trading === undefined) return
  if (Positions.reducible(state, { account, market, side: opposite[side], reduceOnly: true }) === 0n) return
  const id = NewOrder.nextId(state)
  const takeProfit = oto.takeProfit === undefined ? undefined : legOf(work, entry, id, oto.takeProfit, true, 2)
  const stopLoss = oto.stopLoss === undefined
    ? undefined
    : legOf(work, entry, id, oto.stopLoss, false, takeProfit === undefined ? 2 : 3)
  state.exits.add({ id, account, market, takeProfit, stopLoss })
  for (const leg of [takeProfit, stopLoss]) {
    if (leg === undefined) continue
    NewOrder.open(work, leg)
    PendingStopOrders.add(trading.waiting, leg)
  }
}

/**
 * Removes a leg from its exit, because the leg can no longer be triggered. Removes the exit itself if no leg is left.
 */
export const leave = (state: State, exit: Exit, leg: Order): void => {
  if (exit.takeProfit === leg) exit.takeProfit = undefined
  else if (exit.stopLoss === leg) exit.stopLoss = undefined
  else return
  const left = exit.takeProfit ?? exit.stopLoss
  if (left === undefined) state.exits.delete(exit.id)
  else Locks.claim(state, left)
}

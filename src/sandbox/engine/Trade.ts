/** Trades and fills. Times are in Unix microseconds, and quantities are exact. */
import type { OrderId, Ticker } from "../../domain/Identifiers.ts"
import type { OrderSide, Role } from "../../domain/Order.ts"
import type { Order } from "./Order.ts"
import type { Units } from "./Units.ts"

/** A trade on a market. */
export interface Trade {
  /** The exchange's identifier for the trade. */
  readonly id: number
  /** The time of the trade, in Unix microseconds. */
  readonly at: number
  /** The price, in units of the quote currency. */
  readonly price: Units
  /** The traded amount, in units of the base currency. */
  readonly amount: Units
  /** The taker's side. */
  readonly side: OrderSide
  /** Whether the maker was an `rpi` order. */
  readonly rpi: boolean
}

/** A fill: one order's part in a trade. */
export interface Fill {
  /** The trade's identifier. */
  readonly trade: number
  /** The filled order, in its current state. */
  readonly order: Order
  /** The other order in the trade; `undefined` if the order traded with the outside market. */
  readonly counterparty: OrderId | undefined
  /** The time of the trade, in Unix microseconds. */
  readonly at: number
  /** Whether the order was the maker or the taker. */
  readonly role: Role
  /** The price of the trade, in units of the quote currency. */
  readonly price: Units
  /** The traded amount, in units of the base currency. */
  readonly amount: Units
  /** The fee charged, in units of `feeAsset`. */
  readonly fee: Units
  /** The asset in which the fee was charged. */
  readonly feeAsset: Ticker
  /** Whether the maker was an `rpi` order. */
  readonly rpi: boolean
}

/**
 * What happened while a command was carried out, in order.
 *
 * @since 0.1.0
 */
import type { ClientOrderId, InvestmentId, MarketName, OrderId, Ticker } from "../../domain/Identifiers.ts"
import type { OrderSide, OrderStatus } from "../../domain/Order.ts"
import type { Balance } from "./Ledger.ts"
import type { Order } from "./State.ts"
import type { Units } from "./Units.ts"

/**
 * Whose order it is, and where.
 *
 * @category models
 */
export interface Subject {
  readonly order: OrderId
  readonly account: string
  readonly market: MarketName
  readonly clientOrderId: ClientOrderId | undefined
}

/** @category constructors */
export const subject = ({ account, clientOrderId, id, market }: Order): Subject => ({
  order: id,
  account,
  market,
  clientOrderId
})

/** @category models */
export type Event =
  | Subject & { readonly _tag: "OrderPlaced" }
  | Subject & { readonly _tag: "OrderActivated" }
  | Subject & { readonly _tag: "OrderEnded"; readonly status: OrderStatus }
  | {
    readonly _tag: "Traded"
    readonly market: MarketName
    readonly price: Units
    readonly amount: Units
    readonly side: OrderSide
    readonly maker: OrderId | undefined
    readonly taker: OrderId | undefined
  }
  | { readonly _tag: "PriceMoved"; readonly market: MarketName; readonly price: Units }
  | {
    readonly _tag: "InterestPaid"
    readonly account: string
    readonly investmentId: InvestmentId
    readonly ticker: Ticker
    readonly amount: Units
  }
  | { readonly _tag: "BalanceChanged"; readonly balance: Balance }
  | { readonly _tag: "Restored"; readonly sequence: number }

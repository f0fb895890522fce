/**
 * What happened while a command was carried out, in order.
 *
 * @since 0.1.0
 */
import type { MarketName, OrderId } from "../../domain/Identifiers.ts"
import type { OrderSide, OrderStatus } from "../../domain/Order.ts"
import type { Units } from "./Units.ts"

/** @category models */
export type Event =
  | { readonly _tag: "OrderPlaced"; readonly order: OrderId }
  | { readonly _tag: "OrderActivated"; readonly order: OrderId }
  | { readonly _tag: "OrderEnded"; readonly order: OrderId; readonly status: OrderStatus }
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

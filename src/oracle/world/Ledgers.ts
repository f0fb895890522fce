/** Computes the size, entry price and profit of a position from its fills, for rules about positions that change several times. */
import { basePrice } from "./Markets.ts"
import type * as Orders from "./Orders.ts"

/** A tolerance for prices, which targets may round or cut to the precision of the market. */
export const rounding = 1.01

/** 1 for a long position, -1 for a short one. */
export const signOf = (side: Orders.Side): 1 | -1 => side === "buy" ? 1 : -1

/** The size, entry price and profit that result from the fills of a position. Amounts are without signs. */
export interface Ledger {
  readonly size: number
  /** The average entry price of the open part. */
  readonly entry: number
  /** The profit of the closed parts, without fees. */
  readonly realized: number
  /** The amount and the value of all fills that increased the position, and of all that reduced it. */
  readonly into: readonly [amount: number, value: number]
  readonly out: readonly [amount: number, value: number]
}

export const empty: Ledger = { size: 0, entry: 0, realized: 0, into: [0, 0], out: [0, 0] }

/** A fill: the change of the position's size, and the price as a multiple of the base price. */
export type Step = readonly [change: number, factor: number]

export const priceOf = ([, factor]: Step): number => Math.round(basePrice * factor)

/** Returns the position after a fill. */
export const after = (ledger: Ledger, side: Orders.Side, step: Step): Ledger => {
  const [[change], price] = [step, priceOf(step)]
  const { entry, into, out, realized, size } = ledger
  const amount = Math.abs(change)
  return change > 0
    ? {
      ...ledger,
      size: size + amount,
      entry: (size * entry + amount * price) / (size + amount),
      into: [into[0] + amount, into[1] + amount * price]
    }
    : {
      ...ledger,
      size: size - amount,
      realized: realized + signOf(side) * amount * (price - entry),
      out: [out[0] + amount, out[1] + amount * price]
    }
}

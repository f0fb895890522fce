/** Divides a limited resource among addresses. */
import * as Bounds from "./Bounds.ts"

/** The use of a limited resource, by address. */
export interface Quotas {
  /**
   * Takes `amount` for an address; returns `false`, and takes nothing, when it exceeds the address's quota or the
   * total.
   */
  readonly take: (address: string, amount: number) => boolean
  /** Gives `amount` back. */
  readonly giveBack: (address: string, amount: number) => void
}

/** Quotas on a total of `ofAll`. One address gets at most {@link Bounds.shareOfAddress} of it. */
export const make = (ofAll: number): Quotas => {
  const ofOne = ofAll * Bounds.shareOfAddress
  const taken = new Map<string, number>()
  let sum = 0
  const change = (address: string, amount: number): void => {
    sum += amount
    const left = (taken.get(address) ?? 0) + amount
    if (left === 0) taken.delete(address)
    else taken.set(address, left)
  }
  return {
    take: (address, amount) => {
      if (sum + amount > ofAll || (taken.get(address) ?? 0) + amount > ofOne) return false
      change(address, amount)
      return true
    },
    giveBack: (address, amount) => change(address, -amount)
  }
}

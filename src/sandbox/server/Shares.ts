/** How much of something that is limited each address has. */
import * as Bounds from "./Bounds.ts"

/** What is limited, and who has how much of it. */
export interface Shares {
  /** Takes so much for an address; `false`, and takes nothing, when it is more than its share or than there is. */
  readonly take: (address: string, amount: number) => boolean
  /** Gives so much of an address back. */
  readonly giveBack: (address: string, amount: number) => void
}

/** So much of something, of which one address gets no more than its share. */
export const make = (ofAll: number): Shares => {
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

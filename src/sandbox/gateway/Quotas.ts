/** Divides a limited resource among addresses. */

/**
 * The largest fraction of a limited resource, such as connections, calls in progress or memory for bodies, that one
 * address may use. This keeps one address from shutting out the others.
 */
export const shareOfAddress = 0.5

/** Tracks how much of a limited resource each address uses. */
export interface Quotas {
  /**
   * Takes `amount` for an address. If that would exceed the address's quota or the total, takes nothing and returns
   * `false`.
   */
  readonly take: (address: string, amount: number) => boolean
  /**
   * The address that must give back part of the resource before `address` can take `amount`: that address itself if it
   * is at its quota, otherwise the address that has taken the most.
   */
  readonly debtorFor: (address: string, amount: number) => string
  /** Whether the resource is used up for all addresses. */
  readonly isFull: () => boolean
  /** Gives back `amount`, which the address has previously taken. */
  readonly giveBack: (address: string, amount: number) => void
}

/**
 * Creates the quotas for a resource of size `ofAll`. A single address can use at most `ofOne` of the resource; the
 * default is {@link shareOfAddress}.
 */
export const make = (ofAll: number, ofOne: number = ofAll * shareOfAddress): Quotas => {
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
    debtorFor: (address, amount) => {
      let [debtor, most] = [address, taken.get(address) ?? 0]
      if (most + amount > ofOne) return debtor
      for (const [other, has] of taken) if (has > most) [debtor, most] = [other, has]
      return debtor
    },
    isFull: () => sum >= ofAll,
    giveBack: (address, amount) => change(address, -amount)
  }
}

/** While a `Stale` fault is active, remembers the first snapshot with each name that is sent to a connection. */
import type { Faults } from "../gateway/Faults.ts"

/** The first snapshots since a `Stale` fault was added. */
export interface Snapshots {
  /**
   * Returns the first snapshot with this name. If there is no such snapshot yet, remembers the current snapshot and
   * returns `undefined`. Also returns `undefined` while no `Stale` fault is active.
   */
  readonly first: (name: string, current: unknown) => { readonly snapshot: unknown } | undefined
}

/**
 * The maximum number of snapshots to remember. When this number is reached, snapshots with new names are not
 * remembered.
 */
const most = 1000

/** Creates an empty memory of snapshots. */
export const make = (faults: Pick<Faults, "armed">): Snapshots => {
  const firsts = new Map<string, { readonly snapshot: unknown }>()
  /** The `Stale` fault for which the snapshots are remembered. */
  let since: number | undefined
  return {
    first: (name, current) => {
      const armed = faults.armed("Stale")
      if (armed !== since) firsts.clear()
      since = armed
      if (armed === undefined) return undefined
      const known = firsts.get(name)
      if (known === undefined && firsts.size < most) firsts.set(name, { snapshot: current })
      return known
    }
  }
}

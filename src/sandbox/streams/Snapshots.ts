/** Remembers the first snapshots that connections got while a `Stale` fault is armed. */
import type { Faults } from "../gateway/Faults.ts"

/** The first snapshots since a `Stale` fault was added. */
export interface Snapshots {
  /**
   * Returns the first snapshot with this name. If there is none, remembers the current one. Returns `undefined` then,
   * and while no fault needs it.
   */
  readonly first: (name: string, current: unknown) => { readonly snapshot: unknown } | undefined
}

/** The maximum number of snapshots to remember. Later names have none. */
const most = 1000

/** Remembers nothing yet. */
export const make = (faults: Pick<Faults, "armed">): Snapshots => {
  const firsts = new Map<string, { readonly snapshot: unknown }>()
  /** The fault that the snapshots are remembered for. */
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

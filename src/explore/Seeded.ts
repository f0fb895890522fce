/** Pseudo-random numbers that depend only on a seed. */

/** A source of pseudo-random numbers. */
export interface Seeded {
  /** A number in [0, 1). */
  readonly next: () => number
  /** An integer in [0, `bound`). */
  readonly below: (bound: number) => number
}

/** Creates a source. The same seeds give the same numbers, and seeds that differ by one give unrelated numbers. */
export const make = (...seeds: ReadonlyArray<number>): Seeded => {
  let state = 0x9e3779b9
  for (const seed of seeds) state = Math.imul(state ^ seed, 0x85ebca6b) ^ (state >>> 13)
  /** The generator is mulberry32. */
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  next()
  return { next, below: (bound) => Math.floor(next() * bound) }
}

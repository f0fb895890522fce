/** An exhibit in the gallery: a program with one mistake, and its repaired version. */
import { Explore } from "effect-txc/explore"
import type * as Effect from "effect/Effect"

/** A program with a mistake that real bots make, and its repaired version. Both have the same invariants. */
export interface Exhibit {
  /** Describes the mistake in a sentence about the program. */
  readonly mistake: string
  /** The number of histories within which the mistake is found, whatever the seed. */
  readonly within: number
  readonly broken: Explore.Program
  readonly repaired: Explore.Program
}

/** Makes an exhibit. The two programs differ only in `run`. */
export const exhibit = (
  { broken, mistake, name, repaired, within, ...shared }:
    & Pick<Exhibit, "mistake" | "within">
    & Omit<Explore.ProgramOptions, "run">
    & {
      readonly broken: Effect.Effect<unknown, unknown, Explore.Services>
      readonly repaired: Effect.Effect<unknown, unknown, Explore.Services>
    }
): Exhibit => ({
  mistake,
  within,
  broken: Explore.program({ ...shared, name, run: broken }),
  repaired: Explore.program({ ...shared, name: `${name}, repaired`, run: repaired })
})

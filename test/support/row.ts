import * as Effect from "effect/Effect"

/** Adds the name of a table row to the failure of an assertion about that row. */
export const inRow = (name: string) => <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.catchDefect(effect, (defect) => Effect.die(new Error(name, { cause: defect })))

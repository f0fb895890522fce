import * as Effect from "effect/Effect"

/** Names the row of a table in the failure of an assertion about it. */
export const inRow = (name: string) => <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.catchDefect(effect, (defect) => Effect.die(new Error(name, { cause: defect })))

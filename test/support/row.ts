import * as Effect from "effect/Effect"

/** Adds the name of a table row to the failure of an assertion about that row. */
export const inRow = (name: string) => <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.catchDefect(effect, (defect) => Effect.die(new Error(name, { cause: defect })))

/** How the exchange refuses a request whose only fault is that its order or position does not exist. */
export const missing = /Unexecuted order was not found\.|Position was not found\./u

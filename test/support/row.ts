import * as Effect from "effect/Effect"

/** Adds a table row's name to the message when an assertion about that row fails. */
export const inRow = (name: string) => <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.catchDefect(effect, (defect) => Effect.die(new Error(name, { cause: defect })))

/** The exchange's refusal of a request that is valid except that its order or position does not exist. */
export const missing = /Unexecuted order was not found\.|Position was not found\./u

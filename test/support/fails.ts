import * as Effect from "effect/Effect"

/**
 * Returns the effect's error, which must have this tag. If the effect succeeds or has another error, the test fails.
 */
export const failsWith = <const Tag extends string>(tag: Tag) =>
<A, E extends { readonly _tag: string }, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<Extract<E, { readonly _tag: Tag }>, E, R> =>
  Effect.matchEffect(effect, {
    onSuccess: (value) => Effect.die(new Error(`succeeded instead of failing with ${tag}: ${JSON.stringify(value)}`)),
    onFailure: (error) =>
      error._tag === tag
        ? Effect.succeed(error as Extract<E, { readonly _tag: Tag }>)
        : Effect.fail(error)
  })

/** What a program says of itself, for invariants. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"

/** Hears the statements of a program: nobody by default, so that a program may also say them in production. */
export const Listener = Context.Reference<(name: string, value: Schema.Json) => void>("effect-txc/explore/Listener", {
  defaultValue: () => () => undefined
})

/**
 * Says something about the program, which invariants then find under this name: its ledger, its position, its state.
 * Outside of an exploration it does nothing.
 *
 * @category running
 */
export const say = (name: string, value: Schema.Json): Effect.Effect<void> =>
  Effect.withFiber((fiber) => Effect.sync(() => fiber.getRef(Listener)(name, value)))

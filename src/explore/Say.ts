/** Reports a program's own values to its invariants. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"

/**
 * The receiver of the values that a program reports. The default receiver ignores them, so that `say` can stay in
 * production code.
 */
export const Listener = Context.Reference<(name: string, value: Schema.Json) => void>("effect-txc/explore/Listener", {
  defaultValue: () => () => undefined
})

/** Copies a reported value, so that the program can't change it afterwards. */
export const copy = (value: Schema.Json): Schema.Json => typeof value === "object" ? structuredClone(value) : value

/**
 * Reports a value about the program, such as its ledger, its position or its state. Invariants see the latest value
 * under each name, as it was when it was reported. Outside of an exploration, `say` does nothing.
 *
 * @category running
 */
export const say = (name: string, value: Schema.Json): Effect.Effect<void> =>
  Effect.withFiber((fiber) => Effect.sync(() => fiber.getRef(Listener)(name, value)))

/**
 * Keeps an account's open positions up to date.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { LivePositions } from "effect-txc"
 *
 * export const program = Effect.scoped(Effect.gen(function*() {
 *   const view = yield* LivePositions.make
 *   const positions = yield* view.whole
 *   yield* Effect.log(positions.map(({ amount, market }) => `${amount} on ${market}`))
 * }))
 * ```
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as PositionsChannel from "./channels/PositionsChannel.ts"
import type * as StreamErrors from "./client/session/StreamErrors.ts"
import * as LiveView from "./LiveView.ts"

/**
 * All open positions.
 *
 * @category models
 */
export type Positions = ReadonlyArray<PositionsChannel.Position>

/**
 * An account's live positions.
 *
 * @category models
 */
export type LivePositions = LiveView.LiveView<Positions, StreamErrors.PrivateFailure>

/**
 * Creates a live view of the positions. The view lasts as long as its scope. The exchange pushes all positions every
 * second, so the next message makes up for a lost one.
 *
 * @category constructors
 */
export const make: Effect.Effect<LivePositions, never, PositionsChannel.PositionsChannel | Scope.Scope> = Effect.gen(
  function*() {
    const { stream } = yield* PositionsChannel.PositionsChannel
    let positions: Positions = []
    const replace = (all: Positions) => {
      positions = all
      return true
    }
    return yield* LiveView.make(stream, { begin: replace, apply: replace, value: () => positions })
  }
)

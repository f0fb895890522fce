/**
 * A state as bytes and back. Nothing is written twice: what two parts of the state share, they share again afterwards.
 *
 * @since 0.1.0
 */
import { deserialize, serialize } from "node:v8"
import type { VenuePolicy } from "../../domain/VenuePolicy.ts"
import * as State from "../engine/State.ts"

/**
 * The state without what every venue of these rules has from the start.
 *
 * @category conversions
 * @since 0.1.0
 */
export const encode = (
  { currencies: _currencies, markets: _markets, policy: _policy, ...state }: State.State
): Uint8Array => serialize(state)

/**
 * A new state, which shares nothing with the one that was encoded.
 *
 * @category conversions
 * @since 0.1.0
 */
export const decode = (bytes: Uint8Array, policy: VenuePolicy): State.State => ({
  ...State.make(policy),
  // Only `encode` makes these bytes, hence the type.
  ...deserialize(bytes) as Partial<State.State>
})

/**
 * A state as bytes and back. What two parts of a state share is written once, and is shared again when it is read.
 *
 * @since 0.1.0
 */
import { deserialize, serialize } from "node:v8"
import type { VenuePolicy } from "../../domain/VenuePolicy.ts"
import * as Saved from "../engine/Saved.ts"
import type { State } from "../engine/State.ts"

/** The fewest commands between two snapshots of a journal. */
const commandsBetween = 10_000

/**
 * Whether a journal needs a new snapshot at command `sequence`, when its last one is of command `last`: after 10000
 * commands, or half of all before them. The gaps grow with the journal, so that snapshots stay cheap.
 *
 * @category snapshots
 * @since 0.1.0
 */
export const isDue = (sequence: number, last: number): boolean => sequence - last >= Math.max(commandsBetween, last / 2)

/**
 * The state as bytes, without what every venue of the same policy has from the start.
 *
 * @category conversions
 * @since 0.1.0
 */
export const encode = (state: State): Uint8Array => serialize(Saved.save(state))

/**
 * The state of these bytes. It shares nothing with the state that was encoded.
 *
 * @category conversions
 * @since 0.1.0
 */
export const decode = (bytes: Uint8Array, policy: VenuePolicy): State =>
  // Only `encode` makes these bytes, hence the type.
  Saved.load(deserialize(bytes) as Saved.Saved, policy)

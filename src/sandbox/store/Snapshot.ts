/** A state as bytes and back. What two parts of a state share is written once, and is shared again when it is read. */
import type { VenuePolicy } from "../../domain/VenuePolicy.ts"
import * as Saved from "../engine/Saved.ts"
import type { State } from "../engine/State.ts"
import * as Packed from "./Packed.ts"

/** The fewest commands between two snapshots of a journal. To apply them again takes a fraction of a second. */
const commandsBetween = 10_000

/**
 * Whether a journal that is closed at command `sequence` gets a new snapshot, when its last one is of command `last`. Then
 * the next start applies few commands again.
 */
export const isDueAtTheEnd = (sequence: number, last: number): boolean => sequence - last >= commandsBetween

/** The fewest commands for which a venue that falls asleep writes a snapshot. */
const commandsAsleep = 500

/**
 * Whether a venue that falls asleep at command `sequence` gets a new snapshot, when its last one is of command `last`. To
 * wake it then costs little more than to read the snapshot, and a large venue that wakes for a few calls writes none.
 */
export const isDueAsleep = (sequence: number, last: number): boolean =>
  sequence - last >= Math.max(commandsAsleep, sequence / 10)

/**
 * Whether a journal needs a new snapshot at command `sequence`, when its last one is of command `last`: after 10000
 * commands, or as many as all before them. The gaps grow with the journal, so that snapshots stay cheap: all together cost
 * as much as two of the whole. After a crash at most half of all commands are applied again.
 */
export const isDue = (sequence: number, last: number): boolean => sequence - last >= Math.max(commandsBetween, last)

/** The state as bytes, without what every venue of the same policy has from the start. */
export const encode = (state: State): Uint8Array => Packed.pack(Saved.save(state))

/** The state of these bytes. It shares nothing with the state that was encoded. */
export const decode = (bytes: Uint8Array, policy: VenuePolicy): State =>
  // Only `encode` makes these bytes, hence the type.
  Saved.load(Packed.unpack(bytes) as Saved.Saved, policy)

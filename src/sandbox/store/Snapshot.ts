/**
 * Encodes a state as bytes, and decodes it. A part that is referenced several times is written once, and is shared
 * again after decoding.
 */
import type { VenuePolicy } from "../../domain/VenuePolicy.ts"
import * as Saved from "../engine/Saved.ts"
import type { State } from "../engine/State.ts"
import * as Packed from "./Packed.ts"

/**
 * The minimum number of commands between two snapshots of a journal. Applying that number of commands again takes a
 * fraction of a second.
 */
const commandsBetween = 10_000

/**
 * Whether a journal that is closed at command `sequence`, with its last snapshot at command `last`, gets a new
 * snapshot. This limits the number of commands that the next start has to apply again.
 */
export const isDueAtTheEnd = (sequence: number, last: number): boolean => sequence - last >= commandsBetween

/** The minimum number of commands after which a venue that falls asleep writes a snapshot. */
const commandsAsleep = 500

/**
 * Whether a venue that falls asleep at command `sequence`, with its last snapshot at command `last`, gets a new
 * snapshot. Waking the venue then costs little more than reading its snapshot, and a large venue that wakes for a few
 * calls does not write one.
 */
export const isDueAsleep = (sequence: number, last: number): boolean =>
  sequence - last >= Math.max(commandsAsleep, sequence / 10)

/**
 * Whether a journal needs a new snapshot at command `sequence`, with its last snapshot at command `last`. That is the
 * case after 10000 more commands, or after `last` more if that is greater. The gaps grow with the journal, so writing
 * all snapshots costs only as much as writing the entire state twice. After a crash, at most half of all commands, or
 * 10000 if that is more, are applied again.
 */
export const isDue = (sequence: number, last: number): boolean => sequence - last >= Math.max(commandsBetween, last)

/** Encodes a state as bytes, without the parts that are the same in every new venue with the same policy. */
export const encode = (state: State): Uint8Array => Packed.pack(Saved.save(state))

/** Decodes a state. The result shares no memory with the encoded state. */
export const decode = (bytes: Uint8Array, policy: VenuePolicy): State =>
  // The cast is safe: only `encode` writes these bytes.
  Saved.load(Packed.unpack(bytes) as Saved.Saved, policy)

/**
 * The part of a venue that is not in its journal: faults, limits, calls and the feed. It is saved when the venue falls
 * asleep, so that callers can't notice that the venue slept. If the process is killed, this part is lost.
 */
import type * as CallLog from "../gateway/CallLog.ts"
import type * as Faults from "../gateway/Faults.ts"
import type * as Limits from "../gateway/Limits.ts"
import type * as Records from "../gateway/RequestRecord.ts"
import * as Packed from "../store/Packed.ts"
import type * as Feed from "./Feed.ts"

/** The part of a venue that is not in its journal. */
export interface Memory {
  /** The hash of the journal's commands when this data was saved, in lower-case hex. */
  readonly digest: string
  /** The active faults. */
  readonly faults: Faults.Saved
  /** The rate limits in force, and the calls counted so far. */
  readonly limits: Limits.Saved
  /** The latest calls and their outcomes. */
  readonly requests: ReadonlyArray<Records.RequestRecord>
  /** The latest entries of the feed. */
  readonly feed: Feed.Saved
}

/** The parts of a venue that {@link encode} saves. */
interface Parts {
  readonly journal: { readonly digest: () => string }
  readonly faults: Faults.Faults
  readonly limits: Limits.Limits
  readonly callLog: CallLog.CallLog
  readonly feed: Feed.Feed
}

/** Encodes the part of a venue that is not in its journal. No call may be in progress. */
export const encode = ({ callLog, faults, feed, journal, limits }: Parts): Uint8Array => {
  const memory: Memory = {
    digest: journal.digest(),
    faults: faults.saved(),
    limits: limits.saved(),
    requests: callLog.saved(),
    feed: feed.saved()
  }
  return Packed.pack(memory)
}

/**
 * Decodes bytes written by `encode`; `undefined` if the bytes have a different format, or if the hash of the journal's
 * commands is different.
 */
export const decode = (bytes: Uint8Array, digest: string): Memory | undefined => {
  if (!Packed.isPacked(bytes)) return undefined
  // The cast is safe: only `encode` writes these bytes.
  const memory = Packed.unpack(bytes) as Memory
  return memory.digest === digest ? memory : undefined
}

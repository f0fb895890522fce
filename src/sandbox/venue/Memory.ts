/**
 * What a venue knows besides its journal: faults, limits, calls and the feed. A venue that falls asleep writes it
 * down, so that nobody can tell that it has slept. A venue whose process was killed has lost it.
 */
import type * as CallLog from "../gateway/CallLog.ts"
import type * as Faults from "../gateway/Faults.ts"
import type * as Limits from "../gateway/Limits.ts"
import * as Packed from "../store/Packed.ts"
import type * as Feed from "./Feed.ts"

/** What a venue knows besides its journal. */
export interface Memory {
  /** The hash of all commands of the journal that it belongs to, in lower-case hex. */
  readonly digest: string
  /** The faults in force. */
  readonly faults: Faults.Saved
  /** The rate limits in force, and the calls that were counted. */
  readonly limits: Limits.Saved
  /** The latest calls. */
  readonly requests: ReadonlyArray<CallLog.RequestRecord>
  /** The latest entries of the feed. */
  readonly feed: Feed.Saved
}

/** Where a venue keeps what it knows. */
interface Parts {
  readonly journal: { readonly digest: () => string }
  readonly faults: Faults.Faults
  readonly limits: Limits.Limits
  readonly callLog: CallLog.CallLog
  readonly feed: Feed.Feed
}

/** What a venue knows besides its journal, as bytes. It must have no call in progress. */
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
 * What these bytes hold, which `encode` has made; `undefined` when they are something else, or belong to other commands than
 * those of this digest.
 */
export const decode = (bytes: Uint8Array, digest: string): Memory | undefined => {
  if (!Packed.isPacked(bytes)) return undefined
  // Only `encode` makes these bytes, hence the type.
  const memory = Packed.unpack(bytes) as Memory
  return memory.digest === digest ? memory : undefined
}

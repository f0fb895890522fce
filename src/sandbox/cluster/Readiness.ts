/** Decides whether a node is ready for calls, and if not, reports why. */
import type { StagedVenue } from "./Nodes.ts"

/**
 * How long a venue may be waking, falling asleep or halted, in milliseconds. A venue that exceeds this limit makes its
 * node unready.
 */
const patience = 30_000

/** A node's state, to the best of its own knowledge. */
export interface Vitals {
  /** Whether callers can reach the node. */
  readonly isServed: boolean
  /** Whether the node is stopping. */
  readonly isStopping: boolean
  /** The number of shards that the node holds. */
  readonly shards: number
  /** The node's venues in any stage other than awake or asleep. */
  readonly stages: ReadonlyArray<StagedVenue>
  /** The current time, in Unix milliseconds. */
  readonly now: number
}

/** The reasons why a node is not ready, except problems with its database; empty if there are no such reasons. */
export const troublesOf = ({ isServed, isStopping, now, shards, stages }: Vitals): ReadonlyArray<string> => {
  if (isStopping) return ["This node is stopping, and its venues are moving to other nodes"]
  const stuck = stages.filter(({ since }) => since + patience <= now).map(({ id, since, stage }) =>
    `The venue ${id} has been ${stage} for ${
      Math.floor((now - since) / 1000)
    } seconds; restart this node if that continues`
  )
  return [
    ...(isServed ? [] : ["This node accepts no calls: it is starting, or stopping"]),
    ...(shards > 0
      ? []
      : ["This node holds no shards, so it has no venues: it is joining, or other nodes hold all of them"]),
    ...stuck
  ]
}

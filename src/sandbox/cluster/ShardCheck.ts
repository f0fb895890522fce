/**
 * Checks in the database which shards this node holds.
 *
 * A check sends a write through the connection that holds the node's locks. If such a write takes too long or is
 * interrupted, the cluster library replaces that connection, and the node loses all its shards. So only one check runs
 * at a time, no caller can interrupt a check, and the next check covers all shards that were requested meanwhile.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"

/** Whether this node holds a shard, according to a check that begins after this call. */
export type ShardCheck<Shard, E> = (shard: Shard) => Effect.Effect<boolean, E>

/** The shards that the next check covers, and the result of that check. */
interface Batch<Shard, E> {
  readonly shards: Set<Shard>
  readonly held: Deferred.Deferred<ReadonlySet<Shard>, E>
}

/** Creates a check from a query. Given some shards, the query returns those that this node holds. */
export const make = <Shard, E>(
  heldOf: (shards: ReadonlyArray<Shard>) => Effect.Effect<Iterable<Shard>, E>,
  scope: Scope.Scope
): ShardCheck<Shard, E> => {
  const oneByOne = Semaphore.makeUnsafe(1)
  let next: Batch<Shard, E> | undefined

  const check = (batch: Batch<Shard, E>) =>
    Effect.suspend(() => {
      next = undefined
      return Effect.map(heldOf([...batch.shards]), (held): ReadonlySet<Shard> => new Set(held))
    }).pipe(Deferred.into(batch.held), oneByOne.withPermits(1), Effect.forkIn(scope))

  /**
   * Adds a shard to the batch of the next check. This step can't be interrupted, because a batch without a check would
   * block all later batches.
   */
  const batchOf = (shard: Shard) =>
    Effect.uninterruptible(Effect.gen(function*() {
      const batch = next ?? { shards: new Set(), held: Deferred.makeUnsafe() }
      batch.shards.add(shard)
      if (batch !== next) {
        next = batch
        yield* check(batch)
      }
      return batch
    }))

  return (shard) =>
    Effect.flatMap(batchOf(shard), ({ held }) => Effect.map(Deferred.await(held), (shards) => shards.has(shard)))
}

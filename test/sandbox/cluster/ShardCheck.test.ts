import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as ShardCheck from "../../../src/sandbox/cluster/ShardCheck.ts"

/** Returns a fake database. The test releases the database's responses one by one. */
const database = () => {
  const asked: Array<
    { readonly shards: ReadonlyArray<number>; readonly answer: Deferred.Deferred<Array<number>, string> }
  > = []
  const heldOf = (shards: ReadonlyArray<number>) =>
    Effect.suspend(() => {
      const answer = Deferred.makeUnsafe<Array<number>, string>()
      asked.push({ shards, answer })
      return Deferred.await(answer)
    })
  const answer = (at: number, shards: ReadonlyArray<number>) => {
    const query = asked[at]
    assert.isDefined(query, `query ${at} has begun`)
    return Deferred.succeed(query.answer, [...shards])
  }
  return { asked, heldOf, answer }
}

describe("checking shards", () => {
  it.effect("only one shard check runs at a time, and the next one covers every request made in the meantime", () =>
    Effect.scoped(Effect.gen(function*() {
      const { asked, heldOf, answer } = database()
      const holds = ShardCheck.make(heldOf, yield* Effect.scope)
      const ask = (shard: number) => Effect.forkScoped(holds(shard), { startImmediately: true })
      const first = yield* ask(1)
      yield* Effect.yieldNow
      const later = yield* Effect.forEach([1, 2, 3, 2], ask)
      yield* Effect.yieldNow
      assert.deepStrictEqual(asked.map(({ shards }) => shards), [[1]])
      yield* answer(0, [1])
      assert.isTrue(yield* Fiber.join(first))
      yield* Effect.yieldNow
      // The shard was lost after the first check began, so only a later check may answer the later request.
      yield* answer(1, [2])
      assert.deepStrictEqual(yield* Effect.forEach(later, Fiber.join), [false, true, false, true])
      assert.deepStrictEqual(asked.map(({ shards }) => shards), [[1], [1, 2, 3]])
    })))

  it.effect("interrupting a request does not interrupt the shard check", () =>
    Effect.scoped(Effect.gen(function*() {
      const { answer, heldOf } = database()
      const holds = ShardCheck.make(heldOf, yield* Effect.scope)
      const leaving = yield* Effect.forkScoped(holds(1), { startImmediately: true })
      const staying = yield* Effect.forkScoped(holds(1), { startImmediately: true })
      yield* Effect.yieldNow
      yield* Fiber.interrupt(leaving)
      yield* answer(0, [1])
      assert.isTrue(yield* Fiber.join(staying))
    })))

  it.effect("a failed shard check fails only the requests that it covers", () =>
    Effect.scoped(Effect.gen(function*() {
      const { asked, heldOf, answer } = database()
      const holds = ShardCheck.make(heldOf, yield* Effect.scope)
      const first = yield* Effect.forkScoped(Effect.flip(holds(1)), { startImmediately: true })
      yield* Effect.yieldNow
      const [query] = asked
      assert.isDefined(query)
      yield* Deferred.fail(query.answer, "no connection")
      assert.strictEqual(yield* Fiber.join(first), "no connection")
      const second = yield* Effect.forkScoped(holds(1), { startImmediately: true })
      yield* Effect.yieldNow
      yield* answer(1, [1])
      assert.isTrue(yield* Fiber.join(second))
    })))
})

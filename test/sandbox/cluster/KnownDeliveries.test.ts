import type * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as KnownDeliveries from "../../../src/sandbox/cluster/KnownDeliveries.ts"

it.effect("an answer is remembered as long as its request may be resent, then dropped, and written only once", () =>
  Effect.gen(function*() {
    const statements: Array<string> = []
    // The only part of the database that is used, hence the type.
    const sql = {
      unsafe: (statement: string) => Effect.sync(() => statements.push(statement))
    } as unknown as PgClient.PgClient
    const answers = yield* KnownDeliveries.open(sql, "venue", [{ id: "before", answer: "0" }])
    yield* TestClock.adjust("1 second")
    answers.keep("one", "1")
    assert.deepStrictEqual(answers.take(), [{ id: "one", answer: "1" }])
    assert.deepStrictEqual(answers.take(), [])
    assert.deepStrictEqual(["before", "one", "other"].map(answers.known), ["0", "1", undefined])
    yield* TestClock.adjust((KnownDeliveries.lifetime - 2) * 1000)
    assert.deepStrictEqual(["before", "one"].map(answers.known), ["0", "1"])
    yield* TestClock.adjust(KnownDeliveries.lifetime * 1000)
    assert.deepStrictEqual(["before", "one"].map(answers.known), [undefined, "1"])
    yield* TestClock.adjust(KnownDeliveries.lifetime * 1000)
    assert.deepStrictEqual(["before", "one"].map(answers.known), [undefined, undefined])
    assert.strictEqual(statements.length, 2)
  }))

import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { Limit } from "../../src/domain/Paging.ts"
import { ClosedPositions } from "../../src/endpoints/ClosedPositions.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import { InProcess } from "../../src/sandbox/index.ts"
import { alice, clientOf, Place } from "../support/exchange.ts"
import { answering, json } from "../support/http.ts"
import { fixture } from "./fixtures/ClosedPositions.ts"

const [record] = fixture.golden.wire.live.response as ReadonlyArray<object>

describe("a long list of closed positions", () => {
  it.effect("a stream reads 10,000 records, and no page reaches beyond the list's last record", () => {
    const reach: Array<number> = []
    return Effect.gen(function*() {
      let count = 0
      const { stream } = yield* ClosedPositions
      const error = yield* stream({ limit: Limit.make(70) }).pipe(
        Stream.runForEach(() => Effect.sync(() => count++)),
        Effect.flip
      )
      assert.strictEqual(error._tag, "PageCeilingReached")
      assert.strictEqual(count, 10_000)
      assert.strictEqual(Math.max(...reach), 10_000)
    }).pipe(
      Effect.provide(
        clientOf(alice).pipe(
          Layer.provide(Layer.succeed(Place, { baseUrl: InProcess.baseUrl, dialect: Dialect.live })),
          Layer.provide(answering(({ body }) => {
            const { limit, offset } = JSON.parse(body) as { readonly limit: number; readonly offset: number }
            reach.push(offset + limit)
            return json(200, Array.from({ length: limit }, (_, index) => ({ ...record, positionId: offset + index })))
          }))
        )
      )
    )
  })
})

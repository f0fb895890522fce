import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ClientOrderIds from "../../src/client/ClientOrderIds.ts"
import type { ClientOrderId } from "../../src/domain/Identifiers.ts"
import { LimitOrders } from "../../src/endpoints/LimitOrders.ts"
import { entries } from "../endpoints/fixtures/all.ts"
import { answered, dialects, stopLimit } from "../support/exchange.ts"
import { fieldsOf, html, json, privateCalls, refusal } from "../support/http.ts"

const { activationPrice: _, ...limit } = stopLimit

/** Every endpoint that places a single order, with a call to the endpoint. */
const placing = entries.flatMap(({ endpoint, golden: { request }, name, refused }) =>
  endpoint.mutates && refused !== undefined && "clientOrderId" in request
    ? [{ name, place: refused.call(refused.accepted) }]
    : []
)

const answers = {
  OutcomeUnknown: () => html(502),
  RequestRejected: () => refusal(400, 10, "Inner validation failed"),
  ValidationFailed: () => refusal(400, 30, "Validation failed"),
  NotAuthorized: () => refusal(401, 10, "Unauthorized request."),
  NonceRejected: () => refusal(429, 0, "Too many requests."),
  RateLimited: () => refusal(429, 0, "Too Many Attempts."),
  AcceptedUnreadable: () => json(200, { order_id: 7, id: 7 })
} as const

it("the endpoints under test include those for stop-limit orders and for OCO pairs", () => {
  assert.includeMembers(placing.map(({ name }) => name), ["StopLimitOrders", "CollateralOcoOrders"])
})

describe.each(dialects)("orders without a client order id, in the $name dialect", (dialect) => {
  for (const { name, place } of placing) {
    for (const [tag, answer] of Object.entries(answers)) {
      it.effect(`${name} sends a generated client order id, and ${tag} contains it`, () =>
        Effect.gen(function*() {
          const error = yield* Effect.flip(place)
          assert.strictEqual(error._tag, tag)
          const sent = (yield* privateCalls).map((call) => fieldsOf(call)[dialect.keys.clientOrderId])
          assert.deepStrictEqual([...new Set(sent)], ["fixed-1"])
          assert.strictEqual<unknown>("clientOrderId" in error ? error.clientOrderId : "none", "fixed-1")
        }).pipe(
          Effect.provide(answered(answer, dialect).pipe(Layer.provide(ClientOrderIds.layerCounting("fixed"))))
        ))
    }
  }

  it.effect("the error for an order refused before sending contains the order's client order id, unless the id is invalid", () =>
    Effect.gen(function*() {
      const orders = yield* LimitOrders
      const refused = (request: object) =>
        Effect.map(Effect.flip(orders.create({ ...limit, ...request })), (error) => [
          error._tag,
          "clientOrderId" in error ? error.clientOrderId : "none"
        ])
      assert.deepStrictEqual<unknown>(yield* refused({ postOnly: true, ioc: true }), ["ValidationFailed", "fixed-1"])
      assert.deepStrictEqual<unknown>(yield* refused({ clientOrderId: "a b" }), ["ValidationFailed", "none"])
      assert.deepStrictEqual(yield* privateCalls, [])
    }).pipe(
      Effect.provide(
        answered(() => html(502), dialect).pipe(Layer.provide(ClientOrderIds.layerCounting("fixed")))
      )
    ))
})

describe("generating client order ids", () => {
  it.effect("generated client order ids have 32 letters and digits, and never repeat", () =>
    Effect.gen(function*() {
      const ids = yield* ClientOrderIds.ClientOrderIds
      const made: Array<ClientOrderId> = []
      for (let index = 0; index < 1000; index++) made.push((yield* ids.assign({})).clientOrderId)
      assert.strictEqual(new Set(made).size, 1000)
      for (const id of made) assert.match(id, /^[0-9a-f]{32}$/u)
    }))
})

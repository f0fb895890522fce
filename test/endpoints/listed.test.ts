import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { endpoint as collateralLimit } from "../../src/endpoints/CollateralLimitOrders.ts"
import { endpoint as limitOrders } from "../../src/endpoints/LimitOrders.ts"
import { OpenPositions } from "../../src/endpoints/OpenPositions.ts"
import { document, live } from "../../src/protocol/Dialect.ts"
import * as Endpoint from "../../src/protocol/Endpoint.ts"
import * as Json from "../../src/protocol/Json.ts"
import * as Paths from "../../src/protocol/Paths.ts"
import { routes } from "../../src/sandbox/handlers/Routes.ts"
import { raw, rawPublic, traders } from "../support/trading.ts"
import { entries, type Entry, goldenIn } from "./fixtures/all.ts"

type Fields = Readonly<Record<string, unknown>>

/** Makes a call by hand: no codec of the library writes it. */
const call = ({ endpoint }: Entry, wire: Fields) => {
  if (endpoint.access === "private") return raw(endpoint.path, wire)
  const { fields, path } = Paths.locate(endpoint, wire)
  return rawPublic(path, new URLSearchParams(fields as Record<string, string>).toString())
}

/** The live request of an entry's fixture, field by field as the wire has it. */
const requestOf = (entry: Entry): Fields => goldenIn(entry, live).wire.request

const notSimulatedBy = ({ endpoint }: Entry): ReadonlyArray<string> =>
  routes.find((route) => route.endpoint === endpoint)?.notSimulated ?? []

const keyOf = ({ endpoint }: Entry, field: string, dialect = live) =>
  Endpoint.codec(endpoint, dialect).shape.keys[field] ?? field

/** What a refusal says of each field: under a key of its own, as the message of API V1, or as the whole body. */
const errorsIn = (body: unknown): Fields => {
  const { errors: named, message } = body as { readonly errors?: unknown; readonly message?: unknown }
  const errors = named ?? (Json.isObject(message) ? message : body)
  return Json.isObject(errors) ? errors : assert.fail(JSON.stringify(body))
}

const refusal = (key: string) => ({
  code: 0,
  message: "Validation failed",
  errors: { [key]: ["not simulated by this sandbox"] }
})

describe("the fields that the live documentation lists", () => {
  for (const entry of entries) {
    const { endpoint, listed } = entry
    it(`${endpoint.name} has ${listed.join(", ") || "none"}, and no others`, () => {
      assert.sameMembers(Object.values(Endpoint.codec(endpoint, live).shape.keys), [...listed])
    })

    for (const key of listed) {
      // Where a path says it, a text is all that it can be.
      const broken = endpoint.access === "public" ? "no value of any field" : { no: "value of any field" }
      it.live(`${endpoint.name}: ${key} is not dropped: a value that makes no sense is refused for it`, () =>
        Effect.gen(function*() {
          const { body, status } = yield* call(entry, { ...requestOf(entry), [key]: broken })
          assert.include(endpoint.refusedAs === "wrapped" ? [200] : [400, 422], status)
          assert.property(errorsIn(body), key)
        }).pipe(Effect.provide(traders(live))))
    }
  }
})

describe("fields that are not simulated", () => {
  const fields = entries.flatMap((entry) => notSimulatedBy(entry).map((field) => ({ entry, field })))

  it("are few", () => {
    assert.sameMembers(fields.map(({ entry, field }) => `${entry.name}.${field}`), [
      "LimitOrders.bboRole",
      "LimitOrders.rpi",
      "LimitOrders.retail",
      "CollateralLimitOrders.rpi",
      "Transfers.method"
    ])
  })

  for (const { entry, field } of fields) {
    const key = keyOf(entry, field)
    const values: Fields = {
      bboRole: 1,
      retail: true,
      rpi: true,
      takeProfit: "50000",
      stopLoss: 30000,
      method: "deposit"
    }
    const others = Object.fromEntries(
      Object.entries(requestOf(entry)).filter(([name]) =>
        !notSimulatedBy(entry).includes(name) && name !== "reduceOnly"
      )
    )

    it.live(`${entry.name} ${key}: a request with it is refused for it and for nothing else, and does nothing`, () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* call(entry, { ...others, [key]: values[field] }), {
          status: 422,
          body: refusal(key)
        })
        assert.deepStrictEqual((yield* raw("/api/v4/orders", {})).body, [])
        assert.deepStrictEqual(yield* OpenPositions.use(({ list }) => list({})), [])
      }).pipe(Effect.provide(traders(live))))

    it(`${entry.name} ${key}: the document's dialect has no such field`, () => {
      const { encodeRequest, shape } = Endpoint.codec(entry.endpoint, document)
      assert.notProperty(shape.fields, field)
      const refused = Result.flip(encodeRequest({ ...goldenIn(entry, document).request, [field]: values[field] }))
      assert.deepStrictEqual(Result.getOrThrow(refused), [{ field, constraint: { kind: "expected" } }])
    })
  }

  const order = { market: "BTC_USDT", side: "sell", amount: "1", price: "1000" }

  it.live("a flag that is false asks for nothing, and a field that nobody lists is ignored", () =>
    Effect.gen(function*() {
      const { status } = yield* raw(limitOrders.path, { ...order, rpi: false, retail: false, unheardOf: true })
      assert.strictEqual(status, 200)
    }).pipe(Effect.provide(traders(live))))

  it.live("without a price, an order at the best one is refused for the role", () =>
    Effect.gen(function*() {
      const { price: _, ...atBest } = order
      assert.deepStrictEqual(yield* raw(limitOrders.path, { ...atBest, bboRole: 2 }), {
        status: 422,
        body: refusal("bboRole")
      })
      const method = { ticker: "USDT", amount: "1", method: "deposit" }
      assert.deepStrictEqual(yield* raw("/api/v4/main-account/transfer", method), {
        status: 422,
        body: refusal("method")
      })
    }).pipe(Effect.provide(traders(live))))

  it.live("the document's dialect does not list them, and ignores them", () =>
    Effect.gen(function*() {
      const { status } = yield* raw(limitOrders.path, { ...order, rpi: true, retail: true, bboRole: 3 })
      assert.strictEqual(status, 200)
      const margin = { ...order, market: "BTC_PERP", takeProfit: "2000", stopLoss: "x", positionSide: 7 }
      assert.strictEqual((yield* raw(collateralLimit.path, margin)).status, 200)
    }).pipe(Effect.provide(traders(document))))
})

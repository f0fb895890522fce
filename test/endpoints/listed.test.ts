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
import { inRow } from "../support/row.ts"
import { raw, rawPublic, traders } from "../support/trading.ts"
import { entries, type Entry, goldenIn } from "./fixtures/all.ts"

type Fields = Readonly<Record<string, unknown>>

/** Makes a call by hand, without the library's codecs. */
const call = ({ endpoint }: Entry, wire: Fields) => {
  if (endpoint.access === "private") return raw(endpoint.path, wire)
  const { fields, path } = Paths.locate(endpoint, wire)
  return rawPublic(path, new URLSearchParams(fields as Record<string, string>).toString())
}

/** The live wire request of an entry's fixture. */
const requestOf = (entry: Entry): Fields => goldenIn(entry, live).wire.request

const notSimulatedBy = ({ endpoint }: Entry): ReadonlyArray<string> =>
  routes.find((route) => route.endpoint === endpoint)?.notSimulated ?? []

const keyOf = ({ endpoint }: Entry, field: string, dialect = live) =>
  Endpoint.codec(endpoint, dialect).shape.keys[field] ?? field

/** The messages of a refusal by field: under its own key, as an API V1 message, or as the whole body. */
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

describe("fields that the live documentation lists", () => {
  it("live requests have exactly the listed fields", () => {
    for (const { endpoint, listed } of entries) {
      assert.sameMembers(Object.values(Endpoint.codec(endpoint, live).shape.keys), [...listed], endpoint.name)
    }
  })

  it.live("no listed field is dropped: each is refused for an invalid value", () =>
    Effect.forEach(entries.flatMap((entry) => entry.listed.map((key) => ({ entry, key }))), ({ entry, key }) => {
      const { endpoint } = entry
      // A path or query can only contain a text.
      const broken = endpoint.access === "public" ? "no value of any field" : { no: "value of any field" }
      return Effect.gen(function*() {
        const { body, status } = yield* call(entry, { ...requestOf(entry), [key]: broken })
        assert.include(endpoint.refusedAs === "wrapped" ? [200] : [400, 422], status)
        assert.property(errorsIn(body), key)
      }).pipe(Effect.provide(traders(live), { local: true }), inRow(`${endpoint.name} ${key}`))
    }))
})

describe("fields that the sandbox does not simulate", () => {
  const fields = entries.flatMap((entry) => notSimulatedBy(entry).map((field) => ({ entry, field })))

  it("the sandbox lists the few fields that it does not simulate", () => {
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

    it.live(`${entry.name} ${key}: a request with the unsimulated field is refused for it alone and has no effect`, () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* call(entry, { ...others, [key]: values[field] }), {
          status: 422,
          body: refusal(key)
        })
        assert.deepStrictEqual((yield* raw("/api/v4/orders", {})).body, [])
        assert.deepStrictEqual(yield* OpenPositions.use(({ list }) => list({})), [])
      }).pipe(Effect.provide(traders(live))))

    it(`${entry.name} ${key}: the document's dialect does not have the unsimulated field`, () => {
      const { encodeRequest, shape } = Endpoint.codec(entry.endpoint, document)
      assert.notProperty(shape.fields, field)
      const refused = Result.flip(encodeRequest({ ...goldenIn(entry, document).request, [field]: values[field] }))
      assert.deepStrictEqual(Result.getOrThrow(refused), [{ field, constraint: { kind: "expected" } }])
    })
  }

  const order = { market: "BTC_USDT", side: "sell", amount: "1", price: "1000" }

  it.live("an unsimulated flag may be false, and an unlisted field is ignored", () =>
    Effect.gen(function*() {
      const { status } = yield* raw(limitOrders.path, { ...order, rpi: false, retail: false, unheardOf: true })
      assert.strictEqual(status, 200)
    }).pipe(Effect.provide(traders(live))))

  it.live("an order at the best price without a price is refused for its role", () =>
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

  it.live("the document's dialect ignores the unsimulated fields", () =>
    Effect.gen(function*() {
      const { status } = yield* raw(limitOrders.path, { ...order, rpi: true, retail: true, bboRole: 3 })
      assert.strictEqual(status, 200)
      const margin = { ...order, market: "BTC_PERP", takeProfit: "2000", stopLoss: "x", positionSide: 7 }
      assert.strictEqual((yield* raw(collateralLimit.path, margin)).status, 200)
    }).pipe(Effect.provide(traders(document))))
})

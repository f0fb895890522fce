import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { endpoint as collateralBulk } from "../../src/endpoints/CollateralBulkLimitOrders.ts"
import { endpoint as collateralLimit } from "../../src/endpoints/CollateralLimitOrders.ts"
import { endpoint as limitOrders } from "../../src/endpoints/LimitOrders.ts"
import { document, live } from "../../src/protocol/Dialect.ts"
import * as Endpoint from "../../src/protocol/Endpoint.ts"
import * as Json from "../../src/protocol/Json.ts"
import * as Paths from "../../src/protocol/Paths.ts"
import { inRow } from "../support/row.ts"
import { raw, rawPublic, traders } from "../support/trading.ts"
import { entries, type Entry, goldenIn } from "./fixtures/all.ts"

type Fields = Readonly<Record<string, unknown>>

/** Makes a raw call, without the library's codecs. */
const call = ({ endpoint }: Entry, wire: Fields) => {
  if (endpoint.access === "private") return raw(endpoint.path, wire)
  const { fields, path } = Paths.locate(endpoint, wire)
  return rawPublic(path, new URLSearchParams(fields as Record<string, string>).toString())
}

/** Builds the wire request of an entry's fixture in the live dialect. */
const requestOf = (entry: Entry): Fields => goldenIn(entry, live).wire.request

/** Extracts a refusal's messages by field: from `errors`, from the `message` of API V1, or from the entire body. */
const errorsIn = (body: unknown): Fields => {
  const { errors: named, message } = body as { readonly errors?: unknown; readonly message?: unknown }
  const errors = named ?? (Json.isObject(message) ? message : body)
  return Json.isObject(errors) ? errors : assert.fail(JSON.stringify(body))
}

describe("request fields that the live documentation lists", () => {
  it("requests in the live dialect have exactly the fields that the live documentation lists", () => {
    for (const { endpoint, listed } of entries) {
      assert.sameMembers(Object.values(Endpoint.codec(endpoint, live).shape.keys), [...listed], endpoint.name)
    }
  })

  it.live("every listed field reaches the sandbox, which refuses an invalid value for it", () =>
    Effect.forEach(entries.flatMap((entry) => entry.listed.map((key) => ({ entry, key }))), ({ entry, key }) => {
      const { endpoint } = entry
      // A path or query can only contain strings.
      const broken = endpoint.access === "public" ? "no value of any field" : { no: "value of any field" }
      return Effect.gen(function*() {
        const { body, status } = yield* call(entry, { ...requestOf(entry), [key]: broken })
        assert.include(endpoint.refusedAs === "wrapped" ? [200] : [400, 422], status)
        assert.property(errorsIn(body), key)
      }).pipe(Effect.provide(traders(live), { local: true }), inRow(`${endpoint.name} ${key}`))
    }))
})

describe("request fields that the exchange does not read", () => {
  const order = { market: "BTC_USDT", side: "sell", amount: "1", price: "1000" }

  it.live("a request field that is not listed is ignored", () =>
    Effect.gen(function*() {
      const { status } = yield* raw(limitOrders.path, { ...order, rpi: false, retail: false, unheardOf: true })
      assert.strictEqual(status, 200)
    }).pipe(Effect.provide(traders(live))))

  const refusedAsUnknown = (...keys: ReadonlyArray<string>) => ({
    status: 400,
    body: {
      code: 30,
      message: "Validation failed",
      errors: Object.fromEntries(
        keys.map((key) => [key, [`${key[0]?.toUpperCase()}${key.slice(1)} field is not known.`]])
      )
    }
  })

  it.live("the document's dialect refuses a mutating call with a field that only the live dialect has", () =>
    Effect.gen(function*() {
      const atBest = yield* raw(limitOrders.path, { ...order, rpi: true, retail: true, bboRole: 3 })
      assert.deepStrictEqual(atBest, refusedAsUnknown("bboRole", "rpi", "retail"))
      const margin = { ...order, market: "BTC_PERP", takeProfit: "2000", stopLoss: "x", positionSide: 7 }
      const withExit = refusedAsUnknown("positionSide", "takeProfit", "stopLoss")
      assert.deepStrictEqual(yield* raw(collateralLimit.path, margin), withExit)
      const [item] = (yield* raw(collateralBulk.path, { orders: [margin] })).body as ReadonlyArray<{ error: unknown }>
      assert.deepStrictEqual(item?.error, withExit.body)
      assert.deepStrictEqual((yield* raw("/api/v4/orders", {})).body, [])
    }).pipe(Effect.provide(traders(document))))

  it.live("the document's dialect accepts a live-only field in reads, and also in mutating calls if it has no effect", () =>
    Effect.gen(function*() {
      const { status } = yield* raw(limitOrders.path, { ...order, rpi: false, bboRole: null })
      assert.strictEqual(status, 200)
      assert.strictEqual((yield* raw("/api/v4/main-account/balance", { ticker: "USDT" })).status, 200)
    }).pipe(Effect.provide(traders(document))))
})

import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { Codes } from "../../src/endpoints/Codes.ts"
import { InterestPaymentHistory } from "../../src/endpoints/InterestPaymentHistory.ts"
import { endpoint as markets } from "../../src/endpoints/Markets.ts"
import { StopLimitOrders } from "../../src/endpoints/StopLimitOrders.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import * as Endpoint from "../../src/protocol/Endpoint.ts"
import type * as Errors from "../../src/protocol/Errors.ts"
import * as Paths from "../../src/protocol/Paths.ts"
import { Control } from "../../src/sandbox/control/Control.ts"
import { brokenWire, isIn, withoutUndefined } from "../support/broken.ts"
import { alice, clientOf, code, dialects, inProcess, once, stopLimit } from "../support/exchange.ts"
import { bytesOf, Recorder } from "../support/http.ts"
import { inRow, missing } from "../support/row.ts"
import { signedHeaders } from "../support/signed.ts"
import { entries, type Entry } from "./fixtures/all.ts"
import type { Refused, Row } from "./fixtures/Fixture.ts"

type Fields = Readonly<Record<string, unknown>>

// -----------------------------------------------------------------------------
// Requests without the client's checks
// -----------------------------------------------------------------------------

/** Builds a row's invalid request in the domain's form. */
const broken = ({ accepted }: Refused<object>, { bad }: Row<object>): object =>
  withoutUndefined({ ...accepted, ...bad })

/** Holds the fields that replace the request's own fields in calls to the endpoint. */
type Smuggled = { fields: Fields }

/** Replaces the fields of every call to the endpoint, and signs private calls again. */
const smuggling = (
  endpoint: Endpoint.Any,
  smuggled: Smuggled
): Layer.Layer<HttpClient.HttpClient, never, HttpClient.HttpClient> =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.map(
      HttpClient.HttpClient,
      HttpClient.mapRequestEffect((request) => {
        if (endpoint.access === "public") return Effect.succeed(publicly(endpoint, smuggled.fields, request))
        if (request.method === "GET") return Effect.succeed(request)
        return Effect.map(bytesOf(request), (bytes) => privately(smuggled.fields, request, bytes))
      })
    )
  )

const privately = (fields: Fields, request: HttpClientRequest.HttpClientRequest, sent: Uint8Array) => {
  const { nonce, nonceWindow, request: path } = JSON.parse(new TextDecoder().decode(sent)) as Fields
  const body = new TextEncoder().encode(JSON.stringify({ ...fields, request: path, nonce, nonceWindow }))
  return request.pipe(
    HttpClientRequest.setBody(HttpBody.uint8Array(body, "application/json")),
    HttpClientRequest.setHeaders(signedHeaders(alice, body))
  )
}

const publicly = (endpoint: Endpoint.Any, wire: Fields, request: HttpClientRequest.HttpClientRequest) => {
  const { fields, path } = Paths.locate(endpoint, wire)
  return request.pipe(
    HttpClientRequest.setUrl(new URL(path, request.url)),
    HttpClientRequest.setUrlParams(Object.entries(fields).map(([key, value]) => [key, String(value)] as const))
  )
}

/** All sent requests, except for the one that loads the market rules. */
const sent = Recorder.use((all) => Effect.sync(() => all.filter(({ path }) => path !== markets.path)))

// -----------------------------------------------------------------------------
// Refusals by the client and the exchange
// -----------------------------------------------------------------------------

/** Splits a refusal of fields into its content and the parts that depend on its origin. Fails for any other error. */
const refusalIn = (error: Errors.CallError, { documented: { errorFamily } }: Entry) => {
  if (error._tag !== "ValidationFailed" && error._tag !== "InvalidFields") return assert.fail(error.message)
  assert.strictEqual(error._tag, errorFamily === "order" ? "ValidationFailed" : "InvalidFields")
  assert.deepStrictEqual([error.outcome, error.isRetryable], ["not-applied", false])
  const { body, code, endpoint, fields, origin, otherFields, status } = error
  return { origin, body, said: { code, endpoint, fields, otherFields, status } }
}

/** Asserts that the exchange's refusal of a public call, which names no field, has the local refusal's message. */
const assertSameWords = (error: Errors.CallError, said: ReturnType<typeof refusalIn>["said"]) => {
  if (error._tag !== "PublicRequestRejected") return assert.fail(error.message)
  assert.strictEqual(error.status, said.status)
  const words = Object.values(said.fields).flatMap((found) => found ?? [])
  for (const one of words) assert.include(JSON.stringify(error), one)
}

const refusing = entries.flatMap((entry) => entry.refused === undefined ? [] : [{ entry, refused: entry.refused }])

it("the fixture of every endpoint has an invalid value for each request field", () => {
  for (const { entry: { endpoint }, refused } of refusing) {
    for (const dialect of dialects) {
      const fields = new Set(refused.rows.filter(isIn(dialect)).flatMap((row) => Object.keys(row.fields)))
      assert.sameMembers([...fields], Object.keys(Endpoint.codec(endpoint, dialect).shape.fields), endpoint.name)
    }
  }
})

describe.each(dialects)("refusals by client and exchange in the $name dialect", (dialect) => {
  const world = ({ endpoint }: Entry, smuggled: Smuggled) =>
    clientOf(alice).pipe(
      Layer.provide(smuggling(endpoint, smuggled)),
      Layer.provideMerge(inProcess(dialect))
    )

  for (const { entry, refused } of refusing) {
    const { documented: { access, errorFamily }, endpoint } = entry
    it.effect(`${endpoint.name}: client and exchange refuse every invalid request in the same way`, () => {
      const smuggled: Smuggled = { fields: {} }
      return Effect.forEach(refused.rows.filter(isIn(dialect)), (row) =>
        Effect.gen(function*() {
          smuggled.fields = brokenWire(entry, refused, row, dialect)
          const before = (yield* sent).length
          const local = refusalIn(yield* Effect.flip(refused.call(broken(refused, row))), entry)
          assert.deepStrictEqual([local.origin, local.body], ["local", undefined])
          assert.strictEqual((yield* sent).length, before, "nothing was sent")
          const { code, fields, otherFields, status } = local.said
          assert.strictEqual(local.said.endpoint, endpoint.name)
          assert.deepStrictEqual(otherFields, {})
          assert.sameMembers(Object.keys(fields), Object.keys(row.fields))
          for (const [field, words] of Object.entries(row.fields)) assert.include(fields[field]?.join(" "), words)
          const liveStatus = endpoint.refusedAs === "wrapped" ? 200 : 422
          const ofOrders = dialect === Dialect.document ? [400, 30] : [liveStatus, row.live]
          assert.deepStrictEqual([status, code], errorFamily === "order" ? ofOrders : [400, 0])

          const error = yield* Effect.flip(refused.call(refused.accepted))
          assert.strictEqual((yield* sent).length, before + 1)
          if (access === "public") assertSameWords(error, local.said)
          else {
            const answered = refusalIn(error, entry)
            assert.strictEqual(answered.origin, "exchange")
            assert.isDefined(answered.body)
            assert.deepStrictEqual(answered.said, local.said)
          }
          assert.deepStrictEqual(yield* Control.use((control) => control.openOrders("alice")), [], "nothing was placed")
        }).pipe(inRow(row.name))).pipe(once, Effect.provide(world(entry, smuggled)))
    })
  }

  it.effect("the exchange accepts the valid requests from which the invalid requests are derived", () =>
    Effect.forEach(refusing, ({ entry: { endpoint }, refused }) =>
      Effect.gen(function*() {
        const result = yield* Effect.result(refused.call(refused.accepted))
        assert.strictEqual((yield* sent).length, 1)
        if (Result.isSuccess(result)) return
        // Canceling and closing pass all field checks, and fail only because the order or position does not exist.
        assert.strictEqual(result.failure._tag, "RequestRejected", result.failure.message)
        assert.match(result.failure.message, missing)
      }).pipe(
        once,
        Effect.provide(clientOf(alice).pipe(Layer.provideMerge(inProcess(dialect))), { local: true }),
        inRow(endpoint.name)
      )))

  it.effect("client and exchange accept values exactly on their bounds", () =>
    Effect.gen(function*() {
      const history = yield* InterestPaymentHistory
      for (const [limit, offset] of [[1, 0], [100, 10000]]) yield* history.page({ limit, offset } as never)
      const error = yield* Effect.flip(Codes.use((codes) => codes.apply({ code, passphrase: "🗝".repeat(25) } as never)))
      assert.strictEqual(error._tag === "InvalidFields" && error.origin, "exchange")
      const orders = yield* StopLimitOrders
      yield* orders.create({ ...stopLimit, amount: "0.00001", price: "500000.00" } as never)
      yield* orders.create({ ...stopLimit, side: "sell", amount: "1.000000000", price: "10000000" } as never)
    }).pipe(Effect.provide(clientOf(alice).pipe(Layer.provideMerge(inProcess(dialect))))))

  // Some compiler settings allow `undefined` in an optional field, and untyped callers might pass it anywhere.
  it.effect("a field that is undefined is treated as omitted", () =>
    Effect.gen(function*() {
      const orders = yield* StopLimitOrders
      const optional = { clientOrderId: undefined, bboRole: undefined, stp: undefined }
      const order = yield* orders.create({ ...stopLimit, ...optional } as never)
      assert.match(order.sentClientOrderId, /^[0-9a-f]{32}$/u)
      const error = yield* Effect.flip(orders.create({ ...stopLimit, price: undefined } as never))
      assert.deepStrictEqual(error._tag === "ValidationFailed" && error.fields, {
        price: ["Price field is required."]
      })
    }).pipe(Effect.provide(clientOf(alice).pipe(Layer.provideMerge(inProcess(dialect))))))
})

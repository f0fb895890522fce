import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import { CancelAllOrders } from "../../src/endpoints/CancelAllOrders.ts"
import { Codes } from "../../src/endpoints/Codes.ts"
import { CollateralOcoOrders } from "../../src/endpoints/CollateralOcoOrders.ts"
import { DeleteSubAccount } from "../../src/endpoints/DeleteSubAccount.ts"
import { InterestPaymentHistory } from "../../src/endpoints/InterestPaymentHistory.ts"
import { StopLimitOrders } from "../../src/endpoints/StopLimitOrders.ts"
import { SubAccountApiKeys } from "../../src/endpoints/SubAccountApiKeys.ts"
import { SubAccounts } from "../../src/endpoints/SubAccounts.ts"
import type * as Exchange from "../../src/Exchange.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import type * as Errors from "../../src/protocol/Errors.ts"
import { Control } from "../../src/sandbox/control/Control.ts"
import {
  alice,
  clientOf,
  code,
  dialects,
  emptySubAccount,
  inProcess,
  oco,
  once,
  stopLimit
} from "../support/exchange.ts"
import { privateCalls } from "../support/http.ts"
import { signedHeaders } from "../support/signed.ts"

// -----------------------------------------------------------------------------
// The calls, and what breaks their rules
// -----------------------------------------------------------------------------

/** A request that breaks rules: laid over one that breaks none; a field that is `undefined` is taken out. */
type Bad = Readonly<Record<string, unknown>>

/**
 * - `fields`: the fields that are named, and one word of what is said about each
 * - `live`: the code of the live exchange; 0 and 30 are the document's
 * - `wire`: values that the wire writes otherwise, under its own keys
 */
interface Row {
  readonly name: string
  readonly bad: Bad
  readonly fields: Readonly<Record<string, string>>
  readonly live?: number
  readonly wire?: Bad
}

const row = (name: string, bad: Bad, fields: Row["fields"], live?: number, wire?: Bad): Row => ({
  name,
  bad,
  fields,
  ...(live === undefined ? {} : { live }),
  ...(wire === undefined ? {} : { wire })
})

const key = "🗝"

const paging: ReadonlyArray<Row> = [
  row("limit 0", { limit: 0 }, { limit: "at least 1" }),
  row("limit 101", { limit: 101 }, { limit: "greater than 100" }),
  row("offset -1", { offset: -1 }, { offset: "at least 0" }),
  row("offset 10001", { offset: 10001 }, { offset: "greater than 10000" }),
  row("both at once", { limit: 0, offset: 10001 }, { limit: "at least", offset: "greater than" }),
  row("a limit that is a text", { limit: "5" }, { limit: "an integer" }),
  row("a limit with a fraction", { limit: 1.5 }, { limit: "an integer" }),
  row("a limit that is null", { limit: null }, { limit: "an integer" })
]

const bounds: ReadonlyArray<Row> = [
  row(
    "no fields at all",
    {
      market: undefined,
      side: undefined,
      amount: undefined,
      price: undefined,
      activationPrice: undefined
    },
    { market: "required", side: "required", amount: "required", price: "required", activationPrice: "required" },
    30
  ),
  row("no market", { market: undefined }, { market: "Market field is required" }, 30),
  row("an amount that is no decimal", { amount: "abc" }, { amount: "numeric string" }, 32),
  row("an amount with an exponent", { amount: "1e3" }, { amount: "numeric string" }, 32),
  row("an amount that is a number", { amount: 1 }, { amount: "numeric string" }, 32),
  row("an amount of zero", { amount: "0.00" }, { amount: "greater than 0" }, 32),
  row("an amount below zero", { amount: "-1" }, { amount: "greater than 0" }, 32),
  row("an amount of 65 characters", { amount: "1".repeat(65) }, { amount: "64 characters" }, 32),
  row("a price of zero", { price: "0" }, { price: "greater than 0" }, 33),
  row("a trigger of zero", { activationPrice: "0" }, { activationPrice: "Activation price" }, 30),
  row("a trigger that is no decimal", { activationPrice: ".5" }, { activationPrice: "numeric string" }, 30),
  row("a wrong side", { side: "long" }, { side: "'buy' or 'sell'" }, 30),
  row("a side that is a number", { side: 1 }, { side: "'buy' or 'sell'" }, 30),
  row("a market that is no name", { market: "BTCUSDT" }, { market: "format" }, 31),
  row("a market that is a number", { market: 5 }, { market: "a string" }, 31),
  row("an unknown market", { market: "NO_SUCH" }, { market: "not available" }, 31),
  row("a client order id with a space", { clientOrderId: "a b" }, { clientOrderId: "latin letters" }, 36),
  row("an empty client order id", { clientOrderId: "" }, { clientOrderId: "not be empty" }, 36),
  row("a client order id that is a number", { clientOrderId: 7 }, { clientOrderId: "a string" }, 36),
  row("an amount finer than stockPrec", { amount: "0.0100001" }, { amount: "step = 0.000001" }, 32),
  row("an amount below minTotal", { amount: "0.0001" }, { amount: "is less than 5" }, 30),
  row("an amount above maxTotal", { amount: "1000000" }, { amount: "is more than 10000000" }, 30),
  row("a price finer than moneyPrec", { price: "40000.001" }, { price: "step = 0.01" }, 33),
  row("a trigger finer than moneyPrec", { activationPrice: "990.501" }, { activationPrice: "step = 0.01" }, 30),
  row("two fields", { amount: "abc", price: "0" }, { amount: "numeric", price: "greater than 0" }, 30),
  row("two bounds", { amount: "0.0000001" }, { amount: "step = 0.000001" }, 30)
]

type Tag = "ValidationFailed" | "InvalidFields"

/** A call, a request that breaks none of its rules, and those that do. */
const table = (
  call: string,
  tag: Tag,
  good: Bad,
  rows: ReadonlyArray<Row>,
  make: (request: never) => Effect.Effect<unknown, Errors.CallError, Exchange.Services>
) => ({ call, tag, good, rows, make })

const tables = [
  table("InterestPaymentHistory.page", "InvalidFields", {}, [
    ...paging,
    row("an empty plan", { planId: "" }, { planId: "required" }),
    row("a plan that is a number", { planId: 5 }, { planId: "a string" }),
    row("a ticker with a space", { ticker: "B C" }, { ticker: "format" }),
    row("a ticker that is a list", { ticker: ["BTC"] }, { ticker: "a string" })
  ], (request) => InterestPaymentHistory.use((service) => service.page(request))),
  table("SubAccounts.page", "InvalidFields", {}, [
    ...paging,
    row("a search that is a number", { search: 5 }, { search: "a string" })
  ], (request) => SubAccounts.use((service) => service.page(request))),
  table("SubAccountApiKeys.page", "InvalidFields", {}, [
    ...paging,
    row("an empty id", { subAccountId: "" }, { subAccountId: "required" })
  ], (request) => SubAccountApiKeys.use((service) => service.page(request))),
  table("Codes.apply", "InvalidFields", { code }, [
    row("no code", { code: undefined }, { code: "required" }),
    row("an empty code", { code: "" }, { code: "required" }),
    row("a code that is a number", { code: 5 }, { code: "a string" }),
    row("a passphrase of 26 characters", { passphrase: "x".repeat(26) }, { passphrase: "25 characters" }),
    row("a passphrase of 26 characters of four bytes", { passphrase: key.repeat(26) }, { passphrase: "25 characters" }),
    row("a passphrase that is null", { passphrase: null }, { passphrase: "a string" })
  ], (request) => Codes.use((service) => service.apply(request))),
  table("DeleteSubAccount.delete", "InvalidFields", { id: emptySubAccount }, [
    row("no id", { id: undefined }, { id: "required" }),
    row("an empty id", { id: "" }, { id: "required" }),
    row("an id that is a number", { id: 5 }, { id: "a string" })
  ], (request) => DeleteSubAccount.use((service) => service.delete(request))),
  table("StopLimitOrders.create", "ValidationFailed", stopLimit, [
    ...bounds,
    row("an amount below minAmount", { amount: "0.000009", price: "1000000" }, { amount: "min amount 0.00001" }, 32),
    row("a wrong stp", { stp: "cancel_all" }, { stp: "contain only" }, 30),
    row("an stp that is a boolean", { stp: false }, { stp: "contain only" }, 30),
    row("a wrong bboRole", { bboRole: "both" }, { bboRole: "'1' or '2'" }, 30, { bboRole: 3 }),
    row("a bboRole that is a boolean", { bboRole: true }, { bboRole: "'1' or '2'" }, 30)
  ], (request) => StopLimitOrders.use((service) => service.create(request))),
  table("CollateralOcoOrders.create", "ValidationFailed", oco, [
    ...bounds,
    row("an amount below minAmount", { amount: "0.000009", price: "1000000", stopLimitPrice: "1000000" }, {
      amount: "min amount 0.00001"
    }, 32),
    row("no stop limit price", { stopLimitPrice: undefined }, { stopLimitPrice: "Stop limit price" }, 30),
    row("a stop limit price of zero", { stopLimitPrice: "0.0" }, { stopLimitPrice: "greater than 0" }, 33),
    row("a stop limit price finer than moneyPrec", { stopLimitPrice: "41500.001" }, { stopLimitPrice: "step" }, 33),
    row("a total of the stop that is too low", { stopLimitPrice: "1" }, { amount: "is less than 5" }, 30),
    row("a market without margin", { market: "SHIB_USDT" }, { market: "not available" }, 31),
    row("a reduceOnly that is a text", { reduceOnly: "true" }, { reduceOnly: "a boolean" }, 30)
  ], (request) => CollateralOcoOrders.use((service) => service.create(request))),
  table("CancelAllOrders.cancel", "ValidationFailed", {}, [
    row("an empty list of types", { type: [] }, { type: "not be empty" }, 30),
    row("an unknown type", { type: ["spot", "options"] }, { type: "'spot' or 'margin' or 'futures'" }, 30),
    row("a type that is a text", { type: "spot" }, { type: "an array" }, 30),
    row("a type that holds a number", { type: [5] }, { type: "'spot' or 'margin' or 'futures'" }, 30),
    row("a market that is no name", { market: "BTC" }, { market: "format" }, 31)
  ], (request) => CancelAllOrders.use((service) => service.cancel(request)))
]

// -----------------------------------------------------------------------------
// The same request past the client's own checks
// -----------------------------------------------------------------------------

const laid = (good: Bad, bad: Bad): Bad =>
  Object.fromEntries(Object.entries({ ...good, ...bad }).filter(([, value]) => value !== undefined))

/** The keys that the wire writes otherwise, as the document and the live exchange do. */
const wireKeys: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  document: {
    activationPrice: "activation_price",
    stopLimitPrice: "stop_limit_price",
    clientOrderId: "client_order_id"
  },
  live: { activationPrice: "activation_price", stopLimitPrice: "stop_limit_price" }
}

const toWire = (dialect: Dialect.Dialect, good: Bad, { bad, wire = {} }: Row): Bad =>
  Object.fromEntries([
    ...Object.entries(laid(good, bad)).map(([name, value]) => [wireKeys[dialect.name]?.[name] ?? name, value]),
    ...Object.entries(wire)
  ])

/** Puts other fields into every signed request, and signs it by hand. */
const smuggling = (fields: Bad): Layer.Layer<HttpClient.HttpClient, never, HttpClient.HttpClient> =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.map(
      HttpClient.HttpClient,
      HttpClient.mapRequest((request) => {
        if (request.body._tag !== "Uint8Array") return request
        const { nonce, nonceWindow, request: path } = JSON.parse(new TextDecoder().decode(request.body.body)) as Bad
        const body = new TextEncoder().encode(JSON.stringify({ ...fields, request: path, nonce, nonceWindow }))
        return request.pipe(
          HttpClientRequest.setBody(HttpBody.uint8Array(body, "application/json")),
          HttpClientRequest.setHeaders(signedHeaders(alice, body))
        )
      })
    )
  )

/** What both refusals must have in common. */
const common = (error: Errors.CallError, tag: Tag) => {
  if (error._tag !== "ValidationFailed" && error._tag !== "InvalidFields") return assert.fail(error.message)
  assert.strictEqual(error._tag, tag)
  assert.deepStrictEqual([error.outcome, error.isRetryable], ["not-applied", false])
  const { code, endpoint, fields, otherFields, status } = error
  return { origin: error.origin, body: error.body, told: { code, endpoint, fields, otherFields, status } }
}

describe.each(dialects)("refused before it is sent as the exchange refuses it, in the $name dialect", (dialect) => {
  for (const { call, good, make, rows, tag } of tables) {
    for (const broken of rows) {
      it.effect(`${call}: ${broken.name}`, () =>
        Effect.gen(function*() {
          const local = common(yield* Effect.flip(make(laid(good, broken.bad) as never)), tag)
          assert.deepStrictEqual([local.origin, local.body], ["local", undefined])
          assert.deepStrictEqual(yield* privateCalls, [], "nothing was sent")

          const answered = common(yield* Effect.flip(make(good as never)), tag)
          assert.strictEqual(answered.origin, "exchange")
          assert.isDefined(answered.body)
          assert.strictEqual((yield* privateCalls).length, 1)
          assert.deepStrictEqual(local.told, answered.told)

          const { code, endpoint, fields, otherFields, status } = answered.told
          assert.strictEqual(endpoint, call)
          assert.deepStrictEqual(otherFields, {})
          assert.sameMembers(Object.keys(fields), Object.keys(broken.fields))
          for (const [field, words] of Object.entries(broken.fields)) assert.include(fields[field]?.join(" "), words)
          const ofOrders = dialect === Dialect.document ? [400, 30] : [422, broken.live]
          assert.deepStrictEqual([status, code], tag === "ValidationFailed" ? ofOrders : [400, 0])
          assert.deepStrictEqual(yield* Control.use((control) => control.openOrders("alice")), [], "nothing was placed")
        }).pipe(
          once,
          Effect.provide(
            clientOf(alice).pipe(
              Layer.provide(smuggling(toWire(dialect, good, broken))),
              Layer.provideMerge(inProcess(dialect))
            )
          )
        ))
    }
  }

  it.effect("on the bounds nothing is refused", () =>
    Effect.gen(function*() {
      const history = yield* InterestPaymentHistory
      for (const [limit, offset] of [[1, 0], [100, 10000]]) yield* history.page({ limit, offset } as never)
      const error = yield* Effect.flip(Codes.use((codes) => codes.apply({ code, passphrase: key.repeat(25) } as never)))
      assert.strictEqual(error._tag === "InvalidFields" && error.origin, "exchange")
      const orders = yield* StopLimitOrders
      yield* orders.create({ ...stopLimit, amount: "0.00001", price: "500000.00" } as never)
      yield* orders.create({ ...stopLimit, side: "sell", amount: "1.000000000", price: "10000000" } as never)
    }).pipe(Effect.provide(clientOf(alice).pipe(Layer.provideMerge(inProcess(dialect))))))

  // A caller's compiler may let `undefined` into an optional field, and untyped callers into any.
  it.effect("a field that is undefined is one that is left out", () =>
    Effect.gen(function*() {
      const orders = yield* StopLimitOrders
      const optional = { clientOrderId: undefined, bboRole: undefined, stp: undefined }
      const order = yield* orders.create({ ...stopLimit, ...optional } as never)
      assert.match(order.sentClientOrderId, /^[0-9a-f]{32}$/u)
      const error = yield* Effect.flip(orders.create({ ...stopLimit, price: undefined } as never))
      assert.deepStrictEqual(common(error, "ValidationFailed").told.fields, { price: ["Price field is required."] })
    }).pipe(Effect.provide(clientOf(alice).pipe(Layer.provideMerge(inProcess(dialect))))))
})

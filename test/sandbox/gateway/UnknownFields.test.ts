import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import { Control } from "../../../src/sandbox/control/Control.ts"
import { raw, rawPublic, traders } from "../../support/trading.ts"

const { document, live } = Dialect

const limitOrder = { market: "BTC_USDT", side: "buy", amount: "1", price: "900" }

/** Calls, each with the names that its record lists as ignored, and with its hint. */
const rows: ReadonlyArray<
  readonly [
    title: string,
    dialect: Dialect.Dialect,
    path: string,
    fields: object,
    ignored: ReadonlyArray<string>,
    hint: string
  ]
> = [
  [
    "a field in another spelling",
    live,
    "/api/v4/order/modify",
    { market: "BTC_USDT", orderId: 1, activation_price: "950" },
    ["activation_price"],
    "ignored unknown fields: \"activation_price\" (did you mean \"activationPrice\"?)"
  ],
  [
    "a field in the other dialect's spelling",
    document,
    "/api/v4/order/new",
    { ...limitOrder, clientOrderId: "mine" },
    ["clientOrderId"],
    "ignored unknown fields: \"clientOrderId\" (did you mean \"client_order_id\"?); the client may speak another dialect: "
    + "see TXC_DIALECT and --dialect"
  ],
  [
    "a misspelled field, and a field that resembles no other",
    live,
    "/api/v4/orders",
    { markt: "BTC_USDT", colour: "red" },
    ["markt", "colour"],
    "ignored unknown fields: \"markt\" (did you mean \"market\"?), \"colour\""
  ],
  [
    "a field whose correct spelling is also present",
    live,
    "/api/v4/orders",
    { market: "BTC_USDT", Market: "ETH_USDT" },
    ["Market"],
    "ignored unknown fields: \"Market\""
  ],
  [
    "a field that several orders in a bulk request have",
    live,
    "/api/v4/order/bulk",
    { orders: [{ ...limitOrder, post_only: true }, { ...limitOrder, post_only: true }], stop_on_fail: true },
    ["stop_on_fail", "orders.post_only"],
    "ignored unknown fields: \"stop_on_fail\" (did you mean \"stopOnFail\"?), " +
    "\"orders.post_only\" (did you mean \"postOnly\"?)"
  ],
  [
    "the nonce window, which only the live exchange has",
    document,
    "/api/v4/orders",
    { nonceWindow: true },
    ["nonceWindow"],
    "ignored unknown fields: \"nonceWindow\""
  ]
]

const lastRecord = Control.use((control) =>
  Effect.map(control.requests(), (records) => records.at(-1) ?? assert.fail())
)

describe("unknown request fields", () => {
  for (const [title, dialect, path, fields, ignored, hint] of rows) {
    it.live(`a call's record names ${title} (${dialect.name})`, () =>
      Effect.gen(function*() {
        yield* raw(path, fields)
        const record = yield* lastRecord
        assert.deepStrictEqual([record.ignored, record.hint], [ignored, hint])
      }).pipe(Effect.provide(traders(dialect))))
  }

  it.live("a public call's record names an unknown parameter", () =>
    Effect.gen(function*() {
      yield* rawPublic("/api/v4/public/orderbook/BTC_USDT", "depth=5")
      assert.deepStrictEqual((yield* lastRecord).ignored, ["depth"])
    }).pipe(Effect.provide(traders(live))))

  it.live("a call's record never names known fields, or unknown fields that might be secrets", () =>
    Effect.gen(function*() {
      for (const fields of [{ nonceWindow: false }, { "a field that may be a secret": 1, ["x".repeat(41)]: 1 }]) {
        yield* raw("/api/v4/orders", fields)
        const record = yield* lastRecord
        assert.deepStrictEqual([record.ignored, record.hint], [undefined, undefined])
      }
    }).pipe(Effect.provide(traders(live))))
})

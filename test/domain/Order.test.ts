import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Order from "../../src/domain/Order.ts"
import { examples } from "./examples.ts"

const statuses = [
  "NEW",
  "FILLED",
  "CANCELED",
  "PARTIAL_FILLED",
  "PARTIAL_CANCELED",
  "CANCELED_TAKER_BAND",
  "AUTO_CANCELED_REDUCE_ONLY",
  "AUTO_CANCELED_LIQUIDATION"
] as const

const enumerations = [
  ["OrderSide", Order.OrderSide, Order.ReceivedSide, ["buy", "sell"]],
  ["OrderType", Order.OrderType, Order.ReceivedType, ["limit", "market", "stock market", "stop limit", "stop market"]],
  ["OrderStatus", Order.OrderStatus, Order.ReceivedStatus, statuses],
  [
    "SelfTradePrevention",
    Order.SelfTradePrevention,
    Order.ReceivedSelfTradePrevention,
    ["no", "cancel_both", "cancel_new", "cancel_old"]
  ],
  ["ActivationCondition", Order.ActivationCondition, Order.ReceivedActivationCondition, ["gte", "lte"]],
  ["PositionSide", Order.PositionSide, Order.ReceivedPositionSide, ["LONG", "SHORT", "BOTH"]]
] as const

for (const [name, sent, received, values] of enumerations) {
  examples(name, sent, {
    accepted: values,
    refused: ["", "other", values[0].toUpperCase() + " ", null, 1, true, [values[0]]]
      .map((value) => [value, { kind: "oneOf", values }])
  })

  describe(`${name} in a response`, () => {
    it(`${name} in a response preserves unlisted values`, () => {
      for (const value of [...values, "", "SOMETHING_NEW"]) {
        assert.isTrue(Schema.is(received)(value))
        assert.strictEqual<string>(Result.getOrThrow(Schema.decodeResult(received)(value)), value)
      }
    })

    it(`${name} in a response must be a string`, () => {
      for (const value of [null, 1, true, [], {}]) {
        assert.isTrue(Result.isFailure(Schema.decodeUnknownResult(received)(value)))
      }
    })
  })
}

describe("the status in a response", () => {
  it("the statuses in a response include MAINTENANCE in addition to the document's statuses", () => {
    const [known] = Order.ReceivedStatus.members
    assert.deepStrictEqual<ReadonlyArray<string>>(known.literals, [...statuses, "MAINTENANCE"])
  })
})

examples("BboRole", Order.BboRole, {
  accepted: ["queue", "counterparty"],
  refused: [1, "1", "", null].map((value) => [value, { kind: "oneOf", values: ["queue", "counterparty"] }])
})

examples("CancelAllType", Order.CancelAllType, {
  accepted: ["spot", "margin", "futures"],
  refused: ["", "Spot", null].map((value) => [value, { kind: "oneOf", values: ["spot", "margin", "futures"] }])
})

describe("order conditions", () => {
  it("a buy order activates at or above its activation price, and a sell order at or below it", () => {
    assert.strictEqual(Order.activationConditionOf("buy"), "gte")
    assert.strictEqual(Order.activationConditionOf("sell"), "lte")
  })

  it("only new and partially filled orders are open", () => {
    assert.deepStrictEqual(statuses.filter(Order.isOpen), ["NEW", "PARTIAL_FILLED"])
  })
})

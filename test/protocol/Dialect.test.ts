import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import type { Constraint } from "../../src/domain/Constraint.ts"
import type { Name } from "../../src/endpoints/all.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import * as Endpoint from "../../src/protocol/Endpoint.ts"
import * as Refusals from "../../src/protocol/Refusals.ts"
import { entries, type Entry, entryOf, goldenIn } from "../endpoints/fixtures/all.ts"
import { revealed } from "../support/arbitraries.ts"
import { changed, pathsOf } from "../support/bodies.ts"
import { dialects } from "../support/exchange.ts"

const decode = ({ endpoint }: Entry, dialect: Dialect.Dialect, wire: unknown) =>
  Endpoint.codec(endpoint, dialect).decodeResponse(wire)

const responseOf = ({ golden }: Entry, dialect: Dialect.Dialect) => golden.wire[dialect.name].response

const stopLimit = entryOf("StopLimitOrders")

describe("fields that responses may omit", () => {
  for (const dialect of dialects) {
    it(`${dialect.name}: responses may omit exactly the fields that their fixtures list`, () => {
      for (const entry of entries) {
        const wire = responseOf(entry, dialect)
        const lacking = pathsOf(wire).filter((path) =>
          Result.isSuccess(decode(entry, dialect, changed(wire, path, (parent, key) => delete parent[key])))
        )
        const { name } = entry.endpoint
        assert.sameMembers(lacking.map((path) => path.join(".")), [...entry.mayLack[dialect.name]], name)
      }
    })
  }

  it("a field missing from a live response is absent in the domain", () => {
    const without = (order: unknown) =>
      Object.fromEntries(Object.entries(order as object).filter(([key]) => !stopLimit.mayLack.live.includes(key)))
    assert.deepStrictEqual(
      decode(stopLimit, Dialect.live, without(responseOf(stopLimit, Dialect.live))),
      Result.succeed(without(stopLimit.golden.response))
    )
  })
})

describe("unknown keys in responses", () => {
  for (const dialect of dialects) {
    it(`${dialect.name}: responses may have unknown keys at every depth`, () => {
      for (const entry of entries) {
        const wire = responseOf(entry, dialect)
        const fields = pathsOf(wire).filter((path) => path.slice(0, -1).join(".") !== entry.names)
        for (const path of fields) {
          const extended = changed(wire, path, (parent) => parent["unheardOf"] = { new: [1] })
          assert.deepStrictEqual(
            Result.map(decode(entry, dialect, extended), revealed),
            Result.succeed(revealed(goldenIn(entry, dialect).response)),
            `${entry.endpoint.name}: ${path.join(".")}`
          )
        }
      }
    })
  }
})

describe("unlisted enumeration values", () => {
  const enumerations = ["side", "type", "status", "stp", "positionSide", "activationCondition"]
  const ofLegs = enumerations.map((key) => key === "activationCondition" ? "activation_condition" : key)

  for (const dialect of dialects) {
    it(`${dialect.name}: an unlisted enumeration value is preserved as received`, () => {
      for (const key of enumerations) {
        const wire = { ...responseOf(stopLimit, dialect) as object, [key]: "CANCELED_STP" }
        assert.deepStrictEqual(
          decode(stopLimit, dialect, wire),
          Result.succeed({ ...stopLimit.golden.response as object, [key]: "CANCELED_STP" })
        )
      }
      for (const key of ofLegs) {
        const wire = changed(
          responseOf(entryOf("CollateralOcoOrders"), dialect),
          ["stop_loss", key],
          (leg) => leg[key] = "NEWER"
        )
        const { stopLoss } = Result.getOrThrow(decode(entryOf("CollateralOcoOrders"), dialect, wire)) as {
          readonly stopLoss: Readonly<Record<string, unknown>>
        }
        assert.strictEqual(stopLoss[key === "activation_condition" ? "activationCondition" : key], "NEWER")
      }
    })

    it(`${dialect.name}: an unlisted enumeration value must be a string`, () => {
      for (const key of enumerations) {
        const wire = { ...responseOf(stopLimit, dialect) as object, [key]: 1 }
        assert.isTrue(Result.isFailure(decode(stopLimit, dialect, wire)), key)
      }
    })
  }
})

describe("absence on the wire", () => {
  for (const dialect of dialects) {
    const order = (changes: object): unknown => {
      const wire = { ...responseOf(stopLimit, dialect) as object, ...changes }
      return Result.getOrThrow(decode(stopLimit, dialect, wire))
    }

    it(`${dialect.name}: an empty client order id means that the order has none`, () => {
      assert.notProperty(order({ [dialect.keys.clientOrderId]: "" }), "clientOrderId")
    })

    it(`${dialect.name}: a price of "0" means no price, but only for market order types`, () => {
      for (const type of ["market", "stock market", "stop market"]) {
        assert.notProperty(order({ type, price: "0" }), "price")
        assert.propertyVal(order({ type, price: "0.0" }), "price", "0.0")
      }
      for (const type of ["limit", "stop limit", "SOMETHING_NEW"]) {
        assert.propertyVal(order({ type, price: "0" }), "price", "0")
      }
    })

    it(`${dialect.name}: "0" is an ordinary zero in every field except the price`, () => {
      const zeros = { amount: "0", left: "0", activation_price: "0", [dialect.keys.dealFee]: "0" }
      const values = { amount: "0", left: "0", activationPrice: "0", dealFee: "0", dealMoney: "0" }
      assert.deepInclude(order({ ...zeros, type: "market", [dialect.keys.dealMoney]: "0" }) as object, values)
    })
  }
})

describe("order types in each dialect", () => {
  const typeOf = (entry: Entry, dialect: Dialect.Dialect, type: string) => {
    const { positionSide: _, ...wire } = responseOf(entry, dialect) as Readonly<Record<string, unknown>>
    return Result.map(decode(entry, dialect, { ...wire, type }), (order) => {
      const { margin, type } = order as { readonly margin?: true; readonly type: string }
      return margin === undefined ? { type } : { type, margin }
    })
  }

  it("live: the margin prefix of an order type becomes a separate field, even without a position side", () => {
    for (const entry of [entryOf("LimitOrders"), entryOf("CollateralLimitOrders"), entryOf("CancelOrder")]) {
      for (const type of ["limit", "market", "stop limit", "stop market", "something new"]) {
        assert.deepStrictEqual(typeOf(entry, Dialect.live, type), Result.succeed({ type }))
        assert.deepStrictEqual(typeOf(entry, Dialect.live, `margin ${type}`), Result.succeed({ type, margin: true }))
      }
    }
  })

  it("document: an order type does not show whether the order is on margin", () => {
    for (const type of ["limit", "margin limit"]) {
      assert.deepStrictEqual(typeOf(entryOf("LimitOrders"), Dialect.document, type), Result.succeed({ type }))
    }
  })
})

describe("captured responses of the live exchange", () => {
  for (const entry of entries) {
    for (const [index, { response, source, wire }] of (entry.captured ?? []).entries()) {
      it(`captured response ${index + 1} for ${entry.endpoint.name} decodes (from ${source})`, () => {
        assert.deepStrictEqual(
          Result.map(decode(entry, Dialect.live, wire), revealed),
          Result.succeed(revealed(response))
        )
      })
    }
  }
})

describe("older forms of responses", () => {
  type Wire = Readonly<Record<string, unknown>>
  const live = (name: Name) => responseOf(entryOf(name), Dialect.live)

  /**
   * Older forms that the live dialect accepts: the endpoint, the path of the field, and its value. The path of the
   * entire response is empty.
   */
  const older: ReadonlyArray<readonly [name: Name, path: ReadonlyArray<string>, form: unknown]> = [
    ["Assets", ["1INCH", "unified_cryptoasset_id"], "8104"],
    ["Fees", ["0", "can_deposit"], "0"],
    ["TradingFees", ["custom_fee"], []],
    ["TradingFees", ["custom_fee", "BTC_PERP"], ["0.07", "0.07"]],
    ["CollateralMarkets", [], ["BTC_USDT"]],
    ["FuturesMarkets", [], (live("FuturesMarkets") as Wire)["result"]],
    ["ModifyOrder", [], [live("ModifyOrder")]]
  ]

  /** Forms that resemble older forms, but that could be read only by guessing. */
  const guesses: ReadonlyArray<readonly [name: Name, path: ReadonlyArray<string>, form: unknown]> = [
    ...["", "1e3", "0x10", "08104", "8104 ", "-1"].map((form) =>
      ["Assets", ["1INCH", "unified_cryptoasset_id"], form] as const
    ),
    ...["", "2", "true", 0, 1].map((form) => ["Fees", ["0", "can_deposit"], form] as const),
    ["TradingFees", ["custom_fee"], [["0.07", "0.07"]]],
    ...[["0.07", "0.08"], ["0.07"], ["0.07", "0.07", "0.07"], []].map((form) =>
      ["TradingFees", ["custom_fee", "BTC_PERP"], form] as const
    ),
    ["ModifyOrder", [], []],
    ["ModifyOrder", [], [live("ModifyOrder"), live("ModifyOrder")]]
  ]

  const inForm = (name: Name, dialect: Dialect.Dialect, path: ReadonlyArray<string>, form: unknown) =>
    decode(
      entryOf(name),
      dialect,
      path.length === 0
        ? form
        : changed(responseOf(entryOf(name), dialect), path, (parent, key) => parent[key] = form)
    )

  for (const [name, path, form] of older) {
    const at = ["answer", ...path].join(".")
    it(`${name}: ${at} is decoded from ${JSON.stringify(form).slice(0, 30)} in the live dialect, and refused in the document's`, () => {
      assert.isTrue(Result.isSuccess(inForm(name, Dialect.live, path, form)))
      assert.isTrue(Result.isFailure(inForm(name, Dialect.document, path, form)))
    })
  }

  for (const [name, path, form] of guesses) {
    const at = ["answer", ...path].join(".")
    it(`${name}: ${at} is not guessed from ${JSON.stringify(form).slice(0, 30)}`, () => {
      for (const dialect of dialects) assert.isTrue(Result.isFailure(inForm(name, dialect, path, form)), dialect.name)
    })
  }

  const figures = entryOf("OpenPositions").mayLack.live.map((path) => path.replace(/^0\./u, ""))
    .filter((key) => !/\./u.test(key) && !["liquidationState", "positionSide", "tpsl"].includes(key))
  for (const key of new Set(figures)) {
    it(`OpenPositions: an empty ${key} is absent`, () => {
      for (const dialect of dialects) {
        const [position] = responseOf(entryOf("OpenPositions"), dialect) as readonly [Wire]
        const { [key]: _, ...without } = position
        const read = (wire: Wire) => Result.map(decode(entryOf("OpenPositions"), dialect, [wire]), revealed)
        assert.isTrue(Result.isSuccess(read(without)))
        assert.deepStrictEqual(read({ ...position, [key]: "" }), read(without))
      }
    })
  }
})

describe("null in responses", () => {
  for (const dialect of dialects) {
    it(`${dialect.name}: a response may contain null in every optional field`, () => {
      for (const entry of entries) {
        const wire = responseOf(entry, dialect)
        // Map entries are excluded, because the exchange never sends a map key with the value null.
        const fields = entry.mayLack[dialect.name].map((path) => path.split("."))
          .filter((path) => path.slice(0, -1).join(".") !== entry.names)
        for (const path of fields) {
          const nulled = changed(wire, path, (parent, key) => parent[key] = null)
          assert.isTrue(Result.isSuccess(decode(entry, dialect, nulled)), `${entry.endpoint.name}: ${path.join(".")}`)
        }
      }
    })
  }
})

describe("responses with more than one form", () => {
  for (const dialect of dialects) {
    it(`${dialect.name}: a collateral balance may be a string or a number`, () => {
      const read = (balance: unknown) =>
        Result.map(
          decode(entryOf("CollateralBalance"), dialect, { BTC: balance }),
          (balances) => [...balances as Map<string, string>]
        )
      assert.deepStrictEqual(read("0.10"), Result.succeed([["BTC", "0.10"]]))
      assert.deepStrictEqual(read(-0.1), Result.succeed([["BTC", "-0.1"]]))
      assert.deepStrictEqual(read(0), Result.succeed([["BTC", "0"]]))
      assert.deepStrictEqual(read(1.5e-7), Result.succeed([["BTC", "0.00000015"]]))
      assert.deepStrictEqual(read(-2e21), Result.succeed([["BTC", "-2000000000000000000000"]]))
      for (const balance of [null, true, "", "x", []]) assert.isTrue(Result.isFailure(read(balance)))
    })

    it(`${dialect.name}: an empty order history may be an object or a list`, () => {
      assert.deepStrictEqual(decode(entryOf("OrderHistory"), dialect, {}), Result.succeed([]))
      assert.deepStrictEqual(decode(entryOf("OrderHistory"), dialect, []), Result.succeed([]))
      assert.isTrue(Result.isFailure(decode(entryOf("OrderHistory"), dialect, [{}])))
    })

    it(`${dialect.name}: the type of a new API key may be a number or a string`, () => {
      const wire = responseOf(entryOf("SubAccountApiKeyCreation"), dialect) as object
      for (const type of [2, "2"]) {
        const decoded = decode(entryOf("SubAccountApiKeyCreation"), dialect, { ...wire, type })
        assert.deepStrictEqual(
          Result.map(decoded, revealed),
          Result.succeed(revealed(entryOf("SubAccountApiKeyCreation").golden.response))
        )
      }
    })
  }
})

describe("leniency of the live dialect", () => {
  it("live: responses may use the document's enumeration values", () => {
    const wire = { ...responseOf(stopLimit, Dialect.live) as object, status: "NEW", stp: "cancel_both" }
    assert.deepStrictEqual(decode(stopLimit, Dialect.live, wire), Result.succeed(stopLimit.golden.response))
  })

  it("live: requests may use the document's enumeration values", () => {
    const { decodeRequest } = Endpoint.codec(stopLimit.endpoint, Dialect.live)
    const wire = { ...stopLimit.golden.wire.live.request, stp: "cancel_both" }
    assert.deepStrictEqual(decodeRequest(wire), Result.succeed(stopLimit.golden.request))
  })

  it("live: responses with the document's keys do not decode", () => {
    const { client_order_id, order_id, ...rest } = stopLimit.golden.wire.document.response as Record<string, unknown>
    assert.isTrue(Result.isFailure(decode(stopLimit, Dialect.live, { ...rest, client_order_id, order_id })))
  })

  it("an empty body confirms the deletion of a sub-account in the live dialect, but not in the document's", () => {
    const accepted = (name: Name, dialect: Dialect.Dialect) =>
      [undefined, {}, { deleted: true }, [], null].map((wire) => Result.isSuccess(decode(entryOf(name), dialect, wire)))
    assert.deepStrictEqual(accepted("DeleteSubAccount", Dialect.live), [true, true, false, false, false])
    assert.deepStrictEqual(accepted("DeleteSubAccount", Dialect.document), [false, true, true, false, false])
    assert.deepStrictEqual(accepted("CancelAllOrders", Dialect.live), [false, false, false, true, false])
    assert.deepStrictEqual(accepted("CancelAllOrders", Dialect.document), [false, true, true, true, false])
  })
})

describe("nonces in each dialect", () => {
  it("document: a nonce is a numeric string, and nonceWindow is never sent", () => {
    assert.deepStrictEqual(Dialect.document.nonce(1700000000000000, true), { nonce: "1700000000000000" })
    assert.deepStrictEqual(Dialect.document.nonce(7, false), { nonce: "7" })
    assert.strictEqual(Dialect.document.nonceUnit, "microseconds")
  })

  it("live: a nonce is an integer, and nonceWindow is sent only on request", () => {
    assert.deepStrictEqual(Dialect.live.nonce(1700000000000, true), { nonce: 1700000000000, nonceWindow: true })
    assert.deepStrictEqual(Dialect.live.nonce(1700000000000, false), { nonce: 1700000000000 })
    assert.strictEqual(Dialect.live.nonceUnit, "milliseconds")
  })
})

describe("refusals in each dialect", () => {
  const found = (...violations: ReadonlyArray<readonly [field: string, constraint: Constraint]>) =>
    violations.map(([field, constraint]) => ({ field, constraint }))

  const known = { kind: "known" } as const
  const required = { kind: "required" } as const
  const minTotal = { kind: "minTotal", min: "5" } as const
  const rows = [
    ["a market", found(["market", known]), 31],
    ["an amount", found(["amount", { kind: "minAmount", min: "1" }]), 32],
    ["a minimum total", found(["amount", minTotal]), 30],
    ["a maximum total", found(["amount", { kind: "maxTotal", max: "5" }]), 30],
    ["a price", found(["price", { kind: "positive" }]), 33],
    ["a stop limit price", found(["stopLimitPrice", { kind: "decimal" }]), 33],
    ["an activation price", found(["activationPrice", { kind: "decimal" }]), 30],
    ["a client order id", found(["clientOrderId", { kind: "unique" }]), 36],
    ["any other field", found(["side", { kind: "oneOf", values: ["buy", "sell"] }]), 30],
    ["a missing field", found(["market", required]), 30],
    ["mutually exclusive flags", found(["ioc", { kind: "exclusive", with: "postOnly" }]), 37],
    ["an order id next to a client order id", found(["orderId", { kind: "alone", with: "clientOrderId" }]), 30],
    [
      "a pair of fields with the same code",
      found(["price", { kind: "decimal" }], ["stopLimitPrice", { kind: "decimal" }]),
      33
    ],
    ["a pair of fields with different codes", found(["market", known], ["price", { kind: "decimal" }]), 30]
  ] as const

  for (const [name, violations, code] of rows) {
    it(`the refusal of ${name} has code ${code} on the live exchange, and code 30 in the document`, () => {
      assert.deepStrictEqual(Dialect.live.orderValidation(violations), {
        status: 422,
        code,
        message: "Validation failed"
      })
      assert.deepStrictEqual(Dialect.document.orderValidation(violations), {
        status: 400,
        code: 30,
        message: "Validation failed"
      })
    })
  }

  it("invalid fields have code 0 in both dialects, except in order calls", () => {
    for (const dialect of dialects) {
      assert.deepStrictEqual(dialect.fieldValidation, { status: 400, code: 0, message: "Validation failed" })
    }
  })

  it("an endpoint's error family determines the code of its field errors", () => {
    const violations = found(["market", known])
    for (const { documented: { errorFamily }, endpoint, name } of entries) {
      const { code } = Refusals.refusalOf(endpoint, Dialect.live, violations)
      assert.strictEqual(code, errorFamily === "order" ? 31 : 0, name)
    }
  })

  it("the document lists messages about invalid public fields, while the live exchange groups them by field", () => {
    const errors = { market: ["a"], limit: ["b", "c"] }
    for (const form of ["fields", "wrapped", "texts"] as const) {
      assert.deepStrictEqual(Dialect.document.publicValidation(errors, form), {
        status: 400,
        body: { success: false, message: "Validation failed", params: ["a", "b", "c"] }
      })
    }
    assert.deepStrictEqual(Dialect.live.publicValidation(errors, "fields"), { status: 422, body: errors })
  })

  it("the live exchange has two other forms for messages about invalid public fields", () => {
    const errors = { market: ["Market is not available."], limit: ["b", "c"] }
    assert.deepStrictEqual(Dialect.live.publicValidation(errors, "wrapped"), {
      status: 200,
      body: { success: false, message: errors, result: null }
    })
    assert.deepStrictEqual(Dialect.live.publicValidation(errors, "texts"), {
      status: 422,
      body: { market: ["Market is not available."], limit: "b c" }
    })
  })

  it("the matching engine's refusals have their own codes", () => {
    const engine = ["notEnoughBalance", "orderNotFound", "notMaker", "notEnoughToTransfer", "notEnoughForCode"] as const
    const of = ({ refusals }: Dialect.Dialect) => engine.map((kind) => [refusals[kind].status, refusals[kind].code])
    assert.deepStrictEqual(of(Dialect.document), [[400, 10], [400, 2], [400, 13], [400, 3], [400, 5]])
    assert.deepStrictEqual(of(Dialect.live), [[400, 10], [400, 2], [400, 13], [422, 3], [422, 5]])
    for (const { refusals } of dialects) {
      for (const kind of engine) assert.strictEqual(refusals[kind].message, "Inner validation failed")
    }
  })

  it("the refusals of an OCO order's legs have their own codes on the live exchange", () => {
    const of = ({ refusals: { takeProfitNotMaker, wrongStopLoss } }: Dialect.Dialect) =>
      [takeProfitNotMaker, wrongStopLoss].map(({ code, status }) => [status, code])
    assert.deepStrictEqual(dialects.map(of), [[[400, 13], [400, 151]], [[400, 150], [400, 151]]])
  })

  it("the refusals of a reused nonce and of too many calls differ only in their messages", () => {
    for (const { refusals: { nonceUsed, rateLimited } } of dialects) {
      assert.deepStrictEqual({ ...nonceUsed, message: "" }, { ...rateLimited, message: "" })
      assert.notStrictEqual(nonceUsed.message, rateLimited.message)
    }
  })

  it("the refusal of a reduce-only order has code 116 and the HTTP status of field errors", () => {
    assert.deepStrictEqual(dialects.map(({ refusals: { reduceOnly } }) => [reduceOnly.status, reduceOnly.code]), [
      [400, 116],
      [422, 116]
    ])
  })
})

describe("Dialect.byName", () => {
  it("byName contains each dialect under its name", () => {
    for (const dialect of dialects) assert.strictEqual(Dialect.byName[dialect.name], dialect)
  })

  it("redeeming a code returns HTTP 200 in the document and 201 on the live exchange", () => {
    assert.deepStrictEqual(dialects.map(({ codeAppliedStatus }) => codeAppliedStatus), [200, 201])
  })

  it("creating anything except an order returns HTTP 200 in the document and 201 on the live exchange", () => {
    assert.deepStrictEqual(dialects.map(({ createdStatus }) => createdStatus), [200, 201])
  })
})

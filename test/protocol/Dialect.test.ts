import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import type { Constraint } from "../../src/domain/Constraint.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import * as Endpoint from "../../src/protocol/Endpoint.ts"
import * as Json from "../../src/protocol/Json.ts"
import { revealed } from "../support/arbitraries.ts"
import { byName, dialects, type Golden, goldens } from "./goldens.ts"

type Path = ReadonlyArray<string>

/** The paths of all keys of a body, in lists those of the first element. */
const pathsOf = (value: unknown): ReadonlyArray<Path> => {
  if (Array.isArray(value)) return value.slice(0, 1).flatMap((item) => pathsOf(item).map((path) => ["0", ...path]))
  if (!Json.isObject(value)) return []
  return Object.entries(value).flatMap(([key, inner]) => [[key], ...pathsOf(inner).map((path) => [key, ...path])])
}

type Change = (parent: Record<string, unknown>, key: string) => void

/** A copy of the body in which the object that holds the path's last key is changed. */
const changed = (value: unknown, path: Path, change: Change): unknown => {
  const copy = structuredClone(value)
  const parent = path.slice(0, -1).reduce((inner, key) => (inner as Record<string, unknown>)[key], copy)
  change(parent as Record<string, unknown>, path.at(-1) ?? "")
  return copy
}

const decode = ({ endpoint }: Golden, dialect: Dialect.Dialect, wire: unknown) =>
  Endpoint.codec(endpoint, dialect).decodeResponse(wire)

const responseOf = (golden: Golden, dialect: Dialect.Dialect) => golden.wire[dialect.name].response

describe("what answers may lack", () => {
  const stopLimit = [
    "activated",
    "activationCondition",
    "clientOrderId",
    "ioc",
    "positionSide",
    "postOnly",
    "price",
    "reduceOnly",
    "rpi",
    "status",
    "stp"
  ]
  const leg = ["clientOrderId", "makerFee", "positionSide", "status", "stp", "takerFee"]
  const pair = ["reduceOnly", ...["stop_loss", "take_profit"].flatMap((parent) => leg.map((key) => `${parent}.${key}`))]
  const inside = (parent: string, keys: ReadonlyArray<string>) => keys.map((key) => `${parent}.${key}`)
  const order = ["clientOrderId", "ioc", "postOnly", "price", "reduceOnly", "rpi", "status", "stp"]
  const trigger = ["activated", "activationCondition", "activation_price"]
  const stop = [...order, ...trigger, "positionSide"]
  const ended = ["activationPrice", "ioc", "makerFee", "positionSide", "postOnly", "reduceOnly", "rpi", "takerFee"]
  const live: Readonly<Record<string, ReadonlyArray<string>>> = {
    "StopLimitOrders.create": stopLimit,
    "CollateralOcoOrders.create": pair,
    "LimitOrders.create": order,
    "MarketOrders.create": order,
    "StockMarketOrders.create": order,
    "CollateralLimitOrders.create": [...order, "positionSide"],
    "CollateralMarketOrders.create": [...order, "positionSide"],
    "CancelOrder.cancel": stop,
    "ActiveOrders.page": inside("0", stop),
    "OrderHistory.page": [
      "BTC_USDT",
      ...inside("BTC_USDT.0", [...ended, "clientOrderId", "price", "status", "stp"]),
      "ETH_USDT",
      ...inside("ETH_USDT.0", ["clientOrderId", "price", "status", "stp"])
    ],
    "Fills.page": ["0.clientOrderId", "0.feeAsset"],
    "UnexecutedOcoOrders.page": inside("0", pair),
    "CancelOcoOrder.cancel": pair
  }
  // A position belongs to collateral orders, a trigger to stop orders; no other order need have one.
  const document: Readonly<Record<string, ReadonlyArray<string>>> = {
    "StopLimitOrders.create": ["positionSide"],
    "CollateralLimitOrders.create": ["positionSide"],
    "CollateralMarketOrders.create": ["positionSide"],
    "CancelOrder.cancel": [...trigger, "positionSide"],
    "ActiveOrders.page": inside("0", [...trigger, "positionSide"]),
    "OrderHistory.page": ["BTC_USDT", ...inside("BTC_USDT.0", ended), "ETH_USDT"],
    "Fills.page": ["0.feeAsset"]
  }
  const either: Readonly<Record<string, ReadonlyArray<string>>> = {
    // Assets without a balance are left out.
    "MainBalance.all": ["1INCH", "BTC", "constructor"],
    "TradeBalance.all": ["BTC", "constructor"],
    "CollateralBalance.all": ["BTC", "constructor"],
    "OpenPositions.list": inside("0", [
      "amount",
      "basePrice",
      "freeMargin",
      "funding",
      "liquidationPrice",
      "liquidationState",
      "margin",
      "pnl",
      "pnlPercent",
      "positionSide",
      "unrealizedFunding",
      "unrealizedPnl"
    ]),
    "Tickers.all": ["BTC_USDT", "BTC_USDT.base_id", "BTC_USDT.quote_id"],
    "PublicTrades.list": ["0.rpi"],
    "Assets.all": ["1INCH", ...inside("1INCH", ["currency_precision", "is_memo", "unified_cryptoasset_id"])],
    "TradingFees.get": [
      "error",
      "rpi_maker_fee_premium",
      "futures_rpi_maker_fee_premium",
      "custom_fee.BTC_PERP"
    ]
  }

  for (const dialect of dialects) {
    const table: Readonly<Record<string, ReadonlyArray<string>>> = {
      ...either,
      ...(dialect.name === "live" ? live : document)
    }
    for (const golden of goldens) {
      const name = golden.endpoint.name
      it(`${dialect.name}: ${name} may lack ${table[name]?.join(", ") ?? "nothing"}`, () => {
        const wire = responseOf(golden, dialect)
        const lacking = pathsOf(wire).filter((path) =>
          Result.isSuccess(decode(golden, dialect, changed(wire, path, (parent, key) => delete parent[key])))
        )
        assert.sameMembers(lacking.map((path) => path.join(".")), [...table[name] ?? []])
      })
    }
  }

  it("what a live answer lacks is absent in the domain too", () => {
    const without = (order: unknown) =>
      Object.fromEntries(Object.entries(order as object).filter(([key]) => !stopLimit.includes(key)))
    assert.deepStrictEqual(
      decode(byName.stopLimit, Dialect.live, without(responseOf(byName.stopLimit, Dialect.live))),
      Result.succeed(without(byName.stopLimit.response))
    )
  })
})

describe("what answers may have besides", () => {
  // Every key of these objects is a name, so none is unknown; what is inside may have more.
  const maps: Readonly<Record<string, string>> = {
    "MainBalance.all": "",
    "TradeBalance.all": "",
    "CollateralBalance.all": "",
    "OrderHistory.page": "",
    "Tickers.all": "",
    "Assets.all": "",
    "TradingFees.get": "custom_fee"
  }

  for (const dialect of dialects) {
    it(`${dialect.name}: unknown keys are ignored, wherever they are`, () => {
      for (const golden of goldens) {
        const wire = responseOf(golden, dialect)
        for (const path of pathsOf(wire)) {
          if (path.slice(0, -1).join(".") === maps[golden.endpoint.name]) continue
          const extended = changed(wire, path, (parent) => parent["unheardOf"] = { new: [1] })
          assert.deepStrictEqual(
            Result.map(decode(golden, dialect, extended), revealed),
            Result.succeed(revealed(golden.response)),
            `${golden.endpoint.name} ${path.join(".")}`
          )
        }
      }
    })
  }
})

describe("values that the document does not list", () => {
  const enumerations = ["side", "type", "status", "stp", "positionSide", "activationCondition"]
  const ofLegs = enumerations.map((key) => key === "activationCondition" ? "activation_condition" : key)

  for (const dialect of dialects) {
    it(`${dialect.name}: are kept as received`, () => {
      for (const key of enumerations) {
        const wire = { ...responseOf(byName.stopLimit, dialect) as object, [key]: "CANCELED_STP" }
        assert.deepStrictEqual(
          decode(byName.stopLimit, dialect, wire),
          Result.succeed({ ...byName.stopLimit.response as object, [key]: "CANCELED_STP" })
        )
      }
      for (const key of ofLegs) {
        const wire = changed(responseOf(byName.collateralOco, dialect), ["stop_loss", key], (leg) => leg[key] = "NEWER")
        const { stopLoss } = Result.getOrThrow(decode(byName.collateralOco, dialect, wire)) as {
          readonly stopLoss: Readonly<Record<string, unknown>>
        }
        assert.strictEqual(stopLoss[key === "activation_condition" ? "activationCondition" : key], "NEWER")
      }
    })

    it(`${dialect.name}: are still texts`, () => {
      for (const key of enumerations) {
        const wire = { ...responseOf(byName.stopLimit, dialect) as object, [key]: 1 }
        assert.isTrue(Result.isFailure(decode(byName.stopLimit, dialect, wire)), key)
      }
    })
  }
})

describe("absence on the wire", () => {
  for (const dialect of dialects) {
    const order = (changes: object): unknown => {
      const wire = { ...responseOf(byName.stopLimit, dialect) as object, ...changes }
      return Result.getOrThrow(decode(byName.stopLimit, dialect, wire))
    }

    it(`${dialect.name}: an empty client order id is none`, () => {
      assert.notProperty(order({ [dialect.keys.clientOrderId]: "" }), "clientOrderId")
    })

    it(`${dialect.name}: a price of "0" is none on market types only`, () => {
      for (const type of ["market", "stock market", "stop market"]) {
        assert.notProperty(order({ type, price: "0" }), "price")
        assert.propertyVal(order({ type, price: "0.0" }), "price", "0.0")
      }
      for (const type of ["limit", "stop limit", "SOMETHING_NEW"]) {
        assert.propertyVal(order({ type, price: "0" }), "price", "0")
      }
    })

    it(`${dialect.name}: every other "0" is zero`, () => {
      const zeros = { amount: "0", left: "0", activation_price: "0", [dialect.keys.dealFee]: "0" }
      const values = { amount: "0", left: "0", activationPrice: "0", dealFee: "0", dealMoney: "0" }
      assert.deepInclude(order({ ...zeros, type: "market", [dialect.keys.dealMoney]: "0" }) as object, values)
    })
  }
})

describe("types of orders", () => {
  const typeOf = (golden: Golden, dialect: Dialect.Dialect, type: string) =>
    Result.map(
      decode(golden, dialect, { ...responseOf(golden, dialect) as object, type }),
      (order) => (order as { readonly type: string }).type
    )

  it("live: are read by either name, whether they trade wallets or positions", () => {
    for (const golden of [byName.limitOrder, byName.collateralLimitOrder]) {
      for (const type of ["limit", "market", "stop limit"]) {
        assert.deepStrictEqual(typeOf(golden, Dialect.live, type), Result.succeed(type))
        assert.deepStrictEqual(typeOf(golden, Dialect.live, `margin ${type}`), Result.succeed(type))
      }
    }
  })

  it("document: have one name", () => {
    assert.deepStrictEqual(typeOf(byName.limitOrder, Dialect.document, "limit"), Result.succeed("limit"))
    assert.deepStrictEqual(typeOf(byName.limitOrder, Dialect.document, "margin limit"), Result.succeed("margin limit"))
  })
})

describe("answers that have more than one form", () => {
  for (const dialect of dialects) {
    it(`${dialect.name}: collateral balances are texts or numbers`, () => {
      const read = (balance: unknown) =>
        Result.map(
          decode(byName.collateralBalance, dialect, { BTC: balance }),
          (balances) => [...balances as Map<string, string>]
        )
      assert.deepStrictEqual(read("0.10"), Result.succeed([["BTC", "0.10"]]))
      assert.deepStrictEqual(read(-0.1), Result.succeed([["BTC", "-0.1"]]))
      assert.deepStrictEqual(read(0), Result.succeed([["BTC", "0"]]))
      for (const balance of [null, true, "", "x", []]) assert.isTrue(Result.isFailure(read(balance)))
    })

    it(`${dialect.name}: a history without orders is an object, or a list, without any`, () => {
      assert.deepStrictEqual(decode(byName.orderHistory, dialect, {}), Result.succeed([]))
      assert.deepStrictEqual(decode(byName.orderHistory, dialect, []), Result.succeed([]))
      assert.isTrue(Result.isFailure(decode(byName.orderHistory, dialect, [{}])))
    })

    it(`${dialect.name}: the type of a created key is a number or a text`, () => {
      const wire = responseOf(byName.subAccountApiKeyCreation, dialect) as object
      for (const type of [2, "2"]) {
        const decoded = decode(byName.subAccountApiKeyCreation, dialect, { ...wire, type })
        assert.deepStrictEqual(
          Result.map(decoded, revealed),
          Result.succeed(revealed(byName.subAccountApiKeyCreation.response))
        )
      }
    })
  }
})

describe("the live dialect", () => {
  it("reads the document's names for values too", () => {
    const wire = { ...responseOf(byName.stopLimit, Dialect.live) as object, status: "NEW", stp: "cancel_both" }
    assert.deepStrictEqual(decode(byName.stopLimit, Dialect.live, wire), Result.succeed(byName.stopLimit.response))
  })

  it("takes the document's names for values in requests", () => {
    const { decodeRequest } = Endpoint.codec(byName.stopLimit.endpoint, Dialect.live)
    const wire = { ...byName.stopLimit.wire.live.request, stp: "cancel_both" }
    assert.deepStrictEqual(decodeRequest(wire), Result.succeed(byName.stopLimit.request))
  })

  it("does not know the document's keys", () => {
    const { client_order_id, order_id, ...rest } = byName.stopLimit.wire.document.response as Record<string, unknown>
    assert.isTrue(Result.isFailure(decode(byName.stopLimit, Dialect.live, { ...rest, client_order_id, order_id })))
  })

  it("may answer a deleted sub-account with nothing at all; the document's object is demanded there", () => {
    const accepted = (name: string, dialect: Dialect.Dialect) => {
      const golden = goldens.find(({ endpoint }) => endpoint.name === name)
      return [undefined, {}, { deleted: true }, [], null].map((wire) =>
        golden !== undefined && Result.isSuccess(decode(golden, dialect, wire))
      )
    }
    assert.deepStrictEqual(accepted("DeleteSubAccount.delete", Dialect.live), [true, true, true, false, false])
    assert.deepStrictEqual(accepted("DeleteSubAccount.delete", Dialect.document), [false, true, true, false, false])
    for (const dialect of dialects) {
      assert.deepStrictEqual(accepted("CancelAllOrders.cancel", dialect), [false, true, true, true, true])
    }
  })
})

describe("nonces", () => {
  it("document: a numeric text, unique whatever the window", () => {
    assert.deepStrictEqual(Dialect.document.nonce(1700000000000000, true), { nonce: "1700000000000000" })
    assert.deepStrictEqual(Dialect.document.nonce(7, false), { nonce: "7" })
    assert.strictEqual(Dialect.document.nonceUnit, "microseconds")
  })

  it("live: an integer, and the window when it is asked for", () => {
    assert.deepStrictEqual(Dialect.live.nonce(1700000000000, true), { nonce: 1700000000000, nonceWindow: true })
    assert.deepStrictEqual(Dialect.live.nonce(1700000000000, false), { nonce: 1700000000000 })
    assert.strictEqual(Dialect.live.nonceUnit, "milliseconds")
  })
})

describe("refusals", () => {
  const found = (...violations: ReadonlyArray<readonly [field: string, constraint: Constraint]>) =>
    violations.map(([field, constraint]) => ({ field, constraint }))

  const known = { kind: "known" } as const
  const required = { kind: "required" } as const
  const minTotal = { kind: "minTotal", min: "5" } as const
  const rows = [
    ["a market", found(["market", known]), 31],
    ["an amount", found(["amount", { kind: "minAmount", min: "1" }]), 32],
    ["a total", found(["amount", minTotal]), 30],
    ["a greatest total", found(["amount", { kind: "maxTotal", max: "5" }]), 30],
    ["a price", found(["price", { kind: "positive" }]), 33],
    ["a stop limit price", found(["stopLimitPrice", { kind: "decimal" }]), 33],
    ["an activation price", found(["activationPrice", { kind: "decimal" }]), 30],
    ["a client order id", found(["clientOrderId", { kind: "unique" }]), 36],
    ["any other field", found(["side", { kind: "oneOf", values: ["buy", "sell"] }]), 30],
    ["a missing field", found(["market", required]), 30],
    ["flags that constraint each other out", found(["ioc", { kind: "exclusive", with: "postOnly" }]), 37],
    ["two fields that say the same", found(["orderId", { kind: "alone", with: "clientOrderId" }]), 30],
    ["two fields of one number", found(["price", { kind: "decimal" }], ["stopLimitPrice", { kind: "decimal" }]), 33],
    ["two fields of different numbers", found(["market", known], ["price", { kind: "decimal" }]), 30]
  ] as const

  for (const [name, violations, code] of rows) {
    it(`live: ${name} is number ${code}; in the document all are 30`, () => {
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

  it("fields of other calls are code 0 in both", () => {
    for (const dialect of dialects) {
      assert.deepStrictEqual(dialect.fieldValidation, { status: 400, code: 0, message: "Validation failed" })
    }
  })

  it("an endpoint's error family decides which of both it is", () => {
    const violations = found(["market", known])
    // Besides all whose name says that they are about orders.
    const others = [
      "CancelOrder.cancel",
      "OrderHistory.page",
      "Fills.page",
      "CancelOcoOrder.cancel",
      "OpenPositions.list",
      "OrderBooks.get",
      "PublicTrades.list"
    ]
    for (const { endpoint } of goldens) {
      assert.strictEqual(
        Endpoint.refusalOf(endpoint, Dialect.live, violations).code,
        endpoint.name.includes("Orders") || others.includes(endpoint.name) ? 31 : 0,
        endpoint.name
      )
    }
  })

  it("of public calls are a message with the words, or the words by field", () => {
    const errors = { market: ["a"], limit: ["b", "c"] }
    assert.deepStrictEqual(Dialect.document.publicValidation(errors), {
      status: 400,
      body: { success: false, message: "Validation failed", params: ["a", "b", "c"] }
    })
    assert.deepStrictEqual(Dialect.live.publicValidation(errors), { status: 422, body: errors })
  })

  it("of the engine have numbers of their own", () => {
    const engine = ["notEnoughBalance", "orderNotFound", "notMaker", "notEnoughToTransfer", "notEnoughForCode"] as const
    const of = ({ refusals }: Dialect.Dialect) => engine.map((kind) => [refusals[kind].status, refusals[kind].code])
    assert.deepStrictEqual(of(Dialect.document), [[400, 10], [400, 2], [400, 13], [400, 3], [400, 5]])
    assert.deepStrictEqual(of(Dialect.live), [[400, 10], [400, 2], [400, 13], [422, 3], [422, 5]])
    for (const { refusals } of dialects) {
      for (const kind of engine) assert.strictEqual(refusals[kind].message, "Inner validation failed")
    }
  })

  it("a used nonce and too many calls differ by their message alone", () => {
    for (const { refusals: { nonceUsed, rateLimited } } of dialects) {
      assert.deepStrictEqual({ ...nonceUsed, message: "" }, { ...rateLimited, message: "" })
      assert.notStrictEqual(nonceUsed.message, rateLimited.message)
    }
  })

  it("reduce-only is code 116, with the status of field errors", () => {
    assert.deepStrictEqual(dialects.map(({ refusals: { reduceOnly } }) => [reduceOnly.status, reduceOnly.code]), [
      [400, 116],
      [422, 116]
    ])
  })
})

describe("byName", () => {
  it("finds each dialect by its own name", () => {
    for (const dialect of dialects) assert.strictEqual(Dialect.byName[dialect.name], dialect)
  })

  it("a code is applied with 200 in the document and 201 live", () => {
    assert.deepStrictEqual(dialects.map(({ codeAppliedStatus }) => codeAppliedStatus), [200, 201])
  })

  it("so is everything created except orders", () => {
    assert.deepStrictEqual(dialects.map(({ createdStatus }) => createdStatus), [200, 201])
  })
})

import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as fc from "fast-check"
import * as Constraint from "../../src/domain/Constraint.ts"
import * as CancelAllOrders from "../../src/endpoints/CancelAllOrders.ts"
import type { Dialect } from "../../src/protocol/Dialect.ts"
import * as Dialects from "../../src/protocol/Dialect.ts"
import * as Endpoint from "../../src/protocol/Endpoint.ts"
import * as Json from "../../src/protocol/Json.ts"
import * as Violation from "../../src/protocol/Violation.ts"
import { entries, type Entry, entryOf, goldenIn } from "../endpoints/fixtures/all.ts"
import { anyRequest } from "../support/arbitraries.ts"
import { dialects } from "../support/exchange.ts"
import { property } from "../support/property.ts"

const noStrings = [1, 0, 1.5, true, null, [], {}]

const noDecimals = ["", "1e5", "01", " 1", "0x1", "9".repeat(65), ...noStrings]

/** Lists, for each brand, values that are invalid in any field with that brand, both in the domain and on the wire. */
const broken: Readonly<Record<string, ReadonlyArray<unknown>>> = {
  MarketName: ["", "BTC", "BTC-USDT", "BTC_USDT_X", ...noStrings],
  OrderSide: ["", "BUY", "hold", ...noStrings],
  Amount: ["0", "-1", "0.00", ...noDecimals],
  Price: ["0", "-1", "0.00", ...noDecimals],
  ClientOrderId: ["", "a b", "é", "a/b", ...noStrings],
  BboRole: ["", "first", "1", 0, 3, 1.5, true, null, [], {}],
  SelfTradePrevention: ["", "NO", "cancel", ...noStrings],
  PlanId: ["", ...noStrings],
  SubAccountId: ["", ...noStrings],
  Ticker: ["", "B TC", "_BTC", ...noStrings],
  Limit: [0, -1, 101, 1.5, "1", "", true, null, [], {}],
  Offset: [-1, 10001, 0.5, "0", "", true, null, [], {}],
  Code: ["", ...noStrings],
  Passphrase: ["x".repeat(26), "🙂".repeat(26), ...noStrings],
  OrderId: ["", "x", "-1", "1.5", "1e3", -1, 1.5, true, null, [], {}],
  PositionId: ["", "x", "-1", "1.5", "1e3", -1, 1.5, true, null, [], {}],
  Leverage: [0, 4, 101, 2.5, "5", true, null, [], {}],
  Description: ["x".repeat(281), "🙂".repeat(281), ...noStrings],
  Alias: ["", ...noStrings],
  KeyTitle: ["", ...noStrings],
  Email: ["", "x", "a b@c", "a@", "@b", "a@b@c", ...noStrings],
  // Fields without a brand: a list, a string, a boolean, an object, an enumeration.
  Arrays: [[], ["nope"], ["spot", 1], ["nope", "never"], "spot", 1, null, {}],
  String: noStrings,
  Boolean: ["true", "", 0, 1, null, [], {}],
  Objects: ["", 1, true, null, [], {}, { spotEnabled: true }, { spotEnabled: 1, collateralEnabled: "true" }],
  Union: ["", "nope", 0, 3, 1.5, true, null, [], {}],
  // For numbers without a brand, see also `outOfBounds`.
  Number: [1.5, null, "x", true],
  TradeId: ["", "x", "-1", "1.5", ...noStrings],
  // The live exchange also accepts a decimal as a number.
  LooseAmount: ["0", "-1", "0.00", ...noDecimals.filter((value) => typeof value !== "number")],
  LoosePrice: ["0", "-1", "0.00", ...noDecimals.filter((value) => typeof value !== "number")],
  PositionSide: ["", "hold", "Long", ...noStrings],
  UnixSeconds: ["1", 1.5, true, null, [], {}],
  Orders: ["", "x", 1, true, null, [], {}],
  KillSwitchTypes: [[], ["nope"], ["spot", 1], "spot", 1, {}],
  KillSwitchTimeout: [4, 601, -5, 5.5, "", "4", "601", "-5", "5.5", "soon", true, [], {}],
  // No aggregation level of an order book is out of bounds, because the exchange uses the nearest level.
  Level: [1.5, null, "x", true]
}

interface Field {
  readonly entry: Entry
  readonly dialect: Dialect
  readonly name: string
  readonly brand: string
  /** Values that are invalid for this field, in addition to those that are invalid for its brand. */
  readonly more: ReadonlyArray<unknown>
}

const brandOf = (
  { name: dialectName }: Dialect,
  { endpoint }: Entry,
  name: string,
  { ast }: Schema.Constraint
): string => {
  const brand = SchemaAST.resolveIdentifier(ast) ?? ast._tag
  if (name === "level") return "Level"
  if (name === "timeout") return "KillSwitchTimeout"
  if (name === "types") return "KillSwitchTypes"
  if (name === "orders") return "Orders"
  // The live exchange requires the activation price of a new order to be a string.
  const isLoose = name !== "activationPrice" || endpoint.name === "ModifyOrder.modify"
  return dialectName === "live" && isLoose && ["Amount", "Price"].includes(brand) ? `Loose${brand}` : brand
}

/** Returns values outside a number's bounds. */
const outOfBounds = ({ ast }: Schema.Constraint): ReadonlyArray<number> =>
  (ast.checks ?? []).flatMap(({ annotations }) => {
    const constraint = Constraint.fromAnnotations(annotations)
    if (constraint?.kind === "min") return [constraint.min - 1]
    return constraint?.kind === "max" ? [constraint.max + 1, Math.max(1e9, constraint.max * 2)] : []
  })

const fields: ReadonlyArray<Field> = dialects.flatMap((dialect) =>
  entries.flatMap((entry) =>
    Object.entries(entry.endpoint.request(dialect).fields).map(([name, schema]) => ({
      entry,
      dialect,
      name,
      brand: brandOf(dialect, entry, name, schema),
      more: outOfBounds(schema)
    }))
  )
)

type Refused = ReadonlyArray<Violation.Violation> | undefined

const throughJson = (wire: object): unknown => Result.getOrThrow(Json.parse(Json.stringify(wire)))

/** Returns the violations that the client and the exchange find when a field of the golden request has this value. */
const refusedBySide = (
  { dialect, entry, name }: Omit<Field, "brand" | "more">,
  value: unknown
): { readonly local: Refused; readonly exchange: Refused } => {
  const { request, wire } = goldenIn(entry, dialect)
  const { decodeRequest, encodeRequest, shape } = Endpoint.codec(entry.endpoint, dialect)
  const key = shape.keys[name] ?? name
  return {
    local: Result.getOrUndefined(Result.flip(encodeRequest({ ...request, [name]: value }))),
    exchange: Result.getOrUndefined(
      Result.flip(decodeRequest(throughJson({ ...wire.request, [key]: value })))
    )
  }
}

/**
 * Brands with different JSON types in the domain and on the wire. The client and the exchange refuse their invalid
 * values with different messages.
 */
const spelledDifferently = ["Number", "Level", "KillSwitchTimeout", "KillSwitchTypes"]

const without = (record: object, key: string) =>
  Object.fromEntries(Object.entries(record).filter(([name]) => name !== key))

const missing = (field: string) => [{ field, constraint: { kind: "required" } }] as const

describe("client and exchange find the same violations", () => {
  for (const [brand, fieldsOfBrand] of Map.groupBy(fields, ({ brand }) => brand)) {
    it(`the client and the exchange refuse the same invalid values of type ${brand}`, () => {
      for (const field of fieldsOfBrand) {
        const place = `${field.dialect.name}: ${field.entry.endpoint.name} ${field.name}`
        const values = [...broken[brand] ?? [], ...field.more]
        assert.isNotEmpty(values, `no invalid values for ${brand}`)
        for (const value of values) {
          const row = `${place}: ${Json.stringify({ value })}`
          const { exchange, local } = refusedBySide(field, value)
          assert.isNotEmpty(local, row)
          assert.isNotEmpty(exchange, row)
          if (!spelledDifferently.includes(brand)) assert.deepStrictEqual(local, exchange, row)
          for (const { field: name } of [...local ?? [], ...exchange ?? []]) assert.strictEqual(name, field.name, row)
        }
      }
    })
  }

  for (const dialect of dialects) {
    it(`${dialect.name}: each request requires exactly the fields that its fixture lists`, () => {
      for (const entry of entries) {
        const { endpoint, required } = entry
        const { request, wire } = goldenIn(entry, dialect)
        const { decodeRequest, encodeRequest, shape } = Endpoint.codec(endpoint, dialect)
        for (const name of Object.keys(shape.fields)) {
          const row = `${endpoint.name} ${name}`
          const isRequired = required[name] !== undefined &&
            (required[name] !== "in the document" || dialect === Dialects.document)
          const expected = isRequired ? missing(name) : undefined
          const local = Result.flip(encodeRequest(without(request, name)))
          const exchange = Result.flip(decodeRequest(without(wire.request, shape.keys[name] ?? name)))
          assert.deepStrictEqual(Result.getOrUndefined(local), expected, row)
          assert.deepStrictEqual(Result.getOrUndefined(exchange), expected, row)
        }
      }
    })

    for (const { endpoint, required } of entries) {
      const { decodeRequest, encodeRequest, shape } = Endpoint.codec(endpoint, dialect)
      const always = Object.keys(required).filter((name) => required[name] === "always")
      if (always.length > 0) {
        property(
          `${dialect.name}: ${endpoint.name} is refused if any of ${always.join(", ")} is missing`,
          [anyRequest(endpoint, dialect), fc.constantFrom(...always)],
          (drawn, name) =>
            Effect.sync(() => {
              const wire = Result.getOrThrow(encodeRequest(drawn))
              const local = Result.flip(encodeRequest(without(drawn, name)))
              const exchange = Result.flip(decodeRequest(without(wire, shape.keys[name] ?? name)))
              assert.deepStrictEqual(local, Result.succeed(missing(name)))
              assert.deepStrictEqual(exchange, Result.succeed(missing(name)))
            }),
          { runs: 50 }
        )
      }
    }
  }

  it("the client treats an undefined field as missing", () => {
    for (const field of fields) {
      const { exchange, local } = refusedBySide(field, undefined)
      assert.deepStrictEqual(local, exchange, `${field.entry.endpoint.name} ${field.name}`)
    }
  })

  it("the client refuses NaN, infinities and integers beyond 2^53 with the same violations as the exchange", () => {
    for (const field of fields.filter(({ brand }) => brand === "Limit" || brand === "Offset")) {
      for (const value of [NaN, Infinity, -Infinity, 2 ** 53]) {
        const { exchange, local } = refusedBySide(field, value)
        assert.deepStrictEqual(local, exchange, `${field.entry.endpoint.name} ${field.name} ${value}`)
      }
    }
  })

  it("a request that is not an object is reported as a single violation, in the field `request`", () => {
    for (const dialect of dialects) {
      for (const { endpoint } of entries) {
        for (const wire of [[], null, "x", 1]) {
          assert.deepStrictEqual(
            Endpoint.codec(endpoint, dialect).decodeRequest(wire),
            Result.fail([{ field: "request", constraint: { kind: "type", type: "object" } }])
          )
        }
      }
    }
  })

  it("encoding a request reports all violations in the order of its fields", () => {
    const request = { market: "x", side: "y", amount: "0", price: "1", clientOrderId: "" }
    const { encodeRequest } = Endpoint.codec(entryOf("StopLimitOrders").endpoint, Dialects.live)
    const violations = Result.getOrThrow(Result.flip(encodeRequest(request)))
    assert.deepStrictEqual(violations.map(({ field, constraint }) => [field, constraint.kind]), [
      ["market", "format"],
      ["side", "oneOf"],
      ["amount", "positive"],
      ["activationPrice", "required"],
      ["clientOrderId", "notEmpty"]
    ])
  })

  it("a violated constraint is reported only once per field, even for a list with several invalid elements", () => {
    const stopLimit = Endpoint.codec(entryOf("StopLimitOrders").endpoint, Dialects.live)
    const missing = Result.getOrThrow(Result.flip(stopLimit.decodeRequest({})))
    assert.deepStrictEqual(missing.map(({ field }) => field), ["market", "side", "amount", "price", "activationPrice"])

    const cancelAll = Endpoint.codec(CancelAllOrders.endpoint, Dialects.live)
    const violations = Result.getOrThrow(Result.flip(cancelAll.decodeRequest({ type: ["nope", "spot", "never"] })))
    assert.deepStrictEqual(violations, [
      { field: "type", constraint: { kind: "oneOf", values: ["spot", "margin", "futures"] } }
    ])
  })

  const json = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(fc.oneof(fc.string(), fc.integer(), fc.constantFrom("spot", "margin"))),
    fc.dictionary(fc.string(), fc.string(), { noNullPrototype: true })
  )

  describe("constraints between two fields", () => {
    const both = (entry: Entry, dialect: Dialect, changes: Readonly<Record<string, unknown>>) => {
      const { decodeRequest, encodeRequest, shape } = Endpoint.codec(entry.endpoint, dialect)
      const golden = goldenIn(entry, dialect)
      const request = { ...golden.request, ...changes }
      const wire = Object.entries(changes).map(([name, value]) => [shape.keys[name] ?? name, value] as const)
      const local = Result.getOrUndefined(Result.flip(encodeRequest(request)))
      assert.deepStrictEqual(
        local,
        Result.getOrUndefined(Result.flip(decodeRequest(
          throughJson({ ...golden.wire.request, ...Object.fromEntries(wire) })
        )))
      )
      return local
    }

    for (const dialect of dialects) {
      it(`${dialect.name}: an order can't be both post-only and immediate-or-cancel`, () => {
        for (const entry of [entryOf("LimitOrders"), entryOf("CollateralLimitOrders")]) {
          // Removes other terms that can't be combined with these two flags.
          const terms = { rpi: undefined, bboRole: undefined, price: "1" }
          assert.deepStrictEqual(both(entry, dialect, { ...terms, postOnly: true, ioc: true }), [
            { field: "ioc", constraint: { kind: "exclusive", with: "postOnly" } }
          ])
          assert.isUndefined(both(entry, dialect, { ...terms, postOnly: false, ioc: true }))
          assert.isUndefined(both(entry, dialect, { ...terms, postOnly: true, ioc: false }))
          assert.isUndefined(both(entry, dialect, { ...terms, postOnly: false, ioc: false }))
        }
      })

      it(`${dialect.name}: a cancel request must have exactly one of an order's two identifiers`, () => {
        const required = { field: "orderId", constraint: { kind: "required" } } as const
        assert.isUndefined(both(entryOf("CancelOrder"), dialect, {}))
        assert.isUndefined(both(entryOf("CancelOrder"), dialect, { orderId: undefined, clientOrderId: "mine" }))
        assert.deepStrictEqual(both(entryOf("CancelOrder"), dialect, { orderId: undefined }), [required])
        assert.deepStrictEqual(both(entryOf("CancelOrder"), dialect, { clientOrderId: "mine" }), [
          { field: "orderId", constraint: { kind: "alone", with: dialect.keys.clientOrderId } }
        ])
      })

      it(`${dialect.name}: a transfer must be between two different balances`, () => {
        const different = { field: "to", constraint: { kind: "different", from: "from" } } as const
        for (const balance of ["main", "spot", "collateral"]) {
          assert.deepStrictEqual(both(entryOf("Transfers"), dialect, { from: balance, to: balance }), [different])
        }
      })

      it(`${dialect.name}: a new sub-account needs an email address unless it shares the verification`, () => {
        const required = { field: "email", constraint: { kind: "required" } } as const
        const asked = (changes: object) =>
          both(entryOf("SubAccountCreation"), dialect, { email: undefined, ...changes })
        assert.isUndefined(asked({ shareKyc: true }))
        assert.deepStrictEqual(asked({ shareKyc: false }), [required])
        assert.deepStrictEqual(asked({ shareKyc: undefined }), [required])
        assert.isUndefined(both(entryOf("SubAccountCreation"), dialect, { shareKyc: true }))
      })
    }
  })

  // Roles, modes and order ids have different values on the wire. A value that is invalid in the domain may therefore
  // be valid on the wire.
  const spelledAlike = new Map(
    fields.filter(({ brand }) =>
      !["BboRole", "SelfTradePrevention", "OrderId", "PositionId", "Orders", ...spelledDifferently].includes(brand)
    )
      .map((field) => [`${field.dialect.name}: ${field.entry.endpoint.name} ${field.name}`, field])
  )

  property(
    "the client and the exchange find the same violations for any value of a field",
    [fc.constantFrom(...spelledAlike.keys()), json],
    (name, value) =>
      Effect.sync(() => {
        const field = spelledAlike.get(name)
        assert.isDefined(field)
        // The live exchange accepts a number as a decimal, but the client does not.
        if (typeof value === "number" && field?.brand.startsWith("Loose")) return
        const { exchange, local } = refusedBySide(field, value)
        assert.deepStrictEqual(local, exchange)
      }),
    { runs: 1000 }
  )
})

describe("messages about violations", () => {
  const rows: ReadonlyArray<readonly [constraint: Constraint.Constraint, order: string, account: string]> = [
    [{ kind: "required" }, "Activation price field is required.", "The activation_price field is required."],
    [
      { kind: "type", type: "string" },
      "Activation price field should be a string.",
      "The activation_price must be a string."
    ],
    [
      { kind: "type", type: "integer" },
      "Activation price field should be an integer.",
      "The activation_price must be an integer."
    ],
    [
      { kind: "decimal" },
      "Activation price field should be numeric string.",
      "The activation_price format is invalid."
    ],
    [{ kind: "positive" }, "Activation price should be greater than 0.", "The activation_price format is invalid."],
    [
      { kind: "min", min: 1 },
      "Activation price should be at least 1.",
      "The activation_price must be at least 1."
    ],
    [
      { kind: "max", max: 100 },
      "Activation price should not be greater than 100.",
      "The activation_price may not be greater than 100."
    ],
    [
      { kind: "length", max: 25 },
      "Activation price field may not be greater than 25 characters.",
      "The activation_price may not be greater than 25 characters."
    ],
    [{ kind: "notEmpty" }, "Activation price field should not be empty.", "The activation_price field is required."],
    [{ kind: "format" }, "Activation price field format is invalid.", "The activation_price format is invalid."],
    [
      { kind: "characters", allowed: "latin letters" },
      "Activation price field should contain only latin letters.",
      "The activation_price format is invalid."
    ],
    [
      { kind: "oneOf", values: ["buy", "sell"] },
      "Activation price field should contain only 'buy' or 'sell' values.",
      "The selected activation_price is invalid."
    ],
    [{ kind: "known" }, "Activation price is not available.", "The selected activation_price is invalid."],
    [
      { kind: "unique" },
      "This activation price is already used by the current account.",
      "The activation_price has already been taken."
    ],
    [
      { kind: "precision", step: "0.01" },
      "Min activation price step = 0.01",
      "The activation_price format is invalid."
    ],
    [
      { kind: "step", step: "0.05" },
      "Activation price must be a multiple of 0.05.",
      "The activation_price format is invalid."
    ],
    [
      { kind: "minAmount", min: "0.001" },
      "Given amount is less than min amount 0.001",
      "The activation_price format is invalid."
    ],
    [
      { kind: "minTotal", min: "5" },
      "Total (amount * price) is less than 5",
      "The activation_price format is invalid."
    ],
    [
      { kind: "maxTotal", max: "9" },
      "Total (amount * price) is more than 9",
      "The activation_price format is invalid."
    ],
    [{ kind: "accepted" }, "Activation price field is not accepted.", "The activation_price format is invalid."],
    [
      { kind: "position" },
      "Reduce-only: Position doesn't exist or wrong side",
      "The activation_price format is invalid."
    ],
    [{ kind: "balance" }, "Not enough balance.", "Not enough balance."],
    [
      { kind: "exclusive", with: "postOnly" },
      "Either activation_price or postOnly flag in true state is allowed.",
      "The activation_price format is invalid."
    ],
    [
      { kind: "alone", with: "clientOrderId" },
      "Either activation_price or clientOrderId is allowed.",
      "The activation_price format is invalid."
    ],
    [
      { kind: "different", from: "price" },
      "The activation_price and price must be different.",
      "The activation_price and price must be different."
    ],
    [
      { kind: "maker" },
      "This order couldn't be executed as a maker order and was canceled.",
      "The activation_price format is invalid."
    ],
    [
      { kind: "inapplicable" },
      "Activation price cannot be specified for this order type",
      "The activation_price format is invalid."
    ],
    [
      { kind: "elements", max: 20 },
      "Activation price field should have no more than 20 elements.",
      "The activation_price format is invalid."
    ],
    [{ kind: "existing" }, "Order does not exist or already cancelled", "The activation_price format is invalid."],
    [{ kind: "aboveFilled" }, "Wrong order deal size.", "The activation_price format is invalid."],
    [{ kind: "ended" }, "OrderHistory was not found.", "The activation_price format is invalid."],
    [{ kind: "modifiable" }, "Can't modify conditional order.", "The activation_price format is invalid."],
    [{ kind: "open" }, "Unexecuted order was not found.", "The activation_price format is invalid."],
    // These constraints can't be violated in order calls.
    ...([
      [{ kind: "unused" }, "The activation_price has already been applied."],
      [{ kind: "notOwn" }, "This activation_price was created by you."],
      [{ kind: "transferable", needs: "permission" }, "Not permitted for sub-account"],
      [{ kind: "transferable", needs: "deposits" }, "Deposit to this currency is disabled"],
      [{ kind: "transferable", needs: "withdrawals" }, "Withdraw from this currency is disabled"],
      [{ kind: "empty" }, "The selected activation_price still holds funds."]
    ] as const).map(([constraint, words]) => [constraint, words, words] as const)
  ]

  it("every constraint has a message in both error families", () => {
    for (const [constraint, order, account] of rows) {
      assert.strictEqual(Violation.words("order", "activation_price", constraint), order)
      assert.strictEqual(Violation.words("account", "activation_price", constraint), account)
    }
  })

  it("messages contain the field's wire name", () => {
    assert.strictEqual(
      Violation.words("order", "client_order_id", { kind: "notEmpty" }),
      "Client order id field should not be empty."
    )
    assert.strictEqual(Violation.words("account", "planId", { kind: "known" }), "The selected planId is invalid.")
  })
})

describe("Violation.toErrors", () => {
  const violations = [
    { field: "activationPrice", constraint: { kind: "required" } },
    { field: "amount", constraint: { kind: "precision", step: "0.1" } },
    { field: "amount", constraint: { kind: "minAmount", min: "1" } }
  ] as const
  const { keys } = Endpoint.codec(entryOf("StopLimitOrders").endpoint, Dialects.document).shape

  it("toErrors groups an exchange's messages by wire name, and includes all messages about a field", () => {
    assert.deepStrictEqual(Violation.toErrors(violations, "order", (field) => keys[field] ?? field), {
      activation_price: ["Activation price field is required."],
      amount: ["Min amount step = 0.1", "Given amount is less than min amount 1"]
    })
  })

  it("toErrors groups a client's messages by domain name, with the same wording", () => {
    assert.deepStrictEqual(Violation.toErrors(violations, "order", (field) => keys[field] ?? field, (field) => field), {
      activationPrice: ["Activation price field is required."],
      amount: ["Min amount step = 0.1", "Given amount is less than min amount 1"]
    })
  })
})

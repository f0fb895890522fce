import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import type { Constraint } from "../../src/domain/Constraint.ts"
import * as Decimal from "../../src/domain/Decimal.ts"
import * as Identifiers from "../../src/domain/Identifiers.ts"
import * as Market from "../../src/domain/Market.ts"
import { amount, feeRate, price } from "../support/arbitraries.ts"
import { bordered } from "../support/borders.ts"
import { property } from "../support/property.ts"
import * as Fraction from "./fraction.ts"

const market: Market.Market = {
  name: Identifiers.marketName("BTC_USDT"),
  stock: Identifiers.ticker("BTC"),
  money: Identifiers.ticker("USDT"),
  stockPrecision: 3,
  moneyPrecision: 2,
  feePrecision: 4,
  makerFee: Decimal.of("0.1"),
  takerFee: Decimal.of("0.1"),
  minAmount: Decimal.of("0.01"),
  minTotal: Decimal.of("5"),
  maxTotal: Decimal.of("1000"),
  tradesEnabled: true,
  isCollateral: true,
  type: "spot"
}

const order = (amount: Decimal.Amount, price: Decimal.Price): Market.Bounded => ({
  market: market.name,
  collateral: false,
  amount,
  prices: { price },
  tradesAt: ["price"]
})

const known = [["market", { kind: "known" }]] as const

describe("Market.violations", () => {
  const { amount, price } = Decimal
  const rows: ReadonlyArray<
    readonly [string, Partial<Market.Market>, Market.Bounded, ReadonlyArray<readonly [string, Constraint]>]
  > = [
    ["an order within all bounds breaks no constraint", {}, order(amount("0.5"), price("100")), []],
    [
      "an order exactly on the market's bounds breaks no constraint",
      { minAmount: Decimal.of("0.05") },
      order(amount("0.050"), price("100.00")),
      []
    ],
    ["trailing zeros are not counted in the precision", {}, order(amount("0.5000000"), price("100.0000")), []],
    ["an amount can't be finer than stockPrec", {}, order(amount("0.5001"), price("100")), [
      ["amount", { kind: "step", step: "0.001" }]
    ]],
    ["an amount can't have a fraction if stockPrec is 0", { stockPrecision: 0 }, order(amount("1.5"), price("100")), [
      ["amount", { kind: "step", step: "1" }]
    ]],
    ["an amount may be a multiple of stepSize", { stepSize: amount("0.004") }, order(amount("0.5"), price("100")), []],
    [
      "a price must be a multiple of tickSize, even within moneyPrec",
      { tickSize: price("0.05") },
      order(amount("0.5"), price("100.02")),
      [
        ["price", { kind: "step", step: "0.05" }]
      ]
    ],
    [
      "an amount must be a multiple of stepSize, even within stockPrec",
      { stepSize: amount("0.003") },
      order(amount("0.5"), price("100")),
      [
        ["amount", { kind: "step", step: "0.003" }]
      ]
    ],
    [
      "an amount must be a multiple of a thousand if stockPrec is -3",
      { stockPrecision: -3, maxTotal: Decimal.of("0") },
      order(amount("2500"), price("100")),
      [
        ["amount", { kind: "step", step: "1000" }]
      ]
    ],
    [
      "an amount may be a multiple of a thousand if stockPrec is -3",
      { stockPrecision: -3, maxTotal: Decimal.of("0") },
      order(amount("3000.0"), price("100")),
      []
    ],
    ["a quote amount need not be a multiple of tickSize", { tickSize: price("0.5") }, {
      ...order(amount("20.01"), price("100")),
      quoteAmount: true,
      tradesAt: []
    }, []],
    ["a quote amount can't be finer than moneyPrec", {}, {
      ...order(amount("20.001"), price("100")),
      quoteAmount: true,
      tradesAt: []
    }, [["amount", { kind: "precision", step: "0.01" }]]],
    ["an amount can't be below minAmount", {}, order(amount("0.009"), price("1000")), [
      ["amount", { kind: "minAmount", min: Decimal.of("0.01") }]
    ]],
    ["a price can't be finer than moneyPrec", {}, order(amount("0.5"), price("100.001")), [
      ["price", { kind: "step", step: "0.01" }]
    ]],
    ["a total below minTotal breaks minTotal", {}, order(amount("0.049"), price("102.04")), [
      ["amount", { kind: "minTotal", min: Decimal.of("5") }]
    ]],
    ["a total above maxTotal breaks maxTotal", {}, order(amount("10"), price("100.01")), [
      ["amount", { kind: "maxTotal", max: Decimal.of("1000") }]
    ]],
    ["a maxTotal of zero means no maximum", { maxTotal: Decimal.of("0.00") }, order(amount("9999"), price("9999")), []],
    [
      "an order on a market with trading disabled breaks only the constraint `known`",
      { tradesEnabled: false },
      order(amount("9"), price("0.001")),
      known
    ],
    ["a spot order does not need a margin market", { isCollateral: false }, order(amount("0.5"), price("100")), []],
    ["a collateral order needs a margin market", { isCollateral: false }, {
      ...order(amount("0.5"), price("100")),
      collateral: true
    }, known],
    ["an order may break several constraints, which are listed by field", {}, order(amount("0.0001"), price("0.001")), [
      ["amount", { kind: "step", step: "0.001" }],
      ["amount", { kind: "minAmount", min: Decimal.of("0.01") }],
      ["price", { kind: "step", step: "0.01" }],
      ["amount", { kind: "minTotal", min: Decimal.of("5") }]
    ]]
  ]

  for (const [name, bounds, bounded, expected] of rows) {
    it(name, () => {
      assert.deepStrictEqual(Market.violations({ ...market, ...bounds }, bounded), expected)
    })
  }

  it("an order on an unknown market violates the constraint `known`", () => {
    assert.deepStrictEqual(Market.violations(undefined, order(amount("0.5"), price("100"))), known)
  })
})

describe("market limits for each order type", () => {
  const { amount, price } = Decimal
  const request = {
    market: market.name,
    amount: amount("1"),
    price: price("100"),
    activationPrice: price("0.01"),
    stopLimitPrice: price("1000.01")
  }

  it("a stop-limit order's prices must fit the market's precision, and its total at the limit price minTotal", () => {
    assert.deepStrictEqual(Market.violations(market, Market.stopLimit(request)), [])
    assert.deepStrictEqual(
      Market.violations(market, Market.stopLimit({ ...request, activationPrice: price("0.001") })),
      [["activationPrice", { kind: "step", step: "0.01" }]]
    )
    assert.deepStrictEqual(Market.violations(market, Market.stopLimit({ ...request, price: price("4") })), [
      ["amount", { kind: "minTotal", min: Decimal.of("5") }]
    ])
  })

  it("an OCO order needs a margin market, and both of its legs must respect the maximum total", () => {
    const bounded = Market.collateralOco(request)
    assert.deepStrictEqual(Market.violations({ ...market, isCollateral: false }, bounded), known)
    assert.deepStrictEqual(Market.violations(market, bounded), [
      ["amount", { kind: "maxTotal", max: Decimal.of("1000") }]
    ])
    assert.deepStrictEqual(
      Market.violations(market, Market.collateralOco({ ...request, stopLimitPrice: price("999.001") })),
      [["stopLimitPrice", { kind: "step", step: "0.01" }]]
    )
  })
})

describe("violations compared with a fraction model", () => {
  const fitsIn = (text: string, digits: number) =>
    Fraction.isWholeNumberOf(Fraction.read(text), { n: 1n, d: 10n ** BigInt(digits) })
  const isLess = (a: Fraction.Fraction, b: string) => Fraction.compare(a, Fraction.read(b)) < 0
  const isMore = (a: Fraction.Fraction, b: string) => Fraction.compare(a, Fraction.read(b)) > 0

  const modelled = (market: Market.Market, amount: string, price: string, stop: string): ReadonlyArray<string> => {
    if (!market.tradesEnabled) return ["market known"]
    const totals = [price, stop].map((at) => Fraction.multiply(Fraction.read(amount), Fraction.read(at)))
    return [
      ...(fitsIn(amount, market.stockPrecision) ? [] : ["amount step"]),
      ...(isLess(Fraction.read(amount), market.minAmount) ? ["amount minAmount"] : []),
      ...(fitsIn(price, market.moneyPrecision) ? [] : ["price step"]),
      ...(fitsIn(stop, market.moneyPrecision) ? [] : ["stop step"]),
      ...(totals.some((total) => isLess(total, market.minTotal)) ? ["amount minTotal"] : []),
      ...(isMore(Fraction.read(market.maxTotal), "0") && totals.some((total) => isMore(total, market.maxTotal))
        ? ["amount maxTotal"]
        : [])
    ]
  }

  const bounds = fc.record({
    stockPrecision: bordered({ max: 8 }),
    moneyPrecision: bordered({ max: 8 }),
    // A market's limits are zero or greater, like a FeeRate.
    minAmount: feeRate,
    minTotal: feeRate,
    maxTotal: feeRate,
    tradesEnabled: fc.constantFrom(true, true, true, false)
  })

  property(
    "`violations` returns the same fields and constraints as the fraction model, in the same order",
    [bounds, amount, price, price],
    (bounds, amount, a, b) =>
      Effect.sync(() => {
        const bounded = { ...order(amount, a), prices: { price: a, stop: b }, tradesAt: ["price", "stop"] }
        const found = Market.violations({ ...market, ...bounds }, bounded).map(([field, { kind }]) =>
          `${field} ${kind}`
        )
        assert.deepStrictEqual(found, modelled({ ...market, ...bounds }, amount, a, b))
      }),
    { runs: 1000 }
  )
})

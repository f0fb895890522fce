/**
 * Compares the margin formulas with values that clients of the live exchange have captured and published. The sandbox's
 * page `margin-policy.md` lists the captured values that the formulas do not reproduce.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Decimal from "../../src/domain/Decimal.ts"
import { marketName } from "../../src/domain/Identifiers.ts"
import * as Margin from "../../src/domain/Margin.ts"

const perp = marketName("BTC_PERP")
const spot = marketName("BTC_USDT")

const usdt = (amount: string): Margin.Asset => ({
  amount: Decimal.Decimal.make(amount),
  price: Decimal.of("1"),
  weight: Decimal.of("1")
})

const position = (amount: string, basePrice: string, markPrice: string, more: Partial<Margin.Position> = {}) => ({
  market: perp,
  amount: Decimal.Decimal.make(amount),
  basePrice: Decimal.Decimal.make(basePrice),
  markPrice: Decimal.Decimal.make(markPrice),
  ...more
})

const account = (
  leverage: number,
  collateral: string,
  positions: ReadonlyArray<Margin.Position>,
  more: Partial<Margin.Account> = {}
): Margin.Account => ({ leverage, assets: [usdt(collateral)], positions, ...more })

describe("values captured from the live exchange", () => {
  it.each([
    ["9817.676478608323", "3880.64387", "4802.45674", "0", "10739.489348608323"],
    ["1760331.93", "371610.399413175322", "-13602.89006587661", "0", "1375118.640520948068"],
    ["130970.8947456254113367", "456.58349", "-832.9535", "0.0292207414003268", "129681.3285348840110099"]
  ])(
    "free margin is equity - margin + pnl - unrealized funding: %s",
    (equity, margin, pnl, unrealizedFunding, free) => {
      // A position of 1 at 1000000 with this profit, and orders that use the rest of the margin.
      const price = 1_000_000n * 10n ** 18n + (Decimal.toUnits(Decimal.Decimal.make(pnl), 18) ?? 0n)
      const markPrice = Decimal.fromUnits(price, 18)
      const open = position("1", "1000000", markPrice._tag === "Success" ? markPrice.success : assert.fail(pnl))
      const own = Margin.initialMargin({ leverage: 100 }, open)
      const orders = Decimal.subtract(Decimal.Decimal.make(margin), own)
      const summary = Margin.summary(account(100, equity, [open], {
        orderMargin: orders._tag === "Success" ? orders.success : assert.fail(margin),
        unrealizedFunding: Decimal.Decimal.make(unrealizedFunding)
      }))
      // Each value has at most sixteen decimal places, so no digit is lost.
      assert.deepStrictEqual(
        [summary.equity, summary.margin, summary.pnl, summary.freeMargin],
        [equity, margin, pnl, free].map((text) => Decimal.normalize(Decimal.Decimal.make(text)))
      )
    }
  )

  it("the margin fractions of a summary from January 2026 follow from its equity, profit and margin", () => {
    // Positions worth 294032.19 with a profit of 4802.45674. Their brackets result in a margin of 3880.64387.
    const [value, equity, pnl, margin] = [294032.19, 9817.6764786083, 4802.45674, 3880.64387]
    assert.closeTo((equity + pnl) / value, 0.0497228995828862, 1e-9)
    assert.closeTo(margin / 2 / value, 0.0065990118926067, 1e-9)
    const open = position("1", "289229.73326", "294032.19", { brackets: [{ leverage: 100 }] })
    const summary = Margin.summary(account(100, "9817.676478608323", [open]))
    assert.closeTo(Number(summary.marginFraction), 0.0497228995828862, 1e-9)
    assert.strictEqual(summary.maintenanceMarginFraction, "0.005")
  })

  it.each([
    // From ccxt, March 2025: a perpetual position at leverage 20, shown with one decimal place.
    ["0.001", "82498.7", "82498.7", 20, 1, "4.2"],
    // From the documentation's example of a margin call (January 2025): a short position at leverage 10.
    ["-0.094048", "105688.56", "118000.15", 10, 2, "1109.77"]
  ])(
    "the margin of %s at %s is the position's current value divided by the leverage, rounded up",
    (amount, base, mark, leverage, digits, expected) => {
      const margin = Margin.initialMargin({ leverage }, position(amount, base, mark))
      assert.strictEqual(Decimal.ceil(margin, digits), expected)
    }
  )

  it.each([["100", "16558.51997", "-11629.86", "-0.7"], ["0.003075", "24149.24512", "-0.15", "-0.2"]])(
    "the profit percentage is relative to the cost: %s at %s",
    (amount, basePrice, pnl, expected) => {
      const percent = Margin.pnlPercent(Decimal.Decimal.make(pnl), position(amount, basePrice, "1"))
      assert.strictEqual(percent, expected)
    }
  )

  it("at the liquidation price of a long perpetual from March 2025, equity plus profit equals half the initial margin", () => {
    const price = Margin.liquidationPrice(account(20, "14.0759300", [position("0.001", "82498.7", "82498.7")]), perp)
    assert.strictEqual(price === undefined ? "" : Decimal.floor(price, 1), "70177.2")
  })

  it.each([
    ["0.00017674", "-0.019", "50938.2", "0.171053531892"],
    ["-0.000177877800093587", "0.001", "30918.9", "0.0054997859133136"]
  ])("the funding payment for the rate %s on %s at %s matches a captured payment", (rate, amount, price, expected) => {
    const paid = Margin.fundingAmount(
      Decimal.Decimal.make(rate),
      Decimal.Decimal.make(amount),
      Decimal.Decimal.make(price)
    )
    assert.strictEqual(Decimal.floor(paid, 16), expected)
  })

  it("the documentation's ADL price example gives 42798 for a price of 42000, a margin fraction of 2 % and a fee of 0.05 %", () => {
    const price = Margin.adlPrice(Decimal.price("42000"), "SHORT", Decimal.of("0.02"), Decimal.of("0.0005"))
    assert.strictEqual(price, "42798")
  })

  it("the ADL grade rises at 50, 73, 87 and 95 % of the positions", () => {
    const grades = Array.from({ length: 100 }, (_, index) => Margin.adlGrade(index, 100))
    const counts = [0, 1, 2, 3, 4].map((grade) => grades.filter((each) => each === grade).length)
    assert.deepStrictEqual(counts, [50, 23, 14, 8, 5])
  })
})

describe("leverage brackets", () => {
  const brackets = [
    { leverage: 100, upTo: Decimal.of("50000") },
    { leverage: 50, upTo: Decimal.of("250000") },
    { leverage: 20 }
  ]
  const marginOf = (amount: string, leverage: number, bracketSpan: "whole" | "marginal") =>
    Margin.initialMargin({ leverage, rules: { bracketSpan } }, position(amount, "50000", "50000", { brackets }))

  it("an entire position has the leverage of the bracket that its cost falls into", () => {
    assert.deepStrictEqual(
      ["1", "2", "10"].map((amount) => marginOf(amount, 100, "whole")),
      ["500", "2000", "25000"]
    )
  })

  it("with marginal brackets, each part of the cost has the leverage of its own bracket", () => {
    assert.deepStrictEqual(
      ["1", "2", "10"].map((amount) => marginOf(amount, 100, "marginal")),
      // The first 50000 have a leverage of 100, the next 200000 of 50, and the rest of 20.
      ["500", "1500", "17000"]
    )
  })

  it("no bracket raises the leverage above the account's", () => {
    assert.deepStrictEqual(
      ["1", "2", "10"].map((amount) => marginOf(amount, 10, "marginal")),
      ["5000", "10000", "50000"]
    )
  })
})

describe("liquidation prices", () => {
  const fill = (amount: string, price: string, more: Partial<Margin.Fill> = {}): Margin.Fill => ({
    market: perp,
    amount: Decimal.Decimal.make(amount),
    price: Decimal.Price.make(price),
    fee: Decimal.zero,
    ...more
  })

  it("a risk system can compute the liquidation price before its order fills", () => {
    const before = account(10, "1000", [])
    assert.isUndefined(Margin.liquidationPrice(before, perp))
    const after = Margin.afterFill(before, fill("0.1", "50000"))
    const price = Margin.liquidationPrice(after, perp)
    // Solves 1000 + 0.1 × (P - 50000) = 0.1 × P / 20 for P.
    assert.strictEqual(price === undefined ? "" : Decimal.ceil(price, 2), "42105.27")
    const closed = Margin.afterFill(after, fill("-0.1", "45000"))
    assert.deepStrictEqual([closed.positions.length, Margin.summary(closed).equity], [0, "500"])
  })

  it("equity plus profit falls to the maintenance margin at the liquidation price, and is above it just before", () => {
    for (const [amount, collateral] of [["0.3", "4000"], ["-0.3", "4000"], ["-2", "70000"]] as const) {
      const own = account(10, collateral, [position(amount, "50000", "50000")])
      const price = Margin.liquidationPrice(own, perp) ?? assert.fail("has a price")
      const at = (markPrice: Decimal.Decimal) => {
        const moved = position(amount, "50000", markPrice)
        const { equity, pnl } = Margin.summary({ ...own, positions: [moved] })
        const worth = Decimal.add(equity, pnl)
        return worth._tag === "Success"
          ? Decimal.Order(worth.success, Margin.maintenanceMargin(own, moved))
          : assert.fail("too long")
      }
      const further = (digits: string) =>
        Decimal.parse(digits)._tag === "Success" ? Decimal.Decimal.make(digits) : assert.fail(digits)
      assert.isAtMost(at(price), 0)
      const [whole = ""] = price.split(".")
      const inside = amount.startsWith("-") ? BigInt(whole) - 1n : BigInt(whole) + 1n
      assert.isAbove(at(further(inside.toString())), 0)
    }
  })

  it("collateral that follows the market loses value along with the position", () => {
    const bitcoin: Margin.Asset = {
      amount: Decimal.of("0.1"),
      price: Decimal.of("50000"),
      weight: Decimal.of("0.95"),
      follows: perp
    }
    const long = { ...account(10, "0", [position("0.1", "50000", "50000")]), assets: [usdt("0"), bitcoin] }
    const price = Margin.liquidationPrice(long, perp)
    // Solves 0.095 × P + 0.1 × (P - 50000) = 0.1 × P / 20 for P.
    assert.strictEqual(price === undefined ? "" : Decimal.ceil(price, 2), "26315.79")
  })

  it("a position covered by its collateral at every price is never liquidated", () => {
    assert.isUndefined(Margin.liquidationPrice(account(1, "60000", [position("1", "50000", "50000")]), perp))
  })

  it("a hedged position has no liquidation price if the collateral covers it at every price", () => {
    const sides = [
      position("1", "50000", "50000", { side: "LONG" }),
      position("-0.9", "50000", "50000", { side: "SHORT" })
    ]
    const hedged = Margin.liquidationPrice(account(10, "9000", sides), perp)
    // No positive P solves 9000 + 0.1 × (P - 50000) = 1.9 × P / 20.
    assert.strictEqual(hedged, undefined)
  })

  it("a fill that flips a position opens the remainder at the fill price, and pays the full fee", () => {
    const long = account(10, "1000", [position("1", "100", "110")])
    const { assets: [quote], positions: [open] } = Margin.afterFill(
      long,
      fill("-3", "120", { fee: Decimal.of("0.001") })
    )
    assert.deepStrictEqual([quote?.amount, open?.amount, open?.basePrice, open?.markPrice], [
      "1019.64",
      "-2",
      "120",
      "110"
    ])
  })

  it("a fill on another market leaves a position unchanged", () => {
    const both = Margin.afterFill(account(10, "1000", [position("1", "100", "110")]), fill("1", "50", { market: spot }))
    assert.deepStrictEqual(both.positions.map(({ amount, market }) => `${amount} ${market}`), [
      "1 BTC_PERP",
      "1 BTC_USDT"
    ])
  })
})

describe("funding rates", () => {
  const terms = {
    intervalMinutes: 480,
    cap: Decimal.of("0.00375"),
    floor: Decimal.of("-0.00375"),
    clamp: Decimal.of("0.0005")
  }

  it.each([
    ["0", 480, "0.0001"],
    ["0", 240, "0.00005"],
    ["0.0001", 480, "0.0001"],
    ["0.001", 480, "0.0005"],
    ["-0.001", 480, "-0.0005"],
    ["0.1", 480, "0.00375"],
    ["-0.1", 480, "-0.00375"]
  ])("a premium of %s over %s minutes gives a funding rate of %s", (premium, intervalMinutes, expected) => {
    assert.strictEqual(Margin.fundingRate(Decimal.Decimal.make(premium), { ...terms, intervalMinutes }), expected)
  })

  it("longs pay what shorts receive, except for the last digit, which is rounded against both", () => {
    const amounts = ["0.333", "-0.333"].map((amount) =>
      Margin.fundingAmount(Decimal.of("0.000000000000000007"), Decimal.Decimal.make(amount), Decimal.of("0.7"))
    )
    assert.deepStrictEqual(amounts, ["-0.000000000000000002", "0.000000000000000001"])
  })
})

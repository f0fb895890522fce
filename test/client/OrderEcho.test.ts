/**
 * A response that does not match the sent order leaves the order's outcome unknown, because the response may belong to
 * another call.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as OrderEcho from "../../src/client/OrderEcho.ts"
import * as Decimal from "../../src/domain/Decimal.ts"
import { CollateralLimitOrders } from "../../src/endpoints/CollateralLimitOrders.ts"
import { CollateralMarketOrders } from "../../src/endpoints/CollateralMarketOrders.ts"
import { CollateralOcoOrders } from "../../src/endpoints/CollateralOcoOrders.ts"
import { CollateralStopLimitOrders } from "../../src/endpoints/CollateralStopLimitOrders.ts"
import { CollateralTriggerMarketOrders } from "../../src/endpoints/CollateralTriggerMarketOrders.ts"
import { LimitOrders } from "../../src/endpoints/LimitOrders.ts"
import { MarketOrders } from "../../src/endpoints/MarketOrders.ts"
import { StockMarketOrders } from "../../src/endpoints/StockMarketOrders.ts"
import { StopLimitOrders } from "../../src/endpoints/StopLimitOrders.ts"
import { StopMarketOrders } from "../../src/endpoints/StopMarketOrders.ts"
import { type Dialect, live } from "../../src/protocol/Dialect.ts"
import * as Json from "../../src/protocol/Json.ts"
import { entries } from "../endpoints/fixtures/all.ts"
import { bordered } from "../support/borders.ts"
import { answered, btcUsdt, dialects } from "../support/exchange.ts"
import { failsWith } from "../support/fails.ts"
import { fieldsOf, type Sent } from "../support/http.ts"
import { property } from "../support/property.ts"

interface Asked {
  readonly side: "buy" | "sell"
  readonly amount: Decimal.Amount
  readonly reduceOnly?: boolean
}

const terms = ({ amount, side }: Asked) => ({ market: btcUsdt, side, amount })
const price = Decimal.price("40000")
const stopPrices = { price, activationPrice: price }
const prices = { ...stopPrices, stopLimitPrice: price }
const reducing = ({ reduceOnly }: Asked) => reduceOnly === undefined ? {} : { reduceOnly }

const spot = {
  LimitOrders: (asked: Asked) => LimitOrders.use((orders) => orders.create({ ...terms(asked), price })),
  StopLimitOrders: (asked: Asked) =>
    StopLimitOrders.use((orders) => orders.create({ ...terms(asked), price, activationPrice: price }))
}
const reducible = {
  CollateralLimitOrders: (asked: Asked) =>
    CollateralLimitOrders.use((orders) => orders.create({ ...terms(asked), price, ...reducing(asked) })),
  CollateralOcoOrders: (asked: Asked) =>
    CollateralOcoOrders.use((orders) => orders.create({ ...terms(asked), ...prices, ...reducing(asked) })),
  CollateralStopLimitOrders: (asked: Asked) =>
    CollateralStopLimitOrders.use((orders) => orders.create({ ...terms(asked), ...stopPrices, ...reducing(asked) }))
}
const taking = {
  MarketOrders: (asked: Asked) => MarketOrders.use((orders) => orders.create(terms(asked))),
  StockMarketOrders: (asked: Asked) => StockMarketOrders.use((orders) => orders.create(terms(asked))),
  CollateralMarketOrders: (asked: Asked) => CollateralMarketOrders.use((orders) => orders.create(terms(asked))),
  StopMarketOrders: (asked: Asked) =>
    StopMarketOrders.use((orders) => orders.create({ ...terms(asked), activationPrice: price })),
  CollateralTriggerMarketOrders: (asked: Asked) =>
    CollateralTriggerMarketOrders.use((orders) => orders.create({ ...terms(asked), activationPrice: price }))
}
const calls = { ...spot, ...reducible, ...taking }
type Name = keyof typeof calls
const allNames = Object.keys(calls) as ReadonlyArray<Name>

const legNames = ["stop_loss", "take_profit"]

type Change = Readonly<Record<string, unknown>>

/**
 * Returns the golden response with the fields of the sent order, and applies `change` to the leg at index `changed`.
 */
const answerTo = (dialect: Dialect, sent: Sent, changed: number, change: Change): Change => {
  const { golden } = entries.find(({ endpoint }) => endpoint.path === sent.path) ?? assert.fail(sent.path)
  const { response } = golden.wire[dialect.name]
  const {
    activation_price,
    amount,
    client_order_id,
    clientOrderId,
    market,
    price,
    reduceOnly,
    side,
    stop_limit_price
  } = fieldsOf(sent)
  // An OCO response echoes the client order id only in the document's dialect.
  const isPair = "stop_loss" in (response as Change)
  const id = dialect.name === "document" ? { client_order_id } : { clientOrderId: isPair ? "" : clientOrderId }
  const leg = (of: unknown, at: number) => ({
    ...of as Change,
    ...id,
    amount,
    market,
    side,
    ...("reduceOnly" in (of as Change) ? { reduceOnly: reduceOnly ?? false } : {}),
    ...("activation_price" in (of as Change) ? { activation_price } : {}),
    ...(price === undefined ? {} : { price: isPair && at === 0 ? stop_limit_price : price }),
    ...(at === changed || changed === legNames.length ? change : {})
  })
  const whole = response as Change
  return "stop_loss" in whole
    ? { ...whole, ...Object.fromEntries(legNames.map((name, at) => [name, leg(whole[name], at)])) }
    : leg(whole, changed)
}

const made = (dialect: Dialect, name: Name, asked: Asked, changed: number, change: Change) => {
  const call = calls[name](asked) as ReturnType<typeof calls.LimitOrders>
  return call.pipe(
    Effect.provide(answered((sent) => new Response(Json.stringify(answerTo(dialect, sent, changed, change))), dialect))
  )
}

const contradicts = (dialect: Dialect, name: Name, asked: Asked, changed: number, change: Change, problem: string) =>
  Effect.gen(function*() {
    const error = yield* failsWith("OutcomeUnknown")(made(dialect, name, asked, changed, change))
    assert.deepStrictEqual([error.outcome, error.why, error.status], ["unknown", "contradictory-answer", 200])
    assert.deepStrictEqual([error.market, typeof error.clientOrderId], [btcUsdt, "string"])
    assert.include(error.reason, problem)
  })

const agrees = made

const names = <T extends object>(of: T) => fc.constantFrom(...Object.keys(of) as Array<Name>)
const anyDialect = fc.constantFrom(...dialects.map((dialect) => ({ ...dialect, toString: () => dialect.name })))
const anyLeg = fc.nat(legNames.length)
const digits = bordered({ min: 2, max: 10 ** 9 }, 10, 10 ** 8)
const scales = bordered({ max: 8 })

/** Returns the amount `units` × 10^-`scale`. */
const decimal = (units: number, scale: number): Decimal.Amount => {
  const text = units.toString().padStart(scale + 1, "0")
  const at = text.length - scale
  return Decimal.Amount.make(scale === 0 ? text : `${text.slice(0, at)}.${text.slice(at)}`)
}

const sides = fc.constantFrom("buy" as const, "sell" as const)

describe("responses to created orders", () => {
  property(
    "a response with a different market in any leg leaves the outcome unknown",
    [anyDialect, names(calls), sides, anyLeg],
    (dialect, name, side, leg) =>
      contradicts(dialect, name, { side, amount: decimal(5, 2) }, leg, { market: "ETH_USDT" }, "ETH_USDT")
  )

  property(
    "a response with the opposite or an unknown side leaves the outcome unknown",
    [anyDialect, names(calls), sides, anyLeg, fc.boolean()],
    (dialect, name, side, leg, known) => {
      const other = known ? side === "buy" ? "sell" : "buy" : "short"
      return contradicts(dialect, name, { side, amount: decimal(5, 2) }, leg, { side: other }, other)
    }
  )

  property(
    "a response with a greater amount than the request leaves the outcome unknown",
    [anyDialect, names(calls), sides, anyLeg, digits, scales, digits, fc.boolean()],
    (dialect, name, side, leg, units, scale, more, reduceOnly) =>
      contradicts(
        dialect,
        name,
        { side, amount: decimal(units, scale), reduceOnly },
        leg,
        { amount: decimal(units + more, scale), deal_stock: "0", dealStock: "0" },
        "amount"
      )
  )

  property(
    "a response with a smaller amount than the request, or with a zero or negative amount, leaves the outcome unknown",
    [
      anyDialect,
      names({ ...spot, ...reducible }),
      sides,
      anyLeg,
      digits,
      scales,
      fc.double({ min: 0, max: 1, noNaN: true })
    ],
    (dialect, name, side, leg, units, scale, part) => {
      const less = Math.min(units - 1, Math.floor(units * part))
      // The last digit is never 0, because a response may truncate an amount to fewer digits.
      const amount = less === 0 ? "0" : decimal(less, scale).replace(/0$/u, "1")
      if (Decimal.Equivalence(Decimal.Decimal.make(amount), decimal(units, scale))) return Effect.void
      return Effect.andThen(
        contradicts(dialect, name, { side, amount: decimal(units, scale) }, leg, { amount }, "amount"),
        contradicts(dialect, name, { side, amount: decimal(units, scale) }, leg, { amount: `-${amount}` }, "amount")
      )
    }
  )

  property(
    "an order succeeds when the response writes its amount with more trailing zeros",
    [anyDialect, names(calls), sides, anyLeg, digits, scales, fc.integer({ min: 1, max: 5 })],
    (dialect, name, side, leg, units, scale, zeros) => {
      const amount = decimal(units, scale)
      const written = `${amount}${amount.includes(".") ? "" : "."}${"0".repeat(zeros)}`
      return agrees(dialect, name, { side, amount }, leg, { amount: written })
    }
  )

  property(
    "an order succeeds when the response truncates its amount to the market's precision",
    [anyDialect, names(calls), sides, anyLeg, digits, fc.integer({ min: 1, max: 999 })],
    (dialect, name, side, leg, units, rest) =>
      agrees(dialect, name, { side, amount: decimal(units * 1000 + rest, 6) }, leg, { amount: decimal(units, 3) })
  )

  property(
    "a reduce-only order succeeds when the response has a smaller amount than the request",
    [anyDialect, names(reducible), sides, anyLeg, digits, scales, fc.double({ min: 0, max: 1, noNaN: true })],
    (dialect, name, side, leg, units, scale, part) =>
      agrees(
        dialect,
        name,
        { side, amount: decimal(units, scale), reduceOnly: true },
        leg,
        { amount: decimal(Math.max(1, Math.floor(units * part)), scale) }
      )
  )

  property(
    "a market order on margin succeeds when the response has a smaller amount than the request",
    [anyDialect, names(taking), sides, digits, scales, fc.double({ min: 0, max: 1, noNaN: true })],
    (dialect, name, side, units, scale, part) =>
      agrees(
        dialect,
        name,
        { side, amount: decimal(units, scale) },
        0,
        { amount: decimal(Math.max(1, Math.floor(units * part)), scale) }
      )
  )

  it.effect("a market buy succeeds when the response has the bought amount instead of the spent amount", () =>
    Effect.forEach(dialects, (dialect) =>
      agrees(dialect, "MarketOrders", { side: "buy", amount: decimal(5, 0) }, 0, {
        amount: "700",
        deal_stock: "700.0",
        dealStock: "700.0"
      })))

  /** A value that contradicts the request, its key in each dialect, and the calls to which it applies. */
  const others: ReadonlyArray<readonly [keys: ReadonlyArray<string>, value: unknown, of: ReadonlyArray<Name>]> = [
    [["client_order_id", "clientOrderId"], "someone-else", allNames],
    [["type"], "stop limit", allNames.filter((name) => !name.includes("Stop") && !name.includes("Oco"))],
    [["type"], "market", allNames.filter((name) => !name.endsWith("MarketOrders") || name.includes("Stop"))],
    [["price"], "1", [...Object.keys(spot), ...Object.keys(reducible)] as Array<Name>],
    [
      ["activation_price"],
      "1",
      ["StopLimitOrders", "CollateralStopLimitOrders", "StopMarketOrders", "CollateralTriggerMarketOrders"]
    ],
    [["reduceOnly"], true, ["CollateralLimitOrders", "CollateralStopLimitOrders"]]
  ]
  for (const [keys, value, of] of others) {
    it.effect.each(of)(
      `a response to %s with ${keys[0]} ${String(value)} leaves the outcome unknown`,
      (name) =>
        Effect.forEach(dialects, (dialect) => {
          const change = Object.fromEntries(keys.map((key) => [key, value]))
          const asked: Asked = { side: "buy", amount: decimal(5, 2), reduceOnly: false }
          return contradicts(dialect, name, asked, 0, change, String(value))
        })
    )
  }

  it.effect("an order succeeds even if the response has an unknown order type", () =>
    Effect.forEach(
      dialects,
      (dialect) => agrees(dialect, "LimitOrders", { side: "buy", amount: decimal(5, 2) }, 0, { type: "iceberg" })
    ))

  it.effect("an order counts as accepted if its unreadable response has an order id and names no other market", () =>
    Effect.gen(function*() {
      const create = LimitOrders.use((orders) =>
        orders.create({ ...terms({ side: "buy", amount: decimal(5, 2) }), price })
      )
      const answering = (body: object) => Effect.provide(answered(() => new Response(Json.stringify(body)), live))
      const error = yield* failsWith("OutcomeUnknown")(answering({ orderId: 7, market: "ETH_USDT" })(create))
      assert.strictEqual(error.why, "contradictory-answer")
      const { orderIds } = yield* failsWith("AcceptedUnreadable")(answering({ orderId: 7, market: "BTC_USDT" })(create))
      assert.deepStrictEqual<ReadonlyArray<string>>(orderIds, ["7"])
    }))
})

describe("contradictions between a response and its request", () => {
  const order: OrderEcho.Ordered = {
    market: btcUsdt,
    side: "buy",
    amount: decimal(5, 2),
    price,
    postOnly: true,
    ioc: false,
    rpi: true,
    retail: false,
    reduceOnly: true,
    stp: "cancel_new",
    positionSide: "LONG",
    takeProfit: Decimal.price("50000"),
    stopLoss: Decimal.price("30000.123")
  }
  const { stopLoss: _stopLoss, takeProfit, ...alike } = order
  const leg = {
    ...alike,
    type: "limit",
    dealStock: Decimal.zero,
    oto: { takeProfit, stopLoss: Decimal.price("30000.12") }
  } as OrderEcho.Leg
  const bounds = { market: btcUsdt, collateral: true, prices: {}, tradesAt: ["price"] }
  const judged = (changed: Partial<OrderEcho.Leg>, asked: Partial<OrderEcho.Ordered> = {}) =>
    OrderEcho.contradiction({ ...order, ...asked }, "limit", bounds, { ...leg, ...changed })

  it("some fields of an order may differ in the response without a contradiction", () => {
    assert.isUndefined(judged({}))
    // In one-way mode, every position has the side BOTH.
    assert.isUndefined(judged({ positionSide: "BOTH" }))
    assert.isUndefined(judged({ stp: "cancel_some" as never }))
    // For an order at the best bid or offer, the exchange decides the price and whether the order rests.
    assert.isUndefined(judged({ price: Decimal.price("1"), postOnly: false, ioc: true }, { bboRole: "counterparty" }))
    const { price: _price, stp: _stp, ...silent } = leg
    assert.isUndefined(OrderEcho.contradiction(order, "limit", bounds, silent))
  })

  const changes: ReadonlyArray<Partial<OrderEcho.Leg>> = [
    { postOnly: false },
    { ioc: true },
    { rpi: false },
    { retail: true },
    { reduceOnly: false },
    { stp: "no" },
    { positionSide: "SHORT" },
    { oto: { takeProfit: Decimal.price("50001") } },
    { oto: { stopLoss: Decimal.price("30000.13") } }
  ]
  for (const change of changes) {
    it(`a response with ${Json.stringify(change)} contradicts the request`, () => {
      assert.isString(judged(change))
    })
  }
})

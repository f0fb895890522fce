import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { Amount, Decimal } from "../../../src/domain/Decimal.ts"
import { marketName } from "../../../src/domain/Identifiers.ts"
import * as Ledger from "../../../src/sandbox/engine/Ledger.ts"
import { type Account, Desk, limit, market, movePrice, text } from "../../support/engine.ts"
import { property } from "../../support/property.ts"

/*
 * A second, naive exchange: limit and market orders on BTC_USDT, a price that the owner moves, and the counterparty. An
 * amount is in lots of 0.1 BTC, a price in cents. Balances are in the units of the engine.
 */

const lot = 10n ** 17n

/** The cost of one lot at a price of one cent. */
const lotCent = 10n ** 15n

type Side = "buy" | "sell"

interface Resting {
  readonly account: string
  readonly side: Side
  readonly price: bigint
  left: bigint
}

/** `spread` and `step` are in hundredths of a percent. */
interface Settings {
  readonly isOn: boolean
  readonly spread: bigint
  readonly step: bigint
  readonly levels: number
  readonly amount: bigint
  readonly refill: boolean
  readonly credit: boolean
}

interface Quote {
  readonly side: Side
  readonly price: bigint
  order: Resting | undefined
}

const counterparty = "counterparty"

const crosses = (side: Side, price: bigint, limit: bigint): boolean => side === "buy" ? price <= limit : price >= limit

class Model {
  resting: Array<Resting> = []
  readonly trades: Array<string> = []
  readonly free = new Map<string, bigint>()
  readonly credited = new Map<string, bigint>()
  settings: Settings | undefined
  price: bigint | undefined
  last: bigint | undefined
  quotes: Array<Quote> = []
  isHit = false

  constructor(accounts: ReadonlyArray<string>) {
    for (const account of accounts) {
      this.add(account, "BTC", 1000n * lot)
      this.add(account, "USDT", 1_000_000n * 1000n * lotCent)
    }
  }

  add(account: string, ticker: string, units: bigint): void {
    this.free.set(`${account} ${ticker}`, this.of(account, ticker) + units)
  }

  of(account: string, ticker: string): bigint {
    return this.free.get(`${account} ${ticker}`) ?? 0n
  }

  /** Locks the funds for `lots` more lots of an order, or releases funds if `lots` is negative. */
  lock({ account, price, side }: Resting, lots: bigint): void {
    if (side === "buy") this.add(account, "USDT", -lots * price * lotCent)
    else this.add(account, "BTC", -lots * lot)
  }

  fill(order: Resting, lots: bigint, price: bigint): void {
    const [stock, money] = [lots * lot, lots * price * lotCent]
    if (order.side === "sell") this.add(order.account, "USDT", money - money / 1000n)
    else {
      this.add(order.account, "BTC", stock - stock / 1000n)
      this.add(order.account, "USDT", lots * (order.price - price) * lotCent)
    }
    order.left -= lots
    if (order.account === counterparty) this.isHit = true
  }

  /** Returns the orders with which an order with this side and limit would trade, in the order of the trades. */
  others(side: Side, limit: bigint): ReadonlyArray<Resting> {
    const sign = side === "buy" ? 1n : -1n
    return this.resting.filter((order) => order.side !== side && crosses(side, order.price, limit))
      .toSorted((a, b) => Number((a.price - b.price) * sign))
  }

  take(order: Resting): void {
    for (const maker of this.others(order.side, order.price)) {
      const lots = order.left < maker.left ? order.left : maker.left
      if (lots === 0n) break
      this.fill(order, lots, maker.price)
      this.fill(maker, lots, maker.price)
      this.traded(maker.price, lots)
    }
    this.resting = this.resting.filter(({ left }) => left > 0n)
  }

  traded(price: bigint, lots: bigint): void {
    this.last = price
    this.trades.push(`${lots} @ ${price}`)
  }

  end(order: Resting): void {
    this.lock(order, -order.left)
    this.resting = this.resting.filter((other) => other !== order)
  }

  placeLimit(account: string, side: Side, lots: bigint, price: bigint): void {
    const order = { account, side, price, left: lots }
    this.lock(order, lots)
    this.take(order)
    if (order.left > 0n) this.resting.push(order)
    this.refill()
  }

  placeMarket(account: string, side: Side, lots: bigint): void {
    const [best] = this.others(side, side === "buy" ? 10n ** 30n : 0n)
    if (best !== undefined) {
      const worst = side === "buy" ? best.price * 11n / 10n : (best.price * 9n + 9n) / 10n
      const order = { account, side, price: worst, left: lots }
      this.lock(order, lots)
      this.take(order)
      this.lock(order, -order.left)
    }
    this.refill()
  }

  move(price: bigint): void {
    this.withdraw()
    for (const side of ["sell", "buy"] as const) {
      for (const order of this.others(side, price)) {
        if (order.price === price) continue
        this.traded(order.price, order.left)
        this.fill(order, order.left, order.price)
      }
    }
    this.resting = this.resting.filter(({ left }) => left > 0n)
    this.last = price
    if (this.settings !== undefined) this.price = price
    this.requote()
  }

  set(settings: Settings): void {
    this.settings = settings
    this.price ??= this.last
    this.withdraw()
    this.requote()
  }

  withdraw(): void {
    for (const order of this.resting.filter(({ account }) => account === counterparty)) this.end(order)
    this.quotes = []
  }

  requote(): void {
    const { price, settings } = this
    if (price === undefined || settings?.isOn !== true) return
    for (const side of ["buy", "sell"] as const) {
      for (let level = 0n; level < settings.levels; level++) {
        const away = settings.spread + 2n * level * settings.step
        const at = side === "buy"
          ? price * (20_000n - away) / 20_000n
          : (price * (20_000n + away) + 19_999n) / 20_000n
        this.quotes.push({ side, price: at, order: undefined })
      }
    }
    this.offer()
  }

  refill(): void {
    if (this.isHit && this.settings?.refill === true) this.offer()
    this.isHit = false
  }

  /** Replaces quotes that are missing or partly filled. */
  offer(): void {
    const { amount, credit } = this.settings ?? assert.fail("is not set")
    for (const quote of this.quotes) {
      const { order, price, side } = quote
      if (order?.left === amount) continue
      if (order !== undefined && order.left > 0n) this.end(order)
      const [ticker, needed] = side === "buy" ? ["USDT", amount * price * lotCent] : ["BTC", amount * lot]
      const missing = needed - this.of(counterparty, ticker)
      if (missing > 0n && credit) {
        this.add(counterparty, ticker, missing)
        this.credited.set(ticker, (this.credited.get(ticker) ?? 0n) + missing)
      }
      const isRefused = (missing > 0n && !credit) || this.others(side, price).length > 0
      quote.order = isRefused ? undefined : { account: counterparty, side, price, left: amount }
      if (quote.order === undefined) continue
      this.lock(quote.order, amount)
      this.resting.push(quote.order)
    }
  }
}

// -----------------------------------------------------------------------------
// The engine compared with the model
// -----------------------------------------------------------------------------

const btcUsdt = marketName("BTC_USDT")

const cents = (price: bigint): string => text(price * 10n ** 16n)

const percent = (hundredths: bigint): Decimal => Decimal.make(text(hundredths * 10n ** 16n))

const agree = (model: Model, desk: Desk): void => {
  assert.deepStrictEqual(
    Array.from(
      desk.state.openOrders.values(),
      ({ account, left, price, side }) => `${account} ${side} ${left} @ ${price}`
    ),
    model.resting.map(({ account, left, price, side }) => `${account} ${side} ${left * lot} @ ${cents(price)}`)
  )
  for (const account of ["ann", "ben", counterparty]) {
    for (const ticker of ["BTC", "USDT"] as const) {
      const free = Ledger.balance(desk.state.ledger, Ledger.free(account, "trade"), ticker as never)
      assert.strictEqual(free, model.of(account, ticker), `${account} ${ticker}`)
      const credited = desk.state.counterparty.credited.get(ticker as never) ?? 0n
      assert.strictEqual(credited, model.credited.get(ticker) ?? 0n, ticker)
    }
  }
  assert.deepStrictEqual(
    desk.trades("BTC_USDT"),
    model.trades.map((trade) => {
      const [lots = "", price = ""] = trade.split(" @ ")
      return `${text(BigInt(lots) * lot)} @ ${cents(BigInt(price))}`
    })
  )
}

/** Applies a command to the engine and to the model. */
class Step implements fc.Command<Model, Desk> {
  readonly what: string
  readonly onModel: (model: Model) => void
  readonly onDesk: (desk: Desk) => unknown
  constructor(what: string, onModel: (model: Model) => void, onDesk: (desk: Desk) => unknown) {
    this.what = what
    this.onModel = onModel
    this.onDesk = onDesk
  }
  check(): boolean {
    return true
  }
  run(model: Model, desk: Desk): void {
    this.onModel(model)
    this.onDesk(desk)
    agree(model, desk)
  }
  toString(): string {
    return this.what
  }
}

const account = fc.constantFrom<Account>("ann", "ben")
const side = fc.constantFrom<Side>("buy", "sell")
const lots = fc.bigInt({ min: 1n, max: 30n })

const steps = fc.commands([
  fc.tuple(account, side, lots, fc.bigInt({ min: 9600n, max: 10_400n })).map(([account, side, lots, price]) =>
    new Step(
      `${account} ${side} ${lots} @ ${price}`,
      (model) => model.placeLimit(account, side, lots, price),
      (desk) => desk.place(account, limit("BTC_USDT", side, text(lots * lot), cents(price)))
    )
  ),
  fc.tuple(account, side, lots).map(([account, side, lots]) =>
    new Step(
      `${account} ${side} ${lots}`,
      (model) => model.placeMarket(account, side, lots),
      (desk) => desk.place(account, market("BTC_USDT", side, text(lots * lot)))
    )
  ),
  fc.bigInt({ min: 96n, max: 104n }).map((price) =>
    new Step(
      `price ${price}`,
      (model) => model.move(price * 100n),
      (desk) => desk.send(movePrice("BTC_USDT", `${price}`))
    )
  ),
  account.map((account) =>
    new Step(
      `cancel ${account}`,
      (model) => model.resting.filter((order) => order.account === account).forEach((order) => model.end(order)),
      (desk) => desk.call(account, { _tag: "CancelAll" })
    )
  ),
  fc.record({
    isOn: fc.constantFrom(true, true, true, false),
    spread: fc.bigInt({ min: 50n, max: 300n }),
    step: fc.bigInt({ min: 30n, max: 100n }),
    levels: fc.integer({ min: 1, max: 6 }),
    amount: fc.bigInt({ min: 1n, max: 20n }),
    refill: fc.boolean(),
    credit: fc.constantFrom(true, true, false)
  }).map((settings) =>
    new Step(
      `quote ${Object.values(settings).join(" ")}`,
      (model) => model.set(settings),
      (desk) =>
        desk.send({
          _tag: "SetCounterparty",
          market: btcUsdt,
          enabled: settings.isOn,
          spread: percent(settings.spread),
          step: percent(settings.step),
          levels: settings.levels,
          amount: Amount.make(text(settings.amount * lot)),
          variation: Decimal.make("0"),
          refill: settings.refill,
          credit: settings.credit
        })
    )
  )
], { maxCommands: 60, size: "max" })

describe("the counterparty compared with a model", () => {
  property(
    "the engine and a naive model agree on every order, trade and balance",
    [steps],
    (steps) =>
      Effect.sync(() => {
        fc.modelRun(() => {
          const desk = new Desk()
          for (const account of ["ann", "ben"] as const) desk.fund(account, "trade", "100 BTC", "1000000 USDT")
          return { model: new Model(["ann", "ben"]), real: desk }
        }, steps)
      }),
    { runs: 2000, short: 60 }
  )
})

import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import type { OrderId } from "../../../src/domain/Identifiers.ts"
import { type Account, accounts, canonical, Desk, limit, text } from "../../support/engine.ts"
import { property } from "../../support/property.ts"

/*
 * A second, naive exchange in whole numbers. It supports only limit orders on BTC_USDT. A price is in USDT, an amount
 * in lots of 0.1 BTC; balances are in ten-thousandths, so that the fee of 0.1 % is a whole number too.
 */

interface Resting {
  readonly id: OrderId
  readonly account: Account
  readonly side: "buy" | "sell"
  readonly price: number
  left: number
}

interface Fill {
  readonly maker: OrderId
  readonly price: number
  readonly amount: number
}

type Balances = Record<"BTC" | "USDT", number>

const scale = 1000

class Model {
  resting: Array<Resting> = []
  readonly free = new Map<Account, Balances>(accounts.map((account) => [account, { BTC: 10_000, USDT: 10_000_000 }]))

  credit(account: Account, ticker: "BTC" | "USDT", units: number): void {
    const balances = this.free.get(account)
    if (balances !== undefined) balances[ticker] += units
  }

  /** Returns the orders with which an order with this side and limit would trade, in the order of the trades. */
  counterparts(side: "buy" | "sell", price: number): ReadonlyArray<Resting> {
    const sign = side === "buy" ? 1 : -1
    return this.resting
      .filter((order) => order.side !== side && order.price * sign <= price * sign)
      .toSorted((a, b) => (a.price - b.price) * sign || Number(a.id) - Number(b.id))
  }

  covers({ account, amount, price, side }: Order): boolean {
    const { BTC, USDT } = this.free.get(account) ?? { BTC: 0, USDT: 0 }
    return side === "buy" ? USDT >= amount * price * scale : BTC >= amount * scale
  }

  place({ account, amount, kind, price, side }: Order, id: OrderId): ReadonlyArray<Fill> {
    const taker: Resting = { id, account, side, price, left: amount }
    this.lock(taker, -amount)
    const fills: Array<Fill> = []
    for (const maker of this.counterparts(side, price)) {
      const traded = Math.min(taker.left, maker.left)
      if (traded === 0) break
      taker.left -= traded
      maker.left -= traded
      this.fillOrder(taker, traded, maker.price)
      this.fillOrder(maker, traded, maker.price)
      fills.push({ maker: maker.id, price: maker.price, amount: traded })
    }
    this.resting.push(taker)
    if (kind === "ioc") this.cancel(taker)
    this.resting = this.resting.filter(({ left }) => left > 0)
    return fills
  }

  cancel(order: Resting): void {
    this.lock(order, order.left)
    order.left = 0
    this.resting = this.resting.filter(({ left }) => left > 0)
  }

  /** Locks funds for part of an order if the amount is negative, or releases them if it is positive. */
  private lock({ account, price, side }: Resting, amount: number): void {
    if (side === "buy") this.credit(account, "USDT", amount * price * scale)
    else this.credit(account, "BTC", amount * scale)
  }

  private fillOrder({ account, price: limit, side }: Resting, amount: number, price: number): void {
    if (side === "buy") {
      this.credit(account, "BTC", amount * (scale - 1))
      this.credit(account, "USDT", amount * (limit - price) * scale)
    } else this.credit(account, "USDT", amount * price * (scale - 1))
  }
}

// -----------------------------------------------------------------------------
// The engine compared with the model
// -----------------------------------------------------------------------------

const lots = (units: bigint): number => Number(units / 10n ** 17n)

const coins = (units: bigint): number => Number(units / 10n ** 18n)

const agree = (model: Model, desk: Desk): void => {
  const open = [...desk.state.openOrders.values()].map(({ account, id, left, price, side }) =>
    `${id} ${account} ${side} ${lots(left)} @ ${price}`
  )
  assert.deepStrictEqual(
    open,
    model.resting.map(({ account, id, left, price, side }) => `${id} ${account} ${side} ${left} @ ${price}`)
  )
  for (const account of accounts) {
    const { BTC, USDT } = model.free.get(account) ?? { BTC: 0, USDT: 0 }
    const shown = [[BTC, "BTC"] as const, [USDT, "USDT"] as const].filter(([units]) => units > 0)
      .map(([units, ticker]) => `${text(BigInt(units) * 10n ** 14n)} ${ticker}`)
    assert.strictEqual(desk.free(account, "trade"), shown.join(", "), account)
  }
}

interface Order {
  readonly account: Account
  readonly side: "buy" | "sell"
  readonly amount: number
  readonly price: number
  readonly kind: "resting" | "ioc" | "postOnly"
}

class Place implements fc.Command<Model, Desk> {
  readonly order: Order
  constructor(order: Order) {
    this.order = order
  }
  check(): boolean {
    return true
  }
  run(model: Model, desk: Desk): void {
    const { account, amount, kind, price, side } = this.order
    const operation = limit("BTC_USDT", side, text(BigInt(amount) * 10n ** 17n), `${price}`, {
      ioc: kind === "ioc",
      postOnly: kind === "postOnly"
    })
    const { events, reply } = desk.send({ _tag: "Call", apiKey: account as never, operation })
    if (kind === "postOnly" && model.counterparts(side, price).length > 0)
      return assert.propertyVal(reply, "why", "notMaker")
    if (!model.covers(this.order)) return assert.propertyVal(reply, "why", "notEnoughBalance")
    if (reply._tag !== "OrderPlaced") return assert.fail(canonical(reply))
    const traded = events.flatMap((event) => event._tag === "Traded" ? [event] : [])
    assert.deepStrictEqual(
      traded.map(({ amount, maker, price }) => ({ maker, price: coins(price), amount: lots(amount) })),
      [...model.place(this.order, reply.order.id)]
    )
    agree(model, desk)
  }
  toString(): string {
    return JSON.stringify(this.order)
  }
}

class Cancel implements fc.Command<Model, Desk> {
  readonly pick: number
  constructor(pick: number) {
    this.pick = pick
  }
  check(model: Readonly<Model>): boolean {
    return model.resting.length > 0
  }
  run(model: Model, desk: Desk): void {
    const order = model.resting[this.pick % model.resting.length]
    if (order === undefined) return
    desk.call(order.account, { _tag: "Cancel", market: "BTC_USDT" as never, orderId: order.id })
    model.cancel(order)
    agree(model, desk)
  }
  toString(): string {
    return `cancel ${this.pick}`
  }
}

class CancelAll implements fc.Command<Model, Desk> {
  readonly account: Account
  constructor(account: Account) {
    this.account = account
  }
  check(): boolean {
    return true
  }
  run(model: Model, desk: Desk): void {
    desk.call(this.account, { _tag: "CancelAll" })
    for (const order of model.resting) if (order.account === this.account) model.cancel(order)
    agree(model, desk)
  }
  toString(): string {
    return `cancel all of ${this.account}`
  }
}

const place = fc.record({
  account: fc.constantFrom(...accounts),
  side: fc.constantFrom("buy", "sell"),
  amount: fc.integer({ min: 1, max: 9 }),
  price: fc.integer({ min: 96, max: 104 }),
  kind: fc.constantFrom("resting", "resting", "resting", "ioc", "postOnly")
}).map((order) => new Place(order))

const commands = fc.commands([
  place,
  place,
  place,
  place,
  place,
  fc.nat(100).map((pick) => new Cancel(pick)),
  fc.constantFrom(...accounts).map((account) => new CancelAll(account))
], { maxCommands: 150, size: "max" })

describe("spot limit orders compared with a model", () => {
  property(
    "the engine and a naive model agree on every fill, open order and balance",
    [commands],
    (commands) =>
      Effect.sync(() => {
        fc.modelRun(() => {
          const desk = new Desk()
          for (const account of accounts) desk.fund(account, "trade", "1 BTC", "1000 USDT")
          return { model: new Model(), real: desk }
        }, commands)
      }),
    { runs: 300 }
  )
})

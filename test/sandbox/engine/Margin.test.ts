import { assert, describe, it } from "@effect/vitest"
import { Amount, Decimal, Price } from "../../../src/domain/Decimal.ts"
import { marketName, PositionId, Ticker } from "../../../src/domain/Identifiers.ts"
import * as MarginFormulas from "../../../src/domain/Margin.ts"
import type { OrderSide } from "../../../src/domain/Order.ts"
import * as Deleveraging from "../../../src/sandbox/engine/Deleveraging.ts"
import type { Event } from "../../../src/sandbox/engine/Event.ts"
import * as Fundings from "../../../src/sandbox/engine/Fundings.ts"
import * as Ledger from "../../../src/sandbox/engine/Ledger.ts"
import type { SetMarginOptions } from "../../../src/sandbox/engine/MarginActions.ts"
import * as Margins from "../../../src/sandbox/engine/Margins.ts"
import * as Pending from "../../../src/sandbox/engine/Pending.ts"
import * as Positions from "../../../src/sandbox/engine/Positions.ts"
import * as ReferencePrices from "../../../src/sandbox/engine/ReferencePrices.ts"
import * as Saved from "../../../src/sandbox/engine/Saved.ts"
import { type Account, call, Desk, limit, market, movePrice, openPosition } from "../../support/engine.ts"
import { oco, progress, text, transfer, units } from "../../support/engine.ts"
import { accountOf } from "./invariants.ts"

const perp = marketName("BTC_PERP")
const spot = marketName("BTC_USDT")
const usdt = Ticker.make("USDT")

const funded = (margin: SetMarginOptions = {}): Desk => {
  const desk = new Desk()
  for (const account of ["ann", "ben", "cat", "sub"] as const) desk.fund(account, "collateral", "1000 USDT")
  desk.send({ _tag: "SetMargin", ...margin })
  return desk
}

const moveMark = (price: string | null, on = perp) =>
  ({ _tag: "MoveMark", market: on, price: price === null ? null : Price.make(price) }) as const

/** Trades with ben as the maker. */
const trade = (desk: Desk, account: Account, side: OrderSide, amount: string, price: string, on: string = perp) => {
  desk.place("ben", limit(on, side === "buy" ? "sell" : "buy", amount, price, { collateral: true }))
  return desk.place(account, limit(on, side, amount, price, { collateral: true }))
}

const tags = (events: ReadonlyArray<Event>, ...of: ReadonlyArray<Event["_tag"]>) =>
  events.filter(({ _tag }) => of.includes(_tag)).map((
    event
  ) => ("account" in event ? `${event._tag} ${event.account}` : event._tag))

const calls = ["MarginCalled", "LiquidationStarted", "MarginRestored"] as const

const free = (desk: Desk, account: Account) => text(Margins.freeMargin(desk.state, account))

const why = (reply: object): unknown => (reply as { readonly why?: string }).why

describe("index and mark prices", () => {
  const prices = ({ state }: Desk) =>
    [ReferencePrices.index(state, perp), ReferencePrices.mark(state, perp)].map((price) => price && text(price))

  it("the index follows the spot market or, without one, the market itself, and the mark price follows the index", () => {
    const desk = new Desk()
    assert.deepStrictEqual(prices(desk), [undefined, undefined])
    desk.send(movePrice(perp, "101"))
    assert.deepStrictEqual(prices(desk), ["101", "101"])
    desk.send(movePrice(spot, "100"))
    assert.deepStrictEqual(prices(desk), ["100", "100"])
  })

  it("a price that the owner sets stays until the owner releases it", () => {
    const desk = new Desk()
    desk.send(movePrice(spot, "100"))
    desk.send({ _tag: "MoveIndex", market: perp, price: Price.make("90") })
    assert.deepStrictEqual(prices(desk), ["90", "90"])
    desk.send(moveMark("95"))
    desk.send(movePrice(spot, "120"))
    assert.deepStrictEqual(prices(desk), ["90", "95"])
    desk.send({ _tag: "MoveIndex", market: perp, price: null })
    assert.deepStrictEqual(prices(desk), ["120", "95"])
    desk.send(moveMark(null))
    assert.deepStrictEqual(prices(desk), ["120", "120"])
  })

  it("a mark price move is reported once per market and command, while any position is open or when the owner sets the price", () => {
    const desk = funded()
    assert.deepStrictEqual(tags(desk.send(movePrice(spot, "100")).events, "MarkMoved"), [])
    assert.deepStrictEqual(tags(desk.send(moveMark("99")).events, "MarkMoved"), ["MarkMoved"])
    desk.send(moveMark(null))
    trade(desk, "ann", "buy", "1", "100")
    const moved = desk.send(movePrice(spot, "101")).events.flatMap((event) =>
      event._tag === "MarkMoved" ? [`${event.market} ${text(event.mark)}`] : []
    )
    assert.deepStrictEqual(moved, ["BTC_USDT 101", "BTC_PERP 101"])
  })

  it("profits follow the mark price, while triggers follow the last price", () => {
    const desk = funded()
    trade(desk, "ann", "buy", "1", "100")
    desk.call("ann", oco(perp, "sell", "1", "130", "90", "85"))
    desk.send(moveMark("60"))
    assert.strictEqual(text(Margins.of(desk.state, "ann").pnl), "-40")
    assert.strictEqual(desk.state.ocoOrders.size, 1)
    desk.send(movePrice(perp, "90"))
    assert.strictEqual(desk.state.ocoOrders.size, 0)
  })
})

describe("margin of accounts", () => {
  it("the engine's values for an account equal the results of the public formulas", () => {
    const desk = funded()
    desk.fund("ann", "collateral", "1 BTC")
    desk.send(movePrice(spot, "100"))
    trade(desk, "ann", "buy", "3", "101")
    trade(desk, "ann", "sell", "2", "99", spot)
    desk.place("ann", limit(perp, "buy", "1", "90"))
    desk.send(moveMark("97.5"))
    const figures = Margins.of(desk.state, "ann")
    const summary = MarginFormulas.summary(accountOf(desk.state, "ann"))
    for (const field of ["equity", "margin", "pnl", "freeMargin"] as const) {
      assert.strictEqual(text(figures[field]), summary[field], field)
    }
    const position = Positions.get(desk.state, "ann", perp) ?? assert.fail("is open")
    const price = Margins.liquidationPrice(desk.state, position)
    assert.strictEqual(price && text(price), MarginFormulas.liquidationPrice(accountOf(desk.state, "ann"), perp))
  })

  it("other assets count as collateral at their weights, and can back a position on their own", () => {
    const desk = new Desk().fund("ann", "collateral", "1 BTC").fund("ben", "collateral", "1000 USDT")
    desk.send(movePrice(spot, "100"))
    assert.strictEqual(free(desk, "ann"), "95")
    trade(desk, "ann", "buy", "5", "100")
    // The fee is a debt: 0.055 % of 500.
    assert.deepStrictEqual([desk.position("ann", perp), desk.debt("ann"), free(desk, "ann")], [
      "5 for 500",
      "0.275 USDT",
      "44.725"
    ])
    desk.send({ _tag: "SetMargin", weights: [{ ticker: Ticker.make("BTC"), weight: Decimal.make("0.6") }] })
    assert.strictEqual(free(desk, "ann"), "9.725")
  })

  it("unrealized profit is margin for new positions, but can't be withdrawn", () => {
    const desk = funded()
    trade(desk, "ann", "buy", "50", "100")
    desk.send(moveMark("110"))
    assert.strictEqual(free(desk, "ann"), "947.25")
    assert.propertyVal(desk.call("ann", transfer("collateral", "main", "USDT", "447.26")), "why", "notEnoughBalance")
    assert.strictEqual(desk.call("ann", transfer("collateral", "main", "USDT", "447.25"))._tag, "Done")
  })
})

describe("leverage of accounts", () => {
  const leverage = (value: (typeof MarginFormulas.leverages)[number]) =>
    ({ _tag: "SetLeverage", leverage: value }) as const

  it("one leverage applies to all of an account's positions, and to its margin", () => {
    const desk = funded()
    trade(desk, "ann", "buy", "10", "100")
    assert.strictEqual(free(desk, "ann"), "899.45")
    assert.deepStrictEqual(desk.call("ann", leverage(20)), { _tag: "LeverageSet", leverage: 20 })
    assert.strictEqual(free(desk, "ann"), "949.45")
    assert.deepStrictEqual(desk.call("ann", leverage(1)), {
      _tag: "Refused",
      why: "leverageNotCovered",
      violations: [["leverage", { kind: "margin", rule: "covered" }]]
    })
    assert.strictEqual(free(desk, "ann"), "949.45")
  })

  it("a margin market allows at most the leverage set by the policy", () => {
    const desk = funded()
    desk.call("ann", leverage(100))
    trade(desk, "ann", "buy", "10", "100", spot)
    assert.strictEqual(text(Margins.of(desk.state, "ann").margin), "100")
    desk.send({ _tag: "SetMargin", marginMaxLeverage: 20 })
    assert.strictEqual(text(Margins.of(desk.state, "ann").margin), "50")
  })

  it("the policy can forbid a leverage change while there are positions or orders", () => {
    const desk = funded({ leverageChange: "refused" })
    const order = desk.place("ann", limit(perp, "buy", "1", "90"))
    assert.strictEqual(why(desk.call("ann", leverage(20))), "hasPositions")
    desk.call("ann", { _tag: "Cancel", market: perp, orderId: order.id })
    assert.strictEqual(desk.call("ann", leverage(20))._tag, "LeverageSet")
  })

  it("a position's leverage is capped by its bracket, and no position exceeds the last bracket", () => {
    const desk = funded()
    desk.fund("ann", "collateral", "200000000 USDT").fund("ben", "collateral", "200000000 USDT")
    desk.call("ann", leverage(100))
    trade(desk, "ann", "buy", "1", "50000")
    assert.strictEqual(text(Margins.of(desk.state, "ann").margin), "500")
    trade(desk, "ann", "buy", "1", "50000")
    assert.strictEqual(text(Margins.of(desk.state, "ann").margin), "2000")
    for (const amount of ["100", "199"]) trade(desk, "ann", "buy", amount, "50000")
    // A position worth 15,050,000 USDT has a leverage of only 3.
    assert.strictEqual(text(Margins.of(desk.state, "ann").margin), "5016666.666666666666666667")
    const huge = limit(perp, "buy", "190", "50000")
    for (let count = 0; count < 8; count++) trade(desk, "ann", "buy", "190", "50000")
    assert.strictEqual(why(desk.call("ann", huge)), "positionTooBig")
  })

  it("a position together with its open orders is no larger than the last bracket allows", () => {
    const desk = funded()
    for (const account of ["ann", "ben"] as const) desk.fund(account, "collateral", "200000000 USDT")
    trade(desk, "ann", "buy", "100", "50000")
    const bid = limit(perp, "buy", "190", "50000")
    const [first = assert.fail()] = Array.from({ length: 10 }, () => desk.place("ann", bid))
    assert.strictEqual(
      Pending.total(desk.state.pending, { account: "ann", market: perp, side: "buy" }),
      units("95000000")
    )
    for (const refused of [limit(perp, "buy", "0.001", "50000"), market(perp, "buy", "1")]) {
      assert.deepStrictEqual(desk.call("ann", { ...refused, collateral: true }), {
        _tag: "Refused",
        why: "pendingTooBig",
        violations: [["amount", { kind: "margin", rule: "pendingMaximum" }]]
      })
    }
    const change = (amount: string) =>
      ({ _tag: "Modify", market: perp, orderId: first.id, amount: Amount.make(amount) }) as const
    assert.strictEqual(why(desk.call("ann", change("190.001"))), "pendingTooBig")
    // An order on the other side closes the position first, so only its amount beyond the position counts.
    const ask = desk.place("ann", limit(perp, "sell", "150", "60000"))
    assert.strictEqual(
      Pending.total(desk.state.pending, { account: "ann", market: perp, side: "sell" }),
      units("3000000")
    )
    desk.call("ann", { _tag: "Cancel", market: perp, orderId: ask.id })
    assert.strictEqual(desk.call("ann", change("180"))._tag, "OrderModified")
    assert.strictEqual(desk.call("ann", limit(perp, "buy", "10", "50000"))._tag, "OrderPlaced")
    assert.strictEqual(why(desk.call("ann", limit(perp, "buy", "0.001", "50000"))), "pendingTooBig")
  })

  it("the policy can forbid an order that would flip a position", () => {
    const desk = funded({ opposite: "refused" })
    trade(desk, "ann", "buy", "1", "100")
    assert.strictEqual(why(desk.call("ann", limit(perp, "sell", "1.5", "120"))), "oppositePosition")
    assert.strictEqual(desk.call("ann", limit(perp, "sell", "1", "120"))._tag, "OrderPlaced")
  })
})

describe("hedge mode", () => {
  const hedged = (): Desk => {
    const desk = funded()
    assert.strictEqual(desk.call("ann", { _tag: "SetHedgeMode", hedgeMode: true })._tag, "HedgeModeSet")
    return desk
  }
  const sized = (desk: Desk) =>
    (["LONG", "SHORT"] as const).map((side) => Positions.get(desk.state, "ann", perp, side)?.amount ?? 0n).map(text)
  const long = { positionSide: "LONG" } as const
  const short = { positionSide: "SHORT" } as const
  const fill = (desk: Desk, side: OrderSide, amount: string, price: string, options: object) => {
    desk.place("ben", limit(perp, side === "buy" ? "sell" : "buy", amount, price))
    return desk.call("ann", limit(perp, side, amount, price, options))
  }

  it("in hedge mode, an account can have a long and a short position on a market, with separate profits", () => {
    const desk = hedged()
    fill(desk, "buy", "3", "100", long)
    fill(desk, "sell", "2", "110", short)
    assert.deepStrictEqual(sized(desk), ["3", "-2"])
    desk.send(moveMark("105"))
    assert.strictEqual(text(Margins.of(desk.state, "ann").pnl), "25")
    fill(desk, "buy", "1", "105", short)
    fill(desk, "sell", "3", "105", long)
    assert.deepStrictEqual(sized(desk), ["0", "-1"])
  })

  it("an order that closes one side of a hedged position never opens the other side", () => {
    const desk = hedged()
    fill(desk, "buy", "1", "100", long)
    const reply = fill(desk, "sell", "3", "100", long)
    assert.strictEqual(reply._tag === "OrderPlaced" ? reply.order.amount.toString() : "", "1")
    assert.deepStrictEqual(sized(desk), ["0", "0"])
    assert.strictEqual(why(desk.call("ann", limit(perp, "sell", "1", "100", long))), "reduceOnly")
  })

  it("in hedge mode, orders need a side; in one-way mode, the policy ignores or refuses a side", () => {
    const desk = hedged()
    for (const side of [{}, { positionSide: "BOTH" }] as const) {
      assert.strictEqual(why(desk.call("ann", limit(perp, "buy", "1", "100", side))), "wrongSide")
    }
    assert.strictEqual(
      why(desk.call("ann", limit(perp, "buy", "1", "100", { ...long, reduceOnly: true }))),
      "reduceOnly"
    )
    assert.strictEqual(desk.call("cat", limit(perp, "buy", "1", "100", long))._tag, "OrderPlaced")
    desk.send({ _tag: "SetMargin", oneWaySides: "refused" })
    assert.strictEqual(why(desk.call("cat", limit(perp, "buy", "1", "100", long))), "wrongSide")
    assert.strictEqual(desk.call("ann", limit(spot, "buy", "1", "100", { collateral: true }))._tag, "OrderPlaced")
  })

  it("the position mode can't change while there is a futures position or order", () => {
    const desk = hedged()
    const order = desk.place("ann", limit(perp, "buy", "1", "100", long))
    const back = { _tag: "SetHedgeMode", hedgeMode: false } as const
    assert.deepStrictEqual(desk.call("ann", back), {
      _tag: "Refused",
      why: "hasPositions",
      violations: [["hedgeMode", { kind: "margin", rule: "flat" }]]
    })
    desk.place("ben", limit(perp, "sell", "1", "100"))
    assert.strictEqual(order.positionSide, "LONG")
    assert.strictEqual(why(desk.call("ann", back)), "hasPositions")
    fill(desk, "sell", "1", "100", long)
    assert.strictEqual(desk.call("ann", back)._tag, "HedgeModeSet")
  })

  it("each side of a hedged position is liquidated and deleveraged separately", () => {
    const desk = hedged()
    desk.send({ _tag: "SetMargin", liquidity: "book" })
    fill(desk, "buy", "60", "100", long)
    desk.place("sub", limit(perp, "buy", "10", "100"))
    desk.call("ann", limit(perp, "sell", "10", "100", short))
    // A quarter of the long side is closed against ben's profitable short position. The short side stays open, because
    // sub, who is long, is losing.
    desk.send(moveMark("80"))
    assert.deepStrictEqual(sized(desk), ["45", "-10"])
    assert.strictEqual(desk.position("ben", perp), "-45 for 4500")
  })
})

describe("closing a position", () => {
  const close = (position: number, more: object = {}) =>
    ({ _tag: "ClosePosition", market: perp, positionId: PositionId.make(position.toString()), ...more }) as const

  it("a market order closes the entire position, and the position's reduce-only orders are canceled", () => {
    const desk = funded()
    trade(desk, "ann", "buy", "2", "100")
    const { id = 0 } = Positions.get(desk.state, "ann", perp) ?? {}
    const resting = desk.place("ann", limit(perp, "sell", "1", "130", { reduceOnly: true }))
    desk.place("ben", limit(perp, "buy", "5", "99"))
    const reply = desk.call("ann", close(id))
    assert.deepInclude(reply, { _tag: "OrderPlaced" })
    assert.isUndefined(desk.position("ann", perp))
    assert.strictEqual(progress(resting), "AUTO_CANCELED_REDUCE_ONLY 0 of 1")
  })

  it("closing a position fails as not found if its id is unknown, or if it is another account's or on the other side", () => {
    const desk = funded()
    trade(desk, "ann", "buy", "2", "100")
    const { id = 0 } = Positions.get(desk.state, "ann", perp) ?? {}
    assert.strictEqual(why(desk.call("cat", close(id))), "positionNotFound")
    assert.strictEqual(why(desk.call("ann", close(id + 1))), "positionNotFound")
    assert.strictEqual(why(desk.call("ann", close(id, { positionSide: "SHORT" }))), "positionNotFound")
    assert.strictEqual(desk.call("ann", close(id, { positionSide: "BOTH" }))._tag, "OrderPlaced")
  })
})

describe("position records", () => {
  it("each change to a position is recorded, with the profit after the fee", () => {
    const desk = funded()
    trade(desk, "ann", "buy", "2", "100")
    trade(desk, "ann", "sell", "3", "110")
    const changes = (desk.state.positionChanges.get("ann") ?? []).map(({ amount, fee, realised, traded }) =>
      [amount, traded, fee, realised].map(text).join(" ")
    )
    // The second fee, 0.055 % of 330, is split between the closed and the opened position.
    assert.deepStrictEqual(changes, ["2 2 0.11 -0.11", "0 2 0.121 19.879", "-1 1 0.0605 -0.0605"])
    const [closed] = desk.state.closedPositions.get("ann") ?? []
    assert.deepStrictEqual(
      closed &&
        [closed.opened, closed.openedFor, closed.closed, closed.closedFor, closed.realised, closed.fees].map(text),
      ["2", "200", "2", "220", "20", "0.231"]
    )
  })
})

describe("funding payments", () => {
  const settle = (desk: Desk, rate: string | null, minutes = 1) =>
    desk.send({
      _tag: "SetFunding",
      market: perp,
      rate: rate === null ? null : Decimal.make(rate),
      intervalMinutes: minutes
    })
  /** Lets time pass until funding is settled. Returns the events. */
  const wait = (desk: Desk): ReadonlyArray<Event> => {
    for (let count = 0; count < 120; count++) {
      const { events } = desk.settle()
      if (events.some(({ _tag }) => _tag === "FundingSettled")) return events
      desk.send({ _tag: "Pass" })
    }
    return assert.fail("is never settled")
  }

  it("longs pay shorts exactly at the owner's rate, and the rounding remainder goes to the exchange's funding account", () => {
    const desk = funded()
    desk.send(movePrice(perp, "100"))
    trade(desk, "ann", "buy", "0.333", "100")
    const [ann, ben] = [desk.free("ann", "collateral"), desk.free("ben", "collateral")]
    settle(desk, "0.000000000000000007")
    const paid = wait(desk).flatMap((event) =>
      event._tag === "FundingPaid" ? [`${event.account} ${text(event.amount)}`] : []
    )
    assert.deepStrictEqual(paid, ["ann -0.000000000000000234", "ben 0.000000000000000233"])
    assert.notStrictEqual(desk.free("ann", "collateral"), ann)
    assert.notStrictEqual(desk.free("ben", "collateral"), ben)
    assert.strictEqual(text(Ledger.balance(desk.state.ledger, "funding", usdt)), "0.000000000000000001")
    assert.strictEqual(desk.state.fundingPayments.get("ann")?.length, 1)
  })

  it("the funding account pays the funding of an unmatched position, and a negative rate reverses the payment", () => {
    const desk = funded()
    desk.send(openPosition("ann", perp, "buy", "1", "100"))
    desk.send(movePrice(perp, "100"))
    settle(desk, "-0.001")
    wait(desk)
    assert.strictEqual(desk.free("ann", "collateral"), "1000.1 USDT")
    assert.strictEqual(text(Ledger.balance(desk.state.ledger, "funding", usdt)), "-0.1")
  })

  it("without the owner's rate, the funding rate follows the book's premium over the index", () => {
    const desk = funded()
    desk.send(movePrice(spot, "100"))
    trade(desk, "ann", "buy", "1", "100")
    settle(desk, null, 480)
    desk.place("ben", limit(perp, "buy", "1", "100.1"))
    // A premium of 0.1 %, moved by at most 0.05 % towards the interest of 0.01 %.
    assert.strictEqual(text(Fundings.rateOf(desk.state, perp)), "0.0005")
    desk.call("ben", { _tag: "CancelAll" })
    assert.strictEqual(text(Fundings.rateOf(desk.state, perp)), "0.0001")
  })

  it("the premium is the weighted average of one sample per minute since the last settlement, and the latest sample weighs most", () => {
    const desk = funded()
    desk.send(movePrice(spot, "100"))
    trade(desk, "ann", "buy", "1", "100")
    settle(desk, null, 3)
    wait(desk)
    const minutes = (count: number) => {
      desk.advance(count * 60_000_000)
      return desk.send({ _tag: "Pass" })
    }
    const bid = () => desk.place("ben", limit(perp, "buy", "1", "100.6"))
    const settled = () => desk.state.funding.get(perp)?.settled.slice(1).map(({ rate }) => text(rate))
    // A premium of 0.6 % in the first of three minutes: (1 × 0.6 % + 2 × 0 + 3 × 0) / 6, minus the limit of 0.05 %.
    bid()
    minutes(1)
    assert.strictEqual(text(Fundings.rateOf(desk.state, perp)), "0.00375")
    desk.call("ben", { _tag: "CancelAll" })
    minutes(2)
    assert.deepStrictEqual(settled(), ["0.0005"])
    // The same premium in the last minute: (3 × 0.6 %) / 6, minus the same limit.
    minutes(2)
    bid()
    minutes(1)
    assert.deepStrictEqual(settled(), ["0.0005", "0.0025"])
  })

  it("no funding is settled while a market has no positions", () => {
    const desk = funded()
    trade(desk, "ann", "buy", "1", "100")
    settle(desk, "0.001")
    trade(desk, "ann", "sell", "1", "100")
    for (let count = 0; count < 70; count++) desk.send({ _tag: "Pass" })
    assert.deepStrictEqual(desk.state.funding.get(perp)?.settled, [])
  })

  it("a funding payment that leaves too little collateral causes a liquidation", () => {
    const desk = funded({ liquidity: "book" })
    desk.send(movePrice(perp, "100"))
    trade(desk, "ann", "buy", "90", "100")
    desk.place("ben", limit(perp, "buy", "90", "99"))
    settle(desk, "0.07")
    assert.deepStrictEqual(tags(wait(desk), "LiquidationStarted"), ["LiquidationStarted ann"])
    assert.isUndefined(desk.position("ann", perp))
  })
})

describe("borrowing by margin positions", () => {
  const day = (desk: Desk): ReadonlyArray<Event> => {
    desk.advance(86_400_000_000)
    return desk.send({ _tag: "Pass" }).events
  }

  it("a long margin position pays daily interest, in quote currency, on the cost not covered by its margin", () => {
    const desk = funded()
    trade(desk, "ann", "buy", "10", "100", spot)
    const [borrow] = desk.state.borrows.get("ann") ?? []
    assert.deepStrictEqual(borrow && [borrow.ticker, text(borrow.principal), borrow.status], ["USDT", "900", "active"])
    const before = Margins.equityOf(desk.state, "ann")
    assert.deepStrictEqual(tags(day(desk), "BorrowInterestPaid"), ["BorrowInterestPaid ann", "BorrowInterestPaid ben"])
    assert.strictEqual(text(before - Margins.equityOf(desk.state, "ann")), "0.5265")
    trade(desk, "ann", "sell", "10", "100", spot)
    assert.deepStrictEqual(borrow && [text(borrow.interest), borrow.status], ["0.5265", "repaid"])
    assert.deepStrictEqual(tags(day(desk), "BorrowInterestPaid"), [])
  })

  it("a short margin position borrows the amount that it sells, and futures positions borrow nothing", () => {
    const desk = funded()
    trade(desk, "ann", "sell", "10", "100", spot)
    trade(desk, "ann", "sell", "10", "100")
    const borrows = (desk.state.borrows.get("ann") ?? []).map(({ principal, ticker }) => `${text(principal)} ${ticker}`)
    assert.deepStrictEqual(borrows, ["10 BTC"])
  })
})

describe("margin calls and liquidations", () => {
  it("as the mark price moves, an account gets a margin call, recovers, gets another margin call and is liquidated", () => {
    const desk = funded()
    trade(desk, "ann", "buy", "90", "100")
    // 995.05 + 90 × (P - 100) reaches 6.75 × P at 96.155, and 4.5 × P at 93.625.
    const at = (price: string) => tags(desk.send(moveMark(price)).events, ...calls)
    assert.deepStrictEqual(at("96.2"), [])
    assert.deepStrictEqual(at("96.1"), ["MarginCalled ann"])
    assert.deepStrictEqual(at("97"), ["MarginRestored ann"])
    assert.deepStrictEqual(at("96"), ["MarginCalled ann"])
    const position = Positions.get(desk.state, "ann", perp) ?? assert.fail("is open")
    const price = Margins.liquidationPrice(desk.state, position) ?? assert.fail("has a price")
    assert.strictEqual(text(price).slice(0, 6), "93.625")
    assert.deepStrictEqual(at("93.7"), [])
    const { events } = desk.send(moveMark("93.6"))
    assert.include(tags(events, ...calls), "LiquidationStarted ann")
  })

  it("a liquidation first closes part of a position, and stops if that is enough", () => {
    const desk = funded()
    trade(desk, "ann", "buy", "90", "100")
    const { events } = desk.send(moveMark("93.6"))
    // The outside market buys 22.5 at the mark price.
    assert.strictEqual(desk.position("ann", perp), "67.5 for 6750")
    assert.deepStrictEqual(tags(events, ...calls), ["LiquidationStarted ann", "MarginCalled ann"])
    const orders = (desk.state.endedOrders.get("ann") ?? []).filter(({ clientOrderId = "" }) =>
      clientOrderId.endsWith("!")
    )
    assert.deepStrictEqual(
      orders.map(({ clientOrderId, id, ioc, type }) => [clientOrderId === `liquidation_${id}_!`, ioc, type]),
      [[true, true, "market"]]
    )
    assert.deepStrictEqual(desk.trades(perp).slice(1), ["22.5 @ 93.6"])
  })

  it("a liquidation cancels only the account's other orders on the same market", () => {
    const desk = funded()
    desk.fund("ann", "trade", "100 USDT")
    trade(desk, "ann", "buy", "90", "100")
    const pair = desk.placeOco("ann", oco(perp, "sell", "1", "130", "50", "45"))
    const other = desk.place("ann", limit(spot, "buy", "1", "50"))
    desk.send(moveMark("80"))
    for (const leg of [pair.stopLoss, pair.takeProfit]) {
      assert.strictEqual(progress(leg), "AUTO_CANCELED_LIQUIDATION 0 of 1")
    }
    assert.strictEqual(other.status, "NEW")
  })

  it("margin positions are liquidated before futures positions, and a position without a buyer stays open", () => {
    const desk = funded({ partialShare: "1" as never })
    trade(desk, "ann", "buy", "30", "100")
    trade(desk, "ann", "buy", "40", "50", "ETH_USDT")
    trade(desk, "ann", "buy", "35", "100", spot)
    const { events } = desk.send(movePrice(spot, "85"))
    const traded = events.flatMap((event) => event._tag === "Traded" && event.taker !== undefined ? [event.market] : [])
    // The smaller position on ETH_USDT stays open, because the outside market trades only where the owner has moved a
    // price.
    assert.deepStrictEqual([...new Set(traded)], ["BTC_USDT", "BTC_PERP"])
  })

  it("the insurance account pays a loss that exceeds the collateral, and the account owes the rest", () => {
    const desk = funded()
    desk.send({ _tag: "SetInsurance", ticker: usdt, amount: Decimal.make("300") })
    trade(desk, "ann", "buy", "90", "100")
    const { events } = desk.send(moveMark("80"))
    // The loss is 1800, and the fee 0.055 % of 7200.
    const told = events.flatMap((event) =>
      event._tag === "InsurancePaid" || event._tag === "DebtLeft" ? [`${event._tag} ${text(event.amount)}`] : []
    )
    assert.deepStrictEqual(told, ["InsurancePaid 300", "DebtLeft 508.91"])
    assert.deepStrictEqual([desk.position("ann", perp), desk.debt("ann")], [undefined, "508.91 USDT"])
    assert.strictEqual(text(Ledger.balance(desk.state.ledger, "insurance", usdt)), "0")
    assert.deepStrictEqual(tags(events, ...calls), ["LiquidationStarted ann", "MarginRestored ann"])
  })

  it("other collateral is sold at its index price before the insurance account pays", () => {
    const desk = funded()
    desk.fund("ann", "collateral", "5 ETH")
    desk.send(movePrice("ETH_USDT", "50"))
    trade(desk, "ann", "buy", "90", "100")
    const { events } = desk.send(moveMark("88"))
    assert.deepStrictEqual(tags(events, "CollateralConverted", "InsurancePaid", "DebtLeft"), [
      "CollateralConverted ann"
    ])
    assert.deepStrictEqual([desk.debt("ann"), desk.position("ann", perp)], ["", undefined])
  })

  it("the policy's liquidation fee goes to the insurance account", () => {
    const desk = funded({ liquidationFee: Decimal.make("0.01") })
    trade(desk, "ann", "buy", "90", "100")
    desk.send(moveMark("93.6"))
    assert.strictEqual(text(Ledger.balance(desk.state.ledger, "insurance", usdt)), "21.06")
  })

  it("an account without positions never gets a margin call, whatever it owes", () => {
    const desk = funded()
    trade(desk, "ann", "buy", "90", "100")
    desk.send(moveMark("50"))
    assert.isFalse(desk.state.calls.has("ann"))
    assert.deepStrictEqual(tags(desk.send(moveMark("40")).events, ...calls), [])
  })
})

describe("automatic deleveraging", () => {
  const book = { liquidity: "book" } as const

  it("deleveraging first closes the position whose profit is the largest share of its account's equity", () => {
    const desk = funded(book)
    desk.fund("sub", "collateral", "100000 USDT")
    for (const account of ["cat", "sub"] as const) {
      desk.place("ann", limit(perp, "buy", "40", "100"))
      desk.place(account, limit(perp, "sell", "40", "100"))
    }
    const { events } = desk.send(moveMark("90"))
    const taken = events.flatMap((event) =>
      event._tag === "Deleveraged" ? [`${event.account} ${text(event.amount)} ${text(event.price)}`] : []
    )
    // A quarter of ann's 80 is closed, all of it against cat, whose profit is a larger share of its equity than sub's.
    assert.deepStrictEqual(taken.map((line) => line.split(" ").slice(0, 2).join(" ")), ["cat 20"])
    assert.strictEqual(desk.position("ann", perp), "60 for 6000")
    const [order] = (desk.state.endedOrders.get("cat") ?? []).slice(-1)
    assert.strictEqual(order?.clientOrderId?.toString(), `adl_${order?.id}_!`)
    assert.deepInclude(order, { postOnly: true, reduceOnly: false, status: "FILLED" })
    // The last price is still 100, because ADL does not move it.
    assert.strictEqual(text(desk.state.trading.get(perp)?.lastPrice ?? 0n), "100")
  })

  it("a position's ADL grade is its rank among the positions on its side", () => {
    const desk = funded(book)
    for (const account of ["ann", "cat", "sub"] as const) trade(desk, account, "buy", "1", "100")
    desk.fund("cat", "collateral", "100 USDT").fund("ann", "collateral", "200 USDT")
    desk.send(moveMark("110"))
    const grades = (["ann", "cat", "sub", "ben"] as const).map((account) =>
      Deleveraging.quantiles(desk.state, account)[0]
    )
    assert.deepStrictEqual(grades.map((grade) => [grade?.long, grade?.short]), [
      [0, undefined],
      [0, undefined],
      [1, undefined],
      [undefined, 0]
    ])
  })

  it("a position that can't be liquidated in full stays open until a price move lets the account recover", () => {
    const desk = funded(book)
    desk.send(movePrice(perp, "100"))
    desk.send(openPosition("ann", perp, "buy", "90", "100"))
    desk.send(moveMark("93"))
    assert.strictEqual(desk.position("ann", perp), "90 for 9000")
    assert.strictEqual(desk.state.calls.get("ann"), "liquidation")
    assert.deepStrictEqual(tags(desk.send(moveMark("99")).events, ...calls), ["MarginRestored ann"])
  })

  it("a late bid fills a pending liquidation at the next price move, up or down, even after a restart", () => {
    for (const [mark, restarts] of [["92.9", false], ["93.1", false], ["93.1", true]] as const) {
      const desk = funded(book)
      desk.send(movePrice(perp, "100"))
      desk.send(openPosition("ann", perp, "buy", "90", "100"))
      desk.send(moveMark("93"))
      desk.place("ben", limit(perp, "buy", "90", "93"))
      if (restarts) desk.state = Saved.load(structuredClone(Saved.save(desk.state)), desk.state.policy)
      desk.send(moveMark(mark))
      assert.strictEqual(desk.position("ann", perp), "67.5 for 6750")
    }
  })

  it("in a cascade, one liquidation moves the price that liquidates the next account", () => {
    const desk = funded(book)
    desk.fund("ben", "collateral", "100000 USDT")
    for (const account of ["ann", "cat"] as const) {
      desk.place("ben", limit(perp, "sell", "90", "100"))
      desk.place(account, limit(perp, "buy", account === "ann" ? "90" : "85", "100"))
    }
    desk.call("ben", { _tag: "CancelAll" })
    // The only bids are far below the price, so ann's liquidation trades there, and the mark price follows.
    for (const [amount, price] of [["22.5", "93.6"], ["200", "91"]] as const) {
      desk.place("ben", limit(perp, "buy", amount, price))
    }
    const { events } = desk.send({ _tag: "MoveIndex", market: perp, price: null })
    assert.deepStrictEqual(tags(events, ...calls), [])
    const seller = desk.send(call("sub", market(perp, "sell", "22.5")))
    assert.deepStrictEqual(tags(seller.events, "LiquidationStarted"), [
      "LiquidationStarted ann",
      "LiquidationStarted cat"
    ])
    assert.strictEqual(desk.position("ann", perp), undefined)
  })
})

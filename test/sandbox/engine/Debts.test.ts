import { assert, describe, it } from "@effect/vitest"
import { Code } from "../../../src/domain/Code.ts"
import { Amount } from "../../../src/domain/Decimal.ts"
import { InvestmentId, marketName, PlanId, SubAccountId, Ticker } from "../../../src/domain/Identifiers.ts"
import type { OrderSide } from "../../../src/domain/Order.ts"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import * as Ledger from "../../../src/sandbox/engine/Ledger.ts"
import type { Operation } from "../../../src/sandbox/engine/Operation.ts"
import * as Quotes from "../../../src/sandbox/engine/Quotes.ts"
import * as Saved from "../../../src/sandbox/engine/Saved.ts"
import * as Units from "../../../src/sandbox/engine/Units.ts"
import { type Account, cancel, Desk, hash, limit, market, modify, movePrice, oco } from "../../support/engine.ts"
import { openPosition, progress, stop, stopMarket, text, transfer, units } from "../../support/engine.ts"

const perp = "BTC_PERP"
const usdt = Ticker.make("USDT")

/** cat has 11 USDT of collateral, while ben and ann have more than enough. */
const funded = (): Desk =>
  new Desk().fund("cat", "collateral", "11 USDT")
    .fund("ann", "collateral", "1000 USDT").fund("ben", "collateral", "100000 USDT")

/** cat loses 50 USDT and fees on a position, and then owes 39.0825 USDT. `before` runs while the position is open. */
const indebted = (before: (desk: Desk) => void = () => {}, account: Account = "cat"): Desk => {
  const desk = funded()
  desk.place("ben", limit(perp, "sell", "1", "100"))
  desk.place(account, limit(perp, "buy", "1", "100"))
  before(desk)
  desk.place("ben", limit(perp, "buy", "1", "50"))
  desk.place(account, limit(perp, "sell", "1", "50", { reduceOnly: true }))
  return desk
}

const createCode = (amount: string, asset = "USDT"): Operation => ({
  _tag: "CreateCode",
  ticker: Ticker.make(asset),
  amount: Amount.make(amount)
})

const notEnough = (reply: object): void => assert.propertyVal(reply, "why", "notEnoughBalance")

describe("debts from losses", () => {
  it("a loss and a fee that exceed the collateral become a debt, and the exchange gets its full fee", () => {
    const desk = indebted()
    assert.deepStrictEqual([desk.position("cat", perp), desk.free("cat", "collateral")], [undefined, ""])
    // Two fees, 0.055 and 0.0275, and a loss of 50 exceed cat's 11 USDT by this amount.
    assert.strictEqual(desk.debt("cat"), "39.0825 USDT")
    // The exchange earns the fees of cat, and of ben as the maker.
    assert.strictEqual(desk.house(), "0.0975 USDT")
  })

  it("a second loss increases the debt", () => {
    const desk = indebted((desk) => desk.send(openPosition("cat", "ETH_USDT", "buy", "0.01", "50")))
    assert.strictEqual(desk.debt("cat"), "39.0825 USDT")
    desk.send(openPosition("cat", "ETH_USDT", "sell", "0.01", "40"))
    assert.strictEqual(desk.debt("cat"), "39.1825 USDT")
  })

  it("a debt is part of the saved state", () => {
    const { state } = indebted()
    const loaded = Saved.load(Saved.save(state), Dialect.document.policy)
    assert.strictEqual(text(Ledger.debt(loaded.ledger, "cat", usdt)), "39.0825")
    assert.strictEqual(hash(loaded), hash(state))
    Ledger.transfer(loaded.ledger, "outside", Ledger.free("cat", "main"), usdt, units("100"))
    assert.notStrictEqual(hash(loaded), hash(state))
    assert.strictEqual(text(Ledger.debt(state.ledger, "cat", usdt)), "39.0825")
  })

  it("a sub-account with a debt can't be deleted", () => {
    const desk = funded().fund("sub", "collateral", "11 USDT")
    for (const [side, price] of [["buy", "100"], ["sell", "50"]] as const)
      desk.send(openPosition("sub", perp, side, "1", price))
    const remove: Operation = { _tag: "DeleteSubAccount", id: SubAccountId.make("sub") }
    assert.deepInclude(desk.call("ann", remove), { violations: [["id", { kind: "empty" }]] })
    desk.fund("sub", "main", "39 USDT")
    assert.strictEqual(desk.call("ann", remove)._tag, "Done")
  })
})

describe("paying debts", () => {
  /** cat's debt, and the free funds in the main, trade and collateral wallets. */
  const after = (desk: Desk) => [
    desk.debt("cat"),
    ...(["main", "trade", "collateral"] as const).map((wallet) => desk.free("cat", wallet))
  ]

  it("a credit pays the debt first, and only the rest becomes free", () => {
    const desk = indebted()
    desk.fund("cat", "main", "10 USDT")
    assert.deepStrictEqual(after(desk), ["29.0825 USDT", "", "", ""])
    desk.fund("cat", "trade", "1 BTC")
    assert.deepStrictEqual(after(desk), ["29.0825 USDT", "", "1 BTC", ""])
    desk.fund("cat", "trade", "30 USDT")
    assert.deepStrictEqual(after(desk), ["", "", "1 BTC, 0.9175 USDT", ""])
  })

  it("a redeemed code and an interest payment pay the debt", () => {
    const desk = indebted()
    const code = Code.make("code")
    desk.fund("ben", "main", "20 USDT")
    desk.send({ _tag: "CreateCode", account: "ben", code, ticker: usdt, amount: Amount.make("20") })
    desk.call("cat", { _tag: "ApplyCode", code })
    assert.deepStrictEqual(after(desk), ["19.0825 USDT", "", "", ""])
    const [planId, investmentId] = [PlanId.make("plan"), InvestmentId.make("first")]
    desk.send({ _tag: "PayInterest", account: "cat", planId, investmentId, ticker: usdt, amount: Amount.make("20") })
    assert.deepStrictEqual(after(desk), ["", "0.9175 USDT", "", ""])
  })

  it("a transfer between an account's own wallets pays the debt", () => {
    const desk = indebted((desk) => desk.fund("cat", "main", "100 USDT"))
    assert.deepStrictEqual(after(desk), ["39.0825 USDT", "100 USDT", "", ""])
    desk.call("cat", transfer("main", "trade", "USDT", "20"))
    assert.deepStrictEqual(after(desk), ["19.0825 USDT", "80 USDT", "", ""])
    desk.call("cat", transfer("main", "collateral", "USDT", "20"))
    assert.deepStrictEqual(after(desk), ["", "60 USDT", "", "0.9175 USDT"])
  })

  it("the proceeds of a spot order pay the debt", () => {
    const desk = indebted((desk) => desk.fund("cat", "trade", "1 BTC").fund("ben", "trade", "100 USDT"))
    desk.place("ben", limit("BTC_USDT", "buy", "1", "50"))
    desk.place("cat", limit("BTC_USDT", "sell", "1", "50"))
    // The proceeds are 50 minus a fee of 0.05. They pay the debt, and only the rest becomes free.
    assert.deepStrictEqual(after(desk), ["", "", "10.8675 USDT", ""])
  })

  it("margin reserved by an order pays the debt immediately, and funds locked by a spot order pay it once they are released", () => {
    const placed: Array<ReturnType<Desk["place"]>> = []
    const desk = indebted((desk) => {
      desk.fund("cat", "trade", "20 USDT").fund("cat", "collateral", "5 USDT")
      placed.push(desk.place("cat", limit("BTC_USDT", "buy", "1", "20")))
      placed.push(desk.place("cat", limit(perp, "buy", "1", "40")))
    })
    assert.deepStrictEqual(after(desk), ["34.0825 USDT", "", "", ""])
    for (const order of placed) desk.call("cat", cancel(order))
    assert.deepStrictEqual(after(desk), ["14.0825 USDT", "", "", ""])
  })

  it("the profit of another position pays the debt", () => {
    const desk = indebted((desk) => desk.send(openPosition("cat", "ETH_USDT", "buy", "1", "5")))
    desk.send(openPosition("cat", "ETH_USDT", "sell", "1", "50"))
    assert.deepStrictEqual(after(desk), ["", "", "", "5.9175 USDT"])
  })

  it("the counterparty's automatic credit pays its debt, so its balances show its full loss", () => {
    const desk = funded()
    desk.send(movePrice(perp, "100"))
    desk.send({
      _tag: "SetCounterparty",
      market: marketName(perp),
      levels: 1,
      amount: Amount.make("1"),
      variation: "0" as never
    })
    desk.call("ann", market(perp, "buy", "1"))
    desk.send(movePrice(perp, "1000"))
    desk.call("ann", market(perp, "sell", "1"))
    assert.strictEqual(desk.debt(Quotes.account), "")
    assert.deepStrictEqual([desk.book(perp, "bids"), desk.book(perp, "asks")], [["1 @ 999.5"], ["1 @ 1000.5"]])
    const held = [true, false].map((locked) =>
      Ledger.balance(desk.state.ledger, { account: Quotes.account, wallet: "collateral", locked }, usdt)
    )
    const loss = (desk.state.counterparty.credited.get(usdt) ?? 0n) - held.reduce((sum, units) => sum + units)
    // The counterparty sold for 100.1, bought back for 999.5, and paid a fee of 0.01 % on both.
    assert.strictEqual(text(loss), "899.50996")
  })
})

describe("accounts with a debt", () => {
  it("an account with a debt can't open a position on any market until the debt is paid", () => {
    const desk = indebted()
    const asked: ReadonlyArray<Operation> = [
      limit(perp, "buy", "0.1", "50"),
      limit("ETH_USDT", "buy", "1", "10", { collateral: true }),
      market(perp, "buy", "0.1"),
      stop(perp, "buy", "0.1", "60", "60"),
      stopMarket(perp, "buy", "0.1", "60", { collateral: true }),
      oco(perp, "buy", "0.2", "40", "60", "60")
    ]
    desk.place("ben", limit(perp, "sell", "1", "60"))
    for (const operation of asked) notEnough(desk.call("cat", operation))
    notEnough(desk.send(openPosition("cat", perp, "buy", "0.1", "50")).reply)
    desk.fund("cat", "collateral", "139 USDT")
    for (const operation of asked) assert.notProperty(desk.call("cat", operation), "why")
  })

  it("an account with a debt can close its positions", () => {
    const desk = indebted((desk) => {
      desk.fund("cat", "collateral", "1 USDT")
      desk.send(openPosition("cat", "ETH_USDT", "buy", "0.2", "50"))
    })
    const resting = desk.place("cat", limit("ETH_USDT", "sell", "0.1", "50", { collateral: true }))
    const modified = desk.call("cat", modify(resting, { amount: Amount.make("0.2") }))
    assert.strictEqual(modified._tag === "OrderModified" && progress(modified.order), "NEW 0 of 0.2")
    notEnough(desk.call("cat", limit("ETH_USDT", "sell", "0.3", "50", { collateral: true })))
    desk.place("ben", limit("ETH_USDT", "buy", "0.2", "50", { collateral: true }))
    assert.isUndefined(desk.position("cat", "ETH_USDT"))
    assert.strictEqual(desk.debt("cat"), "38.0925 USDT")
  })

  it("a debtor's resting order that would open a position is canceled when it would be the next to trade", () => {
    let resting: ReturnType<Desk["place"]> | undefined
    const desk = indebted((desk) => {
      desk.fund("cat", "collateral", "5 USDT")
      resting = desk.place("cat", limit(perp, "buy", "1", "40"))
    })
    assert.strictEqual(desk.debt("cat"), "34.0825 USDT")
    // A modified order would need a new lock.
    notEnough(desk.call("cat", modify(resting ?? assert.fail("rests"), { amount: Amount.make("0.5") })))
    desk.place("ben", limit(perp, "sell", "1", "40"))
    assert.strictEqual(resting && progress(resting), "CANCELED 0 of 1")
    assert.deepStrictEqual([desk.position("cat", perp), desk.debt("cat")], [undefined, "34.0825 USDT"])
  })

  it("an account can't spend the owed asset on a code, a plan or a spot order", () => {
    const planId = PlanId.make("plan")
    let resting: ReturnType<Desk["place"]> | undefined
    const desk = indebted((desk) => {
      desk.fund("cat", "main", "100 USDT", "1 BTC").fund("cat", "trade", "100 USDT", "1 BTC")
      resting = desk.place("cat", limit("BTC_USDT", "buy", "1", "20"))
      desk.send({ _tag: "OpenPlan", planId, ticker: usdt, dailyPercent: Amount.make("1"), days: 2 })
    })
    const leave = [
      () => desk.call("cat", createCode("1")),
      () =>
        desk.send({
          _tag: "Invest",
          account: "cat",
          planId,
          investmentId: InvestmentId.make("first"),
          amount: Amount.make("1")
        }).reply,
      () => desk.call("cat", limit("BTC_USDT", "buy", "1", "10")),
      () => desk.call("cat", market("BTC_USDT", "buy", "10", { quoteAmount: true })),
      () =>
        resting === undefined ? assert.fail("rests") : desk.call("cat", modify(resting, { amount: Amount.make("0.5") }))
    ]
    for (const attempt of leave) notEnough(attempt())
    assert.strictEqual(desk.call("cat", createCode("1", "BTC"))._tag, "CodeCreated")
    desk.place("cat", limit("BTC_USDT", "sell", "1", "100"))
    desk.call("cat", transfer("main", "collateral", "USDT", "40"))
    for (const attempt of leave) assert.notProperty(attempt(), "why")
  })
})

describe("self-trades at prices that the account chooses", () => {
  /** Fills one of ann's spot orders against one of her margin orders. */
  const wash = (desk: Desk, spot: OrderSide, price: string, isSpotFirst: boolean): void => {
    const orders = [
      limit("BTC_USDT", spot, "0.5", price),
      limit("BTC_USDT", spot === "buy" ? "sell" : "buy", "0.5", price, { collateral: true })
    ]
    for (const order of isSpotFirst ? orders : orders.toReversed()) desk.call("ann", order)
  }

  /** ann's balances of an asset in all wallets, minus her debt in it. */
  const worth = ({ state: { ledger } }: Desk, asset: string): Units.Units => {
    let sum = -Ledger.debt(ledger, "ann", Ticker.make(asset))
    for (const wallet of ["main", "trade", "collateral"] as const) {
      for (const locked of [true, false])
        sum += Ledger.balance(ledger, { account: "ann", wallet, locked }, Ticker.make(asset))
    }
    return sum
  }

  const cases = (["buy", "sell"] as const).flatMap((first) =>
    [true, false].flatMap((isOpenedBySpot) =>
      [true, false].map((isClosedBySpot) => ({ first, isOpenedBySpot, isClosedBySpot }))
    )
  )

  it.each(cases)("three rounds of self-trades create no money: %o", ({ first, isClosedBySpot, isOpenedBySpot }) => {
    const desk = new Desk().fund("ann", "trade", "90000 USDT", "2 BTC").fund("ann", "collateral", "10000 USDT")
    const [opening, closing] = first === "buy" ? ["10000", "90000"] as const : ["90000", "10000"] as const
    for (const _ of [1, 2, 3]) {
      wash(desk, first, opening, isOpenedBySpot)
      wash(desk, first === "buy" ? "sell" : "buy", closing, isClosedBySpot)
      desk.call("ann", { _tag: "CancelAll" })
      // The trade that closes the short position at a loss is also the spot sale, whose proceeds pay for the loss.
      if (first === "buy") assert.strictEqual(desk.debt("ann"), "")
    }
    assert.isAbove(desk.trades("BTC_USDT").length, 1)
    for (const wallet of ["trade", "collateral"] as const) {
      const free = Ledger.balance(desk.state.ledger, Ledger.free("ann", wallet), usdt)
      if (free > 0n) desk.call("ann", transfer(wallet, "main", "USDT", text(free)))
    }
    assert.isTrue(worth(desk, "USDT") <= units("100000"), text(worth(desk, "USDT")))
    assert.isTrue(worth(desk, "BTC") <= units("2"), text(worth(desk, "BTC")))
    const main = Ledger.balance(desk.state.ledger, Ledger.free("ann", "main"), usdt)
    notEnough(desk.call("ann", createCode(text(units("100000") + 1n))))
    assert.isTrue(main === 0n || desk.debt("ann") === "", "free funds next to a debt")
  })
})

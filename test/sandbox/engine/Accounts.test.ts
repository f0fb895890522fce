import { assert, describe, it } from "@effect/vitest"
import { Price } from "../../../src/domain/Decimal.ts"
import { ApiKey, marketName, SubAccountId } from "../../../src/domain/Identifiers.ts"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import * as Ledger from "../../../src/sandbox/engine/Ledger.ts"
import { Desk, limit, market, transfer } from "../../support/engine.ts"

const deleted = { _tag: "DeleteSubAccount", id: SubAccountId.make("sub") } as const

const notEmpty = { violations: [["id", { kind: "empty" }]] } as const

describe("deleting a sub-account", () => {
  it("deleting a sub-account deletes its keys", () => {
    const desk = new Desk()
    assert.strictEqual(desk.call("ann", deleted)._tag, "Done")
    assert.deepStrictEqual([desk.state.keys.has(ApiKey.make("sub")), desk.state.accounts.has("sub")], [false, false])
    assert.propertyVal(desk.call("sub", { _tag: "Nothing" }), "why", "notFound")
  })

  it("only the parent account can delete a sub-account", () => {
    for (const account of ["ben", "sub"] as const) {
      assert.deepInclude(new Desk().call(account, deleted), { violations: [["id", { kind: "known" }]] })
    }
  })

  for (const wallet of ["main", "trade", "collateral"] as const) {
    it(`a sub-account is not deleted while its ${wallet} wallet has a balance`, () => {
      assert.deepInclude(new Desk().fund("sub", wallet, "0.000001 BTC").call("ann", deleted), notEmpty)
    })
  }

  it("a sub-account is not deleted while orders lock its entire balance", () => {
    const desk = new Desk().fund("sub", "trade", "100 USDT")
    desk.place("sub", limit("BTC_USDT", "buy", "1", "100"))
    assert.deepInclude(desk.call("ann", deleted), notEmpty)
    assert.deepStrictEqual(desk.book("BTC_USDT", "bids"), ["1 @ 100"])
  })
})

describe("deleting a sub-account that has only a position", () => {
  /**
   * Closes half of the position at a loss that empties the wallet. A higher mark price protects the rest from
   * liquidation.
   */
  const ruined = () => {
    const desk = new Desk().fund("sub", "collateral", "11 USDT").fund("ben", "collateral", "1000 USDT")
    desk.place("ben", limit("BTC_PERP", "sell", "1", "100"))
    desk.place("sub", limit("BTC_PERP", "buy", "1", "100"))
    desk.send({ _tag: "MoveMark", market: marketName("BTC_PERP"), price: Price.make("110") })
    desk.place("ben", limit("BTC_PERP", "buy", "0.5", "50"))
    desk.place("sub", market("BTC_PERP", "sell", "0.5", { reduceOnly: true }))
    assert.deepStrictEqual([desk.position("sub", "BTC_PERP"), desk.free("sub", "collateral")], ["0.5 for 50", ""])
    return desk
  }

  it("a sub-account with a position and empty wallets is not deleted", () => {
    assert.deepInclude(ruined().call("ann", deleted), notEmpty)
  })
})

describe("transfers between wallets", () => {
  it("a transfer moves free funds between an account's wallets", () => {
    const desk = new Desk().fund("ann", "main", "100 USDT")
    assert.strictEqual(desk.call("ann", transfer("main", "trade", "USDT", "60"))._tag, "Done")
    assert.deepStrictEqual([desk.free("ann", "main"), desk.free("ann", "trade")], ["40 USDT", "60 USDT"])
  })

  it("a transfer does not move funds that orders have locked", () => {
    const desk = new Desk().fund("ann", "trade", "100 USDT")
    desk.place("ann", limit("BTC_USDT", "buy", "0.5", "100"))
    assert.propertyVal(desk.call("ann", transfer("trade", "main", "USDT", "50.01")), "why", "notEnoughBalance")
    assert.strictEqual(desk.call("ann", transfer("trade", "main", "USDT", "50"))._tag, "Done")
  })
})

describe("funding an account", () => {
  it("funding credits the exact amount, which comes from outside the exchange", () => {
    const desk = new Desk().fund("ann", "main", "0.000000000000000001 BTC")
    assert.strictEqual(desk.free("ann", "main"), "0.000000000000000001 BTC")
    assert.strictEqual(Ledger.balances(desk.state.ledger, "outside").size, 1)
    for (const [ticker, total] of Ledger.totals(desk.state.ledger)) assert.strictEqual(total, 0n, ticker)
  })

  it("funding refuses an amount with too many digits", () => {
    const desk = new Desk().fund("ann", "main", "0.0000000000000000001 BTC")
    assert.strictEqual(desk.free("ann", "main"), "")
  })
})

describe("a sub-account's transfers", () => {
  const withPermissions = (dialect: Dialect.Dialect, spotEnabled: boolean, collateralEnabled: boolean): Desk => {
    const desk = new Desk(dialect.policy).fund("sub", "main", "10 USDT").fund("sub", "trade", "10 USDT")
    desk.send({ _tag: "SetSubAccount", id: SubAccountId.make("sub"), spotEnabled, collateralEnabled })
    return desk
  }
  const notPermitted = {
    why: "transferNotPermitted",
    violations: [["error", { kind: "transferable", needs: "permission" }]]
  } as const

  it("under the live policy, a sub-account needs the permission for the wallet to which it transfers", () => {
    const desk = withPermissions(Dialect.live, true, false)
    assert.strictEqual(desk.call("sub", transfer("main", "trade", "USDT", "1"))._tag, "Done")
    for (const from of ["main", "trade"] as const) {
      assert.deepInclude(desk.call("sub", transfer(from, "collateral", "USDT", "1")), notPermitted)
    }
    assert.strictEqual(desk.call("sub", transfer("trade", "main", "USDT", "1"))._tag, "Done")
    const other = withPermissions(Dialect.live, false, true)
    assert.deepInclude(other.call("sub", transfer("main", "trade", "USDT", "1")), notPermitted)
    assert.strictEqual(other.call("sub", transfer("main", "collateral", "USDT", "1"))._tag, "Done")
  })

  it("under the document's policy, a sub-account can transfer to any wallet", () => {
    const desk = withPermissions(Dialect.document, false, false)
    for (const to of ["trade", "collateral"] as const) {
      assert.strictEqual(desk.call("sub", transfer("main", to, "USDT", "1"))._tag, "Done")
    }
  })
})

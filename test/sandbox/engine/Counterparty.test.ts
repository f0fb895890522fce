import { assert, describe, it } from "@effect/vitest"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { Amount } from "../../../src/domain/Decimal.ts"
import { MarketName, marketName, Ticker } from "../../../src/domain/Identifiers.ts"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import type { Action } from "../../../src/sandbox/engine/Command.ts"
import * as Engine from "../../../src/sandbox/engine/Engine.ts"
import * as Ledger from "../../../src/sandbox/engine/Ledger.ts"
import type { Quoting } from "../../../src/sandbox/engine/Quotes.ts"
import * as Saved from "../../../src/sandbox/engine/Saved.ts"
import type { SetCounterpartyOptions } from "../../../src/sandbox/engine/SetCounterparty.ts"
import { pack, unpack } from "../../../src/sandbox/store/Packed.ts"
import { canonical, Desk, fund, hash, limit, market, movePrice, progress, stop, text } from "../../support/engine.ts"

const btcUsdt = marketName("BTC_USDT")

/** Quotes at whole prices around 100: bids at 99, 98, …, and asks at 101, 102, … */
const plain = {
  market: btcUsdt,
  spread: Decimal.of("2"),
  step: Decimal.of("1"),
  levels: 3,
  amount: Amount.make("2"),
  variation: Decimal.zero
} as const

const set = (options: SetCounterpartyOptions): Action => ({ _tag: "SetCounterparty", ...options })

/** Returns a `Desk` whose market has a price of 100 and a counterparty. */
const quoted = (options: Partial<SetCounterpartyOptions> = {}): Desk => {
  const desk = new Desk()
  desk.send(movePrice("BTC_USDT", "100"))
  assert.strictEqual(desk.send(set({ ...plain, ...options })).reply._tag, "Done")
  return desk.fund("ann", "trade", "10000 USDT", "100 BTC").fund("ben", "trade", "10000 USDT", "100 BTC")
}

const quotingOf = (desk: Desk, market: MarketName = btcUsdt): Quoting =>
  desk.state.counterparty.markets.get(market) ?? assert.fail("quotes nothing")

const held = (desk: Desk, ticker: string): bigint =>
  (["trade", "collateral"] as const).reduce(
    (sum, wallet) =>
      [true, false].reduce(
        (sum, locked) =>
          sum +
          Ledger.balance(desk.state.ledger, { account: "counterparty", wallet, locked }, Ticker.make(ticker)),
        sum
      ),
    0n
  )

const credited = (desk: Desk, ticker: string): bigint => desk.state.counterparty.credited.get(Ticker.make(ticker)) ?? 0n

const book = (desk: Desk, name = "BTC_USDT") => [desk.book(name, "bids"), desk.book(name, "asks")]

describe("the counterparty's quotes", () => {
  it("the counterparty is off until the owner enables it", () => {
    const desk = new Desk()
    desk.send(movePrice("BTC_USDT", "100"))
    assert.deepStrictEqual(book(desk), [[], []])
    assert.notProperty(Saved.save(desk.state), "counterparty")
  })

  it("the counterparty quotes around the owner's price, and a market order trades with it", () => {
    const desk = quoted()
    assert.deepStrictEqual(book(desk), [["2 @ 99", "2 @ 98", "2 @ 97"], ["2 @ 101", "2 @ 102", "2 @ 103"]])
    const order = desk.place("ann", market("BTC_USDT", "buy", "3"))
    assert.strictEqual(progress(order), "FILLED 3 of 3")
    assert.deepStrictEqual(desk.trades("BTC_USDT"), ["2 @ 101", "1 @ 102"])
  })

  it("the counterparty replaces a taken quote behind other orders at that price, and leaves its other quotes in place", () => {
    const desk = quoted()
    const before = quotingOf(desk).quotes.map(({ order }) => order)
    desk.place("ben", limit("BTC_USDT", "sell", "1", "101"))
    desk.place("ann", market("BTC_USDT", "buy", "1"))
    assert.deepStrictEqual(desk.book("BTC_USDT", "asks"), ["1 @ 101", "2 @ 101", "2 @ 102", "2 @ 103"])
    assert.deepStrictEqual(
      quotingOf(desk).quotes.map(({ order }, index) => order === before[index]),
      [true, true, true, false, true, true]
    )
    desk.place("ann", market("BTC_USDT", "buy", "1.5"))
    assert.deepStrictEqual(desk.book("BTC_USDT", "asks"), ["2 @ 101", "2 @ 102", "2 @ 103"])
  })

  it("with `refill` off, the counterparty replaces taken quotes at the next price move", () => {
    const desk = quoted({ refill: false })
    desk.place("ann", market("BTC_USDT", "buy", "3"))
    assert.deepStrictEqual(desk.book("BTC_USDT", "asks"), ["1 @ 102", "2 @ 103"])
    desk.send(movePrice("BTC_USDT", "100"))
    assert.deepStrictEqual(desk.book("BTC_USDT", "asks"), ["2 @ 101", "2 @ 102", "2 @ 103"])
  })

  it("price moves fill accounts' orders, but not the counterparty's quotes", () => {
    const desk = quoted()
    desk.place("ann", limit("BTC_USDT", "buy", "1", "98.5"))
    const { events } = desk.send(movePrice("BTC_USDT", "50"))
    const traded = events.flatMap((event) => event._tag === "Traded" ? [text(event.price)] : [])
    assert.deepStrictEqual(traded, ["98.5"])
    assert.deepStrictEqual(book(desk), [["2 @ 49.5", "2 @ 49", "2 @ 48.5"], ["2 @ 50.5", "2 @ 51", "2 @ 51.5"]])
    assert.deepStrictEqual(desk.trades("BTC_USDT"), ["1 @ 98.5"])
    assert.strictEqual(held(desk, "BTC"), credited(desk, "BTC"))
    assert.strictEqual(held(desk, "USDT"), credited(desk, "USDT"))
  })

  it("after a price move, the counterparty quotes again before stop orders are triggered", () => {
    const desk = quoted()
    const order = desk.place("ann", stop("BTC_USDT", "sell", "3", "80", "90"))
    desk.send(movePrice("BTC_USDT", "90"))
    assert.strictEqual(progress(order), "FILLED 3 of 3")
    assert.deepStrictEqual(desk.trades("BTC_USDT"), ["2 @ 89.1", "1 @ 88.2"])
    // The quote that the stop order took has been replaced.
    assert.deepStrictEqual(desk.book("BTC_USDT", "bids"), ["2 @ 89.1", "2 @ 88.2", "2 @ 87.3"])
  })

  it("the counterparty follows a price path step by step, even if several steps come due at once", () => {
    const desk = quoted()
    desk.place("ann", limit("BTC_USDT", "sell", "1", "150"))
    desk.send({
      _tag: "PlayPrices",
      market: btcUsdt,
      steps: [{ afterMillis: 100, price: Decimal.price("200") }, { afterMillis: 100, price: Decimal.price("90") }]
    })
    desk.send({ _tag: "Pass" })
    assert.deepStrictEqual(desk.trades("BTC_USDT"), ["1 @ 150"])
    assert.deepStrictEqual(desk.book("BTC_USDT", "asks"), ["2 @ 90.9", "2 @ 91.8", "2 @ 92.7"])
  })

  it("a price path gives the same state whether time advances in one command or in many", () => {
    const play = (passes: ReadonlyArray<number>) => {
      const desk = quoted({ variation: Decimal.of("30") })
      for (const price of ["95", "90"]) desk.place("ann", stop("BTC_USDT", "sell", "3", "80", price))
      const steps = ["96", "94", "97", "89"].map((price) => ({ afterMillis: 1000, price: Decimal.Price.make(price) }))
      desk.send({ _tag: "PlayPrices", market: btcUsdt, steps })
      const begun = desk.state.at
      for (const pass of passes) Engine.apply(desk.state, { at: begun + pass * 1000, action: { _tag: "Pass" } })
      assert.lengthOf(desk.trades("BTC_USDT"), 4)
      return hash(desk.state)
    }
    assert.strictEqual(play([10_000]), play([500, 1000, 2500, 3000, 4000, 4100, 10_000]))
  })

  it("the counterparty is never the taker, and skips a level that would trade with an order", () => {
    const desk = quoted()
    desk.place("ann", limit("BTC_USDT", "buy", "7", "102.5"))
    assert.deepStrictEqual(desk.trades("BTC_USDT"), ["2 @ 101", "2 @ 102"])
    assert.deepStrictEqual(book(desk), [["3 @ 102.5", "2 @ 99", "2 @ 98", "2 @ 97"], ["2 @ 103"]])
    desk.place("ben", market("BTC_USDT", "sell", "4"))
    assert.deepStrictEqual(book(desk), [["2 @ 99", "2 @ 98", "2 @ 97"], ["2 @ 101", "2 @ 102", "2 @ 103"]])
  })

  it("the counterparty quotes nothing before the first price", () => {
    const desk = new Desk()
    desk.send(set(plain))
    assert.deepStrictEqual(book(desk), [[], []])
    desk.send(movePrice("BTC_USDT", "100"))
    assert.lengthOf(desk.book("BTC_USDT", "bids"), 3)
  })

  it("the counterparty withdraws its quotes when it is disabled, and quotes around the latest price when it is enabled again", () => {
    const desk = quoted()
    desk.send(set({ market: btcUsdt, enabled: false }))
    assert.deepStrictEqual(book(desk), [[], []])
    assert.isTrue(held(desk, "USDT") > 0n)
    desk.send(movePrice("BTC_USDT", "200"))
    assert.deepStrictEqual(book(desk), [[], []])
    desk.send(set({ market: btcUsdt, enabled: true, levels: 1 }))
    assert.deepStrictEqual(book(desk), [["2 @ 198"], ["2 @ 202"]])
  })

  it("without credit, the counterparty quotes only what its funds cover", () => {
    const desk = quoted({ credit: false })
    assert.deepStrictEqual(book(desk), [[], []])
    desk.send(fund("counterparty", "trade", "BTC", "4"))
    assert.deepStrictEqual(book(desk), [[], ["2 @ 101", "2 @ 102"]])
    desk.place("ann", market("BTC_USDT", "buy", "4"))
    // The counterparty buys with the funds that it has earned.
    desk.send(movePrice("BTC_USDT", "100"))
    assert.deepStrictEqual(book(desk), [["2 @ 99", "2 @ 98"], []])
    assert.strictEqual(text(credited(desk, "BTC")), "4")
    assert.strictEqual(text(credited(desk, "USDT")), "0")
  })

  it("on a futures market, the counterparty's quotes open positions", () => {
    const desk = new Desk().fund("ann", "collateral", "1000 USDT")
    desk.send(movePrice("BTC_PERP", "100"))
    desk.send(set({ ...plain, market: marketName("BTC_PERP") }))
    assert.lengthOf(desk.book("BTC_PERP", "asks"), 3)
    desk.place("ann", market("BTC_PERP", "buy", "3", { collateral: true }))
    assert.strictEqual(desk.position("ann", "BTC_PERP"), "3 for 304")
    assert.deepStrictEqual(desk.book("BTC_PERP", "asks"), ["2 @ 101", "2 @ 102", "2 @ 103"])
    const short = desk.state.positions.get("counterparty/BTC_PERP")
    assert.strictEqual(short && text(short.amount), "-3")
  })

  it("quotes are at least one tick apart, and always above zero", () => {
    const desk = new Desk()
    desk.send(movePrice("BTC_USDT", "0.03"))
    desk.send(set({ ...plain, amount: Amount.make("1000") }))
    assert.deepStrictEqual(book(desk), [["1000 @ 0.02", "1000 @ 0.01"], ["1000 @ 0.04", "1000 @ 0.05", "1000 @ 0.06"]])
  })

  it("the counterparty draws its amounts from a seed, and continues the same sequence after a saved state is loaded", () => {
    const varied = { variation: Decimal.of("40"), levels: 20, seed: 7 }
    const desk = quoted(varied)
    const amounts = quotingOf(desk).quotes.map(({ amount }) => Number(amount / 10n ** 12n))
    assert.isTrue(amounts.every((amount) => amount >= 1_200_000 && amount <= 2_800_000), amounts.join())
    assert.isAbove(new Set(amounts).size, 35)
    assert.strictEqual(hash(quoted(varied).state), hash(desk.state))
    assert.notStrictEqual(hash(quoted({ ...varied, seed: 8 }).state), hash(desk.state))
    const copy = Saved.load(unpack(pack(Saved.save(desk.state))) as Saved.Saved, Dialect.document.policy)
    assert.strictEqual(hash(copy), hash(desk.state))
    for (const state of [copy, desk.state]) Engine.apply(state, { at: 2e15, action: movePrice("BTC_USDT", "80") })
    assert.strictEqual(hash(copy), hash(desk.state))
  })

  it("the default amount of a quote is worth a thousand times the minimum total", () => {
    const desk = new Desk()
    desk.send(movePrice("BTC_USDT", "40000"))
    desk.send(set({ market: btcUsdt, variation: Decimal.zero, levels: 1 }))
    assert.deepStrictEqual(book(desk), [["0.125 @ 39980"], ["0.125 @ 40020"]])
  })

  it("the counterparty's work per command is limited by its number of levels, and unfilled quotes are not stored in the history", () => {
    const desk = quoted({ levels: 50, step: Decimal.of("0.1") })
    for (let price = 90; price < 110; price++) {
      const { events } = desk.send(movePrice("BTC_USDT", String(price)))
      assert.isAtMost(events.filter(({ _tag }) => _tag === "OrderPlaced" || _tag === "OrderEnded").length, 200)
    }
    assert.strictEqual(desk.state.openOrders.size, 100)
    assert.isUndefined(desk.state.endedOrders.get("counterparty"))
    const { events } = desk.send({
      _tag: "Call",
      apiKey: "ann" as never,
      operation: market("BTC_USDT", "buy", "3")
    })
    assert.isAtMost(events.length, 20)
    assert.strictEqual(desk.state.endedOrders.get("counterparty")?.length, 2)
  })

  it("the counterparty's account can't be opened, and can't be given a key", () => {
    const desk = quoted()
    assert.isFalse(desk.state.accounts.has("counterparty"))
    for (
      const [action, field] of [
        [{ _tag: "OpenAccount", account: "counterparty", b2b: true }, "account"],
        [
          {
            _tag: "AddKey",
            account: "counterparty",
            apiKey: "k" as never,
            apiSecret: "",
            title: "",
            type: "1",
            enabled: true
          },
          "account"
        ]
      ] as const
    ) {
      const { reply } = desk.send(action)
      assert.strictEqual(reply._tag === "Invalid" ? reply.violations[0]?.[0] : reply._tag, field, canonical(reply))
    }
  })

  for (
    const [what, options, field] of [
      ["an unknown market", { market: MarketName.make("NO_SUCH") }, "market"],
      ["a spread of zero", { spread: Decimal.zero }, "spread"],
      ["a spread of more than half the price", { spread: Decimal.of("50.1") }, "spread"],
      ["no levels", { levels: 0 }, "levels"],
      ["too many levels", { levels: 51 }, "levels"],
      ["a step below zero", { step: Decimal.of("-0.1") }, "step"],
      ["a step of more than one percent", { step: Decimal.of("1.01") }, "step"],
      ["an amount that the market does not trade", { amount: Amount.make("0.000001") }, "amount"],
      ["a variation of more than 100 percent", { variation: Decimal.of("101") }, "variation"]
    ] as const
  ) {
    it(`the counterparty refuses ${what}, and nothing changes`, () => {
      const desk = quoted()
      const before = canonical({ ...Saved.save(desk.state), at: 0 })
      const { reply } = desk.send(set({ market: btcUsdt, ...options }))
      assert.deepStrictEqual(reply._tag === "Invalid" && reply.violations.map(([field]) => field), [field])
      assert.strictEqual(canonical({ ...Saved.save(desk.state), at: 0 }), before)
    })
  }
})

import { assert, describe, it } from "@effect/vitest"
import { ClientOrderId, OrderId } from "../../../src/domain/Identifiers.ts"
import type { Operation } from "../../../src/sandbox/engine/Operation.ts"
import type { Order } from "../../../src/sandbox/engine/Order.ts"
import type * as Reply from "../../../src/sandbox/engine/Reply.ts"
import { type Account, cancel, canonical, Desk, limit, progress } from "../../support/engine.ts"
import { apartFromActivity } from "./invariants.ts"

const btc = "BTC_USDT"

const funded = (): Desk => {
  const desk = new Desk()
  for (const account of ["ann", "ben"] as const) desk.fund(account, "trade", "10 BTC", "10000 USDT")
  return desk
}

/** Describes an order's outcome in a short string. */
const said = (reply: Reply.Reply): string => {
  if (reply._tag === "Invalid") {
    return reply.violations.map(([field, { kind }]) => `${field}: ${kind}`).join()
  }
  if (reply._tag === "Refused") return [reply.why, ...(reply.violations ?? []).map(([field]) => field)].join(" ")
  return "order" in reply ? progress(reply.order as Order) : canonical(reply)
}

const repliesOf = (desk: Desk, account: Account, operation: Operation) => {
  const reply = desk.call(account, operation)
  return reply._tag === "BulkDone" ? reply.replies.map(said) : assert.fail(canonical(reply))
}

const good = limit(btc, "buy", "1", "100")
const tooMuch = limit(btc, "buy", "1", "1000000")

describe("bulk commands", () => {
  it("a bulk command places its orders in sequence, and accepts or refuses each order separately", () => {
    const desk = funded()
    assert.deepStrictEqual(
      repliesOf(desk, "ann", { _tag: "PlaceBulk", orders: [good, tooMuch, limit(btc, "sell", "2", "110")] }),
      ["NEW 0 of 1", "notEnoughBalance amount", "NEW 0 of 2"]
    )
    assert.deepStrictEqual([desk.book(btc, "bids"), desk.book(btc, "asks")], [["1 @ 100"], ["2 @ 110"]])
    assert.deepStrictEqual(desk.locked("ann", "trade"), "2 BTC, 100 USDT")
  })

  it("with `stopOnFail`, a bulk command stops at the first refused order", () => {
    const desk = funded()
    assert.deepStrictEqual(
      repliesOf(desk, "ann", { _tag: "PlaceBulk", orders: [good, tooMuch, good], stopOnFail: true }),
      ["NEW 0 of 1", "notEnoughBalance amount"]
    )
    assert.deepStrictEqual(desk.book(btc, "bids"), ["1 @ 100"])
  })

  it("orders in a bulk command can trade with earlier orders in the command, and use only the remaining funds", () => {
    const desk = funded()
    desk.place("ben", limit(btc, "sell", "2", "100"))
    const orders = [limit(btc, "buy", "3", "100"), limit(btc, "sell", "1", "100"), limit(btc, "buy", "98", "100")]
    assert.deepStrictEqual(repliesOf(desk, "ann", { _tag: "PlaceBulk", orders }), [
      "FILLED 3 of 3",
      "FILLED 1 of 1",
      "notEnoughBalance amount"
    ])
  })

  it("if orders in a bulk command share a client order id, only the first is placed", () => {
    const desk = funded()
    const named = limit(btc, "buy", "1", "90", { clientOrderId: ClientOrderId.make("mine") })
    assert.deepStrictEqual(repliesOf(desk, "ann", { _tag: "PlaceBulk", orders: [named, named] }), [
      "NEW 0 of 1",
      "clientOrderId: unique"
    ])
  })

  it("a bulk command whose orders are all refused changes nothing", () => {
    const desk = funded()
    const before = apartFromActivity(desk.state)
    const { events } = desk.send({
      _tag: "Call",
      apiKey: "ann" as never,
      operation: { _tag: "PlaceBulk", orders: [tooMuch, tooMuch] }
    })
    assert.isEmpty(events)
    assert.strictEqual(apartFromActivity(desk.state), before)
  })

  it("a bulk cancellation cancels its orders in sequence, and reports other accounts' orders, closed orders and unknown ids as not found", () => {
    const desk = funded()
    const [one, two] = [desk.place("ann", good), desk.place("ann", good)]
    const strange = desk.place("ben", good)
    const orders = [
      cancel(one),
      cancel(one),
      cancel(strange),
      { ...cancel(two), orderId: OrderId.make("99999") },
      cancel(two)
    ]
    assert.deepStrictEqual(repliesOf(desk, "ann", { _tag: "CancelBulk", orders }), [
      "CANCELED 0 of 1",
      "orderNotFound orderId",
      "orderNotFound orderId",
      "orderNotFound orderId",
      "CANCELED 0 of 1"
    ])
    assert.deepStrictEqual(desk.book(btc, "bids"), ["1 @ 100"])
  })
})

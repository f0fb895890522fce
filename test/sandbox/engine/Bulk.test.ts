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

/** What became of an order, in a few words. */
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

describe("many orders in one command", () => {
  it("are placed one after the other, and each is refused for itself", () => {
    const desk = funded()
    assert.deepStrictEqual(
      repliesOf(desk, "ann", { _tag: "PlaceBulk", orders: [good, tooMuch, limit(btc, "sell", "2", "110")] }),
      ["NEW 0 of 1", "notEnoughBalance amount", "NEW 0 of 2"]
    )
    assert.deepStrictEqual([desk.book(btc, "bids"), desk.book(btc, "asks")], [["1 @ 100"], ["2 @ 110"]])
    assert.deepStrictEqual(desk.locked("ann", "trade"), "2 BTC, 100 USDT")
  })

  it("stop at the first that is refused, where they are to", () => {
    const desk = funded()
    assert.deepStrictEqual(
      repliesOf(desk, "ann", { _tag: "PlaceBulk", orders: [good, tooMuch, good], stopOnFail: true }),
      ["NEW 0 of 1", "notEnoughBalance amount"]
    )
    assert.deepStrictEqual(desk.book(btc, "bids"), ["1 @ 100"])
  })

  it("trade with those before them, and pay with what those have left", () => {
    const desk = funded()
    desk.place("ben", limit(btc, "sell", "2", "100"))
    const orders = [limit(btc, "buy", "3", "100"), limit(btc, "sell", "1", "100"), limit(btc, "buy", "98", "100")]
    assert.deepStrictEqual(repliesOf(desk, "ann", { _tag: "PlaceBulk", orders }), [
      "FILLED 3 of 3",
      "FILLED 1 of 1",
      "notEnoughBalance amount"
    ])
  })

  it("each client order id is taken by the first of them", () => {
    const desk = funded()
    const named = limit(btc, "buy", "1", "90", { clientOrderId: ClientOrderId.make("mine") })
    assert.deepStrictEqual(repliesOf(desk, "ann", { _tag: "PlaceBulk", orders: [named, named] }), [
      "NEW 0 of 1",
      "clientOrderId: unique"
    ])
  })

  it("that are all refused leave everything as it is", () => {
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

  it("are canceled one after the other: a stranger's order, one that ended and none at all are not there", () => {
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

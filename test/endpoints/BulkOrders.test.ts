import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { ClientOrderId, OrderId } from "../../src/domain/Identifiers.ts"
import { ActiveOrders } from "../../src/endpoints/ActiveOrders.ts"
import * as BulkLimitOrders from "../../src/endpoints/BulkLimitOrders.ts"
import { CancelBulkOrders, type Request as Cancelations } from "../../src/endpoints/CancelBulkOrders.ts"
import { CollateralBulkLimitOrders } from "../../src/endpoints/CollateralBulkLimitOrders.ts"
import { OpenPositions } from "../../src/endpoints/OpenPositions.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import * as Json from "../../src/protocol/Json.ts"
import { Control } from "../../src/sandbox/control/Control.ts"
import * as Faults from "../../src/sandbox/gateway/Faults.ts"
import { answered } from "../support/exchange.ts"
import {
  amount,
  asBob,
  btcPerp,
  btcUsdt,
  dialects,
  failsWith,
  limit,
  perp,
  price,
  raw,
  same,
  trade,
  traders,
  usdt
} from "../support/trading.ts"
import { entryOf } from "./fixtures/all.ts"

type Order = BulkLimitOrders.Request["orders"][number]

const order = (side: "buy" | "sell", of: string, at: string, more: object = {}): Order => ({
  market: btcUsdt,
  side,
  amount: amount(of),
  price: price(at),
  ...more
})

const perpetual = { market: btcPerp, side: "sell", amount: amount("1"), price: price("1100") } as const

const place = (orders: ReadonlyArray<Order>, more: object = {}) =>
  BulkLimitOrders.BulkLimitOrders.use((service) => service.create({ orders, ...more }))

const cancel = (orders: Cancelations["orders"]) => CancelBulkOrders.use((service) => service.cancel({ orders }))

const open = Effect.map(
  ActiveOrders.use((orders) => orders.page()),
  ({ records }) => records.map(({ amount, price }) => `${amount} @ ${price}`)
)

/** Summarizes each outcome as the placed amount, or as the refusal's tag, code and fields. */
const short = (outcomes: ReadonlyArray<BulkLimitOrders.Outcome>) =>
  outcomes.map(Result.match({
    onSuccess: ({ amount }) => [amount as string],
    onFailure: refusal
  }))

/** Returns a refusal's tag, code and fields. */
const refusal = (error: { readonly _tag: string; readonly code?: number; readonly fields?: object }) => [
  error._tag,
  error.code,
  ...Object.keys(error.fields ?? {})
]

describe.each(dialects)("bulk orders in the $name dialect", (dialect) => {
  it.live("each order in a bulk call is placed or refused independently", () =>
    Effect.gen(function*() {
      const outcomes = yield* place([order("buy", "1", "900"), order("sell", "50", "1100"), order("sell", "2", "1200")])
      same(short(outcomes), [["1"], ["RequestRejected", 10, "amount"], ["2"]])
      same(yield* open, ["2 @ 1200", "1 @ 900"])
      same(yield* trade(usdt), ["99100", "900"])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("a bulk call with stopOnFail stops at the first refused order and returns its refusal", () =>
    Effect.gen(function*() {
      const orders = [order("buy", "1", "900"), order("sell", "50", "1100"), order("sell", "2", "1200")]
      same(short(yield* place(orders, { stopOnFail: true })), [["1"], ["RequestRejected", 10, "amount"]])
      same(yield* open, ["1 @ 900"])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("each order in a bulk call gets its own client order id", () =>
    Effect.gen(function*() {
      const own = ClientOrderId.make("mine-1")
      const outcomes = yield* place([order("buy", "1", "900", { clientOrderId: own }), order("buy", "1", "900")])
      const ids = outcomes.map(Result.getOrThrow).map(({ sentClientOrderId }) => sentClientOrderId)
      same(ids[0], own)
      assert.strictEqual(new Set(ids).size, 2)
      // An order that is sent twice is placed only once.
      same(short(yield* place([order("buy", "1", "900", { clientOrderId: own })])), [[
        "ValidationFailed",
        dialect.name === "live" ? 36 : 30,
        "clientOrderId"
      ]])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("an invalid order in a bulk call is refused before sending, and the error contains its index", () =>
    Effect.gen(function*() {
      const before = yield* open
      const refused = yield* failsWith("ValidationFailed")(
        place([order("buy", "1", "900"), { ...order("buy", "1", "900"), amount: "0" as never, side: "hold" as never }])
      )
      same([refused.origin, Object.keys(refused.fields)], ["local", ["orders"]])
      assert.match(refused.fields.orders?.join() ?? "", /^1\.side: .*1\.amount: /u)
      same(yield* open, before)
    }).pipe(Effect.provide(traders(dialect))))

  it.live("bulk calls open positions on margin, and a reduce-only order needs an existing position", () =>
    Effect.gen(function*() {
      const outcomes = yield* CollateralBulkLimitOrders.use((service) =>
        service.create({
          orders: [
            perpetual,
            { ...perpetual, reduceOnly: true }
          ]
        })
      )
      same(outcomes.map(Result.isSuccess), [true, false])
      const refused = outcomes.flatMap((outcome) => Result.isFailure(outcome) ? [outcome.failure] : [])
      same(refused.map((error) => refusal(error).slice(0, 2)), [["ReduceOnlyRejected", 116]])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("a bulk cancellation cancels each order, or reports that the order does not exist", () =>
    Effect.gen(function*() {
      const clientOrderId = ClientOrderId.make("quote-1")
      const [one, two] = [yield* limit("buy", "1", "900"), yield* limit("buy", "2", "900", { clientOrderId })]
      const strange = yield* asBob(limit("sell", "1", "1100"))
      const outcomes = yield* cancel([
        { market: btcUsdt, orderId: one.orderId },
        { market: btcUsdt, orderId: one.orderId },
        { market: btcUsdt, orderId: strange.orderId },
        { market: btcUsdt, clientOrderId }
      ])
      same(
        outcomes.map(Result.match({
          onSuccess: (canceled) => [canceled.orderId, canceled.clientOrderId],
          onFailure: refusal
        })),
        [
          [one.orderId, one.clientOrderId],
          ["RequestRejected", 404, "orderId"],
          ["RequestRejected", 404, "orderId"],
          [two.orderId, clientOrderId]
        ]
      )
      same(yield* open, [])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("a bulk cancellation refuses each order that does not have exactly one valid identifier", () =>
    Effect.gen(function*() {
      const { body } = yield* raw("/api/v4/order/cancel/bulk", {
        orders: [
          { market: "BTC_USDT" },
          { market: "BTC_USDT", [dialect.keys.orderId]: 1, [dialect.keys.clientOrderId]: "mine" },
          {},
          { market: "BTC_USDT", [dialect.keys.orderId]: "x" }
        ]
      })
      const errors = (body as ReadonlyArray<{ error: { errors: object } }>).map((item) => item.error.errors)
      same(errors, [
        { request: ["validation.required"] },
        { request: ["api.validation.order.chooseOneId"] },
        { market: ["Market field is required."], request: ["validation.required"] },
        { [dialect.keys.orderId]: [`${dialect.name === "live" ? "OrderId" : "Order id"} field should be an integer.`] }
      ])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("the error for a bulk call with a lost response contains every order's identifier", () =>
    Effect.gen(function*() {
      const apiKey = "alice-key-0001"
      yield* Control.use((control) => control.addFault({ apiKey, symptom: Faults.answerLost }))
      const own = ClientOrderId.make("mine-1")
      const lost = yield* failsWith("OutcomeUnknown")(place([order("buy", "1", "900", { clientOrderId: own })]))
      same(lost.orders, [{ market: btcUsdt, clientOrderId: own }])
      yield* Control.use((control) => control.addFault({ apiKey, symptom: Faults.answerLost }))
      const canceling = yield* failsWith("OutcomeUnknown")(cancel([{ market: btcUsdt, orderId: OrderId.make("7") }]))
      same(canceling.orders, [{ market: btcUsdt, orderId: "7" }])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("each invalid order in a bulk call is refused with a separate error", () =>
    Effect.gen(function*() {
      const good = { market: "BTC_USDT", side: "buy", amount: "1", price: "900", clientOrderId: "" }
      const { body, status } = yield* raw("/api/v4/order/bulk", {
        orders: [good, { ...good, amount: "x" }, 5, { ...good, price: undefined }]
      })
      same(status, 200)
      const codes =
        (body as ReadonlyArray<{ readonly result: unknown; readonly error: { readonly code: number } | null }>)
          .map(({ error, result }) => [result === null, error?.code ?? null])
      // The client order id may be an empty string, as in the live exchange's examples.
      same(codes, [
        [false, null],
        ...(dialect.name === "live" ? [[true, 32], [true, 30], [true, 30]] : [[true, 30], [true, 30], [true, 30]])
      ])
    }).pipe(Effect.provide(traders(dialect))))

  describe("bulk responses that do not match the sent orders", () => {
    const wire = entryOf("BulkLimitOrders").golden.wire[dialect.name].response as ReadonlyArray<object>
    const [placed, refused] = wire
    const asked = entryOf("BulkLimitOrders").golden.request as BulkLimitOrders.Request
    const unknown = "OutcomeUnknown contradictory-answer"
    const lost = "OutcomeUnknown unreadable-answer"
    const ids = ["my-order.1_a", "quote-2"]
    const answers: ReadonlyArray<readonly [why: string, answer: ReadonlyArray<unknown>, of: ReadonlyArray<string>]> = [
      ["has both", [{ ...refused, ...placed, error: itemError(refused) }, refused], [lost, "ValidationFailed"]],
      ["has neither", [placed, { result: null, error: null }], ["placed", lost]],
      // Even a refusal in such a response leaves the order's outcome unknown.
      ["swaps the two orders", [refused, placed], [unknown, unknown]],
      ["lacks the outcome of one order", [{ result: null, error: null }, refused], [lost, "ValidationFailed"]],
      ["has code 500 for one order", [placed, { result: null, error: { ...itemError(refused), code: 500 } }], [
        "placed",
        "OutcomeUnknown server-error"
      ]],
      ["has a list of errors for one order", [placed, {
        result: null,
        error: { code: 10, message: "No.", errors: [] }
      }], [
        "placed",
        "RequestRejected"
      ]],
      ["has a string of errors for one order", [placed, {
        result: null,
        error: { code: 10, message: "No.", errors: "no" }
      }], [
        "placed",
        "RequestRejected"
      ]],
      ["has a string in place of an error", [placed, { result: null, error: "no" }], ["placed", lost]],
      ["has an unreadable order", [placed, { result: { orderId: 7 }, error: null }], [
        "placed",
        "AcceptedUnreadable"
      ]],
      ["has a different and unreadable order", [placed, { result: { orderId: 7, market: "ETH_USDT" } }], [
        "placed",
        unknown
      ]],
      ["has null in place of an order", [placed, null], ["placed", lost]]
    ]
    for (const [why, answer, of] of answers) {
      it.effect(`each order gets its own outcome from a bulk response that ${why}`, () =>
        Effect.gen(function*() {
          const orders = asked.orders.map((order, at) => ({
            ...order,
            clientOrderId: ClientOrderId.make(ids[at] ?? "")
          }))
          const outcomes = yield* BulkLimitOrders.BulkLimitOrders.use((service) => service.create({ ...asked, orders }))
          same(
            outcomes.map(Result.match({
              onSuccess: () => "placed",
              onFailure: (error) => "why" in error ? `${error._tag} ${error.why}` : error._tag
            })),
            of
          )
          // Each error contains everything that `Reconciliation` needs.
          for (const [at, outcome] of outcomes.entries()) {
            if (!Result.isFailure(outcome) || outcome.failure._tag !== "OutcomeUnknown") continue
            const { clientOrderId, endpoint, market, orders: others, request } = outcome.failure
            same([clientOrderId, endpoint, market, others], [ids[at], "BulkLimitOrders.create", btcUsdt, undefined])
            same(Redacted.value(request), orders[at])
          }
        }).pipe(Effect.provide(answered(() => new Response(Json.stringify(answer as object)), dialect))))
    }

    it.effect("a bulk response with more orders than were sent leaves all outcomes unknown", () =>
      Effect.gen(function*() {
        const error = yield* failsWith("OutcomeUnknown")(
          BulkLimitOrders.BulkLimitOrders.use((service) => service.create(asked))
        )
        same([error.why, error.orders?.length], ["contradictory-answer", 2])
      }).pipe(
        Effect.provide(answered(() => new Response(Json.stringify([placed, refused, refused] as object)), dialect))
      ))

    it.effect("a bulk cancellation's outcome is unknown when the response names a different order", () =>
      Effect.gen(function*() {
        const [outcome] = yield* cancel([{ market: btcUsdt, orderId: OrderId.make("1") }])
        same(
          Result.match(outcome ?? assert.fail(), { onSuccess: () => "", onFailure: ({ _tag }) => _tag }),
          "OutcomeUnknown"
        )
      }).pipe(
        Effect.provide(
          answered(
            () =>
              new Response(
                Json.stringify([{ result: { [dialect.keys.orderId]: 2, market: "BTC_USDT" }, error: null }] as object)
              ),
            dialect
          )
        )
      ))
  })
})

const itemError = (refused: object | undefined) =>
  refused !== undefined && "error" in refused ? refused.error as object : undefined

it.live("a margin order in a bulk call can have a take-profit and a stop-loss", () =>
  Effect.gen(function*() {
    const path = "/api/v4/order/collateral/bulk"
    const order = { market: "BTC_PERP", side: "buy", amount: "1", price: "1000", takeProfit: "1200", stopLoss: "800" }
    const { body } = yield* raw(path, { orders: [order, { ...order, stopLoss: "1100" }] })
    const [placed, refused] = body as ReadonlyArray<{
      readonly result?: { readonly oto?: Readonly<Record<string, unknown>> }
      readonly error?: object
    }>
    same([placed?.result?.oto?.["takeProfit"], placed?.result?.oto?.["stopLoss"]], ["1200", "800"])
    same(refused?.error, {
      code: 106,
      message: "Validation failed",
      errors: { stopLoss: ["Wrong activation price for stop loss."] }
    })
    yield* asBob(perp("sell", "1", "1000"))
    const tpsl = yield* OpenPositions.use((positions) => positions.list({ market: btcPerp }))
    same(tpsl.map(({ tpsl }) => [tpsl?.takeProfit, tpsl?.stopLoss]), [["1200", "800"]])
  }).pipe(Effect.provide(traders(Dialect.live))))

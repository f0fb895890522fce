/**
 * Unsolicited answers at every moment of a kept connection. An HTTP/1.1 answer does not name its request, so it may be
 * taken for the next one's.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as fc from "fast-check"
import type * as Net from "node:net"
import { setImmediate, setTimeout } from "node:timers/promises"
import type * as Transport from "../../../src/client/transport/Transport.ts"
import * as UndiciTransport from "../../../src/client/transport/UndiciTransport.ts"
import { ClientOrderId } from "../../../src/domain/Identifiers.ts"
import { MainBalance } from "../../../src/endpoints/MainBalance.ts"
import { StopLimitOrders } from "../../../src/endpoints/StopLimitOrders.ts"
import { until } from "../../support/clock.ts"
import { stopLimit } from "../../support/exchange.ts"
import { type Delivery, harming, rawAnswer } from "../../support/hostile.ts"
import { property } from "../../support/property.ts"
import { clientAt, transports } from "../../support/transports.ts"

// -----------------------------------------------------------------------------
// Answers
// -----------------------------------------------------------------------------

const kept = ["connection: keep-alive"]

const placed = (id: string, more: object = {}): string =>
  rawAnswer(
    200,
    kept,
    JSON.stringify({
      order_id: 4180284841,
      client_order_id: id,
      market: stopLimit.market,
      side: stopLimit.side,
      type: "stop limit",
      timestamp: 1770000000.123456,
      deal_money: "0",
      deal_stock: "0",
      amount: stopLimit.amount,
      left: stopLimit.amount,
      deal_fee: "0",
      price: stopLimit.price,
      postOnly: false,
      ioc: false,
      status: "NEW",
      stp: "no",
      positionSide: "LONG",
      rpi: false,
      reduceOnly: false,
      activated: 0,
      activationCondition: "lte",
      activation_price: stopLimit.activationPrice,
      ...more
    })
  )

/** Answers to other calls. */
const stale = {
  "a refused nonce": rawAnswer(429, kept, JSON.stringify({ code: 0, message: "Too many requests.", errors: {} })),
  "a refused order": rawAnswer(400, kept, JSON.stringify({ code: 30, message: "Validation failed", errors: {} })),
  "another order": placed("another", { order_id: 1, market: "ETH_USDT", amount: "7", left: "7" })
} as const

/** The moment of an unsolicited answer, and the milliseconds or event-loop turns after that moment's beginning. */
const moments = fc.record({
  _tag: fc.constantFrom(
    "in the segment of the answer before",
    "after the answer before",
    "while the connection is idle",
    "just before the next request",
    "while the next request is sent",
    "between the head and the body of the next request",
    "when the connection has been idle for too long"
  ),
  after: fc.integer({ min: 0, max: 6 })
})

type Moment = typeof moments extends fc.Arbitrary<infer M> ? M : never

/** Whether the answer arrives before the next request begins, so that a transport that reads first can notice it. */
const isEarly = ({ _tag }: Moment): boolean =>
  _tag !== "while the next request is sent" && _tag !== "between the head and the body of the next request"

// -----------------------------------------------------------------------------
// One order over a kept connection
// -----------------------------------------------------------------------------

const keepAlive = 20

const supplied: Readonly<Record<string, Layer.Layer<Transport.Transport>>> = {
  ...transports,
  "undici's dispatch, which keeps connections for a moment": UndiciTransport.layerWith({ keepAlive })
}

const idOf = (body: string): string | undefined => /"client_?order_?id":"([^"]*)"/iu.exec(body)?.[1]

const turns = (count: number) => Effect.replicateEffect(Effect.promise(() => setImmediate()), count)

const pause = (millis: number) => Effect.promise(() => setTimeout(millis))

/** Places an order and returns the reported outcome: the caller's order, another's, not applied, or an error. */
const place = StopLimitOrders.use((orders) =>
  orders.create({ ...stopLimit, clientOrderId: ClientOrderId.make("mine") })
).pipe(Effect.match({
  onSuccess: ({ clientOrderId, market }) =>
    clientOrderId === "mine" && market === stopLimit.market ? "mine" : "another's",
  onFailure: ({ _tag, outcome }) => outcome === "not-applied" ? "not applied" : _tag
}))

const read = MainBalance.use(({ all }) => all)

/** The number of deliveries of the order. */
const timesOf = (deliveries: ReadonlyArray<Delivery>) => deliveries.filter(({ body }) => idOf(body) === "mine").length

/** Places an order over a used connection, and returns the reported outcome and the number of deliveries. */
const placing = (transport: Layer.Layer<Transport.Transport>, moment: Moment, bytes: string) =>
  Effect.gen(function*() {
    let last: Net.Socket | undefined
    let isNext = false
    const { baseUrl, deliveries } = yield* harming((socket, { body }) => {
      const id = idOf(body)
      const follows = moment._tag === "in the segment of the answer before" ? bytes : ""
      last = socket
      socket.write(id === undefined ? rawAnswer(200, kept, "{}") + follows : placed(id))
    }, (socket) => {
      if (isNext && moment._tag === "between the head and the body of the next request") socket.write(bytes)
      isNext = false
    })
    const say = Effect.sync(() => last?.write(bytes))
    const before: { readonly [K in Moment["_tag"]]?: Effect.Effect<unknown, never, Scope.Scope> } = {
      "after the answer before": Effect.andThen(pause(moment.after), say),
      "while the connection is idle": turns(moment.after).pipe(Effect.andThen(say), Effect.andThen(turns(1))),
      "when the connection has been idle for too long": Effect.andThen(pause(2 * keepAlive), say),
      "just before the next request": say,
      "while the next request is sent": Effect.forkScoped(Effect.andThen(turns(moment.after), say), {
        startImmediately: true
      })
    }
    return yield* Effect.gen(function*() {
      yield* read
      yield* before[moment._tag] ?? Effect.void
      isNext = true
      const told = yield* place
      // Everything still in flight arrives.
      yield* turns(3)
      return { told, delivered: timesOf(deliveries) }
    }).pipe(Effect.provide(clientAt(baseUrl, transport)))
  }).pipe(Effect.scoped)

/** The number of unsolicited answers: 60 per transport, and 100,000 over all transports in the long form. */
const options = { short: 60, runs: Math.ceil(100_000 / Object.keys(supplied).length), timeout: 3_600_000 }

const anyStale = fc.constantFrom(...Object.keys(stale) as Array<keyof typeof stale>)

for (const [name, transport] of Object.entries(supplied)) {
  const isWatched = name.startsWith("undici") || name === "a dispatcher that was supplied"
  property(
    isWatched
      ? `over ${name} an unsolicited answer ends its connection and is never taken for a refusal`
      : `over ${name} an unsolicited answer never leads to a second order`,
    [moments, anyStale],
    (moment, what) =>
      Effect.gen(function*() {
        const { delivered, told } = yield* placing(transport, moment, stale[what])
        assert.isAtMost(delivered, 1, "delivered")
        assert.notStrictEqual(told, "another's")
        if (isWatched) {
          assert.notStrictEqual(told, "not applied")
          if (isEarly(moment)) assert.deepStrictEqual([told, delivered], ["mine", 1])
        }
      }),
    options
  )
}

// -----------------------------------------------------------------------------
// Between the request and its answer
// -----------------------------------------------------------------------------

describe("an unsolicited answer after the request was sent and long before its answer", () => {
  /** A server that answers an order with a stale answer, and 100 ms later with the right one. */
  const late = Effect.fnUntraced(function*(bytes: string) {
    const run = Effect.runForkWith(yield* Effect.context())
    const { baseUrl, deliveries } = yield* harming((socket, { body, connection }) => {
      const id = idOf(body)
      if (id === undefined) return void socket.write(rawAnswer(200, kept, "{}"))
      // On a second connection the order is answered correctly.
      if (connection > 0) return void socket.write(placed(id))
      socket.write(bytes)
      run(Effect.andThen(pause(100), Effect.sync(() => socket.write(placed(id)))))
    })
    const told = yield* Effect.andThen(read, place).pipe(Effect.provide(clientAt(baseUrl, UndiciTransport.layer)))
    return [told, timesOf(deliveries)]
  })

  it.live("a late unsolicited nonce refusal does not place the order again, and its outcome is unknown", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* late(stale["a refused nonce"]), ["OutcomeUnknown", 1])
    }))

  it.live("a late unsolicited refusal of the order is believed, as the page on errors says", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* late(stale["a refused order"]), ["not applied", 1])
    }))
})

describe("a nonce that was refused", () => {
  it.live("a call with a refused nonce is retried over a fresh connection, and the kept one closes", () =>
    Effect.gen(function*() {
      let refused = 0
      const { baseUrl, deliveries, sockets } = yield* harming((socket, { body }) => {
        const id = idOf(body)
        if (id === undefined) socket.write(rawAnswer(200, kept, "{}"))
        else socket.write(refused++ === 0 ? stale["a refused nonce"] : placed(id))
      })
      yield* Effect.gen(function*() {
        yield* read
        assert.strictEqual(yield* place, "mine")
        yield* read
        yield* until(Effect.sync(() => sockets.size === 1))
      }).pipe(Effect.provide(clientAt(baseUrl, UndiciTransport.layer)))
      assert.deepStrictEqual(deliveries.map(({ connection }) => connection), [0, 0, 1, 1])
    }))

  it.live("a call whose nonce was refused is not retried if idle connections close too early to be watched", () =>
    Effect.gen(function*() {
      const { baseUrl, deliveries } = yield* harming((socket) => socket.write(stale["a refused nonce"]))
      const transport = UndiciTransport.layerWith({ keepAlive })
      assert.strictEqual(yield* Effect.provide(place, clientAt(baseUrl, transport)), "not applied")
      assert.strictEqual(deliveries.length, 1)
    }))
})

describe("a server that sends an answer before any request", () => {
  it.live("a server that sends an answer before any request receives none", () =>
    Effect.gen(function*() {
      const { baseUrl, deliveries } = yield* harming(
        () => {},
        () => {},
        (socket) => socket.write(stale["another order"])
      )
      const told = yield* Effect.provide(place, clientAt(baseUrl, UndiciTransport.layer))
      assert.deepStrictEqual([told, deliveries.length], ["not applied", 0])
    }))
})

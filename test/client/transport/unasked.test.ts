/**
 * An answer that nobody asked for, at every moment of a kept connection. On HTTP/1.1 an answer does not name its request, so it may
 * be taken for the next one.
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
// What is answered
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

/** Answers to calls of somebody else. */
const stale = {
  "a refused nonce": rawAnswer(429, kept, JSON.stringify({ code: 0, message: "Too many requests.", errors: {} })),
  "a refused order": rawAnswer(400, kept, JSON.stringify({ code: 30, message: "Validation failed", errors: {} })),
  "another order": placed("another", { order_id: 1, market: "ETH_USDT", amount: "7", left: "7" })
} as const

/** When an answer comes that nobody asked for, and how many milliseconds or turns of the event loop after that has begun. */
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

/** Whether it has come before the next request is begun. Then a transport that reads what has arrived can know. */
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

/** Places an order and gives what was told: the caller's order, that it was not applied, or another error. */
const place = StopLimitOrders.use((orders) =>
  orders.create({ ...stopLimit, clientOrderId: ClientOrderId.make("mine") })
).pipe(Effect.match({
  onSuccess: ({ clientOrderId, market }) =>
    clientOrderId === "mine" && market === stopLimit.market ? "mine" : "another's",
  onFailure: ({ _tag, outcome }) => outcome === "not-applied" ? "not applied" : _tag
}))

const read = MainBalance.use(({ all }) => all)

/** How often the order was delivered. */
const timesOf = (deliveries: ReadonlyArray<Delivery>) => deliveries.filter(({ body }) => idOf(body) === "mine").length

/** Places an order over a connection that was used before, and says what was told of it and how often it was delivered. */
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
      // Whatever is on its way arrives.
      yield* turns(3)
      return { told, delivered: timesOf(deliveries) }
    }).pipe(Effect.provide(clientAt(baseUrl, transport)))
  }).pipe(Effect.scoped)

/** How many answers come unasked: some at every change, and a hundred thousand over all transports in the long form. */
const options = { short: 60, runs: Math.ceil(100_000 / Object.keys(supplied).length), timeout: 3_600_000 }

const anyStale = fc.constantFrom(...Object.keys(stale) as Array<keyof typeof stale>)

for (const [name, transport] of Object.entries(supplied)) {
  const isWatched = name.startsWith("undici") || name === "a dispatcher that was supplied"
  property(
    isWatched
      ? `over ${name} an answer that nobody asked for ends its connection, and none is taken for a refusal`
      : `over ${name} an answer that nobody asked for makes no order a second one`,
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
// What comes between the request and its answer
// -----------------------------------------------------------------------------

describe("an answer that nobody asked for, after the request was sent and long before its answer", () => {
  /** A server that answers an order with what is stale, and a while later as it should. */
  const late = Effect.fnUntraced(function*(bytes: string) {
    const run = Effect.runForkWith(yield* Effect.context())
    const { baseUrl, deliveries } = yield* harming((socket, { body, connection }) => {
      const id = idOf(body)
      if (id === undefined) return void socket.write(rawAnswer(200, kept, "{}"))
      // The connection on which the order is placed again does as it should.
      if (connection > 0) return void socket.write(placed(id))
      socket.write(bytes)
      run(Effect.andThen(pause(100), Effect.sync(() => socket.write(placed(id)))))
    })
    const told = yield* Effect.andThen(read, place).pipe(Effect.provide(clientAt(baseUrl, UndiciTransport.layer)))
    return [told, timesOf(deliveries)]
  })

  it.live("is not believed when it refuses a nonce: the order is not placed again, and nobody knows", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* late(stale["a refused nonce"]), ["OutcomeUnknown", 1])
    }))

  it.live("is believed when it refuses the order, as the page on errors says", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* late(stale["a refused order"]), ["not applied", 1])
    }))
})

describe("a nonce that was refused", () => {
  it.live("over a kept connection is tried again over a fresh one, and the kept one is given up", () =>
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

  it.live("is the caller's where connections are kept for less time than they must be watched", () =>
    Effect.gen(function*() {
      const { baseUrl, deliveries } = yield* harming((socket) => socket.write(stale["a refused nonce"]))
      const transport = UndiciTransport.layerWith({ keepAlive })
      assert.strictEqual(yield* Effect.provide(place, clientAt(baseUrl, transport)), "not applied")
      assert.strictEqual(deliveries.length, 1)
    }))
})

describe("a server that answers before it is asked at all", () => {
  it.live("is sent nothing", () =>
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

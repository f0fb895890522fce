/**
 * Tests unsolicited responses at every stage of a kept-alive connection. An HTTP/1.1 response does not identify its
 * request, so a client may mistake an unsolicited response for the response to its next request.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as fc from "fast-check"
import type * as Net from "node:net"
import { setImmediate, setTimeout } from "node:timers/promises"
import * as Signer from "../../../src/client/Signer.ts"
import type * as Transport from "../../../src/client/transport/Transport.ts"
import * as UndiciTransport from "../../../src/client/transport/UndiciTransport.ts"
import { ClientOrderId } from "../../../src/domain/Identifiers.ts"
import { MainBalance } from "../../../src/endpoints/MainBalance.ts"
import { StopLimitOrders } from "../../../src/endpoints/StopLimitOrders.ts"
import { until } from "../../support/clock.ts"
import { stopLimit } from "../../support/exchange.ts"
import { failsWith } from "../../support/fails.ts"
import { type Delivery, harming, rawAnswer } from "../../support/hostile.ts"
import { property } from "../../support/property.ts"
import { client, transports } from "../../support/transports.ts"

// -----------------------------------------------------------------------------
// Responses
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

/** Responses that belong to other calls. */
const stale = {
  "a refused nonce": rawAnswer(429, kept, JSON.stringify({ code: 0, message: "Too many requests.", errors: {} })),
  "a refused order": rawAnswer(400, kept, JSON.stringify({ code: 30, message: "Validation failed", errors: {} })),
  "another order": placed("another", { order_id: 1, market: "ETH_USDT", amount: "7", left: "7" })
} as const

/**
 * When an unsolicited response arrives: the stage of the connection, and the delay after that stage begins, in
 * milliseconds or event-loop turns.
 */
const moments = fc.record({
  _tag: fc.constantFrom(
    "in the same segment as the previous response",
    "after the previous response",
    "while the connection is idle",
    "just before the next request",
    "while the next request is sent",
    "between the next request's head and body",
    "when the connection has been idle for too long"
  ),
  after: fc.integer({ min: 0, max: 6 })
})

type Moment = typeof moments extends fc.Arbitrary<infer M> ? M : never

/**
 * Checks whether the response arrives before the next request starts. A transport that reads before it writes can
 * detect such a response.
 */
const isEarly = ({ _tag }: Moment): boolean =>
  _tag !== "while the next request is sent" && _tag !== "between the next request's head and body"

// -----------------------------------------------------------------------------
// One order over a kept-alive connection
// -----------------------------------------------------------------------------

const keepAlive = 20

const supplied: Readonly<Record<string, Layer.Layer<Transport.Transport>>> = {
  ...transports,
  "undici's dispatcher, with short-lived connections": UndiciTransport.layerWith({ keepAlive })
}

const idOf = (body: string): string | undefined => /"client_?order_?id":"([^"]*)"/iu.exec(body)?.[1]

const turns = (count: number) => Effect.replicateEffect(Effect.promise(() => setImmediate()), count)

const pause = (millis: number) => Effect.promise(() => setTimeout(millis))

/**
 * Places an order and returns the reported outcome: the caller's own order, a different order, not applied, or an
 * error.
 */
const place = StopLimitOrders.use((orders) =>
  orders.create({ ...stopLimit, clientOrderId: ClientOrderId.make("mine") })
).pipe(Effect.match({
  onSuccess: ({ clientOrderId, market }) =>
    clientOrderId === "mine" && market === stopLimit.market ? "mine" : "another's",
  onFailure: ({ _tag, outcome }) => outcome === "not-applied" ? "not applied" : _tag
}))

/** Provides only the services that the tests use, because a hundred thousand clients are built in a long test run. */
const clientAt = client(Layer.merge(MainBalance.layer, StopLimitOrders.layer))

const read = MainBalance.use(({ all }) => all)

/** Counts how often the order was delivered. */
const timesOf = (deliveries: ReadonlyArray<Delivery>) => deliveries.filter(({ body }) => idOf(body) === "mine").length

/** Places an order over a reused connection. Returns the reported outcome and how often the order was delivered. */
const placing = (transport: Layer.Layer<Transport.Transport>, moment: Moment, bytes: string) =>
  Effect.gen(function*() {
    let last: Net.Socket | undefined
    let isNext = false
    const { baseUrl, deliveries } = yield* harming((socket, { body }) => {
      const id = idOf(body)
      const follows = moment._tag === "in the same segment as the previous response" ? bytes : ""
      last = socket
      socket.write(id === undefined ? rawAnswer(200, kept, "{}") + follows : placed(id))
    }, (socket) => {
      if (isNext && moment._tag === "between the next request's head and body") socket.write(bytes)
      isNext = false
    })
    const say = Effect.sync(() => last?.write(bytes))
    const before: { readonly [K in Moment["_tag"]]?: Effect.Effect<unknown, never, Scope.Scope> } = {
      "after the previous response": Effect.andThen(pause(moment.after), say),
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
      // Waits until everything in flight has arrived.
      yield* turns(3)
      return { told, delivered: timesOf(deliveries) }
    }).pipe(Effect.provide(clientAt(baseUrl, transport)))
  }).pipe(Effect.scoped)

/** The number of unsolicited responses: 20 per transport, or 100,000 in total in long test runs. */
const options = { short: 20, runs: Math.ceil(100_000 / Object.keys(supplied).length), timeout: 3_600_000 }

const anyStale = fc.constantFrom(...Object.keys(stale) as Array<keyof typeof stale>)

for (const [name, transport] of Object.entries(supplied)) {
  const isWatched = name.startsWith("undici") || name === "a dispatcher that was supplied"
  property(
    isWatched
      ? `over ${name}, an unsolicited response closes its connection and is never mistaken for a refusal`
      : `over ${name}, an unsolicited response never leads to a second order`,
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
// Between the request and its response
// -----------------------------------------------------------------------------

describe("unsolicited responses long after the request was sent and long before its response", () => {
  /** A server that first sends a stale response to an order, and 100 ms later the correct one. */
  const late = Effect.fnUntraced(function*(bytes: string) {
    const run = Effect.runForkWith(yield* Effect.context())
    const { baseUrl, deliveries } = yield* harming((socket, { body, connection }) => {
      const id = idOf(body)
      if (id === undefined) return void socket.write(rawAnswer(200, kept, "{}"))
      // On a second connection, the server responds to the order correctly.
      if (connection > 0) return void socket.write(placed(id))
      socket.write(bytes)
      run(Effect.andThen(pause(100), Effect.sync(() => socket.write(placed(id)))))
    })
    const told = yield* Effect.andThen(read, place).pipe(Effect.provide(clientAt(baseUrl, UndiciTransport.layer)))
    return [told, timesOf(deliveries)]
  })

  it.live("an order is not sent again after an unsolicited nonce refusal, and its outcome is unknown", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* late(stale["a refused nonce"]), ["OutcomeUnknown", 1])
    }))

  it.live("an unsolicited refusal between an order and its response is mistaken for the response, as documented", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* late(stale["a refused order"]), ["not applied", 1])
    }))
})

describe("unsolicited nonce refusals shortly before the order's own response", () => {
  /** A signer that takes 80 ms, like a remote signer. */
  const slowSigner = Layer.effect(
    Signer.Signer,
    Effect.map(Signer.Signer, (signer) => ({
      ...signer,
      sign: (payload) => Effect.andThen(pause(80), signer.sign(payload))
    }))
  ).pipe(Layer.provide(Signer.layerNode))

  /**
   * Places orders concurrently. Returns each order's tag and number of deliveries. The exchange responds to each order
   * after 100 ms, but the orders in `misled` first get a nonce refusal.
   */
  const misleading = Effect.fnUntraced(function*(
    { connection = "keep-alive", ids = ["a"], misled = ids, options = {}, signer = Signer.layerNode }: {
      readonly connection?: string
      readonly ids?: ReadonlyArray<string>
      readonly misled?: ReadonlyArray<string>
      readonly options?: UndiciTransport.Options
      readonly signer?: typeof Signer.layerNode
    }
  ) {
    const run = Effect.runForkWith(yield* Effect.context())
    const refusal = stale["a refused nonce"].replace("keep-alive", connection)
    const seen = new Set<string>()
    const { baseUrl, deliveries } = yield* harming((socket, { body }) => {
      const id = idOf(body) ?? ""
      const after = (millis: number, bytes: string) =>
        run(Effect.andThen(pause(millis), Effect.sync(() => socket.write(bytes))))
      if (misled.includes(id) && !seen.has(id)) after(40, refusal)
      seen.add(id)
      after(100, placed(id))
    })
    const told = yield* Effect.forEach(
      ids,
      (id) =>
        StopLimitOrders.use((orders) => orders.create({ ...stopLimit, clientOrderId: ClientOrderId.make(id) })).pipe(
          Effect.match({ onSuccess: () => "placed", onFailure: ({ _tag }) => _tag })
        ),
      { concurrency: "unbounded" }
    ).pipe(
      Effect.provide(clientAt(baseUrl, UndiciTransport.layerWith(options), signer))
    )
    return ids.map((id, index) => [told[index], deliveries.filter(({ body }) => idOf(body) === id).length])
  })

  it.live("an unsolicited nonce refusal causes no second order while the next attempt is signed slowly", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* misleading({ signer: slowSigner }), [["OutcomeUnknown", 1]])
    }))

  for (const connection of ["close", "keep-alive\r\nkeep-alive: timeout=1"]) {
    it.live(`an unsolicited nonce refusal with ${JSON.stringify(`connection: ${connection}`)} causes no second order`, () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* misleading({ connection }), [["NonceRejected", 1]])
      }))
  }

  it.live("unsolicited nonce refusals never cause one of several concurrent orders to be placed twice", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* misleading({ ids: ["a", "b", "c", "d"], misled: ["a", "c"] }), [
        ["OutcomeUnknown", 1],
        ["placed", 1],
        ["OutcomeUnknown", 1],
        ["placed", 1]
      ])
    }))

  it.live("an unsolicited nonce refusal causes no second order while queued orders take each other's responses", () =>
    Effect.gen(function*() {
      const ids = ["a", "b", "c", "d", "e", "f", "g", "h"]
      const outcomes = yield* misleading({ ids, misled: ["a"], options: { connections: 1 } })
      assert.deepStrictEqual(outcomes.map(([, times]) => times), ids.map(() => 1))
      // An order that has received another order's response is not reported as placed.
      assert.notStrictEqual(outcomes[0]?.[0], "placed")
    }))

  it.live("the OutcomeUnknown error after an unsolicited nonce refusal contains the nonce of the only delivery", () =>
    Effect.gen(function*() {
      const { baseUrl, deliveries } = yield* harming((socket) => {
        socket.write(stale["a refused nonce"])
        void setTimeout(50).then(() => socket.write(placed("mine")))
      })
      const { nonce } = yield* failsWith("OutcomeUnknown")(StopLimitOrders.use((orders) => orders.create(stopLimit)))
        .pipe(Effect.provide(clientAt(baseUrl, UndiciTransport.layer)))
      assert.deepStrictEqual(deliveries.map(({ body }) => /"nonce":"?(\d+)/u.exec(body)?.[1]), [`${nonce}`])
    }))
})

describe("retries after a refused nonce", () => {
  it.live("a call with a refused nonce is retried over a fresh connection, and the old connection is closed", () =>
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

  it.live("with `retryMutating: false`, a mutating call with a refused nonce is not retried, but a read is", () =>
    Effect.gen(function*() {
      const { baseUrl, deliveries } = yield* harming((socket) => socket.write(stale["a refused nonce"]))
      yield* Effect.gen(function*() {
        yield* failsWith("NonceRejected")(StopLimitOrders.use((orders) => orders.create(stopLimit)))
        assert.strictEqual(deliveries.length, 1)
        yield* failsWith("NonceRejected")(MainBalance.use(({ all }) => all))
        assert.strictEqual(deliveries.length, 3, "reads are retried")
      }).pipe(Effect.provide(clientAt(baseUrl, UndiciTransport.layerWith({ retryMutating: false }))))
    }))

  it.live("a call with a refused nonce is not retried if idle connections close too early to be monitored", () =>
    Effect.gen(function*() {
      const { baseUrl, deliveries } = yield* harming((socket) => socket.write(stale["a refused nonce"]))
      const transport = UndiciTransport.layerWith({ keepAlive })
      assert.strictEqual(yield* Effect.provide(place, clientAt(baseUrl, transport)), "not applied")
      assert.strictEqual(deliveries.length, 1)
    }))
})

describe("a server that sends a response before any request", () => {
  it.live("a server that sends a response before any request never receives a request", () =>
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

import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as TestClock from "effect/testing/TestClock"
import * as Tracer from "effect/Tracer"
import * as RateLimits from "../../src/client/RateLimits.ts"
import * as Region from "../../src/client/Region.ts"
import * as HttpClientTransport from "../../src/client/transport/HttpClientTransport.ts"
import * as CancelAll from "../../src/endpoints/CancelAllOrders.ts"
import { CancelAllOrders } from "../../src/endpoints/CancelAllOrders.ts"
import * as Balance from "../../src/endpoints/MainBalance.ts"
import { MainBalance } from "../../src/endpoints/MainBalance.ts"
import * as Status from "../../src/endpoints/ServerStatus.ts"
import { ServerStatus } from "../../src/endpoints/ServerStatus.ts"
import * as StopLimit from "../../src/endpoints/StopLimitOrders.ts"
import { StopLimitOrders } from "../../src/endpoints/StopLimitOrders.ts"
import * as Exchange from "../../src/Exchange.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import type * as Endpoint from "../../src/protocol/Endpoint.ts"
import { answered, dialects, stopLimit } from "../support/exchange.ts"
import { type Answering, answering, html, json, refusal } from "../support/http.ts"

const cancelAll = CancelAllOrders.use((orders) => orders.cancel())
const balance = MainBalance.use(({ all }) => all)
const ping = ServerStatus.use((status) => status.ping)
const place = StopLimitOrders.use((orders) => orders.create(stopLimit))
const misplace = StopLimitOrders.use((orders) => orders.create({ ...stopLimit, side: "up" as never }))

/** Makes calls. Returns their spans and a summary of the metrics. */
const observed = <E, R>(calls: Effect.Effect<unknown, E, R>) =>
  Effect.gen(function*() {
    const spans: Array<Tracer.NativeSpan> = []
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        return span
      }
    })
    return yield* Effect.gen(function*() {
      yield* Effect.exit(calls)
      const metrics = (yield* Metric.snapshot).map(({ attributes, id, state }) => {
        const { count, max = 0 } = state as { readonly count: number; readonly max?: number }
        return { id, ...attributes, count, max }
      })
      return {
        spans: spans.map(({ attributes, kind, name }) => ({ name, kind, attributes: Object.fromEntries(attributes) })),
        metrics
      }
    }).pipe(
      Effect.provideService(Tracer.Tracer, tracer),
      Effect.provideService(Metric.MetricRegistry, new Map())
    )
  })

describe.each(dialects)("a call's metrics in the $name dialect", (dialect) => {
  const reports = (
    name: string,
    call: Effect.Effect<
      unknown,
      unknown,
      Effect.Services<typeof place | typeof balance | typeof ping | typeof cancelAll>
    >,
    answer: Answering,
    span: { readonly attributes: object },
    metrics: ReadonlyArray<object>
  ) =>
    it.effect(`the span and metrics of a call ${name} are recorded`, () =>
      Effect.gen(function*() {
        const fiber = yield* Effect.forkChild(observed(call))
        yield* TestClock.adjust("10 seconds")
        const reported = yield* Fiber.join(fiber)
        assert.deepStrictEqual<unknown>(reported.spans, [{
          ...span,
          attributes: { ...span.attributes, "txc.dialect": dialect.name }
        }])
        assert.sameDeepMembers<unknown>(
          reported.metrics.map((metric) => ({ ...metric, max: 0 })),
          [...metrics]
        )
      }).pipe(Effect.provide(answered(answer, dialect))))

  const of = (
    { method, name: endpoint, path }: Endpoint.Any,
    status: number | undefined,
    outcome: string,
    attempts: number,
    error?: string
  ) => ({
    span: {
      name: endpoint,
      kind: "client",
      attributes: {
        "http.request.method": method,
        "url.template": path,
        "server.address": "exchange.invalid",
        "server.port": 443,
        ...(attempts > 1 ? { "http.request.resend_count": attempts - 1 } : {}),
        ...(status === undefined ? {} : { "http.response.status_code": status }),
        "txc.endpoint": endpoint,
        "txc.outcome": outcome,
        "txc.attempts": attempts,
        ...(error === undefined ? {} : { "error.type": error })
      }
    },
    metrics: [
      { id: "txc_calls", endpoint, outcome, count: 1, max: 0 },
      { id: "txc_call_latency", endpoint, count: 1, max: 0, time_unit: "milliseconds" },
      ...(error === undefined ? [] : [{ id: "txc_call_errors", endpoint, error, count: 1, max: 0 }])
    ]
  })

  const rows = [
    ["that changes something", cancelAll, () => json(200, []), of(CancelAll.endpoint, 200, "applied", 1)],
    ["that reads", balance, () => json(200, {}), of(Balance.endpoint, 200, "answered", 1)],
    ["that is public", ping, () => json(200, ["pong"]), of(Status.endpoint, 200, "answered", 1)],
    [
      "whose outcome is unknown",
      cancelAll,
      () => html(502),
      of(CancelAll.endpoint, 502, "unknown", 1, "OutcomeUnknown")
    ],
    [
      "that is refused twice for its nonce",
      cancelAll,
      () => refusal(429, 0, "Too many requests."),
      of(CancelAll.endpoint, 429, "not-applied", 2, "NonceRejected")
    ],
    [
      "that succeeds at the third attempt",
      balance,
      (_: unknown, index: number) => index < 2 ? html(502) : json(200, {}),
      of(Balance.endpoint, 200, "answered", 3)
    ],
    [
      "that is not sent",
      misplace,
      () => json(200, {}),
      of(StopLimit.endpoint, undefined, "not-applied", 0, "ValidationFailed")
    ]
  ] as const
  for (const [name, call, answer, { metrics, span }] of rows) reports(name, call, answer, span, metrics)

  it.effect("an interrupted call is counted as interrupted", () =>
    Effect.gen(function*() {
      const interrupted = Effect.flatMap(
        Effect.forkChild(cancelAll),
        (fiber) => Effect.andThen(Effect.sleep("7 seconds"), Fiber.interrupt(fiber))
      )
      const fiber = yield* Effect.forkChild(observed(interrupted))
      yield* TestClock.adjust("7 seconds")
      const { metrics, spans: [span] } = yield* Fiber.join(fiber)
      assert.strictEqual(span?.attributes["txc.outcome"], "interrupted")
      const endpoint = "CancelAllOrders.cancel"
      assert.sameDeepMembers<unknown>(metrics, [
        { id: "txc_calls", endpoint, outcome: "interrupted", count: 1, max: 0 },
        { id: "txc_call_latency", endpoint, time_unit: "milliseconds", count: 1, max: 7000 }
      ])
    }).pipe(Effect.provide(answered(() => Effect.never, dialect))))
})

describe("waiting for a rate limit", () => {
  const waiting = (millis: number) =>
    Exchange.layerPublic.pipe(
      Layer.provide([
        Layer.succeed(RateLimits.RateLimits, {
          bucket: () => ({ take: Effect.succeed(millis), refused: () => Effect.succeed(0), retries: 0 })
        }),
        Region.layer({ baseUrl: "https://exchange.invalid", dialect: Dialect.live }),
        Layer.provide(HttpClientTransport.layer, answering(() => json(200, ["pong"])))
      ]),
      Layer.orDie
    )
  const waits = Effect.map(
    observed(ping),
    ({ metrics }) => metrics.filter(({ id }) => id === "txc_limit_wait").map(({ count, max }) => [count, max])
  )

  it.effect("the time that calls wait for a rate limit is measured", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* Effect.provide(waits, waiting(40)), [[1, 40]])
      assert.deepStrictEqual(yield* Effect.provide(waits, waiting(0)), [])
    }))
})

import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as TestClock from "effect/testing/TestClock"
import * as Call from "../../../src/client/call/Call.ts"
import { CancelAllOrders } from "../../../src/endpoints/CancelAllOrders.ts"
import { CollateralOcoOrders } from "../../../src/endpoints/CollateralOcoOrders.ts"
import { Fees } from "../../../src/endpoints/Fees.ts"
import { MainBalance } from "../../../src/endpoints/MainBalance.ts"
import { StopLimitOrders } from "../../../src/endpoints/StopLimitOrders.ts"
import { SubAccounts } from "../../../src/endpoints/SubAccounts.ts"
import { Control } from "../../../src/sandbox/control/Control.ts"
import * as Faults from "../../../src/sandbox/gateway/Faults.ts"
import * as InProcess from "../../../src/sandbox/server/InProcess.ts"
import { until } from "../../support/clock.ts"
import { dialects, exchange, inProcess, oco, once, overHttp, stopLimit } from "../../support/exchange.ts"
import { failsWith } from "../../support/fails.ts"

/** Makes a few calls of each kind. Returns their outcomes without times. */
const story = Effect.gen(function*() {
  const order = yield* StopLimitOrders.use((orders) => orders.create({ ...stopLimit, clientOrderId: "a" as never }))
  const pair = yield* CollateralOcoOrders.use((orders) => orders.create({ ...oco, clientOrderId: "b" as never }))
  const taken = yield* Effect.flip(
    StopLimitOrders.use((orders) => orders.create({ ...stopLimit, clientOrderId: "a" as never }))
  )
  const refused = yield* Effect.flip(
    CollateralOcoOrders.use((orders) => orders.create({ ...oco, clientOrderId: "c" as never, reduceOnly: true }))
  )
  yield* CancelAllOrders.use((orders) => orders.cancel({ type: ["margin"] }))
  const open = yield* Control.use((control) => control.openOrders("alice"))
  const told = {
    order,
    pair,
    taken,
    refused,
    open: open.map(({ id }) => id),
    balances: [...yield* MainBalance.use(({ all }) => all)],
    fees: yield* Fees.use(({ list }) => list),
    subAccounts: yield* SubAccounts.use((service) => service.page())
  }
  return JSON.parse(
    JSON.stringify(told, (key, value: unknown) => ["timestamp", "mtime"].includes(key) ? 0 : value)
  ) as unknown
})

describe.each(dialects)("the in-process exchange in the $name dialect", (dialect) => {
  it.live("calls in process have the same outcomes as calls over HTTP", () =>
    Effect.gen(function*() {
      const here = yield* Effect.provide(story, exchange(inProcess(dialect)))
      const there = yield* Effect.provide(story, exchange(overHttp(dialect)))
      assert.deepStrictEqual(here, there)
    }))

  it.effect("a request that was sent arrives even if its caller stops waiting", () =>
    Effect.gen(function*() {
      const control = yield* Control
      yield* control.addFault({ path: "/api/v4/order/stop_limit", symptom: { _tag: "Late", millis: 4000 } })
      const create = StopLimitOrders.use((orders) => orders.create(stopLimit)).pipe(Call.withTimeout("300 millis"))
      const created = yield* Effect.forkChild(failsWith("OutcomeUnknown")(create))
      yield* until(Effect.map(control.faults, ([fault]) => fault?.fired === 1))
      yield* TestClock.adjust("300 millis")
      assert.strictEqual((yield* Fiber.join(created)).why, "timeout")
      assert.strictEqual((yield* control.openOrders("alice")).length, 0)
      yield* TestClock.adjust("4 seconds")
      yield* until(Effect.map(control.openOrders("alice"), ({ length }) => length === 1))
    }).pipe(Effect.provide(exchange(inProcess(dialect)))))

  it.effect("a reset fault breaks the connection", () =>
    Effect.gen(function*() {
      const control = yield* Control
      yield* control.addFault({ times: 2, symptom: Faults.reset })
      const error = yield* failsWith("OutcomeUnknown")(CancelAllOrders.use((orders) => orders.cancel()))
      assert.strictEqual(error.why, "connection-lost")
      const read = yield* failsWith("ExchangeUnreachable")(MainBalance.use(({ all }) => all)).pipe(once)
      assert.strictEqual(read.why, "connection-lost")
    }).pipe(Effect.provide(exchange(inProcess(dialect)))))
})

it.effect("the in-process exchange also works with HTTP clients other than the library's", () =>
  Effect.gen(function*() {
    const response = yield* HttpClient.get(`${InProcess.baseUrl}/api/v4/public/ping?x=1`)
    assert.deepStrictEqual([response.status, yield* response.json], [200, ["pong"]])
    assert.strictEqual(response.headers["content-type"], "application/json")
    const unsigned = yield* HttpClient.post(`${InProcess.baseUrl}/api/v4/main-account/balance`)
    assert.strictEqual(unsigned.status, 400)
  }).pipe(Effect.provide(inProcess(dialects[0] ?? assert.fail()))))

/** Tests that traders notice nothing but the passing of time when the owner of a sandbox moves its clock. */
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { LimitOrders } from "../../src/endpoints/LimitOrders.ts"
import { ServerTime } from "../../src/endpoints/ServerTime.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import * as Control from "../../src/sandbox/control/Control.ts"
import * as Saved from "../../src/sandbox/engine/Saved.ts"
import * as Venue from "../../src/sandbox/venue/Venue.ts"
import { canonical } from "../support/engine.ts"
import { dialects, exchange, inProcess, overHttp, setUp, stopLimit } from "../support/exchange.ts"
import { scratchFile } from "../support/files.ts"
import { property } from "../support/property.ts"
import { handle, read, signed, signedText } from "../support/signed.ts"

const path = "/api/v4/main-account/balance"

const hour = 3_600_000

const order = { market: stopLimit.market, side: "buy", amount: stopLimit.amount, price: stopLimit.price } as const

for (const dialect of dialects) {
  for (const [where, world] of [["in process", inProcess(dialect)], ["over HTTP", overHttp(dialect)]] as const) {
    it.live(`a client that draws its own nonces can trade however the clock is moved (${dialect.name}, ${where})`, () =>
      Effect.gen(function*() {
        const control = yield* Control.Control
        const orders = yield* LimitOrders
        const server = yield* ServerTime
        const trades = Effect.fnUntraced(function*() {
          const placed = yield* orders.create(order)
          // An order has the time of the venue's clock, but callers see the machine's time as the server time.
          assert.approximately(placed.timestamp, (yield* control.clock).at / 1e6, 5)
          assert.approximately(yield* server.get, (yield* Clock.currentTimeMillis) / 1000, 5)
        })
        yield* trades()
        yield* control.advanceClock({ millis: 24 * hour })
        yield* trades()
        yield* control.setClock({ at: (yield* control.clock).at + 1000 * hour * 1000 })
        yield* trades()
        yield* control.freezeClock
        yield* trades()
        yield* control.advanceClock({ millis: 10 * hour })
        yield* trades()
        yield* control.skewClock({ millis: 3000 })
        yield* trades()
        yield* control.skewClock({ millis: -3000 })
        yield* trades()
        yield* control.runClock
        yield* trades()
      }).pipe(Effect.provide(exchange(world))))
  }
}

describe("windowed nonces of the live dialect", () => {
  /**
   * The owner's actions on the clock. `restart` closes and reopens the venue, and `pass` advances the machine's clock.
   */
  const act = fc.oneof(
    fc.record({ do: fc.constant("advance" as const), millis: fc.nat(1000 * hour) }),
    fc.record({ do: fc.constant("set" as const), millis: fc.nat(1000 * hour) }),
    fc.record({ do: fc.constantFrom("freeze" as const, "run" as const, "restart" as const), millis: fc.constant(0) }),
    fc.record({ do: fc.constant("skew" as const), millis: fc.integer({ min: -hour, max: hour }) }),
    fc.record({ do: fc.constant("pass" as const), millis: fc.nat(10_000) })
  )

  const open = Effect.fnUntraced(function*(file: string) {
    const scope = yield* Scope.make()
    const venue = yield* Scope.provide(Venue.make({ dialect: Dialect.live, file }), scope)
    const control = Control.make(venue)
    return { venue, control, close: Scope.close(scope, Exit.void) }
  })

  property(
    "a windowed nonce is checked against the clock that callers see, and accepted only once, whatever the owner does",
    [fc.array(act, { maxLength: 15, size: "max" })],
    (acts) =>
      Effect.gen(function*() {
        const file = yield* scratchFile
        yield* TestClock.setTime(1_700_000_000_000)
        let { close, control, venue } = yield* open(file)
        yield* Effect.provideService(setUp, Control.Control, control)
        const used = new Set<number>()
        let skew = 0

        const call = Effect.fnUntraced(function*(nonce: number) {
          const request = signedText(path, JSON.stringify({ request: path, nonce, nonceWindow: true }))
          const answer = read(yield* venue.handle(request))
          return answer === "reset" ? assert.fail(answer) : answer.status
        })
        const trade = Effect.fnUntraced(function*() {
          const nonce = (yield* Clock.currentTimeMillis) + skew + used.size
          if (used.has(nonce)) return
          assert.strictEqual(yield* call(nonce), 200)
          used.add(nonce)
        })

        for (const { do: name, millis } of [{ do: "pass", millis: 0 }, ...acts] as const) {
          const { at } = yield* control.clock
          if (name === "advance") yield* control.advanceClock({ millis })
          if (name === "set") yield* control.setClock({ at: at + millis * 1000 })
          if (name === "freeze") yield* control.freezeClock
          if (name === "run") yield* control.runClock
          if (name === "skew") yield* control.skewClock({ millis: skew = millis })
          if (name === "pass") yield* TestClock.adjust(millis)
          if (name === "restart") {
            const before = canonical(Saved.save(venue.state))
            yield* close
            ;({ close, control, venue } = yield* open(file))
            assert.strictEqual(canonical(Saved.save(venue.state)), before)
          }
          yield* trade()
          for (const nonce of used) assert.include([400, 429], yield* call(nonce))
        }
        yield* close
      }).pipe(Effect.scoped, Effect.orDie),
    { runs: 100, short: 12, timeout: 600_000 }
  )

  it.effect("refused windowed nonces are not written to the journal, no matter how the clock is set", () =>
    Effect.gen(function*() {
      const venue = yield* Venue.make({ dialect: Dialect.live })
      const control = Control.make(venue)
      yield* Effect.provideService(setUp, Control.Control, control)
      yield* control.setClock({ at: (yield* control.clock).at + hour * 1000 })
      yield* control.freezeClock
      const sequence = venue.sequence()
      const nonce = (yield* Clock.currentTimeMillis) + 5001
      const refused = signedText(path, JSON.stringify({ request: path, nonce, nonceWindow: true }))
      yield* venue.handle(refused)
      assert.strictEqual(venue.sequence(), sequence)
    }))
})

for (const dialect of dialects) {
  it.effect(`an order's timestamp has microseconds if the clock has them (${dialect.name})`, () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(1_700_000_000_123.25)
      const placed = Effect.suspend(() => handle(signed(dialect, "/api/v4/order/new", order)))
      const [one, other] = [(yield* placed).json, (yield* placed).json]
      assert.deepStrictEqual([one["timestamp"], other["timestamp"]], [1_700_000_000.12325, 1_700_000_000.12325])
      // Order ids increase with time.
      const [id, next] = [one, other].map((answer) => Number(answer["orderId"] ?? answer["order_id"]))
      assert.isBelow(id ?? 0, next ?? 0)
    }).pipe(Effect.provide(inProcess(dialect))))
}

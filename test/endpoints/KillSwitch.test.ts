import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { CancelAllType } from "../../src/domain/Order.ts"
import { ActiveOrders } from "../../src/endpoints/ActiveOrders.ts"
import { KillSwitch, KillSwitchSeconds } from "../../src/endpoints/KillSwitch.ts"
import { KillSwitchStatus } from "../../src/endpoints/KillSwitchStatus.ts"
import { StopLimitOrders } from "../../src/endpoints/StopLimitOrders.ts"
import * as Controls from "../../src/sandbox/control/Control.ts"
import * as Venue from "../../src/sandbox/venue/Venue.ts"
import { scratchFile } from "../support/files.ts"
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
  statuses,
  traders
} from "../support/trading.ts"

const path = "/api/v4/order/kill-switch"

const arm = (seconds: number, more: { readonly types?: ReadonlyArray<CancelAllType> } = {}) =>
  KillSwitch.use((killSwitch) => killSwitch.arm({ market: btcUsdt, timeout: KillSwitchSeconds.make(seconds), ...more }))

const disarm = KillSwitch.use((killSwitch) => killSwitch.disarm({ market: btcUsdt }))

const armed = Effect.map(
  KillSwitchStatus.use((status) => status.list()),
  (timers) => timers.map(({ cancellationTime, market, startTime }) => [market, cancellationTime - startTime])
)

const open = Effect.map(ActiveOrders.use((orders) => orders.page()), ({ records }) => records.length)

/** Advances the sandbox's clock, which otherwise stands still. */
const wait = (seconds: number) => Controls.Control.use((control) => control.advanceClock({ millis: seconds * 1000 }))

const frozen = Controls.Control.use((control) => control.freezeClock)

describe.each(dialects)("the kill switch in the $name dialect", (dialect) => {
  it.live("the kill switch cancels orders at the exact time when its timer expires", () =>
    Effect.gen(function*() {
      yield* frozen
      yield* limit("buy", "1", "900")
      yield* StopLimitOrders.use((orders) =>
        orders.create({
          market: btcUsdt,
          side: "buy",
          amount: amount("1"),
          price: price("1200"),
          activationPrice: price("1100")
        })
      )
      const { cancellationTime, startTime, ...timer } = yield* arm(10)
      same([timer, cancellationTime - startTime], [{ market: "BTC_USDT" }, 10])
      yield* wait(9.999)
      same([yield* open, yield* armed], [2, [["BTC_USDT", 10]]])
      yield* wait(0.001)
      same([yield* open, yield* armed], [0, []])
      same(yield* statuses, ["CANCELED", "CANCELED"])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("arming the kill switch again restarts its timer, and disarming stops it", () =>
    Effect.gen(function*() {
      yield* frozen
      yield* limit("buy", "1", "900")
      yield* arm(10)
      yield* wait(9)
      yield* arm(5, { types: ["spot"] })
      yield* wait(4)
      same([yield* open, yield* armed], [1, [["BTC_USDT", 5]]])
      yield* disarm
      yield* disarm
      yield* wait(600)
      same([yield* open, yield* armed], [1, []])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("a kill switch cancels only orders of its own account, market and types", () =>
    Effect.gen(function*() {
      yield* frozen
      const spot = yield* limit("buy", "1", "900")
      const margin = yield* perp("buy", "1", "900", { market: btcUsdt })
      const future = yield* perp("buy", "1", "900")
      const theirs = yield* asBob(limit("buy", "1", "900"))
      const ids = Effect.map(
        ActiveOrders.use((orders) => orders.page()),
        ({ records }): ReadonlyArray<string> => records.map(({ orderId }) => orderId).toSorted()
      )
      const timer = yield* arm(5, { types: ["margin", "futures"] })
      same(timer.types, ["margin", "futures"])
      yield* wait(5)
      same(yield* ids, [spot.orderId, future.orderId].toSorted())
      yield* KillSwitch.use((killSwitch) =>
        killSwitch.arm({ market: btcPerp, timeout: KillSwitchSeconds.make(5), types: ["spot"] })
      )
      yield* wait(5)
      same(yield* ids, [spot.orderId, future.orderId].toSorted())
      yield* arm(5)
      yield* wait(5)
      same(yield* ids, [future.orderId])
      same(yield* asBob(ids), [theirs.orderId])
      assert.notInclude(yield* ids, margin.orderId)
    }).pipe(Effect.provide(traders(dialect))))

  it.live("an account sees only its own kill switches, for one market or for all markets", () =>
    Effect.gen(function*() {
      yield* frozen
      yield* KillSwitch.use((killSwitch) => killSwitch.arm({ market: btcPerp, timeout: KillSwitchSeconds.make(600) }))
      yield* arm(60)
      same(yield* armed, [["BTC_USDT", 60], ["BTC_PERP", 600]])
      same((yield* KillSwitchStatus.use((status) => status.list({ market: btcPerp }))).map(({ market }) => market), [
        "BTC_PERP"
      ])
      same(yield* asBob(armed), [])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("the kill switch cancels an order before a price move at the same instant can fill it", () =>
    Effect.gen(function*() {
      yield* frozen
      yield* limit("buy", "1", "900")
      yield* Controls.Control.use((control) =>
        control.playPrices({ market: btcUsdt, steps: [{ afterMillis: 5000, price: price("800") }] })
      )
      yield* arm(5)
      yield* wait(5)
      same(yield* statuses, ["CANCELED"])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("a reopened sandbox fires the kill switch when it is due, in the right order relative to price moves", () =>
    Effect.gen(function*() {
      const file = yield* scratchFile
      yield* Effect.gen(function*() {
        yield* frozen
        yield* limit("buy", "1", "900")
        yield* limit("buy", "1", "950")
        yield* Controls.Control.use((control) =>
          control.playPrices({
            market: btcUsdt,
            steps: [{ afterMillis: 4000, price: price("920") }, { afterMillis: 2000, price: price("800") }]
          })
        )
        yield* arm(5)
      }).pipe(Effect.provide(traders(dialect, file)))
      const ended = yield* Effect.gen(function*() {
        const venue = yield* Venue.Venue
        yield* Controls.make(venue).advanceClock({ millis: 60_000 })
        same([venue.state.killSwitches.size, venue.state.openOrders.size], [0, 0])
        return venue.state.endedOrders.get("alice") ?? []
      }).pipe(Effect.provide(Layer.fresh(Venue.layer({ dialect, file }))))
      same(ended.map(({ price, status }): ReadonlyArray<unknown> => [price, status]), [
        ["950", "FILLED"],
        ["900", "CANCELED"]
      ])
      same(ended.map(({ changedAt }) => changedAt - (ended[0]?.changedAt ?? 0)), [0, 1_000_000])
    }).pipe(Effect.scoped))

  it.live("the kill switch timeout is sent as a string, and null or \"null\" disarms the kill switch", () =>
    Effect.gen(function*() {
      const status = dialect.name === "live" ? 422 : 400
      const market = "BTC_USDT"
      const { body } = yield* raw(path, { market, timeout: "60", types: null })
      same(Object.keys(body as object), ["market", "startTime", "cancellationTime", "types"])
      const listed = (yield* raw(`${path}/status`, {})).body as ReadonlyArray<object>
      same(listed, [{ ...body as object, types: null }])
      same(yield* armed, [["BTC_USDT", 60]])
      same(yield* raw(path, { market, timeout: null }), { status: 200, body: [] })
      same(yield* armed, [])
      yield* raw(path, { market, timeout: "600" })
      same(yield* raw(path, { market, timeout: "null" }), { status: 200, body: [] })
      for (
        const [timeout, words] of [
          [60, "Timeout field should be a string."],
          ["4", "Timeout should be at least 5."],
          ["601", "Timeout should not be greater than 600."],
          ["", "Timeout field should be an integer."],
          [undefined, "Timeout field is required."]
        ] as const
      ) {
        same(yield* raw(path, { market, timeout }), {
          status,
          body: { code: 30, message: "Validation failed", errors: { timeout: [words] } }
        })
      }
      same(yield* armed, [])
    }).pipe(Effect.provide(traders(dialect))))

  it.live("arming or reading a kill switch is refused for an unknown market", () =>
    Effect.gen(function*() {
      const { code, errors } = (yield* raw(path, { market: "NO_SUCH", timeout: "60" })).body as Record<string, unknown>
      same([code, errors], [dialect.name === "live" ? 31 : 30, { market: ["Market is not available."] }])
      const { fields } = yield* failsWith("ValidationFailed")(
        KillSwitchStatus.use((status) => status.list({ market: "NO_SUCH" as typeof btcUsdt }))
      )
      same(fields, { market: ["Market is not available."] })
    }).pipe(Effect.provide(traders(dialect))))
})

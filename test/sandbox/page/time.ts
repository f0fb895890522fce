/** Tests the page's time area: the clock, the journal's commands, snapshots and forks. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { marketName, ticker } from "../../../src/domain/Identifiers.ts"
import * as Control from "../../../src/sandbox/control/Control.ts"
import { see } from "../../support/browser.ts"
import { until } from "../../support/clock.ts"
import {
  appears,
  call,
  go,
  goes,
  isLive,
  itInFull,
  lastPrice,
  listOf,
  opened,
  press,
  region,
  stopOrder,
  world,
  write
} from "../../support/page.ts"
import { amount, price } from "../../support/trading.ts"

const btcUsdt = marketName("BTC_USDT")

export const time = (): void => {
  itInFull(
    "while a user selects earlier commands, the page shows the exchange as it was, and restores nothing",
    () =>
      Effect.gen(function*() {
        const control = yield* Control.Control
        const { shown } = yield* opened
        yield* stopOrder("40900")
        const { sequence } = yield* control.status
        yield* control.movePrice({ market: btcUsdt, price: price("40500") })
        yield* call("/api/v4/order/new", { market: "BTC_USDT", side: "buy", amount: "0.5", price: "39000" })
        yield* call("/api/v4/main-account/balance", {})
        yield* control.fund({ account: "alice", wallet: "main", ticker: ticker("BTC"), amount: amount("1") })
        const { digest, sequence: last } = yield* control.status
        const main = region(shown, "Balances").getByRole("row", { name: /^main BTC/u })
        const book = region(shown, "Order book")
        yield* see(() => main.getByText("1.5").waitFor())
        yield* appears(book, "39 000.00".replace(" ", "\u202F"))
        yield* go(shown, "time")
        yield* see(() => shown.getByRole("slider", { name: "Command" }).fill(String(sequence)))
        yield* appears(shown, new RegExp(`^The exchange as it was after command ${sequence}, `, "u"))
        yield* lastPrice(shown, /40\s000/u)
        yield* goes(book, /39\s000/u)
        assert.isTrue(yield* see(() => shown.getByRole("button", { name: "+1 %" }).isDisabled()))
        yield* go(shown, "orders")
        yield* listOf(shown, "Open orders", 1)
        yield* see(() => main.getByText("0.5").waitFor())
        // New commands do not change the earlier state that is shown.
        yield* control.movePrice({ market: btcUsdt, price: price("40600") })
        yield* appears(shown, `${last + 1} commands`)
        yield* lastPrice(shown, /40\s000/u)
        yield* press(shown, "Back to the present")
        yield* lastPrice(shown, /40\s600/u)
        yield* listOf(shown, "Open orders", 2)
        assert.strictEqual((yield* control.status).sequence, last + 1)
        assert.notStrictEqual((yield* control.status).digest, digest)
        yield* go(shown, "time")
        const list = region(shown, "Timeline").getByRole("grid")
        yield* appears(list, "a call that changes nothing")
        yield* see(() => shown.getByLabel("Hide commands without effect").check())
        yield* goes(list, "a call that changes nothing")
        yield* see(() => shown.reload())
        yield* isLive(shown)
        yield* appears(list, "limit buy 0.5 on BTC_USDT at 39\u202F000 USDT")
        yield* goes(list, "a call that changes nothing")
      }).pipe(Effect.scoped, Effect.provide(world))
  )

  itInFull(
    "the page freezes the clock, forks, and restores a snapshot after a reload; a reset asks for confirmation and can be undone",
    () =>
      Effect.gen(function*() {
        const control = yield* Control.Control
        const { shown } = yield* opened
        const main = region(shown, "Balances").getByRole("row", { name: /^main BTC/u })
        yield* go(shown, "time")
        yield* press(shown, "Freeze")
        yield* appears(region(shown, "Clock"), "frozen")
        yield* press(shown, "Take snapshot")
        yield* see(() => region(shown, "Snapshots").getByRole("listitem").waitFor())
        yield* press(shown, "Fork here")
        yield* appears(region(shown, "Forks"), /http:\/\//u)
        yield* control.fund({ account: "alice", wallet: "main", ticker: ticker("BTC"), amount: amount("1") })
        yield* see(() => shown.reload())
        yield* isLive(shown)
        yield* go(shown, "orders")
        yield* see(() => main.getByText("1.5").waitFor())
        yield* go(shown, "time")
        yield* press(region(shown, "Snapshots"), /^Restore/u)
        yield* go(shown, "orders")
        yield* see(() => main.getByText("0.5").waitFor())

        yield* control.fund({ account: "alice", wallet: "main", ticker: ticker("BTC"), amount: amount("2") })
        yield* see(() => main.getByText("2.5").waitFor())
        yield* go(shown, "time")
        yield* press(shown, "Reset…")
        const dialog = shown.getByRole("dialog")
        yield* press(dialog, "Cancel")
        assert.strictEqual(
          String((yield* control.balances("alice")).find(({ free }) => free === amount("2.5"))?.free),
          "2.5"
        )
        yield* press(shown, "Reset…")
        yield* press(dialog, "Reset")
        yield* press(shown, "Undo")
        yield* go(shown, "orders")
        yield* see(() => main.getByText("2.5").waitFor())
      }).pipe(Effect.scoped, Effect.provide(world))
  )

  itInFull(
    "the page advances and sets the clock, shows how far the clock is ahead, and jumps to the next scheduled event",
    () =>
      Effect.gen(function*() {
        const control = yield* Control.Control
        const { shown } = yield* opened
        yield* go(shown, "time")
        const clock = region(shown, "Clock")
        yield* appears(clock, "running")
        yield* press(clock, "Freeze")
        yield* appears(clock, "frozen")
        const before = (yield* control.clock).at
        yield* press(clock, "+1 hour")
        yield* appears(clock, /sandbox.s clock is 60 minutes ahead\./u)
        assert.strictEqual((yield* control.clock).at, before + 3_600_000_000)

        yield* control.playPrices({ market: btcUsdt, steps: [{ afterMillis: 600_000, price: price("45000") }] })
        yield* see(() => clock.getByRole("button", { name: /^Next due event: in 10 minutes/u }).click())
        yield* lastPrice(shown, /45\s000/u)
        yield* appears(clock, "Next due event: none")
        assert.strictEqual((yield* control.clock).at, before + 4_200_000_000)

        yield* write(clock, "Later time, in UTC", "2031-02-03T04:05:06")
        yield* press(clock, "Set")
        yield* appears(clock, "2031-02-03 04:05:06 UTC")
        assert.strictEqual((yield* control.clock).at, Date.UTC(2031, 1, 3, 4, 5, 6) * 1000)
        // An earlier time is refused with an explanation.
        yield* write(clock, "Later time, in UTC", "2030-02-03T04:05:06")
        yield* press(clock, "Set")
        yield* appears(shown.getByRole("alert"), "the clock only moves forward")
        yield* press(clock, "Run")
        yield* appears(clock, "running")
        assert.isFalse((yield* control.clock).frozen)
        yield* control.skewClock({ millis: -5000 })
        yield* appears(clock, "Callers see a clock that is 5 s behind.")
      }).pipe(Effect.scoped, Effect.provide(world))
  )

  itInFull(
    "the user can select an old command on the timeline, and a fork of it is a separate sandbox with its own page",
    () =>
      Effect.gen(function*() {
        const control = yield* Control.Control
        const { shown } = yield* opened
        yield* stopOrder("40200")
        const { sequence } = yield* control.status
        for (let n = 1; n <= 300; n++) yield* control.movePrice({ market: btcUsdt, price: price(String(30_000 + n)) })
        yield* lastPrice(shown, /30\s300/u)
        yield* go(shown, "time")
        const timeline = region(shown, "Timeline")
        // The timeline can lag behind the price, so the test waits for the last command. While the last command is
        // selected, the selection moves to new commands.
        yield* appears(timeline, `${(yield* control.status).sequence} commands`)
        yield* see(() => timeline.getByRole("slider", { name: "Command" }).fill(String(sequence)))
        yield* appears(
          timeline,
          /alice: stop limit buy 0\.01 on BTC_USDT at 41\s500 USDT, triggered at 40\s200, my-stop/u
        )
        yield* press(timeline, "Fork here")
        // The page still shows the earlier state. Its fork is a separate sandbox.
        yield* press(shown, "Back to the present")
        const link = region(shown, "Forks").getByRole("link")
        const [fork] = yield* Effect.all([
          see(() => shown.waitForEvent("popup")),
          see(() => link.click())
        ], { concurrency: "unbounded" })
        yield* isLive(fork)
        yield* lastPrice(fork, /40\s000/u)
        assert.strictEqual(yield* see(() => fork.title()), "40\u202F000 BTC_USDT · effect-txc fork 1")
        assert.match(yield* see(() => shown.title()), /^30\s300 BTC_USDT · effect-txc sandbox$/u)
        yield* appears(region(fork, "Open orders"), "my-stop")
        yield* press(fork, "+1 %")
        yield* lastPrice(fork, /40\s400/u)
        yield* lastPrice(shown, /30\s300/u)
        yield* press(region(shown, "Forks"), "End…")
        yield* press(shown.getByRole("dialog"), "End")
        yield* see(() => fork.locator("#link.reconnecting").waitFor())
        yield* goes(region(shown, "Forks"), /http:\/\//u)
        yield* until(Effect.map(control.forks, ({ length }) => length === 0))
      }).pipe(Effect.scoped, Effect.provide(world))
  )
}

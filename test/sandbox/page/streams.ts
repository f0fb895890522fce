/** Tests the page's streams area and stream faults. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Socket from "effect/socket/Socket"
import * as Dialer from "../../../src/client/session/Dialer.ts"
import { marketName } from "../../../src/domain/Identifiers.ts"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import * as Control from "../../../src/sandbox/control/Control.ts"
import * as Example from "../../../src/sandbox/Example.ts"
import { see } from "../../support/browser.ts"
import { until } from "../../support/clock.ts"
import {
  appears,
  go,
  itInFull,
  listOf,
  opened,
  pick,
  press,
  reads,
  region,
  worldWith,
  write
} from "../../support/page.ts"
import { handle, signed } from "../../support/signed.ts"
import { price } from "../../support/trading.ts"
import { open } from "../streams/raw.ts"
import { cut, isPlain } from "./look.ts"

const live = worldWith({ dialect: Dialect.live })

/** Connects to the sandbox as alice, and subscribes to a market's price. */
const connected = Effect.fnUntraced(function*(baseUrl: string) {
  const dialer = Dialer.layer({ url: `${baseUrl.replace("http", "ws")}/ws` })
  const client = yield* Effect.provide(
    open,
    Layer.provide(dialer, Socket.layerWebSocketConstructorGlobal)
  )
  const { json } = yield* handle(signed(Dialect.live, "/api/v4/profile/websocket_token", {}, Example.alice))
  yield* client.ask("authorize", String(json["websocket_token"]), "public")
  yield* client.ask("lastprice_subscribe", "BTC_USDT")
  return client
})

const movePrice = (to: string) =>
  Control.Control.use((control) => control.movePrice({ market: marketName("BTC_USDT"), price: price(to) }))

export const streams = (): void => {
  itInFull(
    "the page shows the connected clients and the messages sent to each, and can cut or close a connection",
    () =>
      Effect.gen(function*() {
        const { baseUrl, shown } = yield* opened
        yield* go(shown, "streams")
        yield* appears(region(shown, "Connections"), "None. Connect a WebSocket client to the path /ws.")
        const [abrupt, closed] = [yield* connected(baseUrl), yield* connected(baseUrl)]
        yield* listOf(shown, "Connections", 2)
        const row = (id: number) =>
          shown.getByRole("row", { name: new RegExp(`^${id} alice .* lastprice BTC_USDT`, "u") })
        yield* see(() => row(1).waitFor())
        yield* press(shown, "Cut off connection 1")
        assert.strictEqual(yield* abrupt.ended, 1006)
        yield* listOf(shown, "Connections", 1)

        yield* see(() => row(2).click())
        const drawer = shown.getByRole("dialog", { name: "Connection 2" })
        yield* appears(drawer, Example.alice.apiKey)
        yield* movePrice("40321")
        yield* see(() => drawer.locator("summary", { hasText: /lastprice_update .*40321/u }).click())
        yield* appears(drawer, /"40321"\n/u)
        for (const width of [390, 1440]) {
          yield* see(() => shown.setViewportSize({ width, height: 800 }))
          assert.deepStrictEqual(yield* cut(shown), [], `at ${width}`)
        }
        yield* isPlain(shown, "the details of a connection")
        yield* press(drawer, "Close (1001)")
        assert.strictEqual(yield* closed.ended, 1001)
        yield* appears(drawer, "This connection has ended.")
        // The last messages of the closed connection stay visible.
        yield* appears(drawer, /"40321"\n/u)
        yield* press(drawer, "Close")
        yield* appears(region(shown, "Connections"), /^None\./u)
      }).pipe(Effect.scoped, Effect.provide(live))
  )

  itInFull(
    "the page adds a stream fault with its parameters and the fields that select messages",
    () =>
      Effect.gen(function*() {
        const control = yield* Control.Control
        const { baseUrl, shown } = yield* opened
        const client = yield* connected(baseUrl)
        yield* go(shown, "faults")
        const form = region(shown, "New fault")
        yield* press(form, "Streams")
        yield* pick(form, "What goes wrong", "a message is lost")
        yield* pick(form, "Channel", "lastprice")
        yield* pick(form, "Of account", "alice")
        yield* write(form, "Number of messages", "1")
        yield* press(form, "Add fault")
        const list = region(shown, "Faults")
        yield* appears(list, "armed")
        yield* movePrice("40111")
        yield* appears(list, "used up")
        yield* reads(list.getByRole("listitem"), [
          "# used up a message is lost messages of lastprice, account alice; fired 1 of 1, matched 1 Remove"
        ])
        yield* movePrice("40222")
        yield* until(Effect.sync(() => client.texts.some((text) => text.includes("40222"))))
        assert.isFalse(client.texts.some((text) => text.includes("40111")))

        // The form for this symptom has no field for a channel or an account, so earlier choices must not become part
        // of the fault.
        yield* pick(form, "What goes wrong", "a connection is refused")
        yield* pick(form, "Reason", "unavailable")
        yield* write(form, "Connections to skip", "2")
        yield* press(form, "Add fault")
        yield* pick(form, "What goes wrong", "the connection ends")
        yield* pick(form, "How", "with a close frame (1001)")
        yield* press(form, "Add fault")
        yield* see(() => list.getByRole("listitem").nth(2).waitFor())
        const counts = { times: 1, skip: 2, probability: 1 }
        assert.deepStrictEqual((yield* control.faults).slice(1).map(({ fault }) => fault), [
          { ...counts, symptom: { _tag: "RefuseConnection", kind: "unavailable" } },
          { ...counts, channel: "lastprice", account: "alice", symptom: { _tag: "Cut", close: true } }
        ])
      }).pipe(Effect.scoped, Effect.provide(live))
  )
}

import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as fc from "fast-check"
import { dirname } from "node:path"
import { stripVTControlCharacters } from "node:util"
import * as Channels from "../../src/channels/all.ts"
import * as Screen from "../../src/cli/Screen.ts"
import { itemsOf } from "../../src/cli/watch.ts"
import * as Display from "../../src/cli/watch/Display.ts"
import * as View from "../../src/cli/watch/View.ts"
import { views } from "../../src/cli/watch/Views.ts"
import * as Item from "../../src/client/session/Item.ts"
import { UnixTime } from "../../src/domain/Time.ts"
import * as Exchange from "../../src/Exchange.ts"
import * as Dialect from "../../src/protocol/Dialect.ts"
import * as Control from "../../src/sandbox/control/Control.ts"
import * as Example from "../../src/sandbox/Example.ts"
import * as Sandbox from "../../src/sandbox/Sandbox.ts"
import * as Server from "../../src/sandbox/server/Server.ts"
import * as Streams from "../../src/Streams.ts"
import { run } from "../support/command.ts"
import { scratchFile } from "../support/files.ts"
import { property } from "../support/property.ts"
import { refusingPort } from "../support/server.ts"
import { itOnTerminal, onTerminal } from "../support/terminal.ts"

const environmentOf = (baseUrl: string) => ({
  TXC_BASE_URL: baseUrl,
  TXC_DIALECT: "live",
  TXC_API_KEY: Example.alice.apiKey,
  TXC_API_SECRET: Example.alice.apiSecret
})

const served = Effect.gen(function*() {
  yield* Example.setUp
  const { baseUrl } = yield* Server.serve()
  return environmentOf(baseUrl)
})

const live = Sandbox.layer({ dialect: Dialect.live, counterparty: [Example.counterparty] })

describe("effect-txc watch", () => {
  it.effect("`watch` has a subcommand with a unique name for every channel", () =>
    Effect.gen(function*() {
      const { out } = yield* run(["watch", "--help"])
      const commands = Channels.entries.map(({ name }) => views[name].command)
      assert.deepStrictEqual(commands, [...new Set(commands)])
      for (const { name } of Channels.entries) assert.include(out, `\n  ${views[name].command} `)
    }))

  it.effect("`watch` finds the stream of every channel", () =>
    Effect.gen(function*() {
      const exchange = Exchange.layer({
        baseUrl: "http://127.0.0.1",
        dialect: Dialect.live,
        credentials: { apiKey: Redacted.make("alice-key"), apiSecret: Redacted.make("alice-secret") }
      })
      const services = yield* Layer.build(Streams.layerInProcess.pipe(Layer.provide(exchange), Layer.provide(live)))
      for (const { channel, name } of Channels.entries) {
        assert.isTrue(Stream.isStream(itemsOf(services, name, channel.example)), name)
      }
    }).pipe(Effect.scoped))

  it.live("`watch` exits with the same codes as `call`, and explains why it could not watch", () =>
    Effect.gen(function*() {
      const environment = yield* served
      const unknown = yield* run(["watch", "book", "BTC_USDC"], { environment })
      assert.strictEqual(unknown.failed?.tag, "NoSuchMarket")
      assert.match(unknown.failed?.said ?? "", /code 9.*\nThere is no market BTC_USDC; did you mean BTC_USDT\?$/u)
      const channel = yield* run(["watch", "bok", "BTC_USDT"], { environment })
      assert.include(channel.error, "There is no command \"bok\"; did you mean book?\nSee effect-txc watch --help")
      const document = yield* run(["watch", "last-price", "BTC_USDT"], {
        environment: { ...environment, TXC_DIALECT: "document" }
      })
      assert.deepStrictEqual([document.failed?.tag, document.failed?.said.split("\n")[0]], [
        "Refused",
        "Only the live dialect has a WebSocket"
      ])
      const { TXC_API_KEY: _, ...keyless } = environment
      const anonymous = yield* run(["watch", "balances"], { environment: keyless })
      assert.match(anonymous.failed?.said ?? "", /^The API key is missing; set TXC_API_KEY/u)
      const silent = yield* run(["watch", "last-price", "BTC_USDT"], {
        environment: environmentOf(`http://127.0.0.1:${yield* refusingPort}`)
      })
      assert.strictEqual(silent.failed?.tag, "ExchangeUnreachable")
      const nowhere = yield* run(["watch", "last-price", "BTC_USDT"])
      assert.match(nowhere.failed?.said ?? "", /set either TXC_REGION/u)
    }).pipe(Effect.scoped, Effect.provide(live)))

  itOnTerminal(
    "`watch` redraws a table with 80 columns, shows interruptions and recoveries, and exits with code 0",
    () =>
      Effect.gen(function*() {
        const environment = yield* served
        const control = yield* Control.Control
        yield* control.begin
        // Every reset of the sandbox closes all connections.
        yield* Effect.forkScoped(Effect.repeat(control.reset, Schedule.spaced("500 millis")))
        const { code, output } = yield* onTerminal(["watch", "book", "BTC_USDT"], {
          folder: dirname(yield* scratchFile),
          columns: 80,
          environment,
          steps: [["live again since", "\u0003"]]
        })
        const plain = stripVTControlCharacters(output)
        assert.strictEqual(code, 0, plain)
        assert.match(plain, /live again since \d\d:\d\d:\d\d, after \d+ interruption/u)
        for (const said of ["book, BTC_USDT, limit 10", "SIDE  PRICE", "\nask ", "\nbid "]) assert.include(plain, said)
        assert.include(output, "\u001B[J")
        for (const line of plain.split("\n")) assert.isAtMost(line.length, 80, line)
      }).pipe(Effect.scoped, Effect.provide(live))
  )

  itOnTerminal("`watch --json` prints a line of JSON for each item", () =>
    Effect.gen(function*() {
      const environment = yield* served
      const { code, output } = yield* onTerminal(["watch", "balances", "--json"], {
        folder: dirname(yield* scratchFile),
        environment,
        steps: [["}\r\n", "\u0003"]]
      })
      const [first = ""] = output.split("\n")
      const { _tag, state } = JSON.parse(first) as { readonly _tag: string; readonly state: object }
      assert.deepStrictEqual([code, _tag], [0, "Snapshot"])
      assert.property(state, "USDT")
    }).pipe(Effect.scoped, Effect.provide(live)))
})

describe("View", () => {
  const level = fc.record({
    price: fc.integer({ min: 1, max: 30 }).map(String),
    amount: fc.integer({ min: 0, max: 2 }).map(String)
  })
  property(
    "a book's table shows the best levels of each side in order, without removed levels",
    [fc.array(fc.record({ isSnapshot: fc.boolean(), asks: fc.array(level), bids: fc.array(level) }))],
    (messages) =>
      Effect.sync(() => {
        const table = views.DepthChannel.begin({ limit: 5 })
        const expected = { ask: new Map<number, string>(), bid: new Map<number, string>() }
        for (const { asks, bids, isSnapshot } of messages) {
          const message = { asks, bids, isSnapshot } as never
          table.apply(isSnapshot ? Item.snapshot(message) : Item.event(message))
          for (const [side, levels] of [["ask", asks], ["bid", bids]] as const) {
            if (isSnapshot) expected[side].clear()
            for (const { amount, price } of levels) expected[side].set(Number(price), amount)
          }
        }
        const pricesOf = (side: "ask" | "bid") =>
          [...expected[side]].filter(([, amount]) => amount !== "0").map(([price]) => price)
        const asks = pricesOf("ask").toSorted((one, other) => one - other).slice(0, 5).toReversed()
        const bids = pricesOf("bid").toSorted((one, other) => other - one).slice(0, 5)
        assert.deepStrictEqual(table.rows().map(({ price }) => Number(price)), [...asks, ...bids])
      })
  )

  it("a table of records shows the latest record first, and drops the oldest", () => {
    const view = View.records<{ readonly id: number }>({
      command: "records",
      summary: "Records",
      keyOf: ({ id }) => String(id),
      sorted: View.latestFirst(({ id }: { readonly id: number }) => id),
      row: ({ id }) => ({ id })
    })
    const table = view.begin({})
    table.apply(Item.snapshot([{ id: 1 }, { id: 2 }]))
    for (let id = 2; id <= 1500; id++) table.apply(Item.event({ id }))
    const ids = table.rows().map(({ id }) => id)
    assert.deepStrictEqual([ids.length, ids[0], ids.at(-1)], [1000, 1500, 501])
    table.apply(Item.snapshot([{ id: 7 }]))
    assert.deepStrictEqual(table.rows(), [{ id: 7 }])
  })
})

describe("Display", () => {
  const at = DateTime.makeUnsafe(0)
  const interrupted = Item.interrupted("connection-lost", UnixTime.make(0))

  it("an interruption is shown until the next state or event, and then only counted", () => {
    const sentences: Array<string> = []
    let health = Display.begun
    for (const item of [Item.snapshot(1), Item.event(2), interrupted, Item.snapshot(3), interrupted, Item.event(4)]) {
      health = Display.after(health, item, at)
      sentences.push(health.sentence.replaceAll(/\d\d:\d\d:\d\d/gu, "TIME"))
    }
    const lost = "interrupted at TIME: the connection was lost; events may be missing"
    assert.deepStrictEqual(sentences, [
      "live since TIME",
      "live since TIME",
      lost,
      "live again since TIME, after 1 interruption",
      lost,
      "live again since TIME, after 2 interruptions"
    ])
  })

  property(
    "a frame fits the terminal, and states how many rows are hidden",
    [
      fc.array(fc.record({ id: fc.nat(), text: fc.string(), more: fc.string() })),
      fc.integer({ min: 20, max: 100 }),
      fc.integer({
        min: 6,
        max: 40
      })
    ],
    (rows, columns, height) =>
      Effect.sync(() => {
        const screen = { ...Screen.unseen, isTerminal: true, columns }
        const lines = Display.frame("title", Display.begun, rows, screen, height)
        assert.isBelow(lines.length, height)
        for (const line of lines) assert.isAtMost(line.length, columns)
        if (columns >= 80) {
          assert.strictEqual(lines[1]?.includes("more rows do not fit"), rows.length > height - 4)
        }
      })
  )

  it("a table that was drawn on a wider terminal is erased completely, including wrapped lines", () => {
    assert.strictEqual(Display.heightOf(["1234567890", "", "\u001B[1m12345\u001B[0m", "123456"], 5), 2 + 1 + 1 + 2)
    assert.strictEqual(Display.heightOf(["1234567890", ""], Infinity), 2)
  })
})

/** Tests subscribers of a sandbox whose process is killed or whose disk fails. */
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Socket from "effect/socket/Socket"
import * as Stream from "effect/Stream"
import { readFileSync } from "node:fs"
import { dirname } from "node:path"
import * as DealsChannel from "../../../src/channels/DealsChannel.ts"
import * as TradesChannel from "../../../src/channels/TradesChannel.ts"
import type * as Item from "../../../src/client/session/Item.ts"
import { amount } from "../../../src/domain/Decimal.ts"
import { ticker } from "../../../src/domain/Identifiers.ts"
import { Limit, RecordOffset } from "../../../src/domain/Paging.ts"
import * as MarketOrders from "../../../src/endpoints/MarketOrders.ts"
import * as Exchange from "../../../src/Exchange.ts"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import * as ControlClient from "../../../src/sandbox/control/ControlClient.ts"
import * as Example from "../../../src/sandbox/Example.ts"
import * as Sandbox from "../../../src/sandbox/Sandbox.ts"
import * as SandboxStreams from "../../../src/sandbox/streams/Streams.ts"
import { Venue } from "../../../src/sandbox/venue/Venue.ts"
import * as Streams from "../../../src/Streams.ts"
import { until } from "../../support/clock.ts"
import { runningElsewhere } from "../../support/elsewhere.ts"
import { btcUsdt, credentialsOf } from "../../support/exchange.ts"
import { programOf, scratchFile } from "../../support/files.ts"
import { fullDisk } from "../../support/fullDisk.ts"
import { isLong } from "../../support/long.ts"
import { closedPort } from "../../support/server.ts"
import { handle, signed } from "../../support/signed.ts"
import { deaf } from "./client.ts"

/** The number of subscribers. Each subscriber has a separate connection. */
const subscribers = isLong ? 100 : 20

/**
 * A few subscribers follow these accounts' own fills, and the others follow public trades. A private connection needs a
 * token, even to resume, and a key may create only ten tokens per minute.
 */
const accounts = [Example.alice, Example.bob]

const ofEach = isLong ? 4 : 1

/**
 * A clock on which sleeping takes a fifth of the requested time, so that the pauses between reconnections are short.
 */
const hasty = Effect.map(Clock.Clock, (clock) => {
  const sleep: Clock.Clock["sleep"] = (duration) => clock.sleep(Duration.times(duration, 0.2))
  return Object.assign(Object.create(clock) as Clock.Clock, { sleep })
})

interface Trade {
  readonly tradeId: unknown
}

/** Follows a stream of trades and collects their ids. A snapshot replaces the ids collected before it. */
const follow = Effect.fnUntraced(function*<E, R>(stream: Stream.Stream<Item.Item<Trade, ReadonlyArray<Trade>>, E, R>) {
  const seen: { ids: ReadonlyArray<string> | undefined } = { ids: undefined }
  yield* Effect.forkScoped(Stream.runForEach(stream, (item) =>
    Effect.sync(() => {
      if (item._tag === "Interrupted") return
      if (item._tag === "Event") seen.ids = [...seen.ids ?? [], String(item.event.tradeId)]
      else seen.ids = item.state.map(({ tradeId }) => String(tradeId))
    })))
  return seen
})

describe("a sandbox that is killed", () => {
  it.live(
    `after a restart, ${subscribers} subscribers resume, and each has received every trade once`,
    () =>
      Effect.gen(function*() {
        const folder = dirname(yield* scratchFile)
        const port = yield* closedPort
        const baseUrl = `http://127.0.0.1:${port}`
        const args = ["sandbox", "--json", "--dialect", "live", "--counterparty", "BTC_USDT", "--port", `${port}`]
        const serve = runningElsewhere(
          process.execPath,
          [programOf("main"), ...args, "--data", folder],
          /"url":"([^"]+)"/u
        )
        const first = yield* serve
        const token = Redacted.make(readFileSync(`${folder}/control-token`, "utf8").trim())
        // At first, only alice has bitcoin.
        yield* ControlClient.ControlClient.use((control) =>
          control.fund({
            payload: { account: "bob", wallet: "trade", ticker: ticker("BTC"), amount: amount("1") }
          })
        ).pipe(Effect.provide(Layer.provide(ControlClient.layer({ url: baseUrl, token }), FetchHttpClient.layer)))
        const exchanges = yield* Effect.forEach(accounts, (key) =>
          Layer.build(
            Exchange.layer({ baseUrl, dialect: Dialect.live, credentials: credentialsOf(key) }).pipe(
              Layer.provide(FetchHttpClient.layer)
            )
          ))
        const [anyone = assert.fail()] = exchanges
        const trade = (times: number) =>
          Effect.forEach(exchanges, (exchange) =>
            MarketOrders.MarketOrders.use(({ create }) =>
              create({ market: btcUsdt, side: "sell", amount: amount("0.01") })
            ).pipe(Effect.repeat({ times: times - 1 }), Effect.provideContext(exchange)))
        yield* trade(3)

        const url = `${baseUrl.replace("http", "ws")}/ws`
        const servicesOf = (exchange: (typeof exchanges)[number]) =>
          Effect.provideContext(Layer.build(Layer.fresh(Streams.layer({ url }))), exchange)
        const followed = yield* Effect.forEach(Array.from({ length: subscribers }), (_, n) =>
          Effect.gen(function*() {
            const services = yield* servicesOf(exchanges[Math.floor(n / ofEach)] ?? anyone)
            const trades = TradesChannel.TradesChannel.useSync(({ stream }) =>
              follow(stream({ market: btcUsdt }))
            )
            const deals = DealsChannel.DealsChannel.useSync(({ stream }) => follow(stream({ market: btcUsdt })))
            return yield* n < ofEach * exchanges.length
              ? Effect.provideContext(Effect.flatten(deals), services)
              : Effect.provideContext(Effect.flatten(trades), services)
          }).pipe(Effect.provideServiceEffect(Clock.Clock, hasty)))
        yield* until(Effect.sync(() => followed.every(({ ids }) => ids !== undefined)))
        // Some of these trades are pushed before the process is killed, and some are not.
        yield* trade(5)
        yield* first.kill
        yield* serve
        yield* trade(5)
        const limit = Limit.make(100)
        const all = yield* TradesChannel.TradesChannel.use(({ list }) => list({ market: btcUsdt, limit })).pipe(
          Effect.provide(Streams.layerPublic({ url }))
        )
        const own = yield* Effect.forEach(exchanges, (exchange) =>
          Effect.gen(function*() {
            const page = DealsChannel.DealsChannel.use(({ page }) =>
              page({ market: btcUsdt, offset: RecordOffset.make(0), limit })
            )
            return (yield* Effect.provideContext(page, yield* servicesOf(exchange))).records
          }))
        const expected = followed.map((_, n) =>
          (own[Math.floor(n / ofEach)] ?? all).map(({ tradeId }) => String(tradeId)).toReversed()
        )
        yield* until(Effect.sync(() => followed.every(({ ids = [] }, n) => ids.length >= (expected[n]?.length ?? 0))))
        assert.deepStrictEqual(followed.map(({ ids }) => ids), expected)
        assert.isAbove(own[1]?.length ?? 0, 12)
      }).pipe(Effect.scoped, Effect.provide(Socket.layerWebSocketConstructorGlobal)),
    600_000
  )
})

describe("a disk that fails", () => {
  it.live("when the disk fails, all connections are cut, and no client has received anything that is not durable", () =>
    Effect.gen(function*() {
      const file = yield* scratchFile
      const world = Sandbox.layer({ dialect: Dialect.live, file })
      yield* Effect.gen(function*() {
        yield* Example.setUp
        const venue = yield* Venue
        const { connect } = yield* SandboxStreams.make(venue)
        const sent: Array<string> = []
        let endings = 0
        const clients = Array.from(
          { length: 3 },
          () => Result.getOrThrow(connect({ ...deaf, send: (text) => sent.push(text), end: () => endings++ }))
        )
        for (const client of clients) {
          client.receive("{\"id\":1,\"method\":\"bookTicker_subscribe\",\"params\":[\"BTC_USDT\"]}")
        }
        yield* until(Effect.sync(() => sent.length === 6))
        yield* Effect.scoped(Effect.gen(function*() {
          yield* fullDisk
          const order = { market: "BTC_USDT", side: "buy", amount: "0.1", price: "7" }
          assert.strictEqual(
            (yield* Effect.exit(handle(signed(Dialect.live, "/api/v4/order/new", order, Example.alice))))._tag,
            "Failure"
          )
        }))
        yield* until(Effect.sync(() => endings === 3))
        assert.lengthOf(sent, 6)
        assert.isFalse(sent.some((text) => text.includes("\"7\"")))
        assert.isTrue(Result.isFailure(connect(deaf)))
      }).pipe(Effect.provide(world))
    }).pipe(Effect.scoped))
})

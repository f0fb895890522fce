import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { createHmac } from "node:crypto"
import { dirname, join } from "node:path"
import * as Decimal from "../src/domain/Decimal.ts"
import { marketName, ticker } from "../src/domain/Identifiers.ts"
import * as LimitOrders from "../src/endpoints/LimitOrders.ts"
import { MainBalance } from "../src/endpoints/MainBalance.ts"
import { type Client, createClient } from "../src/promise.ts"
import * as Dialect from "../src/protocol/Dialect.ts"
import * as Control from "../src/sandbox/control/Control.ts"
import * as Example from "../src/sandbox/Example.ts"
import * as Faults from "../src/sandbox/gateway/Faults.ts"
import * as Server from "../src/sandbox/server/Server.ts"
import * as Venue from "../src/sandbox/venue/Venue.ts"
import * as Alerts from "./readme/alerts.ts"
import * as ClockExample from "./readme/clock.ts"
import * as DayOverHttp from "./readme/dayOverHttp.ts"
import * as Follow from "./readme/follow.ts"
import * as IntentsExample from "./readme/intents.ts"
import * as Ladder from "./readme/ladder.ts"
import * as PreTrade from "./readme/preTrade.ts"
import * as Recurring from "./readme/recurring.ts"
import * as SignerExample from "./readme/signer.ts"
import { scratchFile } from "./support/files.ts"

const { apiKey, apiSecret } = Example.alice
const market = "BTC_USDT"

const order = {
  market: marketName(market),
  side: "buy",
  amount: Decimal.amount("0.1"),
  price: Decimal.price("5000")
} as const

const deposit = { account: "alice", wallet: "main", ticker: ticker("ETH"), amount: Decimal.amount("1.5") } as const

const environment = (baseUrl: string, dialect: Dialect.Dialect) =>
  ConfigProvider.layer(ConfigProvider.fromUnknown({
    TXC_BASE_URL: baseUrl,
    TXC_DIALECT: dialect.name,
    TXC_API_KEY: apiKey,
    TXC_API_SECRET: apiSecret
  }))

/** Defines a test against a sandbox over HTTP. */
const over = <E>(
  dialect: Dialect.Dialect,
  title: string,
  body: (baseUrl: string, control: Control.Control["Service"]) => Effect.Effect<void, E, Scope.Scope>
) =>
  it.live(title, () =>
    Effect.gen(function*() {
      yield* Example.setUp
      const { baseUrl } = yield* Server.serve({ controlToken: "the owner's token" })
      yield* body(baseUrl, yield* Control.Control)
    }).pipe(
      Effect.scoped,
      Effect.provide(Control.layer.pipe(Layer.provideMerge(Venue.layer({ dialect }))))
    ))

/** Runs a recipe with a client, and captures its output. */
const logged = (baseUrl: string, dialect: Dialect.Dialect, recipe: (client: Client) => Promise<unknown>) =>
  Effect.promise(async () => {
    const lines: Array<string> = []
    const { error, log } = console
    console.log = console.error = (...words: ReadonlyArray<unknown>) => void lines.push(words.join(" "))
    try {
      await using client = createClient({ baseUrl, dialect: dialect.name, apiKey, apiSecret })
      const result = await recipe(client)
      return { lines, result }
    } finally {
      Object.assign(console, { error, log })
    }
  })

const price = (control: Control.Control["Service"], text: "39000" | "41000") =>
  Effect.runPromise(control.movePrice({ market: marketName(market), price: Decimal.price(text) }))

describe("the recipes on the pages", () => {
  over(
    Dialect.live,
    "the ladder places orders one step apart, and reports which were refused",
    (baseUrl, control) =>
      Effect.gen(function*() {
        const { lines, result } = yield* logged(
          baseUrl,
          Dialect.live,
          (client) => Ladder.ladder(client, market, "1.2", "39999.99", "10000", 4)
        )
        assert.deepStrictEqual(
          (yield* control.openOrders("alice")).map(({ price }) => String(price)).toSorted(),
          ["29999.99", "39999.99", "9999.99"]
        )
        assert.lengthOf(result as ReadonlyArray<unknown>, 3)
        assert.match(lines.join("\n"), /^no order at 19999\.99 .*refused/mu)
      })
  )

  over(
    Dialect.document,
    "recurring buys do not buy again when a response was lost",
    (baseUrl, control) =>
      Effect.gen(function*() {
        yield* control.setCounterparty(Example.counterparty)
        yield* control.addFault({ path: "/api/v4/order/market", symptom: Faults.answerLost })
        const stop = new AbortController()
        const { lines } = yield* logged(baseUrl, Dialect.document, async (client) => {
          const buying = Recurring.buyEvery(client, market, "50", 1, stop.signal)
          while ((await Array.fromAsync(client.fills.stream({ market }))).length < 2) await client.serverStatus.ping()
          stop.abort()
          await buying
        })
        assert.match(lines[0] ?? "", /^look at \w+ Placed$/u)
        assert.match(lines[1] ?? "", /^bought 0\.0\d+ for \d/u)
      })
  )

  over(
    Dialect.live,
    "the price alert waits until the price is below the limit",
    (baseUrl, control) =>
      Effect.gen(function*() {
        const { result } = yield* logged(baseUrl, Dialect.live, async (client) => {
          await price(control, "41000")
          const alert = Alerts.priceBelow(client, market, "40000", AbortSignal.timeout(60_000))
          await price(control, "39000")
          return await alert
        })
        assert.strictEqual(Number(result), 39_000)
      })
  )

  over(Dialect.document, "the deposit alert reports a changed balance", (baseUrl, control) =>
    Effect.gen(function*() {
      const stop = new AbortController()
      const { result } = yield* logged(baseUrl, Dialect.document, async (client) => {
        const said: Array<string> = []
        const watching = Alerts.deposits(client, "ETH", (...amounts) => said.push(amounts.join(" -> ")), stop.signal, 1)
        // A deposit before the first read causes no alert, so the test repeats the deposit.
        while (said.length === 0) await Effect.runPromise(control.fund(deposit))
        stop.abort()
        await watching
        return said[0]
      })
      assert.match(String(result), /^[\d.]+ -> [\d.]+$/u)
    }))

  over(
    Dialect.live,
    "the loops without Effect show the book and the fills until their signal aborts",
    (baseUrl, control) =>
      Effect.gen(function*() {
        yield* control.setCounterparty(Example.counterparty)
        const { lines } = yield* logged(baseUrl, Dialect.live, async (client) => {
          const stop = new AbortController()
          // A loop might begin after a purchase, so the test buys until both loops have shown a purchase.
          const { log } = console
          const seen = { book: false, fill: false }
          console.log = (...words: ReadonlyArray<unknown>) => {
            log(...words)
            if (words[0] === "buy") seen.fill = true
            else if (Number(words[0]) > 0) seen.book = true
          }
          const loops = [Follow.follow(client, market, stop.signal), Follow.fills(client, market, stop.signal)]
          while (!seen.book || !seen.fill) await client.marketOrders.create({ market, side: "buy", amount: "50" })
          stop.abort(new Error("enough"))
          const ended = await Promise.allSettled(loops)
          assert.deepStrictEqual(ended.map((end) => end.status === "rejected" && String(end.reason)), [
            "Error: enough",
            "Error: enough"
          ])
        })
        assert.isTrue(lines.some((line) => /^buy 0\.0\d+ at \d/u.test(line)))
      })
  )

  over(
    Dialect.document,
    "a day over HTTP fills the bot's orders at full hours on the sandbox's clock, day after day",
    (baseUrl) =>
      Effect.gen(function*() {
        const control = { controlUrl: `${baseUrl}/control/v1/`, controlToken: "the owner's token" }
        const sandbox = { url: baseUrl, apiKey, apiSecret, ...control }
        for (const orders of [6, 12]) {
          const times = yield* Effect.promise(() => DayOverHttp.day(sandbox))
          assert.strictEqual(times.length, orders)
          assert.isAbove(Math.max(...times) - Math.min(...times), 3600)
        }
      })
  )

  over(
    Dialect.document,
    "a signer outside the process signs calls, and nothing is sent if it fails",
    (baseUrl) =>
      Effect.gen(function*() {
        const place = { baseUrl, dialect: Dialect.document }
        const balance = MainBalance.use(({ all }) => all)
        const hmac: SignerExample.Hmac = (payload) =>
          Promise.resolve(createHmac("sha512", apiSecret).update(payload).digest("hex"))
        assert.isAbove((yield* Effect.provide(balance, SignerExample.exchange(place, apiKey, hmac))).size, 0)
        const broken = SignerExample.exchange(place, apiKey, () => Promise.reject(new Error("locked")))
        const error = yield* Effect.flip(Effect.provide(balance, broken))
        assert.deepInclude(error, { _tag: "ExchangeUnreachable", why: "not-signed" })
        assert.include(error.message, "locked")
      })
  )

  over(Dialect.live, "nonces follow a custom clock", (baseUrl) =>
    Effect.gen(function*() {
      const balance = MainBalance.use(({ all }) => all)
      const at = (millis: number) =>
        Effect.provide(
          balance,
          Layer.provide(ClockExample.exchange(() => millis), environment(baseUrl, Dialect.live))
        )
      assert.isAbove((yield* at(100)).size, 0)
      assert.strictEqual((yield* Effect.flip(at(-60_000)))._tag, "NonceRejected")
    }))

  over(
    Dialect.document,
    "an order is found at the next start if the process that sent it died",
    (baseUrl, control) =>
      Effect.gen(function*() {
        const path = join(dirname(yield* scratchFile), "intents.sqlite")
        const exchange = Layer.fresh(Layer.suspend(() => IntentsExample.exchange(path))).pipe(
          Layer.provide(environment(baseUrl, Dialect.document))
        )
        const create = LimitOrders.LimitOrders.use((orders) => orders.create(order))
        yield* Effect.provide(create, exchange)
        yield* control.addFault({ path: LimitOrders.endpoint.path, symptom: Faults.answerLost })
        yield* Effect.flip(Effect.provide(create, exchange))
        const recovered = yield* Effect.provide(IntentsExample.recover(path), exchange)
        assert.deepStrictEqual(recovered.map(({ verdicts }) => verdicts.map(({ _tag }) => _tag)), [["Placed"]])
        assert.deepStrictEqual(yield* Effect.provide(IntentsExample.recover(path), exchange), [])
      })
  )

  over(
    Dialect.document,
    "the pre-trade check refuses orders that break the desk's rules",
    (baseUrl, control) =>
      Effect.gen(function*() {
        let isStopped = false
        const limits = { maxTotal: Decimal.of("1000"), maxOpen: 2, isStopped: Effect.sync(() => isStopped) }
        const place = { baseUrl, dialect: Dialect.document }
        const hmac: SignerExample.Hmac = (payload) =>
          Promise.resolve(createHmac("sha512", apiSecret).update(payload).digest("hex"))
        yield* Effect.gen(function*() {
          const { create } = yield* PreTrade.CheckedOrders
          const refused = Effect.map(
            Effect.flip(create(order)),
            (error) => error.message || ("reason" in error && error.reason)
          )
          const tooLarge = yield* Effect.flip(create({ ...order, amount: Decimal.amount("0.3") }))
          assert.deepInclude(tooLarge, { _tag: "TooRisky", reason: "the total exceeds 1000" })
          yield* Effect.all([create(order), create(order)], { concurrency: "unbounded" })
          assert.strictEqual(yield* refused, "2 orders are open")
          isStopped = true
          assert.strictEqual(yield* refused, "trading is stopped")
          assert.strictEqual((yield* control.openOrders("alice")).length, 2)
        }).pipe(
          Effect.provide(Layer.provide(PreTrade.layer(limits), SignerExample.exchange(place, apiKey, hmac)))
        )
      })
  )
})

import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { setImmediate } from "node:timers/promises"
import { inspect } from "node:util"
import * as Channels from "../src/channels/all.ts"
import * as Contract from "../src/endpoints/all.ts"
import * as LimitOrders from "../src/endpoints/LimitOrders.ts"
import {
  type Client,
  ClientClosed,
  createClient,
  InvalidBaseUrl,
  InvalidCredentials,
  NotAuthorized,
  OutcomeUnknown,
  reveal,
  StreamRefused,
  ValidationFailed
} from "../src/promise.ts"
import * as Dialect from "../src/protocol/Dialect.ts"
import * as Control from "../src/sandbox/control/Control.ts"
import * as Example from "../src/sandbox/Example.ts"
import * as Faults from "../src/sandbox/gateway/Faults.ts"
import * as Server from "../src/sandbox/server/Server.ts"
import * as Venue from "../src/sandbox/venue/Venue.ts"

const { apiKey, apiSecret } = Example.alice
const order = { market: "BTC_USDT", side: "buy", amount: "0.1", price: "5000" } as const
const topic = { market: "BTC_USDT", limit: 5, priceStep: "0" } as const

/** Runs a test with a sandbox over HTTP, a client for alice's account, and the sandbox's control. */
const live = (
  title: string,
  dialect: Dialect.Dialect,
  body: (client: Client, control: Control.Control["Service"], baseUrl: string) => Promise<void>
) =>
  it.live(title, () =>
    Effect.gen(function*() {
      yield* Example.setUp
      const { baseUrl } = yield* Server.serve()
      const control = yield* Control.Control
      yield* Effect.promise(async () => {
        await using client = createClient({ baseUrl, dialect: dialect.name, apiKey, apiSecret })
        await body(client, control, baseUrl)
      })
    }).pipe(
      Effect.scoped,
      Effect.provide(Control.layer.pipe(Layer.provideMerge(Venue.layer({ dialect }))))
    ))

/** Returns the error with which a promise is rejected. */
const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(() => assert.fail("it did not fail"), (error: unknown) => error)

const collected = async <A>(items: AsyncIterable<A>): Promise<ReadonlyArray<A>> => Array.fromAsync(items)

/** Returns the next item of an async iterable; fails if there is none. */
const nextOf = async <A>(items: AsyncIterable<A>): Promise<A> => {
  for await (const item of items) return item
  return assert.fail("the loop ended")
}

const camelCase = (name: string) => name.slice(0, 1).toLowerCase() + name.slice(1)

describe("createClient", () => {
  const place = { baseUrl: "http://127.0.0.1:9", dialect: "live" } as const

  it("a client has every endpoint and channel in the contract, and a client without a key has only the public ones", async () => {
    const isPublic = ({ access }: { readonly access: string }) => access === "public"
    const others = ["channels", "close", "live"]
    await using all = createClient({ ...place, apiKey, apiSecret })
    await using open = createClient(place)
    assert.sameMembers(Object.keys(all), [
      ...Contract.entries.map(({ name }) => camelCase(name)),
      "reconciliation",
      ...others
    ])
    assert.sameMembers(Object.keys(open), [
      ...Contract.entries.filter(({ endpoint }) => isPublic(endpoint)).map(({ name }) => camelCase(name)),
      ...others
    ])
    const short = (name: string) => camelCase(name.replace("Channel", ""))
    assert.sameMembers(Object.keys(all.channels), Channels.entries.map(({ name }) => short(name)))
    assert.sameMembers(
      Object.keys(open.channels),
      Channels.entries.filter(({ channel }) => isPublic(channel)).map(({ name }) => short(name))
    )
  })

  it("no request has a field named `signal`, because it would be mistaken for the option of the same name", () => {
    for (const { endpoint } of Contract.entries) {
      for (const dialect of [Dialect.document, Dialect.live]) {
        assert.notProperty(endpoint.request(dialect).fields, "signal", endpoint.name)
      }
    }
  })

  it("invalid options are rejected immediately, with the errors that the layers report", () => {
    assert.throws(() => createClient({ ...place, baseUrl: "nowhere" }), InvalidBaseUrl, /not a URL/u)
    assert.throws(() => createClient({ ...place, dialect: "V4" as never }), InvalidBaseUrl, /document or live/u)
    assert.throws(() => createClient({ region: "us" as never }), InvalidBaseUrl, /global or eu, not us/u)
    assert.throws(() => createClient({} as never), InvalidBaseUrl, /set region to global or eu, or set baseUrl/u)
    assert.throws(() => createClient({ ...place, apiKey, apiSecret: "" }), InvalidCredentials, /secret is empty/u)
    assert.throws(() => createClient({ ...place, apiKey } as never), InvalidCredentials, /secret is empty/u)
  })

  live("maps, missing values and bulk outcomes in responses are not Effect types", Dialect.live, async (client) => {
    assert.strictEqual<string | undefined>((await client.mainBalance.all()).get("BTC"), "0.5")
    assert.strictEqual<string | undefined>((await client.markets.get("BTC_USDT"))?.name, "BTC_USDT")
    assert.isUndefined(await client.markets.get("NO_MARKET"))
    const bulk = await client.bulkLimitOrders.create({
      orders: [order, { ...order, side: "sell", amount: "100", price: "90000" }]
    })
    assert.deepStrictEqual(bulk.map(({ status }) => status), ["fulfilled", "rejected"])
    assert.deepStrictEqual(
      bulk.map((item) => item.status === "fulfilled" ? "placed" : item.reason._tag),
      ["placed", "RequestRejected"]
    )
    const { token } = await client.webSocketToken.create()
    assert.strictEqual(reveal(token), Redacted.value(token))
  })

  live("lists can be read page by page in a loop", Dialect.document, async (client) => {
    for (let price = 5000; price < 5005; price++) await client.limitOrders.create({ ...order, price: String(price) })
    const orders = await collected(client.activeOrders.stream({ market: "BTC_USDT", limit: 2 }))
    assert.sameMembers(orders.map(({ price }) => Number(price)), [5000, 5001, 5002, 5003, 5004])
    const page = await client.activeOrders.page({ market: "BTC_USDT" }, { signal: undefined })
    assert.lengthOf(page.records, 5)
    const first = await nextOf(client.activeOrders.stream({ market: "BTC_USDT", limit: 2 }))
    assert.include(orders.map(({ orderId }) => orderId), first.orderId)
  })

  live("a call rejects with an instance of its service's error class", Dialect.document, async (client, _, baseUrl) => {
    const invalid = await failureOf(client.limitOrders.create({ ...order, amount: "a lot" }))
    assert.instanceOf(invalid, ValidationFailed)
    assert.strictEqual(invalid.origin, "local")
    assert.isDefined(invalid.fields["amount"])
    await using other = createClient({ baseUrl, dialect: "document", apiKey, apiSecret: "another" })
    const refused = await failureOf(other.mainBalance.all())
    assert.instanceOf(refused, NotAuthorized)
    assert.strictEqual(refused.why, "unauthenticated")
    assert.instanceOf(await failureOf(client.channels.lastPrice.get({ market: "BTC_USDT" })), StreamRefused)
    assert.instanceOf(await failureOf(nextOf(client.live.book(topic).states())), StreamRefused)
  })

  live("an error's stack shows the caller, and a call without a request rejects", Dialect.document, async (client) => {
    const caller = (amount: string) => client.limitOrders.create({ ...order, amount })
    const error = await failureOf(caller("a lot"))
    assert.instanceOf(error, ValidationFailed)
    assert.match(error.stack ?? "", /^ValidationFailed: LimitOrders\.create was refused.*\n +at caller /u)
    // A console prints the message and the stack trace, and then the fields.
    assert.match(
      inspect(error),
      /^ValidationFailed: LimitOrders\.create was refused.*\n +at caller [^{]*\{\n +endpoint: /u
    )
    const streamed = await failureOf(nextOf(client.channels.lastPrice.stream({ market: "BTC_USDT" })))
    assert.match(inspect(streamed), /^StreamRefused: .*start a sandbox with --dialect live\.\n/u)
    const empty = await failureOf(client.limitOrders.create(undefined as never))
    assert.instanceOf(empty, TypeError)
    assert.match(empty.stack ?? "", /^TypeError: create needs a request\n/u)
    assert.instanceOf(await failureOf(nextOf(client.orderDeals.stream(undefined as never))), TypeError)
    const starter = () => createClient({ baseUrl: "nowhere", dialect: "live" })
    try {
      starter()
      assert.fail("it was created")
    } catch (error) {
      assert.match(String((error as Error).stack), /^InvalidBaseUrl: .*\n +at starter /u)
    }
  })

  live(
    "an order whose response is lost, or that is aborted, rejects with OutcomeUnknown, and can be reconciled",
    Dialect.document,
    async (client, control) => {
      const path = LimitOrders.endpoint.path
      for (const symptom of [Faults.answerLost, { _tag: "Delay", millis: 600_000 } as const]) {
        await Effect.runPromise(control.addFault({ path, symptom }))
        const aborting = new AbortController()
        const placing = client.limitOrders.create(order, { signal: aborting.signal })
        if (symptom._tag === "Delay") {
          while ((await Effect.runPromise(control.openOrders("alice"))).length < 2) await setImmediate()
          aborting.abort()
        }
        const lost = await failureOf(placing)
        assert.instanceOf(lost, OutcomeUnknown)
        assert.strictEqual((await client.reconciliation.reconcile(lost))._tag, "Placed")
      }
    }
  )

  live("an aborted read or loop rejects with the signal's reason", Dialect.live, async (client, control) => {
    const reason = new Error("the user went away")
    const early = failureOf(client.limitOrders.create(order, { signal: AbortSignal.abort(reason) }))
    assert.strictEqual(await early, reason)
    assert.deepStrictEqual(await Effect.runPromise(control.openOrders("alice")), [])
    await Effect.runPromise(
      control.addFault({ path: "/api/v4/main-account/balance", symptom: { _tag: "Delay", millis: 600_000 } })
    )
    const reading = new AbortController()
    const read = failureOf(client.mainBalance.all({ signal: reading.signal }))
    await client.serverStatus.ping()
    reading.abort(reason)
    assert.strictEqual(await read, reason)
    const looping = new AbortController()
    const loop = failureOf((async () => {
      for await (const item of client.channels.depth.stream(topic, { signal: looping.signal })) {
        if (item._tag === "Snapshot") looping.abort(reason)
      }
    })())
    assert.strictEqual(await loop, reason)
  })

  live("channels and live views follow the exchange", Dialect.live, async (client) => {
    await using orders = client.live.orders({ market: "BTC_USDT" })
    assert.strictEqual((await orders.whole()).size, 0)
    const placed = await client.limitOrders.create(order)
    for await (const state of orders.states()) if (state._tag === "Whole" && state.value.size === 1) break
    assert.deepStrictEqual([...(await orders.whole()).keys()], [placed.orderId])
    const item = await nextOf(client.channels.depth.stream(topic))
    assert.strictEqual(item._tag, "Snapshot")
    assert.isDefined((await client.live.spotBalances().whole()).get("USDT"))
    assert.strictEqual((await client.live.positions().get())._tag, "Incomplete")
  })

  live(
    "closing a client waits for its calls, ends loops and views, and rejects later calls",
    Dialect.live,
    async (client, control) => {
      const view = client.live.book(topic)
      await view.whole()
      const states = view.states()[Symbol.asyncIterator]()
      await states.next()
      const state = states.next()
      const prices = collected(client.channels.lastPrice.stream({ market: "BTC_USDT" }))
      const never = failureOf(client.live.positions().whole())
      await Effect.runPromise(
        control.addFault({ path: LimitOrders.endpoint.path, symptom: { _tag: "Delay", millis: 50 } })
      )
      const placing = client.limitOrders.create(order)
      await client.close()
      assert.strictEqual((await placing).clientOrderIdEcho, "echoed")
      assert.deepStrictEqual(await state, { done: true, value: undefined })
      await prices
      assert.instanceOf(await never, ClientClosed)
      assert.instanceOf(await failureOf(client.mainBalance.all()), ClientClosed)
      assert.instanceOf(await failureOf(nextOf(client.activeOrders.stream())), ClientClosed)
      await client.close()
    }
  )
})

import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as Net from "node:net"
import { setImmediate } from "node:timers/promises"
import * as Hop from "../../../src/sandbox/cluster/Hop.ts"
import * as NodeTransport from "../../../src/sandbox/cluster/NodeTransport.ts"
import { type Answer, BodyLost, type Request, type Upgraded } from "../../../src/sandbox/gateway/Message.ts"
import type * as Socket from "../../../src/sandbox/gateway/Socket.ts"
import type { Backend } from "../../../src/sandbox/server/Backend.ts"
import * as Listening from "../../../src/sandbox/server/Listening.ts"
import * as Bounds from "../../../src/sandbox/streams/Bounds.ts"
import { turn, until } from "../../support/clock.ts"
import { refusingPort, serving } from "../../support/server.ts"
import { dial } from "../streams/dial.ts"

const request: Request = {
  method: "POST",
  path: "/api/v4/order/new",
  query: "a=b",
  headers: { "x-txc-apikey": "key", other: ["one", "two"] },
  body: Buffer.from("é{}"),
  from: "10.0.0.1",
  delivery: "an id"
}

const answer = (body: string): Answer => ({ _tag: "Answer", status: 200, headers: { a: "b" }, body })

const streamed = (body: Stream.Stream<Uint8Array, BodyLost>): Answer => ({
  _tag: "Stream",
  status: 200,
  headers: { "content-type": "text/event-stream" },
  body
})

const vitals: NodeTransport.Vitals = {
  troubles: Effect.succeed(["It holds no shards", "It is stopping"]),
  notes: Effect.succeed([]),
  metrics: Effect.succeed("txc 1\n")
}

/** Sends the request to a node that handles requests with `receive`. */
const sent = Effect.fnUntraced(function*(receive: NodeTransport.Receive) {
  const port = yield* NodeTransport.serve("127.0.0.1", 0, receive, vitals)
  const { send } = yield* NodeTransport.sender()
  return yield* send(`127.0.0.1:${port}`, "venue", request)
})

const collected = (outcome: NodeTransport.Outcome) =>
  outcome._tag === "Stream"
    ? Effect.map(Stream.runCollect(outcome.body), (parts) => Buffer.concat(parts).toString())
    : Effect.die(outcome)

describe("requests to other nodes", () => {
  it.live("a request and its response arrive unchanged, however large they are", () =>
    Effect.gen(function*() {
      const large = "é€x".repeat(700_000)
      const received: Array<unknown> = []
      const outcome = yield* sent((venue, { body, ...head }) => {
        received.push([venue, { ...head, body: Buffer.from(body) }])
        return Effect.succeed(answer(large))
      })
      assert.deepStrictEqual(received, [["venue", request]])
      assert.deepStrictEqual(outcome, answer(large))
    }))

  it.live("a streamed response arrives in parts, and the reader can tell whether it is complete", () =>
    Effect.gen(function*() {
      const parts = Stream.make("a", "é", "c".repeat(200_000)).pipe(Stream.encodeText)
      const whole = yield* sent(() => Effect.succeed(streamed(parts)))
      assert.deepInclude(whole, { status: 200, headers: { "content-type": "text/event-stream" } })
      assert.strictEqual(yield* collected(whole), `aé${"c".repeat(200_000)}`)
      const broken = yield* sent(() => Effect.succeed(streamed(Stream.concat(parts, Stream.fail(new BodyLost())))))
      assert.instanceOf(yield* Effect.flip(collected(broken)), BodyLost)
    }))

  it.live("a node stops streaming a response when the reader stops", () =>
    Effect.gen(function*() {
      const ended = yield* Latch.make()
      const endless = Stream.concat(Stream.make(Buffer.from("a")), Stream.never).pipe(Stream.ensuring(ended.open))
      const outcome = yield* sent(() => Effect.succeed(streamed(endless)))
      if (outcome._tag !== "Stream") return assert.fail()
      assert.strictEqual((yield* Stream.runCollect(Stream.take(outcome.body, 1))).length, 1)
      yield* ended.await
    }))

  it.live("a node stops streaming a response when the requesting node disconnects before the first part", () =>
    Effect.gen(function*() {
      const asked = yield* Latch.make()
      const left = yield* Latch.make()
      const ended = yield* Latch.make()
      const late = streamed(
        Stream.concat(Stream.make(Buffer.from("a")), Stream.never).pipe(Stream.ensuring(ended.open))
      )
      const port = yield* NodeTransport.serve(
        "127.0.0.1",
        0,
        () => asked.open.pipe(Effect.andThen(left.await), Effect.as(late)),
        vitals
      )
      // The requesting node stops, and the responding node notices.
      const asking = yield* Scope.make()
      const { send } = yield* Scope.provide(NodeTransport.sender(), asking)
      const sending = yield* Effect.forkChild(send(`127.0.0.1:${port}`, "venue", request))
      yield* asked.await
      yield* Scope.close(asking, Exit.void)
      assert.deepStrictEqual(yield* Fiber.join(sending), { _tag: "Lost" })
      // Gives the responding node time to notice. The test would pass without this pause, but prove less.
      yield* turn
      yield* left.open
      yield* ended.await
    }))

  it.live("a node stops streaming a response when the caller stops waiting", () =>
    Effect.gen(function*() {
      const asked = yield* Latch.make()
      const left = yield* Latch.make()
      const ended = yield* Latch.make()
      const late = streamed(Stream.never.pipe(Stream.ensuring(ended.open)))
      const sending = yield* Effect.forkChild(
        sent(() => asked.open.pipe(Effect.andThen(left.await), Effect.as(late)))
      )
      yield* asked.await
      yield* Fiber.interrupt(sending)
      yield* left.open
      yield* ended.await
    }))

  it.live("calls reach their venue however many feeds pass through a node", () =>
    Effect.gen(function*() {
      const endless = streamed(Stream.concat(Stream.make(Buffer.from("a")), Stream.never))
      const port = yield* NodeTransport.serve(
        "127.0.0.1",
        0,
        (_venue, { path }) => Effect.succeed(path === "/feed" ? endless : answer("called")),
        vitals
      )
      const { send } = yield* NodeTransport.sender()
      const to = (path: string) => send(`127.0.0.1:${port}`, "venue", { ...request, path })
      for (let feed = 0; feed < 2 * Hop.atOnce; feed++) assert.strictEqual((yield* to("/feed"))._tag, "Stream")
      assert.deepStrictEqual(yield* to("/call"), answer("called"))
    }))

  it.effect("a request that waits too long for a silent node is not sent, and is reported as not sent", () =>
    Effect.gen(function*() {
      const node = yield* serving(() => undefined)
      const { send } = yield* NodeTransport.sender()
      const sending = send(`127.0.0.1:${node.port}`, "venue", request)
      // Pending requests to a silent node end in real time, after the test.
      yield* Effect.forEach(Array.from({ length: Hop.atOnce }), () => Effect.forkScoped(sending))
      yield* until(Effect.sync(() => node.received.length === Hop.atOnce))
      const late = yield* Effect.forkChild(sending, { startImmediately: true })
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* Fiber.join(late), { _tag: "NotSent" })
      assert.strictEqual(node.received.length, Hop.atOnce)
    }))

  it.effect("time spent queued is deducted from a request's time limit at the other node", () =>
    Effect.gen(function*() {
      const held: Array<() => void> = []
      const node = yield* serving((response) => void held.push(() => response.end()))
      const { send } = yield* NodeTransport.sender()
      const sending = send(`127.0.0.1:${node.port}`, "venue", { ...request, patience: 2000 })
      yield* Effect.forEach(Array.from({ length: Hop.atOnce }), () => Effect.forkScoped(sending))
      yield* until(Effect.sync(() => held.length === Hop.atOnce))
      yield* Effect.forkScoped(sending, { startImmediately: true })
      yield* TestClock.adjust(700)
      held[0]?.()
      yield* until(Effect.sync(() => held.length > Hop.atOnce))
      const left = node.received.map(({ body }) => /"patience":(\d+)/u.exec(body.toString())?.[1])
      assert.deepStrictEqual([left[0], left[Hop.atOnce]], ["2000", "1300"])
    }))

  it.live("the outcome distinguishes a node without the venue, a node that can't tell what happened, and a node that fails", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* sent(() => Effect.succeed({ _tag: "NotTheirs" })), { _tag: "NotTheirs" })
      assert.deepStrictEqual(yield* sent(() => Effect.succeed({ _tag: "Lost" })), { _tag: "Lost" })
      assert.deepStrictEqual(yield* sent(() => Effect.die("a defect")), { _tag: "Lost" })
    }))

  it.live("the outcome distinguishes a node that was not reached from a node that fell silent or disconnected", () =>
    Effect.gen(function*() {
      const { send } = yield* NodeTransport.sender()
      const to = (port: number) => send(`127.0.0.1:${port}`, "venue", request)
      const silent = yield* serving(() => undefined)
      const broken = yield* serving((response) => response.destroy())
      const half = yield* serving((response) => void response.writeHead(200).end(Buffer.from([1, 0, 0, 0, 9, 1])))
      const outcomes = yield* Effect.forEach(
        [yield* refusingPort, silent.port, broken.port, half.port],
        to,
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(outcomes.map(({ _tag }) => _tag), ["NotSent", "Lost", "Lost", "Lost"])
      // The HTTP client did not resend any of the requests.
      for (const { received } of [silent, broken, half]) assert.strictEqual(received.length, 1)
    }))
})

it.live("a node serves its health and metrics to everyone, but accepts requests only from nodes", () =>
  Effect.gen(function*() {
    const port = yield* NodeTransport.serve("127.0.0.1", 0, () => Effect.die("it takes a request"), vitals)
    const get = (path: string, method = "GET") =>
      Effect.promise(async () => {
        const response = await fetch(`http://127.0.0.1:${port}${path}`, {
          method,
          ...(method === "GET" ? {} : { body: "{}" })
        })
        return [response.status, await response.text()]
      })
    assert.deepStrictEqual(yield* get("/health"), [200, "ok\n"])
    assert.deepStrictEqual(yield* get("/ready"), [503, "It holds no shards\nIt is stopping\n"])
    assert.deepStrictEqual(yield* get("/metrics"), [200, "txc 1\n"])
    assert.strictEqual((yield* get("/other"))[0], 404)
    assert.strictEqual((yield* get("/", "POST"))[0], 400)
  }))

// -----------------------------------------------------------------------------
// WebSockets
// -----------------------------------------------------------------------------

const handshake: Request = {
  method: "GET",
  path: "/ws",
  headers: {
    upgrade: "websocket",
    connection: "upgrade",
    "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ=="
  },
  body: new Uint8Array(),
  from: "10.0.0.1"
}

/** A venue that sends every message back to its sender. `wires` are the open connections. */
const echoing = () => {
  const wires = new Set<Socket.Wire>()
  const connect: Socket.Connect = (wire) => {
    wires.add(wire)
    return Result.succeed({
      receive: (text) => wire.send(text),
      heard: () => undefined,
      pinged: () => true,
      end: () => {
        if (wires.delete(wire)) wire.end("abrupt")
      }
    })
  }
  const upgraded: Upgraded = { _tag: "Upgraded", connect, decline: () => undefined }
  return { upgraded, wires }
}

/** A server that forwards every request to a node that handles requests with `receive`. */
const passing = Effect.fnUntraced(function*(receive: NodeTransport.Receive) {
  const node = yield* Scope.make()
  const port = yield* Scope.provide(NodeTransport.serve("127.0.0.1", 0, receive, vitals), node)
  const sender = yield* NodeTransport.sender()
  const backend: Backend = {
    isOwners: () => false,
    venueOf: () => undefined,
    refuse: () => assert.fail(),
    receive: (request, _clock, resume) =>
      resume(
        Effect.map(sender.send(`127.0.0.1:${port}`, "venue", request), (outcome) =>
          "status" in outcome || outcome._tag === "Tunneled" ? outcome : { _tag: "Reset" })
      )
  }
  const baseUrl = yield* Listening.listen({}, backend)
  return { baseUrl, url: `${baseUrl.replace("http", "ws")}/ws`, node, sender }
})

const isEmpty = (wires: ReadonlySet<unknown>) => Effect.sync(() => wires.size === 0)

describe("WebSockets through other nodes", () => {
  it.live("messages of any length pass in both directions, and either end closes the other", () =>
    Effect.gen(function*() {
      const { upgraded, wires } = echoing()
      const { sender, url } = yield* passing(() => Effect.succeed(upgraded))
      const client = yield* dial(url)
      const text = "é€x".repeat(7000)
      assert.deepInclude(yield* client.ask(text), { id: 1, method: text })
      assert.strictEqual(sender.tunnels(), 1)
      for (const wire of wires) wire.end("abrupt")
      assert.strictEqual(yield* client.closed, 1006)
      wires.clear()
      yield* Effect.scoped(Effect.flatMap(dial(url), ({ ask }) => ask("hello")))
      yield* until(isEmpty(wires))
      yield* until(Effect.sync(() => sender.tunnels() === 0))
    }))

  it.live("a stopping node closes the WebSockets that other nodes forward to it", () =>
    Effect.gen(function*() {
      const { upgraded } = echoing()
      const { node, url } = yield* passing(() => Effect.succeed(upgraded))
      const client = yield* dial(url)
      yield* client.ask("hello")
      yield* Scope.close(node, Exit.void)
      assert.strictEqual(yield* client.closed, 1006)
    }))

  it.live("WebSockets through a node do not delay calls through the same node", () =>
    Effect.gen(function*() {
      const { upgraded, wires } = echoing()
      const { baseUrl, url } = yield* passing((_venue, { path }) =>
        Effect.succeed(path === "/ws" ? upgraded : answer("called"))
      )
      const clients = yield* Effect.forEach(Array.from({ length: 2 * Hop.atOnce }), () => dial(url), {
        concurrency: "unbounded"
      })
      const called = yield* Effect.promise(async () => (await fetch(baseUrl)).text())
      assert.strictEqual(called, "called")
      assert.strictEqual(wires.size, clients.length)
      yield* Effect.forEach(clients, ({ ask }) => ask("hello"))
    }))

  it.live("if a venue disconnects a client that does not read, the node between them notices", () =>
    Effect.gen(function*() {
      const { upgraded, wires } = echoing()
      const { baseUrl, sender } = yield* passing(() => Effect.succeed(upgraded))
      const client = Net.connect(Number(new URL(baseUrl).port), "127.0.0.1")
      yield* Effect.addFinalizer(() => Effect.sync(() => client.destroy()))
      client.pause()
      const lines = Object.entries({ host: new URL(baseUrl).host, ...handshake.headers }).map((pair) => pair.join(": "))
      client.write(["GET /ws HTTP/1.1", ...lines, "", ""].join("\r\n"))
      yield* until(Effect.map(isEmpty(wires), (isEmpty) => !isEmpty))
      const [wire = assert.fail()] = wires
      const message = "x".repeat(64 * 1024)
      while (wire.waiting() <= Bounds.maxWaiting) {
        wire.send(message)
        yield* Effect.promise(() => setImmediate())
      }
      wire.end("abrupt")
      yield* until(Effect.sync(() => sender.tunnels() === 0))
    }))

  it.live("a request for a WebSocket has the same outcomes as a call", () =>
    Effect.gen(function*() {
      const outcomeOf = Effect.fnUntraced(function*(receive: NodeTransport.Receive) {
        const port = yield* NodeTransport.serve("127.0.0.1", 0, receive, vitals)
        return yield* (yield* NodeTransport.sender()).send(`127.0.0.1:${port}`, "venue", handshake)
      })
      assert.deepStrictEqual(yield* outcomeOf(() => Effect.succeed(answer("refused"))), answer("refused"))
      assert.deepStrictEqual(yield* outcomeOf(() => Effect.succeed({ _tag: "NotTheirs" })), { _tag: "NotTheirs" })
      assert.deepStrictEqual(yield* outcomeOf(() => Effect.die("a defect")), { _tag: "Lost" })
      const { send } = yield* NodeTransport.sender()
      const broken = yield* serving(() => undefined)
      for (const [port, tag] of [[yield* refusingPort, "NotSent"], [broken.port, "Lost"]] as const) {
        assert.deepStrictEqual(yield* send(`127.0.0.1:${port}`, "venue", handshake), { _tag: tag })
      }
    }))

  it.live("a node forwards a bounded number of WebSockets to another node, and refuses more with 503", () =>
    Effect.gen(function*() {
      const { upgraded } = echoing()
      const port = yield* NodeTransport.serve("127.0.0.1", 0, () => Effect.succeed(upgraded), vitals)
      const { send, tunnels } = yield* NodeTransport.sender(3)
      const opening = send(`127.0.0.1:${port}`, "venue", handshake)
      const outcomes = yield* Effect.forEach(Array.from({ length: 5 }), () => opening, { concurrency: "unbounded" })
      const refused = outcomes.filter(({ _tag }) => _tag === "Answer")
      assert.deepStrictEqual(outcomes.filter(({ _tag }) => _tag === "Tunneled").length, 3)
      assert.lengthOf(refused, 2)
      assert.deepInclude(refused[0], { status: 503 })
      assert.include(JSON.stringify(refused), "already forwards 3 WebSockets")
      // A WebSocket that closes makes room for another.
      for (const outcome of outcomes) if (outcome._tag === "Tunneled") outcome.far.destroy()
      yield* until(Effect.sync(() => tunnels() === 0))
      assert.strictEqual((yield* opening)._tag, "Tunneled")
    }))
})

/**
 * Carries requests and responses between nodes unchanged, over HTTP, and each WebSocket through its own tunnel.
 *
 * A node that is working on a request sends a heartbeat every second, so the sender needs no timeout for slow
 * responses. If the node falls silent, or the connection breaks, the outcome of the request is unknown.
 *
 * Nodes trust each other: any machine that reaches this port can send requests as any caller, although a signed call
 * still needs the caller's key. The network between nodes must be private.
 */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Http from "node:http"
import type { Duplex } from "node:stream"
import { Agent, type Dispatcher } from "undici"
import * as ConnectionFailure from "../../client/transport/ConnectionFailure.ts"
import { type Answer, BodyLost, type Request, reset, type Tunneled, type Upgraded } from "../gateway/Message.ts"
import * as Bounds from "../server/Bounds.ts"
import * as Listening from "../server/Listening.ts"
import * as Refusal from "../server/Refusal.ts"
import * as Sockets from "../server/Sockets.ts"
import * as Upgrades from "../server/Upgrades.ts"
import * as WebSockets from "../server/WebSockets.ts"
import * as Frames from "./Frames.ts"
import * as Hop from "./Hop.ts"
import * as Tunnel from "./Tunnel.ts"

/**
 * The outcome of a request that was sent to another node:
 *
 * - the venue's response, or its WebSocket
 * - `NotTheirs`: the other node does not have the venue, and did nothing
 * - `NotSent`: the other node could not be reached, or the request waited too long to be sent
 * - `Busy`: nothing was sent, because too many requests are already waiting for the node
 * - `Lost`: the node fell silent, or the connection broke. The request may have been carried out
 */
export type Outcome = Received | Tunneled | { readonly _tag: "NotSent" | "Busy" }

/**
 * The outcome of a request at the node that received it. `Lost` means that the node itself does not know the outcome,
 * for example because its database did not respond.
 */
export type Received = Answer | Upgraded | { readonly _tag: "NotTheirs" | "Lost" }

/** Handles the requests that other nodes send. */
export type Receive = (venue: string, request: Request) => Effect.Effect<Received>

/** The parts of a node's state that its monitoring endpoints report. */
export interface Vitals {
  /** The reasons why the node is not ready for requests, as text; empty if the node is ready. */
  readonly troubles: Effect.Effect<ReadonlyArray<string>>
  /** Messages that an operator should read even if the node is ready. */
  readonly notes: Effect.Effect<ReadonlyArray<string>>
  /** The node's metrics, in Prometheus format. */
  readonly metrics: Effect.Effect<string>
}

/** The time between heartbeats, and the length of silence after which a node is considered lost, in milliseconds. */
const aliveEvery = 1000
const maxSilence = 3000

/** The time limit for connecting to a node, in milliseconds. */
const maxConnecting = 1000

const encoder = new TextEncoder()

interface Head extends Omit<Request, "body"> {
  readonly venue: string
}

const pack = (venue: string, { body, ...head }: Request): Buffer => {
  const packed: Head = { venue, ...head }
  const bytes = encoder.encode(JSON.stringify(packed))
  const length = Buffer.allocUnsafe(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes, body])
}

/** Decodes a request. The cast to `Head` is safe, because only `pack` produces these bytes. */
const unpack = (bytes: Buffer): Result.Result<readonly [venue: string, request: Request], unknown> =>
  Result.try(() => {
    const end = 4 + bytes.readUInt32BE(0)
    const { venue, ...head } = JSON.parse(bytes.toString("utf8", 4, end)) as Head
    return [venue, { ...head, body: new Uint8Array(bytes.subarray(end)) }] as const
  })

const toBytes = (head: object): Uint8Array => encoder.encode(JSON.stringify(head))

const headFrame = (head: object): Buffer => Frames.encode(Frames.kinds.head, toBytes(head))

/** The outcome of a request at this node; `Lost` if handling the request failed unexpectedly. */
const outcomeOf = (exit: Exit.Exit<Received>): Received => Exit.isSuccess(exit) ? exit.value : { _tag: "Lost" }

const respond = (
  response: Http.ServerResponse,
  outcome: Received,
  run: (effect: Effect.Effect<void>) => () => void
): void => {
  const answer = outcome._tag === "Upgraded" ? Sockets.decline(outcome) : outcome
  if (answer._tag !== "Stream") return void response.end(headFrame(answer))
  const { body, ...head } = answer
  response.write(headFrame(head))
  const sending = Stream.runForEach(body, (part) =>
    Effect.callback<void>((resume) => {
      const go = () => resume(Effect.void)
      if (response.write(Frames.encode(Frames.kinds.part, part))) return go()
      response.once("drain", go)
    }))
  const interrupt = run(Effect.matchCause(sending, {
    onSuccess: () => void response.end(),
    onFailure: () => void response.end(Frames.encode(Frames.kinds.broken))
  }))
  // If the other node has already disconnected, the event `close` is not emitted again.
  if (response.closed) interrupt()
  else response.once("close", interrupt)
}

const plain = { "content-type": "text/plain; version=0.0.4; charset=utf-8" }

/** Responds to the health checks of supervisors and load balancers, and to Prometheus' requests for metrics. */
const show = (
  { metrics, notes, troubles }: Vitals,
  path: string,
  response: Http.ServerResponse
): Effect.Effect<void> => {
  const write = (status: number, text: string) => void response.writeHead(status, plain).end(text)
  if (path === "/health") return Effect.sync(() => write(200, "ok\n"))
  if (path === "/ready") {
    return Effect.map(Effect.all([troubles, notes]), ([troubles, notes]) => {
      const isReady = troubles.length === 0
      write(isReady ? 200 : 503, `${[...(isReady ? ["ok"] : troubles), ...notes].join("\n")}\n`)
    })
  }
  if (path === "/metrics") return Effect.map(metrics, (text) => write(200, text))
  return Effect.sync(() => write(404, "The paths are /health, /ready and /metrics\n"))
}

const listener =
  (receive: Receive, vitals: Vitals, run: (effect: Effect.Effect<void>) => () => void): Http.RequestListener =>
  (request, response) => {
    if (request.method === "GET") return void run(show(vitals, request.url ?? "", response))
    const parts: Array<Buffer> = []
    request.on("data", (part: Buffer) => parts.push(part))
    request.once("end", () => {
      const unpacked = unpack(Buffer.concat(parts))
      if (Result.isFailure(unpacked)) return void response.writeHead(400).end("This port is for other nodes")
      response.writeHead(200)
      response.flushHeaders()
      const alive = setInterval(() => {
        // Sends no heartbeat after the end of the response, even if a slow reader has not received all of it yet.
        if (!response.writableEnded) response.write(Frames.encode(Frames.kinds.alive))
      }, aliveEvery)
      response.once("close", () => clearInterval(alive))
      const [venue, sent] = unpacked.success
      run(Effect.map(Effect.exit(receive(venue, sent)), (exit) => respond(response, outcomeOf(exit), run)))
    })
  }

const noBytes = Buffer.alloc(0)

/** Serves the WebSockets that other nodes forward to this node, each through its tunnel. */
const tunneler = (
  receive: Receive,
  tunnels: Set<Duplex>,
  sockets: WebSockets.WebSockets,
  run: (effect: Effect.Effect<void>) => () => void
) =>
(_request: Http.IncomingMessage, connection: Duplex, early: Buffer): void => {
  connection.write("HTTP/1.1 200 OK\r\n\r\n")
  connection.unshift(early)
  const { bytes, send } = Tunnel.open(connection, (message) => {
    const unpacked = unpack(Buffer.from(message))
    if (Result.isFailure(unpacked)) return void bytes.destroy()
    const [venue, sent] = unpacked.success
    run(Effect.map(Effect.exit(receive(venue, sent)), (exit) => {
      const outcome = outcomeOf(exit)
      const answer = (given: object): void => {
        send(toBytes(given))
        bytes.end()
      }
      // No venue streams a response to a request for a WebSocket.
      if (outcome._tag !== "Upgraded") return answer(outcome._tag === "Stream" ? reset : outcome)
      // The client may have left while the venue was waking up.
      const refused = bytes.destroyed ? reset : sockets.open(bytes, sent)
      if (refused !== undefined) {
        Sockets.decline(outcome)
        return answer(refused)
      }
      send(toBytes({ _tag: "Upgraded" }))
      Upgrades.carry(bytes, noBytes, sent, outcome.connect, sockets.wrote)
    }))
  })
  tunnels.add(bytes)
  bytes.once("close", () => tunnels.delete(bytes))
}

/**
 * Accepts requests from other nodes until the scope is closed, and serves `/health`, `/ready` and `/metrics`. Before
 * closing, waits up to two seconds for the requests in progress. Returns the port.
 */
export const serve = Effect.fnUntraced(function*(
  host: string,
  port: number,
  receive: Receive,
  vitals: Vitals
): Effect.fn.Return<number, Listening.ListenFailed, Scope.Scope> {
  const runWith = Effect.runCallbackWith(yield* Effect.context())
  const run = (effect: Effect.Effect<void>) => runWith(effect)
  const tunnels = new Set<Duplex>()
  const server = Http.createServer({ maxHeaderSize: Bounds.maxHeaders }, listener(receive, vitals, run))
  server.on("connect", tunneler(receive, tunnels, WebSockets.make(), run))
  const opening = Effect.callback<number, Listening.ListenFailed>((resume) => {
    server.once(
      "error",
      ({ message }) => resume(Effect.fail(new Listening.ListenFailed({ host, port, reason: message })))
    )
    server.listen(port, host, () => {
      const address = server.address()
      resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : port))
    })
  })
  const closing = Effect.callback<void>((resume) => {
    server.close(() => resume(Effect.void))
    server.closeIdleConnections()
    for (const tunnel of tunnels) tunnel.destroy()
  })
  return yield* Effect.acquireRelease(
    opening,
    () => Effect.andThen(Effect.timeoutOption(closing, "2 seconds"), Effect.sync(() => server.closeAllConnections()))
  )
})

/** Streams a response body, which follows the response's head. */
const bodyOf = (
  first: ReadonlyArray<Frames.Frame>,
  frames: AsyncIterator<ReadonlyArray<Frames.Frame>>,
  close: () => void
): Stream.Stream<Uint8Array, BodyLost> => {
  const rest: AsyncIterable<ReadonlyArray<Frames.Frame>> = { [Symbol.asyncIterator]: () => frames }
  const all: Stream.Stream<ReadonlyArray<Frames.Frame>, BodyLost> = Stream.concat(
    Stream.fromIterable([first]),
    Stream.fromAsyncIterable(rest, () => new BodyLost())
  )
  return all.pipe(
    Stream.flatMap((frames) => Stream.fromIterable(frames)),
    Stream.filter(({ kind }: Frames.Frame) => kind !== Frames.kinds.alive),
    Stream.mapEffect(({ bytes, kind }: Frames.Frame) =>
      kind === Frames.kinds.part ? Effect.succeed(bytes) : Effect.fail(new BodyLost())
    ),
    // If the reader stops early, closing the connection releases the venue.
    Stream.ensuring(Effect.sync(close))
  )
}

async function* framesOf(body: Dispatcher.ResponseData["body"]): AsyncGenerator<ReadonlyArray<Frames.Frame>, void> {
  const decode = Frames.decoder()
  for await (const bytes of body) yield decode(bytes as Uint8Array)
}

/** Decodes the head of a response. The cast is safe, because only `respond` produces these bytes. */
const headOf = ({ bytes }: Frames.Frame) => JSON.parse(Buffer.from(bytes).toString()) as Received

/** Reads the head of a response. */
const read = async (response: Dispatcher.ResponseData): Promise<Received> => {
  const frames = framesOf(response.body)
  for (;;) {
    const next = await frames.next()
    if (next.done === true) return { _tag: "Lost" }
    const { value } = next
    const at = value.findIndex(({ kind }) => kind === Frames.kinds.head)
    const found = value[at]
    if (found === undefined) continue
    const head = headOf(found)
    if (head._tag === "Stream")
      return {
        ...head,
        body: bodyOf(value.slice(at + 1), frames, () => void response.body.destroy())
      }
    // The response is complete. Reading the rest frees the connection for the next request.
    await frames.next().catch(() => undefined)
    return head
  }
}

/** Sends requests to other nodes. */
export interface Sender {
  /** Sends a request for a venue to the node at this address, such as `10.0.0.7:7300`. */
  readonly send: (address: string, venue: string, request: Request) => Effect.Effect<Outcome>
  /** The number of WebSockets that this node forwards to other nodes. */
  readonly tunnels: () => number
}

/** The maximum number of WebSockets that a node forwards to another node. */
const maxTunnels = 1024

const tooManyTunnels = (path: string, max: number): Answer =>
  Refusal.busy(
    path,
    "Overloaded",
    `This node already forwards ${max} WebSockets to the node that has this venue. Connect through another node`
  )

const unanswered = {
  lost: { _tag: "Lost" },
  "not sent": { _tag: "NotSent" },
  late: { _tag: "NotSent" },
  full: { _tag: "Busy" }
} as const

const open = Effect.acquireRelease(
  Effect.sync(() =>
    new Agent({
      // The hop limits the requests in flight, so the number of connections needs no limit. A limit would let feeds,
      // which keep their connections busy, block calls.
      connections: null,
      pipelining: 1,
      connect: { timeout: maxConnecting },
      headersTimeout: maxSilence,
      bodyTimeout: maxSilence
    })
  ),
  (agent) => Effect.promise(() => agent.destroy())
)

/**
 * Hands a request over to another node. That node acknowledges the request immediately, with the head of its HTTP
 * response.
 */
const handOver = <A>(give: (signal: AbortSignal) => Promise<A>): Effect.Effect<A, "lost" | "not sent"> =>
  Effect.tryPromise({
    try: give,
    catch: (error) => ConnectionFailure.ofCause(error, "").why === undefined ? "lost" as const : "not sent"
  })

/** Asks the other node for a WebSocket, through a new tunnel. */
const ask = (connection: Duplex, packed: Uint8Array): Effect.Effect<Received | Tunneled> =>
  Effect.callback((resume) => {
    const { bytes, send } = Tunnel.open(connection, (message) => {
      // The cast is safe, because only `tunneler` sends these bytes.
      const outcome = JSON.parse(Buffer.from(message).toString()) as Received
      if (outcome._tag !== "Upgraded") bytes.destroy()
      resume(Effect.succeed(outcome._tag === "Upgraded" ? { _tag: "Tunneled", far: bytes } : outcome))
    })
    bytes.once("close", () => resume(Effect.succeed({ _tag: "Lost" })))
    send(packed)
    return Effect.sync(() => bytes.destroy())
  })

/** Returns a function that looks up the path to the node at an address, and creates the path on first use. */
const hops = (): (address: string) => Hop.Hop => {
  const known = new Map<string, Hop.Hop>()
  return (address) => {
    const found = known.get(address) ?? Hop.make()
    known.set(address, found)
    return found
  }
}

/** Notes the current time. The returned function reduces the request's `patience` by the time that has passed since. */
const aging = (clock: Clock.Clock, request: Request): () => Request => {
  const began = clock.currentTimeMillisUnsafe()
  const { patience } = request
  return () =>
    patience === undefined ? request : { ...request, patience: patience - (clock.currentTimeMillisUnsafe() - began) }
}

type Send = (...given: Parameters<Sender["send"]>) => Effect.Effect<Outcome, keyof typeof unanswered>

/** Sends calls over shared connections. */
const sendCall = (agent: Agent): Send => {
  const hopTo = hops()
  return (address, venue, request) =>
    Effect.clockWith((clock) => {
      const now = aging(clock, request)
      // Closes the connection if no caller is waiting for the response.
      const controller = new AbortController()
      // Uses POST, because undici never resends a POST automatically.
      const options = { origin: `http://${address}`, path: "/", method: "POST", signal: controller.signal } as const
      return hopTo(address).pass(
        handOver(() => agent.request({ ...options, body: pack(venue, now()) })),
        request.patience
      ).pipe(
        Effect.flatMap((response) => Effect.tryPromise({ try: () => read(response), catch: () => "lost" as const })),
        Effect.onInterrupt(() => Effect.sync(() => controller.abort()))
      )
    })
}

/** Forwards WebSockets, each through its own tunnel. They have a queue of their own, so they do not delay calls. */
const sendUpgrade = (agent: Agent, tunnels: Set<Duplex>, max: number): Send => {
  const hopTo = hops()
  /** The number of WebSockets forwarded to each node, open or being opened, keyed by the node's address. */
  const counts = new Map<string, number>()

  const keep = (exit: Exit.Exit<Received | Tunneled, unknown>, release: () => void): void => {
    if (Exit.isFailure(exit) || exit.value._tag !== "Tunneled" || exit.value.far.closed) return release()
    const { far } = exit.value
    tunnels.add(far)
    far.once("close", () => {
      tunnels.delete(far)
      release()
    })
  }

  return (address, venue, request) =>
    Effect.clockWith((clock) => {
      const count = counts.get(address) ?? 0
      if (count >= max) return Effect.succeed(tooManyTunnels(request.path, max))
      counts.set(address, count + 1)
      const release = (): void => void counts.set(address, (counts.get(address) ?? 0) - 1)
      const now = aging(clock, request)
      const connected = handOver((signal) => agent.connect({ origin: `http://${address}`, path: address, signal }))
      return hopTo(address).pass(connected, request.patience).pipe(
        Effect.flatMap(({ socket }) => ask(socket, pack(venue, now()))),
        Effect.onExit((exit) => Effect.sync(() => keep(exit, release)))
      )
    })
}

/**
 * Creates a sender, which closes when the scope closes. `max` is the maximum number of WebSockets that it forwards to
 * each node.
 */
export const sender = Effect.fnUntraced(
  function*(max: number = maxTunnels): Effect.fn.Return<Sender, never, Scope.Scope> {
    const agent = yield* open
    const tunnels = yield* Effect.acquireRelease(
      Effect.sync(() => new Set<Duplex>()),
      (tunnels) => Effect.sync(() => tunnels.forEach((tunnel) => tunnel.destroy()))
    )
    const [call, socket] = [sendCall(agent), sendUpgrade(agent, tunnels, max)]
    return {
      send: (address, venue, request) =>
        Effect.catch(
          (Sockets.isUpgrade(request) ? socket : call)(address, venue, request),
          (why) => Effect.succeed(unanswered[why])
        ),
      tunnels: () => tunnels.size
    }
  }
)

/**
 * Sends over Node's own `node:http` and `node:https`. It needs no package and starts soonest: for programs that make a few calls
 * and end. A call costs more than over undici: see `UndiciTransport` of `effect-txc/node`.
 *
 * Nothing is sent a second time, redirects are not followed, no proxy is looked for, and HTTP/2 is not spoken.
 *
 * @example
 * ```ts
 * import { Exchange, NodeHttpTransport } from "effect-txc"
 *
 * // The key, its secret and the region come from the environment.
 * export const exchange = Exchange.layerConfigWith({ transport: NodeHttpTransport.layer })
 * ```
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Http from "node:http"
import type * as Https from "node:https"
import type * as Net from "node:net"
import * as ConnectionFailure from "./ConnectionFailure.ts"
import * as Delivery from "./Delivery.ts"
import * as Received from "./Received.ts"
import * as Transport from "./Transport.ts"

/** A certificate, a key, or several of them, as PEM. */
type Pem = string | Array<string>

/**
 * How connections are made and kept.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** The most connections to one origin. As many as there are requests under way, unless set. */
  readonly connections?: number
  /** How long a connection is kept that nothing uses. Four seconds unless set, less where the server says so. */
  readonly keepAlive?: Duration.Input
  /** Certificates and the like, as `node:tls` takes them. */
  readonly tls?: {
    /** The authorities that are trusted, instead of those that Node knows. */
    readonly ca?: Pem
    /** The certificate that the client shows. */
    readonly cert?: Pem
    /** The key of that certificate. */
    readonly key?: Pem
    /** What that key is encrypted with. */
    readonly passphrase?: string
    /** Whether the server's certificate must be trusted. `true` unless set; set it to `false` in tests only. */
    readonly rejectUnauthorized?: boolean
    /** The name that the server's certificate is for. That of the URL unless set. */
    readonly servername?: string
  }
}

// -----------------------------------------------------------------------------
// Connections
// -----------------------------------------------------------------------------

/** What makes connections to one origin, and keeps them. */
interface Origin {
  readonly request: typeof Http.request
  readonly agent: Http.Agent
  /** Where it is, as Node takes it. */
  readonly to: Https.RequestOptions
  /** The event of a socket that may be written to from then on. */
  readonly ready: "connect" | "secureConnect"
}

/** The connections of a transport, and what is under way over them. */
class Connections {
  /** The sockets that may be written to. */
  readonly ready = new WeakSet<Net.Socket>()
  /** Whether nothing more is sent. */
  isClosed = false
  private readonly options: Options
  private readonly origins = new Map<string, Origin>()
  private underWay = 0
  private onIdle: (() => void) | undefined

  constructor(options: Options) {
    this.options = options
  }

  /** What makes connections to an origin; throws on a text that is none. */
  to(origin: string): Origin {
    const known = this.origins.get(origin)
    if (known !== undefined) return known
    const { hostname, port, protocol } = new URL(origin)
    const host = hostname.replace(/^\[|\]$/gu, "")
    const made = protocol === "https:" ? this.overTls(host, port) : this.overTcp(host, port)
    this.origins.set(origin, made)
    return made
  }

  // Not imports: a program must be able to load this module where there is no Node.

  private overTcp(host: string, port: string): Origin {
    const { Agent, request } = process.getBuiltinModule("node:http")
    // Without a name, Node looks for one in every request.
    return { request, agent: new Agent(this.kept()), to: { host, port, servername: "" }, ready: "connect" }
  }

  private overTls(host: string, port: string): Origin {
    const { Agent, request } = process.getBuiltinModule("node:https")
    const agent = new Agent({ ...this.kept(), ...this.options.tls })
    return { request, agent, to: { host, port }, ready: "secureConnect" }
  }

  private kept(): Http.AgentOptions {
    const { connections = Infinity, keepAlive = "4 seconds" } = this.options
    return {
      keepAlive: true,
      maxSockets: connections,
      timeout: Duration.toMillis(Duration.fromInputUnsafe(keepAlive))
    }
  }

  begun(): void {
    this.underWay++
  }

  ended(): void {
    this.underWay--
    if (this.underWay === 0) this.onIdle?.()
  }

  /** Lets nothing begin any more, and says when nothing is under way. */
  close(onIdle: () => void): void {
    this.isClosed = true
    this.onIdle = onIdle
    if (this.underWay === 0) onIdle()
  }

  /** Ends what is under way, and closes all connections. */
  destroy(): void {
    for (const { agent } of this.origins.values()) {
      // Else they would be given connections of their own now.
      for (const waiting of Object.values(agent.requests)) {
        for (const sent of waiting ?? []) sent.destroy(new Error(isClosed))
      }
      agent.destroy()
    }
  }
}

const isClosed = "the transport is closed"

/** How long requests that are under way may go on when a layer is closed. */
const grace = 1000

const close = (connections: Connections): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    const late = setTimeout(() => connections.destroy(), grace)
    connections.close(() => {
      clearTimeout(late)
      connections.destroy()
      resume(Effect.void)
    })
  })

// -----------------------------------------------------------------------------
// One delivery
// -----------------------------------------------------------------------------

/** A request on its way to its one end. */
class Sending implements Delivery.Delivery {
  private readonly connections: Connections
  private readonly request: Transport.Request
  private readonly chunks: Array<Buffer> = []
  private onEnd: ((end: Delivery.End) => void) | undefined
  private sent: Http.ClientRequest | undefined
  private status = 0
  private size = 0
  /** Whether a part of it may have been sent. */
  private isBegun = false
  private hasEnded = false

  constructor(connections: Connections, request: Transport.Request) {
    this.connections = connections
    this.request = request
  }

  begin(onEnd: (end: Delivery.End) => void): void {
    this.onEnd = onEnd
    this.connections.begun()
    const begun = Result.try({ try: () => this.start(), catch: (error) => error })
    if (Result.isFailure(begun)) this.notSent(begun.failure)
  }

  late(): void {
    const { proof, reason } = Transport.timedOut(this.request)
    this.fail(
      new Transport.SendFailed({ proof: this.isBegun ? proof : { kind: "not-sent", why: "unreachable" }, reason })
    )
  }

  abandon(): void {
    this.onEnd = undefined
    this.settle()
    this.sent?.destroy()
  }

  private start(): void {
    const { body, headers, method, url } = this.request
    const { origin, path } = Delivery.place(url)
    const { agent, ready, request, to } = this.connections.to(origin)
    const sent = request({
      ...to,
      path,
      agent,
      method,
      headers: body === undefined ? headers : { ...headers, "content-length": body.byteLength }
    })
    this.sent = sent
    sent.on("socket", (socket) => this.onSocket(socket, ready))
    sent.on("response", (response) => this.onResponse(response))
    sent.on("error", (error) => this.onError(error))
    // Node says nothing else of a connection that becomes one of another protocol.
    sent.on("close", () => this.status === 0 && this.onError(new Error("the connection ended")))
  }

  /** Writes nothing before the connection is made, and its other end is known: until then nothing can have been sent. */
  private onSocket(socket: Net.Socket, ready: Origin["ready"]): void {
    if (this.connections.ready.has(socket)) return this.write()
    socket.once(ready, () => {
      this.connections.ready.add(socket)
      this.write()
    })
  }

  private write(): void {
    if (this.hasEnded) return
    this.isBegun = true
    this.sent?.end(this.request.body)
  }

  private onResponse(response: Http.IncomingMessage): void {
    const { headers, statusCode: status = 0 } = response
    this.status = status
    response.on("data", (chunk: Buffer) => {
      this.size += chunk.byteLength
      if (this.size > this.request.maxAnswerBytes) this.fail(Transport.tooLarge(status, this.request))
      else this.chunks.push(chunk)
    })
    response.on("end", () => this.end(Received.answer(this.request, status, headers, this.chunks)))
    response.on("error", (error) => this.onError(error))
  }

  private onError(error: unknown): void {
    if (!this.isBegun) return this.notSent(error)
    const { reason } = ConnectionFailure.ofCause(error, "the connection failed")
    this.fail(new Transport.SendFailed({ proof: { kind: "lost" }, reason }))
  }

  private notSent(error: unknown): void {
    const { reason, why = "other" } = ConnectionFailure.ofCause(error, "the connection failed")
    this.fail(new Transport.SendFailed({ proof: { kind: "not-sent", why }, reason }))
  }

  private fail(error: Transport.SendFailed): void {
    if (this.hasEnded) return
    this.end(Effect.fail(error))
    this.sent?.destroy()
  }

  private end(end: Delivery.End): void {
    if (this.hasEnded) return
    this.settle()
    // What comes next may use the connection, which is free when Node has come to an end with this request.
    queueMicrotask(() => this.onEnd?.(end))
  }

  private settle(): void {
    if (!this.hasEnded) this.connections.ended()
    this.hasEnded = true
  }
}

// -----------------------------------------------------------------------------
// The transport
// -----------------------------------------------------------------------------

const over = (connections: Connections): Transport.Transport["Service"] => ({
  send: (request) =>
    Effect.suspend(() =>
      connections.isClosed
        ? Effect.fail(new Transport.SendFailed({ proof: { kind: "not-sent", why: "other" }, reason: isClosed }))
        : Delivery.run(request.timeout, () => new Sending(connections, request))
    )
})

/**
 * Sends over connections of its own. When it is closed, requests that are under way have one second to end.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerWith = (options: Options): Layer.Layer<Transport.Transport> =>
  Layer.effect(
    Transport.Transport,
    Effect.map(
      Effect.acquireRelease(Effect.sync(() => new Connections(options)), close),
      over
    )
  )

/**
 * Sends over connections of its own, with the defaults: see {@link layerWith}.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<Transport.Transport> = layerWith({})

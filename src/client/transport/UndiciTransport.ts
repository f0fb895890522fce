/**
 * Sends requests with undici's `dispatch`, on Node: the transport with the lowest cost per call.
 *
 * Every request is one `dispatch` over a connection that carries no other request at the same time. The transport sends
 * nothing twice, follows no redirects, and does not use HTTP/2. It bypasses undici's `request` and `fetch`, and their
 * streams.
 *
 * Before a keep-alive connection is used again, bytes that have already arrived are read, and an unsolicited response
 * closes the connection. Interim responses, such as `100 Continue`, are skipped.
 *
 * @example
 * ```ts
 * import { Exchange } from "effect-txc"
 * import { UndiciTransport } from "effect-txc/node"
 *
 * // The key, its secret and the region come from the environment.
 * export const exchange = Exchange.layerConfigWith({ transport: UndiciTransport.layer })
 * ```
 */
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { ConnectionOptions } from "node:tls"
import type { Dispatcher, Pool } from "undici"
import * as ConnectionFailure from "./ConnectionFailure.ts"
import * as Connections from "./Connections.ts"
import * as Delivery from "./Delivery.ts"
import * as Received from "./Received.ts"
import * as Transport from "./Transport.ts"

/** The error that aborts an abandoned request, or the second sending of a request that may be sent only once. */
class Unwanted extends Data.TaggedError("Unwanted") {
  override readonly message = "the request may be sent only once"
}

/** A body that can be read only once. A second read fails. */
class ReadOnce implements AsyncIterable<Uint8Array> {
  /** The number of reads, including refused ones. */
  reads = 0
  private readonly bytes: Uint8Array
  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }
  async *[Symbol.asyncIterator]() {
    yield await (++this.reads === 1 ? this.bytes : Promise.reject(new Unwanted()))
  }
}

interface Place {
  readonly origin: string
  readonly path: string
}

/** Splits a URL into its origin and the rest. For a string that is not a URL, the origin is invalid. */
const place = (url: string): Place => {
  // The search starts after the scheme's two slashes. URLs are not parsed completely, because this code runs for every
  // call.
  const slash = url.indexOf("/", 8)
  return slash === -1 ? { origin: url, path: "/" } : { origin: url.slice(0, slash), path: url.slice(slash) }
}

/** The error that aborts an abandoned request. No caller sees this error. */
const abandoned = new Unwanted()

/** A transport's dispatchers. */
interface Route<D extends Dispatcher> {
  /** Returns the dispatcher for an origin. Throws if the string is not a valid origin. */
  readonly of: (origin: string) => Connections.Watched<D>
  /**
   * Replaces a dispatcher's connections after a refusal, and watches the old connections. Absent if refused calls are
   * not retried.
   */
  readonly startOver?: (
    origin: string,
    old: Connections.Watched<D>,
    watch: Connections.Watch
  ) => Effect.Effect<boolean, Transport.SendFailed>
}

/** A request in progress, which ends only once. This object is also the handler that undici notifies. */
class Dispatch<D extends Dispatcher> implements Delivery.Delivery, Dispatcher.DispatchHandler {
  private readonly route: Route<D>
  private readonly request: Transport.Request
  private readonly body: Uint8Array | ReadOnce | undefined
  private onEnd: ((end: Delivery.End) => void) | undefined
  private connections: Connections.Watched<D> | undefined
  private controller: Dispatcher.DispatchController | undefined
  private hasEnded = false
  private status = 0
  private headers: Received.Headers = {}
  private readonly chunks: Array<Buffer> = []
  private size = 0

  constructor(route: Route<D>, request: Transport.Request, body: Uint8Array | ReadOnce | undefined) {
    this.route = route
    this.request = request
    this.body = body
  }

  begin(onEnd: (end: Delivery.End) => void): void {
    this.onEnd = onEnd
    // Undici resumes a keep-alive connection in a later event-loop turn. Bytes that have already arrived are read
    // before then.
    setImmediate(() => this.dispatch())
  }

  private dispatch(): void {
    if (this.hasEnded) return
    const { headers, method, url } = this.request
    const { origin, path } = place(url)
    this.attempt(() => {
      this.connections = this.route.of(origin)
      this.connections.dispatcher.dispatch({
        origin,
        path,
        method,
        headers: this.body instanceof ReadOnce
          ? { ...headers, "content-length": `${this.request.body?.byteLength}` }
          : headers,
        // Undici accepts any iterable, although its types do not allow it.
        body: this.body as Uint8Array | null,
        // Undici sends no other request over the connection until this request has ended.
        idempotent: false
      }, this)
    })
  }

  private attempt(run: () => void): void {
    const done = Result.try({ try: run, catch: (error) => error })
    if (Result.isFailure(done)) this.onError(done.failure)
  }

  late(): void {
    const { proof, reason } = Transport.timedOut(this.request)
    this.fail(
      new Transport.SendFailed({ proof: this.isBegun() ? proof : { kind: "not-sent", why: "unreachable" }, reason })
    )
  }

  abandon(): void {
    this.hasEnded = true
    this.controller?.abort(abandoned)
  }

  /** Whether part of the request may have been sent. Undici notifies a handler before it writes the first byte. */
  private isBegun(): boolean {
    return this.controller !== undefined || (this.body instanceof ReadOnce && this.body.reads > 0)
  }

  private end(end: Delivery.End): void {
    if (this.hasEnded) return
    this.hasEnded = true
    // Undici is reading from a connection here, and must not be re-entered.
    queueMicrotask(() => this.onEnd?.(end))
  }

  private fail(error: Transport.SendFailed): void {
    this.end(Effect.fail(error))
    this.controller?.abort(abandoned)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    const isSecond = this.controller !== undefined && this.request.once
    this.controller = controller
    if (isSecond) controller.abort(new Unwanted())
    else if (this.hasEnded) controller.abort(abandoned)
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: Received.Headers): void {
    this.status = status
    this.headers = headers
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.size += chunk.byteLength
    if (this.size > this.request.maxAnswerBytes) this.fail(Transport.tooLarge(this.status, this.request))
    else this.chunks.push(chunk)
  }

  onResponseEnd(): void {
    const end = Received.answer(this.request, this.status, this.headers, this.chunks)
    const { connections, request: { once, url }, route } = this
    if (!once || this.status < 400 || connections === undefined) return this.end(end)
    const watch = connections.watch()
    const startOver = route.startOver?.(place(url).origin, connections, watch)
    // A refusal is accepted unless another response follows it immediately.
    watch((seen) => {
      if (seen === "unsolicited") this.fail(Connections.twoAnswers)
      else this.end(startOver === undefined ? end : Effect.map(end, (answer) => ({ ...answer, startOver })))
    })
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.onError(error)
  }

  private onError(error: unknown): void {
    if (this.hasEnded) return
    if (error instanceof Unwanted) {
      return this.fail(
        new Transport.SendFailed({
          proof: { kind: "resent" },
          reason: "the dispatcher tried to send the request a second time, which was refused"
        })
      )
    }
    const { reason, why } = ConnectionFailure.ofCause(error, "the connection failed")
    this.fail(
      new Transport.SendFailed({
        proof: this.isBegun() ? { kind: "lost" } : { kind: "not-sent", why: why ?? "other" },
        reason
      })
    )
  }
}

/** Builds the body that is sent for a request. */
type BodyOf = (request: Transport.Request) => Uint8Array | ReadOnce | undefined

const over = <D extends Dispatcher>(route: Route<D>, bodyOf: BodyOf): Transport.Transport["Service"] => ({
  send: (request: Transport.Request) =>
    Delivery.run(request.timeout, () => new Dispatch(route, request, bodyOf(request)))
})

/**
 * Sends requests through your own dispatcher, such as undici's `ProxyAgent`. You must close the dispatcher yourself.
 *
 * The body of an at-most-once request can be read only once, so a dispatcher that retries can't deliver such a request
 * again. This protection adds a small cost to each call. Nevertheless, do not use a dispatcher that retries or follows
 * redirects. This transport does not control the dispatcher's connections, so the client does not retry a mutating call
 * whose nonce the exchange refused.
 *
 * @category constructors
 */
export const fromDispatcher = (dispatcher: Dispatcher): Transport.Transport["Service"] => {
  const watched = new Connections.Watched(dispatcher)
  return over({ of: () => watched }, ({ body, once }) => once && body !== undefined ? new ReadOnce(body) : body)
}

/**
 * Connection options.
 *
 * @category models
 */
export interface Options {
  /** The maximum number of connections to one origin. By default, each request in flight has its own connection. */
  readonly connections?: number
  /** The maximum time to establish a connection. Default: ten seconds. The request's own timeout also applies. */
  readonly connectTimeout?: Duration.Input
  /** The time for which an idle connection is kept open. Default: four seconds, or less if the server requests it. */
  readonly keepAlive?: Duration.Input
  /**
   * Whether a mutating call whose nonce was refused is sent once more, if no other response follows the refusal within
   * 250 milliseconds. Default: `true`. With `false`, such a call fails with `NonceRejected`, as over every other
   * transport.
   */
  readonly retryMutating?: boolean
  /** Certificates and other options of `node:tls`. */
  readonly tls?: Pick<
    ConnectionOptions,
    "ca" | "cert" | "key" | "passphrase" | "pfx" | "rejectUnauthorized" | "servername"
  >
}

const millis = (duration: Duration.Input): number => Duration.toMillis(Duration.fromInputUnsafe(duration))

/** The options for undici's connection pool. */
const poolOptions = ({ connectTimeout, connections, keepAlive, tls }: Options): Pool.Options => ({
  pipelining: 1,
  // Undici's own timeouts are disabled, because every request has its own timeout.
  headersTimeout: 0,
  bodyTimeout: 0,
  ...(connections === undefined ? {} : { connections }),
  ...(keepAlive === undefined ? {} : { keepAliveTimeout: millis(keepAlive) }),
  allowH2: false,
  connect: Connections.connecting({
    allowH2: false,
    ...(connectTimeout === undefined ? {} : { timeout: millis(connectTimeout) }),
    ...tls
  })
})

/**
 * Sends requests over connections that the layer opens. When the layer is closed, requests in flight have one second to
 * finish.
 *
 * @category layers
 */
export const layerWith = (options: Options): Layer.Layer<Transport.Transport> =>
  Layer.effect(
    Transport.Transport,
    Effect.map(
      Effect.acquireRelease(
        Effect.sync(() => new Connections.Connections(poolOptions(options))),
        ({ close }) => close
      ),
      (connections) =>
        over(
          options.retryMutating === false ? { of: (origin) => connections.of(origin) } : connections,
          // These connections never repeat a request, so the body needs no protection against a second read.
          ({ body }) => body
        )
    )
  )

/**
 * Sends requests over connections that the layer opens, with the default options: see {@link layerWith}.
 *
 * @category layers
 */
export const layer: Layer.Layer<Transport.Transport> = layerWith({})

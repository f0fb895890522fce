/**
 * Sends requests with the platform's own `fetch`, in Node, Bun, Deno and on the edge. This transport needs no other
 * package and results in the smallest bundle. On Node, `UndiciTransport` of `effect-txc/node` costs less per call.
 *
 * Redirects are not followed. The body of an at-most-once request can be read only once, so `fetch` can't send such a
 * request again, although it sends other requests again after HTTP 421. If a `fetch` does not accept such a body, the
 * request is not sent.
 *
 * @example
 * ```ts
 * import { Exchange, FetchTransport } from "effect-txc"
 *
 * // The key, its secret and the region come from the environment.
 * export const exchange = Exchange.layerConfigWith({ transport: FetchTransport.layer })
 * ```
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as ConnectionFailure from "./ConnectionFailure.ts"
import * as Delivery from "./Delivery.ts"
import * as Transport from "./Transport.ts"

/**
 * A function that sends a request: the platform's `fetch`, or another function with the same signature.
 *
 * @category models
 */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/**
 * Whether this platform's `fetch` can send a stream. A `fetch` that can't send a stream either refuses it, or converts
 * it to text and sends the text.
 */
const takesStreams = (): boolean => {
  let isAsked = false
  const body = new ReadableStream()
  const init = {
    method: "POST",
    body,
    get duplex() {
      isAsked = true
      return "half"
    }
  }
  const request = new Request("https://localhost", init)
  // Some platforms accept the stream without reading `duplex`.
  return (isAsked || request.body === body) && !request.headers.has("content-type")
}

/** Creates a function that calls {@link takesStreams} once, on first use. */
const knownOnce = (): () => boolean => {
  let known: boolean | undefined
  return () => known ??= Result.getOrElse(Result.try(takesStreams), () => false)
}

/** Whether the program runs in a browser, whose `fetch` sends a stream only over HTTP/2 or later. */
const isBrowser = (): boolean => (globalThis.navigator?.userAgent ?? "").startsWith("Mozilla/")

/**
 * Whether a browser can send a stream to this address. Over HTTP/1.1, a browser's `fetch` reads the stream and then
 * fails in the same way as when a connection is lost, so an order would have an unknown outcome. This function
 * therefore sends an empty, unsigned request to the same address. Over HTTP/1.1, that request fails in the same way,
 * but it can't place an order.
 */
const takesStreamsAt = (fetch: Fetch, { timeout, url }: Transport.Request): Effect.Effect<boolean> => {
  const answered = Effect.promise((signal) => {
    const body = new ReadableStream({ start: (controller) => controller.close() })
    const init = { method: "POST", redirect: "manual", credentials: "omit", signal, body, duplex: "half" }
    // The cast adds `duplex`, which the DOM's type does not have.
    return fetch(url, init as RequestInit).then((response) => response.body?.cancel()).then(() => true, () => false)
  })
  return Effect.map(Effect.timeoutOption(answered, timeout), Option.getOrElse(() => false))
}

const noStreamsAt = (origin: string): string =>
  `this browser can send an order to ${origin} only over HTTP/2 or later, and a similar request failed. Check that ` +
  "the exchange is reached over https with HTTP/2, and that it allows requests from this page"

const notSent = (reason: string): Transport.SendFailed =>
  new Transport.SendFailed({ proof: { kind: "not-sent", why: "other" }, reason })

const noStreams =
  "this platform's fetch can't send a body that can be read only once, so it might deliver an order twice. "
  + "Provide another transport, such as UndiciTransport.layer of effect-txc/node"

/**
 * Decides whether a `fetch` failure proves that nothing was sent. Once the body has been read, no failure proves this,
 * because a `fetch` that retries automatically may have delivered the body before it failed to connect.
 */
const failureOf = (error: unknown, isRead: boolean): Transport.SendFailed => {
  const { reason, why } = ConnectionFailure.ofCause(error, "the connection failed")
  return new Transport.SendFailed({
    proof: why === undefined || isRead ? { kind: "lost" } : { kind: "not-sent", why },
    reason
  })
}

/** A request in progress, which ends only once. */
class Sending implements Delivery.Delivery {
  private readonly fetch: Fetch
  private readonly request: Transport.Request
  private readonly aborting = new AbortController()
  private onEnd: ((end: Delivery.End) => void) | undefined
  /** Whether the body of an at-most-once request was read. */
  private isRead = false

  constructor(fetch: Fetch, request: Transport.Request) {
    this.fetch = fetch
    this.request = request
  }

  begin(onEnd: (end: Delivery.End) => void): void {
    this.onEnd = onEnd
    this.exchange().then(
      (answer) => this.end(Effect.succeed(answer)),
      (error: unknown) => this.fail(error instanceof Transport.SendFailed ? error : failureOf(error, this.isRead))
    )
  }

  late(): void {
    this.fail(Transport.timedOut(this.request))
  }

  abandon(): void {
    this.onEnd = undefined
    this.aborting.abort()
  }

  private end(end: Delivery.End): void {
    this.onEnd?.(end)
    this.onEnd = undefined
  }

  private fail(error: Transport.SendFailed): void {
    this.end(Effect.fail(error))
    this.aborting.abort()
  }

  private async exchange(): Promise<Transport.Answer> {
    const { headers, method, url } = this.request
    const response = await this.fetch(url, {
      method,
      headers,
      redirect: "manual",
      // With credentials, `fetch` might send the request again after a 401.
      credentials: "omit",
      signal: this.aborting.signal,
      ...this.body()
    })
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      text: response.body === null ? "" : await this.read(response.status, response.body)
    }
  }

  private body(): RequestInit {
    const { body, headers, once } = this.request
    if (body === undefined) return {}
    // The cast is safe: this library never uses shared memory.
    if (!once) return { body: body as Uint8Array<ArrayBuffer> }
    let ahead = Delivery.readAhead
    const stream = new ReadableStream({
      pull: (controller) => {
        if (ahead-- > 0) return controller.enqueue(Delivery.nothing)
        this.isRead = true
        controller.enqueue(body)
        controller.close()
      }
      // With a high-water mark of 0, the body is enqueued only when it is read, so `isRead` is correct.
    }, { highWaterMark: 0 })
    // Without this header the stream's length would be unknown, so it would be sent in chunks, which servers may
    // refuse.
    const sized = { ...headers, "content-length": body.byteLength.toString() }
    return { body: stream, headers: sized, duplex: "half" } as RequestInit
  }

  /** Reads the response's body as it arrives, up to the maximum size. */
  private async read(status: number, body: ReadableStream<Uint8Array>): Promise<string> {
    const decoder = new TextDecoder()
    const reader = body.getReader()
    let text = ""
    let size = 0
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      size += part.value.byteLength
      if (size > this.request.maxAnswerBytes) return Promise.reject(Transport.tooLarge(status, this.request))
      text += decoder.decode(part.value, { stream: true })
    }
    return text + decoder.decode()
  }
}

/**
 * Sends requests with your own `fetch`. Your `fetch` must not repeat requests or follow redirects. Once your `fetch`
 * has read a mutating call's body, its failures are never reported as "not sent".
 *
 * @category constructors
 */
export const fromFetch = (fetch: Fetch): Transport.Transport["Service"] => {
  const canStream = knownOnce()
  /** The origins to which a browser has sent a stream. */
  const reached = new Set<string>()
  const deliver = (request: Transport.Request) => Delivery.run(request.timeout, () => new Sending(fetch, request))
  return {
    send: (request) => {
      if (!request.once || request.body === undefined) return deliver(request)
      if (!canStream()) return Effect.fail(notSent(noStreams))
      // An invalid URL is not handled here: sending to it fails with a clear reason.
      if (!isBrowser() || !URL.canParse(request.url)) return deliver(request)
      const { origin } = new URL(request.url)
      if (reached.has(origin)) return deliver(request)
      return Effect.flatMap(takesStreamsAt(fetch, request), (takes) => {
        if (!takes) return Effect.fail(notSent(noStreamsAt(origin)))
        reached.add(origin)
        return deliver(request)
      })
    }
  }
}

/**
 * Sends requests with the platform's `fetch`, which is looked up again for each call.
 *
 * @category layers
 */
export const layer: Layer.Layer<Transport.Transport> = Layer.succeed(
  Transport.Transport,
  fromFetch((url, init) => globalThis.fetch(url, init))
)

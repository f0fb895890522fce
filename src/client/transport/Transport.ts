/**
 * What sends the bytes of a request and brings back the answer, or says what the lack of one proves.
 *
 * Everything above knows only this service. Another transport keeps its three promises: a request that may be delivered
 * once is never sent twice, no answer is larger than asked for, and none is waited for longer than asked for.
 *
 * @example
 * ```ts
 * import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
 * import * as Layer from "effect/Layer"
 * import { type Credentials, Exchange, Transport } from "effect-txc"
 *
 * // No answer of more than a megabyte is read.
 * export const small = (credentials: Credentials.Options) =>
 *   Exchange.layer({ region: "global", credentials }).pipe(
 *     Layer.provide(Layer.succeed(Transport.MaxAnswerBytes, 1024 * 1024)),
 *     Layer.provide(NodeHttpClient.layerUndici)
 *   )
 * ```
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Headers from "effect/http/Headers"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as UrlParams from "effect/http/UrlParams"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { UnreachableCause } from "../../protocol/Errors.ts"
import * as Signature from "../../protocol/Signature.ts"
import * as ConnectionFailure from "./ConnectionFailure.ts"

// -----------------------------------------------------------------------------
// The service
// -----------------------------------------------------------------------------

/**
 * A request, as it is on the wire.
 *
 * @category models
 * @since 0.1.0
 */
export interface Request {
  /** Public calls are read with GET, private calls are sent with POST. */
  readonly method: "GET" | "POST"
  /** The whole URL, with its query. */
  readonly url: string
  /** Headers by lower-case name, without `content-length`: the transport sets it. */
  readonly headers: Readonly<Record<string, string>>
  /** Exactly these bytes are sent; absent on requests without a body. */
  readonly body?: Uint8Array
  /** Whether the request may be delivered at most once. */
  readonly once: boolean
  /** How long to wait for the last byte of the answer. */
  readonly timeout: Duration.Input
  /** The most bytes of the answer's body that are read, counted after decompression. */
  readonly maxAnswerBytes: number
}

/**
 * The answer to a request, whatever its status.
 *
 * @category models
 * @since 0.1.0
 */
export interface Answer {
  /** The HTTP status. */
  readonly status: number
  /** The headers, by lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The whole body, decompressed. */
  readonly text: string
}

/**
 * Nothing was sent.
 *
 * @category models
 * @since 0.1.0
 */
export interface NotSent {
  /** Nothing was sent, so nothing was applied. */
  readonly kind: "not-sent"
  /** What prevented it. */
  readonly why: UnreachableCause
}

/**
 * The request may have been delivered, and no whole answer came.
 *
 * @category models
 * @since 0.1.0
 */
export interface MayBeDelivered {
  /**
   * - `lost`: the connection ended before the whole answer was there, or what came cannot be decoded
   * - `resent`: what sends wanted to send the request a second time; that was refused
   * - `timeout`: the answer did not come in time
   */
  readonly kind: "lost" | "resent" | "timeout"
}

/**
 * The answer has more bytes than asked for, so the connection was closed.
 *
 * @category models
 * @since 0.1.0
 */
export interface TooLarge {
  /** The request was delivered; its answer was not read to the end. */
  readonly kind: "too-large"
  /** The HTTP status of the answer. */
  readonly status: number
}

/**
 * What the lack of an answer proves.
 *
 * @category models
 * @since 0.1.0
 */
export type Proof = NotSent | MayBeDelivered | TooLarge

/**
 * There is no answer.
 *
 * @category errors
 * @since 0.1.0
 */
export class SendFailed extends Data.TaggedError("SendFailed")<{
  readonly proof: Proof
  readonly reason: string
}> {
  /** What that proves. */
  declare readonly proof: Proof
  /** What happened, in words. They may contain what was sent: scrub them. */
  declare readonly reason: string
}

/**
 * The failure of a request whose answer has more bytes than asked for.
 *
 * @category errors
 * @since 0.1.0
 */
export const tooLarge = (status: number, { maxAnswerBytes }: Request): SendFailed =>
  new SendFailed({
    proof: { kind: "too-large", status },
    reason: `the answer has more than ${maxAnswerBytes} bytes`
  })

/**
 * The failure of a request whose answer did not come in time.
 *
 * @category errors
 * @since 0.1.0
 */
export const timedOut = ({ timeout }: Request): SendFailed =>
  new SendFailed({
    proof: { kind: "timeout" },
    reason: `no answer within ${Duration.format(Duration.fromInputUnsafe(timeout))}`
  })

/**
 * Sends requests.
 *
 * @category services
 * @since 0.1.0
 */
export class Transport extends Context.Service<Transport, {
  /**
   * Sends the request and reads the whole answer. Redirects are not followed: they would deliver the key and the
   * signature to another server. No trace header is sent. It fails only with {@link SendFailed}.
   */
  readonly send: (request: Request) => Effect.Effect<Answer, SendFailed>
}>()("effect-txc/client/Transport") {}

/**
 * The most bytes of an answer's body that are read, counted after decompression: 32 MiB unless provided otherwise, to an
 * exchange's layer for all its calls, or to a call, which goes first. The largest real answers, all markets, assets or
 * fees, have less than 2 MiB. The connection of a larger answer is closed, and the call ends as with any answer that
 * cannot be read.
 *
 * @category configuration
 * @since 0.1.0
 */
export const MaxAnswerBytes = Context.Reference<number>("effect-txc/client/Transport/MaxAnswerBytes", {
  defaultValue: () => 32 * 1024 * 1024
})

// -----------------------------------------------------------------------------
// Over any HttpClient: the request
// -----------------------------------------------------------------------------

/**
 * What every request runs under: no redirects, no trace headers, no span of the client below. Without credentials a
 * `fetch` does not look for others after a 401, which it refuses to do with a body that it cannot read twice. A body is
 * never put into a buffer that could be sent twice.
 */
const quiet = Context.empty().pipe(
  Context.add(FetchHttpClient.RequestInit, { redirect: "manual", credentials: "omit" }),
  Context.add(FetchHttpClient.StreamBodyFallback, "error"),
  Context.add(HttpClient.TracerDisabledWhen, () => true),
  Context.add(HttpClient.TracerPropagationEnabled, false)
)

/** A second reader of a body that may be read once: what is under way is a second delivery. */
class SecondRead extends Data.TaggedError("SecondRead") {
  override readonly message = "the request may be sent only once"
}

/** The body of a request, and how often it was read; a body that may be read any number of times is not counted. */
const bodyOf = (
  { body, once }: Request
): { readonly httpBody: HttpBody.HttpBody; readonly reads: () => number } => {
  if (body === undefined) return { httpBody: HttpBody.empty, reads: () => 0 }
  if (!once) return { httpBody: HttpBody.uint8Array(body, "application/json"), reads: () => 0 }
  let reads = 0
  const bytes = Stream.suspend(() => ++reads === 1 ? Stream.succeed(body) : Stream.fail(new SecondRead()))
  return { httpBody: HttpBody.stream(bytes, "application/json", body.byteLength), reads: () => reads }
}

/** The request is made in one step, because one made from options would be taken apart and put together once more. */
const toClientRequest = ({ body, headers, method, url }: Request, httpBody: HttpBody.HttpBody) =>
  HttpClientRequest.makeWith(
    method,
    url,
    UrlParams.empty,
    Option.none(),
    Headers.fromRecordUnsafe(
      // Effect's client over `fetch` removes `content-length`, and a stream without it is sent in chunks, which servers
      // may refuse. Spelled in capitals the header stays. All other clients take it in any spelling.
      body === undefined ? headers : { ...headers, "Content-Length": body.byteLength.toString() }
    ),
    httpBody
  )

// -----------------------------------------------------------------------------
// Over any HttpClient: the answer
// -----------------------------------------------------------------------------

/** Reads the body as it comes, and no more of it than asked for: what is left closes the connection. */
const readText = (
  response: HttpClientResponse.HttpClientResponse,
  request: Request
): Effect.Effect<string, HttpClientError.HttpClientError | SendFailed> =>
  Effect.suspend(() => {
    const decoder = new TextDecoder()
    let text = ""
    let size = 0
    return Stream.runForEachArray(response.stream, (chunks) => {
      for (const chunk of chunks) {
        size += chunk.byteLength
        if (size > request.maxAnswerBytes) return Effect.fail(tooLarge(response.status, request))
        text += decoder.decode(chunk, { stream: true })
      }
      return Effect.void
    }).pipe(
      Effect.map(() => text + decoder.decode()),
      Effect.catchIf(
        (error) => error._tag === "HttpClientError" && error.reason._tag === "EmptyBodyError",
        () => Effect.succeed("")
      )
    )
  })

/** What a failure of the client below means for a request whose body was read so many times. */
const toSendFailed = (error: HttpClientError.HttpClientError, reads: number): SendFailed => {
  const { reason, why } = ConnectionFailure.ofError(error)
  if (reads > 1) {
    return new SendFailed({
      proof: { kind: "resent" },
      reason: `the HttpClient tried to send the request a second time, which was refused: ${reason}`
    })
  }
  if (why === undefined) return new SendFailed({ proof: { kind: "lost" }, reason })
  // Bytes can always be sent, and a stream whose reading has not begun has not failed: this client can't send streams.
  const takesNoStream = error.reason._tag === "EncodeError"
  return new SendFailed({ proof: { kind: "not-sent", why }, reason: takesNoStream ? noStreams : reason })
}

const noStreams = "this runtime's fetch cannot send a body that is read only once, so it could deliver an order twice. "
  + "Provide another HttpClient, such as NodeHttpClient.layerUndici or NodeHttpClient.layerNodeHttp"

// -----------------------------------------------------------------------------
// Over any HttpClient: the transport
// -----------------------------------------------------------------------------

/**
 * Sends over a client of Effect. No header that holds a secret is printed.
 *
 * A request that may be delivered once has a body that can be read once, so nothing below can send it again: neither a
 * `fetch` after HTTP 421, nor a client that retries. Give it a client that does not retry by itself all the same: of one
 * that was delivered and then could not connect again, only the second failure is known.
 *
 * @category constructors
 * @since 0.1.0
 */
export const fromHttpClient = (http: HttpClient.HttpClient): Transport["Service"] => ({
  send: (request) =>
    Effect.withFiber((fiber) => {
      const { httpBody, reads } = bodyOf(request)
      return Effect.flatMap(http.execute(toClientRequest(request, httpBody)), (response) =>
        Effect.map(readText(response, request), (text): Answer => ({
          status: response.status,
          headers: response.headers,
          text
        }))).pipe(
          Effect.mapError((error) =>
            error._tag === "SendFailed" ? error : toSendFailed(error, reads())
          ),
          Effect.timeoutOrElse({
            duration: request.timeout,
            orElse: () => Effect.fail(timedOut(request))
          }),
          Effect.provideContext(
            Context.add(quiet, Headers.CurrentRedactedNames, [
              ...fiber.getRef(Headers.CurrentRedactedNames),
              Signature.secretHeaders
            ])
          )
        )
    })
})

/**
 * Sends over the `HttpClient` of the context: see {@link fromHttpClient}. Built anew wherever it is used, so that two
 * exchanges of one program can have different clients.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerHttpClient: Layer.Layer<Transport, never, HttpClient.HttpClient> = Layer.fresh(
  Layer.effect(Transport, Effect.map(HttpClient.HttpClient, fromHttpClient))
)

/**
 * A transport that was chosen, or else one over the `HttpClient` of the context.
 *
 * @category layers
 * @since 0.1.0
 */
export const orHttpClient = <E = never, T = HttpClient.HttpClient>(
  chosen: Layer.Layer<Transport, E, T> | undefined
): Layer.Layer<Transport, E, T> =>
  // Nobody states a `T` and chooses nothing: without a choice it is the `HttpClient`.
  (chosen ?? layerHttpClient) as never

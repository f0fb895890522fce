/**
 * Sends requests through any Effect `HttpClient`. This is the default transport of `Exchange`.
 *
 * @example
 * ```ts
 * import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
 * import * as Layer from "effect/Layer"
 * import * as HttpClientTransport from "effect-txc/client/HttpClientTransport"
 *
 * // Effect's own client over undici.
 * export const transport = HttpClientTransport.layer.pipe(Layer.provide(NodeHttpClient.layerUndici))
 * ```
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
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
import * as Signature from "../../protocol/Signature.ts"
import * as ConnectionFailure from "./ConnectionFailure.ts"
import * as Delivery from "./Delivery.ts"
import * as Transport from "./Transport.ts"

/**
 * The context of every request. It turns off redirects, trace headers and the `HttpClient`'s own span. It also turns
 * off credentials, because with credentials `fetch` might send the request again after a 401, and fail because it can't
 * read the body twice. A body is never copied into a buffer, because a buffer could be sent twice.
 */
const quiet = Context.empty().pipe(
  Context.add(FetchHttpClient.RequestInit, { redirect: "manual", credentials: "omit" }),
  Context.add(FetchHttpClient.StreamBodyFallback, "error"),
  Context.add(HttpClient.TracerDisabledWhen, () => true),
  Context.add(HttpClient.TracerPropagationEnabled, false)
)

/** The error for a second read of an at-most-once body, which could mean a second delivery. */
class SecondRead extends Data.TaggedError("SecondRead") {
  override readonly message = "the request may be sent only once"
}

/** The progress of reading an at-most-once body. */
interface Reading {
  /** The number of times that reading was started. */
  begun: number
  /** Whether the body's bytes were read and may have been delivered. */
  isRead: boolean
}

/** Builds a request's body. For an at-most-once body, tracks whether it was read. */
const bodyOf = (
  { body, once }: Transport.Request
): { readonly httpBody: HttpBody.HttpBody; readonly reading: Reading } => {
  const reading: Reading = { begun: 0, isRead: false }
  if (body === undefined) return { httpBody: HttpBody.empty, reading }
  if (!once) return { httpBody: HttpBody.uint8Array(body, "application/json"), reading }
  const bytes = Stream.suspend(() => {
    reading.isRead = true
    return Stream.succeed(body)
  })
  const ahead = Array.from({ length: Delivery.readAhead }, () => Stream.succeed(Delivery.nothing))
  const whole = ahead.reduce((rest, chunk) => Stream.concat(chunk, rest), bytes)
  const stream = Stream.suspend(() => ++reading.begun === 1 ? whole : Stream.fail(new SecondRead()))
  return { httpBody: HttpBody.stream(stream, "application/json", body.byteLength), reading }
}

/** Builds the request in one step, because `HttpClientRequest.make` with options would build it twice. */
const toClientRequest = ({ body, headers, method, url }: Transport.Request, httpBody: HttpBody.HttpBody) =>
  HttpClientRequest.makeWith(
    method,
    url,
    UrlParams.empty,
    Option.none(),
    Headers.fromRecordUnsafe(
      // Effect's client over `fetch` removes `content-length`. Without this header a stream is sent in chunks, which
      // servers might refuse. A header with a capitalized name is not removed, and all other clients accept any case,
      // so the name is capitalized.
      body === undefined ? headers : { ...headers, "Content-Length": body.byteLength.toString() }
    ),
    httpBody
  )

/**
 * Reads the response's body as it arrives, up to the maximum size. If the rest is not read, the connection is closed.
 */
const readText = (
  response: HttpClientResponse.HttpClientResponse,
  request: Transport.Request
): Effect.Effect<string, HttpClientError.HttpClientError | Transport.SendFailed> =>
  Effect.suspend(() => {
    const decoder = new TextDecoder()
    let text = ""
    let size = 0
    return Stream.runForEachArray(response.stream, (chunks) => {
      for (const chunk of chunks) {
        size += chunk.byteLength
        if (size > request.maxAnswerBytes) return Effect.fail(Transport.tooLarge(response.status, request))
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

/** Decides whether an `HttpClient` failure proves that nothing was sent, depending on how much of the body was read. */
const toSendFailed = (
  error: HttpClientError.HttpClientError,
  { begun, isRead }: Reading
): Transport.SendFailed => {
  const { reason, why } = ConnectionFailure.ofError(error)
  if (begun > 1 && isRead) {
    return new Transport.SendFailed({
      proof: { kind: "resent" },
      reason: `the HttpClient tried to send the request a second time, which was refused: ${reason}`
    })
  }
  // A client that retries automatically may have delivered the body before it failed to connect.
  if (why === undefined || isRead) return new Transport.SendFailed({ proof: { kind: "lost" }, reason })
  // Byte arrays can always be encoded, and the stream was not read, so this error means that the client can't send
  // streams.
  const takesNoStream = error.reason._tag === "EncodeError"
  return new Transport.SendFailed({ proof: { kind: "not-sent", why }, reason: takesNoStream ? noStreams : reason })
}

const noStreams =
  "this runtime's fetch can't send a body that can be read only once, so it might deliver an order twice. "
  + "Provide another HttpClient, such as NodeHttpClient.layerUndici or NodeHttpClient.layerNodeHttp"

/**
 * Sends requests through an Effect `HttpClient`. Headers with secrets are redacted when printed.
 *
 * The body of an at-most-once request can be read only once, so no lower layer can send the request again: neither a
 * `fetch` after HTTP 421, nor a client that retries. Once the body was read, a failure to connect does not prove that
 * nothing was sent. `NodeHttpClient.layerNodeHttp` reads the body before it connects, so with that client an order that
 * can't be sent always ends in `OutcomeUnknown`.
 *
 * @category constructors
 */
export const make = (http: HttpClient.HttpClient): Transport.Transport["Service"] => ({
  send: (request) =>
    Effect.withFiber((fiber) => {
      const { httpBody, reading } = bodyOf(request)
      return Effect.flatMap(http.execute(toClientRequest(request, httpBody)), (response) =>
        Effect.map(readText(response, request), (text): Transport.Answer => ({
          status: response.status,
          headers: response.headers,
          text
        }))).pipe(
          Effect.mapError((error) =>
            error._tag === "SendFailed" ? error : toSendFailed(error, reading)
          ),
          Effect.timeoutOrElse({
            duration: request.timeout,
            orElse: () => Effect.fail(Transport.timedOut(request))
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
 * Sends requests through the context's `HttpClient`: see {@link make}. The transport is built for each use, so two
 * exchanges in one program can have different clients.
 *
 * @category layers
 */
export const layer: Layer.Layer<Transport.Transport, never, HttpClient.HttpClient> = Layer.fresh(
  Layer.effect(Transport.Transport, Effect.map(HttpClient.HttpClient, make))
)

/**
 * The sandbox without a socket: an `HttpClient` whose requests go to a venue in the same process.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as HttpClient from "effect/http/HttpClient"
 * import { InProcess, Sandbox } from "effect-txc/sandbox"
 *
 * const pong = Effect.gen(function*() {
 *   const response = yield* HttpClient.get(`${InProcess.baseUrl}/api/v4/public/ping`)
 *   return yield* response.json
 * }).pipe(Effect.provide(Sandbox.layer()))
 * ```
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Socket from "effect/socket/Socket"
import * as Stream from "effect/Stream"
import * as Dialer from "../../client/session/Dialer.ts"
import type { Answer, Request } from "../gateway/Message.ts"
import * as Streams from "../streams/Streams.ts"
import { Venue } from "../venue/Venue.ts"
import { type Backend, backendOf } from "./Backend.ts"
import * as ControlPlane from "./ControlPlane.ts"
import * as InProcessSocket from "./InProcessSocket.ts"
import * as Sockets from "./Sockets.ts"

/** The base URL for clients of the sandbox in the same process. No server listens at this address. */
export const baseUrl = "http://localhost"

/** The error that Node reports for a broken connection. */
const connectionReset = { code: "ECONNRESET", message: "the connection was reset" }

/** Reads the entire body. The client sends the body as a stream if the request must be delivered at most once. */
const bodyOf = (
  request: HttpClientRequest.HttpClientRequest
): Effect.Effect<Uint8Array, HttpClientError.HttpClientError> => {
  const { body } = request
  if (body._tag === "Uint8Array") return Effect.succeed(body.body)
  if (body._tag !== "Stream") return Effect.succeed(new Uint8Array())
  const failed = (cause: unknown) =>
    new HttpClientError.HttpClientError({ reason: new HttpClientError.EncodeError({ request, cause }) })
  return Stream.mkUint8Array(Stream.mapError(body.stream, failed))
}

const reset = (request: HttpClientRequest.HttpClientRequest) =>
  new HttpClientError.HttpClientError({
    reason: new HttpClientError.TransportError({ request, cause: connectionReset })
  })

/** The backend's response to a request, as an effect. */
const answerOf = (backend: Backend, request: Request): Effect.Effect<Answer> =>
  Effect.clockWith((clock) =>
    Effect.flatten(
      Effect.callback<Effect.Effect<Answer>>((resume) =>
        backend.receive(request, clock, (answer) =>
          resume(
            Effect.succeed(Effect.map(Effect.isEffect(answer) ? answer : Effect.succeed(answer), Sockets.decline))
          ))
      )
    )
  )

/**
 * An `HttpClient` whose requests go to a backend in the same process. Until the scope is closed, every request is
 * carried out, even if its caller no longer waits for the response.
 *
 * @category constructors
 */
export const make = (backend: Backend): Effect.Effect<HttpClient.HttpClient, never, Scope.Scope> =>
  Effect.map(Effect.scope, (scope) =>
    HttpClient.make((request, url) =>
      Effect.flatMap(bodyOf(request), (body) => {
        const headers = request.body._tag === "Uint8Array"
          ? { ...request.headers, "content-type": request.body.contentType }
          : request.headers
        const { method } = request
        const message = {
          method,
          path: url.pathname,
          query: url.search.slice(1),
          headers: { host: url.host, ...headers },
          body,
          from: "in-process"
        }
        const sent = Effect.forkIn(answerOf(backend, message), scope, { startImmediately: true })
        return Effect.flatMap(Effect.flatMap(sent, Fiber.join), (answer) => {
          if (answer._tag === "Reset") return Effect.fail(reset(request))
          const { headers, status } = answer
          const respond = (body: BodyInit) =>
            HttpClientResponse.fromWeb(request, new Response(method === "HEAD" ? null : body, { status, headers }))
          return answer._tag === "Answer"
            ? Effect.succeed(respond(answer.body))
            : Effect.map(Stream.toReadableStreamEffect(answer.body), respond)
        })
      })
    ))

/**
 * An `HttpClient` for the venue in the context. With a control token, the client also reaches the control plane, which
 * works as it does over HTTP but does not serve forks.
 *
 * @category layers
 */
export const layerWith = (
  { controlToken }: {
    /** The control plane's token. Without a token, the control plane is not served. */
    readonly controlToken?: string
  }
): Layer.Layer<HttpClient.HttpClient, never, Venue> =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.gen(function*() {
      const venue = yield* Venue
      const control = controlToken === undefined ? undefined : yield* ControlPlane.make(venue, { token: controlToken })
      return yield* make(backendOf(venue, control, Streams.none))
    })
  )

/**
 * Effect's `Socket` for the venue in the context, without a port. Each reader opens a new connection. The socket uses
 * the clock in the context, so that a test can drive the socket with `TestClock`. In the document's dialect, which has
 * no WebSocket, readers fail.
 *
 * @category layers
 */
export const layerSocket: Layer.Layer<Socket.Socket, never, Venue> = Layer.effect(
  Socket.Socket,
  Effect.gen(function*() {
    const venue = yield* Venue
    return yield* InProcessSocket.make(venue.dialect, yield* Streams.make(venue))
  })
)

/**
 * Connects an account's streams to the venue in the context, without a port. Each connection has its own `Socket`.
 *
 * @category layers
 */
export const layerDialer: Layer.Layer<Dialer.Dialer, never, Venue> = Layer.effect(
  Dialer.Dialer,
  Effect.gen(function*() {
    const venue = yield* Venue
    const streams = yield* Streams.make(venue)
    return { dial: InProcessSocket.make(venue.dialect, streams) }
  })
)

/**
 * An `HttpClient` for the venue in the context, without a control plane.
 *
 * @category layers
 */
export const layer: Layer.Layer<HttpClient.HttpClient, never, Venue> = layerWith({})

/**
 * The sandbox without a socket: an `HttpClient` whose every request a venue in the same process answers.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as ControlPlane from "../control/ControlPlane.ts"
import { Venue } from "../Venue.ts"

/** What a client of the sandbox in the same process uses as its base URL. Nothing listens there. */
export const baseUrl = "http://localhost"

/** The error of Node for a connection that breaks. */
const connectionReset = { code: "ECONNRESET", message: "the connection was reset" }

const bodyOf = (request: HttpClientRequest.HttpClientRequest): Uint8Array =>
  request.body._tag === "Uint8Array" ? request.body.body : new Uint8Array()

/**
 * With a control token the control plane answers too, as it does over HTTP; but it serves no forks.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerWith = (
  { controlToken }: { readonly controlToken?: string }
): Layer.Layer<HttpClient.HttpClient, never, Venue> =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.gen(function*() {
      const venue = yield* Venue
      const scope = yield* Effect.scope
      const control = controlToken === undefined ? undefined : yield* ControlPlane.make(venue, { token: controlToken })
      return HttpClient.make((request, url) => {
        const headers = request.body._tag === "Uint8Array"
          ? { ...request.headers, "content-type": request.body.contentType }
          : request.headers
        const { method } = request
        const message = {
          method,
          path: url.pathname,
          query: url.search.slice(1),
          headers,
          body: bodyOf(request),
          from: "in-process"
        }
        const isOwn = control !== undefined && control.isFor(message.path)
        const handled = isOwn ? control.handle(message) : venue.handle(message)
        // What was sent is on its way, whether or not its caller goes on waiting.
        const sent = Effect.forkIn(handled, scope, { startImmediately: true })
        return Effect.flatMap(Effect.flatMap(sent, Fiber.join), (answer) => {
          if (answer._tag === "Reset") {
            return Effect.fail(
              new HttpClientError.HttpClientError({
                reason: new HttpClientError.TransportError({ request, cause: connectionReset })
              })
            )
          }
          const { headers, status } = answer
          const respond = (body: BodyInit) =>
            HttpClientResponse.fromWeb(request, new Response(body, { status, headers }))
          return answer._tag === "Answer"
            ? Effect.succeed(respond(answer.body))
            : Effect.map(Stream.toReadableStreamEffect(answer.body), respond)
        })
      })
    })
  )

/**
 * The exchange and no control plane.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<HttpClient.HttpClient, never, Venue> = layerWith({})

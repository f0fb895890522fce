/**
 * The sandbox without a socket: an `HttpClient` whose every request a venue in the same process answers.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import { Venue } from "./Venue.ts"

/** What a client of the sandbox in the same process uses as its base URL. Nothing listens there. */
export const baseUrl = "http://localhost"

/** The error of Node for a connection that breaks. */
const connectionReset = { code: "ECONNRESET", message: "the connection was reset" }

const bodyOf = (request: HttpClientRequest.HttpClientRequest): Uint8Array =>
  request.body._tag === "Uint8Array" ? request.body.body : new Uint8Array()

/**
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<HttpClient.HttpClient, never, Venue> = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(Venue, (venue) =>
    HttpClient.make((request, url) => {
      const headers = request.body._tag === "Uint8Array"
        ? { ...request.headers, "content-type": request.body.contentType }
        : request.headers
      const { method } = request
      return Effect.flatMap(
        venue.handle({
          method,
          path: url.pathname,
          query: url.search.slice(1),
          headers,
          body: bodyOf(request),
          from: "in-process"
        }),
        (answer) =>
          answer._tag === "Answer"
            ? Effect.succeed(
              HttpClientResponse.fromWeb(
                request,
                new Response(answer.body, { status: answer.status, headers: answer.headers })
              )
            )
            : Effect.fail(
              new HttpClientError.HttpClientError({
                reason: new HttpClientError.TransportError({ request, cause: connectionReset })
              })
            )
      )
    }))
)

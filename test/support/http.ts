/** `HttpClient`s that record requests, or respond to them with a test's function. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

/** A request as the transport received it. */
export interface Sent {
  readonly method: string
  readonly url: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Uint8Array
  readonly body: string
}

/** Reads a body's bytes. A body that can be read only once is then consumed. */
export const bytesOf = ({ body }: HttpClientRequest.HttpClientRequest): Effect.Effect<Uint8Array> => {
  if (body._tag === "Uint8Array") return Effect.succeed(body.body)
  return body._tag === "Stream" ? Effect.orDie(Stream.mkUint8Array(body.stream)) : Effect.succeed(new Uint8Array())
}

export const toSent = (request: HttpClientRequest.HttpClientRequest, url: URL): Effect.Effect<Sent> =>
  Effect.map(bytesOf(request), (bytes) => ({
    method: request.method,
    url: url.href,
    path: url.pathname,
    headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value])),
    bytes,
    body: new TextDecoder().decode(bytes)
  }))

/** Returns the fields of a JSON body. */
export const fieldsOf = ({ body }: Pick<Sent, "body">): Readonly<Record<string, unknown>> =>
  JSON.parse(body) as Readonly<Record<string, unknown>>

/** All requests, in the order in which they were sent. */
export class Recorder extends Context.Service<Recorder, ReadonlyArray<Sent>>()("test/Recorder") {}

/** Adds a request to the recorded requests. */
export const note = (recorder: Recorder["Service"], sent: Sent): number => (recorder as Array<Sent>).push(sent)

/** The recorded requests that are signed. */
export const privateCalls = Recorder.use((sent) => Effect.sync(() => sent.filter(({ method }) => method === "POST")))

/** Records every request before the underlying client sends it. */
export const recording: Layer.Layer<HttpClient.HttpClient | Recorder, never, HttpClient.HttpClient> = Layer
  .effectContext(
    Effect.map(HttpClient.HttpClient, (http) => {
      const sent: Array<Sent> = []
      const client = HttpClient.make((request, url) =>
        Effect.flatMap(toSent(request, url), (noted) => {
          sent.push(noted)
          // The recorder has read the body, so the underlying client gets a copy.
          const body = request.body._tag === "Stream"
            ? HttpBody.uint8Array(noted.bytes, "application/json")
            : request.body
          const { hash, headers, method, urlParams } = request
          return http.execute(HttpClientRequest.makeWith(method, request.url, urlParams, hash, headers, body))
        })
      )
      return Context.make(HttpClient.HttpClient, client).pipe(Context.add(Recorder, sent))
    })
  )

/** Returns the response to a request, or `"lost"` to break the connection. `index` counts the requests from 0. */
export type Answering = (sent: Sent, index: number) => Response | "lost" | Effect.Effect<Response | "lost">

/** Responds to every request with a function, without network traffic. */
export const answering = (answer: Answering): Layer.Layer<HttpClient.HttpClient | Recorder> =>
  Layer.effectContext(Effect.sync(() => {
    const noted: Array<Sent> = []
    const client = HttpClient.make((request, url) =>
      Effect.flatMap(toSent(request, url), (sent) => {
        const answered = answer(sent, noted.push(sent) - 1)
        return Effect.flatMap(
          Effect.isEffect(answered) ? answered : Effect.succeed(answered),
          (response) =>
            response === "lost"
              ? Effect.fail(failure(request, { code: "ECONNRESET", message: "read ECONNRESET" }))
              : Effect.succeed(HttpClientResponse.fromWeb(request, response))
        )
      })
    )
    return Context.make(HttpClient.HttpClient, client).pipe(Context.add(Recorder, noted))
  }))

/** Creates a transport failure. */
export const failure = (
  request: HttpClientRequest.HttpClientRequest,
  cause: unknown
): HttpClientError.HttpClientError =>
  new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, cause }) })

/** Builds a JSON response. */
export const json = (status: number, body: unknown): Response =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } })

/** Builds the error response to a private call. */
export const refusal = (status: number, code: number, message: string, errors: unknown = {}): Response =>
  json(status, { code, message, errors })

/** Builds the response of a proxy that can't reach the exchange. */
export const html = (status: number): Response =>
  new Response(`<html><body><h1>${status}</h1></body></html>`, { status, headers: { "content-type": "text/html" } })

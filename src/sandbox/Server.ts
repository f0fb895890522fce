/**
 * The sandbox over HTTP.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Http from "node:http"
import * as ControlPlane from "./ControlPlane.ts"
import type { Answer } from "./Message.ts"
import { Venue } from "./Venue.ts"

/** The longest body that is read, in bytes. */
export const maxBody = 1024 * 1024

/**
 * The server can't listen there.
 *
 * @category errors
 * @since 0.1.0
 */
export class ListenFailed extends Schema.TaggedError<ListenFailed>()("ListenFailed", {
  host: Schema.String,
  port: Schema.Int,
  reason: Schema.String
}) {
  override get message(): string {
    return `Can't listen on ${this.host}:${this.port}: ${this.reason}`
  }
}

/**
 * - `host`: this machine only, unless said otherwise
 * - `port`: any free one, unless said otherwise
 * - `controlToken`: opens the control plane to whoever has it; without one there is no control plane
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  readonly host?: string
  readonly port?: number
  readonly controlToken?: string
}

const send = (response: Http.ServerResponse, answer: Answer): void => {
  if (answer._tag === "Reset") {
    // A reset, not an orderly end: the caller must not take it for a complete answer.
    response.socket?.resetAndDestroy()
    return
  }
  const body = Buffer.from(answer.body)
  response.writeHead(answer.status, { ...answer.headers, "content-length": body.length })
  response.end(body)
}

/**
 * Serves the venue until the scope is closed, and gives the address.
 *
 * @category constructors
 * @since 0.1.0
 */
export const serve = Effect.fnUntraced(function*(
  { controlToken, host = "127.0.0.1", port = 0 }: Options = {}
): Effect.fn.Return<{ readonly baseUrl: string }, ListenFailed, Venue | Scope.Scope> {
  const venue = yield* Venue
  const context = yield* Effect.context()
  const run = Effect.runCallbackWith(context)

  const answer = (request: Http.IncomingMessage, response: Http.ServerResponse, body: Uint8Array): void => {
    const [path = "/", ...query] = (request.url ?? "/").split("?")
    const message = {
      method: request.method ?? "GET",
      path,
      query: query.join("?"),
      headers: request.headers,
      body,
      from: request.socket.remoteAddress ?? ""
    }
    const controlled = controlToken === undefined ? undefined : ControlPlane.handle(venue, controlToken, message)
    run(controlled ?? venue.handle(message), {
      onExit: (exit) => send(response, Exit.isSuccess(exit) ? exit.value : { _tag: "Reset" })
    })
  }

  const tooLarge = (response: Http.ServerResponse): void => {
    const { code, message, status } = venue.dialect.refusals.bodyTooLarge
    response.writeHead(status, { "content-type": "application/json", connection: "close" })
    response.end(JSON.stringify({ code, message, errors: {} }))
  }

  const server = Http.createServer((request, response) => {
    const chunks: Array<Uint8Array> = []
    let size = 0
    request.on("data", (chunk: Uint8Array) => {
      size += chunk.length
      if (size <= maxBody) chunks.push(chunk)
      else if (!response.headersSent) tooLarge(response)
    })
    request.on("end", () => {
      if (size <= maxBody) answer(request, response, Buffer.concat(chunks))
    })
  })

  yield* Effect.acquireRelease(
    Effect.callback<void, ListenFailed>((resume) => {
      const onError = (error: Error) => resume(Effect.fail(new ListenFailed({ host, port, reason: error.message })))
      server.once("error", onError)
      server.listen(port, host, () => {
        server.off("error", onError)
        resume(Effect.void)
      })
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )
  const address = server.address()
  const bound = typeof address === "object" && address !== null ? address.port : port
  return { baseUrl: `http://${host.includes(":") ? `[${host}]` : host}:${bound}` }
})

/**
 * The sandbox over HTTP.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Http from "node:http"
import * as ControlPlane from "./ControlPlane.ts"
import type { Answer } from "./Message.ts"
import { refuse, Venue } from "./Venue.ts"

/** The longest body that is read, in bytes. */
export const maxBody = 1024 * 1024

/** How long a caller whose body is too long may go on sending after it was told so, in milliseconds. */
const lingering = 1000

/** The longest headers that are read, in bytes. The payload header holds the whole body of a signed call in Base64. */
const maxHeaders = 96 * 1024

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
 * - `requestTimeout`: how many milliseconds a request may take to arrive, 30 seconds unless said otherwise
 * - `controlToken`: opens the control plane to whoever has it; without one there is no control plane
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  readonly host?: string
  readonly port?: number
  readonly requestTimeout?: number
  readonly controlToken?: string
}

type Written = Extract<Answer, { readonly _tag: "Answer" }>

const write = (response: Http.ServerResponse, answer: Written, headers: Http.OutgoingHttpHeaders = {}): void => {
  const body = Buffer.from(answer.body)
  response.writeHead(answer.status, { ...answer.headers, ...headers, "content-length": body.length })
  response.write(body)
}

const send = (request: Http.IncomingMessage, response: Http.ServerResponse, answer: Answer): void => {
  // A fault may hold headers that HTTP has no form for.
  const isWritten = answer._tag === "Answer" && Result.isSuccess(Result.try(() => write(response, answer)))
  if (isWritten) response.end()
  // A reset, not an orderly end: the caller must not take it for a complete answer. The response has no socket while
  // it waits for the one before it.
  else request.socket.resetAndDestroy()
}

/** The target of a request as a path and a query. A caller may write the whole address. */
const targetOf = ({ url = "" }: Http.IncomingMessage): { readonly path: string; readonly query: string } => {
  const [path = "", ...query] = url.replace(/^https?:\/\/[^/?#]*/iu, "").split("?")
  return { path: path === "" ? "/" : path, query: query.join("?") }
}

/**
 * Serves the venue until the scope is closed, and gives the address.
 *
 * @category constructors
 * @since 0.1.0
 */
export const serve = Effect.fnUntraced(function*(
  { controlToken, host = "127.0.0.1", port = 0, requestTimeout = 30_000 }: Options = {}
): Effect.fn.Return<{ readonly baseUrl: string }, ListenFailed, Venue | Scope.Scope> {
  const venue = yield* Venue
  const context = yield* Effect.context()
  const run = Effect.runCallbackWith(context)

  const answer = (request: Http.IncomingMessage, response: Http.ServerResponse, body: Uint8Array): void => {
    const message = {
      method: request.method ?? "GET",
      ...targetOf(request),
      headers: request.headers,
      body,
      from: request.socket.remoteAddress ?? ""
    }
    const handled = Effect.suspend(() =>
      (controlToken === undefined ? undefined : ControlPlane.handle(venue, controlToken, message)) ??
        venue.handle(message)
    )
    run(handled, {
      onExit: (exit) => {
        if (Exit.isFailure(exit)) run(Effect.logError("A request could not be answered", exit.cause))
        send(request, response, Exit.isSuccess(exit) ? exit.value : { _tag: "Reset" })
      }
    })
  }

  const tooLarge = (request: Http.IncomingMessage, response: Http.ServerResponse): void => {
    write(response, refuse(venue.dialect, targetOf(request).path, "bodyTooLarge"), { connection: "close" })
    // To close at once would reset the connection of a caller that is still sending, who then never reads the answer.
    const closing = setTimeout(() => response.end(), lingering)
    request.on("end", () => response.end())
    response.on("close", () => clearTimeout(closing))
  }

  const timeouts = {
    requestTimeout,
    headersTimeout: requestTimeout,
    maxHeaderSize: maxHeaders,
    connectionsCheckingInterval: Math.ceil(requestTimeout / 10)
  }
  const server = Http.createServer(timeouts, (request, response) => {
    let chunks: Array<Uint8Array> = []
    let size = Number(request.headers["content-length"] ?? 0) > maxBody ? Infinity : 0
    if (size > maxBody) tooLarge(request, response)
    request.on("data", (chunk: Uint8Array) => {
      const wasShort = size <= maxBody
      size += chunk.length
      if (size <= maxBody) chunks.push(chunk)
      else if (wasShort) {
        chunks = []
        tooLarge(request, response)
      }
    })
    request.on("end", () => {
      if (size <= maxBody) answer(request, response, Buffer.concat(chunks))
    })
  })

  yield* Effect.acquireRelease(
    Effect.callback<void, ListenFailed>((resume) => {
      const onError = (error: Error) => resume(Effect.fail(new ListenFailed({ host, port, reason: error.message })))
      server.once("error", onError)
      const listen = Result.try(() => server.listen(port, host))
      // A port that is none is refused here already.
      if (Result.isFailure(listen)) return onError(listen.failure as Error)
      server.once("listening", () => {
        server.off("error", onError)
        // A connection that can't be accepted, because too many are open, is not the end of the others.
        server.on("error", (error) => run(Effect.logWarning(`A connection was not accepted: ${error.message}`)))
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

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
import * as Stream from "effect/Stream"
import * as Http from "node:http"
import type { Socket } from "node:net"
import { ControlRefused } from "../control/Control.ts"
import { type Forked, prefix } from "../control/ControlApi.ts"
import * as ControlPlane from "../control/ControlPlane.ts"
import { Venue } from "../Venue.ts"
import type { Answer } from "./Message.ts"
import * as Responses from "./Responses.ts"

/** The longest body that is read, in bytes. */
export const maxBody = 1024 * 1024

/** The longest body that is read of the owner of the sandbox, who may send a whole journal. */
const maxOwnBody = 256 * 1024 * 1024

/** So many bytes of bodies are kept at once, of all callers but the owner. Whoever comes then is told to come later. */
export const maxPending = 64 * 1024 * 1024

/**
 * The process takes less memory than this, in bytes, whatever callers send and however they read, as long as the journal
 * holds little: bodies, headers and answers that wait, what is remembered of calls, and the garbage that the runtime has
 * not collected yet.
 */
export const maxMemory = 1024 * 1024 * 1024

/** So many connections are open at once. */
export const maxConnections = 1024

/** So many calls of one connection, and of all together, wait for their answers. A connection with more is broken off. */
export const maxUnanswered = { ofOne: 64, ofAll: 1024 }

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
 * - `requestTimeout`: how many milliseconds a request may take to arrive, and its answer to be taken; 30 seconds unless
 *   said otherwise
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

/** A reset, not an orderly end: the caller must not take it for a complete answer. */
const reset = (request: Http.IncomingMessage): void => {
  // The response has no socket while it waits for the one before it.
  request.socket.resetAndDestroy()
}

/** The bytes of a body as they come, in one piece: a caller who sends them one by one takes no more room than others. */
class Body {
  private bytes: Uint8Array = new Uint8Array()
  private length = 0

  /** How much room it takes with so many more bytes. */
  roomWith(more: number): number {
    const length = this.length + more
    return length <= this.bytes.length ? this.bytes.length : Math.max(length, 2 * this.bytes.length)
  }

  get room(): number {
    return this.bytes.length
  }

  add(chunk: Uint8Array): void {
    const room = this.roomWith(chunk.length)
    if (room > this.bytes.length) {
      const grown = new Uint8Array(room)
      grown.set(this.whole)
      this.bytes = grown
    }
    this.bytes.set(chunk, this.length)
    this.length += chunk.length
  }

  get whole(): Uint8Array {
    return this.bytes.subarray(0, this.length)
  }
}

/** Writes a chunk, and waits until there is room for the next. */
const push = (response: Http.ServerResponse, chunk: Uint8Array): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const go = () => resume(Effect.void)
    if (response.write(chunk)) return go()
    response.once("drain", go)
    return Effect.sync(() => response.off("drain", go))
  })

const sendStream = (
  request: Http.IncomingMessage,
  response: Http.ServerResponse,
  { body, headers, status }: Extract<Answer, { readonly _tag: "Stream" }>
): Effect.Effect<void> =>
  Effect.suspend(() => {
    response.writeHead(status, headers)
    response.flushHeaders()
    return Effect.matchCause(Stream.runForEach(body, (chunk) => push(response, chunk)), {
      onSuccess: () => response.end(),
      onFailure: () => reset(request)
    })
  })

/** Sends an answer, which the caller must take within so many milliseconds. */
const send = (
  request: Http.IncomingMessage,
  response: Http.ServerResponse,
  answer: Exclude<Answer, { readonly _tag: "Stream" }>,
  within: number
): void => {
  // A fault may hold headers that HTTP has no form for.
  const isWritten = answer._tag === "Answer" && Result.isSuccess(Result.try(() => write(response, answer)))
  if (!isWritten) return reset(request)
  response.end()
  // Those that wait behind another have no socket yet, and go with the other.
  if (response.writableFinished || response.socket === null) return
  const givingUp = setTimeout(() => request.socket.destroy(), within)
  response.on("close", () => clearTimeout(givingUp))
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
  const serveFork = (forked: Venue["Service"]): Effect.Effect<Forked, ControlRefused, Scope.Scope> =>
    serve({ host, requestTimeout, ...(controlToken === undefined ? {} : { controlToken }) }).pipe(
      Effect.provideService(Venue, forked),
      Effect.map(({ baseUrl }) => ({ url: baseUrl, controlUrl: baseUrl + prefix })),
      Effect.mapError(({ reason }) => new ControlRefused({ action: "Fork", fields: { port: reason } }))
    )
  const control = controlToken === undefined
    ? undefined
    : yield* ControlPlane.make(venue, { token: controlToken, serve: serveFork })
  const context = yield* Effect.context()
  const run = Effect.runCallbackWith(context)

  /** What is to be let go of each connection's calls when it breaks: no answer that waits behind another is told. */
  const unanswered = new Map<Socket, Set<() => void>>()
  let unansweredOfAll = 0

  const answer = (
    request: Http.IncomingMessage,
    response: Http.ServerResponse,
    body: Uint8Array,
    whenGone: (letGo: () => void) => void
  ): void => {
    const message = {
      method: request.method ?? "GET",
      ...targetOf(request),
      headers: request.headers,
      body,
      from: request.socket.remoteAddress ?? ""
    }
    const handled = Effect.suspend(() =>
      control !== undefined && control.isFor(message.path) ? control.handle(message) : venue.handle(message)
    )
    run(handled, {
      onExit: (exit) => {
        if (Exit.isFailure(exit)) run(Effect.logError("A request could not be answered", exit.cause))
        const given: Answer = Exit.isSuccess(exit) ? exit.value : { _tag: "Reset" }
        if (given._tag !== "Stream") return send(request, response, given, requestTimeout)
        const stop = run(sendStream(request, response, given))
        whenGone(() => stop())
      }
    })
  }

  const turnAway = (
    request: Http.IncomingMessage,
    response: Http.ServerResponse,
    kind: "bodyTooLarge" | "unavailable"
  ): void => {
    write(response, Responses.refuse(venue.dialect, targetOf(request).path, kind), { connection: "close" })
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
  /** How many bytes of bodies are kept that have not been answered yet. */
  let pending = 0

  const server = Http.createServer(timeouts, (request, response) => {
    const { socket } = request
    const others = unanswered.get(socket)
    if (others === undefined || others.size >= maxUnanswered.ofOne || unansweredOfAll >= maxUnanswered.ofAll) {
      socket.destroy()
      return
    }
    const isOwn = control !== undefined && control.isFor(targetOf(request).path) && control.isOpenTo(request.headers)
    const most = isOwn ? maxOwnBody : maxBody
    let body: Body | undefined = new Body()
    let length = 0
    const release = () => {
      if (!isOwn) pending -= body?.room ?? 0
      body = undefined
    }
    let letGo = release
    const done = () => {
      if (!others.delete(done)) return
      unansweredOfAll--
      letGo()
    }
    others.add(done)
    unansweredOfAll++
    response.on("close", done)

    const refuseBody = (kind: "bodyTooLarge" | "unavailable") => {
      release()
      turnAway(request, response, kind)
    }
    if (Number(request.headers["content-length"] ?? 0) > most) refuseBody("bodyTooLarge")
    request.on("data", (chunk: Uint8Array) => {
      if (body === undefined) return
      length += chunk.length
      if (length > most) return refuseBody("bodyTooLarge")
      const more = body.roomWith(chunk.length) - body.room
      if (!isOwn && pending + more > maxPending) return refuseBody("unavailable")
      body.add(chunk)
      if (!isOwn) pending += more
    })
    request.on("end", () => {
      if (body === undefined) return
      answer(request, response, body.whole, (alsoLetGo) => {
        letGo = () => {
          release()
          alsoLetGo()
        }
        if (!others.has(done)) letGo()
      })
    })
  })
  server.on("connection", (socket) => {
    const calls = new Set<() => void>()
    unanswered.set(socket, calls)
    socket.on("close", () => {
      unanswered.delete(socket)
      for (const letGo of calls) letGo()
    })
  })
  server.maxConnections = maxConnections

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

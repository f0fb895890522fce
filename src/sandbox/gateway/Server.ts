/**
 * The sandbox over HTTP.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Example, Sandbox, Server } from "effect-txc/sandbox"
 *
 * // Serves the example world on port 8080 until the program is interrupted.
 * const program = Effect.gen(function*() {
 *   yield* Example.setUp
 *   const { baseUrl } = yield* Server.serve({ port: 8080 })
 *   yield* Effect.log(`The sandbox listens on ${baseUrl}`)
 *   return yield* Effect.never
 * }).pipe(Effect.scoped, Effect.provide(Sandbox.layer()))
 * ```
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Http from "node:http"
import { ControlRefused } from "../control/Control.ts"
import { prefix } from "../control/ControlApi.ts"
import * as ControlPlane from "../control/ControlPlane.ts"
import type { Place } from "../control/Forks.ts"
import * as Protocol from "../page/Protocol.ts"
import { Venue } from "../Venue.ts"
import * as Bodies from "./Bodies.ts"
import * as Bounds from "./Bounds.ts"
import * as Connections from "./Connections.ts"
import { type Answer, reset } from "./Message.ts"
import * as Responses from "./Responses.ts"
import * as Sending from "./Sending.ts"
import * as Turn from "./Turn.ts"

export {
  headersTimeout,
  maxBody,
  maxConnections,
  maxMemory,
  maxPending,
  maxPerCommand,
  maxUnanswered,
  shareOfAddress
} from "./Bounds.ts"

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
  /** The host that was asked for. */
  declare readonly host: string
  /** The port that was asked for. */
  declare readonly port: number
  /** Why it can't, in the system's words. */
  declare readonly reason: string
  override get message(): string {
    return `Can't listen on ${this.host}:${this.port}: ${this.reason}`
  }
}

/**
 * How to serve a venue.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** The address to listen on; `127.0.0.1` by default, which only this machine reaches. */
  readonly host?: string
  /** The port to listen on; any free one by default. */
  readonly port?: number
  /** How long a request may take to arrive, and its answer to be taken, in milliseconds; 30000 by default. */
  readonly requestTimeout?: number
  /**
   * How long the headers of a request may take to arrive, in milliseconds; 10000 by default, and no longer than the
   * request.
   */
  readonly headersTimeout?: number
  /** The token of the control plane. Without one there is no control plane. */
  readonly controlToken?: string
}

/** What answers requests. */
interface Service {
  readonly venue: Venue["Service"]
  readonly clock: Clock.Clock
  readonly control: ControlPlane.ControlPlane | undefined
  readonly requestTimeout: number
  readonly headersTimeout: number
  readonly run: <A>(
    effect: Effect.Effect<A>,
    options?: { readonly onExit: (exit: Exit.Exit<A>) => void }
  ) => () => void
}

/** The target of a request as a path and a query. A caller may write a whole URL. */
const targetOf = ({ url = "" }: Http.IncomingMessage): { readonly path: string; readonly query: string } => {
  if (url.startsWith("/") && !url.includes("?")) return { path: url, query: "" }
  const [path = "", ...query] = url.replace(/^https?:\/\/[^/?#]*/iu, "").split("?")
  return { path: path === "" ? "/" : path, query: query.join("?") }
}

/** Whether a request is the owner's: one to the control plane, with its token. */
const isOwners = ({ control }: Service, request: Http.IncomingMessage): boolean =>
  control !== undefined && control.isFor(targetOf(request).path) && control.isOpenTo(request.headers)

const answer = (
  { clock, control, requestTimeout, run, venue }: Service,
  request: Http.IncomingMessage,
  response: Http.ServerResponse,
  body: Uint8Array,
  call: Connections.UnansweredCall
): void => {
  const { path, query } = targetOf(request)
  const { headers, method = "GET", socket } = request
  const message = { method, path, query, headers, body, from: socket.remoteAddress ?? "" }
  const send = (given: Answer): void => {
    if (given._tag !== "Stream") return Sending.send(request, response, given, requestTimeout)
    const interrupt = run(Sending.sendStream(request, response, given))
    call.whenDone(() => interrupt())
  }
  const sendWhenDone = (answer: Effect.Effect<Answer>): void => {
    run(answer, {
      onExit: (exit) => {
        if (Exit.isFailure(exit)) run(Effect.logError("A request could not be answered", exit.cause))
        send(Exit.isSuccess(exit) ? exit.value : reset)
      }
    })
  }
  const protocol = Protocol.answer(message, venue.dialect)
  if (protocol !== undefined) return send(protocol)
  if (control?.isFor(path) === true) sendWhenDone(control.handle(message))
  else venue.receive(message, clock, (answer) => Effect.isEffect(answer) ? sendWhenDone(answer) : send(answer))
}

const listener = (service: Service, connections: Connections.Connections): Http.RequestListener => {
  const bodies = Bodies.make()
  const later = Turn.make()
  return (request, response) => {
    const call = connections.begin(request, response)
    if (call === undefined) {
      request.socket.destroy()
      return
    }
    const release = bodies.receive(request, isOwners(service, request), {
      onReceived: (body) => later(() => answer(service, request, response, body, call)),
      onRefused: (kind) =>
        Sending.turnAway(request, response, Responses.refuse(service.venue.dialect, targetOf(request).path, kind))
    })
    call.whenDone(release)
  }
}

const createServer = (service: Service): Http.Server => {
  const { headersTimeout, requestTimeout } = service
  const connections = Connections.make()
  const options = {
    requestTimeout,
    headersTimeout,
    maxHeaderSize: Bounds.maxHeaders,
    connectionsCheckingInterval: Math.ceil(headersTimeout / 10)
  }
  const server = Http.createServer(options, listener(service, connections))
  server.on("connection", connections.open)
  return server
}

const listen = (server: Http.Server, host: string, port: number, { run }: Service) =>
  Effect.callback<void, ListenFailed>((resume) => {
    const onError = (error: Error) => resume(Effect.fail(new ListenFailed({ host, port, reason: error.message })))
    server.once("error", onError)
    // Node refuses an invalid port at once.
    const listening = Result.try(() => server.listen(port, host))
    if (Result.isFailure(listening)) return onError(listening.failure as Error)
    server.once("listening", () => {
      server.off("error", onError)
      // A connection can't be accepted while too many are open. The others go on.
      server.on("error", (error) => run(Effect.logWarning(`A connection was not accepted: ${error.message}`)))
      resume(Effect.void)
    })
  })

const close = (server: Http.Server): Effect.Effect<void> =>
  Effect.callback((resume) => {
    server.close(() => resume(Effect.void))
    server.closeAllConnections()
  })

const baseUrlOf = (server: Http.Server, host: string, port: number): string => {
  const address = server.address()
  const bound = typeof address === "object" && address !== null ? address.port : port
  return `http://${host.includes(":") ? `[${host}]` : host}:${bound}`
}

/**
 * A venue that is served over HTTP.
 *
 * @category models
 * @since 0.1.0
 */
export interface Served {
  /** The base URL to call, such as `http://127.0.0.1:8080`. */
  readonly baseUrl: string
}

/**
 * Serves the venue in the context until the scope is closed, and gives the base URL.
 *
 * @category constructors
 * @since 0.1.0
 */
export const serve = Effect.fnUntraced(function*(
  { controlToken, headersTimeout = Bounds.headersTimeout, host = "127.0.0.1", port = 0, requestTimeout = 30_000 }:
    Options = {}
): Effect.fn.Return<Served, ListenFailed, Venue | Scope.Scope> {
  const venue = yield* Venue
  const serveFork = (forked: Venue["Service"]): Effect.Effect<Place, ControlRefused, Scope.Scope> =>
    serve({ host, requestTimeout, headersTimeout, ...(controlToken === undefined ? {} : { controlToken }) }).pipe(
      Effect.provideService(Venue, forked),
      Effect.map(({ baseUrl }) => ({ url: baseUrl, controlUrl: baseUrl + prefix })),
      Effect.mapError(({ reason }) => new ControlRefused({ action: "Fork", fields: { port: reason } }))
    )
  const control = controlToken === undefined
    ? undefined
    : yield* ControlPlane.make(venue, { token: controlToken, serve: serveFork })
  const run = Effect.runCallbackWith(yield* Effect.context())
  const service: Service = {
    venue,
    clock: yield* Clock.Clock,
    control,
    requestTimeout,
    headersTimeout: Math.min(headersTimeout, requestTimeout),
    run
  }
  const server = createServer(service)
  yield* Effect.acquireRelease(listen(server, host, port, service), () => close(server))
  return { baseUrl: baseUrlOf(server, host, port) }
})

/** An HTTP server that enforces the limits of `Bounds`, passes requests to a backend, and sends the responses. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Http from "node:http"
import type { AddressInfo } from "node:net"
import type { Duplex } from "node:stream"
import * as Signature from "../../protocol/Signature.ts"
import { type Head, header, type Outcome, type Request, reset } from "../gateway/Message.ts"
import type { Backend } from "./Backend.ts"
import * as Bodies from "./Bodies.ts"
import * as Bounds from "./Bounds.ts"
import * as Connections from "./Connections.ts"
import * as EndOfTurn from "./EndOfTurn.ts"
import * as InProgress from "./InProgress.ts"
import * as Names from "./Names.ts"
import * as Refusal from "./Refusal.ts"
import * as Sending from "./Sending.ts"
import * as Sockets from "./Sockets.ts"
import * as Upgrades from "./Upgrades.ts"
import * as WebSockets from "./WebSockets.ts"

/** The server can't listen on this address. */
export class ListenFailed extends Schema.TaggedError<ListenFailed>()("ListenFailed", {
  host: Schema.String,
  port: Schema.Int,
  reason: Schema.String
}) {
  /** The requested host. */
  declare readonly host: string
  /** The requested port. */
  declare readonly port: number
  /** The operating system's error message. */
  declare readonly reason: string
  override get message(): string {
    return `Can't listen on ${this.host}:${this.port}: ${this.reason}`
  }
}

/** The server's options: its address, accepted names, timeouts and limits. */
export interface Options {
  /** The address to listen on; `127.0.0.1` by default, which only this machine can reach. */
  readonly host?: string
  /** The port to listen on; any free port by default. */
  readonly port?: number
  /**
   * The names at which callers reach the server, such as `sandbox` or `exchange.example.com`, in addition to loopback
   * names and the address that it listens on. Requests for any other name are refused with 421, so that a web page
   * whose DNS name resolves to this machine can't call the server. Requests from pages on any other host are refused
   * with 403.
   */
  readonly allowHosts?: ReadonlyArray<string>
  /**
   * The time limit for a request to arrive, and again for the caller to read the response, in milliseconds; 30000 by
   * default.
   */
  readonly requestTimeout?: number
  /**
   * The time limit for the headers of a request to arrive, in milliseconds; 10000 by default, and never more than
   * `requestTimeout`.
   */
  readonly headersTimeout?: number
  /**
   * The time that calls in progress get to finish when the server stops, in milliseconds. With 0, the default, their
   * connections are broken immediately. Feeds always end immediately.
   */
  readonly drainTimeout?: number
}

/** The limits that all servers of a process share: connections, calls, memory for bodies, and WebSockets. */
export interface Shared {
  /** The connections, and the calls in progress on them. */
  readonly connections: Connections.Connections
  /** The calls in progress, limited per venue and per caller. */
  readonly calls: InProgress.InProgress
  /** The request bodies in memory. */
  readonly bodies: Bodies.Bodies
  /** The WebSockets, and the bytes that wait for their clients. */
  readonly webSockets: WebSockets.WebSockets
}

/** Creates the limits that servers share. */
export const share = (): Shared => ({
  connections: Connections.make(),
  calls: InProgress.make(),
  bodies: Bodies.make(),
  webSockets: WebSockets.make()
})

interface Service {
  readonly backend: Backend
  readonly names: Names.Names
  readonly clock: Clock.Clock
  readonly requestTimeout: number
  readonly headersTimeout: number
  /** The feeds that are being sent. They never end by themselves, so the server ends them when it stops. */
  readonly feeds: Set<Http.ServerResponse>
  /** The connections that became WebSockets. */
  readonly sockets: Set<Duplex>
  /** Whether the server has stopped accepting connections. */
  isStopping: boolean
  readonly run: <A>(
    effect: Effect.Effect<A>,
    options?: { readonly onExit: (exit: Exit.Exit<A>) => void }
  ) => () => void
}

const origin = /^https?:\/\/(?:[^/?#@]*@)?([^/?#]*)/iu

/** The head of a request. A caller can send an absolute URL, whose host then overrides the `Host` header. */
const headOf = ({ headers, method = "GET", socket, url = "" }: Http.IncomingMessage): Head => {
  const from = socket.remoteAddress ?? ""
  if (url.startsWith("/") && !url.includes("?")) return { method, path: url, query: "", headers, from }
  const host = origin.exec(url)?.[1]
  const [path = "", ...query] = url.replace(origin, "").split("?")
  return {
    method,
    path: path === "" ? "/" : path,
    query: query.join("?"),
    headers: host === undefined ? headers : { ...headers, host },
    from
  }
}

/** Closes the connection after this response. */
const makeLast = (response: Http.ServerResponse): void => {
  response.setHeader("connection", "close")
}

/** Identifies a caller of a venue: by its key, or by its address if the call has no key. */
const callerOf = (head: Head): string => header(head, Signature.headers.apiKey) || head.from

const unbounded = () => undefined

/** Asks the backend for the outcome of a request. */
const ask = ({ backend, clock, run }: Service, message: Request, resume: (outcome: Outcome) => void): void =>
  backend.receive(message, clock, (given) => {
    if (!Effect.isEffect(given)) return resume(given)
    run(given, {
      onExit: (exit) => {
        if (Exit.isFailure(exit)) run(Effect.logError("A request failed unexpectedly", exit.cause))
        resume(Exit.isSuccess(exit) ? exit.value : reset)
      }
    })
  })

const answer = (
  service: Service,
  release: () => void,
  request: Http.IncomingMessage,
  response: Http.ServerResponse,
  message: Request,
  call: Connections.UnansweredCall
): void => {
  const { requestTimeout, run } = service
  ask(service, message, (outcome) => {
    const given = Sockets.decline(outcome)
    release()
    if (service.isStopping) makeLast(response)
    if (given._tag !== "Stream") return Sending.send(request, response, given, requestTimeout)
    const interrupt = run(Sending.sendStream(request, response, given))
    call.whenDone(() => interrupt())
    if (given.headers["content-type"]?.startsWith("text/event-stream") !== true) return
    call.answered()
    service.feeds.add(response)
    call.whenDone(() => service.feeds.delete(response))
    if (service.isStopping) response.destroy()
  })
}

const noBody = new Uint8Array()

/** Returns a function that handles a request to upgrade its connection. */
const upgrader = (
  service: Service,
  { connections, webSockets }: Shared
): (request: Http.IncomingMessage, socket: Duplex, early: Buffer) => void =>
(request, socket, early) => {
  const { names, sockets } = service
  if (service.isStopping) return void socket.destroy()
  sockets.add(socket)
  socket.on("close", () => sockets.delete(socket))
  Upgrades.begin(headOf(request), socket, early, {
    refusal: names.refusal,
    admit: (head) => {
      const refused = webSockets.open(socket, head)
      if (refused === undefined) connections.upgraded(request.socket)
      return refused
    },
    wrote: webSockets.wrote,
    receive: (head, resume) => ask(service, { ...head, body: noBody }, resume)
  })
}

const listener = (service: Service, { bodies, calls, connections }: Shared): Http.RequestListener => {
  const later = EndOfTurn.make()
  const { backend, names, requestTimeout } = service
  return (request, response) => {
    const call = connections.begin(request, response)
    if (call === undefined) {
      request.socket.destroy()
      return
    }
    const head = headOf(request)
    const refusal = names.refusal(head) ?? (call.isAdmitted ? undefined : Refusal.overloaded(head.path))
    if (refusal !== undefined) {
      request.resume()
      return Sending.turnAway(request, response, refusal)
    }
    const isOwner = backend.isOwners(head)
    const freeBody = bodies.receive(request, isOwner, {
      onReceived: (body) => {
        call.received()
        const venue = isOwner ? undefined : backend.venueOf(head)
        const release = venue === undefined ? unbounded : calls.begin(venue, callerOf(head))
        if (release === undefined) {
          return Sending.send(request, response, Refusal.overloaded(head.path), requestTimeout)
        }
        // The caller might disconnect before the response is ready.
        call.whenDone(release)
        later(() => answer(service, release, request, response, { ...head, body }, call))
      },
      onRefused: (kind) =>
        Sending.turnAway(
          request,
          response,
          kind === "unavailable" ? Refusal.overloaded(head.path) : backend.refuse(head)
        )
    })
    call.whenDone(freeBody)
  }
}

const createServer = (service: Service, shared: Shared): Http.Server => {
  const { headersTimeout, requestTimeout } = service
  const options = {
    requestTimeout,
    headersTimeout,
    maxHeaderSize: Bounds.maxHeaders,
    connectionsCheckingInterval: Math.ceil(headersTimeout / 10),
    // Requests to upgrade to anything other than a WebSocket are handled as ordinary requests. Node 22 does not have
    // this option.
    shouldUpgradeCallback: (request: Http.IncomingMessage) => Sockets.isUpgrade(headOf(request))
  }
  const server = Http.createServer(options, listener(service, shared))
  server.on("connection", shared.connections.open)
  server.on("upgrade", upgrader(service, shared))
  return server
}

const open = (server: Http.Server, host: string, port: number, { run }: Service) =>
  Effect.callback<void, ListenFailed>((resume) => {
    const onError = (error: Error) => resume(Effect.fail(new ListenFailed({ host, port, reason: error.message })))
    server.once("error", onError)
    // Node throws synchronously if the port is invalid.
    const listening = Result.try(() => server.listen(port, host))
    if (Result.isFailure(listening)) return onError(listening.failure as Error)
    server.once("listening", () => {
      server.off("error", onError)
      // Accepting a connection fails if the process has too many open files. Open connections are not affected.
      server.on("error", (error) => run(Effect.logWarning(`Could not accept a connection: ${error.message}`)))
      resume(Effect.void)
    })
  })

/**
 * Accepts no new connections, ends feeds and WebSockets, and waits at most `drainTimeout` milliseconds for calls in
 * progress.
 */
const close = (server: Http.Server, service: Service, drainTimeout: number): Effect.Effect<void> => {
  const drained = Effect.callback<void>((resume) => {
    server.close(() => resume(Effect.void))
    service.isStopping = true
    for (const feed of service.feeds) feed.destroy()
    for (const socket of service.sockets) socket.destroy()
    if (drainTimeout === 0) server.closeAllConnections()
  })
  const closeAll = Effect.sync(() => server.closeAllConnections())
  return drainTimeout === 0 ? drained : Effect.andThen(Effect.timeoutOption(drained, drainTimeout), closeAll)
}

/** The address and port that a server listens on; `undefined` if the server is not listening. */
const boundTo = (server: Http.Server): AddressInfo | undefined => {
  const address = server.address()
  return typeof address === "object" && address !== null ? address : undefined
}

const baseUrlOf = (server: Http.Server, host: string, port: number): string =>
  `http://${host.includes(":") ? `[${host}]` : host}:${boundTo(server)?.port ?? port}`

/** Listens until the scope is closed, and returns the base URL, such as `http://127.0.0.1:8080`. */
export const listen = Effect.fnUntraced(function*(
  {
    allowHosts = [],
    drainTimeout = 0,
    headersTimeout = Bounds.headersTimeout,
    host = "127.0.0.1",
    port = 0,
    requestTimeout = 30_000
  }: Options,
  backend: Backend,
  shared: Shared = share()
): Effect.fn.Return<string, ListenFailed, Scope.Scope> {
  const service: Service = {
    backend,
    // The address is read only after the server has begun to listen.
    names: Names.make(host, () => boundTo(server)?.address, allowHosts),
    clock: yield* Clock.Clock,
    requestTimeout,
    headersTimeout: Math.min(headersTimeout, requestTimeout),
    feeds: new Set(),
    sockets: new Set(),
    isStopping: false,
    run: Effect.runCallbackWith(yield* Effect.context())
  }
  const server: Http.Server = createServer(service, shared)
  yield* Effect.acquireRelease(open(server, host, port, service), () => close(server, service, drainTimeout))
  return baseUrlOf(server, host, port)
})

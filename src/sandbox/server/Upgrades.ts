/** Turns an HTTP connection into a WebSocket. */
import * as Result from "effect/Result"
import * as Http from "node:http"
import type { Duplex } from "node:stream"
import { type Head, header, type Outcome, type Written } from "../gateway/Message.ts"
import { closeCode, type Connect } from "../gateway/Socket.ts"
import * as Bounds from "../streams/Bounds.ts"
import * as Refusal from "./Refusal.ts"
import * as Sockets from "./Sockets.ts"
import * as WebSocketFrames from "./WebSocketFrames.ts"

const reasonOf = (status: number): string => Http.STATUS_CODES[status] ?? "Refused"

/** Writes a response directly to the socket and closes the connection. An upgrade has no response object. */
const refuse = (socket: Duplex, { body, headers, status }: Written): void => {
  const head = { ...headers, "content-length": Buffer.byteLength(body), connection: "close" }
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}`)
  socket.end([`HTTP/1.1 ${status} ${reasonOf(status)}`, ...lines, "", body].join("\r\n"))
}

const badRequest = (path: string, message: string): Written => Refusal.make(path, 400, "BadUpgrade", message)

/** The reason why no exchange can accept this request as a WebSocket; `undefined` if the request is valid. */
const refusalOf = (head: Head): Written | undefined => {
  if (!Sockets.isUpgrade(head)) {
    return badRequest(
      head.path,
      "Only the path /ws can be upgraded, and only to a WebSocket. Send other requests without the header Upgrade"
    )
  }
  if (head.method !== "GET") return badRequest(head.path, "A WebSocket handshake must use the method GET")
  if (header(head, "sec-websocket-version") !== "13") {
    return {
      ...badRequest(head.path, "The WebSocket version must be 13"),
      status: 426,
      headers: { "content-type": "application/json", upgrade: "websocket", "sec-websocket-version": "13" }
    }
  }
  return WebSocketFrames.isKey(header(head, "sec-websocket-key"))
    ? undefined
    : badRequest(head.path, "Sec-WebSocket-Key must be sixteen bytes in Base64")
}

/** The time in which a client must reply to a close frame or read the last bytes, in milliseconds. */
export const lingering = 1000

/** Sends a close frame, and lets the client read it before the connection breaks. */
const close = (socket: Duplex): void => {
  socket.end(WebSocketFrames.close(WebSocketFrames.codeOf(closeCode)))
  linger(socket)
}

/** Lets the client read the bytes already written before the connection breaks. */
const linger = (socket: Duplex): void => {
  const timer = setTimeout(() => socket.destroy(), lingering)
  socket.on("close", () => clearTimeout(timer))
}

/** Carries messages between a client's socket and the exchange, after the response to the client's handshake. */
export const carry = (
  socket: Duplex,
  early: Buffer,
  head: Head,
  connect: Connect,
  wrote: Upgrade["wrote"] = () => undefined
): void => {
  const write = (frame: Buffer): void => {
    socket.write(frame)
    wrote(frame.length)
  }
  const connected = connect({
    from: head.from,
    send: (text) => write(WebSocketFrames.message(text)),
    end: (ending) => ending === "closed" ? close(socket) : socket.destroy(),
    waiting: () => socket.writableLength
  })
  if (Result.isFailure(connected)) return refuse(socket, Sockets.refusal(head.path, connected.failure))
  const client = connected.success
  socket.write(WebSocketFrames.accept(header(head, "sec-websocket-key")))
  const reader = new WebSocketFrames.Reader(Bounds.maxMessage)
  const read = (chunk: Buffer): void => {
    for (const received of reader.read(chunk)) {
      if (socket.destroyed) return
      client.heard()
      if (received._tag === "Message") client.receive(received.text)
      else if (received._tag === "Invalid") client.end()
      else if (received._tag === "Ping" && client.pinged()) write(WebSocketFrames.pong(received.payload))
      else if (received._tag === "Close") {
        // The exchange may have closed the connection first.
        if (socket.writableEnded) socket.destroy()
        else socket.end(WebSocketFrames.close(received.payload), () => client.end())
        return
      }
    }
    // A client that reads nothing must not fill the memory with replies to its pings.
    if (socket.writableLength > Bounds.maxWaiting) client.end()
  }
  // The client may have left while the venue was waking up.
  if (socket.destroyed) return client.end()
  socket.on("close", client.end)
  // A WebSocket is never half-closed: a client that has stopped sending has left.
  socket.on("end", client.end)
  socket.on("data", read)
  if (early.length > 0) read(early)
}

/**
 * Passes bytes between a client's socket and the process that serves it. If either connection closes, the other is
 * closed too.
 */
const join = (socket: Duplex, early: Buffer, far: Duplex): void => {
  // Either connection may have closed while the venue was waking up.
  if (far.destroyed) return void socket.destroy()
  if (socket.destroyed) return void far.destroy()
  socket.on("close", () => far.destroy())
  // The last bytes, such as a close frame, might still be waiting for a slow client.
  far.on("close", () => far.readableEnded ? linger(socket) : socket.destroy())
  if (early.length > 0) far.write(early)
  socket.pipe(far)
  far.pipe(socket)
}

/** The steps of an upgrade that the HTTP server provides. */
export interface Upgrade {
  /** The server's own refusal; `undefined` if the server accepts the request. */
  readonly refusal: (head: Head) => Written | undefined
  /** The refusal of a valid request when there are too many WebSockets; `undefined` if there is room. */
  readonly admit: (head: Head) => Written | undefined
  /** Records that bytes were written to the client. */
  readonly wrote: (bytes: number) => void
  /** Asks the backend for the outcome of the request. */
  readonly receive: (head: Head, resume: (outcome: Outcome) => void) => void
}

/**
 * Handles a request to upgrade a connection. `early` contains the bytes that have already arrived after the request.
 */
export const begin = (head: Head, socket: Duplex, early: Buffer, { admit, receive, refusal, wrote }: Upgrade): void => {
  // A broken connection is closed, because no response would reach its client.
  socket.on("error", () => socket.destroy())
  const refused = refusal(head) ?? refusalOf(head) ?? admit(head)
  if (refused !== undefined) return refuse(socket, refused)
  receive(head, (outcome) => {
    if (outcome._tag === "Upgraded") carry(socket, early, head, outcome.connect, wrote)
    else if (outcome._tag === "Tunneled") join(socket, early, outcome.far)
    else if (outcome._tag === "Answer") refuse(socket, outcome)
    // No venue streams a response at this path.
    else socket.destroy()
  })
}

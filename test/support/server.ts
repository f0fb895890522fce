/** Local servers for tests, with real sockets and responses that no well-behaved server sends. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Http from "node:http"
import * as Net from "node:net"
import { threadId } from "node:worker_threads"

/** A request as received from the socket. */
export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: Http.IncomingHttpHeaders
  readonly body: Buffer
}

const listen = (server: Net.Server) =>
  Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed((server.address() as Net.AddressInfo).port)))
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
      })
  )

/** Serves requests with `answer` until the scope is closed, and records the received requests. */
export const serving = Effect.fnUntraced(function*(
  answer: (response: Http.ServerResponse, received: Received) => void
) {
  const received: Array<Received> = []
  const server = Http.createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const { headers, method = "", url = "" } = request
      const got = { method, path: url, headers, body: Buffer.concat(chunks) }
      received.push(got)
      answer(response, got)
    })
  })
  const port = yield* listen(server)
  yield* Effect.addFinalizer(() => Effect.sync(() => server.closeAllConnections()))
  return { baseUrl: `http://127.0.0.1:${port}`, port, received }
})

let lastPort = process.pid * 97 + threadId * 1009

/**
 * A port on which nothing listens. The port is below the range from which the system assigns client ports, so no other
 * program's connection can take the port before a server does.
 */
export const closedPort: Effect.Effect<number> = Effect.callback<number>((resume) => {
  const look = (): void => {
    const port = 10_000 + ++lastPort % 22_000
    const server = Net.createServer()
    server.on("error", look)
    server.listen(port, "127.0.0.1", () => server.close(() => resume(Effect.succeed(port))))
  }
  look()
})

/**
 * A port that refuses connections until the scope is closed. A client socket occupies the port, so that no other
 * program can listen on it, as could happen with `closedPort`.
 */
export const refusingPort = Effect.gen(function*() {
  const to = yield* listen(Net.createServer((socket) => socket.on("error", () => {}).resume()))
  const socket = yield* Effect.acquireRelease(
    Effect.callback<Net.Socket>((resume) => {
      const socket = Net.connect(to, "127.0.0.1", () => resume(Effect.succeed(socket)))
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )
  return socket.localPort ?? assert.fail("the socket has no port")
})

/** Checks whether a server listens at the URL. */
export const listens = (url: string): Effect.Effect<boolean> =>
  Effect.callback((resume) => {
    const { hostname, port } = new URL(url)
    const socket = Net.connect(Number(port), hostname)
    socket.on("connect", () => {
      socket.destroy()
      resume(Effect.succeed(true))
    })
    socket.on("error", () => resume(Effect.succeed(false)))
  })

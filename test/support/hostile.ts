/** Hostile callers and servers: the bytes that they send, and the checks after an attack. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as Http from "node:http"
import * as Net from "node:net"
import type { Dialect } from "../../src/protocol/Dialect.ts"
import * as Ledger from "../../src/sandbox/engine/Ledger.ts"
import * as Saved from "../../src/sandbox/engine/Saved.ts"
import type { Request } from "../../src/sandbox/gateway/Message.ts"
import { Venue } from "../../src/sandbox/venue/Venue.ts"
import { until } from "./clock.ts"
import { bob } from "./exchange.ts"
import { handle, signed } from "./signed.ts"

// -----------------------------------------------------------------------------
// Bytes on a socket
// -----------------------------------------------------------------------------

const portOf = (baseUrl: string): number => Number(new URL(baseUrl).port)

/**
 * Writes exactly these bytes. Returns all bytes received until the other side closes the connection. The test fails if
 * the other side does not close the connection.
 */
export const say = (
  baseUrl: string,
  bytes: string | Uint8Array,
  options: { readonly end?: boolean } = {}
): Effect.Effect<string> =>
  Effect.callback<string>((resume) => {
    const chunks: Array<Buffer> = []
    const socket = Net.connect({ port: portOf(baseUrl), host: "127.0.0.1", allowHalfOpen: true }, () => {
      if (options.end === true) socket.end(bytes)
      else socket.write(bytes)
    })
    socket.on("data", (chunk) => chunks.push(chunk))
    socket.on("error", () => {})
    socket.on("end", () => socket.end())
    socket.on("close", () => resume(Effect.succeed(Buffer.concat(chunks).toString("latin1"))))
    return Effect.sync(() => socket.destroy())
  }).pipe(
    Effect.timeoutOrElse({
      duration: "2 minutes",
      orElse: () => Effect.sync(() => assert.fail("the server did not close the connection"))
    })
  )

/** Returns the statuses of the received responses, in the order in which they arrived. */
export const statuses = (said: string): ReadonlyArray<number> =>
  [...said.matchAll(/HTTP\/1\.1 (\d{3})/gu)].map(([, status]) => Number(status))

/** Returns the body of the last response. */
export const lastBody = (said: string): string => said.slice(said.lastIndexOf("\r\n\r\n") + 4)

/** Formats a request as bytes. Headers are pairs, so that a name can be repeated. */
export const raw = (
  line: string,
  headers: ReadonlyArray<readonly [name: string, value: string]> = [],
  body: Uint8Array | string = ""
): Buffer =>
  Buffer.concat([
    Buffer.from([line, "host: localhost", ...headers.map(([name, value]) => `${name}: ${value}`), "", ""].join("\r\n")),
    Buffer.from(body)
  ])

/** Returns a request's headers as pairs. */
export const pairs = ({ headers }: Pick<Request, "headers">): ReadonlyArray<readonly [string, string]> =>
  Object.entries(headers).map(([name, value]) => [name, String(value)])

/** Formats a request as bytes, with its length and `connection: close`. */
export const rawOf = (request: Request): Buffer =>
  raw(`${request.method} ${request.path} HTTP/1.1`, [
    ...pairs(request),
    ["content-length", request.body.length.toString()],
    ["connection", "close"]
  ], request.body)

/** Opens a connection. Returns the socket, and all bytes received on it. */
const connected = (baseUrl: string) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly socket: Net.Socket; readonly chunks: ReadonlyArray<Buffer> }>((resume) => {
      const chunks: Array<Buffer> = []
      const socket = Net.connect(
        { port: portOf(baseUrl), host: "127.0.0.1", allowHalfOpen: true },
        () => resume(Effect.succeed({ socket, chunks }))
      )
      socket.on("data", (chunk) => chunks.push(chunk))
      socket.on("error", () => {})
    }),
    ({ socket }) => Effect.sync(() => socket.destroy())
  )

/** Opens a connection, writes to it, runs `then`, and breaks the connection. */
export const breakOff = <E, R>(baseUrl: string, bytes: string | Uint8Array, then: Effect.Effect<void, E, R>) =>
  Effect.scoped(Effect.gen(function*() {
    const { socket } = yield* connected(baseUrl)
    socket.write(bytes)
    yield* then
    socket.resetAndDestroy()
  }))

/**
 * Writes `first`, then `more` once the response has begun. Returns all received bytes. The connection must not break.
 */
export const goOnSaying = (baseUrl: string, first: Uint8Array, more: ReadonlyArray<Uint8Array>) =>
  Effect.scoped(Effect.gen(function*() {
    const { chunks, socket } = yield* connected(baseUrl)
    socket.write(first)
    yield* until(Effect.sync(() => chunks.length > 0))
    for (const piece of more) {
      yield* Effect.callback<void>((resume) => {
        socket.write(piece, () => resume(Effect.void))
      })
    }
    if (socket.errored !== null) assert.fail(`the connection broke: ${socket.errored.message}`)
    return Buffer.concat(chunks).toString("latin1")
  }))

/**
 * Sends requests over kept-alive connections, or each over a new connection. Returns the status and text, or
 * `"broken"`.
 */
export const sending = Effect.fnUntraced(function*(baseUrl: string, { keepAlive } = { keepAlive: true }) {
  const agent = new Http.Agent({ keepAlive, maxSockets: 8 })
  yield* Effect.addFinalizer(() => Effect.sync(() => agent.destroy()))
  return ({ body, headers, method, path }: Request) =>
    Effect.callback<{ readonly status: number; readonly text: string } | "broken">((resume) => {
      const length = { "content-length": body.length } as Http.OutgoingHttpHeaders
      const options = { agent, method, path, headers: { ...headers, ...length } as Http.OutgoingHttpHeaders }
      const request = Http.request(baseUrl, options, (response) => {
        const chunks: Array<Buffer> = []
        response.on("data", (chunk: Buffer) => chunks.push(chunk))
        response.on("error", () => resume(Effect.succeed("broken")))
        response.on(
          "end",
          () => resume(Effect.succeed({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }))
        )
      })
      request.on("error", () => resume(Effect.succeed("broken")))
      request.end(body)
    })
})

// -----------------------------------------------------------------------------

// Checks after every attack
// -----------------------------------------------------------------------------

/** The exchange's complete state. */
export const snapshot = Venue.use((venue) => Effect.sync(() => structuredClone(Saved.save(venue.state))))

/**
 * Checks that a well-formed call succeeds, and that no money was created or lost. Bob makes the call, because an attack
 * may have used a nonce with alice's key that is greater than her next nonces.
 */
export const unharmed = Effect.fnUntraced(function*(dialect: Dialect) {
  const { status } = yield* handle(signed(dialect, "/api/v4/trade-account/balance", {}, bob))
  assert.strictEqual(status, 200)
  const { state } = yield* Venue
  for (const [ticker, total] of Ledger.totals(state.ledger)) assert.strictEqual(total, 0n, ticker)
})

/**
 * Carries out an attack, then checks that the exchange's state is unchanged and that the exchange serves the next
 * caller.
 */
export const withoutEffect = <A, E, R>(dialect: Dialect, attack: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const before = yield* snapshot
    const result = yield* attack
    assert.deepStrictEqual(yield* snapshot, before)
    yield* unharmed(dialect)
    return result
  })

// -----------------------------------------------------------------------------
// Values of the wrong kind
// -----------------------------------------------------------------------------

/** JSON texts that no well-behaved client sends as a field's value. */
export const hostileValues: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    "null",
    "true",
    "[]",
    "{}",
    "\"\"",
    "0",
    "-0",
    "-1",
    "1.5",
    "1e999",
    "-1e999",
    "1e-999",
    "1e21",
    "9007199254740993",
    "9".repeat(400),
    `"${"9".repeat(400)}"`,
    `0.${"0".repeat(400)}1`,
    "\"1e5\"",
    "\"NaN\"",
    "\"Infinity\"",
    "\"-1\"",
    "\"0x10\"",
    "\"0.000000000000000000000000000001\"",
    "\"\\ud800\"",
    "\"\\udc00\\ud800\"",
    "\"\\u0000\"",
    "\"\\ufeff\"",
    "\"\\u202e\"",
    "\"__proto__\"",
    "\"constructor\"",
    "{\"__proto__\":{\"market\":\"BTC_USDT\"}}",
    "{\"constructor\":{\"prototype\":{\"market\":\"BTC_USDT\"}}}",
    `${"[".repeat(2000)}${"]".repeat(2000)}`,
    `${"{\"a\":".repeat(1000)}1${"}".repeat(1000)}`,
    "[\"spot\",\"spot\",1,null]",
    "\"BTC_USDT\"",
    "\"' OR 1=1; --\"",
    `"${"x".repeat(3000)}"`
  ),
  fc.jsonValue().map((value) => JSON.stringify(value)),
  fc.string({ unit: "binary", maxLength: 30 }).map((value) => JSON.stringify(value)),
  fc.bigInt().map(String),
  fc.double({ noDefaultInfinity: true, noNaN: true }).map(String)
)

// -----------------------------------------------------------------------------

// Hostile servers
// -----------------------------------------------------------------------------

/** A complete request as it arrived. */
export interface Delivery {
  readonly head: string
  readonly body: string
  /** The number of the connection, and the number of the request on that connection. Both numbers start at 0. */
  readonly connection: number
  readonly inConnection: number
}

/**
 * Returns the first complete request in the received bytes, and the bytes after it, or `undefined` while the request is
 * incomplete.
 */
const firstRequest = (
  arrived: string
): { readonly head: string; readonly body: string; readonly rest: string } | undefined => {
  const end = arrived.indexOf("\r\n\r\n")
  if (end === -1) return undefined
  const head = arrived.slice(0, end)
  const length = Number(/^content-length: *(\d+)$/imu.exec(head)?.[1] ?? 0)
  const after = arrived.slice(end + 4)
  if (!/^transfer-encoding: *chunked/imu.test(head)) {
    return after.length < length ? undefined : { head, body: after.slice(0, length), rest: after.slice(length) }
  }
  const last = after.indexOf("0\r\n\r\n")
  return last === -1 ? undefined : { head, body: after.slice(0, last), rest: after.slice(last + 5) }
}

/** Starts a server that responds to complete requests with arbitrary bytes, and records these requests. */
export const harming = Effect.fnUntraced(function*(
  answer: (socket: Net.Socket, delivery: Delivery) => void,
  onHead: (socket: Net.Socket) => void = () => {},
  onConnected: (socket: Net.Socket) => void = () => {}
) {
  const deliveries: Array<Delivery> = []
  const sockets = new Set<Net.Socket>()
  let connections = 0
  // HTTP servers set `noDelay` too. Without it, a second response would wait until the client's system has acknowledged
  // the first one.
  const server = Net.createServer({ noDelay: true }, (socket) => {
    const connection = connections++
    let inConnection = 0
    let arrived = ""
    sockets.add(socket)
    socket.on("error", () => {})
    socket.on("close", () => sockets.delete(socket))
    onConnected(socket)
    socket.on("data", (bytes) => {
      if (arrived === "") onHead(socket)
      arrived += bytes.toString("latin1")
      for (let next = firstRequest(arrived); next !== undefined; next = firstRequest(arrived)) {
        arrived = next.rest
        const delivery = { head: next.head, body: next.body, connection, inConnection: inConnection++ }
        deliveries.push(delivery)
        answer(socket, delivery)
      }
    })
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.void))
    }),
    () =>
      Effect.callback<void>((resume) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resume(Effect.void))
      })
  )
  /** Stops accepting connections. */
  const stop = () => void server.close()
  return { baseUrl: `http://127.0.0.1:${(server.address() as Net.AddressInfo).port}`, deliveries, sockets, stop }
})

/** Formats a response as bytes. */
export const rawAnswer = (status: number, headers: ReadonlyArray<string>, body: string): string =>
  [`HTTP/1.1 ${status} -`, ...headers, `content-length: ${Buffer.byteLength(body)}`, "", body].join("\r\n")

/**
 * Creates undici connections that carry one request at a time, and that are closed when an unsolicited response
 * arrives.
 *
 * An HTTP/1.1 response does not identify its request, so a client attributes every response to the most recent request.
 * A connection that receives anything while no request is in flight is therefore closed, and bytes that have arrived
 * are always read before the next request.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { Socket } from "node:net"
import type { buildConnector, Dispatcher } from "undici"
import connector from "undici/lib/core/connect.js"
import Pool from "undici/lib/dispatcher/pool.js"
import * as Transport from "./Transport.ts"

/**
 * Calls `run` after all bytes that have arrived have been read. One `setImmediate` is not enough, because its callback
 * may run before Node polls the sockets.
 */
const afterReading = (run: () => void): void => {
  setImmediate(() => setImmediate(run))
}

/** The error for a new connection that can't be used. Nothing was sent over it. */
class Unusable extends Data.TaggedError("Unusable") {
  override readonly message = "the connection ended, or received a response, before anything was sent"
}

/** The index of the status code, which follows `HTTP/1.1 `. */
const statusAt = 9

/** The maximum size of a response's head, in bytes. A longer head is passed to undici, which refuses it. */
const longestHead = 16_384

/**
 * Whether the bytes are the start of an interim response (1xx). Status 101 is excluded, because the connection no
 * longer uses HTTP afterwards.
 */
const isInterim = (bytes: Buffer): boolean => /^HTTP\/1\.\d 1(?!01)/u.test(bytes.toString("latin1", 0, statusAt + 3))

/**
 * Removes interim responses, such as `100 Continue`, from a connection's bytes, because undici closes a connection that
 * receives an interim response that it did not request. Only the start of each response is examined; all other bytes
 * are passed on unchanged.
 */
const skipInterim = (socket: Socket): void => {
  const read: (size?: number) => Buffer | null = socket.read.bind(socket)
  let written = socket.bytesWritten
  let isExpected = false
  let held: Buffer | undefined
  /** The bytes after all interim responses; `undefined` when more bytes are needed. */
  const rest = (bytes: Buffer): Buffer | undefined => {
    let left = bytes
    while (left.length > statusAt + 2 && isInterim(left)) {
      const end = left.indexOf("\r\n\r\n")
      if (end === -1) {
        if (left.length > longestHead) break
        held = left
        return undefined
      }
      left = left.subarray(end + 4)
    }
    if (left.length < statusAt + 3) {
      held = left
      return undefined
    }
    isExpected = false
    return left
  }
  socket.read = (size) => {
    for (let bytes = read(size); bytes !== null; bytes = read(size)) {
      if (written !== socket.bytesWritten) {
        written = socket.bytesWritten
        isExpected = true
        held = undefined
      }
      if (!isExpected) return bytes
      const found = rest(held === undefined ? bytes : Buffer.concat([held, bytes]))
      if (found !== undefined) return found
    }
    return null
  }
}

/** Creates a connector that refuses new connections if they have already received bytes. */
export const connecting = (options: buildConnector.BuildOptions): buildConnector.connector => {
  const connect = connector(options)
  return (to, callback) =>
    connect(to, (...[error, socket]) => {
      if (error !== null) return callback(error, null)
      afterReading(() => {
        if (socket.destroyed || socket.readableLength > 0) {
          socket.destroy()
          return callback(new Unusable(), null)
        }
        skipInterim(socket)
        callback(null, socket)
      })
    })
}

/** Whether undici closed a connection because it received bytes while no request was in flight. */
const isUnsolicited = ({ message, name }: Error): boolean => message === "bad response" || name === "HTTPParserError"

/**
 * The result of watching connections: nothing happened; an unsolicited response arrived; or a connection ended, after
 * which an unsolicited response could not have been detected.
 */
type Seen = "nothing" | "unsolicited" | "ended"

/** Calls `run` with the result of watching so far. */
export type Watch = (run: (seen: Seen) => void) => void

/**
 * A dispatcher that counts its closed connections: all of them, and those with unsolicited responses.
 */
export class Watched<D extends Dispatcher = Dispatcher> {
  readonly dispatcher: D
  private ended = 0
  private unsolicited = 0

  constructor(dispatcher: D) {
    this.dispatcher = dispatcher
    dispatcher.on("disconnect", (_origin, _targets, error) => {
      this.ended++
      if (isUnsolicited(error)) this.unsolicited++
    })
  }

  /** Starts watching for unsolicited responses. */
  watch(): Watch {
    const { ended, unsolicited } = this
    const seen = () => this.unsolicited !== unsolicited ? "unsolicited" : this.ended === ended ? "nothing" : "ended"
    // After the read, a connection takes one more event-loop turn to report that it was closed.
    return (run) => afterReading(() => setImmediate(() => run(seen())))
  }
}

/** The failure of a request when two responses arrived, and either may belong to it. */
export const twoAnswers = new Transport.SendFailed({
  proof: { kind: "lost" },
  reason: "a second response came over the same connection, so it is unknown which one belongs to this call"
})

/** The time, in milliseconds, for which old connections are watched between a refused nonce and the next attempt. */
const quiet = 250

/** The time, in milliseconds, within which requests in flight may finish after `close`. */
const grace = 1000

/** A transport's connections, keyed by origin. */
export class Connections {
  private readonly options: Pool.Options
  private readonly current = new Map<string, Watched<Pool>>()
  private readonly open = new Set<Pool>()
  private isClosed = false

  constructor(options: Pool.Options) {
    this.options = options
  }

  /** The dispatcher for an origin. Throws if the string is not an origin. */
  of(origin: string): Watched<Pool> {
    const known = this.current.get(origin)
    if (known !== undefined) return known
    const pool = new Pool(origin, this.options)
    const watched = new Watched(pool)
    this.open.add(pool)
    this.current.set(origin, watched)
    if (this.isClosed) this.end(watched)
    return watched
  }

  /** Closes the connections: no new requests are started over them, and requests in flight may finish. */
  private end({ dispatcher }: Watched<Pool>): void {
    const forget = () => this.open.delete(dispatcher)
    dispatcher.close().then(forget, forget)
  }

  /**
   * Replaces the connections to an origin after a refusal that may belong to another request. If it does, the call's
   * own response arrives later, so the old connections are watched for that response before they are closed. `watch`
   * started when the refusal arrived.
   */
  startOver(origin: string, old: Watched<Pool>, watch: Watch): Effect.Effect<boolean, Transport.SendFailed> {
    return Effect.callback((resume) => {
      // A late response must not be taken for the response to another request.
      if (this.current.get(origin) === old) this.current.delete(origin)
      setTimeout(() =>
        watch((seen) => {
          // Each queued request may have taken the response to the request before it. In that case, the last request is
          // still waiting.
          const isIdle = old.dispatcher.stats.size === 0
          this.end(old)
          resume(seen === "unsolicited" ? Effect.fail(twoAnswers) : Effect.succeed(seen === "nothing" && isIdle))
        }), quiet)
    })
  }

  /** Closes all connections. No new requests are started, and requests in flight have one second to finish. */
  readonly close: Effect.Effect<void> = Effect.callback((resume) => {
    this.isClosed = true
    const pools = [...this.open]
    const late = setTimeout(() => pools.forEach((pool) => pool.destroy(() => {})), grace)
    void Promise.allSettled(pools.map((pool) => pool.close())).then(() => {
      clearTimeout(late)
      resume(Effect.void)
    })
  })
}

/**
 * Undici connections that carry one request at a time, and are closed when an unsolicited answer arrives.
 *
 * An HTTP/1.1 answer does not name its request, so it is taken for the answer to the last one. A connection that
 * receives anything while no request is in flight is therefore closed, and arrived bytes are always read before the
 * next request.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { Socket } from "node:net"
import type { buildConnector, Dispatcher } from "undici"
import connector from "undici/lib/core/connect.js"
import Pool from "undici/lib/dispatcher/pool.js"

/** Runs `run` once all arrived bytes were read. A single immediate may run before the system is polled for them. */
const afterReading = (run: () => void): void => {
  setImmediate(() => setImmediate(run))
}

/** Ends a connection that cannot be used. Nothing was sent over it. */
class Unusable extends Data.TaggedError("Unusable") {
  override readonly message = "the connection ended, or received an answer, before anything was sent"
}

/** The index of the status: it follows `HTTP/1.1 `. */
const statusAt = 9

/** The maximum size of an answer's head, in bytes. A longer one is passed to undici, which refuses it. */
const longestHead = 16_384

/** Whether the bytes begin an interim answer (1xx). After 101 the connection no longer speaks HTTP. */
const isInterim = (bytes: Buffer): boolean => /^HTTP\/1\.\d 1(?!01)/u.test(bytes.toString("latin1", 0, statusAt + 3))

/**
 * Removes interim answers, such as `100 Continue`, from the bytes of a connection: undici closes a connection for one
 * that it did not request. Only looks where an answer begins, and passes all other bytes on unchanged.
 */
const skipInterim = (socket: Socket): void => {
  const read: (size?: number) => Buffer | null = socket.read.bind(socket)
  let written = socket.bytesWritten
  let isExpected = false
  let held: Buffer | undefined
  /** The bytes after all interim answers; `undefined` when more bytes are needed. */
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

/** Makes connections that have received nothing yet. */
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
const isUnasked = ({ message, name }: Error): boolean => message === "bad response" || name === "HTTPParserError"

/** A dispatcher for an origin that counts its connections closed for an unsolicited answer. */
export class Watched<D extends Dispatcher = Dispatcher> {
  readonly dispatcher: D
  private unasked = 0

  constructor(dispatcher: D) {
    this.dispatcher = dispatcher
    dispatcher.on("disconnect", (_origin, _targets, error) => {
      if (isUnasked(error)) this.unasked++
    })
  }

  /** Starts to watch. The returned function ends that, and tells its callback whether an unsolicited answer came. */
  watch(): (run: (isUnasked: boolean) => void) => void {
    const before = this.unasked
    // A connection reports its end one turn after the read.
    return (run) => afterReading(() => setImmediate(() => run(this.unasked !== before)))
  }
}

/** The time that connections are watched after a refused nonce before another attempt, in milliseconds. */
export const quiet = 250

/** The time that requests in flight have to end after `close`, in milliseconds. */
const grace = 1000

/** The connections of a transport, by origin. */
export class Connections {
  private readonly options: Pool.Options
  private readonly current = new Map<string, Watched<Pool>>()
  private readonly open = new Set<Pool>()
  private isClosed = false

  constructor(options: Pool.Options) {
    this.options = options
  }

  /** The dispatcher for an origin. Throws if the text is not an origin. */
  of(origin: string): Watched<Pool> {
    const known = this.current.get(origin)
    if (known !== undefined) return known
    const pool = new Pool(origin, this.options)
    const watched = new Watched(pool)
    this.open.add(pool)
    this.current.set(origin, watched)
    if (this.isClosed) this.retire(origin)
    return watched
  }

  /** Stops using the connections to an origin. Requests in flight may end. */
  private retire(origin: string): void {
    const watched = this.current.get(origin)
    if (!this.isClosed) this.current.delete(origin)
    if (watched !== undefined) this.end(watched)
  }

  private end({ dispatcher }: Watched<Pool>): void {
    const forget = () => this.open.delete(dispatcher)
    dispatcher.close().then(forget, forget)
  }

  /**
   * Replaces the connections to an origin whose answer is in doubt. If that answer was to another request, the right
   * one arrives later, so the old connections are watched for it first. Passes to `run` whether an answer came.
   */
  startOver(origin: string, run: (isUnasked: boolean) => void): void {
    const old = this.of(origin)
    const stop = old.watch()
    // Other requests must not take a late answer for theirs.
    this.current.delete(origin)
    setTimeout(() =>
      stop((isUnasked) => {
        this.end(old)
        this.retire(origin)
        run(isUnasked)
      }), quiet)
  }

  /** Starts no more requests. Those in flight have one second to end. */
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

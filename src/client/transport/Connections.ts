/**
 * Connections of undici that carry one request at a time, and what they bring without having been asked.
 *
 * An answer of HTTP/1.1 does not name its request: it is taken for the answer to what was sent last. So whatever comes over a
 * connection that nothing was sent over ends it, and there is always time to see that it has come.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { Socket } from "node:net"
import type { buildConnector, Dispatcher } from "undici"
import connector from "undici/lib/core/connect.js"
import Pool from "undici/lib/dispatcher/pool.js"

/** Runs it when everything was read that has arrived by now. An immediate alone may run before the system is asked for it. */
const afterReading = (run: () => void): void => {
  setImmediate(() => setImmediate(run))
}

// -----------------------------------------------------------------------------
// One connection
// -----------------------------------------------------------------------------

/** Ends a connection that cannot be used. Nothing was sent over it. */
class Unusable extends Data.TaggedError("Unusable") {
  override readonly message = "the connection ended, or brought an answer, before anything was sent"
}

/** `HTTP/1.1 ` is followed by the status. */
const statusAt = 9

/** A longer head is left to undici, which refuses it. */
const longestHead = 16_384

/** Whether it begins as an answer does that another one follows. After 101 it is no longer HTTP. */
const isInterim = (bytes: Buffer): boolean => /^HTTP\/1\.\d 1(?!01)/u.test(bytes.toString("latin1", 0, statusAt + 3))

/**
 * Takes the answers that precede an answer, such as `100 Continue`, out of what a connection brings: undici ends a connection
 * for one that it has not asked for. Only where an answer begins: all else is passed on as it is.
 */
const skipInterim = (socket: Socket): void => {
  const read: (size?: number) => Buffer | null = socket.read.bind(socket)
  let written = socket.bytesWritten
  let isExpected = false
  let held: Buffer | undefined
  /** What is left of the bytes that begin an answer; `undefined` when more must be read first. */
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

/** Makes connections over which nothing has come yet. */
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

// -----------------------------------------------------------------------------
// What dispatches
// -----------------------------------------------------------------------------

/** Whether undici has ended a connection because it brought something while nothing was asked. */
const isUnasked = ({ message, name }: Error): boolean => message === "bad response" || name === "HTTPParserError"

/** What dispatches to an origin, and how many of its connections have brought what nobody had asked for. */
export class Watched<D extends Dispatcher = Dispatcher> {
  readonly dispatcher: D
  private unasked = 0

  constructor(dispatcher: D) {
    this.dispatcher = dispatcher
    dispatcher.on("disconnect", (_origin, _targets, error) => {
      if (isUnasked(error)) this.unasked++
    })
  }

  /** Begins to watch. What it gives says at its end whether something came meanwhile that nobody had asked for. */
  watch(): (run: (isUnasked: boolean) => void) => void {
    const before = this.unasked
    // A connection that ends says so one turn after it was read.
    return (run) => afterReading(() => setImmediate(() => run(this.unasked !== before)))
  }
}

/** How long connections are watched after a refused nonce before another attempt is made, in milliseconds. */
export const quiet = 250

/** How long requests that are under way may go on when everything is closed, in milliseconds. */
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

  /** What dispatches to an origin. Throws where the text is no origin. */
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

  /** Uses the connections to an origin no longer. What is under way over them may end. */
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
   * Begins anew with an origin whose answer is in doubt. If the answer was another request's, its own comes later: the old
   * connections are watched for it. Then it says whether something came, and the next connection is a new one.
   */
  startOver(origin: string, run: (isUnasked: boolean) => void): void {
    const old = this.of(origin)
    const stop = old.watch()
    // Others must not take a late answer for theirs.
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

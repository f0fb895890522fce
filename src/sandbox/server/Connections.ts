/** The server's connections, and the calls in progress on each. */
import type * as Http from "node:http"
import type { Socket } from "node:net"
import * as Quotas from "../gateway/Quotas.ts"
import * as Bounds from "./Bounds.ts"

/** A call in progress. */
export interface UnansweredCall {
  /** Whether the call may be carried out; `false` if its address or the server as a whole has too many calls. */
  readonly isAdmitted: boolean
  /** Called when the entire request has arrived. */
  readonly received: () => void
  /** Called when the response is a feed, which is no longer counted as a call. */
  readonly answered: () => void
  /**
   * Calls `release` once the response is sent or the connection breaks, or immediately if either has already happened.
   */
  readonly whenDone: (release: () => void) => void
}

/** The connections of a server. */
export interface Connections {
  /**
   * Adds a connection. If its address has too many connections, closes one from that address; if the server as a whole
   * has too many, closes one from the address with the most. Chooses the connection whose request has been incomplete
   * for the longest time, or else an idle one. If all are WebSockets or have calls in progress, closes the new
   * connection.
   */
  readonly open: (socket: Socket) => void
  /** Adds a call to its connection; `undefined` if the connection has too many calls. */
  readonly begin: (request: Http.IncomingMessage, response: Http.ServerResponse) => UnansweredCall | undefined
  /**
   * Records that a connection has become a WebSocket, so that it is no longer closed to make room for other
   * connections.
   */
  readonly upgraded: (socket: Socket) => void
}

interface Connection {
  readonly socket: Socket
  /** The client's address, stored because a broken socket no longer has an address. */
  readonly address: string
  /**
   * The calls in progress. This is an array, because a `Set` that churns keeps old hash tables, and with them finished
   * calls, alive.
   */
  readonly calls: Array<Call>
  /** Whether the head of any request has arrived. */
  hasCalled: boolean
  /** Whether the connection has become a WebSocket. */
  isUpgraded: boolean
  /** A sequence number, assigned when the connection is opened and again when a request head arrives. */
  since: number
}

class Call implements UnansweredCall {
  readonly isAdmitted: boolean
  private readonly connection: Connection
  private readonly waiting: Quotas.Quotas
  private isCounted: boolean
  /** Callbacks to run when the call ends; `undefined` afterwards. */
  private releases: Array<() => void> | undefined = []
  /** Whether the entire request has arrived. */
  isReceived = false

  constructor(connection: Connection, waiting: Quotas.Quotas, isAdmitted: boolean) {
    this.connection = connection
    this.waiting = waiting
    this.isAdmitted = isAdmitted
    this.isCounted = isAdmitted
    connection.calls.push(this)
  }

  received(): void {
    this.isReceived = true
  }

  answered(): void {
    if (this.isCounted) this.waiting.giveBack(this.connection.address, 1)
    this.isCounted = false
  }

  whenDone(release: () => void): void {
    if (this.releases === undefined) release()
    else this.releases.push(release)
  }

  end(): void {
    const { connection: { calls }, releases } = this
    if (releases === undefined) return
    this.releases = undefined
    calls.splice(calls.indexOf(this), 1)
    this.answered()
    for (const release of releases) release()
  }
}

/** Whether a connection's client has begun to send a request but has not finished it, or has never sent one. */
const isOwing = ({ calls, hasCalled }: Connection): boolean =>
  calls.length === 0 ? !hasCalled : calls.every(({ isReceived }) => !isReceived)

const isIdle = ({ calls, isUpgraded }: Connection): boolean => calls.length === 0 && !isUpgraded

export const make = (): Connections => {
  // When a connection breaks, the response of a pipelined call that waits behind another call emits no `close` event.
  // So the socket's `close` event ends all calls of the connection.
  const opened = new Map<Socket, Connection>()
  const connections = Quotas.make(Bounds.maxConnections)
  const waiting = Quotas.make(Bounds.maxUnanswered.ofAll)
  let count = 0

  const end = (connection: Connection): void => {
    const { address, calls, socket } = connection
    if (!opened.delete(socket)) return
    connections.giveBack(address, 1)
    // Loops over a copy, because calls are removed from the list when they end.
    for (const call of calls.toReversed()) call.end()
    socket.destroy()
  }

  /**
   * Of an address's connections that `isOfKind` accepts, returns the one with the lowest `since`; `undefined` if there
   * are none.
   */
  const oldest = (address: string, isOfKind: (connection: Connection) => boolean): Connection | undefined => {
    let found: Connection | undefined
    for (const connection of opened.values()) {
      if (connection.address !== address || !isOfKind(connection)) continue
      if (found === undefined || connection.since < found.since) found = connection
    }
    return found
  }

  /** Takes one unit of a resource for an address. If none is left, first closes the connection that `spare` finds. */
  const take = (
    quotas: Quotas.Quotas,
    address: string,
    spare: (debtor: string) => Connection | undefined
  ): boolean => {
    if (quotas.take(address, 1)) return true
    const spared = spare(quotas.debtorFor(address, 1))
    if (spared === undefined) return false
    end(spared)
    return quotas.take(address, 1)
  }

  return {
    open: (socket) => {
      const address = socket.remoteAddress ?? ""
      if (!take(connections, address, (debtor) => oldest(debtor, isOwing) ?? oldest(debtor, isIdle))) {
        socket.destroy()
        return
      }
      const connection: Connection = { socket, address, calls: [], hasCalled: false, isUpgraded: false, since: ++count }
      opened.set(socket, connection)
      socket.on("close", () => end(connection))
    },
    upgraded: (socket) => {
      const connection = opened.get(socket)
      if (connection === undefined) return
      connection.hasCalled = true
      connection.isUpgraded = true
    },
    begin: ({ socket }, response) => {
      const connection = opened.get(socket)
      if (connection === undefined || connection.calls.length >= Bounds.maxUnanswered.ofOne) return undefined
      connection.hasCalled = true
      connection.since = ++count
      const { address } = connection
      const hasCalls = (other: Connection) => other !== connection && !isIdle(other) && isOwing(other)
      const isAdmitted = take(waiting, address, (debtor) => oldest(debtor, hasCalls))
      const call = new Call(connection, waiting, isAdmitted)
      response.on("close", () => call.end())
      return call
    }
  }
}

/**
 * The server's connections, and the calls on each that wait for their answers.
 *
 * @since 0.1.0
 */
import type * as Http from "node:http"
import type { Socket } from "node:net"
import * as Bounds from "./Bounds.ts"
import * as Shares from "./Shares.ts"

/**
 * A call that waits for its answer.
 *
 * @category models
 * @since 0.1.0
 */
export interface UnansweredCall {
  /** Calls `release` once the answer is sent or the connection breaks; at once if that has happened already. */
  readonly whenDone: (release: () => void) => void
}

/**
 * The connections of a server.
 *
 * @category models
 * @since 0.1.0
 */
export interface Connections {
  /** Adds a connection, or closes it when its address, or all together, have too many. */
  readonly open: (socket: Socket) => void
  /** Adds a call to its connection; `undefined` when the connection, its address, or all together, have too many. */
  readonly begin: (request: Http.IncomingMessage, response: Http.ServerResponse) => UnansweredCall | undefined
}

interface Connection {
  /** The address that it comes from. A socket that has broken does not know it any more. */
  readonly address: string
  /** Its calls. */
  readonly calls: Set<Call>
}

class Call implements UnansweredCall {
  private readonly connection: Connection
  private readonly waiting: Shares.Shares
  private releases: Array<() => void> = []

  constructor(connection: Connection, waiting: Shares.Shares) {
    this.connection = connection
    this.waiting = waiting
    connection.calls.add(this)
  }

  whenDone(release: () => void): void {
    if (this.connection.calls.has(this)) this.releases.push(release)
    else release()
  }

  end(): void {
    const { address, calls } = this.connection
    if (!calls.delete(this)) return
    this.waiting.giveBack(address, 1)
    for (const release of this.releases) release()
    this.releases = []
  }
}

/** @category constructors */
export const make = (): Connections => {
  // The response of a call that waits behind another one never closes when the connection breaks: the socket tells.
  const opened = new Map<Socket, Connection>()
  const connections = Shares.make(Bounds.maxConnections)
  const waiting = Shares.make(Bounds.maxUnanswered.ofAll)
  return {
    open: (socket) => {
      const address = socket.remoteAddress ?? ""
      if (!connections.take(address, 1)) {
        socket.destroy()
        return
      }
      const calls = new Set<Call>()
      opened.set(socket, { address, calls })
      socket.on("close", () => {
        connections.giveBack(address, 1)
        opened.delete(socket)
        for (const call of calls) call.end()
      })
    },
    begin: ({ socket }, response) => {
      const connection = opened.get(socket)
      if (connection === undefined || connection.calls.size >= Bounds.maxUnanswered.ofOne) return undefined
      if (!waiting.take(connection.address, 1)) return undefined
      const call = new Call(connection, waiting)
      response.on("close", () => call.end())
      return call
    }
  }
}

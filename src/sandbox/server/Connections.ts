/** The server's connections, and the calls on each that wait for their answers. */
import type * as Http from "node:http"
import type { Socket } from "node:net"
import * as Bounds from "./Bounds.ts"
import * as Quotas from "./Quotas.ts"

/** A call that waits for its answer. */
export interface UnansweredCall {
  /** Calls `release` once the answer is sent or the connection breaks; immediately if that has already happened. */
  readonly whenDone: (release: () => void) => void
}

/** The connections of a server. */
export interface Connections {
  /** Adds a connection, or closes it when its address, or all together, have too many. */
  readonly open: (socket: Socket) => void
  /** Adds a call to its connection; `undefined` when the connection, its address, or all together, have too many. */
  readonly begin: (request: Http.IncomingMessage, response: Http.ServerResponse) => UnansweredCall | undefined
}

interface Connection {
  /** The client's address. A broken socket no longer knows it. */
  readonly address: string
  /** Calls in flight. An array: a `Set` that churns keeps old tables, and so answered calls, alive. */
  readonly calls: Array<Call>
}

class Call implements UnansweredCall {
  private readonly connection: Connection
  private readonly waiting: Quotas.Quotas
  /** Callbacks for the call's end; `undefined` after it. */
  private releases: Array<() => void> | undefined = []

  constructor(connection: Connection, waiting: Quotas.Quotas) {
    this.connection = connection
    this.waiting = waiting
    connection.calls.push(this)
  }

  whenDone(release: () => void): void {
    if (this.releases === undefined) release()
    else this.releases.push(release)
  }

  end(): void {
    const { connection: { address, calls }, releases, waiting } = this
    if (releases === undefined) return
    this.releases = undefined
    calls.splice(calls.indexOf(this), 1)
    waiting.giveBack(address, 1)
    for (const release of releases) release()
  }
}

export const make = (): Connections => {
  // The response of a pipelined call that waits behind another one never closes when the connection breaks, so the
  // socket's event is used.
  const opened = new Map<Socket, Connection>()
  const connections = Quotas.make(Bounds.maxConnections)
  const waiting = Quotas.make(Bounds.maxUnanswered.ofAll)
  return {
    open: (socket) => {
      const address = socket.remoteAddress ?? ""
      if (!connections.take(address, 1)) {
        socket.destroy()
        return
      }
      const calls: Array<Call> = []
      opened.set(socket, { address, calls })
      socket.on("close", () => {
        connections.giveBack(address, 1)
        opened.delete(socket)
        // A copy, because a call that ends leaves the list.
        for (const call of calls.toReversed()) call.end()
      })
    },
    begin: ({ socket }, response) => {
      const connection = opened.get(socket)
      if (connection === undefined || connection.calls.length >= Bounds.maxUnanswered.ofOne) return undefined
      if (!waiting.take(connection.address, 1)) return undefined
      const call = new Call(connection, waiting)
      response.on("close", () => call.end())
      return call
    }
  }
}

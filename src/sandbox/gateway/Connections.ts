/**
 * The server's connections, and the calls on each that wait for their answers.
 *
 * @since 0.1.0
 */
import type * as Http from "node:http"
import type { Socket } from "node:net"
import * as Bounds from "./Bounds.ts"

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
  /** Adds a connection. */
  readonly open: (socket: Socket) => void
  /** Adds a call to its connection; `undefined` when the connection, or all together, have too many. */
  readonly begin: (request: Http.IncomingMessage, response: Http.ServerResponse) => UnansweredCall | undefined
}

/** @category constructors */
export const make = (): Connections => {
  // The response of a call that waits behind another one never closes when the connection breaks: the socket tells.
  const unanswered = new Map<Socket, Set<() => void>>()
  let ofAll = 0
  return {
    open: (socket) => {
      const calls = new Set<() => void>()
      unanswered.set(socket, calls)
      socket.on("close", () => {
        unanswered.delete(socket)
        for (const end of calls) end()
      })
    },
    begin: ({ socket }, response) => {
      const calls = unanswered.get(socket)
      if (calls === undefined || calls.size >= Bounds.maxUnanswered.ofOne || ofAll >= Bounds.maxUnanswered.ofAll) {
        return undefined
      }
      let releases: Array<() => void> = []
      const end = () => {
        if (!calls.delete(end)) return
        ofAll--
        const due = releases
        releases = []
        for (const release of due) release()
      }
      calls.add(end)
      ofAll++
      response.on("close", end)
      return {
        whenDone: (release) => {
          if (calls.has(end)) releases.push(release)
          else release()
        }
      }
    }
  }
}

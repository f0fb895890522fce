/** A link between a program and a local port. A test can cut the link, so that data stops or connections are reset. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Net from "node:net"

/**
 * How a link is cut. With `silent`, data stops without an error and arrives after the repair, like retransmitted
 * packets. With `reset`, existing and new connections break.
 */
export type Cut = "silent" | "reset"

/** A link that a test can cut and mend. */
export interface Link {
  /** The port that programs connect to. */
  readonly port: number
  readonly cut: (how: Cut) => Effect.Effect<void>
  readonly mend: Effect.Effect<void>
}

/** Opens a link to a port. The link closes with the scope. */
export const link = (to: number): Effect.Effect<Link, never, Scope.Scope> =>
  Effect.gen(function*() {
    const sockets = new Set<Net.Socket>()
    let state: Cut | undefined
    const hold = (socket: Net.Socket, other: Net.Socket): void => {
      sockets.add(socket)
      socket.on("data", (bytes) => {
        if (!other.write(bytes)) socket.pause()
      })
      other.on("drain", () => state === "silent" ? undefined : socket.resume())
      socket.on("end", () => other.end())
      // The error needs no handling here, because "close" follows, and `socket.errored` shows whether there was an
      // error.
      socket.on("error", () => undefined)
      socket.on("close", () => {
        sockets.delete(socket)
        if (socket.errored === null) other.end()
        else other.resetAndDestroy()
      })
      if (state === "silent") socket.pause()
    }
    const server = Net.createServer({ allowHalfOpen: true }, (near) => {
      if (state === "reset") return void near.resetAndDestroy()
      const far = Net.connect({ port: to, host: "127.0.0.1", allowHalfOpen: true, noDelay: true })
      near.setNoDelay(true)
      hold(near, far)
      hold(far, near)
    })
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
      () =>
        Effect.sync(() => {
          server.close()
          for (const socket of sockets) socket.destroy()
        })
    )
    return {
      port: (server.address() as Net.AddressInfo).port,
      cut: (how) =>
        Effect.sync(() => {
          state = how
          for (const socket of sockets) {
            if (how === "silent") socket.pause()
            else socket.resetAndDestroy()
          }
        }),
      mend: Effect.sync(() => {
        state = undefined
        for (const socket of sockets) socket.resume()
      })
    }
  })

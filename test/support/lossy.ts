/** Connections that fail during some requests. The seed determines which. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as fc from "fast-check"
import * as Net from "node:net"
import * as Target from "../../src/oracle/Target.ts"

/** When a connection fails: before the request arrives, after it has arrived, or in the middle of the response. */
const failures = ["request", "answer", "cut"] as const

/** How often connections fail, and the seed that determines the failures. */
export interface Loss {
  /** On average, one request in this many loses its connection. */
  readonly oneIn: number
  readonly seed: number
}

/** Draws for each request whether and how its connection fails. */
const drawing = ({ oneIn, seed }: Loss) => {
  const drawn = fc.sample(fc.noBias(fc.nat(oneIn * failures.length - 1)), { seed, numRuns: 10_000 })
  let count = 0
  return () => failures[drawn[count++ % drawn.length] ?? oneIn]
}

/** Returns the target with connections that fail. */
export const lossy = (target: Target.Target, loss: Loss): Target.Target => {
  const draw = drawing(loss)
  const lost = Effect.fail(new Target.TargetError({ reason: "read ECONNRESET" }))
  return {
    ...target,
    send: (request) =>
      Effect.suspend(() => {
        const failure = draw()
        if (failure === "request") return lost
        return failure === undefined ? target.send(request) : Effect.andThen(target.send(request), lost)
      })
  }
}

/** Opens a port that passes requests on to another port, over connections that fail, until the scope is closed. */
export const lossyPort = Effect.fnUntraced(
  function*(to: number, loss: Loss): Effect.fn.Return<number, never, Scope.Scope> {
    const draw = drawing(loss)
    const sockets = new Set<Net.Socket>()
    const server = Net.createServer((near) => {
      const far = Net.connect({ port: to, host: "127.0.0.1", noDelay: true })
      for (const socket of [near, far]) {
        sockets.add(socket)
        socket.on("error", () => undefined)
        socket.on("close", () => {
          sockets.delete(socket)
          near.destroy()
          far.destroy()
        })
      }
      let failure: ReturnType<typeof draw>
      near.on("data", (bytes) => {
        // A client sends each request as a whole, after the response to the previous request.
        failure = draw()
        if (failure === "request") near.resetAndDestroy()
        else far.write(bytes)
      })
      far.on("data", (bytes) => {
        if (failure === undefined) near.write(bytes)
        else if (failure === "answer") near.resetAndDestroy()
        else near.end(bytes.subarray(0, bytes.byteLength / 2))
      })
    })
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
      () =>
        Effect.sync(() => {
          server.close()
          for (const socket of sockets) socket.destroy()
        })
    )
    return (server.address() as Net.AddressInfo).port
  }
)

/** A client over a real socket, which uses the platform's own `WebSocket`. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type { Frame } from "./client.ts"

/** Connects to a URL. The connection closes when the scope closes. */
export const dial = Effect.fnUntraced(function*(url: string) {
  const answers = yield* Queue.unbounded<Frame>()
  const pushes = new Map<unknown, Queue.Queue<Frame>>()
  const closed = yield* Deferred.make<number>()
  const runSync = Effect.runSyncWith(yield* Effect.context())
  const pushesOf = (method: unknown): Queue.Queue<Frame> => {
    const known = pushes.get(method)
    if (known !== undefined) return known
    const made = runSync(Queue.unbounded<Frame>())
    pushes.set(method, made)
    return made
  }
  const socket = yield* Effect.acquireRelease(
    Effect.callback<WebSocket>((resume) => {
      const socket = new WebSocket(url)
      socket.addEventListener("open", () => resume(Effect.succeed(socket)))
      socket.addEventListener("close", ({ code }) => Deferred.doneUnsafe(closed, Effect.succeed(code)))
      socket.addEventListener("message", ({ data }) => {
        const frame = JSON.parse(String(data)) as Frame
        Queue.offerUnsafe(frame.id === null ? pushesOf(frame.method) : answers, frame)
      })
    }),
    (socket) => Effect.sync(() => socket.close())
  )
  let id = 0
  return {
    /** The code with which the connection closes. */
    closed: Deferred.await(closed),
    /** Sends a text message. */
    send: (text: string) => Effect.sync(() => socket.send(text)),
    /** Sends a request and waits for its response. */
    ask: (method: string, ...params: ReadonlyArray<unknown>) =>
      Effect.suspend(() => {
        socket.send(JSON.stringify({ id: ++id, method, params }))
        return Queue.take(answers)
      }),
    /** Waits for the next push of a method. */
    next: (method: string) => Queue.take(pushesOf(method))
  }
})

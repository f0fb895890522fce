/** A client that stores every message from the exchange as it arrives, over any implementation of Effect's `Socket`. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Socket from "effect/socket/Socket"
import * as Dialer from "../../../src/client/session/Dialer.ts"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import * as InProcess from "../../../src/sandbox/server/InProcess.ts"
import { until } from "../../support/clock.ts"
import { Base, inProcess, overHttp } from "../../support/control.ts"

/** The ways to reach a sandbox in the live dialect, with its control plane and its connections. */
export const ways = [{
  way: "in the same process",
  world: Layer.provideMerge(InProcess.layerDialer, inProcess({ dialect: Dialect.live, seed: 7 }))
}, {
  way: "over a port",
  world: Layer.unwrap(
    Effect.map(Base, (baseUrl) => Dialer.layer({ url: `${baseUrl.replace("http", "ws")}/ws` }))
  ).pipe(
    Layer.provide(Socket.layerWebSocketConstructorGlobal),
    Layer.provideMerge(overHttp({ dialect: Dialect.live, seed: 7 }))
  )
}]

/** Connects to the sandbox. The connection closes when the scope closes. */
export const open = Effect.gen(function*() {
  const { dial } = yield* Dialer.Dialer
  const socket = yield* dial
  const { pull } = yield* socket.reader
  const { write } = yield* socket.writer
  const texts: Array<string> = []
  const ended = yield* Deferred.make<number>()
  const reading = Effect.forever(Effect.map(pull, (more) => texts.push(...more.map(String))))
  yield* Effect.forkScoped(Effect.catchTag(reading, "SocketError", ({ reason }) =>
    // The platform reports a cut connection as an error of the socket.
    Deferred.succeed(ended, "code" in reason ? reason.code : 1006)))
  let id = 0
  const tell = (method: string, ...params: ReadonlyArray<unknown>) =>
    write(JSON.stringify({ id: ++id, method, params }))
  return {
    /** The messages that the exchange has sent so far. */
    texts,
    /** The code with which the connection closes. */
    ended: Deferred.await(ended),
    /** Sends a request. */
    tell,
    /** Sends a request and waits for its response. */
    ask: Effect.fnUntraced(function*(method: string, ...params: ReadonlyArray<unknown>) {
      yield* tell(method, ...params)
      const [own] = [`"id":${id}}`]
      yield* until(Effect.sync(() => texts.some((text) => text.endsWith(own))))
      return JSON.parse(texts.find((text) => text.endsWith(own)) ?? "") as {
        readonly result: unknown
        readonly error: { readonly code: number } | null
      }
    })
  }
})

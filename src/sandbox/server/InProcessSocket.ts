/** A venue's WebSocket without a port: Effect's `Socket`, connected to the venue in the same process. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Socket from "effect/socket/Socket"
import type { Dialect } from "../../protocol/Dialect.ts"
import { type Client, closeCode, type Ending } from "../gateway/Socket.ts"
import type { Streams } from "../streams/Streams.ts"
import * as Sockets from "./Sockets.ts"

/** The close code of a connection that ends without a closing handshake. */
const abrupt = 1006

const codes: { readonly [E in Ending]: number } = { abrupt, closed: closeCode }

const closed = (code: number): Socket.SocketError =>
  new Socket.SocketError({ reason: new Socket.SocketCloseError({ code }) })

const refused = (message: string): Socket.SocketError =>
  new Socket.SocketError({ reason: new Socket.SocketOpenError({ kind: "Unknown", cause: message }) })

/** Creates a socket. Each reader opens a new connection. Writes wait until there is a connection. */
export const make = ({ policy }: Dialect, { connect }: Streams): Effect.Effect<Socket.Socket> =>
  Effect.map(Latch.make(), (latch) => {
    let current: { readonly client: Client; readonly close: (code: number) => void } | undefined

    const open = (): Effect.Effect<Socket.Reader, Socket.SocketError, Scope.Scope> =>
      Effect.gen(function*() {
        if (policy.streamToken === undefined) return yield* refused(Sockets.notInDialect)
        const messages = yield* Queue.unbounded<string, Socket.SocketError>()
        let waiting = 0
        const close = (code: number): void => {
          Queue.failCauseUnsafe(messages, Cause.fail(closed(code)))
        }
        const connected = connect({
          from: "in-process",
          send: (text) => {
            waiting += text.length
            Queue.offerUnsafe(messages, text)
          },
          end: (ending) => close(codes[ending]),
          waiting: () => waiting
        })
        if (Result.isFailure(connected)) return yield* refused(connected.failure.message)
        const client = connected.success
        const own = { client, close }
        current = own
        latch.openUnsafe()
        yield* Effect.addFinalizer(() =>
          Effect.sync(() => {
            client.end()
            if (current !== own) return
            current = undefined
            latch.closeUnsafe()
          })
        )
        const pull = Effect.map(Queue.takeAll(messages), (taken) => {
          for (const { length } of taken) waiting -= length
          return taken
        })
        return { pull, upgrade: Socket.SocketUpgradeError.unsupported }
      })

    const send = (chunk: Uint8Array | string | Socket.CloseEvent): void => {
      if (current === undefined) return
      const { client, close } = current
      if (typeof chunk === "string") client.receive(chunk)
      else {
        // The exchange closes a connection on which the client sends anything except text.
        close(Socket.isCloseEvent(chunk) ? chunk.code : abrupt)
        client.end()
      }
    }
    const write = (chunk: Uint8Array | string | Socket.CloseEvent) => latch.whenOpen(Effect.sync(() => send(chunk)))

    return Socket.make({
      reader: Effect.suspend(open),
      writer: Effect.succeed({ write, writeAll: (chunks) => Effect.forEach(chunks, write, { discard: true }) })
    })
  })

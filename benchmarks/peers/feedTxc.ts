/**
 * The library's live views: session, checks, decoding, and the view, without a socket. An Effect `Socket` in memory
 * delivers the text of each frame. While the views are measured, nothing reads their books and orders.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as Socket from "effect/socket/Socket"
import { DepthChannel } from "../../src/channels/DepthChannel.ts"
import { PendingOrdersChannel } from "../../src/channels/PendingOrdersChannel.ts"
import * as Dialer from "../../src/client/session/Dialer.ts"
import * as Session from "../../src/client/session/Session.ts"
import { marketName } from "../../src/domain/Identifiers.ts"
import * as LiveBook from "../../src/LiveBook.ts"
import * as LiveOrders from "../../src/LiveOrders.ts"
import * as Streams from "../../src/Streams.ts"
import type { Receiver, Receivers } from "./feeds.ts"
import * as Frames from "./frames.ts"

const market = marketName(Frames.market)

/**
 * Returns a connection that responds to every request immediately, and delivers the given frames. `begun` resolves when
 * the given number of requests for `method` have had a response.
 */
const wired = (method: string, requests: number) => {
  let left = requests
  let begin = () => {}
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  const waiting: Array<string> = []
  let wake: (() => void) | undefined
  const receive = (frame: string): void => {
    waiting.push(frame)
    wake?.()
  }
  const pull: Socket.Reader["pull"] = Effect.callback((resume) => {
    wake = () => {
      const [first, ...more] = waiting.splice(0)
      if (first === undefined) return
      wake = undefined
      resume(Effect.succeed([first, ...more]))
    }
    wake()
  })
  const answer = (chunk: string | Uint8Array | Socket.CloseEvent) =>
    Effect.sync(() => {
      const asked = JSON.parse(String(chunk)) as { readonly id: number; readonly method: string }
      const page = { limit: 100, offset: 0, total: 0, records: [] }
      const result = asked.method.endsWith("_request") ? page : { status: "success" }
      receive(JSON.stringify({ error: null, result, id: asked.id }))
      if (asked.method === method && --left === 0) begin()
    })
  const socket = Socket.make({
    reader: Effect.succeed({ pull, upgrade: Socket.SocketUpgradeError.unsupported }),
    writer: Effect.succeed({ write: answer, writeAll: (chunks) => Effect.forEach(chunks, answer, { discard: true }) })
  })
  return { receive, begun, dialer: { dial: Effect.succeed(socket) } }
}

/** Builds a receiver that lives as long as the process, and waits until its subscriptions have begun. */
const receiver = async <A>(
  [method, requests]: readonly [method: string, requests: number],
  use: Effect.Effect<A, never, DepthChannel | PendingOrdersChannel | Scope.Scope>,
  size: (made: A) => Effect.Effect<number, unknown>
): Promise<Receiver> => {
  const { begun, dialer, receive } = wired(method, requests)
  const scope = Scope.makeUnsafe()
  const made = await Effect.runPromise(
    Effect.gen(function*() {
      const services = yield* Layer.build(Streams.layerServices.pipe(
        Layer.provide(Layer.succeed(Dialer.Dialer, dialer)),
        Layer.provide(Layer.succeed(Session.StreamToken, { create: Effect.succeed(Redacted.make("token")) }))
      ))
      return yield* Effect.provideContext(use, Context.merge(services, Context.make(Scope.Scope, scope)))
    }).pipe(Effect.provideService(Scope.Scope, scope))
  )
  await begun
  return { receive, size: () => Effect.runPromise(size(made)) }
}

const many = <A, E, R>(count: number, view: Effect.Effect<A, E, R>) =>
  Effect.forEach(Array.from({ length: count }), () => view)

const sum = <A, E>(views: ReadonlyArray<{ readonly whole: Effect.Effect<A, E> }>, sizeOf: (value: A) => number) =>
  Effect.map(
    Effect.forEach(views, ({ whole }) => whole),
    (values) => values.reduce((total, value) => total + sizeOf(value), 0) / values.length
  )

export const receivers: Receivers = {
  depth: (subscribers) =>
    receiver(
      // Views of one topic share its subscription.
      ["depth_subscribe", 1],
      many(subscribers, LiveBook.make({ market, limit: 100, priceStep: "0" })),
      (views) => sum(views, ({ asks, bids }) => asks.length + bids.length)
    ),
  orders: (subscribers) =>
    receiver(
      ["ordersPending_request", subscribers],
      many(subscribers, LiveOrders.make({ market, recheckEvery: "1 day" })),
      (views) => sum(views, ({ size }) => size)
    )
}

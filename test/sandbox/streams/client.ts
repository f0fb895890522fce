/** A client for a venue's connections, without a socket. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import type * as Socket from "../../../src/sandbox/gateway/Socket.ts"
import * as Streams from "../../../src/sandbox/streams/Streams.ts"
import { Venue } from "../../../src/sandbox/venue/Venue.ts"
import { type Account, alice, inProcess } from "../../support/exchange.ts"
import { handle, signed } from "../../support/signed.ts"

/** The venue's connections. */
export class Connections extends Context.Service<Connections, Streams.Streams>()("test/Connections") {}

/** An exchange in the live dialect that accepts connections. */
export const world = Layer.effect(Connections, Effect.flatMap(Venue, Streams.make)).pipe(
  Layer.provideMerge(inProcess(Dialect.live))
)

/** A frame sent by the exchange. */
export interface Frame {
  readonly id: number | null
  readonly result?: unknown
  readonly error?: unknown
  readonly method?: string
  readonly params?: unknown
}

/** Returns a push's parameters, typed as the test expects them. */
export const paramsOf = <A>(pushed: Pick<Frame, "params"> | undefined): A => pushed?.params as A

/** Calls the exchange with an account's key. */
export const call = (path: string, fields: object = {}, account: Account = alice) =>
  handle(signed(Dialect.live, path, fields, account))

/** Places a limit order, and returns its id. */
export const limit = (
  side: "buy" | "sell",
  amount: string,
  price: string,
  { account = alice, ...more }: { readonly account?: Account; readonly [field: string]: unknown } = {}
) =>
  Effect.map(
    call("/api/v4/order/new", { market: "BTC_USDT", side, amount, price, ...more }, account),
    ({ json }) => Number(json["orderId"])
  )

/** Waits until everything is durable and has been sent. */
export const durable = Venue.use(({ journal }) =>
  Effect.andThen(journal.committed, Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void))))
)

/** The wire of a client that ignores everything that it receives. */
export const deaf: Socket.Wire = {
  from: "test",
  send: () => undefined,
  end: () => undefined,
  waiting: () => 0
}

/** Connects a client that collects the frames that it receives. `more` replaces parts of the client's wire. */
export const connect = Effect.fnUntraced(function*(more: Partial<Socket.Wire> = {}) {
  const { connect } = yield* Connections
  const frames: Array<Frame> = []
  const state: { ending?: Socket.Ending } = {}
  const wire: Socket.Wire = {
    ...deaf,
    send: (text) => frames.push(JSON.parse(text) as Frame),
    end: (ending) => {
      state.ending = ending
    },
    ...more
  }
  const client = yield* Effect.fromResult(connect(wire))
  let id = 0
  /** Waits until everything is durable. Returns the frames that have arrived since the last call. */
  const taken = Effect.map(durable, () => frames.splice(0))
  return {
    client,
    isOver: () => state.ending !== undefined,
    /** How the exchange closed the connection, or `undefined` while it is open. */
    ending: () => state.ending,
    taken,
    /** The pushes that have arrived since the last call, as methods and parameters. */
    pushed: Effect.map(taken, (all) => all.map(({ method, params }) => [method, params] as const)),
    /** Sends a request, and returns the frames that follow. */
    send: (method: string, ...params: ReadonlyArray<unknown>) =>
      Effect.suspend(() => {
        client.receive(JSON.stringify({ id: ++id, method, params }))
        return taken
      })
  }
})

/** Creates a token for a new connection, and returns its text. */
export const token = (account: Account = alice) =>
  Effect.map(call("/api/v4/profile/websocket_token", {}, account), ({ json }) => String(json["websocket_token"]))

/** Connects a client, and authorizes it for an account. */
export const authorized = Effect.fnUntraced(function*(account: Account = alice) {
  const connection = yield* connect()
  yield* connection.send("authorize", yield* token(account), "public")
  return connection
})

/**
 * The open WebSocket connections of a venue, over all transports.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Control } from "effect-txc/sandbox"
 *
 * // Cuts off every connection of an account.
 * const cutOff = (account: string) =>
 *   Control.Control.use((control) =>
 *     Effect.flatMap(control.connections, (connections) =>
 *       Effect.forEach(
 *         connections.filter((connection) => connection.account === account),
 *         ({ id }) => control.cutConnection({ id, close: false }),
 *         { discard: true }
 *       ))
 *   )
 * ```
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Quotas from "./Quotas.ts"
import type { Ending, Refused } from "./Socket.ts"

const key = Schema.optionalKey

/**
 * A connection's subscription to a channel, with its topics.
 *
 * @category models
 */
export interface SubscribedChannel {
  /** The channel's name on the wire, such as `depth`. */
  readonly channel: string
  /** For each topic, the parameters that subscribe to it, such as `["BTC_USDT", 5, "0", true]`. */
  readonly topics: ReadonlyArray<ReadonlyArray<unknown>>
}

/**
 * The current state of a connection, without its number.
 *
 * @category models
 */
export interface Connected {
  /** The client's address; `in-process` for a client in the sandbox's process. */
  readonly from: string
  /** The account; absent until the connection is authorized. */
  readonly account?: string
  /** The API key whose token authorized the connection. */
  readonly apiKey?: string
  /** The time at which the client connected, on the venue's clock, in Unix microseconds. */
  readonly since: number
  /** The subscriptions, grouped by channel. */
  readonly subscriptions: ReadonlyArray<SubscribedChannel>
  /** The number of messages sent to the client, both replies and pushed messages. */
  readonly sent: number
  /**
   * The total length of the client's unread messages, in characters. A byte in a socket's buffer counts as one
   * character.
   */
  readonly waiting: number
}

/**
 * An open connection.
 *
 * @category models
 */
export interface OpenConnection extends Connected {
  /** The connection's number. Connections are numbered from 1 each time the venue is opened. */
  readonly id: number
}

/**
 * The schema of {@link OpenConnection}.
 *
 * @category schemas
 */
export const OpenConnection: Schema.Codec<OpenConnection, unknown> = Schema.Struct({
  id: Schema.Int,
  from: Schema.String,
  account: key(Schema.String),
  apiKey: key(Schema.String),
  since: Schema.Int,
  subscriptions: Schema.Array(Schema.Struct({
    channel: Schema.String,
    topics: Schema.Array(Schema.Array(Schema.Unknown))
  })),
  sent: Schema.Int,
  waiting: Schema.Int
})

/**
 * A message that was sent to a client.
 *
 * @category models
 */
export interface SentMessage {
  /** The time at which the message was sent, in Unix microseconds on the venue's clock. */
  readonly at: number
  /** The message's text. */
  readonly text: string
}

/**
 * The schema of {@link SentMessage}.
 *
 * @category schemas
 */
export const SentMessage: Schema.Codec<SentMessage, unknown> = Schema.Struct({ at: Schema.Int, text: Schema.String })

/** A connection that the owner can inspect and close. */
export interface Shown {
  /** The current state of the connection. */
  readonly show: () => Connected
  /** The latest messages that were sent, oldest first. */
  readonly latest: () => ReadonlyArray<SentMessage>
  /** Closes the connection. */
  readonly end: (ending: Ending) => void
}

/** The maximum numbers of connections to a venue. */
export const most = {
  /** The maximum for all clients together. */
  ofAll: 1024,
  /** The maximum for one address. */
  ofAddress: 512,
  /** The maximum for connections that are authorized with tokens of one API key. */
  ofKey: 256
} as const

/** The slot that one connection occupies within the limits. */
export interface Place {
  /** Adds the connection to the list of open connections. */
  readonly show: (connection: Shown) => void
  /** Counts the connection towards the limit of an API key. Returns `false` if that limit has been reached. */
  readonly authorize: (apiKey: string) => boolean
  /** Frees the slot once the connection has closed. */
  readonly leave: () => void
}

/** The open connections of a venue. */
export interface OpenConnections {
  /** Reserves a slot for a client. Refuses the client if its address or the venue has too many connections. */
  readonly take: (from: string) => Result.Result<Place, Refused>
  /** The connections, oldest first. */
  readonly list: () => ReadonlyArray<OpenConnection>
  /** The connection with this number; `undefined` if no open connection has the number. */
  readonly find: (id: number) => Shown | undefined
}

const full: Refused = { kind: "unavailable", message: "The exchange has too many connections" }

const tooMany: Refused = { kind: "rateLimited", message: "This address has too many connections" }

/** Creates an empty list of open connections. */
export const make = (): OpenConnections => {
  const connections = new Map<number, Shown>()
  const [places, keys] = [Quotas.make(most.ofAll, most.ofAddress), Quotas.make(Infinity, most.ofKey)]
  let [last, taken] = [0, 0]

  const placeOf = (from: string): Place => {
    const id = ++last
    let key: string | undefined
    return {
      show: (connection) => {
        connections.set(id, connection)
      },
      authorize: (apiKey) => {
        if (key !== undefined) return true
        if (!keys.take(apiKey, 1)) return false
        key = apiKey
        return true
      },
      leave: () => {
        connections.delete(id)
        places.giveBack(from, 1)
        if (key !== undefined) keys.giveBack(key, 1)
        taken--
      }
    }
  }

  return {
    take: (from) => {
      if (!places.take(from, 1)) return Result.fail(taken < most.ofAll ? tooMany : full)
      taken++
      return Result.succeed(placeOf(from))
    },
    list: () => Array.from(connections, ([id, { show }]) => ({ id, ...show() })),
    find: (id) => connections.get(id)
  }
}

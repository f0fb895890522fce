/** A WebSocket connection, independent of transport: a socket, or a connection within the process. */
import type * as Result from "effect/Result"

/**
 * How the exchange ends a connection: abruptly, as the live exchange does it, or with a close frame first (code 1001).
 */
export type Ending = "abrupt" | "closed"

/** The close code of a connection that the exchange ends with a close frame: it is going away. */
export const closeCode = 1001

/** The client's end of a connection, as the exchange sees it. */
export interface Wire {
  /** The client's address. */
  readonly from: string
  /** Sends a text message to the client. */
  readonly send: (text: string) => void
  /** Ends the connection. Called at most once. */
  readonly end: (ending: Ending) => void
  /** The length of the messages that the client has not read yet. */
  readonly waiting: () => number
}

/** The exchange's end of a connection, as the transport sees it. */
export interface Client {
  /** Answers a message of the client. */
  readonly receive: (text: string) => void
  /** Records that the client is alive, although it has sent no message. */
  readonly heard: () => void
  /** Whether to answer a ping that is a control frame. */
  readonly pinged: () => boolean
  /** Ends the connection, unless it has ended already. Calls the end of its wire. */
  readonly end: () => void
}

/** The refusal of a connection, with its reason as a code and as a sentence. */
export interface Refused {
  /** `rateLimited`: the client has too many connections. `unavailable`: the exchange can't take any now. */
  readonly kind: "rateLimited" | "unavailable"
  readonly message: string
}

/** Connects a client, or refuses it. */
export type Connect = (wire: Wire) => Result.Result<Client, Refused>

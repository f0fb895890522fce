/** A WebSocket connection, independent of transport: it works over a socket and within the process. */
import type * as Result from "effect/Result"

/**
 * How the exchange closes a connection: abruptly, as the live exchange does, or with a close frame first (code 1001).
 */
export type Ending = "abrupt" | "closed"

/**
 * The WebSocket close code 1001 ("going away"), with which the exchange closes a connection when it sends a close
 * frame.
 */
export const closeCode = 1001

/** The client's end of a connection, as the exchange sees it. */
export interface Wire {
  /** The client's address. */
  readonly from: string
  /** Sends a text message to the client. */
  readonly send: (text: string) => void
  /** Closes the connection. Called at most once. */
  readonly end: (ending: Ending) => void
  /** The total length of the messages that the client has not read yet: in bytes for a socket, else in characters. */
  readonly waiting: () => number
}

/** The exchange's end of a connection, as the transport sees it. */
export interface Client {
  /** Handles a message from the client. */
  readonly receive: (text: string) => void
  /** Called when anything arrives from the client, such as a pong, so that its connection does not count as silent. */
  readonly heard: () => void
  /** Whether to reply to a ping that is a control frame. */
  readonly pinged: () => boolean
  /** Closes the connection, unless it is already closed. Calls the wire's `end`. */
  readonly end: () => void
}

/** The refusal of a connection, with the reason as a code and as a message. */
export interface Refused {
  /** `rateLimited`: the client has too many connections. `unavailable`: the exchange can't accept connections now. */
  readonly kind: "rateLimited" | "unavailable"
  readonly message: string
}

/** Connects a client, or refuses it. */
export type Connect = (wire: Wire) => Result.Result<Client, Refused>

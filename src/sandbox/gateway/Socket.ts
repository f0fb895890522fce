/** A WebSocket connection, independent of transport: a socket, or a connection within the process. */

/** The client's end of a connection, as the exchange sees it. */
export interface Wire {
  /** Sends a message. */
  readonly send: (text: string) => void
  /** Ends the connection abruptly, as the exchange does: without a closing handshake. Called at most once. */
  readonly end: () => void
  /** The length of the messages that the client has not read yet. */
  readonly waiting: () => number
}

/** The exchange's end of a connection, as the transport sees it. */
export interface Client {
  /** Answers a message of the client. */
  readonly receive: (text: string) => void
  /** Notes a sign of life that is not a message. */
  readonly heard: () => void
  /** Ends the connection, unless it has ended already. Calls the end of its wire. */
  readonly end: () => void
}

/** Connects a client; `undefined` if the exchange can't take one now. */
export type Connect = (wire: Wire) => Client | undefined

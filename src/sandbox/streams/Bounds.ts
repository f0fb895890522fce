/** The limits of connections. Those that the live exchange documents are its own. */

/** The messages that a connection may send in a window (live documentation, "Rate limits"). */
export const messages = { count: 12_000, perMillis: 10_000 } as const

/** The time without a message from the client after which the exchange ends a connection, in milliseconds. */
export const silenceMillis = 60_000

/**
 * The length of the messages that may wait for a client to read them, in characters. A client that reads more slowly is
 * disconnected.
 */
export const maxWaiting = 1024 * 1024

/** The longest message that is read, in bytes. */
export const maxMessage = 64 * 1024

/** The topics that a connection is subscribed to at once, over all channels. A subscription beyond is refused with code 7. */
export const maxTopics = 2000

/**
 * The latest messages of a connection that its owner can look at: their number, and their length together in characters.
 * The last message is kept whatever its length.
 */
export const recent = { messages: 50, length: 32 * 1024 } as const

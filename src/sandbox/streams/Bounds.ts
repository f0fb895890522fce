/** The limits of connections. Where the live exchange documents a limit, its value is used. */

/** The maximum number of messages that a connection may send in a window (live documentation, "Rate limits"). */
export const messages = { count: 12_000, perMillis: 10_000 } as const

/** The time without a message from the client after which the exchange ends a connection, in milliseconds. */
export const silenceMillis = 60_000

/**
 * The maximum length of all messages that wait for a client to read them, in characters. A client that reads more
 * slowly is disconnected.
 */
export const maxWaiting = 1024 * 1024

/** The maximum length of a message from a client, in bytes. */
export const maxMessage = 64 * 1024

/**
 * The maximum number of topics that a connection is subscribed to at once, over all channels. A further subscription is
 * refused with code 7.
 */
export const maxTopics = 2000

/**
 * The latest messages of a connection that the sandbox's owner can read: their maximum number, and their maximum total
 * length in characters. The last message is kept whatever its length.
 */
export const recent = { messages: 50, length: 32 * 1024 } as const

/** The limits on connections. If the live exchange documents a limit, that value is used. */

/** A client may send at most `count` messages in `perMillis` milliseconds (the live documentation, "Rate limits"). */
export const messages = { count: 12_000, perMillis: 10_000 } as const

/** How long a client may send nothing, not even a ping, before the exchange closes the connection, in milliseconds. */
export const silenceMillis = 60_000

/**
 * The maximum total length of a client's unread messages, in characters, where a byte in a socket's buffer counts as
 * one character. The exchange disconnects a client that exceeds this length.
 */
export const maxWaiting = 1024 * 1024

/** The maximum length of a message from a client, in bytes. */
export const maxMessage = 64 * 1024

/**
 * The maximum number of topics to which a connection can be subscribed at the same time, over all channels. The
 * exchange refuses further subscriptions with code 7.
 */
export const maxTopics = 2000

/**
 * Limits on the stored messages of a connection, which the sandbox's owner can read: their maximum number, and their
 * maximum total length in characters. The latest message is stored whatever its length.
 */
export const recent = { messages: 50, length: 32 * 1024 } as const

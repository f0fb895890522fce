/** The server's limits per caller and in total. */

/** The longest body that is read, in bytes. */
export const maxBody = 1024 * 1024

/** The longest body that is read from the owner of the sandbox, in bytes. The owner may send a whole journal. */
export const maxOwnerBody = 256 * 1024 * 1024

/** The bytes of bodies in memory at once, without those of the owner. Requests beyond it are refused for the moment. */
export const maxPending = 64 * 1024 * 1024

/**
 * The process uses less memory than this, in bytes, whatever callers send and however slowly they read, as long as it
 * holds few commands. It covers bodies, headers, waiting answers, the log of calls, and garbage that the runtime has
 * not collected yet. Memory for commands is extra: see `maxPerCommand`.
 */
export const maxMemory = 1024 * 1024 * 1024

/** The average size of a command's traces, in bytes, at most, for calls of the usual length. */
export const maxPerCommand = {
  /** In the state: orders and fills, in memory in any venue, forever. A saved state holds them once more. */
  ofState: 768,
  /** In the journal: on the disk; in memory in a venue without a file, up to `Journal.maxInMemory`. */
  ofJournal: 512
}

/** The number of connections open at once. */
export const maxConnections = 1024

/** The number of calls that may wait for their answers. A connection that exceeds it is closed. */
export const maxUnanswered = {
  /** On one connection. */
  ofOne: 64,
  /** On all connections together. */
  ofAll: 1024
}

/**
 * The share of all connections, of all waiting calls and of all bytes of bodies that one address may use, so that it
 * can't shut out the others.
 */
export const shareOfAddress = 0.5

/** The longest headers that are read, in bytes. The payload header holds the whole body of a signed call in Base64. */
export const maxHeaders = 96 * 1024

/**
 * The time that the headers of a request may take to arrive, in milliseconds. Silent connections are closed after it,
 * too.
 */
export const headersTimeout = 10_000

/** The server's limits per caller and in total. */

/** The longest body that is read, in bytes. */
export const maxBody = 1024 * 1024

/** The longest body that is read from the owner of the sandbox, in bytes. The owner may send a whole journal. */
export const maxOwnerBody = 256 * 1024 * 1024

/**
 * The total size of the bodies in memory at once, in bytes, not counting the owner's. Requests that would exceed it are
 * refused until memory is released.
 */
export const maxPending = 64 * 1024 * 1024

/**
 * The process uses less memory than this, in bytes, whatever callers send and however slowly they read. This covers
 * bodies, headers, waiting answers, the log of calls, and garbage that the runtime has not collected yet. Memory for
 * commands is extra: see `maxPerCommand`.
 */
export const maxMemory = 1024 * 1024 * 1024

/** The average memory that each command takes, in bytes, at most, for calls of typical length. */
export const maxPerCommand = {
  /** In the state: orders and fills, which every venue keeps in memory forever. Each saved state has another copy. */
  ofState: 768,
  /** In the journal: on disk, or, for a venue without a file, in memory up to `Journal.maxInMemory`. */
  ofJournal: 512
}

/**
 * The number of connections open at once. It is larger than the maximum number of calls, so that a call beyond that
 * maximum still has a connection on which to be refused.
 */
export const maxConnections = 3072

/**
 * The numbers of calls that may wait for their answers. A connection that exceeds `ofOne` is closed. Calls that exceed
 * one of the other numbers are refused with 503.
 */
export const maxUnanswered = {
  /** On one connection. */
  ofOne: 64,
  /** On all connections together. */
  ofAll: 2048,
  /** Of one venue. Its owner's calls do not count. */
  ofVenue: 512,
  /** Of one caller of a venue: a key, or an address for calls without a key. */
  ofCaller: 256
}

/**
 * The share that one address may use of all connections, of all waiting calls and of the memory for bodies, so that it
 * can't shut out the others.
 */
export const shareOfAddress = 0.5

/** The longest headers that are read, in bytes. The payload header holds the whole body of a signed call in Base64. */
export const maxHeaders = 96 * 1024

/**
 * The time that the headers of a request may take to arrive, in milliseconds. Silent connections are closed after the
 * same time.
 */
export const headersTimeout = 10_000

/** The server's limits per caller and in total. */

export { shareOfAddress } from "../gateway/Quotas.ts"

/** The maximum length of a body, in bytes. */
export const maxBody = 1024 * 1024

/** The maximum length of a body from the owner of the sandbox, in bytes. The owner may send a whole journal. */
export const maxOwnerBody = 256 * 1024 * 1024

/**
 * The maximum total size of the bodies in memory at once, in bytes, excluding the owner's. Requests that would exceed
 * it are refused until memory is released.
 */
export const maxPending = 64 * 1024 * 1024

/**
 * An upper bound on the memory of the process, in bytes, whatever callers send and however slowly they read. It covers
 * bodies, headers, waiting answers, the log of calls, and garbage that the runtime has not collected yet. Memory for
 * commands is extra: see `maxPerCommand`.
 */
export const maxMemory = 1024 * 1024 * 1024

/** The maximum average memory per command, in bytes, for calls of typical length. */
export const maxPerCommand = {
  /** The maximum in the state: orders and fills, which every venue keeps in memory. Each saved state adds a copy. */
  ofState: 768,
  /**
   * The maximum in the journal, which is on disk or, for a venue without a file, in memory up to `Journal.maxInMemory`.
   */
  ofJournal: 512
}

/**
 * The maximum number of connections open at once. It is larger than the maximum number of calls, so that a call beyond
 * that maximum still has a connection on which it can be refused.
 */
export const maxConnections = 3072

/**
 * The maximum numbers of calls that wait for their answers. A connection that exceeds `ofOne` is closed. Calls that
 * exceed another maximum are refused with 429.
 */
export const maxUnanswered = {
  /** The maximum on one connection. */
  ofOne: 64,
  /** The maximum on all connections together. */
  ofAll: 2048,
  /** The maximum of one venue. Its owner's calls do not count. */
  ofVenue: 512,
  /** The maximum of one caller of a venue. A caller is a key, or an address for calls without a key. */
  ofCaller: 256
}

/** The maximum number of WebSockets open at once, of all venues together. They count as connections, too. */
export const maxWebSockets = 2048

/**
 * The maximum number of bytes that wait for the clients of all WebSockets together. Beyond it, the connection with the
 * most is closed.
 */
export const maxUnread = 64 * 1024 * 1024

/**
 * The maximum length of a request's headers, in bytes. The payload header holds the whole body of a signed call in
 * Base64.
 */
export const maxHeaders = 96 * 1024

/**
 * The time limit for the headers of a request to arrive, in milliseconds. Silent connections are closed after the same
 * time.
 */
export const headersTimeout = 10_000

/** The server's limits per caller and in total. */

export { shareOfAddress } from "../gateway/Quotas.ts"

/** The maximum length of a body, in bytes. */
export const maxBody = 1024 * 1024

/** The maximum length of a body from the sandbox's owner, in bytes. The owner may send an entire journal. */
export const maxOwnerBody = 256 * 1024 * 1024

/**
 * The maximum total size of the bodies in memory at the same time, in bytes, excluding the owner's. If another body
 * would exceed this total, the server refuses incomplete bodies.
 */
export const maxPending = 64 * 1024 * 1024

/**
 * An upper bound on the process's memory usage, in bytes, whatever callers send and however slowly they read. This
 * memory is for bodies, headers, waiting responses, the call log, and garbage that the runtime has not collected yet.
 * Memory for commands is extra: see `maxPerCommand`.
 */
export const maxMemory = 1024 * 1024 * 1024

/** The maximum average memory per command, in bytes, for calls of typical length. */
export const maxPerCommand = {
  /**
   * The part of `maxPerCommand` for the state: orders and fills, which every venue keeps in memory. Each saved state
   * adds a copy.
   */
  ofState: 768,
  /**
   * The part of `maxPerCommand` for the journal, which is on disk or, for a venue without a file, in memory up to
   * `Journal.maxInMemory`.
   */
  ofJournal: 512
}

/**
 * The maximum number of open connections. It is larger than the maximum number of calls, so that a call above that
 * maximum still gets a connection, over which the server refuses it.
 */
export const maxConnections = 3072

/**
 * The maximum numbers of calls in progress. The server closes a connection that exceeds `ofOne`. Calls that exceed any
 * other of these maximums are refused with 429.
 */
export const maxUnanswered = {
  /** The maximum number of calls in progress on one connection. */
  ofOne: 64,
  /** The maximum number of calls in progress on all connections together. */
  ofAll: 2048,
  /** The maximum number of calls in progress to one venue, excluding its owner's calls. */
  ofVenue: 512,
  /**
   * The maximum number of calls in progress from one caller of a venue. A caller is a key, or an address for calls
   * without a key.
   */
  ofCaller: 256
}

/**
 * The maximum number of WebSockets open at the same time, for all venues together. Each WebSocket is also counted as a
 * connection.
 */
export const maxWebSockets = 2048

/**
 * The maximum number of unread bytes on all WebSockets together. If this number is exceeded, the server breaks the
 * connection with the most unread bytes.
 */
export const maxUnread = 64 * 1024 * 1024

/**
 * The maximum length of a request's headers, in bytes. The payload header contains the entire body of a signed call in
 * Base64.
 */
export const maxHeaders = 96 * 1024

/**
 * The time limit for the headers of a request to arrive, in milliseconds. The server closes silent connections after
 * the same time.
 */
export const headersTimeout = 10_000

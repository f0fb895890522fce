/** How much the server takes, of one caller and of all together. */

/** The longest body that is read, in bytes. */
export const maxBody = 1024 * 1024

/** The longest body that is read of the owner of the sandbox, in bytes. The owner may send a whole journal. */
export const maxOwnerBody = 256 * 1024 * 1024

/** How many bytes of bodies are kept at once, of all callers but the owner. More callers are refused for the moment. */
export const maxPending = 64 * 1024 * 1024

/**
 * The process takes less memory than this, in bytes, whatever callers send and however they read, as long as it holds few
 * commands. This covers bodies, headers, answers that wait, the log of calls, and garbage that the runtime has not
 * collected yet. What commands leave behind comes on top: see `maxPerCommand`.
 */
export const maxMemory = 1024 * 1024 * 1024

/** What a command leaves behind at most, in bytes, on average over calls of the usual length. */
export const maxPerCommand = {
  /** In the state: orders and fills, in memory in any venue, without end. A saved state holds them once more. */
  ofState: 768,
  /** In the journal: on the disk; in memory in a venue without a file, up to `Journal.maxInMemory`. */
  ofJournal: 512
}

/** How many connections are open at once. */
export const maxConnections = 1024

/** How many calls may wait for their answers. A connection with more is closed. */
export const maxUnanswered = {
  /** Of one connection. */
  ofOne: 64,
  /** Of all connections together. */
  ofAll: 1024
}

/**
 * The share that one address may have of all connections, of all calls that wait and of all bytes of bodies, so that it
 * can't shut out the others.
 */
export const shareOfAddress = 0.5

/** The longest headers that are read, in bytes. The payload header holds the whole body of a signed call in Base64. */
export const maxHeaders = 96 * 1024

/** How long the headers of a request may take to arrive, in milliseconds. Silent connections are closed then, too. */
export const headersTimeout = 10_000

/** Decides whether a connection failure proves that the request was never sent. */
import type * as HttpClientError from "effect/http/HttpClientError"
import type { UnreachableCause } from "../../protocol/Errors.ts"

/**
 * Error codes of Node, undici and OpenSSL for connections that were never established, so nothing can have been sent
 * over them.
 */
const neverConnected: Readonly<Record<string, UnreachableCause>> = {
  ERR_INVALID_URL: "other",
  ENOTFOUND: "dns",
  EAI_AGAIN: "dns",
  ECONNREFUSED: "refused",
  EHOSTUNREACH: "unreachable",
  ENETUNREACH: "unreachable",
  EADDRNOTAVAIL: "unreachable",
  UND_ERR_CONNECT_TIMEOUT: "unreachable",
  CERT_HAS_EXPIRED: "tls",
  CERT_NOT_YET_VALID: "tls",
  DEPTH_ZERO_SELF_SIGNED_CERT: "tls",
  SELF_SIGNED_CERT_IN_CHAIN: "tls",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "tls",
  UNABLE_TO_GET_ISSUER_CERT: "tls",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "tls",
  ERR_TLS_CERT_ALTNAME_INVALID: "tls",
  ERR_SSL_WRONG_VERSION_NUMBER: "tls"
}

/**
 * The system calls that run before anything is sent. If a later system call failed, the same error code may mean that
 * an established connection ended.
 */
const beforeSending: { readonly [K in UnreachableCause]?: RegExp } = {
  dns: /^(?:getaddrinfo|query)/u,
  refused: /^connect$/u,
  unreachable: /^connect$/u
}

interface Cause {
  readonly code?: unknown
  readonly syscall?: unknown
  readonly errors?: unknown
  readonly message?: unknown
}

/** The reason why nothing was sent, if the cause proves that; otherwise `undefined`. */
const proofOf = ({ code, errors, message, syscall }: Cause): UnreachableCause | undefined => {
  // If a server responds to the TLS handshake in another protocol, nothing more is sent to it. An EPROTO with a
  // different message may mean that an established connection ended.
  if (code === "EPROTO" && typeof message === "string" && message.includes("wrong version number")) return "tls"
  const why = typeof code === "string" && Object.hasOwn(neverConnected, code) ? neverConnected[code] : undefined
  // Several addresses were tried, so every failure must prove that nothing was sent.
  if (Array.isArray(errors) && errors.length > 0) {
    return errors.every((error: Cause) => proofOf(error) !== undefined) ? why : undefined
  }
  const call = why === undefined || code === "UND_ERR_CONNECT_TIMEOUT" ? undefined : beforeSending[why]
  return call === undefined || (typeof syscall === "string" && call.test(syscall)) ? why : undefined
}

/** An error and its causes, outermost first. */
const chain = (error: unknown): ReadonlyArray<Cause> => {
  const found: Array<object> = []
  let current = error
  while (typeof current === "object" && current !== null && found.length < 8) {
    found.push(current)
    current = "cause" in current ? current.cause : undefined
  }
  return found
}

/** A connection failure, and whether it proves that nothing was sent. */
export interface ConnectionFailure {
  /** The reason why the request was not sent; `undefined` when it may have been sent. */
  readonly why: UnreachableCause | undefined
  /** A description of the problem, from the deepest cause. */
  readonly reason: string
}

/**
 * Classifies an error by its own code and message, and by its causes' codes and messages. `otherwise` is the
 * description if there is neither a message nor a code.
 */
export const ofCause = (cause: unknown, otherwise: string): ConnectionFailure => {
  const causes = chain(cause)
  const codes = causes.flatMap(({ code }) => typeof code === "string" ? [code] : [])
  const messages = causes.flatMap(({ message }) => typeof message === "string" && message !== "" ? [message] : [])
  return {
    why: causes.map(proofOf).find((why) => why !== undefined),
    reason: messages.at(-1) ?? codes[0] ?? otherwise
  }
}

/** Classifies an `HttpClient` error. */
export const ofError = ({ reason }: HttpClientError.HttpClientError): ConnectionFailure =>
  reason._tag === "InvalidUrlError" || reason._tag === "EncodeError"
    ? { why: "other", reason: reason.message }
    : ofCause("cause" in reason ? reason.cause : undefined, reason._tag)

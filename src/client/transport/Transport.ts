/**
 * Sending bytes over an `HttpClient`, and what a failure proves: that the request was never sent, or nothing.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Headers from "effect/http/Headers"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as UrlParams from "effect/http/UrlParams"
import * as Option from "effect/Option"
import type { UnreachableCause } from "../../protocol/Errors.ts"
import * as Signature from "../../protocol/Signature.ts"

// -----------------------------------------------------------------------------
// Sending
// -----------------------------------------------------------------------------

/** What every request runs under: no redirects, no trace headers, no span of the client below. */
const quiet = Context.empty().pipe(
  Context.add(FetchHttpClient.RequestInit, { redirect: "manual" }),
  Context.add(HttpClient.TracerDisabledWhen, () => true),
  Context.add(HttpClient.TracerPropagationEnabled, false)
)

/**
 * Sends a request once and reads the whole answer. Redirects are not followed: they would deliver the key and the signature
 * to another server. No header that holds a secret is printed.
 *
 * @category sending
 * @since 0.1.0
 */
export const send = (
  http: HttpClient.HttpClient,
  request: HttpClientRequest.HttpClientRequest
): Effect.Effect<readonly [HttpClientResponse.HttpClientResponse, string], HttpClientError.HttpClientError> =>
  Effect.withFiber((fiber) =>
    Effect.flatMap(http.execute(request), (response) => Effect.map(response.text, (text) => [response, text] as const))
      .pipe(
        Effect.provideContext(
          Context.add(quiet, Headers.CurrentRedactedNames, [
            ...fiber.getRef(Headers.CurrentRedactedNames),
            Signature.secretHeaders
          ])
        )
      )
  )

/**
 * A POST of these exact bytes. Names of headers are in lower case. It is made in one step, because a request made from
 * options would be taken apart and put together once more.
 *
 * @category constructors
 * @since 0.1.0
 */
export const post = (
  url: string,
  body: Uint8Array,
  headers: Readonly<Record<string, string>>
): HttpClientRequest.HttpClientRequest =>
  HttpClientRequest.makeWith(
    "POST",
    url,
    UrlParams.empty,
    Option.none(),
    Headers.fromRecordUnsafe({
      ...headers,
      "content-type": "application/json",
      "content-length": body.byteLength.toString()
    }),
    HttpBody.uint8Array(body, "application/json")
  )

// -----------------------------------------------------------------------------
// What a failure proves
// -----------------------------------------------------------------------------

/** Codes of Node, undici and OpenSSL for a connection that was never made. Nothing can have been sent over it. */
const neverConnected: Readonly<Record<string, UnreachableCause>> = {
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

/** The system calls that come before anything can be sent. The same codes may end a connection that was made. */
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

/** Why a cause proves that nothing was sent; `undefined` when it proves nothing. */
const proofOf = ({ code, errors, message, syscall }: Cause): UnreachableCause | undefined => {
  // A server that answers the TLS greeting with something else has been sent nothing more. Any other EPROTO may end a
  // connection that was made.
  if (code === "EPROTO" && typeof message === "string" && message.includes("wrong version number")) return "tls"
  const why = typeof code === "string" && Object.hasOwn(neverConnected, code) ? neverConnected[code] : undefined
  // Several addresses were tried: each attempt must prove it.
  if (Array.isArray(errors) && errors.length > 0) {
    return errors.every((error: Cause) => proofOf(error) !== undefined) ? why : undefined
  }
  const call = why === undefined || code === "UND_ERR_CONNECT_TIMEOUT" ? undefined : beforeSending[why]
  return call === undefined || (typeof syscall === "string" && call.test(syscall)) ? why : undefined
}

/** An error and what caused it, outermost first. */
const chain = (error: unknown): ReadonlyArray<Cause> => {
  const found: Array<object> = []
  let current = error
  while (typeof current === "object" && current !== null && found.length < 8) {
    found.push(current)
    current = "cause" in current ? current.cause : undefined
  }
  return found
}

/**
 * Why a request failed. `why` is present only when the request was provably not sent.
 *
 * @category classification
 * @since 0.1.0
 */
export const failureOf = (
  error: HttpClientError.HttpClientError
): { readonly why: UnreachableCause | undefined; readonly reason: string } => {
  const { reason } = error
  if (reason._tag === "InvalidUrlError" || reason._tag === "EncodeError")
    return { why: "other", reason: reason.message }
  const causes = chain("cause" in reason ? reason.cause : undefined)
  const codes = causes.flatMap(({ code }) => typeof code === "string" ? [code] : [])
  const messages = causes.flatMap(({ message }) => typeof message === "string" && message !== "" ? [message] : [])
  return {
    why: causes.map(proofOf).find((why) => why !== undefined),
    reason: messages.at(-1) ?? codes[0] ?? reason._tag
  }
}

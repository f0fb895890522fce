/**
 * Sends requests. If no complete response arrives, the error states whether the request may have been delivered.
 *
 * All other code sends requests only through this service. Every transport must keep three promises: it never sends an
 * at-most-once request twice, never reads more of a response than the request allows, and never waits longer than the
 * request allows.
 *
 * @example
 * ```ts
 * import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
 * import * as Layer from "effect/Layer"
 * import { type Credentials, Exchange, Transport } from "effect-txc"
 *
 * // Limits every response to one megabyte.
 * export const small = (credentials: Credentials.Options) =>
 *   Exchange.layer({ region: "global", credentials }).pipe(
 *     Layer.provide(Layer.succeed(Transport.MaxAnswerBytes, 1024 * 1024)),
 *     Layer.provide(NodeHttpClient.layerUndici)
 *   )
 * ```
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { UnreachableCause } from "../../protocol/Errors.ts"

/**
 * A request on the wire.
 *
 * @category models
 */
export interface Request {
  /** `GET` for public calls, `POST` for private calls. */
  readonly method: "GET" | "POST"
  /** The complete URL, including the query. */
  readonly url: string
  /** Headers by lower-case name, without `content-length`, which the transport sets. */
  readonly headers: Readonly<Record<string, string>>
  /** The exact bytes to send; absent for requests without a body. */
  readonly body?: Uint8Array
  /** Whether the request must not be delivered more than once. */
  readonly once: boolean
  /** The maximum time until the last byte of the response. */
  readonly timeout: Duration.Input
  /** The maximum size of the response's body in bytes, after decompression. */
  readonly maxAnswerBytes: number
}

/**
 * The response to a request, whatever its status.
 *
 * @category models
 */
export interface Answer {
  /** The HTTP status. */
  readonly status: number
  /** The headers, keyed by lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The complete body, decompressed. */
  readonly text: string
  /**
   * Replaces the connections to the server that sent this refusal, and watches the old connections for another
   * response. This is needed because the refusal may belong to another request, in which case the call may have been
   * applied. Fails if another response arrived. Succeeds with `true` if another response would have been detected, and
   * with `false` if an old connection ended or still carries a request.
   *
   * A mutating call whose nonce was refused is sent once more only if the result is `true`. This function is present
   * only on refusals of at-most-once requests, over a transport that opens its own connections and closes any
   * connection that receives unsolicited bytes.
   */
  readonly startOver?: Effect.Effect<boolean, SendFailed>
}

/**
 * Nothing was sent.
 *
 * @category models
 */
export interface NotSent {
  /** Nothing was sent, so nothing was applied. */
  readonly kind: "not-sent"
  /** The reason why nothing was sent. */
  readonly why: UnreachableCause
}

/**
 * The request may have been delivered, but no complete response arrived.
 *
 * @category models
 */
export interface MayBeDelivered {
  /**
   * - `lost`: the connection ended before the complete response arrived, or the response can't be decoded
   * - `resent`: the HTTP client tried to send the request a second time, which the transport prevented
   * - `timeout`: the response did not arrive in time
   */
  readonly kind: "lost" | "resent" | "timeout"
}

/**
 * The response is too large, so the connection was closed.
 *
 * @category models
 */
export interface TooLarge {
  /** The request was delivered, but its response was not read completely. */
  readonly kind: "too-large"
  /** The HTTP status of the response. */
  readonly status: number
}

/**
 * The facts known about a request without a complete response: whether it was sent, and how much of the response
 * arrived.
 *
 * @category models
 */
export type Proof = NotSent | MayBeDelivered | TooLarge

/**
 * The request has no usable response.
 *
 * @category errors
 */
export class SendFailed extends Data.TaggedError("SendFailed")<{
  readonly proof: Proof
  readonly reason: string
}> {
  /**
   * The facts known about a request without a complete response: whether it was sent, and how much of the response
   * arrived.
   */
  declare readonly proof: Proof
  /** A description of the failure. It may quote the request, so scrub it before you show it. */
  declare readonly reason: string
}

/**
 * Creates the failure for a request whose response is too large.
 *
 * @category errors
 */
export const tooLarge = (status: number, { maxAnswerBytes }: Request): SendFailed =>
  new SendFailed({
    proof: { kind: "too-large", status },
    reason: `the response has more than ${maxAnswerBytes} bytes`
  })

/**
 * Creates the failure for a request whose response did not arrive in time.
 *
 * @category errors
 */
export const timedOut = ({ timeout }: Request): SendFailed =>
  new SendFailed({
    proof: { kind: "timeout" },
    reason: `no response within ${Duration.toMillis(Duration.fromInputUnsafe(timeout))} ms`
  })

/**
 * Sends requests.
 *
 * @category services
 */
export class Transport extends Context.Service<Transport, {
  /**
   * Sends the request and reads the complete response. Does not follow redirects, because they would deliver the key
   * and the signature to another server, and sends no trace headers. Fails only with {@link SendFailed}.
   */
  readonly send: (request: Request) => Effect.Effect<Answer, SendFailed>
}>()("effect-txc/client/Transport") {}

/**
 * The maximum size of a response's body in bytes, after decompression. Default: 32 MiB. Provide a value to an
 * exchange's layer for all calls, or to a single call; the single call's value takes precedence. The largest real
 * responses (all markets, assets or fees) are smaller than 2 MiB. If a response is larger, its connection is closed,
 * and the call fails in the same way as after any unreadable response.
 *
 * @category configuration
 */
export const MaxAnswerBytes = Context.Reference<number>("effect-txc/client/Transport/MaxAnswerBytes", {
  defaultValue: () => 32 * 1024 * 1024
})

/**
 * What sends the bytes of a request and brings back the answer, or says what the lack of one proves.
 *
 * Everything above knows only this service. Another transport keeps its three promises: a request that may be delivered
 * once is never sent twice, no answer is larger than asked for, and none is waited for longer than asked for.
 *
 * @example
 * ```ts
 * import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
 * import * as Layer from "effect/Layer"
 * import { type Credentials, Exchange, Transport } from "effect-txc"
 *
 * // No answer of more than a megabyte is read.
 * export const small = (credentials: Credentials.Options) =>
 *   Exchange.layer({ region: "global", credentials }).pipe(
 *     Layer.provide(Layer.succeed(Transport.MaxAnswerBytes, 1024 * 1024)),
 *     Layer.provide(NodeHttpClient.layerUndici)
 *   )
 * ```
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { UnreachableCause } from "../../protocol/Errors.ts"

// -----------------------------------------------------------------------------
// The service
// -----------------------------------------------------------------------------

/**
 * A request, as it is on the wire.
 *
 * @category models
 * @since 0.1.0
 */
export interface Request {
  /** Public calls are read with GET, private calls are sent with POST. */
  readonly method: "GET" | "POST"
  /** The whole URL, with its query. */
  readonly url: string
  /** Headers by lower-case name, without `content-length`: the transport sets it. */
  readonly headers: Readonly<Record<string, string>>
  /** Exactly these bytes are sent; absent on requests without a body. */
  readonly body?: Uint8Array
  /** Whether the request may be delivered at most once. */
  readonly once: boolean
  /**
   * Whether to send it over a connection that has carried nothing before, because the answer to the attempt before this one may
   * not have been its own. Only a transport with `freshConnections` is asked to.
   */
  readonly fresh: boolean
  /** How long to wait for the last byte of the answer. */
  readonly timeout: Duration.Input
  /** The most bytes of the answer's body that are read, counted after decompression. */
  readonly maxAnswerBytes: number
}

/**
 * The answer to a request, whatever its status.
 *
 * @category models
 * @since 0.1.0
 */
export interface Answer {
  /** The HTTP status. */
  readonly status: number
  /** The headers, by lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The whole body, decompressed. */
  readonly text: string
}

/**
 * Nothing was sent.
 *
 * @category models
 * @since 0.1.0
 */
export interface NotSent {
  /** Nothing was sent, so nothing was applied. */
  readonly kind: "not-sent"
  /** What prevented it. */
  readonly why: UnreachableCause
}

/**
 * The request may have been delivered, and no whole answer came.
 *
 * @category models
 * @since 0.1.0
 */
export interface MayBeDelivered {
  /**
   * - `lost`: the connection ended before the whole answer was there, or what came cannot be decoded
   * - `resent`: what sends wanted to send the request a second time; that was refused
   * - `timeout`: the answer did not come in time
   */
  readonly kind: "lost" | "resent" | "timeout"
}

/**
 * The answer has more bytes than asked for, so the connection was closed.
 *
 * @category models
 * @since 0.1.0
 */
export interface TooLarge {
  /** The request was delivered; its answer was not read to the end. */
  readonly kind: "too-large"
  /** The HTTP status of the answer. */
  readonly status: number
}

/**
 * What the lack of an answer proves.
 *
 * @category models
 * @since 0.1.0
 */
export type Proof = NotSent | MayBeDelivered | TooLarge

/**
 * There is no answer.
 *
 * @category errors
 * @since 0.1.0
 */
export class SendFailed extends Data.TaggedError("SendFailed")<{
  readonly proof: Proof
  readonly reason: string
}> {
  /** What that proves. */
  declare readonly proof: Proof
  /** What happened, in words. They may contain what was sent: scrub them. */
  declare readonly reason: string
}

/**
 * The failure of a request whose answer has more bytes than asked for.
 *
 * @category errors
 * @since 0.1.0
 */
export const tooLarge = (status: number, { maxAnswerBytes }: Request): SendFailed =>
  new SendFailed({
    proof: { kind: "too-large", status },
    reason: `the answer has more than ${maxAnswerBytes} bytes`
  })

/**
 * The failure of a request whose answer did not come in time.
 *
 * @category errors
 * @since 0.1.0
 */
export const timedOut = ({ timeout }: Request): SendFailed =>
  new SendFailed({
    proof: { kind: "timeout" },
    reason: `no answer within ${Duration.toMillis(Duration.fromInputUnsafe(timeout))} ms`
  })

/**
 * Sends requests.
 *
 * @category services
 * @since 0.1.0
 */
export class Transport extends Context.Service<Transport, {
  /**
   * Whether it makes its connections itself, ends one that has brought bytes that nobody asked for, and opens a new one for a
   * `fresh` request. A mutating call whose nonce was refused is tried once more only over such a transport: over another the
   * refusal may be an answer that was left over on a kept connection, and the order may have been delivered.
   */
  readonly freshConnections: boolean
  /**
   * Sends the request and reads the whole answer. Redirects are not followed: they would deliver the key and the
   * signature to another server. No trace header is sent. It fails only with {@link SendFailed}.
   */
  readonly send: (request: Request) => Effect.Effect<Answer, SendFailed>
}>()("effect-txc/client/Transport") {}

/**
 * The most bytes of an answer's body that are read, counted after decompression: 32 MiB unless provided otherwise, to an
 * exchange's layer for all its calls, or to a call, which goes first. The largest real answers, all markets, assets or
 * fees, have less than 2 MiB. The connection of a larger answer is closed, and the call ends as with any answer that
 * cannot be read.
 *
 * @category configuration
 * @since 0.1.0
 */
export const MaxAnswerBytes = Context.Reference<number>("effect-txc/client/Transport/MaxAnswerBytes", {
  defaultValue: () => 32 * 1024 * 1024
})

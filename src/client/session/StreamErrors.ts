/**
 * The errors that a channel's stream or query can fail with. A lost connection does not end a stream: the stream emits
 * an `Interrupted` and continues.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { StreamErrors } from "effect-txc"
 *
 * const explain = (error: StreamErrors.PublicFailure) => Effect.logError(error.message)
 * ```
 */
import * as Schema from "effect/Schema"
import type * as Errors from "../../protocol/Errors.ts"
import { codes } from "../../protocol/Frame.ts"

const transientCodes: ReadonlyArray<number> = [
  codes.internalError,
  codes.serviceUnavailable,
  codes.serviceTimeout,
  codes.authenticationRequired,
  codes.tooManyRequests
]

/** Whether the exchange might accept the same request later, or over another connection. */
export const isTransient = (code: number): boolean => transientCodes.includes(code)

/**
 * The exchange refused a subscription or a query, for example because it does not know the market. Correct the topic
 * or the parameters.
 *
 * @category errors
 */
export class StreamRefused extends Schema.TaggedError<StreamRefused>()("StreamRefused", {
  method: Schema.String,
  origin: Schema.Literals(["local", "exchange"]),
  code: Schema.Int,
  reason: Schema.String
}) {
  /** The WebSocket method, such as `depth_subscribe`. */
  declare readonly method: string
  /** `local` if this client refused the request without sending it; `exchange` if the exchange refused it. */
  declare readonly origin: "local" | "exchange"
  /** The exchange's error code, such as 9 for an unknown market. The code is 1 when `origin` is `local`. */
  declare readonly code: number
  /** The exchange's message, or, when `origin` is `local`, the problem with the parameters. */
  declare readonly reason: string
  /** Whether the same request may succeed later, because the exchange is overloaded or unavailable. */
  get isRetryable(): boolean {
    return isTransient(this.code)
  }
  /** The method, the code, the reason and, if the exchange refused the request, some advice, in one line. */
  override get message(): string {
    const advice = this.isRetryable ? " Try again later." : this.origin === "local" ? "" : " Check the parameters."
    return `${this.method} was refused with code ${this.code}: ${this.reason}.${advice}`
  }
}

/**
 * The response to a query, or the token for the WebSocket, does not have the documented form.
 *
 * @category errors
 */
export class UnreadableAnswer extends Schema.TaggedError<UnreadableAnswer>()("UnreadableAnswer", {
  method: Schema.String,
  problem: Schema.String
}) {
  /** The WebSocket method, such as `depth_request`. */
  declare readonly method: string
  /** A description of how the response differs from the documented form. */
  declare readonly problem: string
  /** Always `false`, because the exchange would send the same response again. */
  readonly isRetryable = false
  /** The method and the problem, in one line. */
  override get message(): string {
    return `The response to ${this.method} can't be read: ${this.problem}. Check that this is the live exchange.`
  }
}

/**
 * The subscription needs another connection, but the session already has the maximum number of connections. Use fewer
 * different candle intervals and order books at the same time, or use another session.
 *
 * @category errors
 */
export class TooManyConnections extends Schema.TaggedError<TooManyConnections>()("TooManyConnections", {
  channel: Schema.String,
  limit: Schema.Int
}) {
  /** The channel, such as `CandlesChannel`; for a query, its method, such as `depth_request`. */
  declare readonly channel: string
  /** The session's maximum number of connections. */
  declare readonly limit: number
  /** Always `true`, because another subscription may end and free its connection. */
  readonly isRetryable = true
  /** The channel, the limit and some advice, in one line. */
  override get message(): string {
    return `${this.channel} needs another connection, but the session already has ${this.limit}. End another `
      + "subscription, or use a second session."
  }
}

/**
 * The exchange did not accept the token that authorizes the connection for the account. Check the API key's permissions
 * and the region.
 *
 * @category errors
 */
export class AuthorizationRefused extends Schema.TaggedError<AuthorizationRefused>()("AuthorizationRefused", {
  code: Schema.Int,
  reason: Schema.String
}) {
  /** The exchange's code. */
  declare readonly code: number
  /** The exchange's message, without the token. */
  declare readonly reason: string
  /** Always `false`, because the exchange would refuse the token again. */
  readonly isRetryable = false
  /** The code, the reason and some advice, in one line. */
  override get message(): string {
    return `The exchange did not authorize the connection, code ${this.code}: ${this.reason}. Check the API key's `
      + "permissions and the region."
  }
}

/**
 * The errors that can occur when requesting a WebSocket token.
 *
 * @category models
 */
export type TokenFailure =
  | Errors.NotAuthorized
  | Errors.RequestRejected
  | Errors.NonceRejected
  | Errors.RateLimited
  | Errors.ExchangeUnreachable
  | Errors.UnexpectedResponse

/**
 * The errors that a public channel's stream can fail with.
 *
 * @category models
 */
export type PublicFailure = StreamRefused | UnreadableAnswer | TooManyConnections

/**
 * The errors that end all of an account's streams: the exchange does not create a token for the key, or refuses the
 * token.
 *
 * @category models
 */
export type AccountFailure =
  | AuthorizationRefused
  | Errors.NotAuthorized
  | Errors.RequestRejected
  | Errors.UnexpectedResponse

/**
 * The errors that a private channel's stream can fail with.
 *
 * @category models
 */
export type PrivateFailure = PublicFailure | AccountFailure

/**
 * The errors that a channel's stream can fail with, depending on the channel's access.
 *
 * @category models
 */
export type Failure<Access extends "public" | "private"> = Access extends "public" ? PublicFailure : PrivateFailure

/**
 * The errors that a query over the WebSocket can fail with, depending on the channel's access. A query whose connection
 * is lost is not repeated automatically: the query fails with `ExchangeUnreachable`, and you may repeat it.
 *
 * @category models
 */
export type QueryFailure<Access extends "public" | "private"> =
  | Failure<Access>
  | Errors.ExchangeUnreachable

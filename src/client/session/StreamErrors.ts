/**
 * The errors with which a channel's stream or query ends. A lost connection does not end a stream: the stream announces
 * it with an `Interrupted` and continues.
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

/** Whether the exchange may accept the same request later, or over another connection. */
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
  /** The method of the WebSocket, such as `depth_subscribe`. */
  declare readonly method: string
  /** `local` if this client refused the request without sending it; `exchange` if the exchange refused it. */
  declare readonly origin: "local" | "exchange"
  /** The exchange's code, such as 9 for an unknown market. 1 when `origin` is `local`. */
  declare readonly code: number
  /** The exchange's message, or what is wrong with the parameters. */
  declare readonly reason: string
  /** Whether the same request may succeed later: the exchange is overloaded or unavailable. */
  get isRetryable(): boolean {
    return isTransient(this.code)
  }
  /** The method, the code, the reason and advice, in one line. */
  override get message(): string {
    const advice = this.isRetryable ? "Try again later." : "Check the parameters."
    return `${this.method} was refused with code ${this.code}: ${this.reason}. ${advice}`
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
  /** The method of the WebSocket, such as `depth_request`. */
  declare readonly method: string
  /** How the response differs from the documented form. */
  declare readonly problem: string
  /** `false`: the exchange would give the same response. */
  readonly isRetryable = false
  /** The method and the problem, in one line. */
  override get message(): string {
    return `The response to ${this.method} can't be read: ${this.problem}. Check that this is the live exchange.`
  }
}

/**
 * The subscription needs another connection, but the session already has as many as it may open. Use fewer different
 * candle intervals and order books at a time, or another session.
 *
 * @category errors
 */
export class TooManyConnections extends Schema.TaggedError<TooManyConnections>()("TooManyConnections", {
  channel: Schema.String,
  limit: Schema.Int
}) {
  /** The channel, such as `CandlesChannel`. */
  declare readonly channel: string
  /** The number of connections that a session may have. */
  declare readonly limit: number
  /** `true`: another subscription may end and free its connection. */
  readonly isRetryable = true
  /** The channel, the limit and advice, in one line. */
  override get message(): string {
    return `${this.channel} needs another connection, but the session already has ${this.limit}. End another `
      + "subscription, or use a second session."
  }
}

/**
 * The exchange did not accept the token that authorises the connection for its account. Check the API key's permissions
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
  /** `false`: the exchange would refuse the account again. */
  readonly isRetryable = false
  /** The code, the reason and advice, in one line. */
  override get message(): string {
    return `The exchange did not authorize the connection, code ${this.code}: ${this.reason}. Check the API key's `
      + "permissions and the region."
  }
}

/**
 * The errors of a call for a WebSocket token.
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
 * The errors with which a public channel's stream ends.
 *
 * @category models
 */
export type PublicFailure = StreamRefused | UnreadableAnswer | TooManyConnections

/**
 * The errors that end all streams of an account: the exchange does not give the key a token, or refuses the token.
 *
 * @category models
 */
export type AccountFailure =
  | AuthorizationRefused
  | Errors.NotAuthorized
  | Errors.RequestRejected
  | Errors.UnexpectedResponse

/**
 * The errors with which a private channel's stream ends.
 *
 * @category models
 */
export type PrivateFailure = PublicFailure | AccountFailure

/**
 * The errors with which a channel's stream ends, depending on the channel's access.
 *
 * @category models
 */
export type Failure<Access extends "public" | "private"> = Access extends "public" ? PublicFailure : PrivateFailure

/**
 * The errors of a query over the WebSocket, depending on the channel's access. A query is not repeated when its
 * connection is lost: it fails with `ExchangeUnreachable`, and you may ask again.
 *
 * @category models
 */
export type QueryFailure<Access extends "public" | "private"> =
  | Failure<Access>
  | Errors.ExchangeUnreachable

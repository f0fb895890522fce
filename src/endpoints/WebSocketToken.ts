/**
 * The token that authorizes a WebSocket connection for an account.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Redacted from "effect/Redacted"
 * import { WebSocketToken } from "effect-txc"
 *
 * // The request that authorizes a connection. Create a new token for each connection.
 * const authorize = Effect.gen(function*() {
 *   const { create } = yield* WebSocketToken.WebSocketToken
 *   const { token } = yield* create
 *   return JSON.stringify({ id: 1, method: "authorize", params: [Redacted.value(token), "public"] })
 * })
 * ```
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type * as Call from "../client/call/Call.ts"
import * as PlainService from "../client/make/PlainService.ts"
import { NonEmptyText } from "../domain/Text.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Wire from "../protocol/Wire.ts"

const request = () => Wire.struct({})

/**
 * A token for one WebSocket connection.
 *
 * @category models
 */
export interface Token {
  /**
   * The token: the first parameter of the `authorize` request. The exchange does not document how long a token is
   * valid.
   */
  readonly token: Redacted.Redacted
}

const response = () =>
  Wire.answer<Token>({ token: Schema.RedactedFromValue(NonEmptyText) }, { keys: { token: "websocket_token" } })

/**
 * The endpoint `POST /api/v4/profile/websocket_token`. Source: the live exchange's documentation, 2026.
 *
 * @category endpoints
 */
export const endpoint = Endpoint.make({
  name: "WebSocketToken.create",
  path: "/api/v4/profile/websocket_token",
  access: "private",
  mutates: false,
  rateLimit: { calls: 10, perSeconds: 60 },
  refusals: [],
  request,
  response: () => response().schema,
  example: () => ({})
})

/**
 * Errors that can occur when creating a token.
 *
 * @category errors
 */
export type Failure = Endpoint.Failures<typeof endpoint>["failure"]

/**
 * Creates tokens for WebSocket connections.
 *
 * @category services
 */
export class WebSocketToken extends Context.Service<WebSocketToken, {
  /**
   * Creates a token. Use a new token for each connection. The exchange creates at most 10 tokens per minute.
   *
   * Fails with `RequestRejected`, code 30, when the exchange does not find the key's user.
   */
  readonly create: Effect.Effect<Token, Failure>
}>()("effect-txc/endpoints/WebSocketToken") {
  /** Provides this service. Requires an account's `Call`. */
  static readonly layer: Layer.Layer<WebSocketToken, never, Call.Call> = PlainService.layer(
    WebSocketToken,
    endpoint,
    (call) => ({ create: call({}) })
  )
}

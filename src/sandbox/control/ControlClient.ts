/**
 * Controls a sandbox in another process, with a client derived from `ControlApi`.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as FetchHttpClient from "effect/http/FetchHttpClient"
 * import * as Redacted from "effect/Redacted"
 * import { ControlClient } from "effect-txc/sandbox"
 *
 * const control = ControlClient.layer({ url: "http://127.0.0.1:8080", token: Redacted.make("the control token") })
 * const anHourLater = ControlClient.ControlClient.use((control) =>
 *   control.advanceClock({ payload: { millis: 3_600_000 } })
 * ).pipe(Effect.provide(control), Effect.provide(FetchHttpClient.layer))
 * ```
 */
import * as Context from "effect/Context"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import { ControlApi } from "./ControlApi.ts"

/**
 * A client with one method per control plane operation. The fields of an operation are passed in `payload`, `query` or
 * `params`.
 *
 * @category services
 */
export class ControlClient extends Context.Service<ControlClient, HttpApiClient.ForApi<typeof ControlApi>>()(
  "effect-txc/sandbox/ControlClient"
) {}

/**
 * The sandbox's address and token. The first line that `effect-txc sandbox` prints contains the address and the token.
 *
 * @category models
 */
export interface Options {
  /** The sandbox's base URL, such as `http://127.0.0.1:8080`. */
  readonly url: string
  /** The sandbox's control token. */
  readonly token: Redacted.Redacted
}

/**
 * Provides a client for the control plane.
 *
 * @category layers
 */
export const layer = (
  { token, url }: Options
): Layer.Layer<ControlClient, never, HttpClient.HttpClient> =>
  Layer.effect(
    ControlClient,
    HttpApiClient.make(ControlApi, {
      baseUrl: url,
      transformClient: HttpClient.mapRequest(HttpClientRequest.bearerToken(token))
    })
  )

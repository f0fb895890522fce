/**
 * The control of a sandbox that runs somewhere else: a client made from `ControlApi`.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import { ControlApi } from "./ControlApi.ts"

/**
 * A method for each operation of the control plane, with what it asks for as `payload`, `query` or `params`.
 *
 * @category services
 * @since 0.1.0
 */
export class ControlClient extends Context.Service<ControlClient, HttpApiClient.ForApi<typeof ControlApi>>()(
  "effect-txc/sandbox/ControlClient"
) {}

/**
 * `url` is that of the sandbox, `token` its control token: both are in the first line that `effect-txc sandbox` prints.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (
  { token, url }: { readonly url: string; readonly token: Redacted.Redacted }
): Layer.Layer<ControlClient, never, HttpClient.HttpClient> =>
  Layer.effect(
    ControlClient,
    HttpApiClient.make(ControlApi, {
      baseUrl: url,
      transformClient: HttpClient.mapRequest(HttpClientRequest.bearerToken(token))
    })
  )

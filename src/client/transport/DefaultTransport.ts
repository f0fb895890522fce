/** The transport of an exchange that is given none: the `HttpClient` of the context. */
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import type { Transport } from "./Transport.ts"

/** Loads Effect's HTTP client only when a layer over it is built: most programs on Node choose another transport. */
const overHttpClient: Layer.Layer<Transport, never, HttpClient.HttpClient> = Layer.fresh(
  Layer.unwrap(Effect.promise(() => import("./HttpClientTransport.ts").then(({ layer }) => layer)))
)

/** The transport that was chosen, or else one over the `HttpClient` of the context. */
export const orHttpClient = <E = never, T = HttpClient.HttpClient>(
  chosen: Layer.Layer<Transport, E, T> | undefined
): Layer.Layer<Transport, E, T> =>
  // Nobody states a `T` and chooses nothing: without a choice it is the `HttpClient`.
  (chosen ?? overHttpClient) as never

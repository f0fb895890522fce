/** The default transport of an exchange: the context's `HttpClient`. */
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import type { Transport } from "./Transport.ts"

/** Loads Effect's HTTP client only when this layer is built, because most programs on Node choose another transport. */
const overHttpClient: Layer.Layer<Transport, never, HttpClient.HttpClient> = Layer.fresh(
  Layer.unwrap(Effect.promise(() => import("./HttpClientTransport.ts").then(({ layer }) => layer)))
)

/** The chosen transport, or a transport over the context's `HttpClient`. */
export const orHttpClient = <E = never, T = HttpClient.HttpClient>(
  chosen: Layer.Layer<Transport, E, T> | undefined
): Layer.Layer<Transport, E, T> =>
  // The cast is safe, because callers never pass `T` explicitly: without a chosen transport, `T` has its default, the
  // `HttpClient`.
  (chosen ?? overHttpClient) as never

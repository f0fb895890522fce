/**
 * All channel services, as one layer. Provide this layer together with `Exchange`.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Socket from "effect/socket/Socket"
 * import * as Stream from "effect/Stream"
 * import { Identifiers, LastPriceChannel, Streams } from "effect-txc"
 *
 * const prices = LastPriceChannel.LastPriceChannel.useSync(({ stream }) =>
 *   stream({ market: Identifiers.marketName("BTC_USDT") })
 * )
 *
 * export const program = Stream.runForEach(Stream.unwrap(prices), (item) => Effect.log(item)).pipe(
 *   Effect.provide(Streams.layerPublic({ region: "global" })),
 *   Effect.provide(Socket.layerWebSocketConstructorGlobal)
 * )
 * ```
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Socket from "effect/socket/Socket"
import * as Contract from "./channels/all.ts"
import * as ServiceLayer from "./client/make/ServiceLayer.ts"
import * as Dialer from "./client/session/Dialer.ts"
import * as Session from "./client/session/Session.ts"
import * as WebSocketToken from "./endpoints/WebSocketToken.ts"

/**
 * The services of public channels.
 *
 * @category models
 */
export type PublicServices = Contract.ServiceOf<"public">

/**
 * The services of all channels.
 *
 * @category models
 */
export type Services = PublicServices | Contract.ServiceOf<"private">

/** Merges the layers of all public or all private channel services. */
const layersOf = <Services, Requirements>(access: "public" | "private"): Layer.Layer<Services, never, Requirements> =>
  ServiceLayer.mergeAll(
    Contract.entries.filter(({ channel }) => channel.access === access).map(({ layer }) => layer)
  )

/**
 * Provides all of an account's channels, using connections and tokens that you provide. Each use of the layer opens its
 * own connections.
 *
 * @category layers
 */
export const layerServices: Layer.Layer<Services, never, Dialer.Dialer | Session.StreamToken> = Layer.merge(
  layersOf<PublicServices, Session.PublicSession>("public").pipe(Layer.provide(Session.layerPublic)),
  layersOf<Contract.ServiceOf<"private">, Session.Session>("private").pipe(Layer.provide(Session.layer))
).pipe(Layer.fresh)

/**
 * Provides an account's WebSocket tokens, created by the account's `WebSocketToken` service.
 *
 * @category layers
 */
export const layerToken: Layer.Layer<Session.StreamToken, never, WebSocketToken.WebSocketToken> = Layer.effect(
  Session.StreamToken,
  WebSocketToken.WebSocketToken.useSync(({ create }) => ({ create: Effect.map(create, ({ token }) => token) }))
)

/**
 * Provides all of an account's channels: public channels over a connection without credentials, and private channels
 * over an authorized connection.
 *
 * Needs the account's `WebSocketToken`, which `Exchange.layer` provides, and the platform's WebSocket: provide
 * `Socket.layerWebSocketConstructorGlobal`, or `NodeWS.layerWebSocketConstructor` from `@effect/platform-node`.
 *
 * @category layers
 */
export const layer = (
  options: Dialer.Options
): Layer.Layer<Services, never, Socket.WebSocketConstructor | WebSocketToken.WebSocketToken> =>
  Layer.provide(layerServices, [Dialer.layer(options), layerToken])

/**
 * Provides all of an account's channels, over connections to a sandbox in this process. `Sandbox.layer` provides the
 * `Dialer`.
 *
 * @category layers
 */
export const layerInProcess: Layer.Layer<Services, never, Dialer.Dialer | WebSocketToken.WebSocketToken> = Layer
  .provide(
    layerServices,
    layerToken
  )

/**
 * Provides the public channels. Needs no credentials.
 *
 * @category layers
 */
export const layerPublic = (
  options: Dialer.Options
): Layer.Layer<PublicServices, never, Socket.WebSocketConstructor> =>
  layersOf<PublicServices, Session.PublicSession>("public").pipe(
    Layer.provide(Session.layerPublic),
    Layer.provide(Dialer.layer(options)),
    Layer.fresh
  )

/**
 * All endpoint services of one exchange account, as one layer.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as FetchHttpClient from "effect/http/FetchHttpClient"
 * import { Exchange, TradeBalance } from "effect-txc"
 *
 * // The key, its secret and the region come from the environment: TXC_API_KEY, TXC_API_SECRET and TXC_REGION.
 * const balances = TradeBalance.TradeBalance.use(({ all }) => all).pipe(
 *   Effect.provide(Exchange.layerConfig),
 *   Effect.provide(FetchHttpClient.layer)
 * )
 * ```
 *
 * @since 0.1.0
 */
import type * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Call from "./client/call/Call.ts"
import * as Credentials from "./client/Credentials.ts"
import * as MarketRules from "./client/MarketRules.ts"
import * as Nonce from "./client/Nonce.ts"
import * as RateLimits from "./client/RateLimits.ts"
import * as Region from "./client/Region.ts"
import * as Signer from "./client/Signer.ts"
import * as Transport from "./client/transport/Transport.ts"
import * as Contract from "./endpoints/all.ts"
import { Markets } from "./endpoints/Markets.ts"
import type * as Endpoint from "./protocol/Endpoint.ts"
import { Reconciliation } from "./Reconciliation.ts"

/**
 * The services of public endpoints.
 *
 * @category models
 * @since 0.1.0
 */
export type PublicServices = Contract.ServiceOf<Contract.PublicName>

/**
 * The services of all endpoints, and `Reconciliation`, which uses several of them.
 *
 * @category models
 * @since 0.1.0
 */
export type Services = Contract.ServiceOf<Contract.Name> | Reconciliation

/**
 * Layers are shared by reference within a program, and most here are one value for all exchanges. Each exchange needs
 * its own: what is built inside is shared with nothing outside, while the result is still built once wherever it is used.
 */
const isolated = <A, E, R>(inside: Layer.Layer<A, E, R>): Layer.Layer<A, E, R> =>
  Layer.fromBuildMemo((_shared, scope) => Layer.buildWithMemoMap(inside, Layer.makeMemoMapUnsafe(), scope))

/**
 * The layers of all services with an access. Their types are lost in the list, so they are stated here, once: the
 * contract is checked to hold, under each name, the service of that name with such a layer.
 */
const layersOf = <Services, Requirements>(
  access: Endpoint.Any["access"]
): Layer.Layer<Services, never, Requirements> => {
  const layers = Contract.entries.filter(({ endpoint }) => endpoint.access === access).map(({ layer }) => layer)
  // One after the other: none of them waits for anything, and side by side each would take a fiber.
  return Layer.fromBuildMemo((memoMap, scope) =>
    Effect.map(
      Effect.forEach(layers, (layer) => Layer.buildWithMemoMap(layer, memoMap, scope)),
      (services) => Context.mergeAll(...services)
    )
  ) as never
}

/**
 * The public endpoints of a region. Needs no credentials.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerPublic: Layer.Layer<
  PublicServices,
  never,
  Region.Region | RateLimits.RateLimits | Transport.Transport
> = layersOf<PublicServices, Call.PublicCall>("public").pipe(
  Layer.provide(Call.layerPublic),
  Layer.fresh
)

/** Every private endpoint. */
const privateEndpoints = layersOf<
  Exclude<Services, PublicServices | Reconciliation>,
  Call.Call | MarketRules.MarketRules
>(
  "private"
)

/**
 * Every endpoint, from services of your own choice: the region, who signs, the nonces, the market rules, and what sends:
 * `Transport.layerHttpClient`, `FetchTransport.layer`, or `UndiciTransport.layer` of `effect-txc/node`. Built anew wherever it is
 * used, so that two of them with different keys in one program stay apart.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerServices: Layer.Layer<
  Services,
  never,
  | Region.Region
  | Signer.Signer
  | Nonce.Nonce
  | RateLimits.RateLimits
  | MarketRules.MarketRules
  | Transport.Transport
> = Reconciliation.layer.pipe(
  Layer.provideMerge(Layer.merge(privateEndpoints, layerPublic)),
  Layer.provide(Call.layer),
  Layer.fresh
)

/**
 * Market rules that are loaded from the exchange itself and shared.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerMarketRules: Layer.Layer<
  MarketRules.MarketRules,
  never,
  Region.Region | RateLimits.RateLimits | Transport.Transport
> = Layer.unwrap(Markets.use((markets) => Effect.succeed(MarketRules.layerCached(markets.all)))).pipe(
  Layer.provide(Markets.layer),
  Layer.provide(Call.layerPublic),
  Layer.fresh
)

/**
 * The services that a program may replace, because it shares its key with other programs, say. Exchanges of one program
 * share a service if they are given the very same layer: an equal one is not enough.
 *
 * @category models
 * @since 0.1.0
 */
export interface Shared<E = never, R = never, T = HttpClient.HttpClient> {
  /** Gives calls their nonces; `Nonce.layerWindow` by default. */
  readonly nonce?: Layer.Layer<Nonce.Nonce, E, R>
  /** Holds calls within the rate limits; `RateLimits.layerMemory` by default. `RateLimits.layerNone` counts nothing. */
  readonly rateLimits?: Layer.Layer<RateLimits.RateLimits, E, R>
  /**
   * Sends the calls; the `HttpClient` of the context by default. On Node `UndiciTransport.layer` costs least for each call.
   * `FetchTransport.layer` needs no package, wherever it runs.
   */
  readonly transport?: Layer.Layer<Transport.Transport, E, T>
}

/**
 * Whose account it is.
 *
 * @category models
 * @since 0.1.0
 */
export interface Account {
  /** The API key and its secret. */
  readonly credentials: Credentials.Options
}

/**
 * Where the exchange is, whose account it is, and what replaces a default.
 *
 * @category models
 * @since 0.1.0
 */
export type Options<E = never, R = never, T = HttpClient.HttpClient> = Region.Options & Account & Shared<E, R, T>

const withDefaults = <E, E2, R2, T>(
  foundation: Layer.Layer<Region.Region | Credentials.Credentials, E>,
  { nonce = Nonce.layerWindow, rateLimits = RateLimits.layerMemory, transport }: Shared<E2, R2, T>
): Layer.Layer<Services, E | E2 | Signer.SigningFailed, R2 | T> =>
  isolated(
    layerServices.pipe(
      Layer.provide([Signer.layerNode, layerMarketRules]),
      Layer.provide(foundation)
    )
  ).pipe(Layer.provide([nonce, rateLimits, Transport.orHttpClient(transport)]))

/**
 * Every endpoint of an exchange account, with the defaults: signed by `node:crypto`, windowed nonces, market rules
 * loaded from the exchange, calls within the exchange's rate limits, sent over the `HttpClient` of the context.
 *
 * Say `{ region: "global" | "eu", credentials }`, or `{ baseUrl, dialect, credentials }`. With a `transport` no
 * `HttpClient` is needed.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = <E = never, R = never, T = HttpClient.HttpClient>(
  options: Options<E, R, T>
): Layer.Layer<
  Services,
  Region.InvalidBaseUrl | Credentials.InvalidCredentials | Signer.SigningFailed | E,
  R | T
> => withDefaults(Layer.merge(Region.layer(options), Credentials.layer(options.credentials)), options)

/**
 * The same from configuration: `TXC_API_KEY`, `TXC_API_SECRET`, and `TXC_REGION`, or `TXC_BASE_URL` with `TXC_DIALECT`.
 * What is given replaces a default: `layerConfigWith({ transport: UndiciTransport.layer })`.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerConfigWith = <E = never, R = never, T = HttpClient.HttpClient>(
  shared: Shared<E, R, T>
): Layer.Layer<
  Services,
  Region.InvalidBaseUrl | Credentials.InvalidCredentials | Signer.SigningFailed | Config.ConfigError | E,
  R | T
> => withDefaults(Layer.merge(Region.layerConfig, Credentials.layerConfig), shared)

/**
 * From configuration, see {@link layerConfigWith}, with the defaults.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerConfig: Layer.Layer<
  Services,
  Region.InvalidBaseUrl | Credentials.InvalidCredentials | Signer.SigningFailed | Config.ConfigError,
  HttpClient.HttpClient
> = layerConfigWith({})

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
 */
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Account from "./client/Account.ts"
import * as Call from "./client/call/Call.ts"
import * as Credentials from "./client/Credentials.ts"
import { isolated } from "./client/Isolated.ts"
import * as ServiceLayer from "./client/make/ServiceLayer.ts"
import type * as MarketRules from "./client/MarketRules.ts"
import type * as Nonce from "./client/Nonce.ts"
import type * as RateLimits from "./client/RateLimits.ts"
import * as Region from "./client/Region.ts"
import * as Settings from "./client/Settings.ts"
import type * as Signer from "./client/Signer.ts"
import { orHttpClient } from "./client/transport/DefaultTransport.ts"
import type * as Transport from "./client/transport/Transport.ts"
import * as Contract from "./endpoints/all.ts"
import * as Markets from "./endpoints/Markets.ts"
import type * as Endpoint from "./protocol/Endpoint.ts"
import { Reconciliation } from "./Reconciliation.ts"

/**
 * The services of public endpoints.
 *
 * @category models
 */
export type PublicServices = Contract.ServiceOf<Contract.PublicName>

/**
 * The services of all endpoints, and `Reconciliation`, which uses several of these services.
 *
 * @category models
 */
export type Services = Contract.ServiceOf<Contract.Name> | Reconciliation

/** Merges the layers of all public or all private services. The contract ensures that every service has a layer. */
const layersOf = <Services, Requirements>(
  access: Endpoint.Any["access"]
): Layer.Layer<Services, never, Requirements> =>
  ServiceLayer.mergeAll(
    Contract.entries.filter(({ endpoint }) => endpoint.access === access).map(({ layer }) => layer)
  )

/**
 * Provides a region's public endpoints. Needs no credentials.
 *
 * @category layers
 */
export const layerPublic: Layer.Layer<
  PublicServices,
  never,
  Region.Region | RateLimits.RateLimits | Transport.Transport
> = layersOf<PublicServices, Call.PublicCall>("public").pipe(
  Layer.provide(Call.layerPublic),
  Layer.fresh
)

/**
 * Provides every endpoint and `Reconciliation`, built on calls and market rules that you provide. A test can provide
 * fake calls, for example.
 *
 * @category layers
 */
export const layerCalls: Layer.Layer<Services, never, Call.Call | Call.PublicCall | MarketRules.MarketRules> =
  Reconciliation
    .layer.pipe(
      Layer.provideMerge(Layer.merge(
        layersOf<Exclude<Services, PublicServices | Reconciliation>, Call.Call | MarketRules.MarketRules>("private"),
        layersOf<PublicServices, Call.PublicCall>("public")
      ))
    )

/**
 * Provides every endpoint, built on services of your choice: region, signer, nonces, market rules and a transport
 * (`FetchTransport.layer`, `UndiciTransport.layer` from `effect-txc/node`, or `HttpClientTransport.layer`). Each use of
 * the layer builds new instances, so one program can use two exchanges with different keys.
 *
 * @category layers
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
> = layerCalls.pipe(Layer.provide(Account.layerServices), Layer.fresh)

/**
 * Replacements for default services. Several accounts can share them: see `Account.Shared`. Without a `transport`, the
 * client sends requests with the context's `HttpClient`.
 *
 * @category models
 */
export type Shared<E = never, R = never, T = HttpClient.HttpClient> = Account.Shared<E, R, T>

/**
 * The exchange, the account, and replacements for the default services: see `Account.Options`.
 *
 * @category models
 */
export type Options<E = never, R = never, T = HttpClient.HttpClient> = Account.Options<E, R, T>

/** Provides every endpoint for an account. Accounts share only the services in `shared`. */
const withDefaults = <E, E2, R, T>(
  place: Layer.Layer<Region.Region | Credentials.Credentials, E>,
  shared: Shared<E2, R, T>
): Layer.Layer<Services, E | E2 | Signer.SigningFailed, R | T> =>
  isolated(Layer.provide(layerCalls, Markets.layerMarketRules)).pipe(
    Layer.provide(Account.layerOver(place, { ...shared, transport: orHttpClient(shared.transport) }))
  )

/**
 * Provides every endpoint for an exchange account, with these defaults: `node:crypto` signatures, windowed nonces,
 * market rules loaded from the exchange, client-side rate limiting, and the context's `HttpClient` as the transport.
 *
 * Pass `{ region: "global" | "eu", credentials }`, or `{ baseUrl, dialect, credentials }`. With a `transport`, no
 * `HttpClient` is needed.
 *
 * @category layers
 */
export const layer = <E = never, R = never, T = HttpClient.HttpClient>(
  options: Options<E, R, T>
): Layer.Layer<
  Services,
  Region.InvalidBaseUrl | Credentials.InvalidCredentials | Signer.SigningFailed | E,
  R | T
> => withDefaults(Layer.merge(Region.layer(options), Credentials.layer(options.credentials)), options)

/**
 * Provides every endpoint for an account configured by environment variables: `TXC_API_KEY` and `TXC_API_SECRET`, and
 * either `TXC_REGION` or `TXC_BASE_URL` plus `TXC_DIALECT`. The options replace defaults: `layerConfigWith({ transport:
 * UndiciTransport.layer })`.
 *
 * @category layers
 */
export const layerConfigWith = <E = never, R = never, T = HttpClient.HttpClient>(
  shared: Shared<E, R, T>
): Layer.Layer<
  Services,
  Region.InvalidBaseUrl | Credentials.InvalidCredentials | Signer.SigningFailed | E,
  R | T
> => withDefaults(Layer.merge(Settings.layerRegion, Settings.layerCredentials), shared)

/**
 * Like {@link layerConfigWith}, with the default options.
 *
 * @category layers
 */
export const layerConfig: Layer.Layer<
  Services,
  Region.InvalidBaseUrl | Credentials.InvalidCredentials | Signer.SigningFailed,
  HttpClient.HttpClient
> = layerConfigWith({})

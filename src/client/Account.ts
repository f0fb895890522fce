/**
 * Makes calls for an account. This module provides the services that every endpoint needs, but does not load any
 * endpoint.
 *
 * `Exchange.layer` provides every endpoint. A program that must start fast or have a small bundle can instead provide
 * an account and only the endpoints that it uses. It should then import each module by its own path.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 * import * as Account from "effect-txc/client/Account"
 * import type * as Credentials from "effect-txc/client/Credentials"
 * import * as FetchTransport from "effect-txc/client/FetchTransport"
 * import * as TradeBalance from "effect-txc/endpoints/TradeBalance"
 *
 * export const balances = (credentials: Credentials.Options) =>
 *   TradeBalance.TradeBalance.use(({ all }) => all).pipe(
 *     Effect.provide(TradeBalance.TradeBalance.layer.pipe(
 *       Layer.provide(Account.layer({ region: "global", credentials, transport: FetchTransport.layer }))
 *     ))
 *   )
 * ```
 */
import * as Layer from "effect/Layer"
import * as Call from "./call/Call.ts"
import * as Credentials from "./Credentials.ts"
import { isolated } from "./Isolated.ts"
import * as Nonce from "./Nonce.ts"
import * as RateLimits from "./RateLimits.ts"
import * as Region from "./Region.ts"
import * as Signer from "./Signer.ts"
import type * as Transport from "./transport/Transport.ts"

/**
 * The services that a program can replace, for example because it shares its key with other programs. Accounts in one
 * program share a service only if they receive the same layer object. Two layers with the same definition build two
 * services.
 *
 * @category models
 */
export interface Shared<E = never, R = never, T = Transport.Transport> {
  /** Supplies nonces. Default: `Nonce.layerWindow`. */
  readonly nonce?: Layer.Layer<Nonce.Nonce, E, R>
  /**
   * Keeps calls within the rate limits. Default: `RateLimits.layerMemory`. With `RateLimits.layerNone`, calls are not
   * delayed.
   */
  readonly rateLimits?: Layer.Layer<RateLimits.RateLimits, E, R>
  /**
   * Sends the calls. On Node, `UndiciTransport.layer` of `effect-txc/node` has the lowest cost per call.
   * `FetchTransport.layer` needs no other package and runs on every platform. By default, `Account` uses the context's
   * `Transport`, and `Exchange` uses the context's `HttpClient`.
   */
  readonly transport?: Layer.Layer<Transport.Transport, E, T>
}

/**
 * The exchange, the credentials, and replacements for default services.
 *
 * @category models
 */
export type Options<E = never, R = never, T = Transport.Transport> =
  & Region.Options
  & {
    /** The API key and its secret. */
    readonly credentials: Credentials.Options
  }
  & Shared<E, R, T>

/**
 * Provides an account's public and private calls, built from the services that you provide. Each use of the layer
 * builds the calls separately, so two accounts with different keys stay separate in one program.
 *
 * @category layers
 */
export const layerServices: Layer.Layer<
  Call.Call | Call.PublicCall,
  never,
  Region.Region | Signer.Signer | Nonce.Nonce | RateLimits.RateLimits | Transport.Transport
> = Layer.fresh(Layer.merge(Call.layer, Call.layerPublic))

/**
 * Provides the calls of an account whose region and credentials come from layers, such as the layers in `Settings`.
 *
 * @category layers
 */
export const layerOver = <E, E2 = never, R = never, T = Transport.Transport>(
  place: Layer.Layer<Region.Region | Credentials.Credentials, E>,
  { nonce = Nonce.layerWindow, rateLimits = RateLimits.layerMemory, transport }: Shared<E2, R, T> = {}
): Layer.Layer<Call.Call | Call.PublicCall, E | E2 | Signer.SigningFailed, R | T> => {
  const calls = isolated(layerServices.pipe(Layer.provide(Signer.layerNode), Layer.provide(place)))
  const limited = Layer.provide(calls, [nonce, rateLimits])
  // The cast is safe, because callers never pass `T` explicitly: without a transport option, `T` has its default, the
  // context's `Transport`.
  return transport === undefined ? limited as never : Layer.provide(limited, transport)
}

/**
 * Provides an account's calls, by default with `node:crypto` signatures, windowed nonces and rate limits.
 *
 * Pass `{ region: "global" | "eu", credentials }`, or `{ baseUrl, dialect, credentials }`. The layers of services that
 * place orders also need `MarketRules`: provide `Markets.layerMarketRules`, which loads the rules from the exchange, or
 * a layer from `MarketRules`.
 *
 * Layers are shared by reference. If one program has two accounts, create a separate endpoint layer for each, such as
 * `Layer.fresh(TradeBalance.TradeBalance.layer)`.
 *
 * @category layers
 */
export const layer = <E = never, R = never, T = Transport.Transport>(
  options: Options<E, R, T>
): Layer.Layer<
  Call.Call | Call.PublicCall,
  Region.InvalidBaseUrl | Credentials.InvalidCredentials | Signer.SigningFailed | E,
  R | T
> => layerOver(Layer.merge(Region.layer(options), Credentials.layer(options.credentials)), options)

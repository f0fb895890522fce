/**
 * The calls of one account: what endpoints need, without the list of all endpoints.
 *
 * `Exchange.layer` provides every endpoint. A program that uses a few of them, and must start fast or be small in a bundle,
 * provides those few with an account instead. It imports each module by its own path.
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
 *
 * @since 0.1.0
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
 * The services that a program may replace, because it shares its key with other programs, say. Accounts of one program
 * share a service if they are given the very same layer: an equal one is not enough.
 *
 * @category models
 * @since 0.1.0
 */
export interface Shared<E = never, R = never, T = Transport.Transport> {
  /** Gives calls their nonces; `Nonce.layerWindow` by default. */
  readonly nonce?: Layer.Layer<Nonce.Nonce, E, R>
  /** Holds calls within the rate limits; `RateLimits.layerMemory` by default. `RateLimits.layerNone` counts nothing. */
  readonly rateLimits?: Layer.Layer<RateLimits.RateLimits, E, R>
  /**
   * Sends the calls. On Node `UndiciTransport.layer` of `effect-txc/node` costs least for each call. `FetchTransport.layer`
   * needs no package, wherever it runs. The default of `Account` is the `Transport` of the context, that of `Exchange` is its
   * `HttpClient`.
   */
  readonly transport?: Layer.Layer<Transport.Transport, E, T>
}

/**
 * Where the exchange is, whose account it is, and what replaces a default.
 *
 * @category models
 * @since 0.1.0
 */
export type Options<E = never, R = never, T = Transport.Transport> =
  & Region.Options
  & {
    /** The API key and its secret. */
    readonly credentials: Credentials.Options
  }
  & Shared<E, R, T>

/**
 * The calls of an account, public and private, from services of your own choice. Built again wherever it is used, so that
 * two of them with different keys in one program stay apart.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerServices: Layer.Layer<
  Call.Call | Call.PublicCall,
  never,
  Region.Region | Signer.Signer | Nonce.Nonce | RateLimits.RateLimits | Transport.Transport
> = Layer.fresh(Layer.merge(Call.layer, Call.layerPublic))

/**
 * The calls of an account whose region and credentials come from layers, such as those of `Settings`.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerOver = <E, E2 = never, R = never, T = Transport.Transport>(
  place: Layer.Layer<Region.Region | Credentials.Credentials, E>,
  { nonce = Nonce.layerWindow, rateLimits = RateLimits.layerMemory, transport }: Shared<E2, R, T> = {}
): Layer.Layer<Call.Call | Call.PublicCall, E | E2 | Signer.SigningFailed, R | T> => {
  const calls = isolated(layerServices.pipe(Layer.provide(Signer.layerNode), Layer.provide(place)))
  const limited = Layer.provide(calls, [nonce, rateLimits])
  // Nobody states a `T` and gives no transport: without one it is the `Transport` of the context.
  return transport === undefined ? limited as never : Layer.provide(limited, transport)
}

/**
 * The calls of an account, with the defaults: signed by `node:crypto`, windowed nonces, calls within the exchange's rate
 * limits.
 *
 * Say `{ region: "global" | "eu", credentials }`, or `{ baseUrl, dialect, credentials }`. The layers of orders also need
 * `MarketRules`: `Markets.layerMarketRules`, which loads them from the exchange, or one of the layers of `MarketRules`.
 *
 * Layers are shared by reference: two accounts in one program each need endpoints of their own, such as
 * `Layer.fresh(TradeBalance.TradeBalance.layer)`.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = <E = never, R = never, T = Transport.Transport>(
  options: Options<E, R, T>
): Layer.Layer<
  Call.Call | Call.PublicCall,
  Region.InvalidBaseUrl | Credentials.InvalidCredentials | Signer.SigningFailed | E,
  R | T
> => layerOver(Layer.merge(Region.layer(options), Credentials.layer(options.credentials)), options)

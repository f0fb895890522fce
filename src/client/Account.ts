/**
 * The calls of one account: everything that endpoints need, without the list of all endpoints.
 *
 * `Exchange.layer` provides every endpoint. A program that uses a few of them and must start fast or bundle small
 * provides those few with an account instead, importing each module by its own path.
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
 * The services that a program may replace, for example because it shares its key with other programs. Accounts of one
 * program share a service only if they are given the same layer object; an equal one is not enough.
 *
 * @category models
 */
export interface Shared<E = never, R = never, T = Transport.Transport> {
  /** Supplies nonces; default `Nonce.layerWindow`. */
  readonly nonce?: Layer.Layer<Nonce.Nonce, E, R>
  /** Keeps calls within the rate limits; default `RateLimits.layerMemory`. `RateLimits.layerNone` does not limit. */
  readonly rateLimits?: Layer.Layer<RateLimits.RateLimits, E, R>
  /**
   * Sends the calls. On Node, `UndiciTransport.layer` of `effect-txc/node` has the lowest cost per call.
   * `FetchTransport.layer` needs no package and runs everywhere. Default: the context's `Transport` for `Account`, its
   * `HttpClient` for `Exchange`.
   */
  readonly transport?: Layer.Layer<Transport.Transport, E, T>
}

/**
 * The exchange, the account, and replacements for defaults.
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
 * The public and private calls of an account, from services of your choice. Built again at each use, so two accounts
 * with different keys stay separate in one program.
 *
 * @category layers
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
 */
export const layerOver = <E, E2 = never, R = never, T = Transport.Transport>(
  place: Layer.Layer<Region.Region | Credentials.Credentials, E>,
  { nonce = Nonce.layerWindow, rateLimits = RateLimits.layerMemory, transport }: Shared<E2, R, T> = {}
): Layer.Layer<Call.Call | Call.PublicCall, E | E2 | Signer.SigningFailed, R | T> => {
  const calls = isolated(layerServices.pipe(Layer.provide(Signer.layerNode), Layer.provide(place)))
  const limited = Layer.provide(calls, [nonce, rateLimits])
  // Callers never state `T` without a transport: it is then the context's `Transport`.
  return transport === undefined ? limited as never : Layer.provide(limited, transport)
}

/**
 * The calls of an account, with the defaults: `node:crypto` signatures, windowed nonces, rate limits observed.
 *
 * Pass `{ region: "global" | "eu", credentials }`, or `{ baseUrl, dialect, credentials }`. The layers of orders also
 * need `MarketRules`: `Markets.layerMarketRules`, which loads them from the exchange, or one of the layers of
 * `MarketRules`.
 *
 * Layers are shared by reference: two accounts in one program each need endpoints of their own, such as
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

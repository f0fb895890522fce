/**
 * All endpoint services of one exchange account, as one layer.
 *
 * @since 0.1.0
 */
import type * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Call from "./client/Call.ts"
import * as Credentials from "./client/Credentials.ts"
import * as MarketRules from "./client/MarketRules.ts"
import * as Nonce from "./client/Nonce.ts"
import * as Region from "./client/Region.ts"
import * as Signer from "./client/Signer.ts"
import { CancelAllOrders } from "./endpoints/CancelAllOrders.ts"
import { Codes } from "./endpoints/Codes.ts"
import { CollateralOcoOrders } from "./endpoints/CollateralOcoOrders.ts"
import { DeleteSubAccount } from "./endpoints/DeleteSubAccount.ts"
import { Fees } from "./endpoints/Fees.ts"
import { InterestPaymentHistory } from "./endpoints/InterestPaymentHistory.ts"
import { MainBalance } from "./endpoints/MainBalance.ts"
import { Markets } from "./endpoints/Markets.ts"
import { ServerStatus } from "./endpoints/ServerStatus.ts"
import { StopLimitOrders } from "./endpoints/StopLimitOrders.ts"
import { SubAccountApiKeys } from "./endpoints/SubAccountApiKeys.ts"
import { SubAccounts } from "./endpoints/SubAccounts.ts"

/**
 * The services of public endpoints.
 *
 * @category models
 * @since 0.1.0
 */
export type PublicServices = Markets | ServerStatus

/**
 * The services of all endpoints.
 *
 * @category models
 * @since 0.1.0
 */
export type Services =
  | PublicServices
  | CancelAllOrders
  | Codes
  | CollateralOcoOrders
  | DeleteSubAccount
  | Fees
  | InterestPaymentHistory
  | MainBalance
  | StopLimitOrders
  | SubAccountApiKeys
  | SubAccounts

/**
 * Layers are shared by reference within a program, and most here are one value for all exchanges. Each exchange needs
 * its own: what is built inside is shared with nothing outside, while the result is still built once wherever it is used.
 */
const isolated = <A, E, R>(inside: Layer.Layer<A, E, R>): Layer.Layer<A, E, R> =>
  Layer.fromBuildMemo((_shared, scope) => Layer.buildWithMemoMap(inside, Layer.makeMemoMapUnsafe(), scope))

/**
 * The public endpoints of a region. Needs no credentials.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerPublic: Layer.Layer<PublicServices, never, Region.Region | HttpClient.HttpClient> = Layer.mergeAll(
  Markets.layer,
  ServerStatus.layer
).pipe(Layer.provide(Call.layerPublic), Layer.fresh)

/**
 * Every endpoint, from services of your own choice: the region, who signs, the nonces and the market rules. Built anew
 * wherever it is used, so that two of them with different keys in one program stay apart.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerServices: Layer.Layer<
  Services,
  never,
  Region.Region | Signer.Signer | Nonce.Nonce | MarketRules.MarketRules | HttpClient.HttpClient
> = Layer.mergeAll(
  CancelAllOrders.layer,
  Codes.layer,
  CollateralOcoOrders.layer,
  DeleteSubAccount.layer,
  Fees.layer,
  InterestPaymentHistory.layer,
  MainBalance.layer,
  StopLimitOrders.layer,
  SubAccountApiKeys.layer,
  SubAccounts.layer
).pipe(Layer.provide(Call.layer), Layer.merge(layerPublic), Layer.fresh)

/**
 * Market rules that are loaded from the exchange itself and shared.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerMarketRules: Layer.Layer<
  MarketRules.MarketRules,
  never,
  Region.Region | HttpClient.HttpClient
> = Layer.unwrap(Markets.use((markets) => Effect.succeed(MarketRules.layerCached(markets.all)))).pipe(
  Layer.provide(layerPublic),
  Layer.fresh
)

const withDefaults = <E>(
  foundation: Layer.Layer<Region.Region | Credentials.Credentials, E>
): Layer.Layer<Services, E | Signer.SigningFailed, HttpClient.HttpClient> =>
  isolated(
    layerServices.pipe(
      Layer.provide([Signer.layerNode, layerMarketRules]),
      Layer.provide(foundation)
    )
  ).pipe(Layer.provide(Nonce.layerWindow))

/**
 * Every endpoint of an exchange account, with the defaults: signed by `node:crypto`, windowed nonces, market rules
 * loaded from the exchange.
 *
 * Say `{ region: "global" | "eu", credentials }`, or `{ baseUrl, dialect, credentials }`.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (
  options: Region.Options & { readonly credentials: Credentials.Options }
): Layer.Layer<
  Services,
  Region.InvalidBaseUrl | Credentials.InvalidCredentials | Signer.SigningFailed,
  HttpClient.HttpClient
> => withDefaults(Layer.merge(Region.layer(options), Credentials.layer(options.credentials)))

/**
 * The same from configuration: `TXC_API_KEY`, `TXC_API_SECRET`, and `TXC_REGION`, or `TXC_BASE_URL` with `TXC_DIALECT`.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerConfig: Layer.Layer<
  Services,
  Region.InvalidBaseUrl | Credentials.InvalidCredentials | Signer.SigningFailed | Config.ConfigError,
  HttpClient.HttpClient
> = withDefaults(Layer.merge(Region.layerConfig, Credentials.layerConfig))

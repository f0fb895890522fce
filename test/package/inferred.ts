/**
 * Exports from a user's package, without type annotations. The compiler must be able to name every inferred type in the
 * declarations.
 */
import { Call, Exchange, Reconciliation, ServerClock } from "effect-txc"
import * as Account from "effect-txc/client/Account"
import * as FetchTransport from "effect-txc/client/FetchTransport"
import * as HttpClientTransport from "effect-txc/client/HttpClientTransport"
import * as Intents from "effect-txc/client/Intents"
import * as MarketRules from "effect-txc/client/MarketRules"
import * as Nonce from "effect-txc/client/Nonce"
import * as Settings from "effect-txc/client/Settings"
import * as BulkLimitOrders from "effect-txc/endpoints/BulkLimitOrders"
import * as CancelBulkOrders from "effect-txc/endpoints/CancelBulkOrders"
import * as CollateralOcoOrders from "effect-txc/endpoints/CollateralOcoOrders"
import * as Fills from "effect-txc/endpoints/Fills"
import * as MainBalance from "effect-txc/endpoints/MainBalance"
import * as Markets from "effect-txc/endpoints/Markets"
import * as StopLimitOrders from "effect-txc/endpoints/StopLimitOrders"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export const account = Account.layerOver(Layer.merge(Settings.layerRegion, Settings.layerCredentials), {
  transport: FetchTransport.layer,
  nonce: Nonce.layerIncreasing
})

export const orders = Layer.mergeAll(
  StopLimitOrders.StopLimitOrders.layer,
  CollateralOcoOrders.CollateralOcoOrders.layer,
  BulkLimitOrders.BulkLimitOrders.layer
).pipe(Layer.provide(Markets.layerMarketRules), Layer.provideMerge(account))

export const services = Effect.all({
  balance: MainBalance.MainBalance,
  bulk: BulkLimitOrders.BulkLimitOrders,
  cancel: CancelBulkOrders.CancelBulkOrders,
  oco: CollateralOcoOrders.CollateralOcoOrders,
  fills: Fills.Fills,
  markets: Markets.Markets,
  rules: MarketRules.MarketRules,
  call: Call.Call,
  publicCall: Call.PublicCall,
  intents: Intents.Intents,
  reconciliation: Reconciliation.Reconciliation
})

export const exchange = Exchange.layerConfigWith({ transport: FetchTransport.layer })
export const overClient = Exchange.layerServices.pipe(Layer.provide(HttpClientTransport.layer))
export const clock = ServerClock.layer({ region: "eu" })

export const place = (order: Parameters<typeof StopLimitOrders.StopLimitOrders.Service.create>[0]) =>
  StopLimitOrders.StopLimitOrders.use((service) => service.create(order))

export const bulk = BulkLimitOrders.BulkLimitOrders.use((service) => service.create({ orders: [] }))
export const canceled = CancelBulkOrders.CancelBulkOrders.use((service) => service.cancel({ orders: [] }))
export const traded = Fills.Fills.useSync((service) => service.stream())
export const changes = MainBalance.MainBalance.useSync((service) => service.changes)

import * as Account from "effect-txc/client/Account"
import * as Settings from "effect-txc/client/Settings"
import * as UndiciTransport from "effect-txc/client/UndiciTransport"
import * as Markets from "effect-txc/endpoints/Markets"
import { StopLimitOrders } from "effect-txc/endpoints/StopLimitOrders"
import * as Layer from "effect/Layer"

// The key, the secret and the exchange are read from the environment, as in Exchange.layerConfig.
const account = Account.layerOver(Layer.merge(Settings.layerRegion, Settings.layerCredentials), {
  transport: UndiciTransport.layer
})

export const orders = StopLimitOrders.layer.pipe(Layer.provide(Markets.layerMarketRules), Layer.provide(account))

/** Makes one call over the platform's `fetch`. Imports each module by its own path. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Account from "../dist/client/Account.js"
import * as MarketRules from "../dist/client/MarketRules.js"
import * as FetchTransport from "../dist/client/transport/FetchTransport.js"
import { StopLimitOrders } from "../dist/endpoints/StopLimitOrders.js"

const credentials = { apiKey: Redacted.make("api-key"), apiSecret: Redacted.make("api-secret") }

const layer = StopLimitOrders.layer.pipe(
  Layer.provide(Account.layer({ region: "global", credentials, transport: FetchTransport.layer })),
  Layer.provide(MarketRules.layerNone)
)

export const create = (order) =>
  Effect.runPromise(StopLimitOrders.use((orders) => orders.create(order)).pipe(Effect.provide(layer)))

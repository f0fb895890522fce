/** A program that makes one call, through the platform's own `fetch`. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import {
  Call,
  Credentials,
  FetchTransport,
  MarketRules,
  Nonce,
  RateLimits,
  Region,
  Signer,
  StopLimitOrders
} from "../dist/index.js"

const layer = StopLimitOrders.layer.pipe(
  Layer.provide(Call.layer),
  Layer.provide([Signer.layerNode, Nonce.layerWindow, RateLimits.layerMemory, MarketRules.layerNone]),
  Layer.provide([
    Region.layer({ region: "global" }),
    Credentials.layer({ apiKey: Redacted.make("key"), apiSecret: Redacted.make("secret") }),
    FetchTransport.layer
  ])
)

export const create = (order) =>
  Effect.runPromise(StopLimitOrders.StopLimitOrders.use((orders) => orders.create(order)).pipe(Effect.provide(layer)))

import * as NodeRedis from "@effect/platform-node/NodeRedis"
import { Exchange } from "effect-txc"
import { NonceRedis, RateLimitsRedis } from "effect-txc/redis"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"

// Up to eight programs share the nonces of the key, an eighth each, and count their calls together.
const nonce = NonceRedis.layerWindow({ programs: 8 })
const rateLimits = RateLimitsRedis.layer

/** One of these programs. Without its Redis a command fails at once: those that wait keep a program from ending. */
export const oneOfMany = (redisUrl: string) =>
  Exchange.layerConfigWith({ nonce, rateLimits }).pipe(
    Layer.provide([FetchHttpClient.layer, NodeRedis.layer({ url: redisUrl, disableOfflineQueue: true })])
  )

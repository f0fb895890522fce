import * as NodeRedis from "@effect/platform-node/NodeRedis"
import { Exchange } from "effect-txc"
import { NonceRedis, RateLimitsRedis } from "effect-txc/redis"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"

// Up to eight programs share the nonces of the key, an eighth each, and the rate limits.
const nonce = NonceRedis.layerWindow({ programs: 8 })
const rateLimits = RateLimitsRedis.layer

/** One of these programs. Without the offline queue, Redis commands fail at once, so the program can always exit. */
export const oneOfMany = (redisUrl: string) =>
  Exchange.layerConfigWith({ nonce, rateLimits }).pipe(
    Layer.provide([FetchHttpClient.layer, NodeRedis.layer({ url: redisUrl, disableOfflineQueue: true })])
  )

import * as NodeRedis from "@effect/platform-node/NodeRedis"
import { Exchange } from "effect-txc"
import { NonceRedis, RateLimitsRedis } from "effect-txc/redis"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"

// Up to eight programs share the key's rate limits and nonces. Each program gets one eighth of the nonces.
const nonce = NonceRedis.layerWindow({ programs: 8 })
const rateLimits = RateLimitsRedis.layer

/**
 * The layer for each of these programs. Without the offline queue, Redis commands fail immediately while Redis is down,
 * so the program can always exit.
 */
export const oneOfMany = (redisUrl: string) =>
  Exchange.layerConfigWith({ nonce, rateLimits }).pipe(
    Layer.provide([FetchHttpClient.layer, NodeRedis.layer({ url: redisUrl, disableOfflineQueue: true })])
  )

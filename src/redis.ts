/**
 * Nonces and rate limits that programs with the same API key share through Redis.
 *
 * @example
 * ```ts
 * import * as NodeRedis from "@effect/platform-node/NodeRedis"
 * import * as Layer from "effect/Layer"
 * import { type Credentials, Exchange } from "effect-txc"
 * import { NonceRedis, RateLimitsRedis } from "effect-txc/redis"
 *
 * const redis = NodeRedis.layer({ url: "redis://127.0.0.1:6379" })
 *
 * export const exchange = (credentials: Credentials.Options) =>
 *   Exchange.layer({
 *     region: "eu",
 *     credentials,
 *     nonce: NonceRedis.layerWindow({ programs: 8 }).pipe(Layer.provide(redis)),
 *     rateLimits: RateLimitsRedis.layer.pipe(Layer.provide(redis))
 *   })
 * ```
 */

// Nonces that are unique among all programs that use a key
export * as NonceRedis from "./client/NonceRedis.ts"

// Rate limits shared by all programs that use a key
export * as RateLimitsRedis from "./client/RateLimitsRedis.ts"

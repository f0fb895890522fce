/**
 * What programs that share an API key share through a Redis.
 *
 * @since 0.1.0
 */
export * as NonceRedis from "./client/NonceRedis.ts"
export * as RateLimitsRedis from "./client/RateLimitsRedis.ts"

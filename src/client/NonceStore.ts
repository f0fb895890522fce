/** Accesses an API key's nonces in Redis. */
import * as Effect from "effect/Effect"
import type * as Redis from "effect/persistence/Redis"
import * as Redacted from "effect/Redacted"
import * as Digest from "./Digest.ts"
import { NonceUnavailable, type Of } from "./Nonce.ts"

/** The maximum wait for a response from Redis. */
const patience = "2 seconds"

/** The Redis key under which an API key's nonces are stored. It contains a digest instead of the API key. */
export const keyOf = (kind: string, { apiKey, unit }: Of): Effect.Effect<string> =>
  Effect.map(Digest.ofApiKey(Redacted.value(apiKey)), (digest) => `effect-txc:${kind}:${unit}:${digest}`)

/** Sends a request to Redis, and gives up after two seconds, even inside an uninterruptible effect. */
export const ask = <A>(asked: Effect.Effect<A, Redis.RedisError>): Effect.Effect<A, NonceUnavailable> =>
  Effect.interruptible(asked).pipe(
    Effect.mapError(({ cause }) =>
      new NonceUnavailable({ reason: `Redis: ${cause instanceof Error ? cause.message : String(cause)}` })
    ),
    Effect.timeoutOrElse({
      duration: patience,
      orElse: () => Effect.fail(new NonceUnavailable({ reason: "Redis does not respond" }))
    })
  )

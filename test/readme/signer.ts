import { Call, Exchange, FetchTransport, Markets, Nonce, RateLimits, Region, Signer } from "effect-txc"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

/**
 * Returns the lower-case hexadecimal HMAC-SHA512 of a payload. The secret stays in the device or service that computes
 * the HMAC.
 */
export type Hmac = (payload: string, signal: AbortSignal) => Promise<string>

const signer = (apiKey: string, hmac: Hmac) =>
  Layer.succeed(Signer.Signer, {
    apiKey: Redacted.make(apiKey),
    sign: (payload) =>
      Effect.tryPromise({
        try: (signal) => hmac(payload, signal),
        catch: (cause) => new Signer.SigningFailed({ reason: `the key management service: ${String(cause)}` })
      }),
    scrub: Signer.scrubber(apiKey)
  })

/** All services of an account whose secret is outside this process. */
export const exchange = (place: Region.Options, apiKey: string, hmac: Hmac) =>
  Exchange.layerServices.pipe(
    Layer.provide([
      signer(apiKey, hmac),
      Nonce.layerWindow,
      Markets.layerMarketRules.pipe(Layer.provide(Call.layerPublic))
    ]),
    Layer.provide([Region.layer(place), RateLimits.layerMemory, FetchTransport.layer])
  )

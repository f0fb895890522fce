/** Calls any endpoint of the contract, for commands that choose the endpoint at run time. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Call from "../client/call/Call.ts"
import type * as Credentials from "../client/Credentials.ts"
import * as Nonce from "../client/Nonce.ts"
import * as RateLimits from "../client/RateLimits.ts"
import type { Region } from "../client/Region.ts"
import * as Signer from "../client/Signer.ts"
import * as UndiciTransport from "../client/transport/UndiciTransport.ts"
import type * as Endpoint from "../protocol/Endpoint.ts"
import type * as Errors from "../protocol/Errors.ts"

/** The layer that sends public calls to the configured exchange. */
export const layerPublic = Call.layerPublic.pipe(Layer.provide([RateLimits.layerMemory, UndiciTransport.layer]))

/** The layer that sends signed calls to the configured exchange. */
export const layerPrivate = Call.layer.pipe(
  Layer.provide([Signer.layerNode, Nonce.layerWindow, RateLimits.layerMemory, UndiciTransport.layer])
)

/** Makes a public call. */
export const callPublic = (
  endpoint: Endpoint.Any,
  request: object
): Effect.Effect<unknown, Errors.CallError, Region> =>
  Call.PublicCall.use(({ make }) => make(endpoint)(request)).pipe(
    Effect.provide(layerPublic)
  )

/** Makes a signed call. */
export const callPrivate = (
  endpoint: Endpoint.Any,
  request: object
): Effect.Effect<
  unknown,
  Errors.CallError | Signer.SigningFailed,
  Region | Credentials.Credentials
> =>
  Call.Call.use(({ make }) => make(endpoint)(request)).pipe(
    Effect.provide(layerPrivate)
  )

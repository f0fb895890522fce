/**
 * Serves a sandbox over HTTP.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Example, Sandbox, Server } from "effect-txc/sandbox"
 *
 * // Serves the example world on port 8080 until the program is interrupted.
 * const program = Effect.gen(function*() {
 *   yield* Example.setUp
 *   const { baseUrl } = yield* Server.serve({ port: 8080 })
 *   yield* Effect.log(`The sandbox listens on ${baseUrl}`)
 *   return yield* Effect.never
 * }).pipe(Effect.scoped, Effect.provide(Sandbox.layer()))
 * ```
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { ControlRefused } from "../control/Control.ts"
import { prefix } from "../control/ControlApi.ts"
import * as Streams from "../streams/Streams.ts"
import type { Place } from "../venue/Forks.ts"
import { Venue } from "../venue/Venue.ts"
import { backendOf } from "./Backend.ts"
import * as ControlPlane from "./ControlPlane.ts"
import * as Listening from "./Listening.ts"

export {
  headersTimeout,
  maxBody,
  maxConnections,
  maxMemory,
  maxPending,
  maxPerCommand,
  maxUnanswered,
  shareOfAddress
} from "./Bounds.ts"

export { ListenFailed } from "./Listening.ts"

/**
 * The options for serving a venue.
 *
 * @category models
 */
export interface Options extends Listening.Options {
  /** The control plane's token. Without a token, the control plane is not served. */
  readonly controlToken?: string
}

/**
 * A venue that is served over HTTP.
 *
 * @category models
 */
export interface Served {
  /** The base URL to call, such as `http://127.0.0.1:8080`. */
  readonly baseUrl: string
}

/**
 * Serves the venue in the context until the scope is closed, and returns the base URL.
 *
 * @category constructors
 */
export const serve = Effect.fnUntraced(function*(
  { controlToken, ...options }: Options = {}
): Effect.fn.Return<Served, Listening.ListenFailed, Venue | Scope.Scope> {
  const venue = yield* Venue
  const serveFork = (forked: Venue["Service"]): Effect.Effect<Place, ControlRefused, Scope.Scope> =>
    serve({ ...options, port: 0, ...(controlToken === undefined ? {} : { controlToken }) }).pipe(
      Effect.provideService(Venue, forked),
      Effect.map(({ baseUrl }) => ({ url: baseUrl, controlUrl: baseUrl + prefix })),
      Effect.mapError(({ reason }) =>
        new ControlRefused({ action: "Fork", fields: { port: reason }, message: `Fork was refused: ${reason}` })
      )
    )
  const control = controlToken === undefined
    ? undefined
    : yield* ControlPlane.make(venue, { token: controlToken, serve: serveFork })
  const streams = yield* Streams.make(venue)
  return { baseUrl: yield* Listening.listen(options, backendOf(venue, control, streams)) }
})

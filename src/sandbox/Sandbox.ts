/**
 * A new exchange for a test or a program. Provides the venue, its control, and an `HttpClient`, a `Dialer` and a
 * `Socket` that reach it without a port.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Control, Sandbox } from "effect-txc/sandbox"
 *
 * // The seed makes random faults hit the same calls in every run.
 * const status = Control.Control.use((control) => control.status).pipe(Effect.provide(Sandbox.layer({ seed: 7 })))
 * ```
 */
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import type * as Socket from "effect/socket/Socket"
import type * as Dialer from "../client/session/Dialer.ts"
import * as Dialect from "../protocol/Dialect.ts"
import * as Control from "./control/Control.ts"
import * as InProcess from "./server/InProcess.ts"
import type * as Journal from "./store/Journal.ts"
import * as Venue from "./venue/Venue.ts"

/**
 * Options for `Sandbox.layer`.
 *
 * @category models
 */
export interface Options extends Venue.OptionalOptions {
  /**
   * The sandbox's dialect, including its choices where the documentation is ambiguous; `Dialect.document` by default.
   */
  readonly dialect?: Dialect.Dialect
  /**
   * The token that HTTP clients of the control plane must send. Without a token, the control plane is not served over
   * HTTP.
   */
  readonly controlToken?: string
}

/**
 * Provides a new sandbox. By default, the sandbox speaks the document's dialect and stores its journal in memory.
 *
 * @category layers
 */
export const layer = (
  { controlToken, ...options }: Options = {}
): Layer.Layer<
  Venue.Venue | Control.Control | HttpClient.HttpClient | Socket.Socket | Dialer.Dialer,
  Journal.JournalError
> =>
  Layer.mergeAll(
    Control.layer,
    InProcess.layerWith(controlToken === undefined ? {} : { controlToken }),
    InProcess.layerSocket,
    InProcess.layerDialer
  ).pipe(
    Layer.provideMerge(Venue.layer({ dialect: Dialect.document, ...options }))
  )

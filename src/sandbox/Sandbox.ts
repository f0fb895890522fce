/**
 * A fresh exchange for a test or a program of your own: the venue, its control, and an `HttpClient` that reaches it
 * without a socket.
 *
 * @since 0.1.0
 */
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Dialect from "../protocol/Dialect.ts"
import * as Control from "./control/Control.ts"
import * as InProcess from "./gateway/InProcess.ts"
import type * as Journal from "./store/Journal.ts"
import * as Venue from "./Venue.ts"

/**
 * - `controlToken`: lets the control plane answer too, for programs that are to control the sandbox as over HTTP
 *
 * @category models
 * @since 0.1.0
 */
export interface Options extends Partial<Venue.Options> {
  readonly controlToken?: string
}

/**
 * In the document's dialect and in memory, unless said otherwise.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (
  { controlToken, ...options }: Options = {}
): Layer.Layer<Venue.Venue | Control.Control | HttpClient.HttpClient, Journal.JournalError> =>
  Layer.merge(Control.layer, InProcess.layerWith(controlToken === undefined ? {} : { controlToken })).pipe(
    Layer.provideMerge(Venue.layer({ dialect: Dialect.document, ...options }))
  )

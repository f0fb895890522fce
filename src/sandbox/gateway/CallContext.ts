/** The context of a call: all that is known when the call arrives. Every later stage reads it, and none writes into it. */
import * as Signature from "../../protocol/Signature.ts"
import type { State } from "../engine/State.ts"
import type * as Faults from "./Faults.ts"
import { header, type Moment, type Request } from "./Message.ts"
import * as Routing from "./Routing.ts"

/** All that is known of a call when it arrives. */
export interface CallContext {
  /** The request itself. */
  readonly request: Request
  /** The fault that hits the call. */
  readonly fault: Faults.Fired | undefined
  /** When the request arrived, in Unix microseconds on the venue's clock. */
  readonly at: number
  /** When it arrived by the clock that judges nonces, in Unix microseconds. */
  readonly serverTime: number
  /** How long ago it arrived, in milliseconds. */
  readonly took: () => number
  /** The route of the path, whatever the method is. */
  readonly routed: Routing.Routed | undefined
  /** The account whose key the request names, signed by it or not. */
  readonly account: string | undefined
  /** The title of that key. */
  readonly keyTitle: string | undefined
}

/** Finds whose call a request seems to be, and which endpoint it calls. */
export const recognise = (
  request: Request,
  { keys }: State,
  { at, serverTime, took }: Moment,
  fault: Faults.Fired | undefined
): CallContext => {
  const key = keys.get(header(request, Signature.headers.apiKey) as never)
  return {
    request,
    fault,
    at,
    serverTime,
    took,
    routed: Routing.find(request.path),
    account: key?.account,
    keyTitle: key?.title
  }
}

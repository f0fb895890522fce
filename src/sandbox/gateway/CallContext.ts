/** The context of a call, that is, everything known when the call arrives. Later stages only read it. */
import * as Signature from "../../protocol/Signature.ts"
import type { State } from "../engine/State.ts"
import type * as Faults from "./Faults.ts"
import { header, type Moment, type Request } from "./Message.ts"
import * as Routing from "./Routing.ts"

/** Everything known about a call when it arrives. */
export interface CallContext {
  /** The request, with its body. */
  readonly request: Request
  /** The fault that hits the call, if any. */
  readonly fault: Faults.Fired | undefined
  /** The time of arrival, in Unix microseconds on the venue's clock. */
  readonly at: number
  /** The time of arrival on the clock that nonces are checked against, in Unix microseconds. */
  readonly serverTime: number
  /** The time since the call's arrival, in milliseconds. */
  readonly took: () => number
  /** The route of the path, regardless of the method. */
  readonly routed: Routing.Routed | undefined
  /** The account that owns the key named in the request, whether or not the signature is valid. */
  readonly account: string | undefined
  /** The title of the key that the request names. */
  readonly keyTitle: string | undefined
}

/** Creates the context for a call: finds the account that the request claims to come from, and the endpoint called. */
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

/**
 * What becomes known of a request while it is answered, and the record that is kept of it.
 *
 * @since 0.1.0
 */
import type { Dialect, RefusalKind } from "../../protocol/Dialect.ts"
import * as Endpoint from "../../protocol/Endpoint.ts"
import * as Signature from "../../protocol/Signature.ts"
import type { Violations } from "../engine/Reply.ts"
import type { State } from "../engine/State.ts"
import type { Moment } from "../VenueClock.ts"
import type * as Faults from "./Faults.ts"
import * as Limits from "./Limits.ts"
import { type Answer, header, type Request } from "./Message.ts"
import * as NearMiss from "./NearMiss.ts"
import * as Requests from "./Requests.ts"
import * as Routing from "./Routing.ts"

/**
 * What is known of a request. Each stage adds what it finds out.
 *
 * @category models
 * @since 0.1.0
 */
export interface Trace {
  /** The request itself. */
  readonly request: Request
  /** When the request arrived, in Unix microseconds on the venue's clock. */
  readonly at: number
  /** When it arrived by the clock that judges nonces, in Unix microseconds. */
  readonly serverTime: number
  /** The endpoint of the path. */
  endpoint?: Endpoint.Any
  /** The account whose key the request names, signed by it or not. */
  account?: string
  /** The title of that key. */
  key?: string
  /** The nonce of an admitted call. */
  nonce?: bigint
  /** The fields of an admitted call, by their wire keys. */
  fields?: Readonly<Record<string, unknown>>
  /** Why the call is refused. */
  refused?: RefusalKind | "invalid"
  /** The fields that are wrong, and the constraint that each breaks. */
  violations?: Violations
  /** The number of the call's command, if the call became one. */
  command?: number
}

/**
 * Begins a trace: whose call it seems to be, and which endpoint it calls.
 *
 * @category tracing
 * @since 0.1.0
 */
export const recognise = (request: Request, { keys }: State, moment: Moment): Trace => {
  const key = keys.get(header(request, Signature.headers.apiKey) as never)
  const endpoint = Routing.find(request.path)?.route.endpoint
  return {
    request,
    ...moment,
    ...(key === undefined ? {} : { account: key.account, key: key.title }),
    ...(endpoint === undefined ? {} : { endpoint })
  }
}

/**
 * What a record needs besides the trace.
 *
 * @category models
 * @since 0.1.0
 */
export interface Context {
  /** The dialect of the venue. */
  readonly dialect: Dialect
  /** The state of the exchange. */
  readonly state: State
  /** The rate limits in force. */
  readonly limits: Limits.Limits
}

const hintOf = (trace: Trace, { dialect, limits, state }: Context): string | undefined => {
  const { endpoint, refused, request, serverTime } = trace
  if (refused === undefined || refused === "invalid") return undefined
  return NearMiss.explain(refused, {
    request,
    dialect,
    state,
    endpoint,
    paths: Routing.paths,
    limit: endpoint && limits.of(Limits.countedAs(endpoint), endpoint.rateLimit),
    at: serverTime
  })
}

const verdictOf = (
  { refused }: Trace,
  answer: Answer,
  fault: Faults.Fired | undefined
): Requests.RequestRecord["verdict"] => {
  if (answer._tag !== "Answer" || (fault !== undefined && answer.status >= 500)) return "failed"
  return refused === undefined && fault?.symptom._tag !== "Refuse" ? "answered" : "refused"
}

/**
 * The record of a request: what was asked, and what came of it.
 *
 * @category tracing
 * @since 0.1.0
 */
export const record = (
  trace: Trace,
  answer: Answer,
  fault: Faults.Fired | undefined,
  context: Context
): Requests.NewRequest => {
  const { account, at, command, endpoint, fields, key, nonce, refused, request, violations } = trace
  const secrets = [...context.state.keys.values()].map(({ apiSecret }) => apiSecret)
  const hint = hintOf(trace, context)
  return {
    at,
    method: request.method,
    path: Requests.scrub(request.path, secrets),
    from: request.from,
    ...(account === undefined ? {} : { account }),
    ...(key === undefined ? {} : { key }),
    ...(endpoint === undefined ? {} : { endpoint: endpoint.name }),
    ...(nonce === undefined ? {} : { nonce: String(nonce) }),
    ...(fields === undefined || endpoint === undefined
      ? {}
      : { fields: Requests.shown(Endpoint.codec(endpoint, context.dialect).shape.keys, fields, secrets) }),
    verdict: verdictOf(trace, answer, fault),
    ...(answer._tag === "Reset" ? {} : { status: answer.status }),
    ...(refused === undefined ? {} : { refused }),
    ...(violations === undefined
      ? {}
      : { violations: Object.fromEntries(violations.map(([field, { kind }]) => [field, kind])) }),
    ...(hint === undefined ? {} : { hint: Requests.scrub(hint, secrets) }),
    ...(command === undefined ? {} : { command }),
    ...(fault === undefined ? {} : { fault: { id: fault.id, symptom: fault.symptom._tag } })
  }
}

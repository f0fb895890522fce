/** What becomes known of a request while it is answered, and the record that is kept of it. */
import type { Dialect, RefusalKind } from "../../protocol/Dialect.ts"
import * as Endpoint from "../../protocol/Endpoint.ts"
import * as Signature from "../../protocol/Signature.ts"
import type { Violations } from "../engine/Reply.ts"
import type { State } from "../engine/State.ts"
import * as Expected from "./Expected.ts"
import type * as Faults from "./Faults.ts"
import * as Limits from "./Limits.ts"
import { type Answer, header, type Moment, type Request } from "./Message.ts"
import * as NearMiss from "./NearMiss.ts"
import * as Requests from "./Requests.ts"
import * as Routing from "./Routing.ts"
import type { Secrets } from "./Secrets.ts"

/** What is known of a request. Each stage adds what it finds out. */
export interface Trace {
  /** The request itself. */
  readonly request: Request
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
  readonly key: string | undefined
  /** The nonce of an admitted call. */
  nonce: bigint | undefined
  /** The fields of an admitted call, by their wire keys. */
  fields: Readonly<Record<string, unknown>> | undefined
  /** Why the call is refused. */
  refused: RefusalKind | "invalid" | undefined
  /** The fields that are wrong, and the constraint that each breaks. */
  violations: Violations | undefined
  /** The number of the call's command, if the call became one. */
  command: number | undefined
}

/** Begins a trace: whose call it seems to be, and which endpoint it calls. */
export const recognise = (request: Request, { keys }: State, { at, serverTime, took }: Moment): Trace => {
  const key = keys.get(header(request, Signature.headers.apiKey) as never)
  return {
    request,
    at,
    serverTime,
    took,
    routed: Routing.find(request.path),
    account: key?.account,
    key: key?.title,
    nonce: undefined,
    fields: undefined,
    refused: undefined,
    violations: undefined,
    command: undefined
  }
}

/** What a record needs besides the trace. */
export interface Context {
  /** The dialect of the venue. */
  readonly dialect: Dialect
  /** The state of the exchange. */
  readonly state: State
  /** The rate limits in force. */
  readonly limits: Limits.Limits
  /** The secrets that no record may show. */
  readonly secrets: Secrets
}

const hintOf = (trace: Trace, { dialect, limits, state }: Context): string | undefined => {
  const { refused, request, routed, serverTime } = trace
  if (refused === undefined || refused === "invalid") return undefined
  const endpoint = routed?.route.endpoint
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

/** The longest request that is kept until somebody looks, in bytes. Longer ones would fill the memory of a full log. */
const longestKept = 1024

/** Gives a value. It stands outside of `record`, whose scope would keep the long request alive. */
const always = <A>(value: A) => (): A => value

const lengthOf = ({ body, path, query = "" }: Request): number => body.length + path.length + query.length

/**
 * What writes the record of a request: what was asked, and what came of it, as things stand now. The hint depends on keys
 * and nonces that change, so it is found now. The rest is written when it is asked for, and keeps no request alive.
 */
export const record = (
  trace: Trace,
  answer: Answer,
  fault: Faults.Fired | undefined,
  context: Context
): () => Requests.NewRequest => {
  const { account, at, command, fields, key, nonce, refused, request, routed, violations } = trace
  const { dialect, secrets } = context
  const millis = trace.took()
  const { from, method, path } = request
  const endpoint = routed?.route.endpoint
  const hint = hintOf(trace, context)
  const verdict = verdictOf(trace, answer, fault)
  const status = answer._tag === "Reset" ? undefined : answer.status
  const fired = fault && { id: fault.id, symptom: fault.symptom._tag }
  const show = (): Requests.NewRequest => ({
    at,
    millis,
    method,
    path: Requests.scrub(path, secrets.all()),
    from,
    ...(account === undefined ? {} : { account }),
    ...(key === undefined ? {} : { key }),
    ...(endpoint === undefined ? {} : { endpoint: endpoint.name }),
    ...(nonce === undefined ? {} : { nonce: String(nonce) }),
    ...(fields === undefined || endpoint === undefined
      ? {}
      : { fields: Requests.shown(Endpoint.codec(endpoint, dialect).shape.keys, fields, secrets.all()) }),
    verdict,
    ...(status === undefined ? {} : { status }),
    ...(refused === undefined ? {} : { refused }),
    ...(violations === undefined
      ? {}
      : {
        violations: Object.fromEntries(violations.map(([field, { kind }]) => [field, kind])),
        expected: Expected.of(violations)
      }),
    ...(hint === undefined ? {} : { hint: Requests.scrub(hint, secrets.all()) }),
    ...(command === undefined ? {} : { command }),
    ...(fired === undefined ? {} : { fault: fired })
  })
  return lengthOf(request) <= longestKept ? show : always(show())
}

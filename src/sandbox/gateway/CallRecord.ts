/** The outcome of a call, and the record of the call in the log. */
import type { Dialect, RefusalKind } from "../../protocol/Dialect.ts"
import * as Endpoint from "../../protocol/Endpoint.ts"
import * as Expected from "../../protocol/Expected.ts"
import type { Violations } from "../engine/Reply.ts"
import type { State } from "../engine/State.ts"
import type { Admitted } from "./Admission.ts"
import type { CallContext } from "./CallContext.ts"
import * as CallLog from "./CallLog.ts"
import * as Limits from "./Limits.ts"
import type { Answer, Request, Written } from "./Message.ts"
import * as NearMiss from "./NearMiss.ts"
import * as Records from "./RequestRecord.ts"
import * as Routing from "./Routing.ts"
import type { Secrets } from "./Secrets.ts"
import * as UnknownFields from "./UnknownFields.ts"

/** The outcome of a call. */
export interface Outcome {
  /** The exchange's response, before a fault changes it. */
  readonly answer: Written
  /** The admitted call; absent if the call was refused at admission. */
  readonly call: Admitted | undefined
  /** The reason for the refusal, if the call was refused. */
  readonly refused: RefusalKind | "invalid" | undefined
  /** The invalid fields, each with the constraint that it violates. */
  readonly violations: Violations | undefined
  /** The number of the call's command, if the call became a command. */
  readonly command: number | undefined
}

/** The outcome of a call that was not applied. */
export const notApplied = (answer: Written, refused: RefusalKind | undefined): Outcome => ({
  answer,
  call: undefined,
  refused,
  violations: undefined,
  command: undefined
})

/** The parts of the venue that a record depends on. */
export interface Context {
  /** The dialect of the venue. */
  readonly dialect: Dialect
  /** The state of the exchange. */
  readonly state: State
  /** The current rate limits. */
  readonly limits: Limits.Limits
  /** The secrets that must not appear in a record. */
  readonly secrets: Secrets
}

/** Whether an accepted order was canceled immediately because no resting order could trade with it. */
const isUnfilled = ({ body }: Written): boolean =>
  body.includes(`"status":"CANCELED"`) && /"deal_?stock":"0"/iu.test(body)

const unfilled = "the order was canceled, because no order in the book could trade with it; " +
  "with SetCounterparty, the counterparty quotes the market"

const hintOf = (
  { request, routed, serverTime }: CallContext,
  { answer, refused }: Outcome,
  { dialect, limits, state }: Context
): string | undefined => {
  const endpoint = routed?.route.endpoint
  if (refused === undefined) return endpoint?.places === "order" && isUnfilled(answer) ? unfilled : undefined
  if (refused === "invalid") return undefined
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

/**
 * The names of the ignored fields and the hint, without secrets. A hint about a refusal takes precedence over a hint
 * about ignored fields.
 */
const remark = (
  hint: string | undefined,
  unknown: ReadonlyArray<UnknownFields.UnknownField>,
  secrets: Secrets
): Pick<Records.NewRequest, "hint" | "ignored"> => {
  const text = hint ?? UnknownFields.explain(unknown)
  return {
    ...(unknown.length === 0 ? {} : { ignored: unknown.map(({ name }) => CallLog.scrub(name, secrets.all())) }),
    ...(text === undefined ? {} : { hint: CallLog.scrub(text, secrets.all()) })
  }
}

const verdictOf = (
  { fault }: CallContext,
  { refused }: Outcome,
  answer: Answer
): Records.RequestRecord["verdict"] => {
  if (answer._tag !== "Answer" || (fault !== undefined && answer.status >= 500)) return "failed"
  return refused === undefined && fault?.symptom._tag !== "Refuse" ? "answered" : "refused"
}

/**
 * The maximum size of a request that is kept until its record is built, in bytes. A full log of longer requests would
 * use too much memory.
 */
const longestKept = 1024

/** Wraps a value in a function. Not inlined in `record`, where the closure would also keep the long request alive. */
const always = <A>(value: A) => (): A => value

const lengthOf = ({ body, path, query = "" }: Request): number => body.length + path.length + query.length

/**
 * Returns a function that builds the record for a call whose response was `answer`, without keeping a long request
 * alive. The hint is determined immediately, because it depends on keys and nonces, which change later.
 */
export const record = (
  called: CallContext,
  outcome: Outcome,
  answer: Answer,
  context: Context
): () => Records.NewRequest => {
  const { account, at, fault, keyTitle, request, routed, took } = called
  const { call, command, refused, violations } = outcome
  const { dialect, secrets } = context
  const fields = call?.fields
  const nonce = call?.nonce?.value
  const millis = took()
  const { from, method, path } = request
  const route = routed?.route
  const hint = hintOf(called, outcome, context)
  const verdict = verdictOf(called, outcome, answer)
  const status = answer._tag === "Reset" ? undefined : answer.status
  const fired = fault && { id: fault.id, symptom: fault.symptom._tag }
  const show = (): Records.NewRequest => ({
    at,
    millis,
    method,
    path: CallLog.scrub(path, secrets.all()),
    from,
    ...(account === undefined ? {} : { account }),
    ...(keyTitle === undefined ? {} : { key: keyTitle }),
    ...(route === undefined ? {} : { endpoint: route.endpoint.name }),
    ...(nonce === undefined ? {} : { nonce: String(nonce) }),
    ...(fields === undefined || route === undefined
      ? {}
      : { fields: CallLog.shown(Endpoint.codec(route.endpoint, dialect).shape.keys, fields, secrets.all()) }),
    verdict,
    ...(status === undefined ? {} : { status }),
    ...(refused === undefined ? {} : { refused }),
    ...(violations === undefined
      ? {}
      : {
        violations: Object.fromEntries(violations.map(([field, { kind }]) => [field, kind])),
        expected: Expected.of(violations)
      }),
    ...remark(
      hint,
      fields === undefined || route === undefined ? [] : UnknownFields.of(route, dialect, fields),
      secrets
    ),
    ...(command === undefined ? {} : { command }),
    ...(fired === undefined ? {} : { fault: fired })
  })
  return lengthOf(request) <= longestKept ? show : always(show())
}

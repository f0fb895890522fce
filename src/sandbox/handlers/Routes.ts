/** The endpoints that this exchange serves: all endpoints in the contract, each with its handler. */
import * as Contract from "../../endpoints/all.ts"
import type { RefusalKind } from "../../protocol/Dialect.ts"
import type * as Endpoint from "../../protocol/Endpoint.ts"
import type { Operation } from "../engine/Operation.ts"
import type { Refused, Reply, Violations } from "../engine/Reply.ts"
import { handlers } from "./all.ts"
import type { Context, Itemised, Mutating, Reading } from "./Handler.ts"

export type { Context } from "./Handler.ts"

/**
 * An endpoint and its handler, with defaults filled in for every stage of a call. Requests have the type of the
 * endpoint's request schema.
 */
export interface Route {
  /** The endpoint, from the contract. */
  readonly endpoint: Endpoint.Any
  /** Checks that need the exchange's state or clocks. */
  readonly check: (request: never, context: Context) => Violations
  /** The engine operation that a call requests. */
  readonly operation: (request: never) => Operation
  /** The endpoint that places or cancels one order of a bulk request; `undefined` for other requests. */
  readonly each: Endpoint.Any | undefined
  /** The refusals for the engine's reasons, where these refusals differ from the defaults. */
  readonly refusals: { readonly [Why in Refused["why"]]?: RefusalKind }
  /** Adds details to the engine's reasons for a refusal, for use in the response. */
  readonly explain: (reasons: Violations, request: never, context: Context) => Violations
  /** Builds the response to a request from the engine's reply. */
  readonly answer: (request: never, reply: Reply, context: Context) => unknown
}

const noViolations = (): Violations => []

const asReplied = (reasons: Violations): Violations => reasons

const noOperation = (): Operation => ({ _tag: "Nothing" })

const ofReading = (
  endpoint: Endpoint.Any,
  { answer, check = noViolations }: Reading<Endpoint.Any>
): Route => ({
  endpoint,
  check,
  each: undefined,
  operation: noOperation,
  refusals: {},
  explain: asReplied,
  answer: (request, _reply, context) => answer(request, context)
})

const ofMutating = (endpoint: Endpoint.Any, handler: Mutating<Endpoint.Any>): Route => ({
  endpoint,
  check: noViolations,
  each: undefined,
  operation: handler.operation,
  refusals: handler.refusals ?? {},
  explain: handler.explain ?? asReplied,
  answer: (_request, reply, context) =>
    reply._tag === handler.reply ? handler.answer(reply as never, context) : undefined
})

const ofItemised = (endpoint: Endpoint.Any, handler: Itemised<Endpoint.Any>): Route => ({
  endpoint,
  check: noViolations,
  each: handler.each,
  operation: handler.operation,
  refusals: {},
  explain: asReplied,
  answer: (request, reply, context) => reply._tag === "BulkDone" ? handler.answer(reply, context, request) : undefined
})

const routeOf = (
  endpoint: Endpoint.Any,
  handler: Reading<Endpoint.Any> | Mutating<Endpoint.Any> | Itemised<Endpoint.Any>
): Route =>
  handler.operation === undefined
    ? ofReading(endpoint, handler)
    : "each" in handler
    ? ofItemised(endpoint, handler)
    : ofMutating(endpoint, handler)

/** The routes, in the order of the contract's entries. */
export const routes: ReadonlyArray<Route> = Contract.entries.map(({ endpoint, name }) =>
  routeOf(endpoint, handlers[name])
)

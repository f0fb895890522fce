/**
 * One exchange: an engine, its journal and its admission. Venues share nothing.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { Dialect, Refusal, RefusalKind } from "../protocol/Dialect.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Json from "../protocol/Json.ts"
import * as Signature from "../protocol/Signature.ts"
import * as Violation from "../protocol/Violation.ts"
import * as Admission from "./Admission.ts"
import type { Action, Operation } from "./engine/Command.ts"
import * as Engine from "./engine/Engine.ts"
import type { Reply, Violations } from "./engine/Reply.ts"
import * as State from "./engine/State.ts"
import * as Faults from "./Faults.ts"
import * as Journal from "./Journal.ts"
import * as Limits from "./Limits.ts"
import type { Answer, Request } from "./Message.ts"
import { type Route, routes } from "./Routes.ts"

/**
 * - `dialect`: the document's unless said otherwise
 * - `file`: where the journal is kept; in memory when left out, and then nothing survives the process
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  readonly dialect: Dialect
  readonly file?: string
}

/**
 * - `handle`: answers a request, once everything that the answer has seen is on the disk
 * - `perform`: carries out what only the owner of the venue can do
 * - `state`: what the exchange knows; to be read, never written
 * - `faults`, `limits`: what goes wrong on purpose, and how many calls are too many
 *
 * @category services
 * @since 0.1.0
 */
export class Venue extends Context.Service<Venue, {
  readonly dialect: Dialect
  readonly handle: (request: Request) => Effect.Effect<Answer>
  readonly perform: (action: Exclude<Action, { readonly _tag: "Call" }>) => Effect.Effect<Reply, Journal.JournalError>
  readonly state: State.State
  readonly faults: Faults.Faults
  readonly limits: Limits.Limits
}>()("effect-txc/sandbox/Venue") {}

const byPath: ReadonlyMap<string, Route> = new Map(routes.map((route) => [route.endpoint.path, route]))

/** The routes whose paths hold fields of the request. */
const templates = routes.filter(({ endpoint }) => endpoint.path.includes("{"))

/** The route of a path, and the fields that stand in the path. */
const find = (
  path: string
): { readonly route: Route; readonly fields: Readonly<Record<string, string>> } | undefined => {
  const route = byPath.get(path)
  if (route !== undefined) return { route, fields: {} }
  for (const route of templates) {
    const fields = Endpoint.match(route.endpoint, path)
    if (fields !== undefined) return { route, fields }
  }
  return undefined
}

type Written = Extract<Answer, { readonly _tag: "Answer" }>

const json = (status: number, body: unknown): Written => ({
  _tag: "Answer",
  status,
  headers: { "content-type": "application/json" },
  body: Json.stringify(body as object)
})

const reset: Answer = { _tag: "Reset" }

/** The error body of the document, "Errors": one form for public calls, another for private ones. */
const refusal = (
  isPublic: boolean,
  { code, message, status }: Refusal,
  errors: Readonly<Record<string, ReadonlyArray<string>>> = {}
): Written => isPublic ? json(status, { success: false, message, params: [] }) : json(status, { code, message, errors })

const isPublicPath = (path: string): boolean => path.startsWith("/api/v4/public/")

/**
 * The answer to a call that is refused for what it is, whoever makes it.
 *
 * @category answers
 * @since 0.1.0
 */
export const refuse = (dialect: Dialect, path: string, kind: RefusalKind): Written =>
  refusal(isPublicPath(path), dialect.refusals[kind])

/** What a journal can only be read by: its dialect, and the rules that can be chosen. */
const speechOf = ({ name, rules }: Dialect): string => `${name}, reduce-only ${rules.reduceOnly}`

/**
 * Opens a venue: its journal is read, and the engine is brought to where it was.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = Effect.fnUntraced(function*(options: Options) {
  const { dialect } = options
  const journal = yield* Journal.open(options.file ?? Journal.inMemory, speechOf(dialect))
  const state = State.make(dialect.rules)
  const faults = Faults.make()
  const limits = Limits.make()
  let lastAt = 0
  for (const command of journal.commands) {
    Engine.apply(state, command)
    lastAt = command.at
  }

  /** Time never runs backwards in the journal. */
  const now = (clock: Clock.Clock): number => lastAt = Math.max(lastAt, clock.currentTimeMillisUnsafe() * 1000)

  /** Set when memory and journal may differ: nothing is answered any more until the venue is opened again. */
  let stopped = false

  /** Stops the venue when the engine fails halfway through a command: a defect, of which nothing may be seen. */
  const stopOnDefect = <A, E>(work: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.onExit(
      work,
      (exit) => Exit.isFailure(exit) && Cause.hasDies(exit.cause) ? Effect.sync(() => stopped = true) : Effect.void
    )

  const apply = (action: Action, at: number): Reply => {
    const command = { at, action }
    const { reply } = Engine.apply(state, command)
    const unchanged = reply._tag === "Refused" && (reply.why === "nonceUsed" || reply.why === "nonceOutsideWindow")
    if (!unchanged) journal.append(command)
    return reply
  }

  const respond = (route: Route, request: unknown, reply: Reply, account: string, at: number): Answer => {
    const { endpoint } = route
    const { shape, encodeResponse } = Endpoint.codec(endpoint, dialect)
    const errorsOf = (violations: Violations) =>
      Violation.toErrors(violations.map(toViolation), endpoint.voice, (field) => shape.keys[field] ?? field)
    if (reply._tag === "Invalid" && endpoint.access === "public") {
      const { body, status } = dialect.publicValidation(errorsOf(reply.violations))
      return json(status, body)
    }
    if (reply._tag === "Invalid") {
      const refused = Endpoint.refusalOf(endpoint, dialect, reply.violations.map(toViolation))
      return refusal(false, refused, errorsOf(reply.violations))
    }
    if (reply._tag === "Refused") {
      return refusal(false, dialect.refusals[route.refusals[reply.why] ?? reply.why], errorsOf(reply.violations))
    }
    const context = { dialect, state, account, at }
    const encoded = encodeResponse(route.answer(request as never, reply, context))
    return Result.isSuccess(encoded)
      ? json(route.status(dialect), encoded.success)
      : json(500, {
        code: 0,
        message: `The sandbox made an answer it can't encode: ${encoded.failure.message}`,
        errors: {}
      })
  }

  /** The request of a call and what is wrong with it, as far as that can be seen without carrying it out. */
  const read = (
    route: Route,
    fields: Readonly<Record<string, unknown>>,
    account: string,
    at: number
  ): { readonly request: unknown; readonly found: Violations } => {
    const decoded = Endpoint.codec(route.endpoint, dialect).decodeRequest(fields)
    return Result.isFailure(decoded)
      ? { request: undefined, found: decoded.failure.map(({ field, rule }) => [field, rule] as const) }
      : { request: decoded.success, found: route.check(decoded.success as never, { dialect, state, account, at }) }
  }

  const answerPublic = (
    route: Route,
    inPath: Readonly<Record<string, string>>,
    { from, query = "" }: Request,
    at: number
  ): Answer => {
    const { endpoint } = route
    if (!limits.admit(from, "public", endpoint.rateLimit, at)) {
      return refusal(true, dialect.refusals.rateLimited)
    }
    const { found, request } = read(route, { ...Object.fromEntries(new URLSearchParams(query)), ...inPath }, "", at)
    return respond(route, request, found.length > 0 ? { _tag: "Invalid", violations: found } : { _tag: "Done" }, "", at)
  }

  const answerPrivate = (route: Route, request: Request, at: number): Answer => {
    const { endpoint } = route
    const admitted = Admission.admit(dialect, state, limits, endpoint, request, at)
    if (Result.isFailure(admitted)) return refusal(false, dialect.refusals[admitted.failure])
    const { fields, key, nonce } = admitted.success
    const call = (operation: Operation) =>
      apply({ _tag: "Call", apiKey: key.apiKey, ...(nonce === undefined ? {} : { nonce }), operation }, at)

    const { found, request: asked } = read(route, fields, key.account, at)
    if (found.length > 0) {
      const used = call({ _tag: "Nothing" })
      return respond(route, undefined, used._tag === "Refused" ? used : { _tag: "Invalid", violations: found }, "", at)
    }
    return respond(route, asked, call(route.operation(asked as never)), key.account, at)
  }

  const answer = (request: Request, at: number): Answer => {
    const found = find(request.path)
    if (found === undefined) return refuse(dialect, request.path, "notFound")
    const { fields, route } = found
    if (request.method !== route.endpoint.method) return refuse(dialect, request.path, "methodNotAllowed")
    return isPublicPath(request.path) ? answerPublic(route, fields, request, at) : answerPrivate(route, request, at)
  }

  /** Waits for the disk. When that fails nothing may leave: what was applied may not be there tomorrow. */
  const onceCommitted = (answer: Answer): Effect.Effect<Answer> =>
    Effect.matchEffect(journal.committed, {
      onSuccess: () => Effect.succeed(answer),
      onFailure: (error) => {
        stopped = true
        return Effect.as(Effect.logError(error.message), reset)
      }
    })

  const handle = (request: Request): Effect.Effect<Answer> =>
    stopOnDefect(Effect.clockWith((clock) => {
      if (stopped) return Effect.succeed(refuse(dialect, request.path, "unavailable"))
      const apiKey = request.headers[Signature.headers.apiKey]
      const fault = faults.next(request.path, typeof apiKey === "string" ? apiKey : undefined)
      if (fault === undefined) return onceCommitted(answer(request, now(clock)))
      const instead = fault._tag === "Answer" ? fault : fault._tag === "Reset" ? reset : undefined
      if (instead !== undefined && fault._tag !== "Delay" && !fault.applied) return Effect.succeed(instead)
      const committed = onceCommitted(answer(request, now(clock)))
      return fault._tag === "Delay" ? Effect.delay(committed, fault.millis) : Effect.as(committed, instead ?? reset)
    }))

  return Venue.of({
    dialect,
    handle,
    perform: (action) =>
      stopOnDefect(Effect.clockWith((clock) => {
        if (!stopped) return Effect.as(journal.committed, apply(action, now(clock)))
        return Effect.andThen(journal.committed, Effect.die("the venue has stopped; open it again"))
      })),
    state,
    faults,
    limits
  })
})

const toViolation = ([field, rule]: Violations[number]): Violation.Violation => ({ field, rule })

/**
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: Options): Layer.Layer<Venue, Journal.JournalError> => Layer.effect(Venue, make(options))

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
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Dialect, Refusal, RefusalKind } from "../protocol/Dialect.ts"
import * as Endpoint from "../protocol/Endpoint.ts"
import * as Json from "../protocol/Json.ts"
import * as Signature from "../protocol/Signature.ts"
import * as Violation from "../protocol/Violation.ts"
import * as Feed from "./control/Feed.ts"
import type { Action, Command } from "./engine/Command.ts"
import * as Engine from "./engine/Engine.ts"
import type { Event } from "./engine/Event.ts"
import * as History from "./engine/History.ts"
import type { Operation } from "./engine/Operation.ts"
import type { Reply, Violations } from "./engine/Reply.ts"
import * as Schedule from "./engine/Schedule.ts"
import * as State from "./engine/State.ts"
import * as Admission from "./gateway/Admission.ts"
import * as Faults from "./gateway/Faults.ts"
import * as Limits from "./gateway/Limits.ts"
import { type Answer, BodyLost, type Request } from "./gateway/Message.ts"
import * as NearMiss from "./gateway/NearMiss.ts"
import * as Requests from "./gateway/Requests.ts"
import { type Route, routes } from "./handlers/Routes.ts"
import * as Journal from "./store/Journal.ts"
import * as Snapshot from "./store/Snapshot.ts"

/**
 * - `dialect`: the document's unless said otherwise
 * - `file`: where the journal is kept; in memory when left out, and then nothing survives the process
 * - `seed`: what the chance of faults depends on; 0 unless said otherwise
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  readonly dialect: Dialect
  readonly file?: string
  readonly seed?: number
}

/** What only the owner of a venue can do to it. */
export type OwnAction = Exclude<Action, { readonly _tag: "Call" | "Restore" }>

/**
 * - `seed`: what the chance of faults depends on
 * - `handle`: answers a request, once everything that the answer has seen is on the disk
 * - `perform`: carries out what only the owner of the venue can do; `now` is the venue's clock and `real` the computer's
 * - `now`: the venue's clock, in Unix microseconds
 * - `read`: the state, after everything that has come due, once it is on the disk; to be read, never written
 * - `state`: the same without waiting
 * - `sequence`, `origin`: how many commands there have been, and the one that a reset goes back to
 * - `snapshot`: remembers the state as it is, so that to restore it takes no time; gives the number of the last command
 * - `restore`: makes the state again that the first so many commands had left; `false` when there were not so many
 * - `replay`: carries out the commands of another journal, each at its own time
 * - `journal`, `faults`, `limits`, `feed`, `requests`: what it is made of
 *
 * @category services
 * @since 0.1.0
 */
export class Venue extends Context.Service<Venue, {
  readonly dialect: Dialect
  readonly seed: number
  readonly handle: (request: Request) => Effect.Effect<Answer>
  readonly perform: (
    action: OwnAction | ((state: State.State, now: number, real: number) => OwnAction)
  ) => Effect.Effect<Reply, Journal.JournalError>
  readonly now: Effect.Effect<number>
  readonly read: Effect.Effect<State.State, Journal.JournalError>
  readonly state: State.State
  readonly sequence: () => number
  readonly origin: () => number
  readonly snapshot: Effect.Effect<number, Journal.JournalError>
  readonly restore: (sequence: number) => Effect.Effect<boolean, Journal.JournalError>
  readonly replay: (commands: ReadonlyArray<Command>) => Effect.Effect<void, Journal.JournalError>
  readonly journal: Journal.Journal
  readonly faults: Faults.Faults
  readonly limits: Limits.Limits
  readonly feed: Feed.Feed
  readonly requests: Requests.Requests
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

/** What a journal can only be read by: its dialect, the rules that can be chosen, and the engine. */
const rulesOf = ({ name, policy }: Dialect): string =>
  `${name}, reduce-only ${policy.reduceOnly}, engine ${Engine.version}`

/** So many states are remembered without the journal being read for them. */
const remembered = 16

/** After so many commands, or half of all before them, the journal gets a snapshot. */
const commandsBetweenSnapshots = 10_000

/** Actions after which something else may happen next by itself. */
const reschedules: ReadonlySet<Action["_tag"]> = new Set(["Invest", "PlayPrices", "SetClock", "Restore"])

/** What comes to be known of a request while it is answered. */
interface Trace {
  endpoint?: Endpoint.Any
  account?: string
  key?: string
  nonce?: bigint
  fields?: Readonly<Record<string, unknown>>
  refused?: RefusalKind | "invalid"
  violations?: Violations
  command?: number
}

/**
 * Opens a venue: its journal is read, and the engine is brought to where it was.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = Effect.fnUntraced(function*(
  { dialect, file = Journal.inMemory, seed = 0 }: Options
): Effect.fn.Return<Venue["Service"], Journal.JournalError, Scope.Scope> {
  /** What commands have brought about that are not on the disk yet: nobody is to hear of it. */
  let unpublished: Array<readonly [sequence: number, at: number, events: ReadonlyArray<Event>]> = []
  const publish = (committed: number): void => {
    const published = unpublished.filter(([sequence]) => sequence <= committed)
    unpublished = unpublished.slice(published.length)
    for (const entry of published) feed.happened(...entry)
  }
  const journal = yield* Journal.open(file, { rules: rulesOf(dialect), onCommitted: (last) => publish(last) })
  if (journal.unfinished > 0) {
    yield* Effect.logWarning(
      `${file}: the last ${journal.unfinished} bytes of the log belong to commands that were not wholly written; ` +
        "they were left out. No answer to them had left"
    )
  }
  const faults = Faults.make(seed)
  const limits = Limits.make()
  const requests = Requests.make()
  const history = History.make(dialect.policy)

  /** Encoded states, by the number of their last command. */
  const states = new Map<number, Uint8Array>()
  const recall: History.Recall = (sequence) => {
    if (sequence === 0) return State.make(dialect.policy)
    const found = Option.getOrThrowWith(
      Option.fromUndefinedOr(states.get(sequence)),
      () => new Error(`the state after command ${sequence} was not remembered`)
    )
    return Snapshot.decode(found, dialect.policy)
  }
  const remember = (sequence: number, state: State.State): void => {
    states.delete(sequence)
    states.set(sequence, Snapshot.encode(state))
  }
  const forget = (): void => {
    for (const sequence of states.keys()) {
      if (states.size <= remembered) return
      states.delete(sequence)
    }
  }

  /** Goes through commands that have happened already, keeping the states that later ones go back to. */
  const follow = (
    history: History.History,
    to: number,
    recalled: ReadonlySet<number>,
    visit: (command: Command, events: ReadonlyArray<Event>) => void
  ): Effect.Effect<void, Journal.JournalError> => {
    if (recalled.has(history.sequence)) remember(history.sequence, history.state)
    return journal.read(history.sequence, to, (command) => {
      visit(command, History.apply(history, command, recall).events)
      if (recalled.has(history.sequence)) remember(history.sequence, history.state)
    })
  }

  const last = journal.sequence()
  const { snapshot } = journal
  const recalledLater = yield* journal.recalledAfter(snapshot?.sequence ?? 0)
  // A snapshot is of no use when something after it goes back to what was before it.
  const isUsable = snapshot !== undefined && [...recalledLater].every((sequence) => sequence >= snapshot.sequence)
  if (isUsable) {
    history.state = Snapshot.decode(snapshot.state, dialect.policy)
    history.sequence = snapshot.sequence
    history.origin = snapshot.origin
  }
  const feed = Feed.make(journal.run, history.sequence)
  yield* follow(
    history,
    last,
    isUsable ? recalledLater : yield* journal.recalledAfter(0),
    ({ at }, events) => feed.happened(history.sequence, at, events)
  )
  forget()
  let snapshotAt = isUsable ? snapshot.sequence : 0

  /** Time never runs backwards while a state lives. */
  const now = (clock: Clock.Clock): number => {
    const { at, clock: set } = history.state
    const time = set._tag === "Frozen" ? set.at : clock.currentTimeMillisUnsafe() * 1000 + set.ahead
    return Math.max(at, time)
  }

  /** Set when memory and journal may differ: nothing is answered any more until the venue is opened again. */
  let stopped = false

  /** Stops the venue when the engine fails halfway through a command, or the disk does: nothing may be seen of it. */
  const stopOnFailure = <A, E>(work: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.onExit(
      work,
      (exit) =>
        Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause) ? Effect.sync(() => stopped = true) : Effect.void
    )

  /** Has something in it when what happens by itself next may have changed. */
  const rescheduled = yield* Queue.sliding<void>(1)

  const enter = (command: Command): Reply => {
    const { events, recorded, reply } = History.apply(history, command, recall)
    if (!recorded) return reply
    const { sequence } = history
    unpublished.push([sequence, command.at, events])
    journal.append(command)
    if (file !== Journal.inMemory && sequence - snapshotAt >= Math.max(commandsBetweenSnapshots, snapshotAt / 2)) {
      snapshotAt = sequence
      journal.keep({ sequence, origin: history.origin, state: Snapshot.encode(history.state) })
    }
    if (reschedules.has(command.action._tag)) Queue.offerUnsafe(rescheduled, undefined)
    return reply
  }

  /** Lets happen what has come due, as a command of its own: it is there whatever becomes of the next. */
  const settle = (at: number): void => {
    const due = Schedule.next(history.state)
    if (due !== undefined && due <= at) enter({ at, action: { _tag: "Pass" } })
  }

  const apply = (action: Action, at: number): Reply => {
    settle(at)
    return enter({ at, action })
  }

  const respond = (
    trace: Trace,
    route: Route,
    request: unknown,
    reply: Reply,
    account: string,
    at: number
  ): Written => {
    const { endpoint } = route
    const { shape, encodeResponse } = Endpoint.codec(endpoint, dialect)
    const errorsOf = (violations: Violations) =>
      Violation.toErrors(violations.map(toViolation), endpoint.errorFamily, (field) => shape.keys[field] ?? field)
    if (reply._tag === "Invalid" || reply._tag === "Refused") {
      trace.refused = reply._tag === "Invalid" ? "invalid" : route.refusals[reply.why] ?? reply.why
      trace.violations = reply.violations
    }
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
    const context = { dialect, state: history.state, account, at }
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
      ? { request: undefined, found: decoded.failure.map(({ field, constraint }) => [field, constraint] as const) }
      : {
        request: decoded.success,
        found: route.check(decoded.success as never, { dialect, state: history.state, account, at })
      }
  }

  const answerPublic = (
    trace: Trace,
    route: Route,
    inPath: Readonly<Record<string, string>>,
    { from, query = "" }: Request,
    at: number
  ): Written => {
    const { endpoint } = route
    if (!limits.admit(from, "public", endpoint.rateLimit, at)) {
      trace.refused = "rateLimited"
      return refusal(true, dialect.refusals.rateLimited)
    }
    const fields = { ...Object.fromEntries(new URLSearchParams(query)), ...inPath }
    trace.fields = fields
    const { found, request } = read(route, fields, "", at)
    const reply: Reply = found.length > 0 ? { _tag: "Invalid", violations: found } : { _tag: "Done" }
    return respond(trace, route, request, reply, "", at)
  }

  const answerPrivate = (trace: Trace, route: Route, request: Request, at: number): Written => {
    const { endpoint } = route
    const { state } = history
    const admitted = Admission.admit(dialect, state, limits, endpoint, request, at)
    if (Result.isFailure(admitted)) {
      trace.refused = admitted.failure
      return refusal(false, dialect.refusals[admitted.failure])
    }
    const { fields, key, nonce } = admitted.success
    trace.fields = fields
    if (nonce !== undefined) trace.nonce = nonce.value
    const call = (operation: Operation) => {
      const before = history.sequence
      const reply = apply(
        { _tag: "Call", apiKey: key.apiKey, ...(nonce === undefined ? {} : { nonce }), operation },
        at
      )
      if (history.sequence > before) trace.command = history.sequence
      return reply
    }

    const { found, request: asked } = read(route, fields, key.account, at)
    if (found.length > 0) {
      const used = call({ _tag: "Nothing" })
      const reply: Reply = used._tag === "Refused" ? used : { _tag: "Invalid", violations: found }
      return respond(trace, route, undefined, reply, "", at)
    }
    return respond(trace, route, asked, call(route.operation(asked as never)), key.account, at)
  }

  /** Whose call it seems to be, and of what. */
  const recognise = ({ headers, path }: Request): Trace => {
    const apiKey = headers[Signature.headers.apiKey]
    const key = typeof apiKey === "string" ? history.state.keys.get(apiKey as never) : undefined
    const route = find(path)?.route
    return {
      ...(key === undefined ? {} : { account: key.account, key: key.title }),
      ...(route === undefined ? {} : { endpoint: route.endpoint })
    }
  }

  const answer = (trace: Trace, request: Request, at: number): Written => {
    settle(at)
    const found = find(request.path)
    if (found === undefined) {
      trace.refused = "notFound"
      return refuse(dialect, request.path, "notFound")
    }
    const { fields, route } = found
    if (request.method !== route.endpoint.method) {
      trace.refused = "methodNotAllowed"
      return refuse(dialect, request.path, "methodNotAllowed")
    }
    return isPublicPath(request.path)
      ? answerPublic(trace, route, fields, request, at)
      : answerPrivate(trace, route, request, at)
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

  const clockOfCallers = (at: number): number => at + history.state.skew

  /** Writes down what came of a request, before its answer leaves. */
  const note = (
    request: Request,
    trace: Trace,
    at: number,
    answer: Answer,
    fault?: ReturnType<Faults.Faults["next"]>
  ) => {
    const { account, command, endpoint, fields, key, nonce, refused, violations } = trace
    const secrets = [...history.state.keys.values()].map(({ apiSecret }) => apiSecret)
    const failed = answer._tag !== "Answer" || (fault !== undefined && answer.status >= 500)
    const hint = refused === undefined || refused === "invalid" ? undefined : NearMiss.explain(refused, {
      request,
      dialect,
      state: history.state,
      endpoint,
      paths: byPath.keys(),
      limit: endpoint && limits.of(isPublicPath(request.path) ? "public" : endpoint.path, endpoint.rateLimit),
      at: clockOfCallers(at)
    })
    const record = requests.add({
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
        : { fields: Requests.shown(Endpoint.codec(endpoint, dialect).shape.keys, fields, secrets) }),
      verdict: failed ? "failed" : refused === undefined && fault?.symptom._tag !== "Refuse" ? "answered" : "refused",
      ...(answer._tag === "Reset" ? {} : { status: answer.status }),
      ...(refused === undefined ? {} : { refused }),
      ...(violations === undefined
        ? {}
        : { violations: Object.fromEntries(violations.map(([field, { kind }]) => [field, kind])) }),
      ...(hint === undefined ? {} : { hint: Requests.scrub(hint, secrets) }),
      ...(command === undefined ? {} : { command }),
      ...(fault === undefined ? {} : { fault: { id: fault.id, symptom: fault.symptom._tag } })
    })
    feed.requested(journal.sequence(), record)
  }

  /** The answer as a caller whom something goes wrong with sees it. */
  const applySymptom = (answer: Written, path: string, symptom: Faults.Symptom): Answer => {
    switch (symptom._tag) {
      case "Answer":
        return symptom
      case "BadGateway":
        return badGateway
      case "Refuse":
        return refuse(dialect, path, symptom.kind)
      case "Reset":
        return reset
      case "Delay":
      case "Late":
        return answer
      case "Malformed":
        return { ...answer, body: answer.body.slice(0, Math.floor(answer.body.length / 2)) }
      case "Truncate":
      case "Slow":
        return inParts(answer, symptom)
    }
  }

  const isNeverApplied = (symptom: Faults.Symptom): boolean =>
    symptom._tag === "Refuse" || ("applied" in symptom && !symptom.applied)

  const handle = (request: Request): Effect.Effect<Answer> =>
    stopOnFailure(Effect.clockWith((clock) => {
      if (stopped) return Effect.succeed(refuse(dialect, request.path, "unavailable"))
      const apiKey = request.headers[Signature.headers.apiKey]
      const fault = faults.next(request.path, typeof apiKey === "string" ? apiKey : undefined)
      const carryOut = Effect.suspend(() => {
        if (stopped) return Effect.succeed<Answer>(refuse(dialect, request.path, "unavailable"))
        const at = now(clock)
        const trace = recognise(request)
        const given = answer(trace, request, at)
        const seen = fault === undefined ? given : applySymptom(given, request.path, fault.symptom)
        return Effect.tap(onceCommitted(seen), (left) => Effect.sync(() => note(request, trace, at, left, fault)))
      })
      if (fault === undefined) return carryOut
      const { symptom } = fault
      if (symptom._tag === "Late") return Effect.delay(carryOut, symptom.millis)
      if (symptom._tag === "Delay")
        return Effect.flatMap(carryOut, (answer) => Effect.delay(Effect.succeed(answer), symptom.millis))
      if (!isNeverApplied(symptom)) return carryOut
      const seen = applySymptom(refuse(dialect, request.path, "unavailable"), request.path, symptom)
      note(request, recognise(request), now(clock), seen, fault)
      return Effect.succeed(seen)
    }))

  const stoppedForGood = Effect.andThen(journal.committed, Effect.die("the venue has stopped; open it again"))

  const ownerAction = <A>(work: (clock: Clock.Clock) => A): Effect.Effect<A, Journal.JournalError> =>
    stopOnFailure(Effect.clockWith((clock) => {
      if (stopped) return stoppedForGood
      return Effect.as(journal.committed, work(clock))
    }))

  const restore = Effect.fnUntraced(function*(sequence: number) {
    if (sequence > history.sequence) return false
    yield* journal.committed
    if (sequence > 0 && !states.has(sequence)) {
      const past = History.make(dialect.policy)
      yield* follow(past, sequence, yield* journal.recalledAfter(0), () => undefined)
      remember(sequence, past.state)
    }
    yield* ownerAction((clock) => apply({ _tag: "Restore", sequence }, now(clock)))
    forget()
    return true
  })

  const replay = Effect.fnUntraced(function*(commands: ReadonlyArray<Command>) {
    const recalled = new Set<number>()
    for (const { action } of commands) if (action._tag === "Restore") recalled.add(action.sequence)
    yield* ownerAction(() => {
      for (const command of commands) {
        enter(command)
        if (recalled.has(history.sequence)) remember(history.sequence, history.state)
      }
    })
    forget()
  })

  /** Lets happen what comes due while nobody calls. */
  const alarm = Effect.clockWith((clock) =>
    Effect.suspend(() => {
      const due = stopped || history.state.clock._tag === "Frozen" ? undefined : Schedule.next(history.state)
      const sleep = due === undefined ? Effect.never : Effect.sleep(Math.max(0, Math.ceil((due - now(clock)) / 1000)))
      return Effect.andThen(Effect.raceFirst(sleep, Queue.take(rescheduled)), ownerAction(() => settle(now(clock))))
    })
  )
  yield* Effect.forkScoped(Effect.tapCause(
    Effect.forever(alarm),
    (cause) =>
      Cause.hasInterruptsOnly(cause) ? Effect.void : Effect.logError("The venue has stopped; open it again", cause)
  ))

  return Venue.of({
    dialect,
    seed,
    handle,
    perform: (action) =>
      ownerAction((clock) => {
        const at = now(clock)
        settle(at)
        const asked = typeof action === "function"
          ? action(history.state, at, clock.currentTimeMillisUnsafe() * 1000)
          : action
        // To set the clock is to let the time pass until then; before the first command no time has passed.
        const earliest = history.sequence === 0 ? 0 : at
        const then = asked._tag === "SetClock" ? Math.max(earliest, timeOf(asked.clock, clock)) : at
        return apply(asked, then)
      }),
    now: Effect.clockWith((clock) => Effect.sync(() => now(clock))),
    read: Effect.map(ownerAction((clock) => settle(now(clock))), () => history.state),
    get state() {
      return history.state
    },
    sequence: () => history.sequence,
    origin: () => history.origin,
    snapshot: ownerAction(() => {
      remember(history.sequence, history.state)
      forget()
      return history.sequence
    }),
    restore,
    replay,
    journal,
    faults,
    limits,
    feed,
    requests
  })
})

const timeOf = (set: State.Clock, clock: Clock.Clock): number =>
  set._tag === "Frozen" ? set.at : clock.currentTimeMillisUnsafe() * 1000 + set.ahead

const badGateway: Written = {
  _tag: "Answer",
  status: 502,
  headers: { "content-type": "text/html" },
  body: "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>"
}

/** An answer that says how long it is, and does not arrive at once or as a whole. */
const inParts = (
  { body, headers, status }: Written,
  symptom: Extract<Faults.Symptom, { readonly _tag: "Truncate" | "Slow" }>
): Answer => {
  const bytes = new TextEncoder().encode(body)
  const head = { ...headers, "content-length": String(bytes.length) }
  if (symptom._tag === "Truncate") {
    // One byte is always missing.
    const part = bytes.subarray(0, Math.min(symptom.bytes, bytes.length - 1))
    const parts = Stream.concat(part.length === 0 ? Stream.empty : Stream.make(part), Stream.fail(new BodyLost()))
    return { _tag: "Stream", status, headers: head, body: parts }
  }
  const perTick = Math.max(1, Math.ceil(symptom.bytesPerSecond / 10))
  const parts = Array.from(
    { length: Math.ceil(bytes.length / perTick) },
    (_, index) => bytes.subarray(index * perTick, (index + 1) * perTick)
  )
  const pause = 1000 * perTick / symptom.bytesPerSecond
  return {
    _tag: "Stream",
    status,
    headers: head,
    body: Stream.mapEffect(Stream.fromIterable(parts), (part) => Effect.delay(Effect.succeed(part), pause))
  }
}

const toViolation = ([field, constraint]: Violations[number]): Violation.Violation => ({ field, constraint })

/**
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: Options): Layer.Layer<Venue, Journal.JournalError> => Layer.effect(Venue, make(options))

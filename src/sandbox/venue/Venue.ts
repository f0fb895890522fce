/**
 * One exchange: an engine, its journal and its admission. Venues share no state.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Dialect } from "effect-txc"
 * import { Venue } from "effect-txc/sandbox"
 *
 * const commands = Effect.gen(function*() {
 *   const venue = yield* Venue.Venue
 *   return venue.sequence()
 * }).pipe(Effect.provide(Venue.layer({ dialect: Dialect.document, file: "venue.sqlite" })))
 * ```
 */
import type * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { Dialect, RefusalKind } from "../../protocol/Dialect.ts"
import * as Signature from "../../protocol/Signature.ts"
import type { Operation } from "../engine/Operation.ts"
import { done, type Reply } from "../engine/Reply.ts"
import type { SetCounterpartyOptions } from "../engine/SetCounterparty.ts"
import type * as State from "../engine/State.ts"
import * as Admission from "../gateway/Admission.ts"
import * as CallContext from "../gateway/CallContext.ts"
import * as CallLog from "../gateway/CallLog.ts"
import * as CallRecord from "../gateway/CallRecord.ts"
import * as FaultEffects from "../gateway/FaultEffects.ts"
import * as Faults from "../gateway/Faults.ts"
import * as Limits from "../gateway/Limits.ts"
import * as Message from "../gateway/Message.ts"
import { type Answer, type Request, reset, type Written } from "../gateway/Message.ts"
import * as OpenConnections from "../gateway/OpenConnections.ts"
import * as Reading from "../gateway/Reading.ts"
import * as Responses from "../gateway/Responses.ts"
import * as Routing from "../gateway/Routing.ts"
import * as Secrets from "../gateway/Secrets.ts"
import * as StreamTokens from "../gateway/StreamTokens.ts"
import * as Traffic from "../gateway/Traffic.ts"
import type { Context as HandlerContext, Route } from "../handlers/Routes.ts"
import * as Journal from "../store/Journal.ts"
import { tooLate } from "../store/JournalError.ts"
import * as Outbox from "../store/Outbox.ts"
import * as Recovery from "../store/Recovery.ts"
import * as Rules from "../store/Rules.ts"
import * as SavedStates from "../store/SavedStates.ts"
import * as Alarm from "./Alarm.ts"
import * as Executor from "./Executor.ts"
import * as Feed from "./Feed.ts"
import * as Forks from "./Forks.ts"
import * as Halt from "./Halt.ts"
import * as Memory from "./Memory.ts"
import * as OwnerActions from "./OwnerActions.ts"
import { checked } from "./Perform.ts"
import { drawOf, type Secrecy } from "./Secrecy.ts"
import * as VenueClock from "./VenueClock.ts"
import * as Watchers from "./Watchers.ts"

export type { Secrecy } from "./Secrecy.ts"

/**
 * A venue's optional settings.
 *
 * @category models
 */
export interface OptionalOptions {
  /** The journal's file. Without a file, the journal is kept in memory, and is lost when the process exits. */
  readonly file?: string
  /** The seed for random faults; 0 by default. */
  readonly seed?: number
  /** How the secrets of new sub-account keys and new codes are chosen; `sequential` by default. */
  readonly secrets?: Secrecy
  /** Opens a journal that is not a file on this machine. `file` then only names the journal in messages. */
  readonly journal?: (options: Journal.Options) => Effect.Effect<Journal.Journal, Journal.JournalError, Scope.Scope>
  /**
   * The markets that the counterparty quotes in a new venue, and how; none by default. These settings become commands
   * in the journal, and a reset keeps them. Because of these commands, the venue can't replay another journal. A venue
   * that already has commands ignores these settings.
   */
  readonly counterparty?: ReadonlyArray<SetCounterpartyOptions>
}

/**
 * A venue's settings, including its dialect.
 *
 * @category models
 */
export interface Options extends OptionalOptions {
  /** The venue's dialect, including its choices where the documentation is ambiguous. */
  readonly dialect: Dialect
}

/**
 * A function that is called once: with the response or, if something must be awaited or logged first, with an effect
 * that returns the response.
 *
 * @category models
 */
export type Resume = (answer: Answer | Effect.Effect<Answer>) => void

/**
 * The service of a venue, that is, of one exchange.
 *
 * @category services
 */
export class Venue extends Context.Service<Venue, {
  /** The dialect with which the venue was opened. */
  readonly dialect: Dialect
  /** The seed with which the venue was opened. */
  readonly seed: number
  /** How the venue chooses new secrets. */
  readonly secrets: Secrecy
  /** Handles a request. The response is sent only after every command that it reflects is durable. */
  readonly handle: (request: Request) => Effect.Effect<Answer>
  /** Like `handle`, but uses the given clock, and starts no fiber if the response only has to wait for the disk. */
  readonly receive: (request: Request, clock: Clock.Clock, resume: Resume) => void
  /** Carries out an owner action. Succeeds once the action is durable. */
  readonly perform: OwnerActions.OwnerActions["perform"]
  /** The time on the venue's clock, in Unix microseconds. */
  readonly now: Effect.Effect<number>
  /** The durable state, after everything due has been applied. Do not modify this state. */
  readonly read: OwnerActions.OwnerActions["read"]
  /** The current state, durable or not. Do not modify this state. */
  readonly state: State.State
  /** The number of commands so far. */
  readonly sequence: () => number
  /** The number of the command that a reset returns to; 0 for the beginning. */
  readonly origin: () => number
  /** Saves the state, so that it can be restored quickly, and returns the number of the last command. */
  readonly snapshot: OwnerActions.OwnerActions["snapshot"]
  /** The saved states, which can be restored without a replay, oldest first. */
  readonly saved: OwnerActions.OwnerActions["saved"]
  /** Restores the state after `sequence` commands. Returns `false` if there are fewer commands. */
  readonly restore: OwnerActions.OwnerActions["restore"]
  /**
   * The state after an earlier command, for reading only; `undefined` if there are fewer commands. Do not modify this
   * state.
   */
  readonly stateAfter: OwnerActions.OwnerActions["stateAfter"]
  /** Applies the commands of another journal, each at its own time. */
  readonly replay: OwnerActions.OwnerActions["replay"]
  /** The durable record of the venue's commands. */
  readonly journal: Journal.Journal
  /** The active faults. */
  readonly faults: Faults.Faults
  /** The current rate limits. */
  readonly limits: Limits.Limits
  /** The live feed of events on the exchange. */
  readonly feed: Feed.Feed
  /** The latest calls and their outcomes. */
  readonly callLog: CallLog.CallLog
  /** The requests and responses of the latest calls. They contain secrets. */
  readonly traffic: Traffic.Traffic
  /** The forks of this venue. */
  readonly forks: Forks.Forks
  /** The open WebSocket connections, over all transports. */
  readonly connections: OpenConnections.OpenConnections
  /** The tokens that authorize connections. */
  readonly streamTokens: StreamTokens.StreamTokens
  /** Adds a watcher that is called after each of the venue's commands. Returns a function that removes the watcher. */
  readonly watch: Watchers.Watchers["watch"]
  /** Calls a listener when the venue halts. Returns a function that removes the listener. */
  readonly whenHalted: Halt.Halt["whenHalted"]
  /**
   * Applies everything due, and returns the current time on both of the venue's clocks; `undefined` if the venue is
   * halted, or if its clock is past the last time that can be recorded. The caller may then read the state, but must
   * not send out any part of the state before `journal.whenCommitted` reports that the state is durable.
   */
  readonly settled: (clock: Clock.Clock) => Message.Moment | undefined
}>()("effect-txc/sandbox/Venue") {}

/** The parts of a venue that take part in handling a call. */
interface Gateway {
  readonly dialect: Dialect
  /** The name of the journal's file, for error messages. */
  readonly file: string
  readonly executor: Executor.Executor
  readonly halt: Halt.Halt
  readonly journal: Journal.Journal
  readonly faults: Faults.Faults
  readonly limits: Limits.Limits
  readonly feed: Feed.Feed
  readonly callLog: CallLog.CallLog
  readonly secrets: Secrets.Secrets
  readonly traffic: Traffic.Traffic
}

/** An admitted call. */
interface Call extends Admission.Admitted {
  readonly route: Route
}

const admit = (
  { dialect, executor, limits }: Gateway,
  { at, request, routed, serverTime }: CallContext.CallContext
): Result.Result<Call, RefusalKind> => {
  // Everything due by now must be applied before the call.
  executor.settle(at)
  const { state } = executor.history
  const found = Routing.route(routed, request)
  if (Result.isFailure(found)) return Result.fail(found.failure)
  const { route } = found.success
  return Result.map(
    Admission.admit({ dialect, state, limits, at, serverTime }, found.success, request),
    ({ fields, key, nonce }) => ({ route, fields, key, nonce })
  )
}

const contextOf = (
  { dialect, executor }: Gateway,
  { at, serverTime }: CallContext.CallContext,
  { key, nonce }: Call
): HandlerContext => ({
  dialect,
  state: executor.history.state,
  account: key?.account ?? "",
  signed: key && { key, nonce: nonce?.value },
  at,
  serverTime
})

/** A call that has been applied. */
interface Applied {
  readonly reply: Reply
  /** The number of the call's command; absent if the call did not become a command. */
  readonly command: number | undefined
}

/**
 * Applies an admitted call. A public call is not a command. A private call with an invalid request becomes a command
 * that only uses up the call's nonce.
 */
const apply = (
  { executor }: Gateway,
  at: number,
  { key, nonce, route }: Call,
  { request, violations }: Reading.Read
): Applied => {
  const isValid = violations.length === 0
  const invalid: Reply = { _tag: "Invalid", violations }
  if (key === undefined) return { reply: isValid ? done : invalid, command: undefined }
  const operation: Operation = isValid ? route.operation(request as never) : { _tag: "Nothing" }
  const before = executor.history.sequence
  const { apiKey } = key
  const reply = executor.apply(
    nonce === undefined ? { _tag: "Call", apiKey, operation } : { _tag: "Call", apiKey, nonce, operation },
    at
  )
  const { sequence } = executor.history
  return {
    reply: isValid || reply._tag === "Refused" ? reply : invalid,
    command: sequence > before ? sequence : undefined
  }
}

const respond = (
  context: HandlerContext,
  call: Call,
  { request }: Reading.Read,
  { command, reply }: Applied
): CallRecord.Outcome => {
  const answer = Responses.respond(call.route, request, reply, context)
  return Responses.isFailed(reply)
    ? { answer, call, refused: Responses.reasonOf(call.route, reply), violations: reply.violations, command }
    : { answer, call, refused: undefined, violations: undefined, command }
}

/** Takes a call from its arrival to its outcome. Each stage returns the values that later stages need. */
const outcomeOf = (gateway: Gateway, called: CallContext.CallContext): CallRecord.Outcome => {
  const { path } = called.request
  if (called.fault !== undefined && FaultEffects.isNeverApplied(called.fault.symptom)) {
    return CallRecord.notApplied(unavailable(gateway, path), undefined)
  }
  const admitted = admit(gateway, called)
  if (Result.isFailure(admitted)) {
    return CallRecord.notApplied(Responses.refuse(gateway.dialect, path, admitted.failure), admitted.failure)
  }
  const call = admitted.success
  const context = contextOf(gateway, called, call)
  const read = Reading.read(call.route, call.fields, context)
  const applied = apply(gateway, called.at, call, read)
  return respond(context, call, read, applied)
}

const unavailable = ({ dialect }: Gateway, path: string): Written => Responses.refuse(dialect, path, "unavailable")

const note = (
  gateway: Gateway,
  called: CallContext.CallContext,
  outcome: CallRecord.Outcome,
  answer: Answer
): void => {
  const { callLog, dialect, traffic, executor, feed, journal, limits, secrets } = gateway
  const { state } = executor.history
  const logged = callLog.add(
    called.at,
    CallRecord.record(called, outcome, answer, { dialect, state, limits, secrets })
  )
  traffic.add(logged.number, called.request, answer)
  feed.requested(journal.sequence(), logged)
}

/**
 * Waits until the call's commands are durable, then passes the response on. If the disk fails, no response is sent,
 * because the applied command might be lost. If another node has taken over the venue, this node refuses the call.
 */
const commit = (
  gateway: Gateway,
  called: CallContext.CallContext,
  outcome: CallRecord.Outcome,
  answer: Answer,
  resume: Resume
): void => {
  const { halt, journal } = gateway
  journal.whenCommitted((error) => {
    if (error !== undefined) halt.halt()
    // If another node has taken over the venue, this call's commands were not written.
    const failed = error?.why === "fenced" ? unavailable(gateway, called.request.path) : reset
    const sent = error === undefined ? answer : failed
    const noted = halt.attempt(() => note(gateway, called, outcome, sent))
    if (Result.isFailure(noted)) resume(Effect.die(noted.failure))
    else resume(error === undefined ? sent : Effect.as(Effect.logError(error.message), sent))
  })
}

/** Repeats the stored response to a request that a node forwards again, once that response is durable. */
const answerAgain = ({ halt, journal }: Gateway, delivered: string, resume: Resume): void =>
  journal.whenCommitted((error) => {
    if (error !== undefined) halt.halt()
    resume(error === undefined ? Message.fromText(delivered) : reset)
  })

/**
 * The pipeline of a call, from request to response. The response is sent only after the call's command is durable. If a
 * fault prevents the call from being applied, the response also waits for the journal, because another process may have
 * taken over the venue in the meantime.
 */
const carryOut = (
  gateway: Gateway,
  request: Request,
  moment: Message.Moment,
  fault: Faults.Fired | undefined,
  resume: Resume
): void => {
  const { dialect, executor, journal: { deliveries } } = gateway
  const { delivery } = request
  const delivered = delivery === undefined ? undefined : deliveries?.known(delivery)
  if (delivered !== undefined) return answerAgain(gateway, delivered, resume)
  const called = CallContext.recognise(request, executor.history.state, moment, fault)
  const outcome = outcomeOf(gateway, called)
  const { answer, command } = outcome
  const shown = fault === undefined ? answer : FaultEffects.show(dialect, request.path, answer, fault.symptom)
  if (delivery !== undefined && command !== undefined) deliveries?.keep(delivery, Message.toText(shown))
  commit(gateway, called, outcome, shown, resume)
}

/** Adapts a function that takes only effects to a {@link Resume}: a plain response is wrapped in an effect. */
const resumeWith = (resume: (answer: Effect.Effect<Answer>) => void): Resume => (answer) =>
  resume(Effect.isEffect(answer) ? answer : Effect.succeed(answer))

/** Carries out a call unless the venue is halted. A call that fails partway halts the venue. */
const begin = (
  gateway: Gateway,
  request: Request,
  clock: Clock.Clock,
  fault: Faults.Fired | undefined,
  resume: Resume
): void => {
  const { executor: { history }, halt } = gateway
  if (halt.isHalted()) return resume(unavailable(gateway, request.path))
  if (VenueClock.isTooLate(history.state, clock)) {
    return resume(Effect.as(Effect.logError(tooLate(gateway.file).message), unavailable(gateway, request.path)))
  }
  const begun = halt.attempt(() => carryOut(gateway, request, VenueClock.moment(history.state, clock), fault, resume))
  if (Result.isFailure(begun)) resume(Effect.die(begun.failure))
}

const receive = (gateway: Gateway): Venue["Service"]["receive"] => {
  const { faults, halt } = gateway
  return (request, clock, resume) => {
    // A call to a halted venue does not use up a fault.
    if (halt.isHalted()) return resume(unavailable(gateway, request.path))
    const apiKey = request.headers[Signature.headers.apiKey]
    const fault = faults.next(request.path, typeof apiKey === "string" ? apiKey : undefined)
    if (fault === undefined || FaultEffects.isNeverApplied(fault.symptom)) {
      return begin(gateway, request, clock, fault, resume)
    }
    const carriedOut = Effect.callback<Answer>((resume) => begin(gateway, request, clock, fault, resumeWith(resume)))
    return resume(FaultEffects.delay(carriedOut, fault.symptom))
  }
}

/**
 * Derives `handle` from `receive`. Code that wraps `receive` uses this function to wrap `handle` as well.
 *
 * @category constructors
 */
export const handling = (receive: Venue["Service"]["receive"]): Venue["Service"]["handle"] => (request) =>
  Effect.clockWith((clock) => Effect.callback((resume) => receive(request, clock, resumeWith(resume))))

/** The members of a venue that WebSocket connections need. */
const connectable = (
  { policy }: Dialect,
  { history, settle }: Executor.Executor,
  halt: Halt.Halt,
  { watch }: Watchers.Watchers
): Pick<Venue["Service"], "connections" | "settled" | "streamTokens" | "watch" | "whenHalted"> => ({
  whenHalted: halt.whenHalted,
  connections: OpenConnections.make(),
  streamTokens: StreamTokens.make(policy.streamToken),
  watch,
  settled: (clock) => {
    if (halt.isHalted() || VenueClock.isTooLate(history.state, clock)) return undefined
    const moment = VenueClock.moment(history.state, clock)
    return Result.isSuccess(halt.attempt(() => settle(moment.at))) ? moment : undefined
  }
})

const warnOfUnfinished = (file: string, { unfinished }: Journal.Journal): Effect.Effect<void> =>
  unfinished === 0 ? Effect.void : Effect.logWarning(
    `${file}: the last ${unfinished} bytes of the log belong to commands that were not completely written. These ` +
      "commands are ignored. No response to them had been sent"
  )

const warnOfNoAnchor = (file: string, { anchored, sequence }: Journal.Journal): Effect.Effect<void> =>
  file === Journal.inMemory || anchored || sequence() === 0 ? Effect.void : Effect.logWarning(
    `${file} has no anchor next to it, so missing commands at the end of the file can't be detected`
  )

/**
 * The settings of a venue that sleeps while it is not in use.
 *
 * @category models
 */
export interface SleeperOptions {
  /** The venue's dialect, including its choices where the documentation is ambiguous. */
  readonly dialect: Dialect
  /** The journal's file. */
  readonly file: string
  /** The venue's id, which distinguishes its journal file from those of other venues. */
  readonly id?: string
  /** Opens a journal that is not a file on this machine. `file` then only names the journal in messages. */
  readonly journal?: (options: Journal.Options) => Effect.Effect<Journal.Journal, Journal.JournalError, Scope.Scope>
  /** The seed for random faults; 0 by default. */
  readonly seed?: number
  /** How the secrets of new sub-account keys and new codes are chosen; `sequential` by default. */
  readonly secrets?: Secrecy
  /** The bytes that were last passed to `remember`. They are ignored if they do not match the current journal. */
  readonly memory?: Uint8Array
  /**
   * Saves the part of the venue that is not in its journal, after the last command and before the journal is closed.
   * `run` is the journal's run number. This function may be called even if the venue could not be opened completely.
   */
  readonly remember: (memory: Uint8Array, run: number) => Effect.Effect<void>
}

/** The settings of a venue, whether it sleeps or not. */
interface AnyOptions extends Options, Partial<Pick<SleeperOptions, "id" | "memory" | "remember">> {}

const open = Effect.fnUntraced(function*(
  {
    dialect,
    file = Journal.inMemory,
    id,
    journal: openJournal,
    memory: given,
    remember,
    secrets: secrecy = "sequential",
    seed = 0
  }: AnyOptions,
  forks: Forks.Forks
): Effect.fn.Return<Venue["Service"], Journal.JournalError, Scope.Scope> {
  const { policy } = dialect
  const journalOptions: Journal.Options = {
    rules: Rules.of(dialect, id),
    onCommitted: (sequence) => outbox.release(sequence)
  }
  const journal = yield* openJournal === undefined ? Journal.open(file, journalOptions) : openJournal(journalOptions)
  yield* warnOfUnfinished(file, journal)
  yield* warnOfNoAnchor(file, journal)

  const [states, halt, watchers] = [SavedStates.make(policy), Halt.make(), Watchers.make()]
  const start = yield* Recovery.start(journal, policy)
  const { history } = start
  const snapshotAt = openJournal === undefined && file === Journal.inMemory ? undefined : history.sequence
  const memory = given === undefined ? undefined : Memory.decode(given, journal.digest())
  const feed = Feed.make(journal.run, history.sequence, memory?.feed)
  const outbox = Outbox.make(({ at, events, sequence }) => feed.happened(sequence, at, events))
  // If the venue has its saved memory, its feed already contains these events, so they must not be published again.
  yield* Recovery.catchUp(journal, states, start, memory === undefined ? feed.happened : () => undefined)

  const secrets = Secrets.make(history.state)
  const [sleeps, draw] = [remember !== undefined, drawOf(secrecy)]
  const parts = { file, history, journal, states, outbox, secrets, halt, watchers, snapshotAt, sleeps, draw }
  const executor = yield* Executor.make(parts)
  const faults = Faults.make(seed, memory?.faults)
  const limits = Limits.make(memory?.limits)
  const callLog = CallLog.make(memory?.requests)
  // A failure of this last write is only logged, because no command that got a response is lost.
  yield* Effect.addFinalizer(() =>
    Effect.matchEffect(executor.conclude, {
      onSuccess: () =>
        remember?.(Memory.encode({ journal, faults, limits, callLog, feed }), journal.run) ?? Effect.void,
      onFailure: (error) => Effect.logWarning(error.message)
    })
  )
  yield* executor.catchUp
  yield* Alarm.start(executor, halt)

  const traffic = Traffic.make()
  const received = receive({ callLog, dialect, file, executor, halt, journal, faults, limits, feed, secrets, traffic })
  return Venue.of({
    dialect,
    seed,
    secrets: secrecy,
    handle: handling(received),
    receive: received,
    ...OwnerActions.make(executor, journal, states, policy),
    now: Effect.clockWith((clock) => Effect.sync(() => VenueClock.now(history.state, clock))),
    get state() {
      return history.state
    },
    sequence: () => history.sequence,
    origin: () => history.origin,
    journal,
    faults,
    limits,
    feed,
    callLog,
    traffic,
    forks,
    ...connectable(dialect, executor, halt, watchers)
  })
})

const begun = { _tag: "Begin" } as const

/**
 * Opens a venue: reads its journal and rebuilds the exchange. The venue closes when the scope closes. Counterparty
 * settings that are out of bounds cause a defect.
 *
 * @category constructors
 */
export const make = Effect.fnUntraced(function*(
  options: Options
): Effect.fn.Return<Venue["Service"], Journal.JournalError, Scope.Scope> {
  const venue = yield* open(options, Forks.make())
  const { counterparty = [] } = options
  if (counterparty.length === 0 || venue.sequence() > 0) return venue
  yield* Effect.forEach([...counterparty.map((options) => ({ _tag: "SetCounterparty" as const, ...options })), begun], (
    action
  ) => Effect.catchTag(checked(venue, action), "ControlRefused", Effect.die))
  return venue
})

/**
 * Opens a venue that sleeps and wakes often. Uses the memory saved when the venue fell asleep, and saves it again when
 * the venue closes.
 *
 * @category constructors
 */
export const wake = (options: SleeperOptions): Effect.Effect<Venue["Service"], Journal.JournalError, Scope.Scope> =>
  Effect.suspend(() => open(options, Forks.make()))

/**
 * Creates a venue in memory, with another venue's dialect, seed and choice of secrets. `forks` lists the new venue's
 * own forks.
 *
 * @category constructors
 */
export const makeFork = (
  { dialect, secrets, seed }: Venue["Service"],
  forks: Forks.Forks
): Effect.Effect<Venue["Service"], Journal.JournalError, Scope.Scope> => open({ dialect, seed, secrets }, forks)

/**
 * Provides a venue as a service.
 *
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<Venue, Journal.JournalError> => Layer.effect(Venue, make(options))

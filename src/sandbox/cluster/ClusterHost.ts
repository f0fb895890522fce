/**
 * A host whose venues are spread over the nodes of a cluster. Every node accepts every call, and forwards it to the
 * node that has the venue.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Metric from "effect/Metric"
import * as Scope from "effect/Scope"
import type { Command } from "../engine/Command.ts"
import * as Engine from "../engine/Engine.ts"
import type { Request } from "../gateway/Message.ts"
import * as Capacity from "../host/Capacity.ts"
import * as Host from "../host/Host.ts"
import * as HostBounds from "../host/HostBounds.ts"
import * as Models from "../host/HostModels.ts"
import * as LocalPlacement from "../host/LocalPlacement.ts"
import * as NewVenue from "../host/NewVenue.ts"
import type { Placement } from "../host/Placement.ts"
import * as Refusals from "../host/Refusals.ts"
import type { Registered } from "../host/Registry.ts"
import * as Resident from "../host/Resident.ts"
import * as Seed from "../host/Seed.ts"
import * as Refusal from "../server/Refusal.ts"
import * as Sockets from "../server/Sockets.ts"
import { JournalError } from "../store/JournalError.ts"
import * as Rules from "../store/Rules.ts"
import * as Venue from "../venue/Venue.ts"
import * as Dispatch from "./Dispatch.ts"
import * as Engines from "./Engines.ts"
import * as Forward from "./Forward.ts"
import * as KnownDeliveries from "./KnownDeliveries.ts"
import * as KnownVenues from "./KnownVenues.ts"
import { Membership } from "./Membership.ts"
import * as NodeMetrics from "./NodeMetrics.ts"
import * as NodeReport from "./NodeReport.ts"
import * as Nodes from "./Nodes.ts"
import type * as NodeTransport from "./NodeTransport.ts"
import * as PostgresJournal from "./PostgresJournal.ts"
import * as PostgresRegistry from "./PostgresRegistry.ts"

/** A cluster node's options. */
export interface NodeOptions extends Host.HostOptions {
  /**
   * How long a stopping node still accepts calls, in milliseconds; 0 by default. During this time, the node reports
   * that it is not ready, so that a load balancer stops sending it calls.
   */
  readonly leavingMillis?: number
}

/** The options for opening a node's host. */
export interface Options extends NodeOptions {
  /** The address for requests that other nodes forward to this one, such as `10.0.0.7:7300`. */
  readonly address: string
}

/** A node's host, the handler of the requests that other nodes forward to it, and the node's health. */
export interface Opened {
  /** The node's host. */
  readonly host: Host.Host["Service"]
  /** Handles a request that another node forwarded. */
  readonly receive: NodeTransport.Receive
  /** The reasons why the node is not ready for requests, as text; empty if the node is ready. */
  readonly troubles: Effect.Effect<ReadonlyArray<string>>
  /** Messages about venues that no node can open. Such venues do not make the node unready. */
  readonly notes: Effect.Effect<ReadonlyArray<string>>
}

/** The time between checks for venues that should be put to sleep, have been deleted, or belong to another node. */
const sweepEvery = "1 second"

/** The time between this node's reports to the other nodes. */
const reportEvery = "1 second"

/** How often the node drops the records of venues that other nodes have deleted. */
const forgetEvery = "1 minute"

/** How often the node deletes expired responses from the database. */
const sweepDeliveriesEvery = "5 seconds"

/** The maximum number of venues that a stopping node puts to sleep at the same time. */
const stoppingAtOnce = 8

/** A venue on this node. */
interface Entry extends LocalPlacement.Entry {
  readonly scope: Scope.Closeable
  /** Whether opening the venue failed here for a reason that might not apply to other nodes. */
  isLost: boolean
  /** Whether this node has released the venue. */
  isDropped: boolean
}

interface Parts {
  readonly sql: PgClient.PgClient
  readonly registry: PostgresRegistry.PostgresRegistry
  readonly membership: Membership["Service"]
  readonly bounds: HostBounds.Bounds
  readonly capacity: Capacity.Capacity
  readonly clock: Clock.Clock
  readonly scope: Scope.Scope
  readonly run: (effect: Effect.Effect<unknown>) => Fiber.Fiber<unknown>
  readonly examples: ReturnType<typeof NewVenue.makeExamples>
  readonly options: Options
  /** The venues that this node has or is currently releasing. */
  readonly entries: Map<string, Entry>
  /** The venues of the cluster that this node knows. */
  readonly known: KnownVenues.KnownVenues
  readonly engines: Engines.Engines
  addresses: Models.Addresses
  /** Whether callers can reach the node and the node is not stopping. */
  isServed: boolean
  isStopping: boolean
  /** Completes when an operator asks this node to drain. */
  readonly drained: Deferred.Deferred<void>
}

// -----------------------------------------------------------------------------
// The venues of this node
// -----------------------------------------------------------------------------

const notOurs = (id: string) =>
  new JournalError({ why: "fenced", file: id, reason: "it is assigned to another node; ask that node" })

const inDatabase = <A, E, R>(
  { sql }: Parts,
  work: Effect.Effect<A, E, R>
): Effect.Effect<A, E, Exclude<R, PgClient.PgClient>> => Effect.provideService(work, PgClient.PgClient, sql)

const beginningOf = (parts: Parts, registered: Registered): Effect.Effect<ReadonlyArray<Command>, JournalError> =>
  Effect.map(parts.examples(registered), (actions) => Seed.commands(registered, actions))

/** Opens the venue from the database, and takes over its journal. */
const wake = (parts: Parts, registered: Registered) =>
  Effect.gen(function*() {
    const { registry, options: { address } } = parts
    const { id, seed } = registered
    const memory = yield* registry.recall(id)
    const venue = yield* Venue.wake({
      dialect: NewVenue.dialectOf(registered),
      seed,
      secrets: "random",
      file: id,
      journal: (options) => inDatabase(parts, PostgresJournal.open(id, options, address)),
      remember: (bytes, run) =>
        Effect.catch(
          registry.remember(id, run, bytes),
          ({ message }) => Effect.logWarning(`${message}. The venue loses its faults, limits and calls`)
        ),
      ...(memory === undefined ? {} : { memory })
    })
    if (memory !== undefined) yield* registry.forget(id)
    return venue
  })

/** The journal errors that prevent this node from opening a venue, but might not prevent another node from doing so. */
const losing: ReadonlySet<JournalError["why"]> = new Set(["fenced", "failed", "older", "newer"])

/** Opens a venue that is assigned to this node. */
const openVenue = (parts: Parts, registered: Registered, onLost: () => void) =>
  Effect.gen(function*() {
    const { membership, capacity, engines } = parts
    yield* capacity.take
    // Checks the assignment again first, so as not to take a venue away from the node that should have it.
    if (!engines.isReadable(registered.id) || !(yield* membership.confirm(registered.id))) {
      return yield* notOurs(registered.id)
    }
    const venue = yield* wake(parts, registered)
    if (venue.sequence() === 0) yield* venue.replay(yield* beginningOf(parts, registered))
    return venue
  }).pipe(Effect.tapError((error) =>
    Effect.sync(() => {
      // A damaged journal stays with this node, because no node can open it. If another engine version wrote the
      // journal, the venue has just been imported, and a node that runs that version can open it.
      if (error._tag === "JournalError" && losing.has(error.why)) onLost()
    })
  ))

/** Adds an entry for a venue synchronously, so that a venue never has two entries. */
const addEntry = (parts: Parts, { endsAt: _endsAt, ...registered }: Registered): Entry => {
  const { entries, capacity, run } = parts
  const scope = Scope.forkUnsafe(parts.scope)
  const resident = Resident.make<LocalPlacement.WakeFailure>({
    controlToken: registered.controlToken,
    open: openVenue(parts, registered, () => {
      entry.isLost = true
    }),
    capacity: Effect.match(capacity.take, { onFailure: () => false, onSuccess: () => true }),
    onIdle: capacity.freed,
    baseUrl: () => Models.urlOf(parts.addresses, registered.id),
    clock: parts.clock,
    scope,
    run
  })
  const entry: Entry = { registered, scope, resident, isLost: false, isDropped: false }
  entries.set(registered.id, entry)
  return entry
}

/** Releases a venue, for example because it now belongs to another node or has been deleted. */
const drop = ({ entries }: Parts, entry: Entry): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { registered: { id }, resident, scope } = entry
    entry.isDropped = true
    if (entries.get(id) === entry) entries.delete(id)
    // The venue must be closed even if its callers have stopped waiting.
    return Effect.uninterruptible(Effect.andThen(resident.end, Scope.close(scope, Exit.void)))
  })

/** Returns a venue's entry, and creates the entry if it is missing; `undefined` if there is no such venue. */
const entryOf = Effect.fnUntraced(function*(parts: Parts, id: string) {
  const { entries, registry, known } = parts
  const entry = entries.get(id)
  if (entry !== undefined) return entry
  if (!(yield* known.has(id))) return undefined
  // Another node may have deleted the venue.
  const registered = yield* registry.find(id)
  if (registered === undefined) {
    known.delete(id)
    return undefined
  }
  return entries.get(id) ?? addEntry(parts, registered)
})

/** Whether this node should have a venue, to the best of its knowledge. */
const isOurs = ({ engines, membership }: Parts, id: string): boolean => engines.isReadable(id) && membership.isOurs(id)

/**
 * Decides whether to pass on a venue's response. If this node has lost the venue, or the journal has failed, the
 * response might be wrong.
 */
const judge = (parts: Parts, entry: Entry, request: Request, answer: Dispatch.Given): NodeTransport.Received => {
  if (entry.resident.failure() === undefined && !entry.isLost && !entry.isDropped) return answer
  if (!entry.isDropped) parts.run(drop(parts, entry))
  if (answer._tag === "Upgraded") {
    Sockets.decline(answer)
    return { _tag: "NotTheirs" }
  }
  if (answer._tag === "Reset") return { _tag: "Lost" }
  if (answer._tag === "Stream") return answer
  const { status } = answer
  // A request that was waiting when this node dropped the venue gets 404, but another node might have the venue.
  if (entry.isDropped && status === 404) return { _tag: "NotTheirs" }
  if (status < 500) return answer
  // An owner action can consist of several commands. The first of these may already have been written, so the outcome
  // is unknown.
  if (!entry.isLost && !Forward.isRepeatable(request)) return { _tag: "Lost" }
  return status === 503 || request.method === "GET" ? { _tag: "NotTheirs" } : answer
}

/** The method by which another node puts a venue to sleep. It is not an HTTP method. */
const sleepMethod = "SLEEP"

/** Handles requests for this node's venues. */
const receiver = (parts: Parts): NodeTransport.Receive => {
  const placement = LocalPlacement.placement(parts.entries, parts.bounds, parts.run)
  return (id, given) =>
    Effect.gen(function*() {
      const { patience = Forward.patience } = given
      if (parts.isStopping || !isOurs(parts, id)) return { _tag: "NotTheirs" } as const
      yield* Metric.update(NodeMetrics.taken, 1)
      const began = yield* Clock.currentTimeMillis
      const entry = yield* Dispatch.foundWithin(patience, id)(entryOf(parts, id))
      // One time limit covers both waits: for the record and for the venue.
      const request = { ...given, patience: patience - ((yield* Clock.currentTimeMillis) - began) }
      if (entry === undefined) return Refusals.unknown(request.path, Models.unknownVenue(id))
      // Another node may have created the venue with another version of the engine.
      if (!isOurs(parts, id)) return { _tag: "NotTheirs" } as const
      if (request.method === sleepMethod) {
        return Refusal.make("", (yield* entry.resident.sleep) ? 200 : 409, "", "")
      }
      const clock = yield* Clock.Clock
      const answer = yield* Dispatch.answeredWithin(
        parts.run,
        request.patience + Forward.answerTime,
        (resume) => placement.send(id, request, clock, resume)
      )
      return answer._tag === "Lost" ? answer : judge(parts, entry, request, answer)
    }).pipe(
      Effect.catch((error) => Effect.succeed(Dispatch.notFound(given, error))),
      Effect.tap(({ _tag }) => _tag === "NotTheirs" ? Metric.update(NodeMetrics.turnedAway, 1) : Effect.void)
    )
}

// -----------------------------------------------------------------------------
// Operations
// -----------------------------------------------------------------------------

const noPorts = Effect.fail(
  new Models.NotMade({
    field: "port",
    message: "A venue of a cluster moves between nodes, and can't have its own port. Use its path or its host name"
  })
)

const make = Effect.fnUntraced(function*(parts: Parts, options: Models.MakeOptions) {
  if (options.port === true) return yield* noPorts
  const registered = yield* NewVenue.record(parts.options.timeToLiveMillis, options)
  const added = yield* parts.registry.add({ ...registered, partial: false }, parts.bounds)
  parts.known.add(added)
  return Models.toMade(parts.addresses, added, false)
})

const find = Effect.fnUntraced(function*({ registry }: Parts, id: string) {
  return (yield* registry.find(id)) ?? (yield* Models.unknownVenue(id))
})

const copy = Effect.fnUntraced(function*(parts: Parts, id: string, options: Models.CopyOptions) {
  const { port = false, sequence } = options
  if (port) return yield* noPorts
  const origin = yield* find(parts, id)
  // In a different engine version, the same commands can produce a different state.
  const engine = Engines.engineOf(origin)
  if (engine !== Engine.version) return yield* Rules.otherEngine(id, engine, `. ${Engines.remedy(id)}`)
  const written = yield* inDatabase(parts, PostgresJournal.commandsOf(id, sequence)).pipe(
    Effect.catchIf((error) => typeof error === "number", (all) =>
      Effect.fail(
        new Models.NotMade({
          field: "sequence",
          message: `The venue has ${all} commands. Choose one of them, or omit this field to copy all`
        })
      ))
  )
  // A venue without commands has never been called, so its copy gets the initial commands that the venue would get at
  // its first call.
  const all = written.length > 0 || sequence === 0 ? written : yield* beginningOf(parts, origin)
  // The copy is marked as incomplete until its journal is complete. Until then no node serves it, and after a crash it
  // expires.
  const { commands, registered } = yield* NewVenue.copy(parts.options.timeToLiveMillis, options, origin, all)
  yield* parts.registry.add(registered, parts.bounds)
  const begun = Effect.scoped(Effect.flatMap(wake(parts, registered), (venue) => venue.replay(commands)))
  const completed = Effect.andThen(begun, parts.registry.complete(registered))
  const complete = yield* Effect.onError(completed, () => Effect.ignore(parts.registry.remove(registered.id)))
  parts.known.add(complete)
  return Models.toMade(parts.addresses, complete, false)
})

const end = Effect.fnUntraced(function*(parts: Parts, id: string) {
  const was = yield* parts.registry.remove(id)
  parts.known.delete(id)
  const entry = parts.entries.get(id)
  if (entry !== undefined) yield* drop(parts, entry)
  if (!was) return yield* Models.unknownVenue(id)
})

const sleepRequest = { method: sleepMethod, path: "/", headers: {}, body: new Uint8Array(), from: "" }

// -----------------------------------------------------------------------------
// Background work
// -----------------------------------------------------------------------------

/**
 * Releases the venues that are assigned to another node or whose journal has failed, so that their feed readers can
 * continue elsewhere. Does not use the database, because the node may have lost its database connection.
 */
const dropLost = (parts: Parts): Effect.Effect<void> =>
  Effect.sync(() => {
    for (const [id, entry] of parts.entries) {
      if (!isOurs(parts, id) || entry.resident.failure() !== undefined) parts.run(drop(parts, entry))
    }
  })

const sweep = Effect.fnUntraced(function*(parts: Parts, { tunnels }: NodeTransport.Sender) {
  const { entries, registry, known, options: { idleMillis = 60_000 }, capacity } = parts
  const now = yield* Clock.currentTimeMillis
  for (const id of yield* registry.removeEnded) known.delete(id)
  const present = yield* registry.present([...entries.keys()])
  for (const [id, entry] of entries) {
    const { resident } = entry
    if (!present.has(id)) parts.run(drop(parts, entry))
    else if (resident.isIdle() && resident.usedAt() + idleMillis <= now) parts.run(resident.sleep)
    else if (!resident.isAwake() && resident.usedAt() + idleMillis <= now) yield* drop(parts, entry)
  }
  yield* capacity.relieve
  yield* NodeMetrics.count(capacity.taken(), [...entries.values()], tunnels())
})

const partsOf = Effect.fnUntraced(function*(options: Options) {
  // Venues have no ports of their own, because they move between nodes.
  const bounds = HostBounds.of({ ...options, maxPorts: 0 })
  const entries = new Map<string, Entry>()
  const registry = yield* PostgresRegistry.open(options.token ?? NewVenue.secret(), options.token !== undefined)
  const sql = yield* PgClient.PgClient
  const membership = yield* Membership
  const known = KnownVenues.make(registry)
  const parts: Parts = {
    sql,
    registry,
    membership,
    engines: Engines.make(sql, membership, known),
    bounds,
    capacity: Capacity.make(bounds, NewVenue.memoryNow, () => Array.from(entries.values(), ({ resident }) => resident)),
    clock: yield* Clock.Clock,
    scope: yield* Effect.scope,
    run: Effect.runForkWith(yield* Effect.context()),
    examples: NewVenue.makeExamples(),
    options,
    entries,
    known,
    addresses: { baseUrl: `http://${options.address}` },
    isServed: false,
    isStopping: false,
    drained: Deferred.makeUnsafe()
  }
  return parts
})

/** Puts all venues to sleep, so that other nodes can wake them from recent snapshots. */
const stop = (parts: Parts) =>
  Effect.suspend(() => {
    parts.isStopping = true
    return Effect.forEach([...parts.entries.values()], (entry) => drop(parts, entry), {
      concurrency: stoppingAtOnce,
      discard: true
    })
  })

/** Sends requests to the node that has their venue. */
const placementOf = (parts: Parts, forward: Forward.Forward): Placement["Service"] => {
  const { engines, known } = parts
  return {
    ownerOf: (id) =>
      Effect.gen(function*() {
        if (!(yield* Effect.orDie(known.has(id)))) return undefined
        return yield* Effect.timeoutOrElse(engines.locate(id), {
          duration: Forward.patience,
          orElse: () => Effect.undefined
        })
      }),
    send: (id, request, _clock, resume) => resume(NodeMetrics.observed(Dispatch.send(parts, forward, id, request)))
  }
}

/** The host's operations. */
const hostOf = (parts: Parts, forward: Forward.Forward): Host.Host["Service"] => {
  const { entries, known, options, registry } = parts
  return Host.Host.of({
    token: registry.token,
    make: Effect.fn("Host.make")((options = {}) => make(parts, options)),
    list: (owner) =>
      Effect.map(
        registry.list(owner),
        (all) =>
          all.map(({ placed, registered }) =>
            Models.toSummary(parts.addresses, registered, placed.node !== undefined, placed)
          )
      ),
    find: (id) =>
      Effect.map(find(parts, id), (registered) => Models.toMade(parts.addresses, registered, entries.has(id))),
    copy: Effect.fn("Host.copy")((id, options = {}) => copy(parts, id, options)),
    sleep: Effect.fnUntraced(function*(id) {
      yield* find(parts, id)
      const answer = yield* forward.send(id, sleepRequest)
      return answer._tag === "Answer" && answer.status === 200
    }),
    end: (id) => end(parts, id),
    status: NodeReport.statusOf(parts),
    drain: Effect.fnUntraced(function*(node) {
      if (!(yield* NodeReport.inNodes(Nodes.drain(parts.sql, node)))) return yield* Models.unknownNode(node)
    }),
    drained: Deferred.await(parts.drained),
    placement: placementOf(parts, forward),
    registered: (id) => known.get(id),
    servedAt: (addresses) =>
      Effect.acquireRelease(
        Effect.sync(() => {
          parts.addresses = addresses
          parts.isServed = true
        }),
        () =>
          Effect.suspend(() => {
            parts.isServed = false
            return Effect.sleep(options.leavingMillis ?? 0)
          })
      )
  })
}

/** Opens this node's host. When the scope is closed, the host's venues fall asleep and move to other nodes. */
export const open = Effect.fnUntraced(function*(
  options: Options,
  sender: NodeTransport.Sender
): Effect.fn.Return<Opened, JournalError, PgClient.PgClient | Membership | Scope.Scope> {
  const parts = yield* partsOf(options)
  const { engines, known } = parts
  const receive = receiver(parts)
  const forward = Forward.make(engines, sender, options.address, receive)
  yield* known.learn
  yield* NodeReport.inNodes(Nodes.enter(parts.sql, options.address))
  yield* Effect.addFinalizer(() => Effect.exit(NodeReport.inNodes(Nodes.leave(parts.sql, options.address))))
  yield* Effect.andThen(NodeReport.report(parts), engines.learn)
  // Continues the background work even after a database error.
  const repeatedly = (every: Duration.Input, work: Effect.Effect<void, JournalError>) =>
    Effect.forkScoped(Effect.forever(
      Effect.andThen(Effect.sleep(every), Effect.catch(work, ({ message }) => Effect.logWarning(message)))
    ))
  yield* repeatedly(sweepEvery, dropLost(parts))
  yield* repeatedly(sweepEvery, Effect.andThen(known.learn, sweep(parts, sender)))
  yield* repeatedly(reportEvery, Effect.andThen(NodeReport.report(parts), engines.learn))
  yield* repeatedly(
    forgetEvery,
    Effect.map(known.forget, () => forward.forget((venue) => known.get(venue) === undefined))
  )
  yield* repeatedly(
    sweepDeliveriesEvery,
    PostgresJournal.inTime("the list of stored responses")(KnownDeliveries.sweep(parts.sql))
  )
  yield* Effect.addFinalizer(() => stop(parts))
  const host = hostOf(parts, forward)
  return { host, receive, troubles: NodeReport.troublesOf(parts), notes: Effect.sync(engines.notes) }
})

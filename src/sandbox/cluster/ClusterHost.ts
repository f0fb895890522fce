/**
 * A host whose venues are spread over the nodes of a cluster. Every node accepts every call, and forwards it to the
 * node that has the venue.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Metric from "effect/Metric"
import * as Scope from "effect/Scope"
import type { Command } from "../engine/Command.ts"
import type { Answer, Request } from "../gateway/Message.ts"
import * as Capacity from "../host/Capacity.ts"
import * as Host from "../host/Host.ts"
import * as HostBounds from "../host/HostBounds.ts"
import * as Models from "../host/HostModels.ts"
import * as LocalPlacement from "../host/LocalPlacement.ts"
import * as NewVenue from "../host/NewVenue.ts"
import * as Refusals from "../host/Refusals.ts"
import type { Registered } from "../host/Registry.ts"
import * as Resident from "../host/Resident.ts"
import * as Seed from "../host/Seed.ts"
import { JournalError } from "../store/JournalError.ts"
import * as Venue from "../venue/Venue.ts"
import * as Database from "./Database.ts"
import * as Forward from "./Forward.ts"
import { Membership } from "./Membership.ts"
import type * as NodeTransport from "./NodeTransport.ts"
import * as PostgresJournal from "./PostgresJournal.ts"
import * as PostgresRegistry from "./PostgresRegistry.ts"

/** Options of a node. */
export interface NodeOptions extends Host.HostOptions {
  /**
   * How long a stopping node still accepts calls, in milliseconds; 0 by default. It reports not ready during this time,
   * so that a load balancer stops sending it calls.
   */
  readonly leavingMillis?: number
}

/** Options to open the host of a node. */
export interface Options extends NodeOptions {
  /** The address for requests that other nodes forward to this one, such as `10.0.0.7:7300`. */
  readonly address: string
}

/** The host of a node, and its receiver of forwarded requests. */
export interface Opened {
  /** The host. */
  readonly host: Host.Host["Service"]
  /** Handles a request that another node forwarded. */
  readonly receive: NodeTransport.Receive
  /** Whether the node takes requests. */
  readonly ready: Effect.Effect<boolean>
}

const awake = Metric.gauge("venues_awake", { description: "Venues and forks awake on this node" })

const passedOn = Metric.counter("requests_passed_on", {
  description: "Requests that arrived here for venues of other nodes",
  incremental: true
})

const taken = Metric.counter("requests_taken", {
  description: "Requests for venues of this node, whichever node they arrived at",
  incremental: true
})

const turnedAway = Metric.counter("requests_turned_away", {
  description: "Requests for venues that this node does not have, or has lost; their senders find the right node",
  incremental: true
})

/** The time between checks for venues that should sleep, have ended, or belong to another node. */
const sweepEvery = "1 second"

/** The longest time that the database of a ready node may take to answer. */
const readyWithin = "2 seconds"

/** The time between rounds that drop the records of venues that other nodes have ended. */
const forgetEvery = "1 minute"

/** The number of venues that fall asleep in parallel when the node stops. */
const stoppingAtOnce = 8

/** A venue of this node. */
interface Entry extends LocalPlacement.Entry {
  readonly scope: Scope.Closeable
  /** Whether it could not be opened here: another node has it, or the database did not answer. */
  isLost: boolean
  /** Whether this node has given it up. */
  isDropped: boolean
}

interface Parts {
  readonly sql: PgClient.PgClient
  readonly registry: PostgresRegistry.PostgresRegistry
  readonly membership: Membership["Service"]
  readonly bounds: HostBounds.Bounds
  readonly capacity: Capacity.Capacity
  readonly scope: Scope.Scope
  readonly run: (effect: Effect.Effect<unknown>) => void
  readonly examples: ReturnType<typeof NewVenue.makeExamples>
  readonly options: Options
  /** The venues that this node has, or had until a moment ago. */
  readonly entries: Map<string, Entry>
  /** The records of all venues of the cluster, at most one second old. */
  readonly known: Map<string, Registered>
  addresses: Models.Addresses
  /** Whether the node is reachable for callers, and not stopping. */
  isServed: boolean
  isStopping: boolean
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

/** Opens the venue from the database, and takes it over. */
const wake = (parts: Parts, registered: Registered) =>
  Effect.gen(function*() {
    const { registry, options: { address } } = parts
    const { id, seed } = registered
    const memory = yield* registry.recall(id)
    const venue: Venue.Venue["Service"] = yield* Venue.wake({
      dialect: NewVenue.dialectOf(registered),
      seed,
      file: id,
      journal: (options) => inDatabase(parts, PostgresJournal.open(id, options, address)),
      remember: (bytes) =>
        Effect.catch(
          registry.remember(id, venue.journal.run, bytes),
          ({ message }) => Effect.logWarning(`${message}. The venue forgets its faults, limits and calls`)
        ),
      ...(memory === undefined ? {} : { memory })
    })
    return venue
  })

/** Opens a venue that is assigned to this node. */
const openVenue = (parts: Parts, registered: Registered, onLost: () => void) =>
  Effect.gen(function*() {
    const { membership, capacity } = parts
    yield* capacity.take
    // Check again first: do not take a venue from its rightful owner.
    if (!(yield* membership.confirm(registered.id))) return yield* notOurs(registered.id)
    const venue = yield* wake(parts, registered)
    if (venue.sequence() === 0) yield* venue.replay(yield* beginningOf(parts, registered))
    return venue
  }).pipe(Effect.tapError((error) =>
    Effect.sync(() => {
      // A damaged journal is damaged for every node.
      if (error._tag === "JournalError" && (error.why === "fenced" || error.why === "failed")) onLost()
    })
  ))

/** Adds a venue synchronously, so that it never has two entries. */
const addEntry = (parts: Parts, registered: Registered): Entry => {
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
    scope,
    run
  })
  const entry: Entry = { registered, scope, resident, isLost: false, isDropped: false }
  entries.set(registered.id, entry)
  return entry
}

/** Gives up a venue: another node has it, it has ended, or its database has failed. */
const drop = ({ entries }: Parts, entry: Entry): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { registered: { id }, resident, scope } = entry
    entry.isDropped = true
    if (entries.get(id) === entry) entries.delete(id)
    return Effect.andThen(resident.end, Scope.close(scope, Exit.void))
  })

/** The entry of a venue; `undefined` if there is no such venue. */
const entryOf = Effect.fnUntraced(function*(parts: Parts, id: string) {
  const { entries, registry, known } = parts
  const entry = entries.get(id)
  if (entry !== undefined) return entry
  const registered = yield* registry.find(id)
  if (registered === undefined) {
    known.delete(id)
    return undefined
  }
  known.set(id, registered)
  return entries.get(id) ?? addEntry(parts, registered)
})

/** Judges an answer of a venue that this node may no longer own, or whose journal has failed. */
const judge = (parts: Parts, entry: Entry, request: Request, answer: Answer): NodeTransport.Received => {
  if (entry.resident.failure() === undefined && !entry.isLost && !entry.isDropped) return answer
  if (!entry.isDropped) parts.run(drop(parts, entry))
  if (answer._tag === "Reset") return { _tag: "Lost" }
  if (answer._tag === "Stream") return answer
  const { status } = answer
  // A caller that waited for a dropped venue gets 404. The venue may exist on another node.
  if (entry.isDropped && status === 404) return { _tag: "NotTheirs" }
  if (status < 500) return answer
  // An owner action may be several commands, the first of which are written.
  if (!entry.isLost && !Forward.isRepeatable(request)) return { _tag: "Lost" }
  return status === 503 || request.method === "GET" ? { _tag: "NotTheirs" } : answer
}

/** The method by which another node puts a venue to sleep. It is not an HTTP method. */
const sleepMethod = "SLEEP"

/** Handles requests for the venues of this node. */
const receiver = (parts: Parts): NodeTransport.Receive => {
  const placement = LocalPlacement.placement(parts.entries, parts.bounds, parts.run)
  return (id, request) =>
    Effect.gen(function*() {
      if (parts.isStopping || !parts.membership.isOurs(id)) return { _tag: "NotTheirs" } as const
      yield* Metric.update(taken, 1)
      const entry = yield* entryOf(parts, id)
      if (entry === undefined) return Refusals.unknown(request.path, Models.unknownVenue(id))
      if (request.method === sleepMethod) {
        return Refusals.refuse("", (yield* entry.resident.sleep) ? 200 : 409, "", "")
      }
      const clock = yield* Clock.Clock
      const answer = yield* Effect.callback<Answer>((resume) =>
        placement.send(id, request, clock, (given) => resume(Effect.isEffect(given) ? given : Effect.succeed(given)))
      )
      return judge(parts, entry, request, answer)
    }).pipe(
      Effect.catch((error) => Effect.succeed(Refusals.refuse(request.path, 503, "JournalError", error.message))),
      Effect.tap(({ _tag }) => _tag === "NotTheirs" ? Metric.update(turnedAway, 1) : Effect.void)
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
  const { clock, dialect = "document", example = true, port = false } = options
  if (port) return yield* noPorts
  const belongings = NewVenue.own()
  const registered: Registered = {
    ...(yield* NewVenue.recordFields(parts.options.timeToLiveMillis, options)),
    dialect,
    reduceOnly: options.reduceOnly ?? "accepted",
    seed: options.seed ?? 0,
    ...(clock === undefined ? {} : { clock }),
    example,
    identity: belongings.identity,
    keys: example ? Seed.keys(belongings) : {},
    partial: false
  }
  yield* parts.registry.add(registered, parts.bounds)
  parts.known.set(registered.id, registered)
  return Models.toMade(parts.addresses, registered, false)
})

const find = Effect.fnUntraced(function*({ registry }: Parts, id: string) {
  return (yield* registry.find(id)) ?? (yield* Models.unknownVenue(id))
})

const copy = Effect.fnUntraced(function*(parts: Parts, id: string, options: Models.CopyOptions) {
  const { port = false, sequence } = options
  if (port) return yield* noPorts
  const origin = yield* find(parts, id)
  const written = yield* inDatabase(parts, PostgresJournal.commandsOf(id, sequence)).pipe(
    Effect.catchIf((error) => typeof error === "number", (all) =>
      Effect.fail(
        new Models.NotMade({
          field: "sequence",
          message: `The venue has ${all} commands. Choose one of these, or none`
        })
      ))
  )
  // A venue without commands has never been called: a copy starts from its initial commands.
  const commands = written.length > 0 || sequence === 0 ? written : yield* beginningOf(parts, origin)
  const belongings = NewVenue.own()
  const copied = Seed.copied(origin, commands, belongings)
  const { clock: _clock, endsAt: _endsAt, port: _port, ...rest } = origin
  const newly = yield* NewVenue.recordFields(parts.options.timeToLiveMillis, options)
  const registered = { ...rest, ...newly, identity: belongings.identity, keys: copied.keys, partial: false }
  yield* parts.registry.add(registered, parts.bounds)
  // The copy is not in the registry yet, so no other node can have it.
  const begun = Effect.scoped(Effect.flatMap(wake(parts, registered), (venue) => venue.replay(copied.commands)))
  yield* Effect.onError(begun, () => Effect.ignore(parts.registry.remove(registered.id)))
  parts.known.set(registered.id, registered)
  return Models.toMade(parts.addresses, registered, false)
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

/** Adds the venues that other nodes have created. */
const learn = (parts: Parts) => {
  let place = 0
  return Effect.map(Effect.suspend(() => parts.registry.addedAfter(place)), (added) => {
    for (const venue of added) {
      parts.known.set(venue.registered.id, venue.registered)
      place = venue.place
    }
  })
}

/** Drops the venues that other nodes have ended. */
const forget = Effect.fnUntraced(function*({ registry, known }: Parts) {
  const ids = [...known.keys()]
  const present = yield* registry.present(ids)
  for (const id of ids) if (!present.has(id)) known.delete(id)
})

const sweep = Effect.fnUntraced(function*(parts: Parts) {
  const { entries, registry, known, membership, options: { idleMillis = 60_000 }, capacity } = parts
  const now = yield* Clock.currentTimeMillis
  for (const id of yield* registry.removeEnded) known.delete(id)
  const present = yield* registry.present([...entries.keys()])
  for (const [id, entry] of entries) {
    const { resident } = entry
    if (!membership.isOurs(id) || !present.has(id) || resident.failure() !== undefined) {
      yield* Effect.forkDetach(drop(parts, entry))
    } else if (resident.isIdle() && resident.usedAt() + idleMillis <= now) yield* resident.sleep
    else if (!resident.isAwake() && resident.usedAt() + idleMillis <= now) yield* drop(parts, entry)
  }
  yield* capacity.relieve
  yield* Metric.update(awake, capacity.taken())
})

const partsOf = Effect.fnUntraced(function*(options: Options) {
  // Venues have no ports: they move between nodes.
  const bounds = HostBounds.of({ ...options, maxPorts: 0 })
  const entries = new Map<string, Entry>()
  const parts: Parts = {
    sql: yield* PgClient.PgClient,
    registry: yield* PostgresRegistry.open(options.token ?? NewVenue.secret(), options.token !== undefined),
    membership: yield* Membership,
    bounds,
    capacity: Capacity.make(bounds, NewVenue.memoryNow, () => Array.from(entries.values(), ({ resident }) => resident)),
    scope: yield* Effect.scope,
    run: Effect.runForkWith(yield* Effect.context()),
    examples: NewVenue.makeExamples(),
    options,
    entries,
    known: new Map(),
    addresses: { baseUrl: `http://${options.address}` },
    isServed: false,
    isStopping: false
  }
  return parts
})

/** Puts all venues to sleep, so that other nodes wake them from fresh snapshots. */
const stop = (parts: Parts) =>
  Effect.suspend(() => {
    parts.isStopping = true
    return Effect.forEach([...parts.entries.values()], (entry) => drop(parts, entry), {
      concurrency: stoppingAtOnce,
      discard: true
    })
  })

/** Opens the host of this node. When the scope is closed its venues fall asleep, and move to other nodes. */
export const open = Effect.fnUntraced(function*(
  options: Options,
  sender: NodeTransport.Sender
): Effect.fn.Return<Opened, JournalError, PgClient.PgClient | Membership | Scope.Scope> {
  const parts = yield* partsOf(options)
  const { addresses: _addresses, bounds, entries, registry, known, membership, capacity } = parts
  const receive = receiver(parts)
  const counting: NodeTransport.Sender = {
    send: (address, venue, request) => Effect.andThen(Metric.update(passedOn, 1), sender.send(address, venue, request))
  }
  const forward = Forward.make(membership, counting, options.address, receive)
  const learning = learn(parts)
  yield* learning
  // Repeats work even if the database fails.
  const repeatedly = (every: Duration.Input, work: Effect.Effect<void, JournalError>) =>
    Effect.forkScoped(Effect.forever(
      Effect.andThen(Effect.sleep(every), Effect.catch(work, ({ message }) => Effect.logWarning(message)))
    ))
  yield* repeatedly(sweepEvery, Effect.andThen(learning, sweep(parts)))
  yield* repeatedly(forgetEvery, forget(parts))
  yield* Effect.addFinalizer(() => stop(parts))
  const host = Host.Host.of({
    token: registry.token,
    make: Effect.fn("Host.make")((options = {}) => make(parts, options)),
    list: (owner) =>
      Effect.map(
        registry.list(owner),
        (all) => all.map(({ awake, registered }) => Models.toSummary(parts.addresses, registered, awake))
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
    status: Effect.map(registry.count, (venues) => ({
      venues,
      awake: capacity.taken(),
      ports: 0,
      memory: NewVenue.memoryNow(),
      bounds: { ...bounds }
    })),
    placement: {
      ownerOf: (id) =>
        Effect.gen(function*() {
          if (known.get(id) === undefined && (yield* Effect.orDie(registry.find(id))) === undefined) return undefined
          return yield* membership.locate(id)
        }),
      send: (id, request, _clock, resume) => resume(forward.send(id, request))
    },
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
  // A health check gives up sooner than a call.
  const answering = Effect.exit(Database.within(readyWithin)(registry.count))
  const ready = Effect.map(answering, (counted) => Exit.isSuccess(counted) && parts.isServed)
  return { host, receive, ready }
})

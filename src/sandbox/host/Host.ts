/**
 * Many venues in one process. Each venue has its own journal, token, keys and clock, and shares no state with other
 * venues. Idle venues sleep on disk, and the next call wakes them.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Host } from "effect-txc/sandbox"
 *
 * // Two separate exchanges in this process.
 * const urls = Effect.gen(function*() {
 *   const host = yield* Host.Host
 *   const one = yield* host.make({ owner: "ci" })
 *   const other = yield* host.make({ owner: "ci", dialect: "live" })
 *   return [one.url, other.url]
 * }).pipe(Effect.provide(Host.layer()))
 * ```
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import type { Command } from "../engine/Command.ts"
import * as InProcess from "../server/InProcess.ts"
import { JournalError } from "../store/JournalError.ts"
import * as Venue from "../venue/Venue.ts"
import * as Capacity from "./Capacity.ts"
import * as Files from "./Files.ts"
import * as HostBounds from "./HostBounds.ts"
import type { Bounds } from "./HostBounds.ts"
import * as Models from "./HostModels.ts"
import * as HostRouter from "./HostRouter.ts"
import { Host, type HostOptions, type OpenPort } from "./HostService.ts"
import * as LocalPlacement from "./LocalPlacement.ts"
import * as NewVenue from "./NewVenue.ts"
import * as Registry from "./Registry.ts"
import * as Resident from "./Resident.ts"
import * as Seed from "./Seed.ts"

export { type BoundOptions, BoundReached } from "./HostBounds.ts"
export {
  CopyOptions,
  HostStatus,
  Made,
  MakeOptions,
  NodeStatus,
  NotMade,
  Summary,
  UnknownNode,
  UnknownVenue
} from "./HostModels.ts"
export { VenueKey } from "./Registry.ts"
export { type Failure, Host, type HostOptions, type OpenPort } from "./HostService.ts"

/**
 * The options for opening a host.
 *
 * @category models
 */
export interface Options extends HostOptions {
  /** The folder for all venues. If absent, the host uses a temporary folder, which is removed when the host closes. */
  readonly folder?: string
}

/** The time between checks for venues that should be put to sleep or deleted, in milliseconds. */
const sweepEvery = (idleMillis: number): number => Math.min(30_000, Math.max(1000, Math.floor(idleMillis / 20)))

/** A venue of the host. */
interface Entry extends LocalPlacement.Entry {
  registered: Registry.Registered
  readonly files: Files.Files
  /** The venue's scope, which closes when the venue is deleted or the host closes. */
  readonly scope: Scope.Closeable
}

// -----------------------------------------------------------------------------
// Parts
// -----------------------------------------------------------------------------

interface Parts {
  readonly entries: Map<string, Entry>
  readonly registry: Registry.Registry
  readonly bounds: Bounds
  readonly folder: string
  readonly timeToLiveMillis: number | undefined
  readonly capacity: Capacity.Capacity
  readonly clock: Clock.Clock
  readonly scope: Scope.Scope
  readonly run: (effect: Effect.Effect<unknown>) => Fiber.Fiber<unknown>
  readonly examples: ReturnType<typeof NewVenue.makeExamples>
  addresses: Models.Addresses
  openPort: OpenPort
}

const entryOf = ({ entries }: Parts, id: string): Effect.Effect<Entry, Models.UnknownVenue> => {
  const entry = entries.get(id)
  return entry === undefined || entry.registered.partial
    ? Effect.fail(Models.unknownVenue(id))
    : Effect.succeed(entry)
}

/** Updates a venue's record in the registry. */
const register = ({ registry }: Parts, entry: Entry, change: Partial<Registry.Registered>) => {
  const registered = { ...entry.registered, ...change }
  return Effect.map(registry.put(registered), () => {
    entry.registered = registered
  })
}

/** The remedy if another release wrote a journal. */
const reimported = (folder: string, id: string): string =>
  `Stop the host, export the venue with that release (effect-txc host export ${id} --from ${folder} --data NEW), and ` +
  `import it with this one (effect-txc host import --data NEW --into ${folder})`

/** Adds the remedy to the error for a journal that belongs to another venue or was written by another release. */
const withRemedy = (folder: string, id: string) => (error: JournalError): JournalError => {
  const { file, reason, why } = error
  const remedy = why === "other-rules"
    ? "Put the venue's own files back, or end the venue"
    : why === "older" || why === "newer"
    ? reimported(folder, id)
    : undefined
  return remedy === undefined ? error : new JournalError({ why, file, reason: `${reason}. ${remedy}` })
}

/** Opens a venue. A new venue first applies the commands of `beginning`. */
const openVenue = (
  parts: Parts,
  entry: () => Entry,
  beginning: Effect.Effect<ReadonlyArray<Command>, JournalError>
): Effect.Effect<Venue.Venue["Service"], LocalPlacement.WakeFailure, Scope.Scope> =>
  Effect.gen(function*() {
    const { files, registered } = entry()
    const { begun = false, id } = registered
    yield* parts.capacity.take
    yield* files.prepare(begun)
    const memory = yield* files.memory
    const venue = yield* Venue.wake({
      dialect: NewVenue.dialectOf(registered),
      seed: registered.seed,
      secrets: "random",
      id,
      file: files.journal,
      remember: files.remember,
      ...(memory === undefined ? {} : { memory })
    }).pipe(Effect.mapError(withRemedy(parts.folder, id)))
    if (venue.sequence() === 0 && begun) return yield* Files.gone(files.journal)
    if (memory !== undefined) yield* files.forget
    if (venue.sequence() === 0) yield* venue.replay(yield* beginning)
    if (!begun) yield* register(parts, entry(), { begun: true })
    return venue
  })

/** Adds a venue to this process. */
const add = Effect.fnUntraced(function*(
  parts: Parts,
  registered: Registry.Registered,
  beginning: Effect.Effect<ReadonlyArray<Command>, JournalError> = Effect.map(
    parts.examples(registered),
    (actions) => Seed.commands(registered, actions)
  )
) {
  const { entries, folder, capacity, run } = parts
  const scope = yield* Scope.fork(parts.scope)
  const files = Files.of(folder, registered.id)
  const resident = Resident.make<LocalPlacement.WakeFailure>({
    controlToken: registered.controlToken,
    open: openVenue(parts, () => entry, beginning),
    capacity: Effect.match(capacity.take, { onFailure: () => false, onSuccess: () => true }),
    baseUrl: () => Models.urlOf(parts.addresses, registered.id),
    onIdle: capacity.freed,
    clock: parts.clock,
    scope,
    run
  })
  const entry: Entry = { registered, files, scope, resident }
  entries.set(registered.id, entry)
  return entry
})

const isOwnedBy = (owner: string) => ({ registered }: Entry): boolean => registered.owner === owner

const count = (entries: ReadonlyMap<string, Entry>, isCounted: (entry: Entry) => boolean): number => {
  let counted = 0
  for (const entry of entries.values()) if (isCounted(entry)) counted++
  return counted
}

const hasPort = ({ registered }: Entry): boolean => registered.port !== undefined

/** The bound that prevents another venue from being added, if any. */
const admit = ({ bounds, entries }: Parts, owner: string, port: boolean): HostBounds.BoundReached | undefined => {
  if (entries.size >= bounds.maxVenues) return HostBounds.reached(bounds, "maxVenues")
  if (count(entries, isOwnedBy(owner)) >= bounds.maxPerOwner) return HostBounds.reached(bounds, "maxPerOwner")
  if (port && count(entries, hasPort) >= bounds.maxPorts) return HostBounds.reached(bounds, "maxPorts")
  return undefined
}

const view = ({ addresses }: Parts, { registered, resident }: Entry): Models.Made =>
  Models.toMade(addresses, registered, resident.isAwake())

// -----------------------------------------------------------------------------
// Operations
// -----------------------------------------------------------------------------

/** Deletes a venue: makes the venue unreachable, then removes its files, then its record. */
const end = Effect.fnUntraced(function*(parts: Parts, entry: Entry) {
  const { entries, registry } = parts
  yield* register(parts, entry, { partial: true })
  yield* entry.resident.end
  yield* Scope.close(entry.scope, Exit.void)
  yield* entry.files.remove
  yield* registry.remove(entry.registered.id)
  entries.delete(entry.registered.id)
}, Effect.uninterruptible)

/**
 * Completes a new venue: opens its port if one was requested, and marks the venue as complete. If opening the port
 * fails, the venue is deleted.
 */
const complete = Effect.fnUntraced(function*(parts: Parts, entry: Entry, port: boolean) {
  const number = port
    ? { port: yield* Scope.provide(parts.openPort(entry.registered.id, 0), entry.scope) }
    : {}
  yield* register(parts, entry, { ...number, partial: false })
  return view(parts, entry)
}, (completing, parts, entry) => Effect.onError(completing, () => Effect.ignore(end(parts, entry))))

const make = Effect.fnUntraced(function*(parts: Parts, options: Models.MakeOptions) {
  const { owner = "anybody", port = false } = options
  const over = admit(parts, owner, port)
  if (over !== undefined) return yield* over
  const entry = yield* add(parts, yield* NewVenue.record(parts.timeToLiveMillis, options))
  return yield* complete(parts, entry, port)
})

/** The error for an operation whose venue is not available. */
const notReady = (id: string, error: LocalPlacement.WakeFailure | Resident.Unready) => {
  if (error === "ended") return Models.unknownVenue(id)
  return error === "late"
    ? new JournalError({ why: "failed", file: id, reason: "the venue is not open yet; try again shortly" })
    : error
}

/** Runs an effect with a venue. The venue is woken for this, and stays awake until the effect ends. */
const using = <A, E>(
  { resident }: Entry,
  id: string,
  use: (venue: Venue.Venue["Service"]) => Effect.Effect<A, E>
): Effect.Effect<A, E | LocalPlacement.WakeFailure | Models.UnknownVenue> =>
  Effect.clockWith((clock) =>
    Effect.acquireUseRelease(
      Effect.callback<Resident.Awake, LocalPlacement.WakeFailure | Models.UnknownVenue>((resume) =>
        resident.acquire(clock, (exit) => resume(Effect.mapError(exit, (error) => notReady(id, error))))
      ),
      ({ venue }) => use(venue),
      () => Effect.sync(() => resident.release(clock))
    )
  )

const commandsOf = Effect.fnUntraced(function*(venue: Venue.Venue["Service"], sequence: number | undefined) {
  const commands: Array<Command> = []
  const { journal } = venue
  yield* journal.committed
  yield* journal.verify
  const to = sequence ?? journal.sequence()
  if (to > journal.sequence()) {
    const message = `The venue has ${journal.sequence()} commands. Choose one of them, or omit this field to copy all`
    return yield* new Models.NotMade({ field: "sequence", message })
  }
  yield* journal.read(0, to, (command) => void commands.push(command))
  return commands
})

const copy = Effect.fnUntraced(function*(parts: Parts, id: string, options: Models.CopyOptions) {
  const origin = yield* entryOf(parts, id)
  const { owner = "anybody", port = false, sequence } = options
  const over = admit(parts, owner, port)
  if (over !== undefined) return yield* over
  const written = yield* using(origin, id, (venue) => commandsOf(venue, sequence))
  const { commands, registered } = yield* NewVenue.copy(parts.timeToLiveMillis, options, origin.registered, written)
  // If a crash happens before the venue is complete, the host removes the venue at its next start.
  yield* parts.registry.put(registered)
  const entry = yield* add(parts, registered, Effect.succeed(commands))
  const begun = using(entry, registered.id, () => Effect.void)
  yield* Effect.onError(begun, () => Effect.ignore(end(parts, entry)))
  return yield* complete(parts, entry, port)
})

/**
 * Closes a venue whose journal has failed, so that the next call opens it again. By then, the disk might have free
 * space again, or be writable again.
 */
const closeFailed = Effect.fnUntraced(function*({ registered: { id }, resident }: Entry, { reason }: JournalError) {
  yield* Effect.logWarning(`The venue ${id} is being reopened, because its journal could not be written: ${reason}`)
  yield* resident.restart
})

/** Puts idle venues to sleep, deletes venues whose time to live is over, and closes venues that have failed. */
const sweep = Effect.fnUntraced(function*(parts: Parts, idleMillis: number) {
  const now = yield* Clock.currentTimeMillis
  for (const entry of parts.entries.values()) {
    const { registered: { endsAt = Infinity, id, partial }, resident } = entry
    if (!partial && endsAt <= now) {
      yield* Effect.catch(end(parts, entry), ({ message }) => Effect.logWarning(`${id} can't be removed: ${message}`))
      continue
    }
    const failure = resident.failure()
    if (failure !== undefined) parts.run(closeFailed(entry, failure))
    else if (resident.isIdle() && resident.usedAt() + idleMillis <= now) yield* resident.sleep
  }
  yield* parts.capacity.relieve
})

/**
 * Removes the venues that a crash left incomplete or whose time to live is over. Adds all other venues of the registry
 * to this process.
 */
const restore = Effect.fnUntraced(function*(parts: Parts) {
  const now = yield* Clock.currentTimeMillis
  for (const registered of parts.registry.venues) {
    const entry = yield* add(parts, registered)
    if (registered.partial || (registered.endsAt ?? Infinity) <= now) yield* end(parts, entry)
  }
})

const servedAt = Effect.fnUntraced(function*(parts: Parts, addresses: Models.Addresses, openPort: OpenPort) {
  parts.addresses = addresses
  parts.openPort = openPort
  for (const entry of parts.entries.values()) {
    const { id, port } = entry.registered
    if (port === undefined) continue
    const opened = Scope.provide(openPort(id, port), entry.scope)
    yield* Effect.catch(opened, ({ message }) => {
      const { port: _port, ...rest } = entry.registered
      entry.registered = rest
      return Effect.logWarning(`The venue ${id} has lost its own port: ${message}`)
    })
  }
})

const warnOfFiles = Effect.fnUntraced(function*(bounds: Bounds) {
  const limit = yield* Files.limit
  const needed = HostBounds.filesOf(bounds)
  if (limit !== undefined && limit < needed) {
    yield* Effect.logWarning(
      `This process may open ${limit} files, but ${bounds.maxAwake} awake venues may need ${needed}. Raise the ` +
        "limit (ulimit -n), or lower --max-awake"
    )
  }
})

const noPorts: OpenPort = () =>
  Effect.fail(
    new Models.NotMade({ field: "port", message: "This host is not served over HTTP, so it can't open ports" })
  )

const partsOf = Effect.fnUntraced(function*({ folder: given, timeToLiveMillis, token, ...options }: Options) {
  const folder = given ?? (yield* Files.temporary)
  const registry = yield* Registry.open(folder, token ?? NewVenue.secret(), token !== undefined)
  const bounds = HostBounds.of(options)
  const entries = new Map<string, Entry>()
  const parts: Parts = {
    entries,
    registry,
    bounds,
    folder,
    timeToLiveMillis,
    capacity: Capacity.make(bounds, NewVenue.memoryNow, () => Array.from(entries.values(), ({ resident }) => resident)),
    clock: yield* Clock.Clock,
    scope: yield* Effect.scope,
    run: Effect.runForkWith(yield* Effect.context()),
    examples: NewVenue.makeExamples(),
    addresses: { baseUrl: InProcess.baseUrl },
    openPort: noPorts
  }
  return parts
})

/**
 * Opens a host. When the scope is closed, all venues fall asleep; opening a host on the same folder restores them.
 *
 * @category constructors
 */
export const open = Effect.fnUntraced(function*(
  options: Options = {}
): Effect.fn.Return<Host["Service"], JournalError, Scope.Scope> {
  const parts = yield* partsOf(options)
  const { bounds, entries, registry, capacity, run } = parts
  yield* warnOfFiles(bounds)
  yield* restore(parts)
  const { idleMillis = 60_000 } = options
  yield* Effect.forkScoped(
    Effect.forever(Effect.andThen(Effect.sleep(sweepEvery(idleMillis)), sweep(parts, idleMillis)))
  )
  const withEntry = <A, E>(id: string, use: (entry: Entry) => Effect.Effect<A, E>) =>
    Effect.flatMap(Effect.suspend(() => entryOf(parts, id)), use)
  return Host.of({
    token: registry.token,
    make: Effect.fn("Host.make")((options = {}) => make(parts, options)),
    list: (owner) =>
      Effect.sync(() =>
        [...entries.values()]
          .filter((entry) => !entry.registered.partial && (owner === undefined || isOwnedBy(owner)(entry)))
          .map(({ registered, resident }) =>
            Models.toSummary(parts.addresses, registered, resident.isAwake(), Models.toPlaced(resident.look()))
          )
      ),
    find: (id) => withEntry(id, (entry) => Effect.sync(() => view(parts, entry))),
    copy: Effect.fn("Host.copy")((id, options = {}) => copy(parts, id, options)),
    sleep: (id) => withEntry(id, ({ resident }) => resident.sleep),
    end: (id) => withEntry(id, (entry) => end(parts, entry)),
    status: Effect.sync(() => ({
      venues: entries.size,
      awake: capacity.taken(),
      ports: count(entries, hasPort),
      memory: NewVenue.memoryNow(),
      bounds: { ...bounds }
    })),
    drain: (node) => Effect.fail(Models.unknownNode(node)),
    drained: Effect.never,
    placement: LocalPlacement.placement(entries, bounds, run),
    registered: (id) => entries.get(id)?.registered,
    servedAt: (addresses, openPort) => servedAt(parts, addresses, openPort)
  })
})

/**
 * Provides a host in this process, and an `HttpClient` that reaches its venues and its control plane without a socket.
 *
 * @category layers
 */
export const layer = (options: Options = {}): Layer.Layer<Host | HttpClient.HttpClient, JournalError> =>
  Layer.effectContext(Effect.gen(function*() {
    const host = yield* open(options)
    const client = yield* InProcess.make(yield* HostRouter.make(host))
    return Context.make(Host, host).pipe(Context.add(HttpClient.HttpClient, client))
  }))

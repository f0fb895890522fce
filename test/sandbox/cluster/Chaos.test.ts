/**
 * Kills, stops, replaces and disconnects nodes under load, fills the disk of their database, and sends them more calls
 * than they accept. Every order reported as placed exists exactly once, no order reported as not placed exists, no read
 * is stale, and each venue's history is complete. Every call ends in time, and feed readers see every order once and in
 * the right sequence.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import { Agent } from "undici"
import * as Call from "../../../src/client/call/Call.ts"
import * as Nonce from "../../../src/client/Nonce.ts"
import * as Transport from "../../../src/client/transport/Transport.ts"
import * as UndiciTransport from "../../../src/client/transport/UndiciTransport.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { ClientOrderId, marketName } from "../../../src/domain/Identifiers.ts"
import { ActiveOrders } from "../../../src/endpoints/ActiveOrders.ts"
import * as LimitOrders from "../../../src/endpoints/LimitOrders.ts"
import * as Dialect from "../../../src/protocol/Dialect.ts"
import type * as Errors from "../../../src/protocol/Errors.ts"
import { Reconciliation } from "../../../src/Reconciliation.ts"
import * as PostgresJournal from "../../../src/sandbox/cluster/PostgresJournal.ts"
import * as Saved from "../../../src/sandbox/engine/Saved.ts"
import type { Made } from "../../../src/sandbox/host/HostModels.ts"
import * as Venue from "../../../src/sandbox/venue/Venue.ts"
import { until } from "../../support/clock.ts"
import { clientOf, cluster, fund, makeVenues, type Node, type Options } from "../../support/cluster.ts"
import { canonical } from "../../support/engine.ts"
import * as Feed from "../../support/feed.ts"
import type { Cut, Link } from "../../support/link.ts"
import { itWithPostgres, type Server } from "../../support/postgres.ts"
import { canMount } from "../../support/smallDisk.ts"
import { timed, type TimedCall } from "../../support/timed.ts"

const market = marketName("BTC_USDT")

/**
 * Returns a generator of pseudo-random numbers. They are the same in every run, unless `TXC_TEST_SEED` sets another
 * seed.
 */
const chance = (seed: number) => {
  let state = (Number(process.env["TXC_TEST_SEED"] ?? 0) + seed + 1) >>> 0
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor(state / 2 ** 32 * below)
  }
}

// -----------------------------------------------------------------------------
// Clients under load
// -----------------------------------------------------------------------------

/** An order that a client tried to place, and the outcome as far as the client knows it. */
interface Placed {
  readonly id: ClientOrderId
  readonly ended: "placed" | "refused" | "unknown"
  readonly lost?: Errors.OutcomeUnknown
  readonly why: string
}

/** How the test uses a venue. */
interface Use {
  /** The minimum and maximum pause after each order, in milliseconds. */
  readonly pause: readonly [shortest: number, longest: number]
  /** The number of readers that follow the venue's feed. Each reader connects through random nodes. */
  readonly readers: number
}

const uses = {
  busy: { pause: [20, 60], readers: 6 },
  /** A venue whose open feeds outnumber the requests that a node forwards at the same time. */
  crowded: { pause: [300, 1000], readers: 240 },
  /** A venue that falls asleep and wakes up again between calls. */
  sleepy: { pause: [200, 6000], readers: 0 }
} satisfies Readonly<Record<string, Use>>

interface Venued {
  readonly made: Made
  readonly use: Use
  readonly clients: ReadonlyArray<Client>
  readonly orders: Array<Placed>
  /** Orders that were missing from a read that should have shown them. */
  readonly stale: Array<string>
  readonly readers: Array<Feed.Reader>
}

type Client = Effect.Success<ReturnType<typeof clientOf>>

const place = Effect.fnUntraced(function*(client: Client, id: ClientOrderId, price: number) {
  const orders = Context.get(client, LimitOrders.LimitOrders)
  // The client's timeout is longer than a call's time limit, so that a late response is noticed.
  const exit = yield* Effect.exit(
    Call.withTimeout("40 seconds")(orders.create({
      market,
      side: "buy",
      amount: Decimal.amount("0.001"),
      price: Decimal.Price.make(String(price)),
      clientOrderId: id
    }))
  )
  if (Exit.isSuccess(exit)) return { id, ended: "placed", why: "" } satisfies Placed
  const error = Option.getOrThrow(Cause.findErrorOption(exit.cause))
  if (error._tag === "OutcomeUnknown") return { id, ended: "unknown", lost: error, why: error.reason } satisfies Placed
  const ended = error.outcome === "applied" ? "placed" : "refused"
  return { id, ended, why: `${error._tag}: ${error.message}` } satisfies Placed
})

/**
 * Places orders in turn through random nodes, and reads each one back through a random node. Waits for the last call,
 * because a request in flight would wake a venue that is being checked.
 */
const trade = Effect.fnUntraced(function*(
  venue: Venued,
  name: string,
  seed: number,
  isOver: () => boolean
) {
  const { clients, use: { pause: [shortest, longest] } } = venue
  const draw = chance(seed)
  for (let count = 0; !isOver(); count++) {
    const client = clients[draw(clients.length)] ?? assert.fail()
    const other = clients[draw(clients.length)] ?? assert.fail()
    const id = ClientOrderId.make(`${name}-${count}`)
    const placed = yield* place(client, id, 30_000 + draw(20))
    venue.orders.push(placed)
    if (placed.ended === "placed") {
      const found = yield* Effect.exit(
        Call.withTimeout("40 seconds")(Context.get(other, ActiveOrders).page({ market, clientOrderId: id }))
      )
      if (Exit.isSuccess(found) && found.value.records.length !== 1) venue.stale.push(id)
    }
    yield* Effect.sleep(shortest + draw(longest - shortest))
  }
})

// -----------------------------------------------------------------------------
// Injecting faults
// -----------------------------------------------------------------------------

/** The parts of a cluster that a fault affects. */
interface World {
  readonly database: Server
  readonly nodes: ReadonlyArray<Node>
  /** Places this many orders at the same time through one node, in one venue or in all venues. */
  readonly burst: (node: Node, size: number, isOfOne: boolean) => Effect.Effect<void>
}

/** Causes a fault in one node or in the whole cluster. */
type Trouble = (node: Node, world: World) => Effect.Effect<unknown>

/**
 * The duration of a long interruption. It is longer than a lease, so that other nodes take over the venues, and longer
 * than a statement's timeout.
 */
const longCut = "12 seconds"

/** Cuts the connections for a while, then gives both ends time to notice that the connections work again. */
const cut = (links: (node: Node) => ReadonlyArray<Link>, how: Cut, duration: Duration.Input): Trouble => (node) =>
  Effect.all([
    Effect.forEach(links(node), ({ cut }) => cut(how)),
    Effect.sleep(duration),
    Effect.forEach(links(node), ({ mend }) => mend),
    Effect.sleep("3 seconds")
  ])

const toDatabase = ({ links }: Node) => links.database
const toNodes = ({ links }: Node) => [...links.to, ...links.from]

const endings = {
  kill: (node) => Effect.all([node.signal("SIGKILL"), node.ended, Effect.sleep("7 seconds"), node.start]),
  replace: (node) => Effect.all([node.signal("SIGTERM"), node.ended, node.start, Effect.sleep("2 seconds")]),
  // The pause is longer than the lease, so the node notices the loss and exits.
  pause: (node) =>
    Effect.all([
      node.signal("SIGSTOP"),
      Effect.sleep("8 seconds"),
      node.signal("SIGCONT"),
      node.ended,
      node.start,
      Effect.sleep("2 seconds")
    ]),
  database: (_node, { database: { start, stop } }) =>
    Effect.all([stop, Effect.sleep("500 millis"), start, Effect.sleep("4 seconds")])
} satisfies Readonly<Record<string, Trouble>>

const partitions = {
  "silence from the database": cut(toDatabase, "silent", longCut),
  "resets by the database": cut(toDatabase, "reset", "8 seconds"),
  "silence between nodes": cut(toNodes, "silent", "8 seconds"),
  "resets between nodes": cut(toNodes, "reset", "8 seconds"),
  "silence between one node and all others": cut(({ links }) => links.to, "silent", "8 seconds")
} satisfies Readonly<Record<string, Trouble>>

/** Faults that stop every node, or stop the database in the middle of a commit. */
const crashes = {
  "all nodes killed at once": (_node, { nodes }) =>
    Effect.all([
      Effect.forEach(nodes, ({ signal }) => signal("SIGKILL")),
      Effect.forEach(nodes, ({ ended }) => ended),
      Effect.forEach(nodes, ({ start }) => start, { concurrency: "unbounded" }),
      Effect.sleep("7 seconds")
    ]),
  "database killed": (_node, { database: { kill, start } }) =>
    Effect.all([kill, Effect.sleep("500 millis"), start, Effect.sleep("4 seconds")])
} satisfies Readonly<Record<string, Trouble>>

/**
 * A pause during which the database's disk is full. With `log`, even the write-ahead log has no room, and the database
 * crashes.
 */
const fullDisk = (log: boolean): Trouble => (_node, { database: { disk, layer, start } }) =>
  Effect.gen(function*() {
    if (disk === undefined) return
    yield* disk.fill
    // Makes the database start a new log file, for which the disk has no room.
    const next = Effect.flatMap(PgClient.PgClient, (sql) => sql`SELECT pg_switch_wal(), txid_current()`)
    if (log) yield* Effect.exit(Effect.provide(Effect.repeat(next, { times: 8 }), layer))
    yield* Effect.sleep("6 seconds")
    yield* disk.free
    yield* start
    yield* Effect.sleep("4 seconds")
  })

/** Faults that exhaust resources: a full disk, and more calls than a node accepts. */
const shortages = {
  "full disk": fullDisk(false),
  "full disk, including the log": fullDisk(true),
  "overload of one venue": (node, { burst }) => Effect.andThen(burst(node, 1500, true), Effect.sleep("1 second")),
  "overload of one node": (node, { burst }) => Effect.andThen(burst(node, 1500, false), Effect.sleep("1 second")),
  "overload while a node is killed": (node, { burst, nodes }) =>
    Effect.all([
      endings.kill(node),
      Effect.delay(burst(nodes.find((other) => other !== node) ?? node, 1500, false), "1 second")
    ], { concurrency: "unbounded" })
} satisfies Readonly<Record<string, Trouble>>

// -----------------------------------------------------------------------------
// Checking the outcome
// -----------------------------------------------------------------------------

/** Returns a venue's orders in the database. Checks that replaying the venue's history gives the stored state. */
const truth = Effect.fnUntraced(function*({ id }: Made) {
  const sql = yield* PgClient.PgClient
  const venue = yield* Venue.make({
    dialect: Dialect.live,
    journal: (options) => Effect.provideService(PostgresJournal.open(id, options), PgClient.PgClient, sql)
  })
  yield* venue.journal.verify
  const replayed = yield* Venue.make({ dialect: Dialect.live })
  yield* replayed.replay(yield* PostgresJournal.commandsOf(id, undefined))
  assert.strictEqual(
    canonical(Saved.save(venue.state)),
    canonical(Saved.save(replayed.state)),
    "the replayed history gives the stored state"
  )
  const counts = new Map<string, number>()
  for (const order of venue.state.openOrders.values()) {
    const { clientOrderId = "" } = order
    counts.set(clientOrderId, (counts.get(clientOrderId) ?? 0) + 1)
  }
  return counts
}, Effect.scoped)

/**
 * Checks that every feed reader has seen each order once and in the right sequence, or was notified of missed entries.
 */
const judgeFeed = ({ orders, readers }: Venued, counts: ReadonlyMap<string, number>) => {
  for (const { gone, ids, orders: seen } of readers) {
    assert.isUndefined(Feed.disorder(ids), "an entry of a feed that is out of order")
    assert.strictEqual(new Set(seen).size, seen.length, "orders that appear twice in a feed")
    if (gone === 0) assert.sameMembers(seen, [...counts.keys()], `a feed's orders, of ${orders.length} attempts`)
  }
}

const judge = Effect.fnUntraced(function*(venue: Venued) {
  const { clients, made, orders, stale } = venue
  // The last node is still running, so it can serve the checks.
  const client = clients.at(-1) ?? assert.fail()
  assert.deepStrictEqual(stale, [], "reads that were out of date")
  const counts = yield* truth(made)
  judgeFeed(venue, counts)
  yield* Effect.forEach(
    orders,
    Effect.fnUntraced(function*({ ended, id, lost, why }) {
      const count = counts.get(id) ?? 0
      assert.isAtMost(count, 1, `${id} was placed twice`)
      if (ended === "placed") assert.strictEqual(count, 1, `${id} was acknowledged`)
      if (ended === "refused") assert.strictEqual(count, 0, `${id} was refused: ${why}`)
      if (lost === undefined) return
      const verdict = yield* Context.get(client, Reconciliation).reconcile(lost, {
        recordsCanceled: true,
        margin: "1 second"
      })
      assert.strictEqual(verdict._tag, count === 1 ? "Placed" : "NotPlaced", `${id} was not known: ${why}`)
    }),
    { concurrency: 16, discard: true }
  )
})

/**
 * Returns the time limit for a call, in milliseconds: ten seconds for a refusal, and three more seconds otherwise,
 * because a node needs time to notice that another node is silent.
 */
const boundOf = ({ answer }: TimedCall): number => /^(?:429|503)/u.test(answer) ? 10_000 : 10_000 + 3000

/** A period in which a node does not respond, or in which this process does not see any node's responses. */
interface Pause {
  readonly node?: string
  readonly from: number
  readonly to: number
}

/** Returns how long a call has waited, in milliseconds, excluding pauses. */
const waited = ({ began, millis, node }: TimedCall, pauses: ReadonlyArray<Pause>): number =>
  pauses.filter((pause) => (pause.node ?? node) === node).reduce(
    (left, { from, to }) => left - Math.max(0, Math.min(to, began + millis) - Math.max(from, began)),
    millis
  )

/** Records the periods in which this process was itself too busy to see responses, until the scope is closed. */
const watchSelf = (pauses: Array<Pause>) =>
  Effect.forkScoped(Effect.gen(function*() {
    for (;;) {
      const from = performance.now()
      yield* Effect.sleep("20 millis")
      const to = performance.now()
      if (to - from > 50) pauses.push({ from, to })
    }
  }))

/** Checks whether a refusal lacks a `Retry-After` header. */
const isSilent = ({ answer }: TimedCall): boolean => answer.endsWith("retry after undefined")

type Happening = ReadonlyArray<readonly [name: string, trouble: Trouble]>

interface Plan {
  readonly seed: number
  readonly nodes: number
  readonly venues: ReadonlyArray<Use>
  readonly happening: Happening
  readonly options: Options
}

/** The call record and the nonces that all of a test's clients share. */
interface Calling {
  readonly calls: Array<TimedCall>
  readonly nonce: Layer.Layer<Nonce.Nonce>
}

/** Opens a plan's venues, with a client for each venue through every node. */
const openVenues = Effect.fnUntraced(
  function*(nodes: ReadonlyArray<Node>, { venues }: Plan, { calls, nonce }: Calling) {
    const transport = timed(calls, UndiciTransport.layer)
    return yield* Effect.forEach(
      yield* makeVenues(nodes, venues.length),
      Effect.fnUntraced(function*(made, at) {
        yield* fund(made, nodes[0] ?? assert.fail())
        const clients = yield* Effect.forEach(nodes, (node) => clientOf(made, node, { nonce, transport }))
        return { made, use: venues[at] ?? uses.sleepy, clients, orders: [], stale: [], readers: [] } as Venued
      })
    )
  }
)

/** Follows a venue's feeds until the scope is closed. */
const openFeeds = Effect.fnUntraced(function*(
  { made, readers, use }: Venued,
  nodes: ReadonlyArray<Node>,
  draw: (below: number) => number,
  calls: Array<TimedCall>
) {
  for (let count = 0; count < use.readers; count++) {
    let node = ""
    const choose = () => (node = nodes[draw(nodes.length)]?.baseUrl ?? assert.fail())
    const { following, reader } = Feed.follow(
      made,
      choose,
      (began, answer) =>
        void calls.push({ node, began, millis: performance.now() - began, answer: `${answer} to a reader` })
    )
    readers.push(reader)
    yield* Effect.forkScoped(following)
  }
})

/** Places all orders at the same time, from several addresses, because a node limits the calls of one address. */
const makeBurst = Effect.fnUntraced(function*(
  venues: ReadonlyArray<Venued>,
  nodes: ReadonlyArray<Node>,
  { calls, nonce }: Calling
) {
  const crowd = yield* Effect.forEach(
    Array.from({ length: 8 }),
    Effect.fnUntraced(function*(_, at) {
      const agent = yield* Effect.acquireRelease(
        Effect.sync(() => new Agent({ localAddress: `127.0.0.${at + 2}`, headersTimeout: 0, bodyTimeout: 0 })),
        (agent) => Effect.promise(() => agent.destroy())
      )
      const transport = timed(calls, Layer.succeed(Transport.Transport, UndiciTransport.fromDispatcher(agent)))
      return yield* Effect.forEach(
        venues,
        ({ made }) => Effect.forEach(nodes, (node) => clientOf(made, node, { nonce, transport }))
      )
    })
  )
  let bursts = 0
  return Effect.fnUntraced(function*(node: Node, size: number, isOfOne: boolean) {
    const number = ++bursts
    yield* Effect.forEach(
      Array.from({ length: size }),
      Effect.fnUntraced(function*(_, index) {
        const at = isOfOne ? number % venues.length : index % venues.length
        const client = crowd[index % crowd.length]?.[at]?.[nodes.indexOf(node)] ?? assert.fail()
        venues[at]?.orders.push(yield* place(client, ClientOrderId.make(`b${number}-${index}`), 30_000 + index % 20))
      }),
      { concurrency: "unbounded", discard: true }
    )
  })
})

const scenario = (plan: Plan) =>
  Effect.gen(function*() {
    const { happening, nodes: size, options, seed } = plan
    const { database, nodes } = yield* cluster(size, options)
    const calls: Array<TimedCall> = []
    const pauses: Array<Pause> = []
    yield* watchSelf(pauses)
    const nonce = Layer.succeedContext(yield* Layer.build(Nonce.layerWindow))
    const calling = { calls, nonce }
    const venues = yield* openVenues(nodes, plan, calling)
    const draw = chance(seed)
    const feeds = yield* Scope.make()
    yield* Effect.forEach(venues, (venue) => Scope.provide(openFeeds(venue, nodes, draw, calls), feeds))
    const world: World = { database, nodes, burst: yield* makeBurst(venues, nodes, calling) }
    // With only two nodes, faults hit only the first node. That node might stay down, and the checks need a running
    // node.
    const drawn = size > 2 ? size : 1
    let isOver = false
    const trading = yield* Effect.forkChild(Effect.forEach(
      venues.flatMap((venue, at) => [0, 1].map((worker) => trade(venue, `w${worker}`, at * 2 + worker, () => isOver))),
      (work) => work,
      { concurrency: "unbounded", discard: true }
    ))
    yield* Effect.sleep("1 second")
    for (const [name, trouble] of happening) {
      const node = nodes[draw(drawn)] ?? assert.fail()
      const from = performance.now()
      yield* trouble(node, world)
      const to = performance.now()
      if (name === "pause") pauses.push({ node: node.baseUrl, from, to })
      const during = calls.filter(({ began }) => began >= from)
      report(name, during, to - from)
      const isLost = ({ answer }: TimedCall): boolean => answer === "lost"
      if (name.startsWith("overload of")) assert.deepStrictEqual(during.filter(isLost), [], `resets: ${name}`)
    }
    yield* Effect.sleep("1 second")
    isOver = true
    yield* Fiber.join(trading)
    yield* allSeen(venues)
    yield* Scope.close(feeds, Exit.void)
    yield* Effect.forEach(venues, (venue) => {
      assert.isAbove(venue.orders.filter(({ ended }) => ended === "placed").length, 5)
      return judge(venue)
    }, { concurrency: "unbounded", discard: true }).pipe(Effect.provide(database.layer))
    report("all", calls, 0)
    assert.deepStrictEqual(calls.filter(isSilent), [], "refusals that do not state when to call again")
    const late = calls.filter((call) => waited(call, pauses) > boundOf(call))
    assert.deepStrictEqual(late, [], "calls that took longer than their time limit")
  })

/** Waits until every reader has seen every order. */
const allSeen = (venues: ReadonlyArray<Venued>) =>
  Effect.gen(function*() {
    const isBehind = ({ orders, readers }: Venued) => {
      const placed = orders.filter(({ ended }) => ended === "placed").length
      return readers.some(({ gone, orders }) => gone === 0 && orders.length < placed)
    }
    yield* Effect.timeoutOption(until(Effect.sync(() => !venues.some(isBehind))), "20 seconds")
    yield* Effect.sleep("1 second")
  })

const report = (name: string, calls: ReadonlyArray<TimedCall>, millis: number) => {
  const answers = Map.groupBy(calls, ({ answer }) => answer)
  const words = [...answers].map(([answer, all]) =>
    `${answer}: ${all.length} (${Math.round(Math.max(...all.map(({ millis }) => millis)))} ms)`
  )
  process.stderr.write(`${name}, ${Math.round(millis)} ms: ${words.toSorted().join("; ")}\n`)
}

const longSeed = (seed: number): Plan => {
  const draw = chance(seed)
  const all: Happening = Object.entries({ ...endings, ...partitions, ...crashes, ...shortages })
  // Every fault once, in the order above, with eight random faults inserted at random positions.
  const others = Array.from({ length: 8 }, () => all[draw(all.length)] ?? assert.fail())
  const happening = others.reduce((sofar, one) => sofar.toSpliced(draw(sofar.length + 1), 0, one), all)
  const { busy, crowded, sleepy } = uses
  return {
    seed,
    nodes: 3,
    venues: [busy, busy, crowded, sleepy, sleepy, sleepy],
    happening,
    options: { isWired: true, idleMillis: 500, access: canMount ? { disk: 512 } : {} }
  }
}

// CI uses a short plan.
const { "silence from the database": silence } = partitions
const few = { ...uses.busy, readers: 1 }
itWithPostgres(
  "orders survive a killed node, a killed database, and a node that is cut off from its database",
  () =>
    scenario({
      seed: 1,
      nodes: 3,
      venues: [few, few, few],
      happening: Object.entries({ ...endings, silence }),
      options: { isWired: true }
    })
)

for (const seed of [1, 2]) {
  itWithPostgres(`orders survive any sequence of faults, seed ${seed}`, () => scenario(longSeed(seed)), 900_000)
}

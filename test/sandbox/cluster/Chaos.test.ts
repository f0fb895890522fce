/**
 * Nodes that are killed, stopped, replaced and disconnected under load. Every order that a client was told of exists
 * exactly once, and no order exists that the client was told does not; no read is stale; and the history of each venue
 * is complete.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
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
import { clientOf, cluster, makeVenues, type Node } from "../../support/cluster.ts"
import { canonical } from "../../support/engine.ts"
import type { Cut, Link } from "../../support/link.ts"
import { itWithPostgres, type Server } from "../../support/postgres.ts"

const market = marketName("BTC_USDT")

/** Pseudo-random numbers, the same in every run; `TXC_TEST_SEED` sets another seed. */
const chance = (seed: number) => {
  let state = (Number(process.env["TXC_TEST_SEED"] ?? 0) + seed + 1) >>> 0
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor(state / 2 ** 32 * below)
  }
}

// -----------------------------------------------------------------------------
// Load
// -----------------------------------------------------------------------------

/** The knowledge of a client about an order that it has placed. */
interface Placed {
  readonly id: ClientOrderId
  readonly ended: "placed" | "refused" | "unknown"
  readonly lost?: Errors.OutcomeUnknown
  readonly why: string
}

interface Venued {
  readonly made: Made
  readonly orders: Array<Placed>
  /** Orders that a read should have shown but did not. */
  readonly stale: Array<string>
}

type Client = Effect.Success<ReturnType<typeof clientOf>>

const place = Effect.fnUntraced(function*(client: Client, id: ClientOrderId, price: number) {
  const orders = Context.get(client, LimitOrders.LimitOrders)
  const exit = yield* Effect.exit(orders.create({
    market,
    side: "buy",
    amount: Decimal.amount("0.1"),
    price: Decimal.Price.make(String(price)),
    clientOrderId: id
  }))
  if (Exit.isSuccess(exit)) return { id, ended: "placed", why: "" } satisfies Placed
  const error = Option.getOrThrow(Cause.findErrorOption(exit.cause))
  if (error._tag === "OutcomeUnknown") return { id, ended: "unknown", lost: error, why: error.reason } satisfies Placed
  const ended = error.outcome === "applied" ? "placed" : "refused"
  return { id, ended, why: `${error._tag}: ${error.message}` } satisfies Placed
})

/**
 * Places orders one after the other, each through another node, and checks each through yet another. Waits for the last
 * call: a request in flight would wake a venue that is being checked.
 */
const trade = Effect.fnUntraced(function*(
  venue: Venued,
  name: string,
  clients: ReadonlyArray<Client>,
  seed: number,
  isOver: () => boolean
) {
  const draw = chance(seed)
  for (let count = 0; !isOver(); count++) {
    const client = clients[draw(clients.length)] ?? assert.fail()
    const other = clients[draw(clients.length)] ?? assert.fail()
    const id = ClientOrderId.make(`${name}-${count}`)
    const placed = yield* place(client, id, 60 + draw(20))
    venue.orders.push(placed)
    if (placed.ended === "placed") {
      const found = yield* Effect.exit(Context.get(other, ActiveOrders).page({ market, clientOrderId: id }))
      if (Exit.isSuccess(found) && found.value.records.length !== 1) venue.stale.push(id)
    }
    yield* Effect.sleep(20 + draw(40))
  }
})

// -----------------------------------------------------------------------------
// Faults
// -----------------------------------------------------------------------------

type Trouble = (node: Node, database: Server, nodes: ReadonlyArray<Node>) => Effect.Effect<unknown>

/** Longer than a lease, so that other nodes take the venues, and longer than a statement's time limit. */
const longCut = "12 seconds"

/** Cuts connections for a time. Then their ends get some time to notice. */
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
  // Longer than the lease. The node notices, and exits.
  pause: (node) =>
    Effect.all([
      node.signal("SIGSTOP"),
      Effect.sleep("8 seconds"),
      node.signal("SIGCONT"),
      node.ended,
      node.start,
      Effect.sleep("2 seconds")
    ]),
  database: (_node, { start, stop }) => Effect.all([stop, Effect.sleep("500 millis"), start, Effect.sleep("4 seconds")])
} satisfies Readonly<Record<string, Trouble>>

const partitions = {
  "silence from the database": cut(toDatabase, "silent", longCut),
  "resets by the database": cut(toDatabase, "reset", "8 seconds"),
  "silence between nodes": cut(toNodes, "silent", "8 seconds"),
  "resets between nodes": cut(toNodes, "reset", "8 seconds"),
  "silence from one node to all": cut(({ links }) => links.to, "silent", "8 seconds")
} satisfies Readonly<Record<string, Trouble>>

/** Faults that stop every node, or the database in the middle of a commit. */
const crashes = {
  "all nodes killed at once": (_node, _database, nodes) =>
    Effect.all([
      Effect.forEach(nodes, ({ signal }) => signal("SIGKILL")),
      Effect.forEach(nodes, ({ ended }) => ended),
      Effect.forEach(nodes, ({ start }) => start, { concurrency: "unbounded" }),
      Effect.sleep("7 seconds")
    ]),
  "database killed": (_node, { kill, start }) =>
    Effect.all([kill, Effect.sleep("500 millis"), start, Effect.sleep("4 seconds")])
} satisfies Readonly<Record<string, Trouble>>

// -----------------------------------------------------------------------------
// Checks
// -----------------------------------------------------------------------------

/** The orders of a venue in the database. Checks that its history gives the stored state. */
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
    "its history is its state"
  )
  const counts = new Map<string, number>()
  for (const order of venue.state.openOrders.values()) {
    const { clientOrderId = "" } = order
    counts.set(clientOrderId, (counts.get(clientOrderId) ?? 0) + 1)
  }
  return counts
}, Effect.scoped)

const judge = Effect.fnUntraced(function*({ made, orders, stale }: Venued, client: Client) {
  assert.deepStrictEqual(stale, [], "reads that were out of date")
  const counts = yield* truth(made)
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

type Happening = ReadonlyArray<readonly [name: string, trouble: Trouble]>

const scenario = (size: number, venues: number, happening: Happening, isWired: boolean = false) =>
  Effect.gen(function*() {
    const { database, nodes } = yield* cluster(size, isWired)
    const all = yield* makeVenues(nodes, venues)
    const traded = yield* Effect.forEach(
      all,
      Effect.fnUntraced(function*(made) {
        const clients = yield* Effect.forEach(nodes, (node) => clientOf(made, node))
        return { venue: { made, orders: [], stale: [] } as Venued, clients }
      })
    )
    const draw = chance(seed)
    // A node that does not come back is the first.
    const drawn = size > 2 ? size : 1
    let isOver = false
    const trading = yield* Effect.forkChild(Effect.forEach(
      traded.flatMap(({ clients, venue }, at) =>
        [0, 1].map((worker) => trade(venue, `w${worker}`, clients, at * 2 + worker, () => isOver))
      ),
      (work) => work,
      { concurrency: "unbounded", discard: true }
    ))
    yield* Effect.sleep("1 second")
    for (const [, trouble] of happening) yield* trouble(nodes[draw(drawn)] ?? assert.fail(), database, nodes)
    yield* Effect.sleep("1 second")
    isOver = true
    yield* Fiber.join(trading)
    yield* Effect.forEach(traded, ({ clients, venue }) => {
      assert.isAbove(venue.orders.filter(({ ended }) => ended === "placed").length, 5)
      // The last node is still running.
      return judge(venue, clients.at(-1) ?? assert.fail())
    }, { concurrency: "unbounded", discard: true }).pipe(Effect.provide(database.layer))
    const count = (kind: Placed["ended"]) =>
      traded.reduce((sum, { venue }) => sum + venue.orders.filter(({ ended }) => ended === kind).length, 0)
    yield* Effect.sync(() =>
      process.stderr.write(
        `${happening.map(([name]) => name).join(", ")}: ${count("placed")} placed, ${count("refused")} refused, ${
          count("unknown")
        } not known\n`
      )
    )
  })

const seed = 1

// Short enough for CI.
const { "silence from the database": silence } = partitions
itWithPostgres(
  "orders survive a killed node, a killed database, and a node cut off from its database",
  () => scenario(3, 3, Object.entries({ ...endings, silence }), true),
  180_000
)

const draw = chance(seed)
const all: Happening = Object.entries({ ...endings, ...partitions, ...crashes })
// All of them and more, in random order.
const others = Array.from({ length: 8 }, () => all[draw(all.length)] ?? assert.fail())
const happening = others.reduce((sofar, one) => sofar.toSpliced(draw(sofar.length + 1), 0, one), all)
itWithPostgres("orders survive any sequence of faults", () => scenario(3, 4, happening, true), 900_000)

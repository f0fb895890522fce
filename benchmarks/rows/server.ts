/**
 * Compares the sandbox over HTTP with a server that only verifies signatures, and with itself when it has more orders.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Child, start } from "../harness/children.ts"
import { compare, type Turn } from "../harness/compare.ts"
import type { Sample } from "../harness/operation.ts"
import { type Found, inverse, type Line, line, type Row, unsettledNotes } from "../harness/report.ts"
import { resting } from "../peers/instructions.ts"
import type { Load, Message } from "../peers/load.ts"
import type { Options } from "../peers/venue.ts"

/** A server process, and the process that calls it. */
interface Service {
  readonly server: Child
  /** Makes calls, and returns the cost per call: the CPU time of the server's process, and the caller's wall time. */
  readonly load: (message: Message) => Promise<Sample & Load>
  readonly end: () => Promise<void>
}

export const called = async (server: Child): Promise<Service> => {
  const caller = await start("load.ts", String(server.ready))
  return {
    server,
    load: async (message) => {
      const before = await server.ask("cpu") as NodeJS.CpuUsage
      const load = await caller.ask(message) as Load
      const { system, user } = await server.ask("cpu") as NodeJS.CpuUsage
      return {
        ...load,
        cpu: (user + system - before.user - before.system) / load.calls,
        wall: load.micros / load.calls
      }
    },
    end: async () => {
      await caller.end()
      await server.end()
    }
  }
}

export const venue = async (options: Options) => called(await start("venue.ts", JSON.stringify(options)))

export const market = "BTC_USDT"

// -----------------------------------------------------------------------------
// Stop-limit orders
// -----------------------------------------------------------------------------

export const stopLimit = { market, side: "buy", amount: "0.001", price: "40000", activation_price: "41000" }

const placing = ({ load }: Service): Turn => async (millis) => {
  const { cpu, wall } = await load({ path: "/api/v4/order/stop_limit", bodies: [stopLimit], inFlight: 64, millis })
  // Orders are canceled after each turn, because other rows show how costs grow. The verifier has no orders.
  await load({ path: "/api/v4/order/cancel/all", bodies: [{ market }], inFlight: 1 })
  return { cpu, wall }
}

const journalled = (name: string, title: string, fileIn: (folder: string) => string | undefined): Row => ({
  name,
  title,
  run: ({ plan }) =>
    inFolder(async (folder): Promise<Found> => {
      const file = fileIn(folder)
      const ours = await venue({ open: 0, ended: 0, ...(file === undefined ? {} : { file }) })
      const floor = await called(await start("verifier.ts"))
      const base = "verifying node:http server"
      const compared = await compare(plan, new Map([["txc", placing(ours)], [base, placing(floor)]]))
      await ours.end()
      await floor.end()
      return {
        lines: [inverse(compared, title, "txc", base)],
        notes: unsettledNotes(compared, name),
        data: Object.fromEntries(compared.samples)
      }
    })
})

/** Runs `use` with a temporary folder, then deletes the folder. */
export const inFolder = async <A>(use: (folder: string) => Promise<A>): Promise<A> => {
  const folder = mkdtempSync(join(tmpdir(), "effect-txc-bench-"))
  try {
    return await use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

// -----------------------------------------------------------------------------
// Pages, lookups and cancels
// -----------------------------------------------------------------------------

const orders = "/api/v4/orders"
const history = "/api/v4/trade-account/order/history"
const page = 100

type Answer = Readonly<Record<string, number>>

const idsOf = (answers: ReadonlyArray<Answer>): ReadonlyArray<number> =>
  answers.map(({ order_id }) => {
    if (order_id === undefined) throw new Error("an order without an identifier")
    return order_id
  })

/** Page offsets spread over all records that a page can reach. */
const offsets = (records: number, count: number): ReadonlyArray<number> => {
  const last = Math.max(0, Math.min(records, 10_000) - page)
  return Array.from({ length: count }, (_, index) => Math.floor(index * last / count))
}

/** Returns the ids of up to a thousand open orders. */
const someIds = async ({ load }: Service, open: number): Promise<Array<number>> => {
  const bodies = offsets(open, 10).map((offset) => ({ market, limit: page, offset }))
  const { answers } = await load({ path: orders, bodies, inFlight: 1, collect: true })
  return [...new Set(answers.flatMap((answer) => idsOf(JSON.parse(answer) as ReadonlyArray<Answer>)))]
}

/** Requests pages spread over the first thousand records, which the smaller exchange has too. */
const paging = ({ load }: Service, path: string, records: number): Turn => {
  const bodies = offsets(Math.min(records, 1000), 10).map((offset) => ({ market, limit: page, offset }))
  return (millis) => load({ path, bodies, inFlight: 16, millis })
}

const lookingUp = ({ load }: Service, ids: ReadonlyArray<number>): Turn => {
  const bodies = ids.map((order_id) => ({ market, order_id }))
  return (millis) => load({ path: orders, bodies, inFlight: 16, millis })
}

/**
 * Cancels orders. Then places the same number outside the measurement, so that the size of the exchange does not
 * change.
 */
const canceling = ({ load }: Service, ids: Array<number>, count: number): Turn => {
  const places = resting(count).map(({ amount, isBuy, price }) => ({
    market,
    side: isBuy ? "buy" : "sell",
    amount,
    price
  }))
  return async () => {
    const bodies = ids.splice(0, count).map((order_id) => ({ market, order_id }))
    const { cpu, wall } = await load({ path: "/api/v4/order/cancel", bodies, inFlight: 16 })
    const { answers } = await load({ path: "/api/v4/order/new", bodies: places, inFlight: 16, collect: true })
    ids.push(...idsOf(answers.map((answer) => JSON.parse(answer) as Answer)))
    return { cpu, wall }
  }
}

/** Starts a venue with the same number of open and closed orders, and returns its operations. */
export const venueWith = async (records: number, count: number) => {
  const service = await venue({ open: records, ended: records })
  const ids = await someIds(service, records)
  const turns = {
    "open-orders page": paging(service, orders, records),
    "lookup by id": lookingUp(service, [...ids]),
    "cancel": canceling(service, ids, Math.min(count, ids.length)),
    "history page": paging(service, history, records)
  } satisfies Readonly<Record<string, Turn>>
  return { turns, end: service.end }
}

const manyOrders: Row = {
  name: "sandbox-orders",
  title: "open-orders page, lookup by id, cancel, history page at 100,000 orders",
  run: async ({ plan }): Promise<Found> => {
    const [small, large] = [1000, 100_000].map((records) => Math.ceil(records / plan.shrink)) as [number, number]
    const count = Math.ceil(100 / plan.shrink)
    const [few, many] = await Promise.all([venueWith(small, count), venueWith(large, count)])
    const lines: Array<Line> = []
    const notes: Array<string> = []
    const data: Record<string, unknown> = {}
    for (const name of ["open-orders page", "lookup by id", "cancel", "history page"] as const) {
      const [of, to] = [`${large} orders`, `${small} orders`]
      const compared = await compare(plan, new Map([[to, few.turns[name]], [of, many.turns[name]]]))
      lines.push({ ...line(compared, "", of, to), what: `sandbox: ${name} at 100,000 orders`, against: "at 1,000" })
      notes.push(...unsettledNotes(compared, name))
      data[name] = Object.fromEntries(compared.samples)
    }
    await few.end()
    await many.end()
    return { lines, notes, data }
  }
}

export const rows: ReadonlyArray<Row> = [
  journalled("sandbox-memory", "sandbox: stop-limits at 64 in flight, journal in memory", () => undefined),
  journalled(
    "sandbox-disk",
    "sandbox: stop-limits at 64 in flight, journal on disk",
    (folder) => join(folder, "venue.sqlite")
  ),
  manyOrders
]

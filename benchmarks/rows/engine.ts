/** Compares the engine with two order books from npm, and with itself in an exchange with more orders. */
import { start } from "../harness/children.ts"
import { compare, type Compared, type Plan, takeTurns, type Turn, warmUp } from "../harness/compare.ts"
import type { Sample } from "../harness/operation.ts"
import { type Found, inverse, line, type Row, unsettledNotes } from "../harness/report.ts"
import type { Message, Positions, World } from "../peers/engine.ts"
import type { Workload } from "../peers/instructions.ts"

const engines = ["txc", "nodejs-order-book", "hft-limit-order-book"]

const orders = 50_000

/** Runs a workload on all engines. */
const workload = (workload: Workload, title: string): Row => ({
  name: `engine-${workload}`,
  title,
  run: async ({ plan }): Promise<Found> => {
    const children = await Promise.all(
      engines.map(async (engine) => [engine, await start("engine.ts", engine)] as const)
    )
    const count = Math.ceil(orders / plan.shrink)
    // With all orders, the warm-up would take too long, because a book with quadratic cost would need minutes.
    const few = Math.ceil(count / 25)
    const left = new Set<unknown>()
    const unsettled: Array<string> = []
    for (const [engine, child] of children) {
      left.add(await child.ask({ workload, orders: few, what: "left" } satisfies Message))
      const turn: Turn = async () =>
        await child.ask({ workload, orders: few, what: "sample" } satisfies Message) as Sample
      if (!await warmUp(turn, plan.warmUp)) unsettled.push(engine)
    }
    if (left.size > 1)
      throw new Error(`${workload} leaves the engines with different numbers of open orders: ${[...left].join(", ")}`)
    const turns = children.map(([engine, child]): [string, Turn] => [
      engine,
      async () => await child.ask({ workload, orders: count, what: "sample" } satisfies Message) as Sample
    ])
    const compared = await takeTurns(plan, new Map(turns), unsettled)
    await Promise.all(children.map(([, child]) => child.end()))
    return {
      lines: engines.slice(1).map((engine) => inverse(compared, title, "txc", engine)),
      notes: unsettledNotes(compared, `engine-${workload}`),
      data: Object.fromEntries(compared.samples)
    }
  }
})

/** Starts a process whose engine places and cancels orders in a world, or moves the mark price of positions. */
export const placeAndCancel = async (world: World | Positions) => {
  const child = await start("engine.ts", "txc", JSON.stringify(world))
  const turn: Turn = async (millis) => await child.ask({ millis } satisfies Message) as Sample
  return { child, turn }
}

const openOrders: Row = {
  name: "engine-open-orders",
  title: "placing and canceling with 200,000 open orders",
  run: async ({ plan }): Promise<Found> => {
    const [small, large] = [1000, 200_000].map((open) => Math.ceil(open / plan.shrink)) as [number, number]
    const [few, many] = await Promise.all([
      placeAndCancel({ open: small, accounts: 0, ended: 0 }),
      placeAndCancel({ open: large, accounts: 0, ended: 0 })
    ])
    const [of, to] = [`${large.toLocaleString("en")} open`, `${small.toLocaleString("en")} open`]
    const compared = await compare(plan, new Map([[to, few.turn], [of, many.turn]]))
    await few.child.end()
    await many.child.end()
    return {
      lines: [{
        ...line(compared, "", of, to),
        what: "engine: placing and canceling with 200,000 open orders",
        against: "with 1,000"
      }],
      notes: unsettledNotes(compared, "engine-open-orders"),
      data: Object.fromEntries(compared.samples)
    }
  }
}

/** Compares moves of a mark price in exchanges with different numbers of positions and of margin calls. */
const moves = async (plan: Plan, worlds: ReadonlyMap<string, Positions>): Promise<Compared> => {
  const started = await Promise.all(
    [...worlds].map(async ([name, { called, positions }]) =>
      [
        name,
        await placeAndCancel({ called: Math.ceil(called / plan.shrink), positions: Math.ceil(positions / plan.shrink) })
      ] as const
    )
  )
  const compared = await compare(plan, new Map(started.map(([name, { turn }]) => [name, turn])))
  await Promise.all(started.map(([, { child }]) => child.end()))
  return compared
}

const markPrice: Row = {
  name: "engine-mark-price",
  title: "moving a mark price with 100,000 positions, causing 0, 10 or 100 margin calls",
  run: async ({ plan }): Promise<Found> => {
    const [few, many] = ["1,000 positions", "100,000 positions"] as const
    const none = await moves(
      plan,
      new Map([[few, { called: 0, positions: 1000 }], [many, { called: 0, positions: 100_000 }]])
    )
    const [ten, hundred] = [`${many}, 10 called`, `${many}, 100 called`]
    const some = await moves(
      plan,
      new Map([
        [few, { called: 100, positions: 1000 }],
        [ten, { called: 10, positions: 100_000 }],
        [hundred, { called: 100, positions: 100_000 }]
      ])
    )
    const what = "engine: moving a mark price with 100,000 positions"
    return {
      lines: [
        { ...line(none, "", many, few), what, against: "with 1,000" },
        { ...line(some, "", hundred, few), what: `${what}, calling 100`, against: "with 1,000, calling 100" },
        { ...line(some, "", hundred, ten), what: `${what}, calling 100`, against: "calling 10" }
      ],
      notes: [...unsettledNotes(none, "engine-mark-price"), ...unsettledNotes(some, "engine-mark-price")],
      data: { none: Object.fromEntries(none.samples), some: Object.fromEntries(some.samples) }
    }
  }
}

export const rows: ReadonlyArray<Row> = [
  workload("add", "engine: 50,000 orders added"),
  workload("add-cancel", "engine: 50,000 orders added, then canceled in random order"),
  workload("mixed", "engine: 50,000 instructions: orders rest, take or are canceled"),
  workload("cross", "engine: 25,000 resting orders, each taken by another"),
  openOrders,
  markPrice
]

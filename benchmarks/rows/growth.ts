/** Measures how costs grow with the size of an exchange, as curves. */
import { writeFileSync } from "node:fs"
import { compare, ratio, type Turn } from "../harness/compare.ts"
import { type Curve, svg } from "../harness/plot.ts"
import { type Context, type Found, type Line, line, type Row } from "../harness/report.ts"
import type { World } from "../peers/engine.ts"
import { placeAndCancel } from "./engine.ts"
import { venueWith } from "./server.ts"

const engineSizes = [1000, 3000, 10_000, 30_000, 100_000, 200_000]
const sandboxSizes = [1000, 10_000, 100_000]

/** Returns the sizes that a curve shows. A smoke run measures only two small ones. */
const sizesOf = ({ plan: { shrink } }: Context, sizes: ReadonlyArray<number>): ReadonlyArray<number> =>
  shrink === 1 ? sizes : sizes.slice(0, 2).map((size) => Math.ceil(size / shrink))

/** A curve, and the table row that shows the curve's last point. */
interface Grown {
  readonly curve: Curve
  readonly line: Line
}

/** Lets all sizes take turns. Ratios are relative to the smallest size. */
const grow = async (
  { plan }: Context,
  name: string,
  group: string,
  turns: ReadonlyMap<number, Turn>
): Promise<Grown> => {
  const compared = await compare(plan, new Map([...turns].map(([size, turn]) => [`${size}`, turn])))
  const sizes = [...turns.keys()]
  const [first = 0] = sizes
  const last = sizes.at(-1) ?? 0
  return {
    curve: {
      name,
      group,
      points: sizes.map((size) => ({ x: size, y: ratio(compared, `${size}`, `${first}`, "cpu").median }))
    },
    line: {
      ...line(compared, "", `${last}`, `${first}`),
      what: `${name}, ${last.toLocaleString("en")}`,
      against: first.toLocaleString("en")
    }
  }
}

const engineGrowth = async (context: Context, name: string, worldOf: (size: number) => World): Promise<Grown> => {
  const worlds = await Promise.all(
    sizesOf(context, engineSizes).map(async (size) => [size, await placeAndCancel(worldOf(size))] as const)
  )
  const grown = await grow(context, name, "engine", new Map(worlds.map(([size, { turn }]) => [size, turn])))
  await Promise.all(worlds.map(([, { child }]) => child.end()))
  return grown
}

const sandboxGrowth = async (context: Context): Promise<ReadonlyArray<Grown>> => {
  const count = Math.ceil(100 / context.plan.shrink)
  const venues = await Promise.all(
    sizesOf(context, sandboxSizes).map(async (size) => [size, await venueWith(size, count)] as const)
  )
  const grown: Array<Grown> = []
  for (const name of ["open-orders page", "lookup by id", "cancel", "history page"] as const) {
    const turns = new Map(venues.map(([size, { turns }]) => [size, turns[name]]))
    grown.push(await grow(context, `${name} by orders`, "sandbox", turns))
  }
  await Promise.all(venues.map(([, { end }]) => end()))
  return grown
}

export const rows: ReadonlyArray<Row> = [{
  name: "growth",
  title: "how costs grow with open orders, commands and accounts",
  onlyByName: true,
  run: async (context): Promise<Found> => {
    const world: World = { open: Math.ceil(1000 / context.plan.shrink), accounts: 0, ended: 0 }
    const grown = [
      await engineGrowth(context, "place and cancel by open orders", (open) => ({ ...world, open })),
      await engineGrowth(context, "place and cancel by earlier commands", (ended) => ({ ...world, ended })),
      await engineGrowth(context, "place and cancel by accounts", (accounts) => ({ ...world, accounts })),
      ...await sandboxGrowth(context)
    ]
    const curves = grown.map(({ curve }) => curve)
    if (context.plot !== undefined) {
      const plot = svg({
        title: "The cost of a call as the exchange grows",
        xTitle: "orders, commands or accounts (solid: the engine; dashed: the sandbox over HTTP)",
        yTitle: "CPU per call, relative to the smallest size",
        curves
      })
      writeFileSync(context.plot, plot)
    }
    return { lines: grown.map(({ line }) => line), data: curves }
  }
}]

/** Compares a host of 10,000 venues, 200 of them awake, with a single sandbox. */
import { execFile } from "node:child_process"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { type Child, start } from "../harness/children.ts"
import { type Bracket, bracket, compare, type Plan, type Turn } from "../harness/compare.ts"
import type { Sample } from "../harness/operation.ts"
import { type Found, type Line, line, type Row, show, unsettledNotes } from "../harness/report.ts"
import type { Message } from "../peers/host.ts"
import { called, inFolder, market, stopLimit, venue } from "./server.ts"

const run = promisify(execFile)

const script = fileURLToPath(new URL("../cold/restart.js", import.meta.url))

/**
 * Starts a sandbox with an empty journal, and stops it as soon as it is ready to serve requests. This is the cost of a
 * venue without a host.
 */
const startAlone = async (file: string): Promise<Sample & { readonly rss: number }> => {
  const begun = performance.now()
  const { stdout } = await run(process.execPath, ["--disable-warning=ExperimentalWarning", script, file])
  const { rss, system, user } = JSON.parse(stdout) as NodeJS.CpuUsage & { readonly rss: number }
  return { cpu: user + system, wall: (performance.now() - begun) * 1000, rss }
}

/** Compares a task of the host with starting a sandbox. */
const againstStarts = (what: string, samples: ReadonlyArray<Sample>, alone: ReadonlyArray<Sample>): Line => {
  const median = (of: keyof Sample) => bracket(alone.map((sample) => sample[of])).median
  const over = (of: keyof Sample): Bracket => bracket(samples.map((sample) => median(of) / sample[of]))
  const millis = (all: ReadonlyArray<Sample>) => bracket(all.map(({ wall }) => wall / 1000))
  return {
    what,
    against: "starting a sandbox",
    ratios: { "work per CPU": over("cpu"), "per second": over("wall") },
    absolutes: `wall: ${show(millis(samples), " ms")}, a sandbox ${show(millis(alone), " ms")}`
  }
}

const batches = 3

/** Sends a task to the host in batches. */
const inBatches = async (host: Child, message: (batch: number) => Message): Promise<ReadonlyArray<Sample>> => {
  const samples: Array<Sample> = []
  for (let batch = 0; batch < batches; batch++) samples.push(await host.ask(message(batch)) as Sample)
  return samples
}

const placing =
  (service: Awaited<ReturnType<typeof called>>, prefixes: ReadonlyArray<string>): Turn => async (millis) => {
    const { cpu, wall } = await service.load({
      path: "/api/v4/order/stop_limit",
      prefixes,
      bodies: [stopLimit],
      inFlight: 64,
      millis
    })
    const bodies = prefixes.map(() => ({ market }))
    await service.load({ path: "/api/v4/order/cancel/all", prefixes, bodies, inFlight: 1 })
    return { cpu, wall }
  }

const measure = async (plan: Plan, folder: string): Promise<Found> => {
  const count = Math.ceil(10_000 / plan.shrink)
  const awake = Math.ceil(200 / plan.shrink)
  const alone: Array<Sample & { readonly rss: number }> = []
  for (let round = 0; round < Math.min(5, plan.rounds); round++) {
    alone.push(await startAlone(join(folder, `alone-${round}.sqlite`)))
  }
  mkdirSync(join(folder, "host"))
  const service = await called(
    await start("host.ts", JSON.stringify({ folder: join(folder, "host"), maxAwake: awake }))
  )
  const { server: host } = service
  const made = await inBatches(host, () => ({ make: Math.ceil(count / batches) }))
  const asleep = await host.ask("rss") as number / 1024 ** 2
  // A batch has as many venues as can be awake at once, so waking one batch puts the venues of the previous batch to
  // sleep.
  const part = (batch: number): readonly [number, number] => [batch * awake, (batch + 1) * awake]
  const first = await inBatches(host, (batch) => ({ wake: part(batch) }))
  const woken = await inBatches(host, (batch) => ({ wake: part(batch) }))
  const traders = await host.ask({ trade: [0, awake] }) as ReadonlyArray<string>
  const memory = await host.ask("rss") as number / 1024 ** 2
  const single = await venue({ open: 0, ended: 0, file: join(folder, "single.sqlite") })
  const base = "a single sandbox"
  const one = `one of ${awake}`
  const all = `all ${awake} in turn`
  const compared = await compare(
    plan,
    new Map([
      [base, placing(single, [""])],
      [one, placing(service, traders.slice(0, 1))],
      [all, placing(service, traders)]
    ])
  )
  await service.end()
  await single.end()
  const rss = bracket(alone.map(({ rss }) => rss / 1024 ** 2))
  const title = (what: string, of: string) => ({ ...line(compared, "", of, base), what, against: base })
  return {
    lines: [
      againstStarts(`host: creating a venue, ${count} in all`, made, alone),
      againstStarts("host: the first call to a venue, which writes its journal", first, alone),
      againstStarts("host: a call that wakes a venue while another falls asleep", woken, alone),
      {
        what: `host: memory with ${count} venues, ${awake} awake`,
        against: "one sandbox",
        ratios: { RSS: bracket([memory / rss.median]), "asleep, RSS": bracket([asleep / rss.median]) },
        absolutes: `RSS: **${Math.round(memory)} MiB**, all asleep ${Math.round(asleep)} MiB, one sandbox ${
          show(rss, " MiB")
        }`
      },
      title(`host: stop-limits at 64 in flight, ${one} venues`, one),
      title(`host: stop-limits at 64 in flight, ${all}`, all)
    ],
    notes: unsettledNotes(compared, "host"),
    data: { made, first, woken, memory, asleep, calls: Object.fromEntries(compared.samples) }
  }
}

export const rows: ReadonlyArray<Row> = [{
  name: "host",
  title: "a host of 10,000 venues, 200 awake: creating, waking and calling a venue, and memory",
  run: ({ plan }) => inFolder((folder) => measure(plan, folder))
}]

/**
 * Measures the library against a hand-written floor, in one interleaved run: every round measures everything, in a new
 * order, and gives one ratio per peer. Ratios are what is reported; nothing is asserted.
 */
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { cpus } from "node:os"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import type { Sample } from "./operation.ts"
import { report, type Row } from "./report.ts"

const { values: { quick } } = parseArgs({ options: { quick: { type: "boolean", default: false } } })

/** Milliseconds per operation: once to warm up, which the compiler of the runtime needs, then in every round. */
const plan = quick ? { warmUp: 300, rounds: 5, millis: 60 } : { warmUp: 1000, rounds: 11, millis: 150 }

/** What is measured: the title, the floor's operation, and the operation of each peer. */
const measurements: ReadonlyArray<{
  readonly title: string
  readonly floor: string
  readonly peers: Readonly<Record<string, string>>
}> = [
  { title: "sign and build an order", floor: "sign", peers: { interpreter: "sign", compiler: "sign" } },
  { title: "sign and build, encoded before", floor: "sign", peers: { interpreter: "signEncoded" } },
  { title: "null path", floor: "nullPath", peers: { interpreter: "nullPath", compiler: "nullPath" } },
  { title: "order, sequential", floor: "create", peers: { undici: "create", fetch: "create" } },
  { title: "order, 64 in flight", floor: "create64", peers: { undici: "create64", fetch: "create64" } },
  { title: "500 balances, sequential", floor: "balances", peers: { undici: "balances", fetch: "balances" } },
  { title: "500 fees, sequential", floor: "fees", peers: { undici: "fees", fetch: "fees" } },
  { title: "decode an order", floor: "decodeOrder", peers: { interpreter: "decodeOrder", compiler: "decodeOrder" } },
  {
    title: "decode 500 balances",
    floor: "decodeBalances",
    peers: { interpreter: "decodeBalances", compiler: "decodeBalances" }
  },
  { title: "decode 500 fees", floor: "decodeFees", peers: { interpreter: "decodeFees", compiler: "decodeFees" } },
  { title: "place and cancel", floor: "placeAndCancel", peers: { sandbox: "placeAndCancel" } },
  { title: "place, and take it", floor: "cross", peers: { sandbox: "cross" } },
  { title: "journal, 1 command", floor: "commit1", peers: { sandbox: "commit1" } },
  { title: "journal, 64 commands", floor: "commit64", peers: { sandbox: "commit64" } },
  { title: "answer a balance", floor: "balance", peers: { sandbox: "balance" } },
  { title: "answer an order", floor: "stopLimit", peers: { sandbox: "stopLimit" } }
]

// -----------------------------------------------------------------------------
// Processes
// -----------------------------------------------------------------------------

const children: Array<ChildProcess> = []

const start = async (file: string, ...args: ReadonlyArray<string>): Promise<readonly [ChildProcess, unknown]> => {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), args)
  children.push(child)
  return [child, await next(child)]
}

/** The next message of a child; fails when it ends instead. */
const next = async (child: ChildProcess): Promise<unknown> => {
  const ended = new AbortController()
  const [message] = await Promise.race([
    once(child, "message", { signal: ended.signal }),
    once(child, "exit", { signal: ended.signal }).then(([code]) => {
      throw new Error(`${child.spawnargs.slice(1).join(" ")} ended with ${code}`)
    })
  ]).finally(() => ended.abort())
  return message
}

const shuffled = <A>(items: ReadonlyArray<A>): ReadonlyArray<A> =>
  items.map((item) => [Math.random(), item] as const).sort(([a], [b]) => a - b).map(([, item]) => item)

// -----------------------------------------------------------------------------
// The run
// -----------------------------------------------------------------------------

const run = async (): Promise<ReadonlyArray<Row>> => {
  const [, port] = await start("./stub.ts")
  const peers = new Map<string, ChildProcess>()
  for (const name of ["floor", "undici", "fetch", "interpreter", "compiler", "sandbox"]) {
    const [child] = await start("./peer.ts", name, `http://127.0.0.1:${port}`)
    peers.set(name, child)
  }
  const measure = async (name: string, operation: string, millis: number): Promise<Sample> => {
    const child = peers.get(name)
    if (child === undefined) throw new Error(`there is no peer ${name}`)
    child.send({ operation, millis })
    return await next(child) as Sample
  }

  const rows = measurements.map(({ peers: against, title }) => ({
    title,
    floor: new Array<Sample>(),
    ratios: new Map(Object.keys(against).map((peer) => [peer, new Array<Sample>()]))
  }))
  process.stderr.write("warming up")
  for (const { floor, peers: against } of measurements) {
    for (const [name, operation] of Object.entries({ floor, ...against })) await measure(name, operation, plan.warmUp)
  }
  for (let round = 1; round <= plan.rounds; round++) {
    process.stderr.write(`\r\x1b[Kround ${round} of ${plan.rounds}`)
    for (const [index, measurement] of shuffled([...measurements.entries()])) {
      const samples = new Map<string, Sample>()
      for (const [name, operation] of shuffled(Object.entries({ floor: measurement.floor, ...measurement.peers }))) {
        samples.set(name, await measure(name, operation, plan.millis))
      }
      const floor = samples.get("floor")
      if (floor === undefined) continue
      rows[index]?.floor.push(floor)
      for (const [name, { cpu, wall }] of samples) {
        rows[index]?.ratios.get(name)?.push({ cpu: cpu / floor.cpu, wall: wall / floor.wall })
      }
    }
  }
  process.stderr.write("\r\x1b[K")
  return rows
}

try {
  const began = performance.now()
  const rows = await run()
  const seconds = Math.round((performance.now() - began) / 1000)
  const machine = cpus()
  console.log(
    `${machine.length} x ${machine[0]?.model.trim()}, ${process.platform} ${process.arch}, Node ${process.version}; `
      + `${plan.rounds} rounds of ${plan.millis} ms, ${seconds} s\n`
  )
  console.log(report(rows))
} finally {
  for (const child of children) if (child.connected) child.disconnect()
}

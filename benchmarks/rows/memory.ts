/** Measures a process's memory usage after many calls. */
import { start } from "../harness/children.ts"
import { type Bracket, bracket } from "../harness/compare.ts"
import { type Line, type Row, show } from "../harness/report.ts"
import type { Memory } from "../peers/peer.ts"

const clients = ["txc", "ccxt"]

const calls = 60_000
const inFlight = 16
const mebi = 1024 * 1024

export const rows: ReadonlyArray<Row> = [{
  name: "memory",
  title: "memory after 60,000 orders, 16 in flight",
  run: async ({ plan }) => {
    const stub = await start("stub.ts")
    const seen = new Map(clients.map((client) => [client, new Array<Memory>()]))
    // A process's memory does not settle, so peers cannot take turns. Instead, each run has a new process, and only one
    // process runs at a time.
    for (let round = 0; round < (plan.shrink === 1 ? 3 : 1); round++) {
      for (const client of clients) {
        const child = await start("peer.ts", client, `http://127.0.0.1:${stub.ready}`)
        const message = { operation: "order", times: Math.ceil(calls / plan.shrink), inFlight }
        seen.get(client)?.push(await child.ask(message) as Memory)
        await child.end()
      }
    }
    await stub.end()
    const values = (client: string) => (seen.get(client) ?? []).map(({ rss }) => rss / mebi)
    const ratios = (of: string, to: string): Bracket => {
      const base = values(to)
      return bracket(values(of).map((value, round) => value / (base[round] ?? Number.NaN)))
    }
    const line: Line = {
      what: "memory after 60,000 orders, 16 in flight",
      against: "ccxt",
      ratios: { RSS: ratios("txc", "ccxt") },
      absolutes: `RSS: ${clients.map((client) => `${client} ${show(bracket(values(client)), " MiB")}`).join(", ")}`
    }
    return {
      lines: [line],
      data: Object.fromEntries(seen)
    }
  }
}]

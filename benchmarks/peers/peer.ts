/** Runs one client, which is idle until it gets a message. Arguments: its name, and a base URL. */
import { serve } from "../harness/children.ts"
import { measure, type Operation, type Operations, repeat } from "../harness/operation.ts"

const [name = "", baseUrl = ""] = process.argv.slice(2)

/** Each client loads only its own modules. */
const peers: Readonly<Record<string, () => Promise<Operations>>> = {
  undici: async () => (await import("./floor.ts")).operations(baseUrl),
  txc: async () => (await import("./txc.ts")).calls(baseUrl, "node"),
  "txc over fetch": async () => (await import("./txc.ts")).calls(baseUrl, "fetch"),
  "txc without a socket": async () => (await import("./txc.ts")).withoutSocket(baseUrl),
  "txc decoding": async () => (await import("./txc.ts")).decoding(),
  ccxt: async () => (await import("./ccxt.ts")).operations(baseUrl),
  "naive Effect client": async () => (await import("./naive.ts")).operations(baseUrl)
}

const operations = await peers[name]?.() ?? {}

const find = (operation: string): Operation => {
  const found = operations[operation]
  if (found === undefined) throw new Error(`${name} has no operation ${operation}`)
  return found
}

/** A message: measure an operation for `millis`, or run it a number of `times` and report the memory. */
export type Message =
  | { readonly operation: string; readonly millis: number }
  | { readonly operation: string; readonly times: number; readonly inFlight: number }

/** The process's resident memory and used heap, in bytes. */
export interface Memory {
  readonly rss: number
  readonly heapUsed: number
}

serve("ready", async (message: Message) => {
  const operation = find(message.operation)
  if ("millis" in message) return await measure(operation, message.millis)
  await repeat(operation, message.times, message.inFlight)
  const { heapUsed, rss } = process.memoryUsage()
  return { heapUsed, rss } satisfies Memory
})

/** Starts the nodes of a cluster, one process each, from the source. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { freePort, said } from "./postgres.ts"

const command = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url))
const token = "the token of these hosts"
const environment = { ...process.env, TXC_HOST_TOKEN: token }

/** A node. It keeps its ports when it is restarted. */
export interface Node {
  readonly url: string
  /** The address for requests from other nodes. */
  readonly address: string
  readonly pid: () => number
  readonly start: () => Promise<void>
  readonly end: (signal: NodeJS.Signals) => Promise<void>
}

/**
 * Creates a node that uses `database`, without starting the node. `core` is the core to pin the node's process to, and
 * `flags` are additional command-line flags.
 */
export const makeNode = async (
  database: string,
  core?: number,
  flags: ReadonlyArray<string> = []
): Promise<Node> => {
  const [port, nodePort, clusterPort] = [await freePort(), await freePort(), await freePort()]
  const ports = ["--port", `${port}`, "--node-port", `${nodePort}`, "--cluster-port", `${clusterPort}`]
  const node = [process.execPath, command, "host", "--json", "--cluster", database, ...ports, ...flags]
  const [program = "", ...args] = core === undefined ? node : ["taskset", "-c", `${core}`, ...node]
  let child: ChildProcess | undefined
  return {
    url: `http://127.0.0.1:${port}`,
    address: `127.0.0.1:${nodePort}`,
    pid: () => child?.pid ?? 0,
    start: async () => {
      child = spawn(program, args, { env: environment })
      await said(child, "controlToken")
    },
    end: async (signal) => {
      if (child === undefined) return
      const ended = once(child, "exit")
      child.kill(signal)
      await ended
    }
  }
}

/** A venue, and the token with which its owner controls it. */
export interface Made {
  readonly id: string
  readonly controlToken: string
}

/** Creates a venue through a node. */
export const makeVenue = async ({ url }: Node): Promise<Made> => {
  const headers = { authorization: `Bearer ${token}` }
  return await (await fetch(`${url}/control/v1/Venues`, { method: "POST", headers })).json() as Made
}

/** Waits until a node is ready, which means that it owns its share of the venues. */
export const untilReady = async ({ address }: Node): Promise<void> => {
  const isReady = async () => (await fetch(`http://${address}/ready`).catch(() => undefined))?.ok === true
  while (!await isReady()) await new Promise((resolve) => setTimeout(resolve, 100))
}

/** Puts a venue to sleep. */
export const sleepVenue = async ({ url }: Node, venue: string): Promise<void> => {
  const headers = { authorization: `Bearer ${token}` }
  await (await fetch(`${url}/control/v1/Venues/${venue}/Sleep`, { method: "POST", headers })).text()
}

/** Creates the tables for a cluster. */
export const migrate = (database: string): void => {
  const migrated = spawnSync(process.execPath, [command, "host", "--cluster", database, "--migrate"])
  if (migrated.status !== 0) throw new Error(migrated.stderr.toString())
}

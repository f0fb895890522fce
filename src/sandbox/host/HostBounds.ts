/** The bounds of a host, and the error when one is reached. */
import * as Schema from "effect/Schema"
import { getHeapStatistics } from "node:v8"
import { maxConnections } from "../server/Bounds.ts"

/** The bounds of a host. */
export interface BoundOptions {
  /** The maximum number of venues; 10000 by default. */
  readonly maxVenues?: number
  /** The maximum number of venues of one owner; 1000 by default. */
  readonly maxPerOwner?: number
  /** The maximum number of venues and forks awake at once; 200 by default. Each has four open files. */
  readonly maxAwake?: number
  /**
   * The maximum number of commands of one venue; 500000 by default. Each takes up to 0.75 KB of memory while the venue
   * is awake.
   */
  readonly maxCommands?: number
  /** The maximum number of venues with their own port; 100 by default. */
  readonly maxPorts?: number
  /** The memory above which no venue is woken, in bytes; by default 70 % of what Node may use. */
  readonly maxMemory?: number
}

/** The bounds of a host, with a value for each. */
export type Bounds = Required<BoundOptions>

/** The default bounds. */
export const defaults: Bounds = {
  maxVenues: 10_000,
  maxPerOwner: 1000,
  maxAwake: 200,
  maxCommands: 500_000,
  maxPorts: 100,
  maxMemory: Math.floor(getHeapStatistics().heap_size_limit * 0.7)
}

/** The given bounds, with the defaults for those that are missing. */
export const of = (given: Partial<Bounds>): Bounds => ({
  maxVenues: given.maxVenues ?? defaults.maxVenues,
  maxPerOwner: given.maxPerOwner ?? defaults.maxPerOwner,
  maxAwake: given.maxAwake ?? defaults.maxAwake,
  maxCommands: given.maxCommands ?? defaults.maxCommands,
  maxPorts: given.maxPorts ?? defaults.maxPorts,
  maxMemory: given.maxMemory ?? defaults.maxMemory
})

/** The name of each bound in messages, and the command-line flag that raises it. */
const words: Readonly<Record<keyof Bounds, readonly [what: string, flag: string]>> = {
  maxVenues: ["venues", "--max-venues"],
  maxPerOwner: ["venues of one owner", "--max-per-owner"],
  maxAwake: ["venues and forks awake at once", "--max-awake"],
  maxCommands: ["commands of one venue", "--max-commands"],
  maxPorts: ["ports of venues", "--max-ports"],
  maxMemory: ["MiB of memory", "--max-memory"]
}

const remedies: Readonly<Record<keyof Bounds, string>> = {
  maxVenues: "End a venue",
  maxPerOwner: "End a venue of this owner",
  maxAwake: "Call again when one is idle, or end one",
  maxCommands: "End the venue and create another",
  maxPorts: "End a venue that has a port",
  maxMemory: "Call again in a moment, or end a large venue"
}

/** The number of open files of an awake venue: its journal, the journal's log and shared-memory index, and its anchor. */
const filesOfAwake = 4

/** The number of files that a host with these bounds may have open. */
export const filesOf = ({ maxAwake, maxPorts }: Bounds): number =>
  filesOfAwake * maxAwake + maxPorts + maxConnections + 64

/** The host has reached a bound. */
export class BoundReached extends Schema.TaggedError<BoundReached>()("BoundReached", {
  bound: Schema.Literals(["maxVenues", "maxPerOwner", "maxAwake", "maxCommands", "maxPorts", "maxMemory"]),
  limit: Schema.Finite,
  message: Schema.String
}, { httpApiStatus: 429 }) {
  /** The name of the bound. */
  declare readonly bound: keyof Bounds
  /** The value of the bound. */
  declare readonly limit: number
  /** The problem, and what to do about it. */
  declare readonly message: string
}

/** Creates the error for a bound that has been reached. */
export const reached = (bounds: Bounds, bound: keyof Bounds): BoundReached => {
  const [what, flag] = words[bound]
  const limit = bounds[bound]
  const message =
    `This host has at most ${limit} ${what}, and they are in use. ${remedies[bound]}, or raise the bound ` +
    `where the host is started (${flag})`
  return new BoundReached({ bound, limit, message })
}

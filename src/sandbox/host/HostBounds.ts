/** A host's bounds, and the error when a bound is reached. */
import * as Schema from "effect/Schema"
import { getHeapStatistics } from "node:v8"
import { maxConnections } from "../server/Bounds.ts"

/** A host's bounds. */
export interface BoundOptions {
  /** The maximum number of venues; 10000 by default. */
  readonly maxVenues?: number
  /** The maximum number of venues of one owner; 1000 by default. */
  readonly maxPerOwner?: number
  /**
   * The maximum number of venues and forks awake at the same time; 200 by default. An awake venue has up to four open
   * files.
   */
  readonly maxAwake?: number
  /**
   * The maximum number of commands in one venue; 500000 by default. Each command takes up to 0.75 KB of memory while
   * the venue is awake.
   */
  readonly maxCommands?: number
  /** The maximum number of venues with their own port; 100 by default. */
  readonly maxPorts?: number
  /** The memory usage above which no venue is woken, in bytes; by default 70 % of the memory that Node may use. */
  readonly maxMemory?: number
}

/** A host's bounds, where every bound has a value. */
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

/** The given bounds, with defaults for the missing ones. */
export const of = (given: Partial<Bounds>): Bounds => ({
  maxVenues: given.maxVenues ?? defaults.maxVenues,
  maxPerOwner: given.maxPerOwner ?? defaults.maxPerOwner,
  maxAwake: given.maxAwake ?? defaults.maxAwake,
  maxCommands: given.maxCommands ?? defaults.maxCommands,
  maxPorts: given.maxPorts ?? defaults.maxPorts,
  maxMemory: given.maxMemory ?? defaults.maxMemory
})

/** Each bound's name in messages, with the command-line flag that raises it. */
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
  maxAwake: "Call again when a venue is idle, or end one",
  maxCommands: "End the venue and create another",
  maxPorts: "End a venue that has a port",
  maxMemory: "Call again shortly, or end a large venue"
}

/** The number of open files of an awake venue: its journal, the journal's log and shared-memory index, and its anchor. */
const filesOfAwake = 4

/** The maximum number of files that a host with these bounds has open at the same time. */
export const filesOf = ({ maxAwake, maxPorts }: Bounds): number =>
  filesOfAwake * maxAwake + maxPorts + maxConnections + 64

/** The host has reached one of its bounds. */
export class BoundReached extends Schema.TaggedError<BoundReached>()("BoundReached", {
  bound: Schema.Literals(["maxVenues", "maxPerOwner", "maxAwake", "maxCommands", "maxPorts", "maxMemory"]),
  limit: Schema.Finite,
  message: Schema.String
}, { httpApiStatus: 429 }) {
  /** The bound's name, such as `maxVenues`. */
  declare readonly bound: keyof Bounds
  /** The bound's value. */
  declare readonly limit: number
  /** Describes the problem, and how to resolve it. */
  declare readonly message: string
}

/** Creates the error for a bound that has been reached. */
export const reached = (bounds: Bounds, bound: keyof Bounds): BoundReached => {
  const [what, flag] = words[bound]
  const limit = bounds[bound]
  const message =
    `This host has at most ${limit} ${what}, and all are in use. ${remedies[bound]}, or raise the bound ` +
    `where the host is started (${flag})`
  return new BoundReached({ bound, limit, message })
}

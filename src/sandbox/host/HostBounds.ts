/** How much a host holds, and what it says to whom is over a bound. */
import * as Schema from "effect/Schema"
import { getHeapStatistics } from "node:v8"
import { maxConnections } from "../server/Bounds.ts"

/** How much a host holds. */
export interface BoundOptions {
  /** How many venues there are in all; 10000 by default. */
  readonly maxVenues?: number
  /** How many venues one owner has; 1000 by default. */
  readonly maxPerOwner?: number
  /** How many venues and forks are awake at once; 200 by default. Each that is awake has four open files. */
  readonly maxAwake?: number
  /** How many commands one venue has; 500000 by default. Each takes up to 0.75 KB of memory while it is awake. */
  readonly maxCommands?: number
  /** How many venues have a port of their own; 100 by default. */
  readonly maxPorts?: number
  /** How many bytes of memory venues may take before none is woken any more; by default 70 % of what Node may use. */
  readonly maxMemory?: number
}

/** How much a host holds, with every bound. */
export type Bounds = Required<BoundOptions>

/** The bounds of a host that is given none. */
export const defaults: Bounds = {
  maxVenues: 10_000,
  maxPerOwner: 1000,
  maxAwake: 200,
  maxCommands: 500_000,
  maxPorts: 100,
  maxMemory: Math.floor(getHeapStatistics().heap_size_limit * 0.7)
}

/** The bounds that were given, and the defaults for the others. */
export const of = (given: Partial<Bounds>): Bounds => ({
  maxVenues: given.maxVenues ?? defaults.maxVenues,
  maxPerOwner: given.maxPerOwner ?? defaults.maxPerOwner,
  maxAwake: given.maxAwake ?? defaults.maxAwake,
  maxCommands: given.maxCommands ?? defaults.maxCommands,
  maxPorts: given.maxPorts ?? defaults.maxPorts,
  maxMemory: given.maxMemory ?? defaults.maxMemory
})

/** What each bound holds, and the flag of the command that raises it. */
const words: Readonly<Record<keyof Bounds, readonly [what: string, flag: string]>> = {
  maxVenues: ["venues", "--max-venues"],
  maxPerOwner: ["venues of one owner", "--max-per-owner"],
  maxAwake: ["venues and forks that are awake at once", "--max-awake"],
  maxCommands: ["commands of one venue", "--max-commands"],
  maxPorts: ["ports of venues", "--max-ports"],
  maxMemory: ["MiB of memory", "--max-memory"]
}

const remedies: Readonly<Record<keyof Bounds, string>> = {
  maxVenues: "End a venue",
  maxPerOwner: "End a venue of this owner",
  maxAwake: "Call again when one is idle, or end one",
  maxCommands: "End the venue and make another",
  maxPorts: "End a venue that has one",
  maxMemory: "Call again in a moment, or end a large venue"
}

/** How many files are open for a venue that is awake: its journal, its log, their index, and its anchor. */
const filesOfAwake = 4

/** How many files a host with these bounds may have open at once. */
export const filesOf = ({ maxAwake, maxPorts }: Bounds): number =>
  filesOfAwake * maxAwake + maxPorts + maxConnections + 64

/** The host holds no more. */
export class BoundReached extends Schema.TaggedError<BoundReached>()("BoundReached", {
  bound: Schema.Literals(["maxVenues", "maxPerOwner", "maxAwake", "maxCommands", "maxPorts", "maxMemory"]),
  limit: Schema.Finite,
  message: Schema.String
}, { httpApiStatus: 429 }) {
  /** Which bound. */
  declare readonly bound: keyof Bounds
  /** What it is. */
  declare readonly limit: number
  /** What is over it, and what to do. */
  declare readonly message: string
}

/** The error of a bound that is reached. */
export const reached = (bounds: Bounds, bound: keyof Bounds): BoundReached => {
  const [what, flag] = words[bound]
  const limit = bounds[bound]
  const message =
    `This host has at most ${limit} ${what}, and they are in use. ${remedies[bound]}, or raise the bound ` +
    `where the host is started (${flag})`
  return new BoundReached({ bound, limit, message })
}

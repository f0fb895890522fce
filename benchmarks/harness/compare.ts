/** Compares peers: warms each one up, then lets them take turns. */
import type { Sample } from "./operation.ts"

/**
 * A peer is warm when it has used `leastCpuMillis` of CPU time (the runtime's compiler needs some of it), and the
 * median CPU of its last three windows differs from that of the three windows before by at most the fraction `within`.
 * A warm-up takes at most `mostMillis` of wall time.
 */
export interface WarmUp {
  readonly windowMillis: number
  readonly leastCpuMillis: number
  readonly mostMillis: number
  readonly within: number
}

/** The durations and the number of rounds of a comparison. */
export interface Plan {
  /** The criteria for a warm peer. */
  readonly warmUp: WarmUp
  /** The number of rounds; in a round, every peer takes one turn. */
  readonly rounds: number
  /** The length of a turn, in milliseconds. */
  readonly turnMillis: number
  /** Once this many milliseconds have passed and three rounds are complete, no further round starts. */
  readonly longestMillis: number
  /** The divisor for the operation counts of rows that have fixed counts. */
  readonly shrink: number
}

export const full: Plan = {
  warmUp: { windowMillis: 250, leastCpuMillis: 1500, mostMillis: 6000, within: 0.05 },
  rounds: 11,
  turnMillis: 150,
  longestMillis: 20_000,
  shrink: 1
}

/** The shortest plan that still runs every row. Its measurements mean nothing. */
export const smoke: Plan = {
  warmUp: { windowMillis: 2, leastCpuMillis: 0, mostMillis: 60_000, within: Number.POSITIVE_INFINITY },
  rounds: 1,
  turnMillis: 20,
  longestMillis: 1000,
  shrink: 100
}

/** The lowest, the median and the highest value of all rounds. */
export interface Bracket {
  readonly min: number
  readonly median: number
  readonly max: number
}

export const bracket = (values: ReadonlyArray<number>): Bracket => {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (index: number) => sorted[index] ?? Number.NaN
  const middle = (sorted.length - 1) / 2
  return { min: at(0), median: (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2, max: at(sorted.length - 1) }
}

const shuffled = <A>(items: ReadonlyArray<A>): ReadonlyArray<A> =>
  items.map((item) => [Math.random(), item] as const).sort(([a], [b]) => a - b).map(([, item]) => item)

/** Runs a peer for `millis` milliseconds, and measures it. */
export type Turn = (millis: number) => Promise<Sample>

/** Runs a peer until its measurements settle or the time limit is reached. Returns whether they have settled. */
export const warmUp = async (
  turn: Turn,
  { leastCpuMillis, mostMillis, windowMillis, within }: WarmUp
): Promise<boolean> => {
  const start = performance.now()
  const seen: Array<number> = []
  let cpuMillis = 0
  for (;;) {
    const begun = performance.now()
    const { cpu, wall } = await turn(windowMillis)
    seen.push(cpu)
    cpuMillis += (performance.now() - begun) * cpu / wall
    const millis = performance.now() - start
    const latest = bracket(seen.slice(-3)).median
    const before = bracket(seen.slice(-6, -3)).median
    const settled = seen.length >= 6 && Math.abs(latest - before) <= within * before
    if (cpuMillis >= leastCpuMillis && settled) return true
    if (millis >= mostMillis) return false
  }
}

/** The result of all rounds. */
export interface Compared {
  /** Each peer's measurements, round by round. */
  readonly samples: ReadonlyMap<string, ReadonlyArray<Sample>>
  /** The peers whose measurements had not settled at the end of the longest warm-up. */
  readonly unsettled: ReadonlyArray<string>
}

/** Warms up all peers, one after the other, then lets them take turns. */
export const compare = async (plan: Plan, turns: ReadonlyMap<string, Turn>): Promise<Compared> => {
  const unsettled: Array<string> = []
  for (const [name, turn] of turns) if (!await warmUp(turn, plan.warmUp)) unsettled.push(name)
  return await takeTurns(plan, turns, unsettled)
}

/** Gives every peer a turn in every round, in a new order each time. */
export const takeTurns = async (
  { longestMillis, rounds, turnMillis }: Pick<Plan, "longestMillis" | "rounds" | "turnMillis">,
  turns: ReadonlyMap<string, Turn>,
  unsettled: ReadonlyArray<string> = []
): Promise<Compared> => {
  const samples = new Map([...turns.keys()].map((name) => [name, new Array<Sample>()]))
  const start = performance.now()
  for (let round = 0; round < rounds; round++) {
    if (round >= 3 && performance.now() - start > longestMillis) break
    for (const [name, turn] of shuffled([...turns])) samples.get(name)?.push(await turn(turnMillis))
  }
  return { samples, unsettled }
}

/** Returns the lowest, median and highest ratio of one peer's measurement to another peer's in the same round. */
export const ratio = ({ samples }: Compared, of: string, to: string, what: keyof Sample): Bracket => {
  const base = samples.get(to) ?? []
  return bracket((samples.get(of) ?? []).map((sample, round) => sample[what] / (base[round]?.[what] ?? Number.NaN)))
}

/** Returns the lowest, median and highest value among one peer's measurements. */
export const absolute = ({ samples }: Compared, of: string, what: keyof Sample): Bracket =>
  bracket((samples.get(of) ?? []).map((sample) => sample[what]))

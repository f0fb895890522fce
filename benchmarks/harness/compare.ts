/** Peers side by side: each is warm, then they take turns. */
import type { Sample } from "./operation.ts"

/**
 * A peer is warm when the median CPU of its last three windows differs from that of the three before by no more than
 * `within`, and it has worked for `leastCpuMillis`: on a busy machine the compiler of the runtime waits as well. It is
 * warmed up for `mostMillis` by the clock at most.
 */
export interface WarmUp {
  readonly windowMillis: number
  readonly leastCpuMillis: number
  readonly mostMillis: number
  readonly within: number
}

/** How long everything takes. */
export interface Plan {
  /** When a peer is warm. */
  readonly warmUp: WarmUp
  /** How often everybody takes a turn. */
  readonly rounds: number
  /** How long a turn is. */
  readonly turnMillis: number
  /** No further round begins after so many milliseconds, once there have been three. */
  readonly longestMillis: number
  /** Divides the counts of rows that count instead of taking time. */
  readonly shrink: number
}

export const full: Plan = {
  warmUp: { windowMillis: 250, leastCpuMillis: 1500, mostMillis: 6000, within: 0.05 },
  rounds: 11,
  turnMillis: 150,
  longestMillis: 20_000,
  shrink: 1
}

/** Enough to see that a row still runs. Its figures mean nothing. */
export const smoke: Plan = {
  warmUp: { windowMillis: 2, leastCpuMillis: 0, mostMillis: 60_000, within: Number.POSITIVE_INFINITY },
  rounds: 1,
  turnMillis: 20,
  longestMillis: 1000,
  shrink: 100
}

/** The lowest, the middle and the highest of all rounds. */
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

/** Takes one turn of so many milliseconds. */
export type Turn = (millis: number) => Promise<Sample>

/** Runs a peer until its figures settle; says whether they did. */
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

/** What all rounds gave. */
export interface Compared {
  /** Each peer's figures, round by round. */
  readonly samples: ReadonlyMap<string, ReadonlyArray<Sample>>
  /** The peers whose figures had not settled when the longest warm-up was over. */
  readonly unsettled: ReadonlyArray<string>
}

/** Warms all peers up, one after the other; then they take turns. */
export const compare = async (plan: Plan, turns: ReadonlyMap<string, Turn>): Promise<Compared> => {
  const unsettled: Array<string> = []
  for (const [name, turn] of turns) if (!await warmUp(turn, plan.warmUp)) unsettled.push(name)
  return await takeTurns(plan, turns, unsettled)
}

/** Lets all take a turn in every round, in a new order each time. */
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

/** One peer's figures divided by another's of the same round. */
export const ratio = ({ samples }: Compared, of: string, to: string, what: keyof Sample): Bracket => {
  const base = samples.get(to) ?? []
  return bracket((samples.get(of) ?? []).map((sample, round) => sample[what] / (base[round]?.[what] ?? Number.NaN)))
}

/** One peer's figures. */
export const absolute = ({ samples }: Compared, of: string, what: keyof Sample): Bracket =>
  bracket((samples.get(of) ?? []).map((sample) => sample[what]))

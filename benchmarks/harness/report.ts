/** What a row found, as a table and as JSON. */
import { absolute, type Bracket, type Compared, ratio } from "./compare.ts"

/** One line of the table. */
export interface Line {
  /** What was measured. */
  readonly what: string
  /** What it was measured against. */
  readonly against: string
  /** The ratios of the rounds, by what is divided: CPU, wall, req/s, memory, size. */
  readonly ratios: Readonly<Record<string, Bracket>>
  /** Absolute figures, in words. They say how small the base is, and hold for this machine in this run only. */
  readonly absolutes: string
}

export interface Row {
  /** What `npm run bench -- NAME` calls it. */
  readonly name: string
  /** What it measures, in one sentence. */
  readonly title: string
  /** Rows that are no part of the table run only when they are named. */
  readonly onlyByName?: true
  readonly run: (context: Context) => Promise<Found>
}

export interface Found {
  readonly lines: ReadonlyArray<Line>
  /** What a reader has to know: what could not run, and why; what had not settled. */
  readonly notes?: ReadonlyArray<string>
  /** For JSON: figures behind the lines. */
  readonly data?: unknown
}

/** What a row is run with. */
export interface Context {
  readonly plan: import("./compare.ts").Plan
  /** Where to write the plot of growth, if anywhere. */
  readonly plot: string | undefined
}

const digits = (value: number) => value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2)

/** The median, and in brackets the lowest and the highest. */
export const show = ({ max, median, min }: Bracket, unit = "x"): string =>
  min === max ? `${digits(median)}${unit}` : `${digits(median)}${unit} (${digits(min)}–${digits(max)})`

/** A line about two peers that took turns. */
export const line = (compared: Compared, what: string, of: string, to: string, unit: "µs" | "ms" = "µs"): Line => {
  const per = unit === "µs" ? 1 : 1000
  const shown = (peer: string) => `${peer} ${digits(absolute(compared, peer, "cpu").median / per)} ${unit}`
  return {
    what: of === "txc" ? what : `${what}, ${of}`,
    against: to,
    ratios: { CPU: ratio(compared, of, to, "cpu"), wall: ratio(compared, of, to, "wall") },
    absolutes: `CPU: ${shown(of)}, ${shown(to)}`
  }
}

/** The same, as how many times as much the first one gets done. */
export const inverse = (compared: Compared, what: string, of: string, to: string): Line => {
  const { ratios: _, ...words } = line(compared, what, of, to)
  return {
    ...words,
    ratios: { "work per CPU": ratio(compared, to, of, "cpu"), "per second": ratio(compared, to, of, "wall") }
  }
}

export const unsettledNotes = ({ unsettled }: Compared, what: string): ReadonlyArray<string> =>
  unsettled.length === 0
    ? []
    : [`${what}: the figures of ${unsettled.join(", ")} had not settled after the longest warm-up.`]

export const table = (found: ReadonlyArray<readonly [Row, Found]>): string =>
  [
    "| row | what | against | ratio | absolute |",
    "|---|---|---|---|---|",
    ...found.flatMap(([{ name }, { lines }]) =>
      lines.map(({ absolutes, against, ratios, what }) => {
        const shown = Object.entries(ratios).map(([of, bracket]) => `${of} ${show(bracket)}`)
        return `| \`${name}\` | ${[what, against, shown.join("<br>"), absolutes].join(" | ")} |`
      })
    )
  ].join("\n")

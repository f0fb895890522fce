/** Reports the results of rows, as a table and as JSON. */
import { absolute, type Bracket, type Compared, ratio } from "./compare.ts"

/** One row of the table. */
export interface Line {
  /** The workload that was measured. */
  readonly what: string
  /** The baseline of the comparison. */
  readonly against: string
  /** The ratios of the rounds, keyed by quantity, such as `CPU`, `wall`, `per second`, `RSS` or `size`. */
  readonly ratios: Readonly<Record<string, Bracket>>
  /** Absolute values, as text. They show the scale of the ratios, and are valid only for this machine and run. */
  readonly absolutes: string
}

export interface Row {
  /** The row's name: `npm run bench -- NAME` runs only this row. */
  readonly name: string
  /** A one-sentence description. */
  readonly title: string
  /** Whether the row is left out of the table, and runs only if it is named. */
  readonly onlyByName?: true
  readonly run: (context: Context) => Promise<Found>
}

export interface Found {
  readonly lines: ReadonlyArray<Line>
  /** Notes about parts that could not run, and about peers that had not settled. */
  readonly notes?: ReadonlyArray<string>
  /** The raw measurements, for the JSON report. */
  readonly data?: unknown
}

/** The settings of a run. */
export interface Context {
  readonly plan: import("./compare.ts").Plan
  /** The file for the plot of how costs grow, if requested. */
  readonly plot: string | undefined
}

const digits = (value: number) => value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2)

/** Formats the median, and in brackets the lowest and the highest value. */
export const show = ({ max, median, min }: Bracket, unit = "x"): string =>
  min === max ? `${digits(median)}${unit}` : `${digits(median)}${unit} (${digits(min)}–${digits(max)})`

/** Creates the table row that compares two peers. */
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

/**
 * Creates the table row that compares two peers by inverse ratios: how many times as much work the first peer does.
 */
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

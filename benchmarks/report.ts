/** Ratios as a table in Markdown. */
import type { Sample } from "./operation.ts"

/**
 * - `floor`: what the floor took, in microseconds, round by round
 * - `ratios`: what each peer took, in multiples of the floor of the same round
 */
export interface Row {
  readonly title: string
  readonly floor: ReadonlyArray<Sample>
  readonly ratios: ReadonlyMap<string, ReadonlyArray<Sample>>
}

const quantile = (values: ReadonlyArray<number>, at: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const position = (sorted.length - 1) * at
  const low = sorted[Math.floor(position)] ?? Number.NaN
  const high = sorted[Math.ceil(position)] ?? Number.NaN
  return low + (high - low) * (position - Math.floor(position))
}

/** The median, and in brackets the 10th to the 90th percentile. */
const spread = (values: ReadonlyArray<number>): string => {
  const [p10, median, p90] = [0.1, 0.5, 0.9].map((at) => quantile(values, at).toFixed(2))
  return `${median}x (${p10}–${p90})`
}

export const report = (rows: ReadonlyArray<Row>): string =>
  [
    "| | peer | CPU | wall | floor, CPU µs |",
    "|---|---|--:|--:|--:|",
    ...rows.flatMap(({ floor, ratios, title }) =>
      [...ratios].map(([peer, samples]) => {
        const cells = [title, peer, spread(samples.map(({ cpu }) => cpu)), spread(samples.map(({ wall }) => wall))]
        return `| ${[...cells, quantile(floor.map(({ cpu }) => cpu), 0.5).toFixed(1)].join(" | ")} |`
      })
    )
  ].join("\n")

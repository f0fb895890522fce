/**
 * The chart's lines at the mark price, the index price, and the entry and liquidation prices of the chosen account's
 * positions. The user can hide each kind of line.
 */
import { type IPriceLine, type ISeriesApi, LineStyle } from "lightweight-charts"
import { decimal, sizeOf } from "./format.ts"
import { kept } from "./kept.ts"
import { market, positions, summaryOf } from "./store.ts"

/** Whether each kind of line is shown. */
export const shownLines = kept("lines", { mark: true, index: true, position: true })

interface Line {
  /** The line's name, which identifies the line when its price changes. */
  readonly name: string
  readonly price: number
  readonly title: string
  /** The style sheet variable that contains the color. */
  readonly colour: string
  readonly style: LineStyle
  /**
   * The chart makes room for the line if the line's distance from the last price is at most this fraction of the last
   * price.
   */
  readonly reach: number
}

/** The values of `reach`: `near` for entry prices, `far` for all other lines. */
const [near, far] = [0.06, 0.25]

const ofReferences = (): ReadonlyArray<Line> => {
  const { index, mark } = summaryOf(market.value) ?? {}
  const shown = shownLines.value
  const isMark = shown.mark && mark !== undefined
  const isIndex = shown.index && index !== undefined
  // Equal mark and index prices are drawn as one line, because the labels of two lines would overlap.
  const isBoth = isMark && isIndex && Number(mark) === Number(index)
  return [
    ...(isMark
      ? [{
        name: "mark",
        price: Number(mark),
        title: isBoth ? "mark, index" : "mark",
        colour: "--mark",
        style: LineStyle.Solid,
        reach: far
      }]
      : []),
    ...(isIndex && !isBoth
      ? [{
        name: "index",
        price: Number(index),
        title: "index",
        colour: "--index",
        style: LineStyle.Dashed,
        reach: far
      }]
      : [])
  ]
}

/** The average entry price of a position's open part, or `undefined` if the position is empty. */
export const entryOf = ({ amount, cost }: { readonly amount: string; readonly cost: string }): string | undefined =>
  Number(amount) === 0 ? undefined : decimal(Math.abs(Number(cost) / Number(amount)), 8)

const ofPositions = (): ReadonlyArray<Line> =>
  !shownLines.value.position ? [] : positions.value.filter((one) => one.market === market.value).flatMap((position) => {
    const { amount, liquidationPrice, side } = position
    const size = Number(amount)
    const direction = size < 0 ? "short" : "long"
    return [
      ...(size === 0 ? [] : [{
        name: `entry ${side}`,
        price: Number(entryOf(position)),
        title: `${direction} ${sizeOf(amount)} entry`,
        colour: "--entry",
        style: LineStyle.LargeDashed,
        reach: near
      }]),
      ...(liquidationPrice === undefined ? [] : [{
        name: `liquidation ${side}`,
        price: Number(liquidationPrice),
        title: `${direction} liquidation`,
        colour: "--bad",
        style: LineStyle.LargeDashed,
        reach: far
      }])
    ]
  })

/** The lines to show. */
const wanted = (): ReadonlyArray<Line> => [...ofReferences(), ...ofPositions()]

/** The prices for which the chart makes room: the prices of the lines that are near the last price. */
export const pricesNear = (last: number): ReadonlyArray<number> =>
  wanted().filter(({ price, reach }) => Math.abs(price / last - 1) <= reach).map(({ price }) => price)

/** The lines on the chart, keyed by name, as they were last drawn. */
export type Drawn = Map<string, { readonly line: IPriceLine; readonly as: string }>

/** Adds, moves and removes lines. Unchanged lines are not redrawn. */
export const drawLines = (
  series: ISeriesApi<"Candlestick">,
  drawn: Drawn,
  theme: string,
  colourOf: (variable: string) => string
): void => {
  const lines = wanted()
  for (const [name, { line }] of drawn) {
    if (lines.some((one) => one.name === name)) continue
    series.removePriceLine(line)
    drawn.delete(name)
  }
  for (const { colour, name, price, style, title } of lines) {
    const as = `${theme} ${price} ${title}`
    const before = drawn.get(name)
    if (before?.as === as) continue
    const options = {
      price,
      title,
      color: colourOf(colour),
      lineStyle: style,
      lineWidth: 1 as const,
      axisLabelVisible: true
    }
    before?.line.applyOptions(options)
    drawn.set(name, { as, line: before?.line ?? series.createPriceLine(options) })
  }
}

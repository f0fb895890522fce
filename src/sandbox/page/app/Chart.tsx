/**
 * Shows a market's candles, with marks at the prices of interest: those of orders, activations and fills, the mark and
 * index prices, the positions' entry and liquidation prices, and the last price, which can be dragged.
 */
import { effect } from "@preact/signals"
import {
  type AutoscaleInfo,
  CandlestickSeries,
  createChart,
  createSeriesMarkers,
  type IChartApi,
  type IPriceLine,
  type ISeriesApi,
  LineStyle,
  type UTCTimestamp
} from "lightweight-charts"
import type { JSX, TargetedPointerEvent } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { decimal, forcedOf, number } from "./format.ts"
import { drawLines, type Drawn, pricesNear } from "./lines.ts"
import { candles, fills, latestOrders, lookedAt, market, markets, seconds } from "./store.ts"
import { theme } from "./theme.ts"

const mostLines = 30

const colour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim()

/** The colors of the page's theme. A canvas can't use the style sheet. */
const colours = () => ({
  layout: {
    background: { color: "transparent" },
    textColor: colour("--soft"),
    attributionLogo: false,
    fontFamily: "system-ui, sans-serif"
  },
  grid: { vertLines: { color: colour("--grid") }, horzLines: { color: colour("--grid") } },
  rightPriceScale: { borderColor: colour("--line"), scaleMargins: { top: 0.1, bottom: 0.1 } },
  timeScale: {
    borderColor: colour("--line"),
    barSpacing: 8,
    maxBarSpacing: 20,
    rightOffset: 5,
    timeVisible: true,
    secondsVisible: seconds.value < 60
  }
})

type Series = ISeriesApi<"Candlestick">

/**
 * The chart makes room for an order if the distance between its price and the last price is at most this fraction of
 * the last price.
 */
const near = 0.06

/**
 * Makes room for the orders and lines near the last price, and leaves space above and below the last price, so that it
 * can be dragged even if it has hardly moved.
 */
const roomy = (original: () => AutoscaleInfo | null): AutoscaleInfo | null => {
  const info = original()
  const last = Number(candles.value.at(-1)?.close ?? 0)
  const range = info?.priceRange
  if (range === null || range === undefined || last === 0) return info
  const prices = ordersHere()
    .flatMap(({ activated, activationPrice, price }) => [price, activated ? undefined : activationPrice])
    .map(Number)
    .filter((price) => Math.abs(price / last - 1) <= near)
    .concat(pricesNear(last))
  return {
    ...info,
    priceRange: {
      minValue: Math.min(range.minValue, last * 0.995, ...prices),
      maxValue: Math.max(range.maxValue, last * 1.005, ...prices)
    }
  }
}

const allHere = () => latestOrders.value.filter((order) => order.market === market.value)

/** The orders that the chart shows. */
const ordersHere = () => allHere().slice(0, mostLines)

const drawCandles = (series: Series): void =>
  series.setData(candles.value.map(({ at, close, high, low, open }) => ({
    time: at as UTCTimestamp,
    open: Number(open),
    high: Number(high),
    low: Number(low),
    close: Number(close)
  })))

/** Draws a solid line for each limit price, and a dashed line for each activation price that has not been reached. */
const drawOrders = (series: Series, before: ReadonlyArray<IPriceLine>): ReadonlyArray<IPriceLine> => {
  for (const line of before) series.removePriceLine(line)
  const here = ordersHere()
  const isFew = here.length <= 8
  return here.flatMap((order) => {
    const at = (price: string, title: string, lineStyle: LineStyle): IPriceLine =>
      series.createPriceLine({
        price: Number(price),
        color: colour(order.side === "buy" ? "--good" : "--bad"),
        lineWidth: 1,
        lineStyle,
        // The labels of many lines would overlap.
        title: isFew ? title : "",
        axisLabelVisible: isFew
      })
    const { activated, activationCondition, activationPrice, left, price, side } = order
    return [
      ...(price === undefined ? [] : [at(price, `${side} ${number(left)}`, LineStyle.Solid)]),
      ...(activationPrice === undefined || activated
        ? []
        : [at(activationPrice, `stop ${activationCondition === "gte" ? "≥" : "≤"}`, LineStyle.Dashed)])
    ]
  })
}

/** If there are more marks than this, only forced fills have labels, because the labels would overlap. */
const mostWords = 12

/** Creates one mark for the fills on each side in each candle. Liquidation and ADL fills have separate marks. */
const toMarks = () => {
  const first = candles.value[0]?.at ?? Infinity
  const here = fills.value.filter((fill) => fill.market === market.value && fill.at / 1e6 >= first)
  const timeOf = ({ at }: { at: number }): number => Math.floor(at / 1e6 / seconds.value) * seconds.value
  const groups = [
    ...Map.groupBy(here.toReversed(), (fill) => `${timeOf(fill)} ${fill.side} ${forcedOf(fill)}`).values()
  ]
  return groups.flatMap((fills) => {
    const [fill] = fills
    if (fill === undefined) return []
    const { side } = fill
    const forced = forcedOf(fill)
    const text = [
      ...(forced === undefined ? [] : [forced]),
      fills.length === 1 ? number(fill.amount) : `${fills.length} fills`
    ].join(" ")
    return [{
      time: timeOf(fill) as UTCTimestamp,
      position: side === "buy" ? "belowBar" as const : "aboveBar" as const,
      shape: forced !== undefined ? "square" as const : side === "buy" ? "arrowUp" as const : "arrowDown" as const,
      color: colour(forced !== undefined ? "--warn" : side === "buy" ? "--good" : "--bad"),
      text: groups.length > mostWords && forced === undefined ? "" : text
    }]
  })
}

/** The maximum number of candles that are shown at first. */
const mostCandles = 180

/** Scrolls to the market's latest candles, at most {@link mostCandles}. */
const fit = (chart: IChartApi): void => {
  const { length } = candles.value
  chart.timeScale().setVisibleLogicalRange({ from: Math.max(-1, length - mostCandles), to: length + 4 })
}

const paint = (chart: IChartApi, series: Series): void => {
  const [up, down] = [colour("--good"), colour("--bad")]
  chart.applyOptions(colours())
  series.applyOptions({
    upColor: up,
    borderUpColor: up,
    wickUpColor: up,
    downColor: down,
    borderDownColor: down,
    wickDownColor: down
  })
}

const make = (box: HTMLElement) => {
  const chart: IChartApi = createChart(box, { autoSize: true, ...colours() })
  const series: Series = chart.addSeries(CandlestickSeries, { autoscaleInfoProvider: roomy, lastValueVisible: false })
  const marks = createSeriesMarkers(series, [])
  let lines: ReadonlyArray<IPriceLine> = []
  const drawn: Drawn = new Map()
  let fitted = ""
  const stops = [
    effect(() => {
      const digits = markets.value.find((one) => one.market === market.value)?.pricePrecision ?? 2
      series.applyOptions({ priceFormat: { type: "price", precision: digits, minMove: 10 ** -digits } })
    }),
    effect(() => {
      drawCandles(series)
      const shown = `${market.value} ${seconds.value}`
      if (candles.value.length === 0 || shown === fitted) return
      fitted = shown
      fit(chart)
    }),
    effect(() => {
      if (theme.value !== undefined) paint(chart, series)
    }),
    effect(() => {
      if (theme.value !== undefined) lines = drawOrders(series, lines)
    }),
    effect(() => {
      drawLines(series, drawn, theme.value, colour)
    }),
    effect(() => {
      if (theme.value !== undefined) marks.setMarkers(toMarks())
    })
  ]
  const close = (): void => {
    for (const stop of stops) stop()
    chart.remove()
  }
  return { chart, series, close }
}

type Made = ReturnType<typeof make>

interface Props {
  /** Moves the market's price. */
  readonly onMove: (price: string) => void
}

interface HandleProps extends Props {
  /** The distance from the top, in pixels. */
  readonly top: number
  readonly price: string
  readonly digits: number
  /** The price while it is being dragged. */
  readonly wanted: string | undefined
  readonly want: (price: string | undefined) => void
  /** The price at a vertical position in the window. */
  readonly priceAt: (y: number) => string | undefined
}

const steps: Readonly<Record<string, number>> = {
  ArrowUp: 0.001,
  ArrowDown: -0.001,
  PageUp: 0.01,
  PageDown: -0.01
}

/** The handle of the last price. Dragging the handle, or pressing an arrow or page key on it, moves the price. */
const Handle = ({ digits, onMove, price, priceAt, top, want, wanted }: HandleProps): JSX.Element => {
  const drag = (event: TargetedPointerEvent<HTMLDivElement>): void => {
    if (event.currentTarget.hasPointerCapture(event.pointerId)) want(priceAt(event.clientY))
  }
  const drop = (event: TargetedPointerEvent<HTMLDivElement>): void => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return
    event.currentTarget.releasePointerCapture(event.pointerId)
    const to = priceAt(event.clientY)
    want(undefined)
    if (to !== undefined && to !== price) onMove(to)
  }
  return (
    <div
      class={wanted === undefined ? "handle" : "handle dragged"}
      style={{ top: `${top}px` }}
      role="slider"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={`Price of ${market.value}; drag it, or use the arrow keys`}
      aria-valuenow={Number(price)}
      aria-valuetext={number(price)}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
      onPointerUp={drop}
      onPointerCancel={() => want(undefined)}
      onKeyDown={(event) => {
        const step = steps[event.key]
        if (step === undefined) return
        event.preventDefault()
        onMove(decimal(Number(price) * (1 + step), digits))
      }}
    >
      <span>⇕ {number(wanted ?? price)}</span>
    </div>
  )
}

/** The chart, with the handle at the last price. */
export const Chart = ({ onMove }: Props): JSX.Element => {
  const box = useRef<HTMLDivElement>(null)
  const made = useRef<Made>(undefined)
  const [top, setTop] = useState<number>()
  const [wanted, want] = useState<string>()
  const found = markets.value.find((one) => one.market === market.value)
  const price = found?.price
  const digits = found?.pricePrecision ?? 2

  const place = (): void => {
    const at = price === undefined ? null : made.current?.series.priceToCoordinate(Number(wanted ?? price)) ?? null
    setTop(at ?? undefined)
  }
  useEffect(() => {
    if (box.current === null) return
    made.current = make(box.current)
    return () => made.current?.close()
  }, [])
  // The price scale is updated one frame after the candles, so the handle is placed again then.
  useEffect(() => {
    const frame = requestAnimationFrame(place)
    const slow = setTimeout(place, 120)
    const steady = setInterval(place, 1000)
    return () => {
      cancelAnimationFrame(frame)
      clearTimeout(slow)
      clearInterval(steady)
    }
  }, [price, wanted, candles.value, seconds.value])

  const priceAt = (y: number): string | undefined => {
    const inside = y - (box.current?.getBoundingClientRect().top ?? 0)
    const value = made.current?.series.coordinateToPrice(inside)
    return value === null || value === undefined || value <= 0 ? undefined : decimal(value, digits)
  }
  return (
    <div class="chart">
      <div ref={box} class="canvas" role="img" aria-label={`Candles of ${market.value}`} />
      {allHere().length <= mostLines ? null : <p class="cap soft">Lines of the latest {mostLines} orders</p>}
      {found !== undefined && price === undefined
        ? <p class="none">{market.value} has no price yet. Type one above, and press Move.</p>
        : null}
      {top === undefined || price === undefined || lookedAt.value !== undefined
        ? null
        : <Handle {...{ digits, onMove, price, priceAt, top, want, wanted }} />}
    </div>
  )
}

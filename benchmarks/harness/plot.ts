/** Plots curves on two logarithmic scales, as SVG for light and dark pages. */

export interface Curve {
  readonly name: string
  /** The curve's group. All curves in a group have the same line style. */
  readonly group: string
  readonly points: ReadonlyArray<{ readonly x: number; readonly y: number }>
}

export interface Plot {
  readonly title: string
  readonly xTitle: string
  readonly yTitle: string
  readonly curves: ReadonlyArray<Curve>
}

/** Colors that color-blind readers can tell apart. */
const colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f"]

const size = { width: 1020, height: 420 }
const area = { left: 88, right: 580, top: 48, bottom: 364 }

const style = `
  text { font: 12px system-ui, sans-serif; fill: #1f2328 }
  .title { font-size: 14px; font-weight: 600 }
  .grid { stroke: #d1d9e0; stroke-width: 1 }
  .linear { stroke: #818b98; stroke-dasharray: 2 4; fill: none }
  .curve { fill: none; stroke-width: 2; stroke-linejoin: round }
  @media (prefers-color-scheme: dark) { text { fill: #d1d7e0 } .grid { stroke: #3d444d } }
`

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")

/** Returns the powers of ten from just below a range to just above it. */
const powers = (from: number, to: number): ReadonlyArray<number> => {
  const first = Math.floor(Math.log10(from))
  const last = Math.max(first + 1, Math.ceil(Math.log10(to)))
  return Array.from({ length: last - first + 1 }, (_, index) => 10 ** (first + index))
}

/** Maps values to positions from `start` to `end`, on a logarithmic scale that spans `values`. */
const scale = (values: ReadonlyArray<number>, start: number, end: number) => {
  const low = Math.log10(Math.min(...values))
  const high = Math.log10(Math.max(...values))
  return (value: number): number => start + (Math.log10(value) - low) / (high - low) * (end - start)
}

export const svg = ({ curves, title, xTitle, yTitle }: Plot): string => {
  const points = curves.flatMap((curve) => curve.points)
  const xs = points.map(({ x }) => x)
  const ys = points.map(({ y }) => y)
  const [fewest, most] = [Math.min(...xs), Math.max(...xs)]
  const xTicks = [...new Set(xs)].sort((a, b) => a - b)
  const yTicks = powers(Math.min(1, ...ys), Math.max(...ys))
  const toX = scale([fewest, most], area.left, area.right)
  const toY = scale(yTicks, area.bottom, area.top)
  const at = ({ x, y }: { readonly x: number; readonly y: number }) => `${toX(x).toFixed(1)},${toY(y).toFixed(1)}`
  const groups = [...new Set(curves.map(({ group }) => group))]
  const top = Math.max(...yTicks)
  const linearEnd = Math.min(most, fewest * top)

  const grid = yTicks.map((tick) =>
    `<line class="grid" x1="${area.left}" x2="${area.right}" y1="${toY(tick)}" y2="${toY(tick)}"/>` +
    `<text x="${area.left - 8}" y="${toY(tick) + 4}" text-anchor="end">${tick.toLocaleString("en")}×</text>`
  )
  const ticks = xTicks.map((tick) =>
    `<text x="${toX(tick)}" y="${area.bottom + 20}" text-anchor="middle">${tick.toLocaleString("en")}</text>`
  )
  const last = ({ points }: Curve): number => points.at(-1)?.y ?? 1
  const drawn = curves.toSorted((a, b) => last(b) - last(a)).map((curve, index) => {
    const stroke = `stroke="${colours[index % colours.length]}"` +
      (groups.indexOf(curve.group) % 2 === 0 ? "" : ` stroke-dasharray="7 4"`)
    const y = area.top + 12 + index * 24
    const x = curve.points.at(-1)?.x ?? 0
    return `<polyline class="curve" ${stroke} points="${curve.points.map(at).join(" ")}"/>` +
      `<line class="curve" ${stroke} x1="${area.right + 24}" x2="${area.right + 52}" y1="${y - 4}" y2="${y - 4}"/>` +
      `<text x="${area.right + 60}" y="${y}">${escaped(curve.name)}: ${
        last(curve).toFixed(last(curve) < 10 ? 1 : 0)
      }×` +
      ` at ${x.toLocaleString("en")}</text>`
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<style>${style}</style>`,
    `<text class="title" x="${area.left}" y="24">${escaped(title)}</text>`,
    ...grid,
    ...ticks,
    `<text x="${(area.left + area.right) / 2}" y="${area.bottom + 44}" text-anchor="middle">${escaped(xTitle)}</text>`,
    `<text transform="translate(16 ${(area.top + area.bottom) / 2}) rotate(-90)" text-anchor="middle">${
      escaped(yTitle)
    }</text>`,
    `<polyline class="linear" points="${at({ x: fewest, y: 1 })} ${at({ x: linearEnd, y: linearEnd / fewest })}"/>`,
    `<text x="${area.right + 60}" y="${area.top + 12 + curves.length * 24}">dotted: what grows in proportion</text>`,
    ...drawn,
    `</svg>\n`
  ].join("\n")
}

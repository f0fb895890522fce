/**
 * The market area: candles, an order book, trades, and a price that can be dragged, typed, changed in steps or played
 * back.
 */
import { useSignal } from "@preact/signals"
import type { JSX } from "preact"
import { post } from "./api.ts"
import { Chart } from "./Chart.tsx"
import { column, decimal, lengthOf, number, timeOf, typedText } from "./format.ts"
import { Choice, Field, Form } from "./parts.tsx"
import { ReferenceForms, References } from "./References.tsx"
import {
  account,
  act,
  choose,
  depth,
  follow,
  latestOrders,
  lookedAt,
  market,
  markets,
  orderCount,
  seconds,
  summaryOf,
  unitsOf
} from "./store.ts"
import { Ticket, typePrice } from "./Ticket.tsx"
import { ask, changeOf, isLarge, undoably } from "./Undo.tsx"

/** Extracts the prices from typed text: all numbers, whatever separates them. */
const toPrices = (text: string): ReadonlyArray<string> => text.match(/\d+(?:\.\d+)?/gu) ?? []

/** Moves the market's price. Asks the user before a large change, which is probably a mistake. */
const move = (price: string): void => {
  const of = market.value
  const last = markets.value.find((one) => one.market === of)?.price
  const done = `The price of ${of} is ${number(price)}`
  const send = (): Promise<unknown> => post("MovePrice", { market: of, price })
  const change = changeOf(last, price)
  if (!isLarge(change)) {
    void act(done, send, "market").then((isDone) => isDone && follow("price"))
    return
  }
  const percent = `${change > 0 ? "+" : "−"}${number(decimal(Math.abs(change) * 100, 0))} %`
  ask({
    title: `Move ${of} by ${percent}?`,
    words:
      `From ${number(last)} to ${
        number(price)
      }. Resting orders that the price crosses are filled, and stop orders are triggered. ` +
      "The chart shows the move. You can undo it.",
    verb: "Move",
    does: () => void undoably(done, send).then((isDone) => isDone && follow("price"))
  })
}

/** Describes the prices to be played, so that the user notices a misread price before the market moves. */
const planOf = (steps: ReadonlyArray<string>, afterMillis: number): string =>
  steps.length === 0
    ? "No prices yet."
    : `${steps.length} ${steps.length === 1 ? "price" : "prices"} in ${lengthOf(steps.length * afterMillis)}: ${
      steps.slice(0, 8).map((price) => number(price)).join(" → ")
    }${steps.length > 8 ? " → …" : ""}`

const play = (prices: ReadonlyArray<string>, afterMillis: number): void => {
  const of = market.value
  const steps = prices.map((price) => ({ afterMillis, price }))
  ask({
    title: `Play ${prices.length === 1 ? "a price" : `${prices.length} prices`} on ${of}?`,
    words:
      `${
        planOf(prices, afterMillis)
      }. Resting orders that these prices cross are filled, and stop orders are triggered. ` +
      "The chart shows the prices. You can undo the script.",
    verb: "Play",
    does: () => void undoably(`The script plays on ${of}`, () => post("PlayPrices", { market: of, steps }))
  })
}

const Price = (): JSX.Element => {
  const found = summaryOf(market.value)
  const typed = useSignal("")
  const price = found?.price
  const isPast = lookedAt.value !== undefined
  const step = (ratio: number): void => move(decimal(Number(price) * (1 + ratio), found?.pricePrecision ?? 2))
  return (
    <div class="bar">
      <Choice
        label="Market"
        value={market.value}
        options={markets.value.map((one) => [one.market, one.market.replace("_", " / ")])}
        onChange={(market) => choose({ market })}
      />
      <output class="price" aria-label="Last price">{price === undefined ? "no price yet" : number(price)}</output>
      {price === undefined ? null : <span class="soft">{found?.money}</span>}
      <Form label="Move the price" onSubmit={() => typed.value.trim() !== "" && move(typedText(typed.value))}>
        <input
          aria-label={`New price of ${market.value}`}
          inputMode="decimal"
          placeholder={price ?? "price"}
          size={10}
          value={typed.value}
          onInput={(event) => (typed.value = event.currentTarget.value)}
        />
        <button type="submit" disabled={isPast}>Move</button>
      </Form>
      <div class="group" role="group" aria-label="Step the price">
        {([[-0.01, "−1 %"], [-0.001, "−0.1 %"], [0.001, "+0.1 %"], [0.01, "+1 %"]] as const).map(([ratio, text]) => (
          <button key={text} type="button" disabled={price === undefined || isPast} onClick={() => step(ratio)}>
            {text}
          </button>
        ))}
      </div>
      <div class="group end" role="group" aria-label="Candle interval">
        {([[1, "1 s"], [60, "1 m"], [900, "15 m"], [3600, "1 h"], [86_400, "1 d"]] as const).map(([length, text]) => (
          <button
            key={text}
            type="button"
            aria-pressed={seconds.value === length}
            onClick={() => choose({ seconds: length })}
          >
            {text}
          </button>
        ))}
      </div>
    </div>
  )
}

const Script = (): JSX.Element => {
  const prices = useSignal("")
  const pause = useSignal("1000")
  const steps = toPrices(prices.value)
  return (
    <details class="script">
      <summary>Play a price script</summary>
      <Form label="Play prices" onSubmit={() => play(steps, Number(pause.value))}>
        <Field label="Prices, in order">
          <input
            placeholder="40100, 40250, 39800"
            size={30}
            value={prices.value}
            onInput={(event) => (prices.value = event.currentTarget.value)}
          />
        </Field>
        <Field label="Milliseconds between prices">
          <input
            type="number"
            min={0}
            value={pause.value}
            onInput={(event) => (pause.value = event.currentTarget.value)}
          />
        </Field>
        <button type="submit" disabled={steps.length === 0}>Play…</button>
      </Form>
      <p class="soft" role="status">{planOf(steps, Number(pause.value))}</p>
    </details>
  )
}

/** The total amount of the chosen account's resting orders at one price. */
const ownAt = (price: string, side: "buy" | "sell"): number =>
  latestOrders.value.filter((order) =>
    order.market === market.value && order.side === side && Number(order.price) === Number(price) &&
    (order.activationPrice === undefined || order.activated)
  ).reduce((sum, { left }) => sum + Number(left), 0)

const headOf = (...names: ReadonlyArray<string>): JSX.Element => (
  <thead>
    <tr>{names.map((name) => <th key={name} scope="col">{name}</th>)}</tr>
  </thead>
)

/** Makes the counterparty quote the market, or stop quoting. */
const quote = (enabled: boolean): Promise<boolean> =>
  act(
    enabled ? `The counterparty quotes ${market.value}` : `The counterparty no longer quotes ${market.value}`,
    () => post("SetCounterparty", { market: market.value, enabled }),
    "markets",
    "market"
  )

const Counterparty = (): JSX.Element => {
  const { price, quoted } = summaryOf(market.value) ?? {}
  const { asks, bids } = depth.value
  /** The user's choice, until the sandbox has applied it. Without this, the switch would jump back and forth. */
  const chosen = useSignal<boolean | undefined>(undefined)
  const isEmpty = asks.length === 0 || bids.length === 0
  return (
    <>
      {isEmpty && quoted !== true
        ? (
          <p class="soft">
            Nobody quotes {market.value}
            {price === undefined
              ? ". The counterparty can, once the market has a price."
              : ": orders wait for the price to reach them."}
          </p>
        )
        : null}
      <label class="check">
        <input
          type="checkbox"
          role="switch"
          checked={chosen.value ?? quoted === true}
          disabled={lookedAt.value !== undefined}
          onChange={(event) => {
            chosen.value = event.currentTarget.checked
            void quote(chosen.value).then(() => (chosen.value = undefined))
          }}
        />{" "}
        The counterparty quotes
      </label>
    </>
  )
}

interface LevelProps {
  readonly amount: string
  readonly price: string
  /** The formatted price and amount. */
  readonly shown: readonly [price: string, amount: string]
  readonly most: number
  readonly side: "buy" | "sell"
}

const Level = ({ amount, most, price, shown, side }: LevelProps): JSX.Element => {
  const own = ownAt(price, side)
  return (
    <tr class={side === "buy" ? "bid" : "ask"}>
      <td>
        {own === 0 ?
          null :
          <span class="own" role="img" aria-label={`of which ${number(decimal(own, 8))} by ${account.value}`}>●</span>}
      </td>
      <td>
        <button type="button" class="bare" aria-label={`Use the price ${price}`} onClick={() => typePrice(price)}>
          {shown[0]}
        </button>
      </td>
      <td style={{ backgroundSize: `${Number(amount) / most * 100}% 100%` }}>{shown[1]}</td>
    </tr>
  )
}

const Spread = ({ ask, bid }: { ask: string; bid: string }): JSX.Element => {
  const spread = Number(ask) - Number(bid)
  return (
    <tr class="spread">
      <td colSpan={3}>
        Spread {number(decimal(spread, 8))} {unitsOf(market.value).money}{" "}
        <span class="soft">{decimal(spread / Number(bid) * 100, 2)} %</span>
      </td>
    </tr>
  )
}

const Depth = (): JSX.Element => {
  const { asks, bids } = depth.value
  const [above, below] = [asks.slice(0, 8).toReversed(), bids.slice(0, 8)]
  const all = [...above, ...below]
  const most = Math.max(...all.map(({ amount }) => Number(amount)), 0)
  const prices = column(all.map(({ price }) => price), summaryOf(market.value)?.pricePrecision)
  const amounts = column(all.map(({ amount }) => amount))
  const { money, stock } = unitsOf(market.value)
  const [ask, bid] = [above.at(-1), below[0]]
  const levels = all.map((level, index) => {
    const side = index < above.length ? "sell" : "buy"
    const shown = [prices[index] ?? "", amounts[index] ?? ""] as const
    return <Level key={`${side} ${level.price}`} {...level} shown={shown} most={most} side={side} />
  })
  const hasOwn = above.some(({ price }) => ownAt(price, "sell") > 0) ||
    below.some(({ price }) => ownAt(price, "buy") > 0)
  return (
    <section class="card depth" aria-label="Order book">
      <h2>
        Order book {asks.length <= 8 && bids.length <= 8 ? null : <span class="soft">best 8 a side</span>}
      </h2>
      {all.length === 0 ? null : (
        <table>
          {headOf("", `Price, ${money}`, `Amount, ${stock}`)}
          <tbody>
            {levels.slice(0, above.length)}
            {ask === undefined || bid === undefined ? null : <Spread ask={ask.price} bid={bid.price} />}
            {levels.slice(above.length)}
          </tbody>
        </table>
      )}
      {hasOwn
        ? (
          <p class="soft">
            <span class="own">●</span> {orderCount.value > latestOrders.value.length
              ? `the latest ${latestOrders.value.length} orders`
              : "orders"} of {account.value}
          </p>
        )
        : null}
      <Counterparty key={market.value} />
    </section>
  )
}

const Trades = (): JSX.Element => {
  const { money, stock } = unitsOf(market.value)
  const trades = depth.value.trades.slice(0, 16)
  const prices = column(trades.map(({ price }) => price), summaryOf(market.value)?.pricePrecision)
  const amounts = column(trades.map(({ amount }) => amount))
  return (
    <section class="card trades" aria-label="Latest trades">
      <h2>
        Trades {depth.value.trades.length <= 16 ? null : <span class="soft">latest 16</span>}
      </h2>
      {trades.length === 0 ?
        <p class="soft">None yet. Orders trade when the price moves past them.</p> :
        (
          <table>
            {headOf("Time", `Price, ${money}`, `Amount, ${stock}`)}
            <tbody>
              {trades.map(({ at, id, price, side }, index) => (
                <tr key={id} class={side === "buy" ? "bid" : "ask"}>
                  <td class="soft">{timeOf(at)}</td>
                  <td aria-label={`${side} at ${price}`}>{prices[index]}</td>
                  <td>{amounts[index]}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
    </section>
  )
}

export const Market = (): JSX.Element => (
  <div class="market">
    <section class="card wide" id="market" aria-label="Market">
      <Price />
      <References />
      <Chart onMove={move} />
      <Ticket />
      <Script />
      <ReferenceForms />
    </section>
    <Depth />
    <Trades />
  </div>
)

/**
 * The mark price, index price and funding of a market with margin trading. The owner can set each of them in a form,
 * and show the two prices as lines in the chart.
 */
import { useSignal } from "@preact/signals"
import type { ComponentChildren, JSX } from "preact"
import type { MarketSummary } from "../../control/MarketViews.ts"
import { post } from "./api.ts"
import { countdown, dateAndTimeOf, decimal, number, percent, sizeOf, typedText } from "./format.ts"
import { entryOf, shownLines } from "./lines.ts"
import { Amount, Field, Form } from "./parts.tsx"
import { account, act, lookedAt, margin, market, markets, past, positions, priceDigits, summaryOf } from "./store.ts"
import { useNow } from "./Time.tsx"
import { ask, changeOf, isLarge, undoably } from "./Undo.tsx"

/** The descriptions of an account that has a margin call or is in liquidation. */
export const stateOf = { margin_call: "margin call", liquidation: "in liquidation" } as const

/** The time of a market's next funding settlement, in Unix microseconds: a whole multiple of the funding interval. */
const nextFundingAt = (now: number, minutes: number): number => {
  const interval = minutes * 60e6
  return (Math.floor(now / interval) + 1) * interval
}

/** The rate of a futures market's next funding settlement, and the time until that settlement. */
export const NextFunding = ({ of: { fundingMinutes, fundingRate } }: { of: MarketSummary }): JSX.Element | null => {
  const present = useNow()
  const now = lookedAt.value === undefined ? present : past.value?.at
  if (fundingMinutes === undefined || fundingRate === undefined || now === undefined) return null
  const at = nextFundingAt(now, fundingMinutes)
  return (
    <span class="num" title={`at ${dateAndTimeOf(at)} UTC, every ${fundingMinutes} minutes`}>
      {percent(fundingRate)} in {countdown((at - now) / 1000)}
    </span>
  )
}

const payerOf = (rate: string): string => {
  const sign = Math.sign(Number(rate))
  return sign === 0 ? "nobody pays" : sign > 0 ? "longs pay shorts" : "shorts pay longs"
}

interface SwitchProps {
  readonly line: "mark" | "index" | "position"
  readonly label: string
  readonly children: ComponentChildren
}

/** A price that the chart shows as a line, which the user can hide. */
const Switch = ({ children, label, line }: SwitchProps): JSX.Element => (
  <label class="check">
    <input
      type="checkbox"
      aria-label={`Show ${label} in the chart`}
      checked={shownLines.value[line]}
      onChange={(event) => (shownLines.value = { ...shownLines.value, [line]: event.currentTarget.checked })}
    />
    <span class={`line ${line}`} />
    <span>{children}</span>
  </label>
)

const Fixed = ({ of, what }: { of: MarketSummary; what: "index" | "mark" | "fundingRate" }): JSX.Element | null =>
  of.fixed?.includes(what) === true ? <span class="tag">set by you</span> : null

/** The chosen account's positions on the market, if any. */
const Held = ({ of: { market, money, stock } }: { of: MarketSummary }): JSX.Element | null => {
  const held = positions.value.filter((one) => one.market === market)
  if (held.length === 0) return null
  return (
    <Switch line="position" label={`the position of ${account.value}`}>
      {held.map((position) => {
        const { amount, liquidationPrice, side } = position
        return (
          <span key={side} class="fact">
            <span class={Number(amount) < 0 ? "bad" : "good"}>{Number(amount) < 0 ? "Short" : "Long"}</span>{" "}
            {sizeOf(amount)} {stock} of {account.value}
            {": entry "}
            {number(entryOf(position), priceDigits(market))}
            {", "}
            {liquidationPrice === undefined
              ? "no liquidation price"
              : `liquidation ${number(liquidationPrice, priceDigits(market))}`} <span class="unit">{money}</span>
          </span>
        )
      })}
    </Switch>
  )
}

/** The chosen market's mark price, index price and funding; empty for a market without margin. */
export const References = (): JSX.Element | null => {
  const found = summaryOf(market.value)
  if (found?.margin !== true) return null
  const { fundingRate, index, mark, money } = found
  const state = margin.value?.account === account.value ? margin.value.state : undefined
  return (
    <div class="facts" role="group" aria-label="Mark, index and funding">
      <Switch line="mark" label="the mark price">
        Mark {mark === undefined ? "–" : <Amount of={mark} unit={money} />} <Fixed of={found} what="mark" />
      </Switch>
      <Switch line="index" label="the index price">
        Index {index === undefined ? "–" : <Amount of={index} unit={money} />} <Fixed of={found} what="index" />
      </Switch>
      {fundingRate === undefined ? null : (
        <span class="check">
          Next funding <NextFunding of={found} /> <span class="soft">{payerOf(fundingRate)}</span>{" "}
          <Fixed of={found} what="fundingRate" />
        </span>
      )}
      <Held of={found} />
      {state === undefined ? null : <span class="tag bad">{account.value}: {stateOf[state]}</span>}
    </div>
  )
}

/**
 * The price that a reference price follows unless the owner has set the reference price. The mark price follows the
 * index price. The index price follows the spot market or, if the spot market has no price, this market.
 */
const followed = (of: MarketSummary, what: "mark" | "index"): { readonly name: string; readonly price?: string } => {
  if (what === "mark") return { name: "the index", ...(of.index === undefined ? {} : { price: of.index }) }
  const spot = markets.value.find(({ money, stock, type }) =>
    type === "spot" && money === of.money && stock === of.stock
  )
  const source = spot?.price === undefined ? of : spot
  return { name: source.market, ...(source.price === undefined ? {} : { price: source.price }) }
}

/** Sets a reference price, or makes it follow its source again. Asks the user before a large change. */
const refer = (of: MarketSummary, what: "mark" | "index", price: string | undefined): void => {
  const source = followed(of, what)
  const done = price === undefined
    ? `The ${what} price of ${of.market} follows ${source.name}`
    : `The ${what} price of ${of.market} is ${number(price)} ${of.money}`
  const send = (): Promise<unknown> =>
    post(what === "mark" ? "MoveMark" : "MoveIndex", { market: of.market, price: price ?? null })
  const [from, to] = [of[what], price ?? source.price]
  const change = changeOf(from, to)
  if (!isLarge(change)) {
    void act(done, send, "markets", "account")
    return
  }
  ask({
    title: `Move the ${what} price of ${of.market} by ${percent(change, 0)}?`,
    words:
      `From ${number(from)} to ${number(to)} ${of.money}. Accounts without enough margin get a margin call or are ` +
      "liquidated. You can undo the move.",
    verb: "Move",
    does: () => void undoably(done, send)
  })
}

const Reference = ({ of, what }: { of: MarketSummary; what: "mark" | "index" }): JSX.Element => {
  const typed = useSignal("")
  const isPast = lookedAt.value !== undefined
  return (
    <Form
      label={`Set the ${what} price`}
      onSubmit={() => typed.value.trim() !== "" && refer(of, what, typedText(typed.value))}
    >
      <Field label={`${what === "mark" ? "Mark" : "Index"} price, ${of.money}`}>
        <input
          inputMode="decimal"
          size={10}
          placeholder={of[what] ?? ""}
          value={typed.value}
          onInput={(event) => (typed.value = event.currentTarget.value)}
        />
      </Field>
      <button type="submit" disabled={isPast}>Set</button>
      <button
        type="button"
        disabled={isPast || of.fixed?.includes(what) !== true}
        onClick={() => refer(of, what, undefined)}
      >
        Follow {followed(of, what).name}
      </button>
    </Form>
  )
}

/** The number of decimal places in a funding rate, which is sent as a ratio. */
const rateDigits = 10

const Funding = ({ of: { fixed, fundingMinutes, fundingRate, market } }: { of: MarketSummary }): JSX.Element => {
  const rate = useSignal("")
  const minutes = useSignal("")
  const isPast = lookedAt.value !== undefined
  const isTyped = rate.value.trim() !== "" || minutes.value.trim() !== ""
  const set = (fields: object, done: string): void =>
    void act(done, () => post("SetFunding", { market, ...fields }), "markets")
  const submit = (): void => {
    // A rate that is not a number is sent unchanged, so that the sandbox reports what is wrong.
    const typed = typedText(rate.value)
    const ratio = Number.isFinite(Number(typed)) ? decimal(Number(typed) / 100, rateDigits) : typed
    if (!isTyped) return
    set({
      ...(typed === "" ? {} : { rate: ratio }),
      ...(minutes.value.trim() === "" ? {} : { intervalMinutes: Number(minutes.value) })
    }, `The funding of ${market} is set`)
  }
  return (
    <Form label="Set the funding" onSubmit={submit}>
      <Field label="Funding rate per settlement, %">
        <input
          inputMode="decimal"
          size={10}
          placeholder={fundingRate === undefined ? "" : percent(fundingRate).replace("−", "-").replace(" %", "")}
          value={rate.value}
          onInput={(event) => (rate.value = event.currentTarget.value)}
        />
      </Field>
      <Field label="Interval, minutes">
        <input
          type="number"
          min={1}
          max={1440}
          placeholder={String(fundingMinutes ?? "")}
          value={minutes.value}
          onInput={(event) => (minutes.value = event.currentTarget.value)}
        />
      </Field>
      <button type="submit" disabled={isPast || !isTyped}>Set</button>
      <button
        type="button"
        disabled={isPast || fixed?.includes("fundingRate") !== true}
        onClick={() => set({ rate: null }, `The funding rate of ${market} is computed from the market`)}
      >
        Compute the rate
      </button>
    </Form>
  )
}

/** The forms with which the owner sets the chosen market's mark price, index price and funding. */
export const ReferenceForms = (): JSX.Element | null => {
  const found = summaryOf(market.value)
  if (found?.margin !== true) return null
  return (
    <details class="script">
      <summary>Set mark, index{found.fundingMinutes === undefined ? "" : " and funding"}</summary>
      <div class="bar forms">
        <Reference of={found} what="mark" />
        <Reference of={found} what="index" />
        {found.fundingMinutes === undefined ? null : <Funding of={found} />}
      </div>
    </details>
  )
}

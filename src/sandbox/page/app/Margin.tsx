/** The chosen account's margin figures and state, its open positions, and its margin events. */
import type { ComponentChildren, JSX } from "preact"
import type { Called } from "../../control/Calls.ts"
import type { AccountMargin } from "../../control/MarginViews.ts"
import type { OpenPosition } from "../../control/Views.ts"
import { get, post } from "./api.ts"
import { showCommand } from "./areas.ts"
import { dateAndTimeOf, decimal, number, percent, signed, sizeOf } from "./format.ts"
import { entryOf } from "./lines.ts"
import { Policy } from "./MarginPolicy.tsx"
import { Amount, Cell, Rows } from "./parts.tsx"
import { NextFunding, stateOf } from "./References.tsx"
import { happenedOf } from "./Sentence.ts"
import {
  account,
  act,
  endpoints,
  lookedAt,
  margin,
  marginEvents,
  positions,
  priceDigits,
  readNow,
  summaryOf,
  unitsOf
} from "./store.ts"
import { reasonsOf } from "./Ticket.tsx"
import { ask } from "./Undo.tsx"

/** The leverage values that an account can choose. */
export const leverages = [1, 2, 3, 5, 10, 20, 50, 100] as const

/** Makes a signed call as an account. If the exchange refuses the call, the error contains the exchange's message. */
const callAs = async (account: string, name: string, fields: object): Promise<void> => {
  const path = endpoints.value.find((one) => one.name === name)?.path ?? ""
  const { answer, status } = await post<Called>("CallAs", { account, path, fields })
  if (status === undefined) throw new Error("The response was lost. See Requests for whether the call was applied.")
  if (status >= 400) throw new Error(`Refused with HTTP ${status}: ${reasonsOf(answer)}`)
}

/** Changes the leverage. If the account has positions, asks first, because the change affects their margin. */
const lever = (leverage: string, of: AccountMargin): void => {
  const name = of.account
  const send = (): void =>
    void act(
      `The leverage of ${name} is ${leverage}×`,
      () => callAs(name, "CollateralLeverage.set", { leverage: Number(leverage) }),
      "account"
    )
  if (positions.value.length === 0) return send()
  ask({
    title: `Change the leverage of ${name} to ${leverage}×?`,
    words:
      `It is ${of.leverage}× now. The new leverage applies to all open positions, and changes their margin and their ` +
      "liquidation prices.",
    verb: "Change",
    does: send
  })
}

const hedge = (is: boolean, name: string): void =>
  void act(
    is ? `${name} is in hedge mode` : `${name} is in one-way mode`,
    () => callAs(name, "HedgeModeUpdate.set", { hedgeMode: is }),
    "account"
  )

/** The leverage and the position mode, which the user can change. */
const Settings = ({ of }: { of: AccountMargin }): JSX.Element => (
  <div class="bar">
    <label class="check">
      Leverage{" "}
      <select
        aria-label={`Leverage of ${of.account}`}
        value={of.leverage}
        disabled={lookedAt.value !== undefined}
        onChange={(event) => {
          const chosen = event.currentTarget.value
          // The field keeps showing the account's leverage until a call has changed the leverage.
          event.currentTarget.value = String(of.leverage)
          lever(chosen, of)
        }}
      >
        {leverages.map((leverage) => <option key={leverage} value={leverage}>{leverage}×</option>)}
      </select>
    </label>
    <label class="check">
      <input
        type="checkbox"
        role="switch"
        checked={of.hedgeMode}
        disabled={lookedAt.value !== undefined}
        onChange={(event) => {
          const is = event.currentTarget.checked
          event.currentTarget.checked = of.hedgeMode
          hedge(is, of.account)
        }}
      />{" "}
      Hedge mode
    </label>
  </div>
)

/** Warns about a margin call or a liquidation, and shows the margin levels at which a call and a liquidation begin. */
const Warning = ({ of }: { of: AccountMargin }): JSX.Element | null => {
  const { callMargin, currency, equity, maintenanceMargin, pnl, state } = of
  if (state === undefined) return null
  const amount = (text: string): JSX.Element => <span class="whole">{number(text, 2)} {currency}</span>
  return (
    <p class="hint" role="alert">
      <b class="bad">{state === "liquidation" ? "Liquidation" : "Margin call"}</b>: equity plus profit is{" "}
      {amount(decimal(Number(equity) + Number(pnl), 8))}. {state === "liquidation"
        ? <>The exchange closes positions until the sum exceeds the maintenance margin, {amount(maintenanceMargin)}.</>
        : <>A margin call begins at {amount(callMargin)}, a liquidation at {amount(maintenanceMargin)}.</>}
    </p>
  )
}

const Figure = ({ name, of, unit = "" }: { name: string; of: string; unit?: string }): JSX.Element => (
  <div>
    <dt>{name}</dt>
    <dd class={of.startsWith("−") ? "bad" : ""}>
      {of} <span class="unit">{unit}</span>
    </dd>
  </div>
)

const Figures = ({ of }: { of: AccountMargin }): JSX.Element => {
  const { currency, equity, freeMargin, maintenanceMargin, maintenanceMarginFraction, marginFraction, pnl, value } = of
  const amount = (text: string): string => signed(text, 2).replace("+", "")
  return (
    <dl class="figures">
      <Figure name="Equity, without profit" of={amount(equity)} unit={currency} />
      <Figure name="Unrealized profit" of={signed(pnl, 2)} unit={currency} />
      <Figure name="Margin used" of={amount(of.margin)} unit={currency} />
      <Figure name="Free margin" of={amount(freeMargin)} unit={currency} />
      <Figure name="Maintenance margin" of={amount(maintenanceMargin)} unit={currency} />
      <Figure name="Value of positions" of={amount(value)} unit={currency} />
      <Figure name="Margin fraction" of={marginFraction === undefined ? "–" : percent(marginFraction, 2)} />
      <Figure
        name="Maintenance fraction"
        of={maintenanceMarginFraction === undefined ? "–" : percent(maintenanceMarginFraction, 2)}
      />
    </dl>
  )
}

/** The account's margin and margin settings. */
export const Margin = (): JSX.Element => {
  const of = margin.value
  const isKnown = of?.account === account.value
  return (
    <section class="card" aria-label="Margin">
      <h2>
        Margin {isKnown && of.state !== undefined ? <span class="tag bad">{stateOf[of.state]}</span> : null}
      </h2>
      {isKnown
        ? (
          <>
            <Warning of={of} />
            <Settings of={of} />
            <Figures of={of} />
          </>
        )
        : <p class="soft">Loading…</p>}
      <Policy />
    </section>
  )
}

const sideOf = (amount: string): JSX.Element => (
  <span class={Number(amount) < 0 ? "bad" : "good"}>{directionOf(amount)}</span>
)

/**
 * Closes a position with a signed call. Reads the position again afterwards, because the response does not say how much
 * of the position was closed.
 */
const close = async ({ account, amount, id, market }: OpenPosition): Promise<void> => {
  await callAs(account, "ClosePosition.close", { market, positionId: id })
  const left = (await get<ReadonlyArray<OpenPosition>>("Positions", { account })).find((one) => one.id === id)
  if (left === undefined) return
  const { stock } = unitsOf(market)
  await readNow("account", "market")
  throw new Error(
    `The book had too few orders: ${sizeOf(left.amount)} of ${sizeOf(amount)} ${stock} is still open. ` +
      (summaryOf(market)?.quoted === true ? "Try again." : "Let the counterparty quote, under Order book.")
  )
}

const directionOf = (amount: string): "long" | "short" => Number(amount) < 0 ? "short" : "long"

/** Asks the user before closing a position, because this can't be undone. */
const askToClose = (position: OpenPosition): void => {
  const { account, amount, market, pnl } = position
  const { money, stock } = unitsOf(market)
  const [direction, size] = [directionOf(amount), `${sizeOf(amount)} ${stock}`]
  ask({
    title: `Close the ${direction} position of ${account} on ${market}?`,
    words: `A market order ${direction === "long" ? "sells" : "buys"} ${size} at the best prices in the order book. ` +
      `At the mark price, the unrealized profit is ${signed(pnl, 2)} ${money}. Closing the position also cancels its ` +
      "take-profit and stop-loss.",
    verb: "Close position",
    does: () => void act(`The position on ${market} is closed`, () => close(position), "account", "market")
  })
}

const Price = ({ of, position: { market } }: { of: string | undefined; position: OpenPosition }): JSX.Element | null =>
  of === undefined ? null : <Amount of={of} unit={unitsOf(market).money} digits={priceDigits(market)} />

const fundingOf = ({ funding, market }: OpenPosition): ComponentChildren =>
  Number(funding) === 0 ? "none" : (
    <>
      {Number(funding) < 0 ? "received" : "paid"} <Amount of={sizeOf(funding)} unit={unitsOf(market).money} />
    </>
  )

const nextOf = ({ market }: OpenPosition): ComponentChildren => {
  const found = summaryOf(market)
  return found?.fundingRate === undefined ? "interest, daily" : <NextFunding of={found} />
}

/** The columns of the position table, with their headers and cells. */
const columns: ReadonlyArray<readonly [head: string, cell: (position: OpenPosition) => ComponentChildren]> = [
  ["Market", ({ market, state }) => (
    <>
      {market} {state === undefined ? null : <span class="tag bad">{stateOf[state]}</span>}
    </>
  )],
  ["Side", ({ amount }) => sideOf(amount)],
  ["Size", ({ amount, market }) => <Amount of={sizeOf(amount)} unit={unitsOf(market).stock} />],
  ["Entry", (position) => <Price of={entryOf(position)} position={position} />],
  ["Mark", (position) => <Price of={summaryOf(position.market)?.mark} position={position} />],
  [
    "Liquidation",
    (position) =>
      position.liquidationPrice === undefined ? "none" : <Price of={position.liquidationPrice} position={position} />
  ],
  ["Profit", ({ market, pnl }) => (
    <span class={Number(pnl) < 0 ? "bad" : "good"}>
      {signed(pnl, 2)} <span class="unit">{unitsOf(market).money}</span>
    </span>
  )],
  ["Funding so far", fundingOf],
  ["Next funding", nextOf],
  ["Action", (position) => (
    <button
      type="button"
      aria-label={`Close the ${directionOf(position.amount)} position on ${position.market}`}
      disabled={lookedAt.value !== undefined}
      onClick={() => askToClose(position)}
    >
      Close…
    </button>
  )]
]

const alignOf = (column: number): string => column < 2 ? "" : "num"

/** The account's open positions, valued at the mark price. */
export const Positions = (): JSX.Element => (
  <section class="card" aria-label="Positions">
    <h2>
      Positions {positions.value.length === 0 ? null : <span class="soft">at the mark price</span>}
    </h2>
    {positions.value.length === 0 ? <p class="soft">None.</p> : (
      <div class="scroll-x">
        <table class="six positions">
          <thead>
            <tr>{columns.map(([head], column) => <th key={head} class={alignOf(column)}>{head}</th>)}</tr>
          </thead>
          <tbody>
            {positions.value.map((position) => (
              <tr key={`${position.market} ${position.side}`}>
                {columns.map(([head, cell], column) => (
                  <td key={head} data-name={head} class={alignOf(column)}>{cell(position)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    )}
  </section>
)

/** The maximum number of margin events that the sandbox returns. */
const mostEvents = 100

const grave: ReadonlySet<string> = new Set(["MarginCalled", "LiquidationStarted", "Deleveraged", "DebtLeft"])

/** The history of the account's margin. Opening a row shows the exchange as it was after the row's command. */
export const MarginEvents = (): JSX.Element => (
  <section class="card" aria-label="Margin events">
    <h2>
      Margin events {marginEvents.value.length < mostEvents ? null : <span class="soft">latest {mostEvents}</span>}
    </h2>
    <Rows
      label="Margin events"
      className="margins"
      count={marginEvents.value.length}
      lines={8}
      mediumHeight={30}
      head={["#", "Time", "What happened"]}
      empty="None since the sandbox was started. Funding, margin calls, liquidations and ADL appear here."
      keyOf={(index) => `${marginEvents.value[index]?.sequence ?? 0} ${marginEvents.value.length - index}`}
      onOpen={(index) => {
        const opened = marginEvents.value[index]
        if (opened !== undefined) showCommand(opened.sequence)
      }}
      row={(index) => {
        const shown = marginEvents.value[index]
        return shown === undefined ? null : (
          <>
            <Cell class="num soft">{shown.sequence}</Cell>
            <Cell class="soft">{dateAndTimeOf(shown.at).slice(5)}</Cell>
            <Cell class={grave.has(shown.event._tag) ? "bad" : ""}>{happenedOf(shown.event)}</Cell>
          </>
        )
      }}
    />
  </section>
)

/** Describes what a journal command did, and what happened to an account's margin, in plain English. */
import type { CommandSummary } from "../../control/CommandHistory.ts"
import type { MarginEvent } from "../../control/MarginViews.ts"
import { number, percent, sizeOf, text, words } from "./format.ts"
import { margin, unitsOf } from "./store.ts"

type Fields = CommandSummary["fields"]

const named = ({ clientOrderId, orderId }: Fields): string =>
  clientOrderId === undefined ? `#${orderId}` : `${clientOrderId}`

const priced = ({ market, price }: Fields): string => `${number(price)} ${unitsOf(String(market)).money}`

/** An order's side, amount and market, such as "buy 0.01 on BTC_USDT". */
const sized = ({ amount, market, side }: Fields): string => `${side} ${number(amount)} on ${market}`

const id = ({ clientOrderId }: Fields): string => clientOrderId === undefined ? "" : `, ${clientOrderId}`

/** Says that the owner has set a reference price, or has let it follow the market again. */
const referred = (name: "index" | "mark") => (fields: Fields): string =>
  fields["price"] === undefined
    ? `the ${name} price of ${fields["market"]} follows the market again`
    : `the ${name} price of ${fields["market"]} is set to ${priced(fields)}`

/** Describes the funding terms that the owner has set. */
const funded = ({ intervalMinutes, market, rate }: Fields): string =>
  [
    `the funding of ${market} is set`,
    ...(rate === undefined ? [] : [`rate ${percent(rate)}`]),
    ...(intervalMinutes === undefined ? [] : [`every ${intervalMinutes} minutes`])
  ].join(", ")

/** The descriptions of actions and operations. Any other command is described by its name and fields. */
const sentences: Readonly<Record<string, (fields: Fields) => string>> = {
  Nothing: () => "a call that changes nothing",
  Pass: () => "everything due was carried out",
  PlaceLimit: (fields) =>
    `limit ${sized(fields)}${fields["price"] === undefined ? "" : ` at ${priced(fields)}`}${id(fields)}`,
  PlaceMarket: (fields) => `market ${sized(fields)}${id(fields)}`,
  PlaceStopLimit: (fields) =>
    `stop limit ${sized(fields)} at ${priced(fields)}, triggered at ${number(fields["activationPrice"])}${id(fields)}`,
  PlaceStopMarket: (fields) =>
    `stop market ${sized(fields)}, triggered at ${number(fields["activationPrice"])}${id(fields)}`,
  PlaceOco: (fields) =>
    `OCO ${sized(fields)} at ${priced(fields)}, stop triggered at ${number(fields["activationPrice"])}${id(fields)}`,
  PlaceBulk: () => "several limit orders",
  CancelBulk: () => "cancels several orders",
  Modify: (fields) => `modifies order ${named(fields)}`,
  Cancel: (fields) => `cancels order ${named(fields)}`,
  CancelOco: (fields) => `cancels OCO ${named(fields)}`,
  CancelAll: ({ market }) => `cancels all orders${market === undefined ? "" : ` on ${market}`}`,
  MovePrice: (fields) => `the price of ${fields["market"]} moves to ${priced(fields)}`,
  StepPrice: ({ by, market }) => `the price of ${market} moves by ${number(by)} ${unitsOf(String(market)).money}`,
  MoveIndex: referred("index"),
  MoveMark: referred("mark"),
  SetFunding: funded,
  SetMargin: () => "the margin policy changes",
  SetInsurance: ({ amount, ticker }) => `the insurance account now has ${number(amount)} ${ticker}`,
  SetLeverage: ({ leverage }) => `leverage of ${leverage}×`,
  SetHedgeMode: () => "switches between hedge mode and one-way mode",
  ClosePosition: ({ market }) => `closes the position on ${market}`,
  OpenPosition: (fields) =>
    `a position is opened: ${sized(fields)}${fields["price"] === undefined ? "" : ` at ${priced(fields)}`}`,
  PlayPrices: ({ market }) => `a price script plays on ${market}`,
  Fund: ({ amount, ticker, wallet }) => `${number(amount)} ${ticker} credited to the ${wallet} wallet`,
  Restore: ({ sequence }) => sequence === 0 ? "back to the beginning" : `back to the state after command ${sequence}`,
  Begin: () => "end of the setup, to which a reset returns",
  SetClock: () => "the clock is set"
}

/** The consequences of a command that are worth mentioning, keyed by event tag. */
const consequences: Readonly<Record<string, readonly [one: string, many: string]>> = {
  Traded: ["trade", "trades"],
  OrderActivated: ["stop order triggered", "stop orders triggered"],
  InterestPaid: ["interest payment", "interest payments"],
  KillSwitchFired: ["kill switch fired", "kill switches fired"],
  MarginCalled: ["margin call", "margin calls"],
  LiquidationStarted: ["liquidation", "liquidations"],
  Deleveraged: ["position deleveraged", "positions deleveraged"],
  FundingPaid: ["funding payment", "funding payments"],
  BorrowInterestPaid: ["payment of interest on a position", "payments of interest on positions"],
  CollateralConverted: ["sale of collateral", "sales of collateral"],
  InsurancePaid: ["payment by the insurance account", "payments by the insurance account"],
  DebtLeft: ["debt left", "debts left"]
}

const consequencesOf = ({ events = {} }: CommandSummary): ReadonlyArray<string> =>
  Object.entries(consequences).flatMap(([tag, [one, many]]) => {
    const count = events[tag] ?? 0
    return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`]
  })

/** Describes what a command did, and what it caused. */
export const sentenceOf = (command: CommandSummary): string => {
  const { action, changed, fields } = command
  const others = Object.entries(fields).map(([name, value]) => `${name} ${text(value)}`).join(", ")
  const what = sentences[action]?.(fields) ?? [words(action), others].filter((part) => part !== "").join(": ")
  const isRefused = changed === false && action !== "Nothing"
  return [what, ...(isRefused ? ["refused"] : []), ...consequencesOf(command)].join(" · ")
}

type OfMargin = MarginEvent["event"]

const unitOf = (market: string): string => unitsOf(market).money

/** The descriptions of events that concern an account's margin. */
const happened: { readonly [Tag in OfMargin["_tag"]]: (event: Extract<OfMargin, { readonly _tag: Tag }>) => string } = {
  LeverageChanged: ({ leverage }) => `Leverage is now ${leverage}×`,
  HedgeModeChanged: ({ hedgeMode }) => hedgeMode ? "Hedge mode is on" : "Hedge mode is off",
  PositionChanged: ({ amount, market }) =>
    Number(amount) === 0
      ? `Position on ${market} closed`
      : `Position on ${market} is now ${Number(amount) < 0 ? "short" : "long"} ${sizeOf(amount)} ${
        unitsOf(market).stock
      }`,
  FundingPaid: ({ amount, market }) =>
    Number(amount) === 0
      ? `No funding to pay on ${market}`
      : `Funding on ${market}: ${Number(amount) < 0 ? "paid" : "received"} ${sizeOf(amount)} ${unitOf(market)}`,
  BorrowInterestPaid: ({ amount, market }) =>
    `Interest on the position on ${market}: paid ${number(amount)} ${unitOf(market)}`,
  MarginCalled: () => "Margin call: too little equity for the positions",
  MarginRestored: () => "Margin restored: no margin call, no liquidation",
  LiquidationStarted: () => "Liquidation: the exchange closes positions",
  Deleveraged: ({ amount, market, order, price }) =>
    `Deleveraged (ADL): ${number(amount)} ${unitsOf(market).stock} on ${market} closed at ${number(price)} ${
      unitOf(market)
    } by order #${order}`,
  CollateralConverted: ({ amount, received, ticker }) =>
    `Collateral sold to pay a debt: ${number(amount)} ${ticker} for ${number(received)} ${
      margin.value?.currency ?? ""
    }`,
  InsurancePaid: ({ amount, ticker }) => `The insurance account paid ${number(amount)} ${ticker} of the debt`,
  DebtLeft: ({ amount, ticker }) => `Debt left: the account owes ${number(amount)} ${ticker}`
}

/** Whether an event of the feed concerns an account's margin. */
export const isOfMargin = (event: { readonly _tag: string }): event is OfMargin => event._tag in happened

/** Describes an event that concerns an account's margin. */
export const happenedOf = (event: { readonly _tag: string }): string =>
  // The cast is safe: each tag has a description for its own event.
  isOfMargin(event) ? (happened[event._tag] as (event: OfMargin) => string)(event) : words(event._tag)

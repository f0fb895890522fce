/** What a command of the journal did, in words. */
import type { CommandSummary } from "../../control/CommandHistory.ts"
import { number, text, words } from "./format.ts"
import { unitsOf } from "./store.ts"

type Fields = CommandSummary["fields"]

const named = ({ clientOrderId, orderId }: Fields): string =>
  clientOrderId === undefined ? `#${orderId}` : `${clientOrderId}`

const priced = ({ market, price }: Fields): string => `${number(price)} ${unitsOf(String(market)).money}`

/** An order's side and amount, such as "buy 0.01 BTC_USDT". */
const sized = ({ amount, market, side }: Fields): string => `${side} ${number(amount)} on ${market}`

const id = ({ clientOrderId }: Fields): string => clientOrderId === undefined ? "" : `, ${clientOrderId}`

/** The words for each action and operation. Others are described by their fields. */
const sentences: Readonly<Record<string, (fields: Fields) => string>> = {
  Nothing: () => "a call that changes nothing",
  Pass: () => "what was due happened",
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
  PlayPrices: ({ market }) => `a price script plays on ${market}`,
  Fund: ({ amount, ticker, wallet }) => `${number(amount)} ${ticker} credited to the ${wallet} wallet`,
  Restore: ({ sequence }) => sequence === 0 ? "back to the beginning" : `back to the state after command ${sequence}`,
  Begin: () => "end of the setup, to which a reset returns",
  SetClock: () => "the clock is set"
}

/** The consequences of a command that are worth a mention. */
const consequences: Readonly<Record<string, readonly [one: string, many: string]>> = {
  Traded: ["trade", "trades"],
  OrderActivated: ["stop order triggered", "stop orders triggered"],
  InterestPaid: ["interest payment", "interest payments"],
  KillSwitchFired: ["kill switch fired", "kill switches fired"]
}

const consequencesOf = ({ events = {} }: CommandSummary): ReadonlyArray<string> =>
  Object.entries(consequences).flatMap(([tag, [one, many]]) => {
    const count = events[tag] ?? 0
    return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`]
  })

/** What a command did and caused. */
export const sentenceOf = (command: CommandSummary): string => {
  const { action, changed, fields } = command
  const others = Object.entries(fields).map(([name, value]) => `${name} ${text(value)}`).join(", ")
  const what = sentences[action]?.(fields) ?? [words(action), others].filter((part) => part !== "").join(": ")
  const isRefused = changed === false && action !== "Nothing"
  return [what, ...(isRefused ? ["refused"] : []), ...consequencesOf(command)].join(" · ")
}

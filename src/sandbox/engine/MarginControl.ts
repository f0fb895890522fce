/**
 * Applies the owner actions for margin trading: index and mark prices, the margin policy, and the insurance account.
 */
import * as Decimal from "../../domain/Decimal.ts"
import { leverages } from "../../domain/Margin.ts"
import type { MarginPolicy } from "../../domain/VenuePolicy.ts"
import type { Action } from "./Command.ts"
import * as Ledger from "./Ledger.ts"
import * as ReferencePrices from "./ReferencePrices.ts"
import * as Reply from "./Reply.ts"
import type { State } from "./State.ts"
import * as Units from "./Units.ts"
import type { Work } from "./Work.ts"

type Of<Tag extends Action["_tag"]> = Extract<Action, { readonly _tag: Tag }>

const tooFine = { kind: "precision", step: "0.000000000000000001" } as const

/** Fixes a market's index price or mark price, or lets the price follow the market again. */
export const moveReference = (
  { state }: Work,
  { _tag, market, price }: Of<"MoveIndex" | "MoveMark">
): Reply.Reply => {
  const trading = state.trading.get(market)
  if (trading === undefined) return Reply.invalid(["market", { kind: "known" }])
  const units = price === null ? undefined : Units.from(price)
  if (price !== null && units === undefined) return Reply.invalid(["price", tooFine])
  trading[_tag === "MoveIndex" ? "indexPrice" : "markPrice"] = units
  ReferencePrices.referenceMoved(state, market)
  return Reply.done
}

/** The minimum and maximum values of a margin policy's ratios, in hundredths. */
const bounds: { readonly [Field in keyof MarginPolicy]?: readonly [least: bigint, most: bigint] } = {
  maintenanceShare: [1n, 100n],
  callRatio: [100n, 1000n],
  partialShare: [1n, 100n],
  liquidationFee: [0n, 10n],
  fundingClamp: [0n, 100n],
  borrowRate: [0n, 100n]
}

const wrong = (action: Of<"SetMargin">): Reply.Reply | undefined => {
  for (const [field, [least, most]] of Object.entries(bounds)) {
    const value = action[field as keyof typeof bounds]
    const units = value === undefined ? undefined : Units.from(value as Decimal.Decimal)
    if (value === undefined) continue
    if (units === undefined) return Reply.invalid([field, tooFine])
    if (units * 100n < least * Units.one) return Reply.invalid([field, { kind: "min", min: Number(least) / 100 }])
    if (units * 100n > most * Units.one) return Reply.invalid([field, { kind: "max", max: Number(most) / 100 }])
  }
  for (const field of ["defaultLeverage", "marginMaxLeverage"] as const) {
    const value = action[field]
    if (value !== undefined && !leverages.some((leverage) => leverage === value)) {
      return Reply.invalid([field, { kind: "oneOf", values: leverages.map(String) }])
    }
  }
  return undefined
}

/** Changes the margin policy and the weights of collateral assets. Rechecks every account that has positions. */
export const setMargin = ({ state }: Work, action: Of<"SetMargin">): Reply.Reply => {
  const refused = wrong(action)
  if (refused !== undefined) return refused
  const { _tag, weights = [], ...changes } = action
  for (const { ticker, weight } of weights) {
    const units = Units.from(weight)
    const isListed = state.currencies.some((currency) => currency.ticker === ticker)
    if (!isListed) return Reply.invalid(["weights", { kind: "known" }])
    if (units === undefined || units < 0n || units > Units.one)
      return Reply.invalid(["weights", { kind: "max", max: 1 }])
  }
  for (const { ticker, weight } of weights) state.weights.set(ticker, Units.from(weight) ?? 0n)
  state.margin = { ...state.margin, ...changes }
  checkAll(state)
  return Reply.done
}

const checkAll = ({ positionsOf, watches }: State): void => {
  for (const account of positionsOf.keys()) watches.dirty.add(account)
}

/** Sets the insurance account's balance of an asset. The difference comes from outside the exchange. */
export const setInsurance = ({ state }: Work, { amount, ticker }: Of<"SetInsurance">): Reply.Reply => {
  const { ledger } = state
  const units = Units.from(amount)
  if (!state.currencies.some((currency) => currency.ticker === ticker))
    return Reply.invalid(["ticker", { kind: "known" }])
  if (units === undefined) return Reply.invalid(["amount", tooFine])
  if (units < 0n) return Reply.invalid(["amount", { kind: "min", min: 0 }])
  const more = units - Ledger.balance(ledger, "insurance", ticker)
  if (more >= 0n) Ledger.transfer(ledger, "outside", "insurance", ticker, more)
  else Ledger.transfer(ledger, "insurance", "outside", ticker, -more)
  return Reply.done
}

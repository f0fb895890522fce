/**
 * The exchange as a state machine, which takes commands and returns replies and events. The machine has no clock, no
 * randomness and no I/O, so the same commands always produce the same state, replies and events.
 */
import { UnixSeconds } from "../../domain/Time.ts"
import * as Accounts from "./Accounts.ts"
import * as Bulk from "./Bulk.ts"
import * as Cancellation from "./Cancellation.ts"
import type { Action, Command } from "./Command.ts"
import * as Counterparty from "./Counterparty.ts"
import * as Coverage from "./Coverage.ts"
import * as Event from "./Event.ts"
import * as Fundings from "./Fundings.ts"
import * as KillSwitches from "./KillSwitches.ts"
import * as Ledger from "./Ledger.ts"
import * as Lending from "./Lending.ts"
import * as Liquidation from "./Liquidation.ts"
import * as MarginControl from "./MarginControl.ts"
import * as Modes from "./Modes.ts"
import * as Modification from "./Modification.ts"
import * as Nonces from "./Nonces.ts"
import type { Operation } from "./Operation.ts"
import * as Orders from "./Orders.ts"
import * as Positions from "./Positions.ts"
import * as Quotes from "./Quotes.ts"
import * as Reply from "./Reply.ts"
import * as Schedule from "./Schedule.ts"
import * as Settlement from "./Settlement.ts"
import type { PriceStep, State } from "./State.ts"
import * as Times from "./Times.ts"
import * as Units from "./Units.ts"
import type { Work } from "./Work.ts"

const applyOperation = (work: Work, account: string, operation: Operation): Reply.Reply => {
  switch (operation._tag) {
    case "Nothing":
      return Reply.done
    case "PlaceLimit":
      return Orders.placeLimit(work, account, operation)
    case "PlaceMarket":
      return Orders.placeMarket(work, account, operation)
    case "PlaceStopLimit":
      return Orders.placeStopLimit(work, account, operation)
    case "PlaceStopMarket":
      return Orders.placeStopMarket(work, account, operation)
    case "PlaceOco":
      return Orders.placeOco(work, account, operation)
    case "PlaceBulk":
      return Bulk.place(work, account, operation)
    case "CancelBulk":
      return Bulk.cancel(work, account, operation)
    case "Modify":
      return Modification.modify(work, account, operation)
    case "Cancel":
      return Cancellation.cancel(work, account, operation)
    case "CancelOco":
      return Cancellation.cancelOco(work, account, operation)
    case "CancelOto":
      return Cancellation.cancelOto(work, account, operation)
    case "CancelConditional":
      return Cancellation.cancelConditional(work, account, operation)
    case "CancelAll":
      return Cancellation.cancelAll(work, account, operation)
    case "SetKillSwitch":
      return KillSwitches.set(work, account, operation)
    case "Transfer":
      return Accounts.transfer(work.state, account, operation)
    case "CreateCode":
      return Accounts.createOwnCode(work.state, account, operation)
    case "ApplyCode":
      return Accounts.applyCode(work.state, account, operation)
    case "CreateSubAccount":
      return Accounts.createSubAccount(work.state, account, operation)
    case "CreateSubAccountKey":
      return Accounts.createSubAccountKey(work.state, account, operation, work.at)
    case "DeleteSubAccount":
      return Accounts.deleteSubAccount(work, account, operation)
    case "SetLeverage":
      return Modes.setLeverage(work, account, operation)
    case "SetHedgeMode":
      return Modes.setHedgeMode(work, account, operation)
    case "ClosePosition":
      return Modes.closePosition(work, account, operation)
  }
}

const applyCall = (
  work: Work,
  { apiKey, nonce, operation }: Extract<Action, { readonly _tag: "Call" }>
): Reply.Reply => {
  const { at, state } = work
  const key = state.keys.get(apiKey)
  if (key === undefined) return Reply.refused("notFound")
  if (nonce !== undefined) {
    const used = Nonces.use(state.policy, key, nonce, at)
    if (used !== "used") return Reply.refused(used)
  }
  const seconds = Math.floor(at / 1e6)
  if (seconds !== key.lastActivity) key.lastActivity = UnixSeconds.make(seconds)
  return applyOperation(work, key.account, operation)
}

type Of<Tag extends Action["_tag"]> = Extract<Action, { readonly _tag: Tag }>

const unknownMarket = Reply.invalid(["market", { kind: "known" }])

const tooFine = { kind: "precision", step: "0.000000000000000001" } as const

const movePrice = (work: Work, { market: name, price }: Of<"MovePrice">): Reply.Reply => {
  const market = work.state.markets.get(name)
  const units = Units.from(price)
  if (market === undefined) return unknownMarket
  if (units === undefined) return Reply.invalid(["price", tooFine])
  Counterparty.movePrice(work, market, units)
  return Reply.done
}

const stepPrice = (work: Work, { by, market: name }: Of<"StepPrice">): Reply.Reply => {
  const market = work.state.markets.get(name)
  const last = work.state.trading.get(name)?.lastPrice
  if (market === undefined || last === undefined) return unknownMarket
  const units = Units.from(by)
  if (units === undefined) return Reply.invalid(["by", tooFine])
  if (last + units <= 0n) return Reply.invalid(["by", { kind: "positive" }])
  Counterparty.movePrice(work, market, last + units)
  return Reply.done
}

const playPrices = ({ at, state }: Work, { market, steps }: Of<"PlayPrices">): Reply.Reply => {
  if (!state.markets.has(market)) return unknownMarket
  const played: Array<PriceStep> = []
  let time = at
  for (const { afterMillis, price } of steps) {
    const units = Units.from(price)
    if (units === undefined) return Reply.invalid(["steps", tooFine])
    time += afterMillis * 1000
    if (time > Times.latest) return Reply.invalid(["steps", { kind: "max", max: Times.latest }])
    played.push({ at: time, market, price: units })
  }
  for (const step of played) Schedule.addPrice(state, step)
  return Reply.done
}

const openPosition = (work: Work, action: Of<"OpenPosition">): Reply.Reply => {
  const { state } = work
  const market = state.markets.get(action.market)
  if (market === undefined) return unknownMarket
  if (!market.isCollateral && market.type !== "futures") return unknownMarket
  if (!state.accounts.has(action.account)) return Reply.invalid(["account", { kind: "known" }])
  const amount = Units.from(action.amount)
  if (amount === undefined) return Reply.invalid(["amount", tooFine])
  const price = action.price === undefined ? state.trading.get(action.market)?.lastPrice : Units.from(action.price)
  if (price === undefined) return Reply.invalid(["price", action.price === undefined ? { kind: "required" } : tooFine])
  // In hedge mode, a buy opens the long position, and a sell opens the short position.
  const trader = { account: action.account, market: market.name, side: action.side, reduceOnly: false }
  if (!Coverage.isCovered(state, trader, market, { quantity: amount, price })) {
    return Reply.refused("notEnoughBalance", ["amount", { kind: "balance" }])
  }
  Positions.fill(work, trader, market, { quantity: amount, price, fee: 0n, cause: "owner", order: undefined })
  Settlement.afterPosition(work, action.account, market)
  return Reply.done
}

/**
 * The engine's version. Increment it whenever the format of the state changes, or the same commands produce a different
 * state. A journal can be read only by the engine version that wrote it.
 */
export const version = 9

/** Applies one command. First applies every scheduled event that is due by the command's time. */
export const apply = (
  state: State,
  { action, at }: Command
): { readonly reply: Reply.Reply; readonly events: ReadonlyArray<Event.Event> } => {
  const events: Array<Event.Event> = []
  const work: Work = { state, at, events }
  Schedule.applyDue(work)
  state.at = at
  const reply = applyAction(work, action)
  Liquidation.settle(work)
  Counterparty.refill(work)
  Ledger.takeChanges(state.ledger, Event.balanceChanged, events)
  return { reply, events }
}

const applyAction = (work: Work, action: Action): Reply.Reply => {
  const { at, state } = work
  switch (action._tag) {
    case "Call":
      return applyCall(work, action)
    case "OpenAccount":
      return Accounts.openAccount(state, action)
    case "SetAccount":
      return Accounts.setAccount(state, action)
    case "OpenSubAccount":
      return Accounts.openSubAccount(state, action)
    case "SetSubAccount":
      return Accounts.setSubAccount(state, action)
    case "AddKey":
      return Accounts.addKey(state, action, at)
    case "SetKey":
      return Accounts.setKey(state, action)
    case "SetCurrency":
      return Accounts.setCurrency(state, action)
    case "Fund":
      return action.account === Quotes.account ? Counterparty.fund(work, action) : Accounts.fund(state, action)
    case "CreateCode":
      return Accounts.createCode(state, action)
    case "PayInterest":
      return Lending.payInterest(work, action)
    case "OpenPlan":
      return Lending.openPlan(state, action)
    case "Invest":
      return Lending.invest(state, action, at)
    case "MovePrice":
      return movePrice(work, action)
    case "StepPrice":
      return stepPrice(work, action)
    case "PlayPrices":
      return playPrices(work, action)
    case "OpenPosition":
      return openPosition(work, action)
    case "SetCounterparty":
      return Counterparty.set(work, action)
    case "MoveIndex":
    case "MoveMark":
      return MarginControl.moveReference(work, action)
    case "SetFunding":
      return Fundings.set(work, action)
    case "SetMargin":
      return MarginControl.setMargin(work, action)
    case "SetInsurance":
      return MarginControl.setInsurance(work, action)
    case "SetClock":
      state.clock = action.clock
      return Reply.done
    case "SetIdentity":
      state.identity = action.identity
      return Reply.done
    case "SetSkew":
      state.skew = action.skew
      return Reply.done
    // `Pass` only advances the clock, which `apply` has already done. `History` handles `Restore` and `Begin`.
    case "Pass":
    case "Restore":
    case "Begin":
      return Reply.done
  }
}

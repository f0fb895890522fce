/**
 * The exchange as a state machine: a command with its time goes in, a reply and events come out. No clock, no chance, no
 * input or output of its own: the same commands make the same state, the same replies and the same events.
 *
 * @since 0.1.0
 */
import { UnixSeconds } from "../../domain/Time.ts"
import * as Accounts from "./Accounts.ts"
import type { Action, Command, Operation } from "./Command.ts"
import type { Event } from "./Event.ts"
import * as Lending from "./Lending.ts"
import * as Matching from "./Matching.ts"
import * as Nonces from "./Nonces.ts"
import * as Orders from "./Orders.ts"
import * as Reply from "./Reply.ts"
import type { State } from "./State.ts"
import * as Units from "./Units.ts"

const operate = (work: Matching.Work, account: string, operation: Operation): Reply.Reply => {
  switch (operation._tag) {
    case "Nothing":
      return Reply.done
    case "PlaceLimit":
      return Orders.placeLimit(work, account, operation)
    case "PlaceMarket":
      return Orders.placeMarket(work, account, operation)
    case "PlaceStopLimit":
      return Orders.placeStopLimit(work, account, operation)
    case "PlaceOco":
      return Orders.placeOco(work, account, operation)
    case "Cancel":
      return Orders.cancel(work, account, operation)
    case "CancelOco":
      return Orders.cancelOco(work, account, operation)
    case "CancelAll":
      return Orders.cancelAll(work, account, operation)
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
  }
}

const call = (
  work: Matching.Work,
  { apiKey, nonce, operation }: Extract<Action, { readonly _tag: "Call" }>
): Reply.Reply => {
  const { at, state } = work
  const key = state.keys.get(apiKey)
  if (key === undefined) return Reply.refused("notFound")
  if (nonce !== undefined) {
    const used = Nonces.use(state.rules, key, nonce, at)
    if (used !== "used") return Reply.refused(used)
  }
  key.lastActivity = UnixSeconds.make(Math.floor(at / 1e6))
  return operate(work, key.account, operation)
}

const movePrice = (
  work: Matching.Work,
  { market: name, price }: Extract<Action, { readonly _tag: "MovePrice" }>
): Reply.Reply => {
  const market = work.state.markets.get(name)
  const units = Units.from(price)
  if (market === undefined || units === undefined) return Reply.invalid(["market", { rule: "known" }])
  Matching.movePrice(work, market, units)
  return Reply.done
}

/**
 * Applies one command, after everything that has come due by its time.
 *
 * @category engine
 * @since 0.1.0
 */
export const apply = (
  state: State,
  { action, at }: Command
): { readonly reply: Reply.Reply; readonly events: ReadonlyArray<Event> } => {
  const events: Array<Event> = []
  const work: Matching.Work = { state, at, emit: (event) => events.push(event) }
  Lending.accrue(state, at)
  return { reply: act(work, action), events }
}

const act = (work: Matching.Work, action: Action): Reply.Reply => {
  const { at, state } = work
  switch (action._tag) {
    case "Call":
      return call(work, action)
    case "OpenAccount":
      return Accounts.openAccount(state, action)
    case "OpenSubAccount":
      return Accounts.openSubAccount(state, action)
    case "AddKey":
      return Accounts.addKey(state, action, at)
    case "SetKey":
      return Accounts.setKey(state, action)
    case "Fund":
      return Accounts.fund(state, action)
    case "CreateCode":
      return Accounts.createCode(state, action)
    case "PayInterest":
      return Lending.payInterest(state, action, at)
    case "OpenPlan":
      return Lending.openPlan(state, action)
    case "Invest":
      return Lending.invest(state, action, at)
    case "MovePrice":
      return movePrice(work, action)
  }
}

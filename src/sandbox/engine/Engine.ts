/**
 * The exchange as a state machine: a command with its time goes in, a reply comes out. No clock, no chance, no input or
 * output of its own: the same commands make the same state and the same replies.
 *
 * @since 0.1.0
 */
import { UnixSeconds } from "../../domain/Time.ts"
import * as Accounts from "./Accounts.ts"
import type { Action, Command, Operation } from "./Command.ts"
import * as Nonces from "./Nonces.ts"
import * as Orders from "./Orders.ts"
import * as Reply from "./Reply.ts"
import type { State } from "./State.ts"

const operate = (state: State, account: string, operation: Operation, at: number): Reply.Reply => {
  switch (operation._tag) {
    case "Nothing":
      return Reply.done
    case "PlaceStopLimit":
      return Orders.placeStopLimit(state, account, operation, at)
    case "PlaceOco":
      return Orders.placeOco(state, account, operation, at)
    case "CancelAll":
      return Orders.cancelAll(state, account, operation, at)
    case "ApplyCode":
      return Accounts.applyCode(state, account, operation)
    case "DeleteSubAccount":
      return Accounts.deleteSubAccount(state, account, operation, at)
  }
}

const call = (
  state: State,
  { apiKey, nonce, operation }: Extract<Action, { readonly _tag: "Call" }>,
  at: number
): Reply.Reply => {
  const key = state.keys.get(apiKey)
  if (key === undefined) return Reply.refused("notFound")
  if (nonce !== undefined) {
    const used = Nonces.use(state.rules, key, nonce, at)
    if (used !== "used") return Reply.refused(used)
  }
  key.lastActivity = UnixSeconds.make(Math.floor(at / 1e6))
  return operate(state, key.account, operation, at)
}

/**
 * Applies one command.
 *
 * @category engine
 * @since 0.1.0
 */
export const apply = (state: State, { action, at }: Command): Reply.Reply => {
  switch (action._tag) {
    case "Call":
      return call(state, action, at)
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
      return Accounts.payInterest(state, action, at)
  }
}

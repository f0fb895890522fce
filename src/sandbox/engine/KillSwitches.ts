/** Arms, disarms and fires kill switches. */
import type { MarketName } from "../../domain/Identifiers.ts"
import * as Cancellation from "./Cancellation.ts"
import type { KillSwitch } from "./KillSwitch.ts"
import type { Operation } from "./Operation.ts"
import * as Reply from "./Reply.ts"
import type { State } from "./State.ts"
import * as TimerQueue from "./TimerQueue.ts"
import type { Work } from "./Work.ts"

const keyOf = ({ account, market }: Pick<KillSwitch, "account" | "market">): string => `${account}/${market}`

/** Adds an armed kill switch to the state. */
export const add = ({ due, killSwitches }: State, killSwitch: KillSwitch): void => {
  killSwitches.set(keyOf(killSwitch), killSwitch)
  TimerQueue.add(due.killSwitches, killSwitch.firesAt, killSwitch)
}

const remove = ({ due, killSwitches }: State, of: Pick<KillSwitch, "account" | "market">): void => {
  const found = killSwitches.get(keyOf(of))
  if (found === undefined) return
  killSwitches.delete(keyOf(of))
  TimerQueue.remove(due.killSwitches, found)
}

/** An account's kill switches, on one market or on all, in the order in which the exchange lists the markets. */
export const of = ({ killSwitches, markets }: State, account: string, market?: MarketName): ReadonlyArray<KillSwitch> =>
  (market === undefined ? [...markets.keys()] : [market]).flatMap((market) =>
    killSwitches.get(keyOf({ account, market })) ?? []
  )

/** Disarms all of an account's kill switches. */
export const removeAll = (state: State, account: string): void => {
  for (const killSwitch of of(state, account)) remove(state, killSwitch)
}

/**
 * Arms an account's kill switch on a market, replacing one that is already armed. If `seconds` is absent, disarms the
 * kill switch; disarming a kill switch that is not armed is not an error.
 */
export const set = (
  { at, state }: Work,
  account: string,
  { market, seconds, types }: Extract<Operation, { readonly _tag: "SetKillSwitch" }>
): Reply.Reply => {
  if (!state.markets.has(market)) return Reply.invalid(["market", { kind: "known" }])
  remove(state, { account, market })
  if (seconds === undefined) return { _tag: "KillSwitchSet", killSwitch: undefined }
  const killSwitch: KillSwitch = { account, market, types, armedAt: at, firesAt: at + seconds * 1e6 }
  add(state, killSwitch)
  return { _tag: "KillSwitchSet", killSwitch }
}

/** Cancels the orders that an expired kill switch covers, and disarms it. */
export const fire = ({ events, state }: Work, killSwitch: KillSwitch): void => {
  const { account, firesAt, market, types } = killSwitch
  remove(state, killSwitch)
  events.push({ _tag: "KillSwitchFired", account, market })
  Cancellation.cancelOpen({ events, state, at: firesAt }, account, {
    market,
    ...(types === undefined ? {} : { type: types })
  })
}

/**
 * Lists that show a change a moment after it was made. The document does not describe these lists, so it does not say
 * how soon they show an order, a fill or a balance. No rule is broken because of a list that is late.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Target from "../Target.ts"
import * as Paths from "./Paths.ts"
import type { World } from "./World.ts"

/** The time after a change, in milliseconds, by which a list must show it. */
export const bound = 500

/** Applying a code only starts the transaction that changes the main balance, so the main balance can be late too. */
const late: ReadonlyArray<string> = [
  Paths.activeOrders,
  Paths.orderHistory,
  Paths.orderDeals,
  Paths.fills,
  Paths.ocoOrders,
  Paths.tradeBalance,
  Paths.openPositions,
  Paths.conditionalOrders,
  Paths.mainBalance,
  Paths.collateralBalance,
  Paths.subAccounts,
  Paths.apiKeys
]

/** Whether the lists of a target are known to be late. All rules of a check share it. */
export interface Lateness {
  isKnown: boolean
}

/** The calls of one rule, and whether their answers were late. */
export interface Settling extends Pick<World, "call" | "attempt" | "control"> {
  /** Clears the reads of the previous run. */
  readonly begin: Effect.Effect<void>
  /**
   * Whether a list has changed since this run read it, which means that the run has judged a late list. From then on,
   * every read waits until the lists have settled.
   */
  readonly wasLate: Effect.Effect<boolean>
}

/** Makes the calls of one rule. If the target's lists are known to be late, a read waits until they have settled. */
export const make = (
  { attempt, call, control }: Pick<World, "call" | "attempt" | "control">,
  lateness: Lateness
): Settling => {
  /** The last answer of each list that this run has read. */
  const shown = new Map<string, { readonly text: string; readonly again: ReturnType<World["call"]> }>()
  let changedAt = -Infinity
  let isOnTime = false
  const change = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.ensuring(effect, Effect.map(Target.now, (now) => changedAt = now))
  const settled = Effect.flatMap(Target.now, (now) => Effect.sleep(Math.max(0, changedAt + bound - now)))

  const read: World["call"] = (account, path, fields = {}, tampering) =>
    Effect.gen(function*() {
      if (lateness.isKnown) yield* settled
      const again = call(account, path, fields, tampering)
      const answer = yield* again
      const key = JSON.stringify([Redacted.value(account.apiKey), path, fields])
      if (tampering === undefined) shown.set(key, { text: answer.text, again })
      return answer
    })

  const wasLate = Effect.gen(function*() {
    if (lateness.isKnown || isOnTime || shown.size === 0) return false
    yield* settled
    for (const { again, text } of shown.values()) {
      if ((yield* again).text !== text) return lateness.isKnown = true
    }
    isOnTime = true
    return false
  })

  return {
    call: (account, path, fields, tampering) =>
      late.includes(path)
        ? read(account, path, fields, tampering)
        : change(call(account, path, fields, tampering)),
    attempt: (account, path, fields, tampering) => change(attempt(account, path, fields, tampering)),
    control: (action, fields) => change(control(action, fields)),
    begin: Effect.sync(() => shown.clear()),
    wasLate: Effect.orElseSucceed(wasLate, () => false)
  }
}

/**
 * Statements about a program that must hold in every history. The exploration checks them after every command of the
 * exchange, whenever the program calls `say`, and at the end.
 *
 * @example
 * ```ts
 * import { Invariant } from "effect-txc/explore"
 *
 * const fewOrders = Invariant.always(
 *   "at most two orders are open",
 *   ({ openOrders }) => openOrders.length <= 2 || `${openOrders.length} orders are open`
 * )
 * ```
 */
import * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import * as Decimal from "../domain/Decimal.ts"
import type { MarketSummary } from "../sandbox/control/MarketViews.ts"
import type { EndedOrder, OpenOrder } from "../sandbox/control/Views.ts"
import { isQuoteAmount } from "../sandbox/engine/Order.ts"
import * as Units from "../sandbox/engine/Units.ts"
import type { Moment } from "./Moment.ts"

/**
 * The result of a check: `true` if the invariant holds, otherwise the reason why it does not, or `false` without a
 * reason.
 *
 * @category models
 */
export type Judgement = boolean | string

/**
 * A statement about a program that must hold in every history.
 *
 * @category models
 */
export type Invariant = Always | Eventually | AtTheEnd | Reached

/**
 * An invariant that must hold at all times.
 *
 * @category models
 */
export interface Always {
  readonly _tag: "Always"
  /** The invariant as a sentence in the present tense. */
  readonly name: string
  /** Checks the invariant against the current state. */
  readonly holds: (moment: Moment) => Judgement
}

/**
 * An invariant that must hold within a time limit after a condition becomes true. If the program ends while a limit is
 * running, the history goes on until the limit is over, because a program that crashed has not kept its promise. A
 * limit that is still running when the exploration stops the program, at the end of the calm period, is not judged.
 *
 * @category models
 */
export interface Eventually {
  readonly _tag: "Eventually"
  /** The invariant as a sentence in the present tense. */
  readonly name: string
  /** The condition that starts the time limit. The limit ends when `holds` returns `true`, and can then start again. */
  readonly when: (moment: Moment) => boolean
  /** Checks the invariant against the current state. */
  readonly holds: (moment: Moment) => Judgement
  /**
   * The time limit, in milliseconds. If it is no longer than the program's `calm` period, every limit that starts while
   * events happen is judged.
   */
  readonly withinMillis: number
}

/**
 * An invariant that must hold at the end of a history: when the program has ended, or was stopped after a calm period
 * without faults.
 *
 * @category models
 */
export interface AtTheEnd {
  readonly _tag: "AtTheEnd"
  /** The invariant as a sentence in the present tense. */
  readonly name: string
  /** Checks the invariant against the final state. */
  readonly holds: (moment: Moment) => Judgement
}

/**
 * A state that at least one history must reach. If no history reaches it, the other invariants may have held only
 * because nothing happened.
 *
 * @category models
 */
export interface Reached {
  readonly _tag: "Reached"
  /** The state as a sentence in the present tense. */
  readonly name: string
  /** Whether the history has reached the state. */
  readonly when: (moment: Moment) => boolean
}

/**
 * Creates an invariant that must hold at all times.
 *
 * @category constructors
 */
export const always = (name: string, holds: Always["holds"]): Always => ({ _tag: "Always", name, holds })

/**
 * Creates an invariant that must hold within a time limit after a condition becomes true.
 *
 * @category constructors
 */
export const eventually = (
  name: string,
  { holds, when, within }: {
    /**
     * The condition that starts the time limit. The limit ends when `holds` returns `true`, and can then start again.
     */
    readonly when: (moment: Moment) => boolean
    /** Checks the invariant against the current state. */
    readonly holds: (moment: Moment) => Judgement
    /**
     * The time limit. If it is no longer than the program's `calm` period (30 seconds by default), every limit that
     * starts while events happen is judged; a longer limit is judged only if it starts early enough.
     */
    readonly within: Duration.Input
  }
): Eventually => ({
  _tag: "Eventually",
  name,
  when,
  holds,
  withinMillis: Duration.toMillis(Duration.fromInputUnsafe(within))
})

/**
 * Creates an invariant that must hold at the end of a history.
 *
 * @category constructors
 */
export const atTheEnd = (name: string, holds: AtTheEnd["holds"]): AtTheEnd => ({ _tag: "AtTheEnd", name, holds })

/**
 * Requires that at least one history reaches a state.
 *
 * @category constructors
 */
export const reached = (name: string, when: Reached["when"]): Reached => ({ _tag: "Reached", name, when })

/** Returns the default text for the comparison of orders: market, side, type, amount and prices. */
const sameTerms = ({ activationPrice, amount, market, price, side, type }: OpenOrder | EndedOrder): string =>
  [market, side, type, amount, price, activationPrice].filter((term) => term !== undefined).join(" ")

/** The closed orders that `noOrderTwice` has compared so far in a history. They no longer change. */
interface Compared {
  /** The number of closed orders compared. */
  count: number
  /** The id of the first order with each text. */
  readonly ids: Map<string, string>
  /** The first two orders with the same text. */
  twice?: string
}

/**
 * No order is placed twice. Two orders count as the same if `of` returns the same text for both; by default, this text
 * consists of the market, side, type, amount and prices. For a program that places equal orders on purpose, pass
 * another `of`, for example one that returns the client order id without the attempt number.
 *
 * All orders of the program are compared, open and closed, but not the exchange's own orders (liquidation and ADL), and
 * not the order by which the exchange replaces a modified order, which keeps the client order id.
 *
 * @category standard
 */
export const noOrderTwice = (of: (order: OpenOrder | EndedOrder) => string = sameTerms): Always => {
  // Closed orders are compared once, because comparing all of them at every check would make a long history slow. The
  // key is the history's own list, so nothing carries over to the next history.
  const histories = new WeakMap<Moment["allEndedOrders"], Compared>()
  const twice = (first: string, { id }: { readonly id: string }, text: string) =>
    `orders ${first} and ${id} are the same: ${text}`
  return always("no order is placed twice", ({ allEndedOrders, isPlaced, openOrders }) => {
    const closed = histories.get(allEndedOrders) ?? { count: 0, ids: new Map<string, string>() }
    histories.set(allEndedOrders, closed)
    for (const order of allEndedOrders.slice(closed.count)) {
      closed.count++
      if (!isPlaced(order.id)) continue
      const text = of(order)
      const first = closed.ids.get(text)
      if (first === undefined) closed.ids.set(text, order.id)
      else closed.twice ??= twice(first, order, text)
    }
    if (closed.twice !== undefined) return closed.twice
    const open = new Map<string, string>()
    for (const order of openOrders) {
      if (!isPlaced(order.id)) continue
      const text = of(order)
      const first = closed.ids.get(text) ?? open.get(text)
      if (first !== undefined) return twice(first, order, text)
      open.set(text, order.id)
    }
    return true
  })
}

const unitsOf = (decimal: Decimal.Decimal): Units.Units => Units.from(decimal) ?? 0n

const larger = (one: Units.Units, other: Units.Units): Units.Units => one > other ? one : other

/** The unfilled part of an order in base currency. An amount in quote currency is converted at the order's price. */
const leftOf = (order: OpenOrder): Units.Units => {
  const left = unitsOf(order.left)
  if (!isQuoteAmount(order)) return left
  const price = unitsOf(order.price ?? order.activationPrice ?? Decimal.zero)
  return price === 0n ? 0n : Units.over(left, price)
}

/** The amount in base currency by which open orders on one side can at most change the exposure. */
const ordered = (
  orders: ReadonlyArray<OpenOrder>,
  market: string,
  side: OpenOrder["side"]
): Units.Units => {
  let total = 0n
  // Only one leg of an OCO order can trade.
  const pairs = new Map<string, Units.Units>()
  for (const order of orders) {
    if (order.market !== market || order.side !== side || order.reduceOnly) continue
    const left = leftOf(order)
    if (order.oco === undefined) total += left
    else pairs.set(order.oco, larger(left, pairs.get(order.oco) ?? 0n))
  }
  for (const left of pairs.values()) total += left
  return total
}

/**
 * The program's exposure on a market is at most `most`, in base currency. The exposure is the largest of these amounts:
 *
 * - the amount held plus all open buy orders, or all open sell orders minus the amount held
 * - the size of any one position, because in hedge mode a long and a short position would hide each other
 *
 * The amount held is the sum of the market's positions, long minus short. On a spot market, it also includes the change
 * of the base asset's funds in all wallets since the start of the history, whatever caused it: a trade on any market, a
 * fee, or a deposit. The funds that the account had at the start do not count.
 *
 * Of an order, the unfilled part counts. Reduce-only orders do not count, and of an OCO order only the larger leg. An
 * order whose amount is in quote currency, such as a spot stop-market buy, is converted at its limit or activation
 * price.
 *
 * @category standard
 */
export const exposureWithin = (market: string, most: Decimal.Amount): Always => {
  // The market's kind never changes, and looking it up at every check would compute the prices of all markets.
  const histories = new WeakMap<Moment, Pick<MarketSummary, "stock" | "type">>()
  return always(`the exposure on ${market} is at most ${most}`, (moment) => {
    const { change, openOrders, positions } = moment
    const kind = histories.get(moment) ?? moment.markets.find((one) => one.market === market)
    if (kind === undefined) return `there is no market ${market}`
    histories.set(moment, kind)
    const sizes = positions.flatMap((position) => position.market === market ? [unitsOf(position.amount)] : [])
    const held = sizes.reduce((total, size) => total + size, kind.type === "spot" ? unitsOf(change(kind.stock)) : 0n)
    const worst = [
      ordered(openOrders, market, "sell") - held,
      ...sizes.map((size) => size < 0n ? -size : size)
    ].reduce(larger, held + ordered(openOrders, market, "buy"))
    return worst <= unitsOf(most) || `the exposure is ${Units.toDecimal(worst)}`
  })
}

/**
 * At the end of a history, the program has no open orders.
 *
 * @category standard
 */
export const noOrdersLeft: AtTheEnd = atTheEnd(
  "no order is left open at the end",
  ({ openOrders }) => openOrders.length === 0 || `${openOrders.map(({ id }) => id).join(", ")} left open`
)

/**
 * At the end of a history, the program has no open positions.
 *
 * @category standard
 */
export const noPositionsLeft: AtTheEnd = atTheEnd(
  "no position is left open at the end",
  ({ positions }) =>
    positions.length === 0 || positions.map(({ amount, market }) => `${amount} left on ${market}`).join(", ")
)

/**
 * At the end of a history, the program's own ledger matches its balances. For each ticker, the amount that the program
 * last reported, for example with `say("ledger", { BTC: "1.5" })`, must equal the ticker's total in the program's trade
 * and collateral wallets.
 *
 * @category standard
 */
export const ledgerMatches = (name = "ledger"): AtTheEnd =>
  atTheEnd("the program's ledger matches the exchange's", ({ said, total }) => {
    const ledger = said.get(name)?.value
    if (ledger === null || typeof ledger !== "object" || Array.isArray(ledger))
      return `the program never reported its ${name}`
    for (const [ticker, own] of Object.entries(ledger)) {
      const theirs = total(ticker)
      const ours = Decimal.parse(typeof own === "string" ? own : "")
      if (Result.isFailure(ours) || !Decimal.Equivalence(ours.success, theirs)) {
        return `the program has ${typeof own === "string" ? own : "no value for"} ${ticker}, the exchange has ${theirs}`
      }
    }
    return true
  })

/**
 * Once a process of the program has received a refusal because the key is disabled, it makes no further private calls.
 * A refusal whose response was lost, timed out, or arrived after the process had ended tells the process nothing. A new
 * process does not know what an earlier one was told. Public calls need no key, so they are always allowed.
 *
 * @category standard
 */
export const noCallWithDisabledKey: Always = always(
  "no call is made once the key is known to be disabled",
  ({ calls, sent }) => {
    /** For each process, the time at which it first received a refusal. */
    const told = new Map<number, number>()
    for (const { at, fault, path, refused, status } of calls) {
      if (fault !== undefined || refused !== "keyDisabled") continue
      const arrivedAt = Math.floor(at / 1000)
      for (const call of sent) {
        if (call.outcome !== "answered" || call.arrivedAt !== arrivedAt) continue
        if (call.path !== path || call.status !== status) continue
        told.set(call.process, Math.min(told.get(call.process) ?? Infinity, call.answeredAt ?? Infinity))
      }
    }
    if (told.size === 0) return true
    const late = sent.find((call) => call.isPrivate && call.at > (told.get(call.process) ?? Infinity))
    return late === undefined || `call ${late.number}, ${late.path}, was made after the refusal`
  }
)

/**
 * The program never exceeds a rate limit: the exchange never refuses a call because of one.
 *
 * @category standard
 */
export const withinRateLimits: Always = always("no call exceeds a rate limit", ({ calls }) => {
  const over = calls.find(({ fault, refused }) => fault === undefined && refused === "rateLimited")
  return over === undefined || `${over.path} was refused`
})

/**
 * No process of the program fails.
 *
 * @category standard
 */
export const neverFails: Always = always(
  "the program does not fail",
  ({ failures }) => failures.length === 0 || failures.join("; ")
)

/** An invariant that a history has broken. */
export interface Broken {
  /** The invariant's name. */
  readonly invariant: string
  /** The reason why the invariant does not hold. */
  readonly why: string
}

/** The check of one invariant during one history. */
export interface Monitor {
  /** Checks the current state. Returns why the invariant is broken, or `undefined` if it holds. */
  readonly look: (moment: Moment) => string | undefined
  /** Checks the final state. */
  readonly end: (moment: Moment) => string | undefined
  /** Whether the history has reached the required state; always `true` for an invariant that requires no state. */
  readonly isReached: () => boolean
  /** Whether a time limit is running; always `false` for an invariant without one. */
  readonly isWaiting: () => boolean
}

const whyOf = (judgement: Judgement): string | undefined => {
  if (judgement === true) return undefined
  return judgement === false ? "it does not hold" : judgement
}

const never = () => undefined

/**
 * Creates the check of an invariant for one history. `wakeAfter` must schedule another check after `millis`
 * milliseconds, and return a function that cancels it.
 */
export const watch = (invariant: Invariant, wakeAfter: (millis: number) => () => void): Monitor => {
  const none: Monitor = { look: never, end: never, isReached: () => true, isWaiting: () => false }
  switch (invariant._tag) {
    case "Always":
      return { ...none, look: (moment) => whyOf(invariant.holds(moment)) }
    case "AtTheEnd":
      return { ...none, end: (moment) => whyOf(invariant.holds(moment)) }
    case "Reached": {
      let isReached = false
      const look = (moment: Moment) => {
        isReached ||= invariant.when(moment)
        return undefined
      }
      return { ...none, look, end: look, isReached: () => isReached }
    }
    case "Eventually":
      return { ...none, ...watchLimit(invariant, wakeAfter) }
  }
}

/** Creates the check of an invariant with a time limit, of which at most one runs at a time. */
const watchLimit = (
  { holds, when, withinMillis }: Eventually,
  wakeAfter: (millis: number) => () => void
): Pick<Monitor, "look" | "end" | "isWaiting"> => {
  let limit: { readonly since: number; readonly cancel: () => void } | undefined
  const look = (moment: Moment): string | undefined => {
    if (limit === undefined && !when(moment)) return undefined
    const why = whyOf(holds(moment))
    if (why === undefined) {
      // A timer that is left behind would look at all invariants again, at a time that means nothing to them.
      limit?.cancel()
      limit = undefined
      return undefined
    }
    limit ??= { since: moment.now, cancel: wakeAfter(withinMillis) }
    const waited = moment.now - limit.since
    return waited >= withinMillis ? `${why} (for ${waited / 1000} s)` : undefined
  }
  return { look, end: look, isWaiting: () => limit !== undefined }
}

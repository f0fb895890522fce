/**
 * Sentences about a program that must hold in every history. The exploration checks them after every command of the
 * exchange, and after every statement of the program.
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
import type { EndedOrder, OpenOrder } from "../sandbox/control/Views.ts"
import { type Moment, sum } from "./Moment.ts"

/**
 * The judgement of a moment: `true`, or why the sentence does not hold. `false` gives no reason.
 *
 * @category models
 */
export type Judgement = boolean | string

/**
 * A sentence about a program.
 *
 * @category models
 */
export type Invariant = Always | Eventually | AtTheEnd | Reached

/**
 * A sentence that must hold at every moment.
 *
 * @category models
 */
export interface Always {
  readonly _tag: "Always"
  /** The sentence, in the present tense. */
  readonly name: string
  /** Judges a moment. */
  readonly holds: (moment: Moment) => Judgement
}

/**
 * A sentence that must come true within a time, whenever something else has.
 *
 * @category models
 */
export interface Eventually {
  readonly _tag: "Eventually"
  /** The sentence, in the present tense. */
  readonly name: string
  /** Says whether the time starts to run. It runs until `holds` does. */
  readonly when: (moment: Moment) => boolean
  /** Judges a moment. */
  readonly holds: (moment: Moment) => Judgement
  /** The longest time, in milliseconds. */
  readonly withinMillis: number
}

/**
 * A sentence that must hold at the end of a history: after a calm time without faults, once the program has been
 * stopped.
 *
 * @category models
 */
export interface AtTheEnd {
  readonly _tag: "AtTheEnd"
  /** The sentence, in the present tense. */
  readonly name: string
  /** Judges the last moment. */
  readonly holds: (moment: Moment) => Judgement
}

/**
 * A state that at least one history must reach. If none does, the exploration has not tested what it was meant to.
 *
 * @category models
 */
export interface Reached {
  readonly _tag: "Reached"
  /** The sentence, in the present tense. */
  readonly name: string
  /** Says whether a moment is such a state. */
  readonly when: (moment: Moment) => boolean
}

/**
 * A sentence that must hold at every moment.
 *
 * @category constructors
 */
export const always = (name: string, holds: Always["holds"]): Always => ({ _tag: "Always", name, holds })

/**
 * A sentence that must come true within a time, whenever something else has.
 *
 * @category constructors
 */
export const eventually = (
  name: string,
  { holds, when, within }: {
    /** Says whether the time starts to run. It runs until `holds` does. */
    readonly when: (moment: Moment) => boolean
    /** Judges a moment. */
    readonly holds: (moment: Moment) => Judgement
    /** The longest time. */
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
 * A sentence that must hold at the end of a history.
 *
 * @category constructors
 */
export const atTheEnd = (name: string, holds: AtTheEnd["holds"]): AtTheEnd => ({ _tag: "AtTheEnd", name, holds })

/**
 * A state that at least one history must reach.
 *
 * @category constructors
 */
export const reached = (name: string, when: Reached["when"]): Reached => ({ _tag: "Reached", name, when })

/** What makes two orders the same order, by default: everything that their sender chose but the client order id. */
const sameTerms = ({ activationPrice, amount, market, price, side, type }: OpenOrder | EndedOrder): string =>
  [market, side, type, amount, price, activationPrice].filter((term) => term !== undefined).join(" ")

/**
 * No order is placed twice. Two orders are the same if `of` gives the same text for both: by default their market, side,
 * type, amount and prices. A program that means to repeat an order needs its own `of`, for example its client order id
 * without the number of the attempt.
 *
 * @category standard
 */
export const noOrderTwice = (of: (order: OpenOrder | EndedOrder) => string = sameTerms): Always =>
  always("no order is placed twice", ({ endedOrders, openOrders }) => {
    const seen = new Map<string, string>()
    for (const order of [...endedOrders, ...openOrders]) {
      const key = of(order)
      const first = seen.get(key)
      if (first !== undefined) return `orders ${first} and ${order.id} are the same: ${key}`
      seen.set(key, order.id)
    }
    return true
  })

/**
 * The base currency that the program may hold or be about to hold is bounded: on one market, the size of the position
 * plus what open orders of one side may add.
 *
 * @category standard
 */
export const exposureWithin = (
  market: string,
  most: Decimal.Amount
): Always =>
  always(`the exposure on ${market} is at most ${most}`, ({ openOrders, position }) => {
    const held = position(market)
    const left = (side: "buy" | "sell") =>
      sum(openOrders.flatMap((order) => order.market === market && order.side === side ? [order.left] : []))
    const long = sum([held, left("buy")])
    const short = Result.getOrElse(Decimal.subtract(left("sell"), held), () => Decimal.zero)
    const worst = Decimal.Order(long, short) > 0 ? long : short
    return Decimal.Order(worst, most) <= 0 || `the exposure is ${worst}`
  })

/**
 * Once the program has been stopped, it has no open orders.
 *
 * @category standard
 */
export const noOrdersLeft: AtTheEnd = atTheEnd(
  "no order is left open at the end",
  ({ openOrders }) => openOrders.length === 0 || `${openOrders.map(({ id }) => id).join(", ")} left open`
)

/**
 * Once the program has been stopped, it has no open positions.
 *
 * @category standard
 */
export const noPositionsLeft: AtTheEnd = atTheEnd(
  "no position is left open at the end",
  ({ positions }) =>
    positions.length === 0 || positions.map(({ amount, market }) => `${amount} left on ${market}`).join(", ")
)

/**
 * At the end, the program's own ledger is the exchange's: for each ticker, what the program last said with
 * `say("ledger", { BTC: "1.5" })` is the total of the trade and collateral wallets.
 *
 * @category standard
 */
export const ledgerMatches = (name = "ledger"): AtTheEnd =>
  atTheEnd("the program's ledger is the exchange's", ({ said, total }) => {
    const ledger = said.get(name)?.value
    if (ledger === null || typeof ledger !== "object" || Array.isArray(ledger))
      return `the program never said its ${name}`
    for (const [ticker, own] of Object.entries(ledger)) {
      const theirs = total(ticker)
      const ours = Decimal.parse(typeof own === "string" ? own : "")
      if (Result.isFailure(ours) || !Decimal.Equivalence(ours.success, theirs)) {
        return `the program has ${typeof own === "string" ? own : "no text for"} ${ticker}, the exchange says ${theirs}`
      }
    }
    return true
  })

/**
 * After the exchange has told the program that its key is disabled, or unknown, the program makes no further call.
 *
 * @category standard
 */
export const noCallWithDisabledKey: Always = always(
  "no call is made once the key is known to be disabled",
  ({ calls, sent }) => {
    const refusal = calls.find(({ fault, refused }) => fault === undefined && refused === "keyDisabled")
    if (refusal === undefined) return true
    const known = sent.find(({ answeredAt = 0, at, outcome, path }) =>
      outcome === "answered" && path === refusal.path && at * 1000 <= refusal.at && answeredAt * 1000 >= refusal.at
    )?.answeredAt
    if (known === undefined) return true
    const late = sent.find(({ at }) => at > known)
    return late === undefined || `call ${late.number}, ${late.path}, was made after the refusal`
  }
)

/**
 * The exchange never has to refuse a call because of its rate limits.
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

/** A broken sentence. */
export interface Broken {
  /** The sentence. */
  readonly invariant: string
  /** The reason. */
  readonly why: string
}

/** Watches an invariant during one history. */
export interface Monitor {
  /** Judges the present. Returns why the sentence is broken. */
  readonly look: (moment: Moment) => string | undefined
  /** Judges the last moment. */
  readonly end: (moment: Moment) => string | undefined
  /** Whether the state was reached. */
  readonly isReached: () => boolean
}

const whyOf = (judgement: Judgement): string | undefined => {
  if (judgement === true) return undefined
  return judgement === false ? "it does not hold" : judgement
}

const never = () => undefined

/** Starts to watch an invariant. `wakeAfter` makes the history look again after some milliseconds. */
export const watch = (invariant: Invariant, wakeAfter: (millis: number) => void): Monitor => {
  const none: Monitor = { look: never, end: never, isReached: () => true }
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
      return { look, end: look, isReached: () => isReached }
    }
    case "Eventually": {
      let since: number | undefined
      const look = (moment: Moment): string | undefined => {
        if (since === undefined) {
          if (!invariant.when(moment)) return undefined
          since = moment.now
          wakeAfter(invariant.withinMillis)
        }
        const why = whyOf(invariant.holds(moment))
        if (why === undefined) since = undefined
        else if (moment.now - since >= invariant.withinMillis) return `${why} (for ${(moment.now - since) / 1000} s)`
        return undefined
      }
      return { ...none, look, end: look }
    }
  }
}

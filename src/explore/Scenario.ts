/**
 * A scenario: everything that happens to a program and its exchange, as a value. Together with the program it decides a
 * history completely.
 *
 * @example
 * ```ts
 * import { Scenario } from "effect-txc/explore"
 *
 * // The price falls by a fifth within two seconds, and the program is killed a second later.
 * const crash: Scenario.Scenario = {
 *   order: 0,
 *   latency: { from: 20, to: 20 },
 *   events: [
 *     { _tag: "Price", at: 10_000, market: "BTC_USDT", permille: -200, overMillis: 2000 },
 *     { _tag: "Kill", at: 11_000, downMillis: 500 }
 *   ]
 * }
 * ```
 */
import * as Schema from "effect/Schema"
import type { Fault as AnyFault } from "../sandbox/gateway/Faults.ts"
import { Fault as AnyFaultSchema } from "../sandbox/gateway/Faults.ts"

/**
 * The price of a market moves, from its price at that time.
 *
 * @category models
 */
export interface Price {
  readonly _tag: "Price"
  /** The time, in milliseconds after the start. */
  readonly at: number
  /** The market, such as `BTC_USDT`. */
  readonly market: string
  /** The change, in thousandths of the price; negative if it falls. */
  readonly permille: number
  /** The time that the change takes, in milliseconds; 0 for a gap. */
  readonly overMillis: number
}

/**
 * The price of a market walks at random.
 *
 * @category models
 */
export interface Walk {
  readonly _tag: "Walk"
  /** The time of the first step, in milliseconds after the start. */
  readonly at: number
  /** The market, such as `BTC_USDT`. */
  readonly market: string
  /** The number of steps; 1 or more. */
  readonly steps: number
  /** The time between two steps, in milliseconds. */
  readonly everyMillis: number
  /** The largest change in one step, in thousandths of the price. */
  readonly permille: number
  /** The seed for the steps. */
  readonly seed: number
}

/**
 * The counterparty changes its quotes: a thin book, a wide spread, or none at all.
 *
 * @category models
 */
export interface Book {
  readonly _tag: "Book"
  /** The time, in milliseconds after the start. */
  readonly at: number
  /** The market, such as `BTC_USDT`. */
  readonly market: string
  /** The number of price levels on each side, 1 to 50; 0 for no quotes. */
  readonly levels: number
  /** The distance from the best bid to the best ask, in thousandths of the price; 1 to 500. */
  readonly spreadPermille: number
}

/**
 * Somebody else trades: a market order of another account.
 *
 * @category models
 */
export interface Trade {
  readonly _tag: "Trade"
  /** The time, in milliseconds after the start. */
  readonly at: number
  /** The market, such as `BTC_USDT`. */
  readonly market: string
  /** Whether the other account buys or sells. */
  readonly side: "buy" | "sell"
  /** The amount, in thousandths of the base currency; 1 or more. */
  readonly thousandths: number
}

/**
 * From a time on, the funding of a futures market is settled every minute, on the minute.
 *
 * @category models
 */
export interface Funding {
  readonly _tag: "Funding"
  /** The time, in milliseconds after the start. */
  readonly at: number
  /** The futures market, such as `BTC_PERP`. */
  readonly market: string
  /** The rate, in thousandths of a position's value; positive if longs pay shorts. */
  readonly permille: number
}

/**
 * The mark price of a futures market moves against the program's position until the exchange liquidates the program's
 * account. Later it follows the market again. Nothing happens if the program has no position there, or one that no price
 * liquidates.
 *
 * @category models
 */
export interface Liquidation {
  readonly _tag: "Liquidation"
  /** The time, in milliseconds after the start. */
  readonly at: number
  /** The futures market, such as `BTC_PERP`. */
  readonly market: string
  /** The time until the mark price follows the market again, in milliseconds. */
  readonly lastsMillis: number
}

/**
 * From a time on, calls or streams of the program go wrong: any fault that the sandbox has.
 *
 * @category models
 */
export interface Fault {
  readonly _tag: "Fault"
  /** The time, in milliseconds after the start. */
  readonly at: number
  /** Which calls or messages go wrong, and how. */
  readonly fault: AnyFault
}

/**
 * The program is killed, as by `kill -9`: its fibers never resume and no finalizer runs, but calls already handed over
 * still arrive. Later it is started again, with only what it had stored. Nothing happens if it is not running.
 *
 * @category models
 */
export interface Kill {
  readonly _tag: "Kill"
  /** The time, in milliseconds after the start. */
  readonly at: number
  /** The time until it is started again, in milliseconds. */
  readonly downMillis: number
}

/**
 * The program is killed at the moment at which it has handed over a call.
 *
 * @category models
 */
export interface KillAtCall {
  readonly _tag: "KillAtCall"
  /** The number of the call among all that the program makes; the first is 1. */
  readonly call: number
  /** The time until it is started again, in milliseconds. */
  readonly downMillis: number
}

/**
 * The program is stopped by an interruption, so its finalizers run. Once it has ended, it is started again.
 *
 * @category models
 */
export interface Stop {
  readonly _tag: "Stop"
  /** The time, in milliseconds after the start. */
  readonly at: number
  /** The time from its end until it is started again, in milliseconds. */
  readonly downMillis: number
}

/**
 * The exchange is stopped and started again. It has all commands that it had answered. Meanwhile connections are
 * refused; calls and streams under way are lost.
 *
 * @category models
 */
export interface Outage {
  readonly _tag: "Outage"
  /** The time, in milliseconds after the start. */
  readonly at: number
  /** The time until it is there again, in milliseconds. */
  readonly downMillis: number
}

/**
 * The program's clock jumps against the exchange's.
 *
 * @category models
 */
export interface Drift {
  readonly _tag: "Drift"
  /** The time, in milliseconds after the start. */
  readonly at: number
  /** How far the program's clock is ahead from then on, in milliseconds; negative if behind. */
  readonly millis: number
}

/**
 * The program's API key is disabled, or enabled again.
 *
 * @category models
 */
export interface Key {
  readonly _tag: "Key"
  /** The time, in milliseconds after the start. */
  readonly at: number
  /** Whether the key may make calls from then on. */
  readonly enabled: boolean
}

/**
 * Something that happens at a moment of a scenario.
 *
 * @category models
 */
export type Event =
  | Price
  | Walk
  | Book
  | Trade
  | Funding
  | Liquidation
  | Fault
  | Kill
  | KillAtCall
  | Stop
  | Outage
  | Drift
  | Key

/**
 * The delay of every message between the program and the exchange, one way: drawn for each between two bounds, in
 * milliseconds.
 *
 * @category models
 */
export interface Latency {
  /** The shortest delay, in milliseconds. */
  readonly from: number
  /** The longest delay, in milliseconds. */
  readonly to: number
}

/**
 * Everything that happens to a program and its exchange.
 *
 * @category models
 */
export interface Scenario {
  /**
   * The order in which ready fibers run. 0 is the order in which they became ready, as in production most of the time;
   * any other number is the seed of a random order.
   */
  readonly order: number
  /** The delay of messages. */
  readonly latency: Latency
  /** The events, in any order. */
  readonly events: ReadonlyArray<Event>
}

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

const at = { at: Count }

const on = { at: Count, market: Schema.String }

/**
 * The schema of {@link Scenario}.
 *
 * @category schemas
 */
export const schema: Schema.Codec<Scenario, unknown> = Schema.Struct({
  order: Count,
  latency: Schema.Struct({ from: Count, to: Count }),
  events: Schema.Array(Schema.TaggedUnion({
    Price: { ...on, permille: Schema.Int, overMillis: Count },
    Walk: { ...on, steps: Count, everyMillis: Count, permille: Count, seed: Count },
    Book: { ...on, levels: Count, spreadPermille: Count },
    Trade: { ...on, side: Schema.Literals(["buy", "sell"]), thousandths: Count },
    Funding: { ...on, permille: Schema.Int },
    Liquidation: { ...on, lastsMillis: Count },
    Fault: { ...at, fault: AnyFaultSchema },
    Kill: { ...at, downMillis: Count },
    KillAtCall: { call: Count, downMillis: Count },
    Stop: { ...at, downMillis: Count },
    Outage: { ...at, downMillis: Count },
    Drift: { ...at, millis: Schema.Int },
    Key: { ...at, enabled: Schema.Boolean }
  }))
})

/** A scenario in which nothing happens. */
export const calm: Scenario = { order: 0, latency: { from: 20, to: 20 }, events: [] }

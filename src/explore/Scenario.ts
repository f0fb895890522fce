/**
 * A scenario describes everything that happens to a program and its exchange. The program and the scenario together
 * determine a history completely.
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
 * The price of a market changes, relative to its value at that time.
 *
 * @category models
 */
export interface Price {
  readonly _tag: "Price"
  /** The time, in milliseconds after the start. */
  readonly at: number
  /** The market, such as `BTC_USDT`. */
  readonly market: string
  /** The change, in thousandths of the price; negative if the price falls. */
  readonly permille: number
  /** The duration of the change, in milliseconds; 0 for an immediate jump. */
  readonly overMillis: number
}

/**
 * A market's price moves in random steps.
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
 * The counterparty changes its quotes, for example to a thin book, a wide spread, or no quotes.
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
 * Another account, `bob`, trades with a market order. Like any order, it may be refused, for example because it is too
 * small for the market.
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
 * From this time on, a futures market settles funding at the start of every minute.
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
 * A futures market's mark price moves past the liquidation price of the program's position, so the exchange liquidates
 * the account. Later, the mark price follows the market again. Nothing happens if the program has no position on the
 * market, or if no price would liquidate the position.
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
 * From this time on, some of the program's calls or streams go wrong. Any fault that the sandbox can inject may occur.
 *
 * @category models
 */
export interface Fault {
  readonly _tag: "Fault"
  /** The time, in milliseconds after the start. */
  readonly at: number
  /** The fault, with the calls or messages that it affects. */
  readonly fault: AnyFault
}

/**
 * The program is killed, as by `kill -9`: its fibers stop and its finalizers don't run, but calls that it has already
 * handed to the network still arrive. The program is started again later, with only the data in its store. Nothing
 * happens if the program is not running.
 *
 * @category models
 */
export interface Kill {
  readonly _tag: "Kill"
  /** The time, in milliseconds after the start. */
  readonly at: number
  /** The time until the program is started again, in milliseconds. */
  readonly downMillis: number
}

/**
 * The program is killed right after it has handed a certain call to the network. Nothing happens if the program makes
 * fewer calls, or makes this call in the calm period.
 *
 * @category models
 */
export interface KillAtCall {
  readonly _tag: "KillAtCall"
  /** The call's number among all calls that the program makes in the history, counted from 1. */
  readonly call: number
  /** The time until the program is started again, in milliseconds. */
  readonly downMillis: number
}

/**
 * The program is interrupted, as by SIGTERM, so its finalizers run. The program is started again after it has ended.
 *
 * @category models
 */
export interface Stop {
  readonly _tag: "Stop"
  /** The time, in milliseconds after the start. */
  readonly at: number
  /** The time from the program's end until it is started again, in milliseconds. */
  readonly downMillis: number
}

/**
 * The exchange is stopped and restarted. It keeps all commands that it has acknowledged. Calls and streams in progress
 * are lost. While the exchange is stopped, it refuses connections, and all other events except faults have no effect on
 * it.
 *
 * @category models
 */
export interface Outage {
  readonly _tag: "Outage"
  /** The time, in milliseconds after the start. */
  readonly at: number
  /** The time until the exchange is available again, in milliseconds. */
  readonly downMillis: number
}

/**
 * The program's clock jumps relative to the exchange's clock.
 *
 * @category models
 */
export interface Drift {
  readonly _tag: "Drift"
  /** The time, in milliseconds after the start. */
  readonly at: number
  /**
   * The difference between the program's clock and the exchange's clock from then on, in milliseconds; negative if the
   * program's clock is behind.
   */
  readonly millis: number
}

/**
 * The program's API key is disabled or enabled.
 *
 * @category models
 */
export interface Key {
  readonly _tag: "Key"
  /** The time, in milliseconds after the start. */
  readonly at: number
  /** Whether the key is enabled from then on. */
  readonly enabled: boolean
}

/**
 * An event of a scenario, which happens at a certain time or at a certain call.
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
 * The bounds of a message's delay between the program and the exchange, in either direction. The delay is drawn
 * separately for each message.
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
   * The order in which ready fibers run. With 0, fibers run in the order in which they became ready, as in production.
   * Any other number is the seed for a random order.
   */
  readonly order: number
  /** The bounds of the message delays. */
  readonly latency: Latency
  /** The events. Their order in the list does not matter. */
  readonly events: ReadonlyArray<Event>
}

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

const Positive = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

const at = { at: Count }

const on = { at: Count, market: Schema.String }

/**
 * The schema of {@link Event}.
 *
 * @category schemas
 */
export const Event: Schema.Codec<Event, unknown> = Schema.TaggedUnion({
  Price: { ...on, permille: Schema.Int, overMillis: Count },
  Walk: { ...on, steps: Positive, everyMillis: Count, permille: Count, seed: Count },
  Book: { ...on, levels: Count, spreadPermille: Positive },
  Trade: { ...on, side: Schema.Literals(["buy", "sell"]), thousandths: Positive },
  Funding: { ...on, permille: Schema.Int },
  Liquidation: { ...on, lastsMillis: Count },
  Fault: { ...at, fault: AnyFaultSchema },
  Kill: { ...at, downMillis: Count },
  KillAtCall: { call: Positive, downMillis: Count },
  Stop: { ...at, downMillis: Count },
  Outage: { ...at, downMillis: Count },
  Drift: { ...at, millis: Schema.Int },
  Key: { ...at, enabled: Schema.Boolean }
})

/**
 * The schema of {@link Scenario}.
 *
 * @category schemas
 */
export const schema: Schema.Codec<Scenario, unknown> = Schema.Struct({
  order: Count,
  latency: Schema.Struct({ from: Count, to: Count }),
  events: Schema.Array(Event)
})

/** A scenario in which nothing happens. */
export const calm: Scenario = { order: 0, latency: { from: 20, to: 20 }, events: [] }

/**
 * The items of a channel's stream: events, states, and a notice when events were missed.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import { Item, LastPriceChannel } from "effect-txc"
 *
 * const show = (item: Item.Item<LastPriceChannel.LastPrice, LastPriceChannel.LastPrice>) =>
 *   item._tag === "Interrupted"
 *     ? Effect.logWarning(`prices may be old: ${item.reason}`)
 *     : Effect.log(item._tag === "Event" ? item.event.price : item.state.price)
 * ```
 */
import type { UnixTime } from "../../domain/Time.ts"

/**
 * An event of the channel. Each event is emitted once. The events keep the order in which the exchange pushes them.
 *
 * @category models
 */
export interface Event<E> {
  readonly _tag: "Event"
  /** The event, as the exchange pushed it. */
  readonly event: E
}

/**
 * A state that replaces everything that the stream has emitted before. The stream continues from this state. Most
 * streams begin with a `Snapshot`.
 *
 * @category models
 */
export interface Snapshot<S> {
  readonly _tag: "Snapshot"
  /** The state that replaces the earlier state. */
  readonly state: S
}

/**
 * The reason why events may be missing:
 *
 * - `connection-lost`: the connection to the exchange ended or went silent. The client reconnects
 * - `slow`: the subscriber read so slowly that the maximum number of waiting events was exceeded
 * - `gap`: the exchange's messages do not form an unbroken sequence
 * - `unreadable`: a message of the channel does not have the documented form
 * - `resubscribed`: the exchange refused another subscription on the connection, so this subscription was repeated
 *
 * @category models
 */
export type Reason = "connection-lost" | "slow" | "gap" | "unreadable" | "resubscribed"

/**
 * Events may be missing from here on. The next `Snapshot` is a state from which to continue.
 *
 * @category models
 */
export interface Interrupted {
  readonly _tag: "Interrupted"
  /** The reason why events may be missing. */
  readonly reason: Reason
  /** The time from which events may be missing, by this machine's clock, in Unix seconds. */
  readonly since: UnixTime
}

/**
 * An item of a channel's stream. Between a `Snapshot` and the next `Interrupted`, no event is missing.
 *
 * @category models
 */
export type Item<E, S> = Event<E> | Snapshot<S> | Interrupted

/**
 * Creates an `Event`.
 *
 * @category constructors
 */
export const event = <E>(event: E): Event<E> => ({ _tag: "Event", event })

/**
 * Creates a `Snapshot`.
 *
 * @category constructors
 */
export const snapshot = <S>(state: S): Snapshot<S> => ({ _tag: "Snapshot", state })

/**
 * Creates an `Interrupted`.
 *
 * @category constructors
 */
export const interrupted = (reason: Reason, since: UnixTime): Interrupted => ({ _tag: "Interrupted", reason, since })

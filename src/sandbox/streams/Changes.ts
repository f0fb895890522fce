/** Pushes the values of markets or assets at their channel's interval: every time, or only after a change. */
import type { MarketName } from "../../domain/Identifiers.ts"
import type { Pushes } from "../../protocol/Channel.ts"
import * as Pace from "./Pace.ts"
import type { Command, Context, Outlet, Subscription } from "./Source.ts"

/** A channel that pushes values, such as the last price of each market. */
export interface Values<Topic, Key, Value> {
  /** The channel's push interval, and whether it pushes even without a change. */
  readonly pushes: Pushes
  /** The keys to which topics subscribe. A key is a market or an asset. */
  readonly keysOf: (topics: ReadonlyArray<Topic>, context: Context) => ReadonlySet<Key>
  /** The current value of a key; `undefined` if the key has no value. */
  readonly valueOf: (key: Key, context: Context) => Value | undefined
  /** Whether a command may have changed the value of any of these keys. */
  readonly isChangedBy: (command: Command, keys: ReadonlySet<Key>, context: Context) => boolean
  /** Pushes the values that are due: those that have changed or, if the channel repeats values, all values. */
  readonly push: (changed: ReadonlyMap<Key, Value>) => void
}

/** Whether a command affects any of these markets. */
export const isAbout = ({ markets }: Command, keys: ReadonlySet<MarketName>): boolean => !markets.isDisjointFrom(keys)

/** A subscription to values. On a channel that pushes only changes, a value is first pushed after its first change. */
export const make = <Topic, Key, Value>(
  outlet: Pick<Outlet<never>, "context" | "wakeAt">,
  { isChangedBy, keysOf, push, pushes, valueOf }: Values<Topic, Key, Value>
): Subscription<Topic> => {
  const pace = Pace.make(pushes, outlet)
  /** Each key's value when it was last pushed, or else at subscription, as text; `undefined` if it had no value. */
  let known = new Map<Key, string | undefined>()

  const flush = (): void => {
    const context = outlet.context()
    const changed = new Map<Key, Value>()
    for (const [key, before] of known) {
      const value = valueOf(key, context)
      const text = JSON.stringify(value)
      if (value === undefined || (pushes.when === "changed" && text === before)) continue
      known.set(key, text)
      changed.set(key, value)
    }
    if (changed.size > 0) push(changed)
  }

  return {
    listen: (topics) => {
      const context = outlet.context()
      // The pushed values are kept, because a new subscription must not hide a change that has not been pushed yet.
      known = new Map(
        [...keysOf(topics, context)].map((key) => [
          key,
          known.has(key) ? known.get(key) : JSON.stringify(valueOf(key, context))
        ])
      )
    },
    applied: (command) => {
      if (isChangedBy(command, new Set(known.keys()), outlet.context())) pace.changed()
    },
    woken: (at) => {
      if (pace.isDue(at)) flush()
    }
  }
}

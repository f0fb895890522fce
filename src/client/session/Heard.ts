/** Tells a subscriber up to which time it has every event, because a quiet channel does not show that. */
import * as Context from "effect/Context"

/**
 * Reads the time of the last message on the subscriber's connection, in Unix milliseconds; `undefined` while it has no
 * connection. After a reconnection, the time of the lost connection's last message, until a state has proven that nothing
 * was missed.
 */
export type HeardAt = () => number | undefined

/** If provided to a stream, receives the reader of its subscription when it begins. */
export const Heard = Context.Reference<((heardAt: HeardAt) => void) | undefined>("effect-txc/client/session/Heard", {
  defaultValue: () => undefined
})

/**
 * Tells a subscriber when the last message on its connection arrived, because a quiet channel does not show whether the
 * connection is alive.
 */
import * as Context from "effect/Context"

/**
 * Reads the time of the last message on the subscriber's connection, in Unix milliseconds; `undefined` while it has no
 * connection.
 */
export type HeardAt = () => number | undefined

/** If provided to a stream, receives the reader of its subscription when it begins. */
export const Heard = Context.Reference<((heardAt: HeardAt) => void) | undefined>("effect-txc/client/session/Heard", {
  defaultValue: () => undefined
})

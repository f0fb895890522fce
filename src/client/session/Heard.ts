/**
 * Lets a subscriber find out up to which time it has received every event. On a quiet channel, the events alone do not
 * show this.
 */
import * as Context from "effect/Context"

/**
 * Reads the time of the latest message on the subscriber's connection, in Unix milliseconds; `undefined` while the
 * subscriber has no connection. After a reconnection, the result is the time of the lost connection's last message,
 * until a snapshot on the new connection shows that nothing was missed.
 */
export type HeardAt = () => number | undefined

/**
 * An optional callback that you provide to a stream. When the stream's subscription begins, the callback receives the
 * subscription's {@link HeardAt}.
 */
export const Heard = Context.Reference<((heardAt: HeardAt) => void) | undefined>("effect-txc/client/session/Heard", {
  defaultValue: () => undefined
})

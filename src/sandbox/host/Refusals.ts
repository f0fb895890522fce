/** The responses that a host sends when a venue does not exist or there is no capacity for it. */
import type { Written } from "../gateway/Message.ts"
import * as Refusal from "../server/Refusal.ts"
import type { BoundReached } from "./HostBounds.ts"
import type { UnknownVenue } from "./HostModels.ts"

/** The response to a call to a venue that does not exist. */
export const unknown = (path: string, { _tag, message }: UnknownVenue): Written =>
  Refusal.make(path, 404, _tag, message)

/**
 * The response to a call that exceeds a bound. A retry is useless when a venue has reached its maximum number of
 * commands, because a venue never discards commands. For the other bounds, a retry might soon succeed.
 */
export const bound = (path: string, { _tag, bound, message }: BoundReached): Written =>
  bound === "maxCommands" ? Refusal.make(path, 503, _tag, message) : Refusal.busy(path, _tag, message)

/** The response to a call whose venue has not woken in time. */
export const late = (path: string): Written => Refusal.busy(path, "NotAwake", "This venue is not open yet")

/** The answers of a host in a venue's place: if there is no such venue, or no capacity for it. */
import { prefix } from "../control/ControlApi.ts"
import { json, type Written } from "../gateway/Message.ts"
import type { BoundReached } from "./HostBounds.ts"
import type { UnknownVenue } from "./HostModels.ts"

/**
 * A refusal: for a control plane in its own format; for the exchange in the format of its errors, stating that the call
 * was not applied.
 */
export const refuse = (path: string, status: number, tag: string, message: string): Written =>
  path.startsWith(prefix)
    ? json(status, { _tag: tag, message })
    : json(status, { code: 0, message, errors: {} })

/** The answer to a call to a venue that does not exist. */
export const unknown = (path: string, { _tag, message }: UnknownVenue): Written => refuse(path, 404, _tag, message)

/** The answer to a call that exceeds a bound. */
export const bound = (path: string, { _tag, message }: BoundReached): Written => refuse(path, 503, _tag, message)

/** What a host answers in a venue's place: when there is no such venue, or no room for it. */
import { prefix } from "../control/ControlApi.ts"
import { json, type Written } from "../gateway/Message.ts"
import type { BoundReached } from "./HostBounds.ts"
import type { UnknownVenue } from "./HostModels.ts"

/**
 * A refusal: for a control plane as it writes refusals, for the exchange in the form of its errors, which says that the call
 * was not applied.
 */
export const refuse = (path: string, status: number, tag: string, message: string): Written =>
  path.startsWith(prefix)
    ? json(status, { _tag: tag, message })
    : json(status, { code: 0, message, errors: {} })

/** The answer to a call of a venue that is not there. */
export const unknown = (path: string, { _tag, message }: UnknownVenue): Written => refuse(path, 404, _tag, message)

/** The answer to a call for which there is no room. */
export const bound = (path: string, { _tag, message }: BoundReached): Written => refuse(path, 503, _tag, message)

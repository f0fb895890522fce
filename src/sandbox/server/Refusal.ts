/** Refusals by the server itself, not by a venue. Each has the format of the path that was called. */
import { prefix } from "../control/ControlApi.ts"
import { json, type Written } from "../gateway/Message.ts"

/**
 * A refusal in the format of the path: the control plane's, or the exchange's error format, with a statement that the
 * call was not applied.
 */
export const make = (path: string, status: number, tag: string, message: string): Written => {
  const written = path.startsWith(prefix)
    ? json(status, { _tag: tag, message })
    : json(status, { code: 0, message, errors: {} })
  return status === 503 ? { ...written, reason: tag } : written
}

const soon = (path: string, status: number, tag: string, message: string): Written => {
  const { headers, ...refusal } = make(path, status, tag, `${message}. Nothing was carried out. Retry in a second`)
  return { ...refusal, headers: { ...headers, "retry-after": "1" } }
}

/** A 503 refusal of a request that may succeed a second later. Nothing was carried out. */
export const busy = (path: string, tag: string, message: string): Written => soon(path, 503, tag, message)

/** A 429 refusal of a client that exceeds a limit, such as too many connections. Nothing was carried out. */
export const limited = (path: string, message: string): Written => soon(path, 429, "Overloaded", message)

/**
 * The refusal of a call beyond the maximum number of calls in progress. The status is 429, because a client can't tell
 * whether a call that is answered with 5xx was applied.
 */
export const overloaded = (path: string): Written => limited(path, "Too many calls are in progress")

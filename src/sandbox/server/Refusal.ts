/** Refusals by the server itself, not by a venue. Each refusal has the error format of the called path. */
import { prefix } from "../control/ControlApi.ts"
import { json, type Written } from "../gateway/Message.ts"

/**
 * A refusal in the error format that belongs to the path: the control plane's format, or the exchange's. A refused call
 * was not applied.
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

/** A 503 refusal of a request that might succeed a second later. The request was not carried out. */
export const busy = (path: string, tag: string, message: string): Written => soon(path, 503, tag, message)

/**
 * A 429 refusal of a client that exceeds a limit, such as the number of connections. The request was not carried out.
 */
export const limited = (path: string, message: string): Written => soon(path, 429, "Overloaded", message)

/**
 * The refusal of a call above the maximum number of calls in progress. The status is 429, because with a 5xx response a
 * client can't tell whether the call was applied.
 */
export const overloaded = (path: string): Written => limited(path, "Too many calls are in progress")

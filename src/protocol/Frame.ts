/**
 * The frames of the exchange's WebSocket: requests, responses to them, and pushed messages. Every frame is a JSON
 * object in a text message.
 *
 * Source: the live exchange's documentation, WebSocket, "Overview". The document has no WebSocket.
 */
import * as Result from "effect/Result"
import * as Json from "./Json.ts"

/** A request. The client chooses the `id`, and the response repeats it. */
export interface Request {
  readonly _tag: "Request"
  /** A number that identifies the request: an integer, zero or more, unique within the connection. */
  readonly id: number
  /** The method, such as `depth_subscribe`. */
  readonly method: string
  /** The positional parameters. */
  readonly params: ReadonlyArray<unknown>
}

/** The response to a request that succeeded. */
export interface Answer {
  readonly _tag: "Answer"
  /** The request's `id`. */
  readonly id: number
  /** The result, whose form depends on the method. */
  readonly result: unknown
}

/** The response to a request that the exchange refused. */
export interface Refusal {
  readonly _tag: "Refusal"
  /** The request's `id`. */
  readonly id: number
  /** The reason: see {@link codes}. */
  readonly code: number
  /** The exchange's message. */
  readonly message: string
}

/** A message that the exchange pushes to a subscriber. */
export interface Push {
  readonly _tag: "Push"
  /** The method, such as `depth_update`. */
  readonly method: string
  /** The content: an array, or for some methods an object. */
  readonly params: unknown
}

/** A frame that the exchange sends. */
export type Received = Answer | Refusal | Push

/**
 * The codes with which the exchange refuses a request over its WebSocket. These codes differ from the codes of the HTTP
 * API.
 */
export const codes = {
  invalidArgument: 1,
  internalError: 2,
  serviceUnavailable: 3,
  methodNotFound: 4,
  serviceTimeout: 5,
  authenticationRequired: 6,
  tooManyRequests: 7,
  unknownMarket: 9,
  authorizationFailed: 11
} as const

/** The result of a successful subscribe, unsubscribe or authorize. */
export const success = { status: "success" } as const

/**
 * Checks the response to a request whose result should be {@link success}. A result with a different status becomes a
 * refusal, because the exchange has not carried out the request.
 */
export const confirmed = (frame: Answer | Refusal): Answer | Refusal => {
  if (frame._tag === "Refusal" || !Json.isObject(frame.result)) return frame
  const { status } = frame.result
  return typeof status !== "string" || status === success.status
    ? frame
    : { _tag: "Refusal", id: frame.id, code: codes.invalidArgument, message: `the status is ${status}` }
}

/**
 * The maximum length of a frame that a client reads, in characters. The longest response, a page of 100 orders, is much
 * shorter.
 */
export const maxLength = 2 ** 24

/** The methods that do not belong to a channel. */
export const methods = { ping: "ping", time: "time", authorize: "authorize" } as const

/** The error for a frame that can't be read. */
export const unreadable = "not a frame of the protocol"

/** The type of {@link unreadable}. */
export type Unreadable = typeof unreadable

const isId = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0

/** Reads a frame from the exchange. */
export const readReceived = (text: string): Result.Result<Received, Unreadable> => {
  const json = Result.getOrUndefined(Json.parseUnique(text))
  if (!Json.isObject(json)) return Result.fail(unreadable)
  const { error, id, method, params, result } = json
  if (typeof method === "string" && !isId(id)) return Result.succeed({ _tag: "Push", method, params })
  if (!isId(id)) return Result.fail(unreadable)
  if (error === null || error === undefined) {
    return result === undefined ? Result.fail(unreadable) : Result.succeed({ _tag: "Answer", id, result })
  }
  if (!Json.isObject(error)) return Result.fail(unreadable)
  const { code, message } = error
  return typeof code === "number"
    ? Result.succeed({ _tag: "Refusal", id, code, message: typeof message === "string" ? message : "" })
    : Result.fail(unreadable)
}

/** Reads a client's request. */
export const readRequest = (text: string): Result.Result<Request, Unreadable> => {
  const json = Result.getOrUndefined(Json.parseUnique(text))
  if (!Json.isObject(json)) return Result.fail(unreadable)
  const { id, method, params } = json
  return isId(id) && typeof method === "string" && Array.isArray(params)
    ? Result.succeed({ _tag: "Request", id, method, params })
    : Result.fail(unreadable)
}

/** Writes a request. */
export const writeRequest = ({ id, method, params }: Omit<Request, "_tag">): string =>
  Json.stringify({ id, method, params })

/** Writes a frame. Its keys are in the same order as in the exchange's frames. */
export const writeReceived = (frame: Received): string => {
  if (frame._tag === "Answer") return Json.stringify({ error: null, result: frame.result, id: frame.id })
  if (frame._tag === "Push") return Json.stringify({ method: frame.method, params: frame.params, id: null })
  const { code, id, message } = frame
  return Json.stringify({ error: { code, message }, result: null, id })
}

/**
 * Sandboxes with one semantic fault each. They show that the oracle finds faults: each mutant lists the rules that it
 * breaks. A mutant wraps a venue or changes the venue's dialect, but never changes the engine.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { createHmac } from "node:crypto"
import type { Dialect } from "../../../src/protocol/Dialect.ts"
import * as Json from "../../../src/protocol/Json.ts"
import * as Signature from "../../../src/protocol/Signature.ts"
import type { Answer, Request } from "../../../src/sandbox/gateway/Message.ts"
import type * as Journal from "../../../src/sandbox/store/Journal.ts"
import * as Venue from "../../../src/sandbox/venue/Venue.ts"

/** The fields of a JSON object. */
export type Fields = Readonly<Record<string, unknown>>

/** A response from the venue. */
export type Written = Extract<Answer, { readonly _tag: "Answer" }>

/** The service that a mutant wraps. */
export type Instance = Venue.Venue["Service"]

/** How a mutant differs from a correct venue. */
export interface Change {
  /** Changes the venue's dialect and policy. */
  readonly dialect?: (dialect: Dialect) => Dialect
  /**
   * Creates the interception and any state that it needs. Each venue has a separate interception, so mutants share no
   * state.
   */
  readonly make?: () => Interception
}

/** A mutant's changes to its venue's calls. */
export interface Interception {
  /** Changes the venue before it receives the request. */
  readonly before?: (venue: Instance, request: Request) => void
  /** Changes the request before the venue receives it. */
  readonly request?: (request: Request, venue: Instance) => Request
  /** Whether the connection breaks before the response. */
  readonly resets?: (request: Request) => boolean
  /** Changes the response before the caller gets it. */
  readonly answer?: (answer: Written, request: Request, venue: Instance) => Written
}

/** A sandbox with one fault. */
export interface Mutant extends Change {
  /** The mutant's id, which is unique and never changes. */
  readonly id: string
  /** A description of the fault. */
  readonly fault: string
  /** Ids of the rules that must find the fault. */
  readonly breaks: ReadonlyArray<string>
  /** The dialects in which the change is a fault. Both by default. */
  readonly dialects?: ReadonlyArray<Dialect["name"]>
}

/** Creates a mutant from its id and a readable description of its fault. */
export const mutant = (id: string, fault: string, rest: Omit<Mutant, "id" | "fault">): Mutant => ({
  id,
  fault,
  ...rest
})

/** Creates a venue in memory that has the mutant's fault. */
export const layer = (
  { dialect: speak = (dialect) => dialect, make }: Change,
  dialect: Dialect
): Layer.Layer<Venue.Venue, Journal.JournalError> =>
  Layer.effect(
    Venue.Venue,
    Effect.map(Venue.make({ dialect: speak(dialect) }), (venue) => {
      const { answer, before, request, resets } = make?.() ?? {}
      const receive: typeof venue.receive = (asked, clock, resume) => {
        before?.(venue, asked)
        if (resets?.(asked) === true) return resume({ _tag: "Reset" })
        const changed = request === undefined ? asked : request(asked, venue)
        const change = (given: Answer) =>
          given._tag === "Answer" && answer !== undefined ? answer(given, asked, venue) : given
        venue.receive(changed, clock, (given) =>
          resume(Effect.isEffect(given) ? Effect.map(given, change) : change(given)))
      }
      return Venue.Venue.of({ ...venue, receive, handle: Venue.handling(receive) })
    })
  )

// -----------------------------------------------------------------------------
// Requests
// -----------------------------------------------------------------------------

const textOf = ({ body }: Request): string => new TextDecoder().decode(body)

/** Returns the fields in a request's body, or undefined if the body is not a JSON object. */
export const fieldsOf = (request: Request): Fields | undefined => {
  const json = Result.getOrUndefined(Json.parse(textOf(request)))
  return Json.isObject(json) ? json : undefined
}

const header = ({ headers }: Request, name: string): string => {
  const value = headers[name]
  return typeof value === "string" ? value : ""
}

/** Returns the secret of the request's key. */
const secretOf = ({ state }: Instance, request: Request): string | undefined =>
  state.keys.get(header(request, Signature.headers.apiKey) as never)?.apiSecret

const hmac = (secret: string, payload: string): string => createHmac("sha512", secret).update(payload).digest("hex")

/** Whether a request is signed with its key's secret. */
const isSigned = (venue: Instance, request: Request): boolean => {
  const secret = secretOf(venue, request)
  const payload = header(request, Signature.headers.payload)
  return secret !== undefined && payload === Signature.payloadOf(request.body) &&
    hmac(secret, payload) === header(request, Signature.headers.signature)
}

/** Returns the same request with a different body, correctly signed. */
export const signed = (venue: Instance, request: Request, body: Uint8Array = request.body): Request => {
  const payload = Signature.payloadOf(body)
  const headers = { ...request.headers, [Signature.headers.payload]: payload }
  const secret = secretOf(venue, request)
  return secret === undefined ? request : {
    ...request,
    body,
    headers: { ...headers, [Signature.headers.signature]: hmac(secret, payload) }
  }
}

/** Returns the same request with different headers. */
export const withHeaders = (request: Request, headers: Request["headers"]): Request => ({
  ...request,
  headers: { ...request.headers, ...headers }
})

/** Returns the same request with changed fields, signed again. A request without a valid signature is not changed. */
export const withFields = (
  venue: Instance,
  request: Request,
  change: (fields: Fields) => Fields
): Request => {
  const fields = fieldsOf(request)
  if (fields === undefined || !isSigned(venue, request)) return request
  return signed(venue, request, new TextEncoder().encode(Json.stringify(change(fields))))
}

/** Returns the fields without these keys. */
export const without = (fields: Fields, ...keys: ReadonlyArray<string>): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([key]) => !keys.includes(key)))

/** Changes the fields in requests to a path. */
export const asking = (path: string, change: (fields: Fields, venue: Instance) => Fields): Change => ({
  make: () => ({
    request: (request, venue) =>
      request.path === path ? withFields(venue, request, (fields) => change(fields, venue)) : request
  })
})

/** Sends the request to another call's path. */
export const calling = (
  from: string,
  to: string,
  change: (fields: Fields) => Fields = (fields) => fields
): Pick<Mutant, "make"> => ({
  make: () => ({
    request: (request, venue) =>
      request.path === from
        ? {
          ...withFields(venue, request, (fields) => ({ ...change(fields), request: to })),
          path: to
        }
        : request
  })
})

// -----------------------------------------------------------------------------
// Responses
// -----------------------------------------------------------------------------

/** Parses a response as JSON. */
export const jsonOf = ({ body }: Written): unknown => Result.getOrUndefined(Json.parse(body))

/** Returns the same response with a different body. */
export const withBody = (answer: Written, body: unknown): Written => ({
  ...answer,
  body: Json.stringify(body as object)
})

/** Changes the responses to calls to a path: successes, refusals, or both. */
export const answering = (
  path: string | ((path: string) => boolean),
  when: "success" | "refusal" | "always",
  change: (json: unknown, request: Request, answer: Written) => unknown
): Change => ({
  make: () => ({
    answer: (answer, request) => {
      const isIt = typeof path === "string" ? request.path === path : path(request.path)
      const isSuccess = answer.status < 300
      if (!isIt || (when === "success" && !isSuccess) || (when === "refusal" && isSuccess)) return answer
      return withBody(answer, change(jsonOf(answer), request, answer))
    }
  })
})

/** Sets a different status on responses for which `when` is true. */
export const withStatus = (
  status: number,
  when: (answer: Written, request: Request) => boolean
): Change => ({
  make: () => ({ answer: (answer, request) => when(answer, request) ? { ...answer, status } : answer })
})

/** A place in a response: keys, with `*` for every element of a list and every value of an object. */
export type Place = ReadonlyArray<string>

/** Returns the value with a change at one place. A change to `undefined` removes the value. */
export const changedAt = (value: unknown, [key, ...rest]: Place, change: (value: unknown) => unknown): unknown => {
  if (key === undefined) return change(value)
  if (Array.isArray(value)) return key === "*" ? value.map((item) => changedAt(item, rest, change)) : value
  if (!Json.isObject(value)) return value
  const keys = key === "*" ? Object.keys(value) : Object.hasOwn(value, key) ? [key] : []
  const changed: Record<string, unknown> = { ...value }
  for (const name of keys) {
    const next = changedAt(value[name], rest, change)
    if (next === undefined) delete changed[name]
    else changed[name] = next
  }
  return changed
}

/** Changes the value at `place` in a path's successful responses. */
export const changing = (path: string, place: Place, change: (value: unknown) => unknown): Change =>
  answering(path, "success", (json) => changedAt(json, place, change))

/** Removes these fields from the `errors` object of a path's refusals. */
export const unnamed = (path: string, ...keys: ReadonlyArray<string>): Change =>
  answering(
    path,
    "refusal",
    (json) =>
      Json.isObject(json) && Json.isObject(json["errors"])
        ? { ...json, errors: without(json["errors"], ...keys) }
        : json
  )

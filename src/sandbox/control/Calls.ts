/** The owner's actions on single calls and orders: make, inspect or repeat a call, and cancel an order. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { createHmac } from "node:crypto"
import { MarketName, OrderId } from "../../domain/Identifiers.ts"
import type { Dialect } from "../../protocol/Dialect.ts"
import * as Envelope from "../../protocol/Envelope.ts"
import * as Json from "../../protocol/Json.ts"
import * as Signature from "../../protocol/Signature.ts"
import type * as State from "../engine/State.ts"
import { header, type Request } from "../gateway/Message.ts"
import * as Responses from "../gateway/Responses.ts"
import * as Traffic from "../gateway/Traffic.ts"
import { routes } from "../handlers/Routes.ts"
import { refuse } from "../venue/ControlRefused.ts"
import type { Venue } from "../venue/Venue.ts"

/** The order to cancel. */
export interface CancelOptions {
  /** The account that placed the order. */
  readonly account: string
  /** The market on which the order was placed. */
  readonly market: MarketName
  /** The order's id, assigned by the exchange. */
  readonly orderId: OrderId
}

/** The schema of {@link CancelOptions}. */
export const CancelOptions = Schema.Struct({ account: Schema.String, market: MarketName, orderId: OrderId })

const secretsOf = ({ keys }: State.State): ReadonlyArray<string> => [...keys.values()].map(({ apiSecret }) => apiSecret)

const unknownCall = (number: number) => `there is no call ${number}; only the latest 1000 calls are stored`

/** A call's request and response. */
export const look = Effect.fnUntraced(function*(venue: Venue["Service"], number: number) {
  const kept = venue.traffic.get(number)
  if (kept === undefined) return yield* refuse("Request", { number: "known" }, unknownCall(number))
  return Traffic.show(kept, secretsOf(venue.state))
})

/** Gives a request a body, and signs the request with one of the venue's keys. */
const signed = (request: Request, body: Uint8Array, { apiKey, apiSecret }: State.Key): Request => {
  const payload = Signature.payloadOf(body)
  const signature = createHmac("sha512", apiSecret).update(payload).digest("hex")
  return {
    ...request,
    body,
    headers: {
      ...request.headers,
      "content-length": String(body.length),
      [Signature.headers.apiKey]: apiKey,
      [Signature.headers.payload]: payload,
      [Signature.headers.signature]: signature
    }
  }
}

/** A nonce that the key has not used yet. `now` is the venue's time in Unix microseconds. */
const nextNonce = ({ policy }: Dialect, { greatestNonce, usedNonces }: State.Key, now: number): bigint => {
  if (policy.nonce !== "unique") return greatestNonce + 1n
  let next = BigInt(Math.floor(now))
  while (usedNonces.has(next)) next++
  return next
}

/** Gives a call a new nonce, and signs it again. A body that is not a JSON object keeps its text. */
const renewed = (request: Request, key: State.Key, next: bigint): Request => {
  const json = Json.parse(Buffer.from(request.body).toString("utf8"))
  const body = Result.isSuccess(json) && Json.isObject(json.success)
    ? Buffer.from(
      Json.stringify({ ...json.success, nonce: typeof json.success["nonce"] === "string" ? String(next) : next })
    )
    : request.body
  return signed(request, body, key)
}

/** A call to make as an account. */
export interface CallOptions {
  /** The account, which must have an enabled key. */
  readonly account: string
  /** The path of a private endpoint, such as `/api/v4/order/new`. */
  readonly path: string
  /** The request's fields except `request` and `nonce`, keyed by their wire names. */
  readonly fields: Readonly<Record<string, Schema.Json>>
}

/** The schema of {@link CallOptions}. */
export const CallOptions: Schema.Codec<CallOptions, unknown> = Schema.Struct({
  account: Schema.String,
  path: Schema.String,
  fields: Schema.Record(Schema.String, Schema.Json)
})

/** The response to a call. */
export interface Called {
  /** The HTTP status; absent if a fault suppressed the response, or sent it in parts. */
  readonly status?: number
  /** The response body; empty if there is no status. */
  readonly answer: string
}

/** The schema of {@link Called}. */
export const Called: Schema.Codec<Called, unknown> = Schema.Struct({
  status: Schema.optionalKey(Schema.Int),
  answer: Schema.String
})

/**
 * Makes a private call as an account, signed with the account's first enabled key. Like any other call, it is subject
 * to rate limits and faults, and is logged.
 */
export const callAs = Effect.fnUntraced(function*(
  venue: Venue["Service"],
  { account, fields, path }: CallOptions
) {
  const { dialect, state } = venue
  const isKnown = routes.some(({ endpoint }) => endpoint.path === path && endpoint.access === "private")
  if (!isKnown) return yield* refuse("CallAs", { path: "known" }, `no private endpoint has the path ${path}`)
  const key = [...state.keys.values()].find((key) => key.account === account && key.enabled)
  if (key === undefined) {
    return yield* refuse(
      "CallAs",
      { account: "has a key" },
      `the account ${account} does not exist, or has no enabled key`
    )
  }
  const nonce = dialect.nonce(Number(nextNonce(dialect, key, yield* venue.now)), false)
  const body = Envelope.bytes(fields, path, nonce)
  const headers = { "content-type": "application/json" }
  const answer = yield* venue.handle(signed({ method: "POST", path, headers, body, from: "the owner" }, body, key))
  const called: Called = answer._tag === "Answer" ? { status: answer.status, answer: answer.body } : { answer: "" }
  return called
})

/** Repeats a call. If the original names one of the venue's keys, the repetition has a new nonce and signature. */
export const again = Effect.fnUntraced(function*(venue: Venue["Service"], number: number) {
  const kept = venue.traffic.get(number)
  if (kept === undefined) return yield* refuse("Again", { number: "known" }, unknownCall(number))
  if (!kept.whole) return yield* refuse("Again", { body: "max" }, "the call's body was too long to store")
  const apiKey = header(kept.request, Signature.headers.apiKey)
  const key = [...venue.state.keys.values()].find((key) => key.apiKey === apiKey)
  if (key === undefined) return yield* Effect.asVoid(venue.handle(kept.request))
  yield* venue.handle(renewed(kept.request, key, nextNonce(venue.dialect, key, yield* venue.now)))
})

/** Cancels an order on behalf of its account. */
export const cancel = Effect.fnUntraced(function*(
  venue: Venue["Service"],
  { account, market, orderId }: CancelOptions
) {
  const key = [...venue.state.keys.values()].find((key) => key.account === account)
  if (key === undefined)
    return yield* refuse(
      "CancelOrder",
      { account: "has a key" },
      `the account ${account} does not exist, or has no key`
    )
  const operation = { _tag: "Cancel", market, orderId } as const
  const reply = yield* venue.perform({ _tag: "Call", apiKey: key.apiKey, operation })
  if (Responses.isFailed(reply))
    return yield* refuse(
      "CancelOrder",
      { orderId: "known" },
      `the account has no open order ${orderId} on ${market}`
    )
})

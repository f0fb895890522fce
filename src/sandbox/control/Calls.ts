/** The owner's actions on single calls and orders: inspect a call, repeat a call, cancel an order. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { createHmac } from "node:crypto"
import { MarketName, OrderId } from "../../domain/Identifiers.ts"
import * as Json from "../../protocol/Json.ts"
import * as Signature from "../../protocol/Signature.ts"
import type * as State from "../engine/State.ts"
import { header, type Request } from "../gateway/Message.ts"
import * as Responses from "../gateway/Responses.ts"
import * as Traffic from "../gateway/Traffic.ts"
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

const unknownCall = (number: number) => `there is no call ${number}; only the latest 1000 calls are kept`

/** The request and the answer of a call. */
export const look = Effect.fnUntraced(function*(venue: Venue["Service"], number: number) {
  const kept = venue.traffic.get(number)
  if (kept === undefined) return yield* refuse("Request", { number: "known" }, unknownCall(number))
  return Traffic.show(kept, secretsOf(venue.state))
})

/** Gives a call a new nonce. A body that is not a JSON object is sent unchanged. */
const renewed = (request: Request, key: State.Key): Request => {
  const json = Json.parse(Buffer.from(request.body).toString("utf8"))
  const next = key.greatestNonce + 1n
  const body = Result.isSuccess(json) && Json.isObject(json.success)
    ? Buffer.from(
      Json.stringify({ ...json.success, nonce: typeof json.success["nonce"] === "string" ? String(next) : next })
    )
    : request.body
  const payload = Signature.payloadOf(body)
  const signature = createHmac("sha512", key.apiSecret).update(payload).digest("hex")
  return {
    ...request,
    body,
    headers: {
      ...request.headers,
      "content-length": String(body.length),
      [Signature.headers.payload]: payload,
      [Signature.headers.signature]: signature
    }
  }
}

/** Repeats a call, and signs it again if it was signed with a key of the venue. */
export const again = Effect.fnUntraced(function*(venue: Venue["Service"], number: number) {
  const kept = venue.traffic.get(number)
  if (kept === undefined) return yield* refuse("Again", { number: "known" }, unknownCall(number))
  if (!kept.whole) return yield* refuse("Again", { body: "max" }, "the call's body was too long to keep")
  const apiKey = header(kept.request, Signature.headers.apiKey)
  const key = [...venue.state.keys.values()].find((key) => key.apiKey === apiKey)
  yield* venue.handle(key === undefined ? kept.request : renewed(kept.request, key))
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

/** The response to a bulk call: the outcome of each order. */
import * as Schema from "effect/Schema"
import type { OrderId } from "../domain/Identifiers.ts"
import type * as Errors from "./Errors.ts"
import * as Wire from "./Wire.ts"

/** The refusal of one order: an error body inside a successful response. */
export interface Refusal {
  /** The code, with the same meaning as in an error body. */
  readonly code: number
  /** The exchange's message. */
  readonly message: string
  /**
   * The messages, keyed by wire key. If they do not belong to fields, this is a list of messages or a single message.
   */
  readonly errors?:
    | Readonly<Record<string, ReadonlyArray<string> | string>>
    | ReadonlyArray<string>
    | string
}

/** The readable parts of an item that can't be decoded. */
export interface Unreadable {
  /** The reason why the item can't be decoded. */
  readonly problem: string
  /** A description of how the readable part contradicts the request; absent if there is no contradiction. */
  readonly contradiction?: string
  /** The order ids in the item. */
  readonly orderIds: ReadonlyArray<OrderId>
}

/** The part of an item that is on the wire: a result or an error. */
interface Said<A> {
  /** The result for the order. Absent when the exchange refused the order. */
  readonly result?: A
  /** The order's refusal. Absent when the exchange accepted the order. */
  readonly error?: Refusal
}

/**
 * The outcome of one order. The fields `unreadable` and `lost` are not on the wire: `Classify.classify` and the
 * client's services add them.
 */
export interface Item<A> extends Said<A> {
  /** Present instead of `result` and `error` if the item can't be decoded. */
  readonly unreadable?: Unreadable
  /** Present instead of the other fields if the response does not show what happened to the order. */
  readonly lost?: Errors.OutcomeUnknown | Errors.AcceptedUnreadable
}

const Texts = Schema.Array(Schema.String)

const refusal = Wire.answer<Refusal>({
  code: Schema.Int,
  message: Schema.String,
  errors: Schema.optionalKey(Schema.Union([
    Schema.Record(Schema.String, Schema.Union([Texts, Schema.String])),
    Texts,
    Schema.String
  ]))
})

/** On the wire, an absent result or error is `null`. */
const nothing = { value: null, when: () => true, demanded: false }

/** The schema of a bulk call's response, given the schema of one order's result. */
export const items = <A>(result: Schema.Codec<A, unknown>): Schema.Codec<ReadonlyArray<Item<A>>, unknown> =>
  Schema.Array(
    Wire.answer<Said<A>>({
      result: Schema.optionalKey(result) as never,
      error: Schema.optionalKey(refusal.schema)
    }, { absent: { result: nothing, error: nothing } }).schema as Schema.Codec<Item<A>, unknown>
  )

/** The answer to a call with many orders: the outcome of each order. */
import * as Schema from "effect/Schema"
import type { OrderId } from "../domain/Identifiers.ts"
import type * as Errors from "./Errors.ts"
import * as Wire from "./Wire.ts"

/** The refusal of one order: an error body inside a success. */
export interface Refusal {
  /** The code, with the same meaning as in an error body. */
  readonly code: number
  /** The exchange's message. */
  readonly message: string
  /** The messages by wire field. A server with no field to name may send a list or a text. */
  readonly errors?:
    | Readonly<Record<string, ReadonlyArray<string> | string>>
    | ReadonlyArray<string>
    | string
}

/** The readable part of an order's answer that can't be read as a whole. */
export interface Unreadable {
  /** The reason why it cannot be read. */
  readonly problem: string
  /** How its readable part contradicts the request; absent when it does not. */
  readonly contradiction?: string
  /** The order ids that it contains. */
  readonly orderIds: ReadonlyArray<OrderId>
}

/** One order's part of an answer: a result or an error. */
interface Said<A> {
  /** The result of the call for the order. Absent when it was refused. */
  readonly result?: A
  /** The reason why the order was refused. Absent when it was not. */
  readonly error?: Refusal
}

/**
 * The outcome of one order. No schema has the last two fields: `Classify.classify` and the client's services add them.
 */
export interface Item<A> extends Said<A> {
  /** Present instead of both when they can't be read. */
  readonly unreadable?: Unreadable
  /** Present instead of all others when they do not show the order's outcome. */
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

/** An absent result or error is `null`. */
const nothing = { value: null, when: () => true, demanded: false }

/** The answer to a call with many orders whose results have this schema. */
export const items = <A>(result: Schema.Codec<A, unknown>): Schema.Codec<ReadonlyArray<Item<A>>, unknown> =>
  Schema.Array(
    Wire.answer<Said<A>>({
      result: Schema.optionalKey(result) as never,
      error: Schema.optionalKey(refusal.schema)
    }, { absent: { result: nothing, error: nothing } }).schema as Schema.Codec<Item<A>, unknown>
  )

/** The answer to a call with many orders: what became of each of them. */
import * as Schema from "effect/Schema"
import type { OrderId } from "../domain/Identifiers.ts"
import type * as Errors from "./Errors.ts"
import * as Wire from "./Wire.ts"

/** Why one of the orders was refused: an error body inside a success. */
export interface Refusal {
  /** The code. It means what it means in an error body. */
  readonly code: number
  /** The exchange's message. */
  readonly message: string
  /** The messages of each field, by its wire key. A server that has no field to name may write a list, or a text. */
  readonly errors?:
    | Readonly<Record<string, ReadonlyArray<string> | string>>
    | ReadonlyArray<string>
    | string
}

/** What can be said of one order whose part of the answer cannot be read. */
export interface Unreadable {
  /** Why it cannot be read. */
  readonly problem: string
  /** How what can be read of it contradicts what was sent; absent when it does not. */
  readonly contradiction?: string
  /** The order ids that it shows. */
  readonly orderIds: ReadonlyArray<OrderId>
}

/** What an answer says of one order: it has a result, or an error. */
interface Said<A> {
  /** What the call has made of the order. Absent when it was refused. */
  readonly result?: A
  /** Why the order was refused. Absent when it was not. */
  readonly error?: Refusal
}

/** What became of one order. No schema has the last two fields: `Classify.classify` and the client's services make them. */
export interface Item<A> extends Said<A> {
  /** In place of both, where they can't be read. */
  readonly unreadable?: Unreadable
  /** In place of them all, where they don't say what became of the order. */
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

/** What an order does not have is `null`. */
const nothing = { value: null, when: () => true, demanded: false }

/** The answer to a call with many orders, whose results have this schema. */
export const items = <A>(result: Schema.Codec<A, unknown>): Schema.Codec<ReadonlyArray<Item<A>>, unknown> =>
  Schema.Array(
    Wire.answer<Said<A>>({
      result: Schema.optionalKey(result) as never,
      error: Schema.optionalKey(refusal.schema)
    }, { absent: { result: nothing, error: nothing } }).schema as Schema.Codec<Item<A>, unknown>
  )

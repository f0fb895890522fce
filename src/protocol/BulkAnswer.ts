/** The answer to a call with many orders: what became of each of them. */
import * as Schema from "effect/Schema"
import * as Wire from "./Wire.ts"

/** Why one of the orders was refused: an error body inside a success. */
export interface Refusal {
  /** The code. It means what it means in an error body. */
  readonly code: number
  /** The exchange's message. */
  readonly message: string
  /** The messages of each field, by its wire key. */
  readonly errors?: Readonly<Record<string, ReadonlyArray<string>>>
}

/** What became of one order: it has a result, or an error. */
export interface Item<A> {
  /** What the call has made of the order. Absent when it was refused. */
  readonly result?: A
  /** Why the order was refused. Absent when it was not. */
  readonly error?: Refusal
}

const refusal = Wire.answer<Refusal>({
  code: Schema.Int,
  message: Schema.String,
  errors: Schema.optionalKey(Schema.Record(Schema.String, Schema.Array(Schema.String)))
})

/** What an order does not have is `null`. */
const nothing = { value: null, when: () => true, demanded: false }

/** The answer to a call with many orders, whose results have this schema. */
export const items = <A>(result: Schema.Codec<A, unknown>): Schema.Codec<ReadonlyArray<Item<A>>, unknown> =>
  Schema.Array(
    Wire.answer<Item<A>>({
      result: Schema.optionalKey(result) as never,
      error: Schema.optionalKey(refusal.schema)
    }, { absent: { result: nothing, error: nothing } }).schema
  )

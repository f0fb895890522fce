/**
 * What the two dialects write differently. The oracle has its own tables: it checks the codecs of client and sandbox,
 * so it takes nothing from them.
 */
import type { Dialect } from "../../protocol/Dialect.ts"

type PerDialect<A> = { readonly [K in Dialect["name"]]: A }

const of = <A>(table: PerDialect<A>) => ({ name }: Pick<Dialect, "name">): A => table[name]

/** The keys of an order's answer; in requests, of its client order id. */
export const keys = of({
  document: {
    orderId: "order_id",
    clientOrderId: "client_order_id",
    dealMoney: "deal_money",
    dealStock: "deal_stock",
    dealFee: "deal_fee"
  },
  live: {
    orderId: "orderId",
    clientOrderId: "clientOrderId",
    dealMoney: "dealMoney",
    dealStock: "dealStock",
    dealFee: "dealFee"
  }
})

/** The keys of an order's identifier: the dialect's own, and that of the other. */
export const orderIdKeys = of<ReadonlyArray<string>>({
  document: ["order_id", "orderId"],
  live: ["orderId", "order_id"]
})

/** The statuses of orders. */
export const statuses = of({
  document: {
    NEW: "NEW",
    FILLED: "FILLED",
    CANCELED: "CANCELED",
    PARTIAL_FILLED: "PARTIAL_FILLED",
    PARTIAL_CANCELED: "PARTIAL_CANCELED",
    CANCELED_TAKER_BAND: "CANCELED_TAKER_BAND",
    AUTO_CANCELED_REDUCE_ONLY: "AUTO_CANCELED_REDUCE_ONLY"
  },
  live: {
    NEW: "OPEN",
    FILLED: "FILLED",
    CANCELED: "CANCELED",
    PARTIAL_FILLED: "PARTIALLY_FILLED",
    PARTIAL_CANCELED: "CANCELED",
    CANCELED_TAKER_BAND: "CANCELED_TAKER_BAND",
    AUTO_CANCELED_REDUCE_ONLY: "AUTO_CANCELED_REDUCE_ONLY"
  }
})

/** The modes of self-trade prevention in answers. */
export const modes = of({
  document: { no: "no", cancel_both: "cancel_both", cancel_new: "cancel_new", cancel_old: "cancel_old" },
  live: { no: "no", cancel_both: "cb", cancel_new: "cn", cancel_old: "co" }
})

/** How a call is refused. */
export interface Refusal {
  /** The HTTP status. */
  readonly status: number
  /** The codes that the body may have. The live exchange has another code for each field. */
  readonly codes: ReadonlyArray<number>
}

/** How orders and cancel-all are refused for wrong fields. */
export const orderValidation = of<Refusal>({
  document: { status: 400, codes: [30] },
  live: { status: 422, codes: [30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43] }
})

/** How any other call is refused for wrong fields. */
export const fieldValidation = of<Refusal>({
  document: { status: 400, codes: [0] },
  live: { status: 400, codes: [0] }
})

/** How a reduce-only order is refused. */
export const reduceOnly = of<Refusal>({
  document: { status: 400, codes: [116] },
  live: { status: 422, codes: [116] }
})

/** The HTTP status of applying a code. */
export const applied = of<number>({ document: 200, live: 201 })

/** When a client order id may be used again. */
export const clientOrderIds = of<"never" | "closed">({ document: "never", live: "closed" })

/** A nonce as fields of the envelope. With a window it need not be the greatest so far, but near the clock. */
export const nonce = (
  dialect: Pick<Dialect, "name">,
  value: number,
  isWindowed: boolean
): Readonly<Record<string, unknown>> =>
  of<Readonly<Record<string, unknown>>>({
    document: { nonce: value.toString() },
    live: isWindowed ? { nonce: value, nonceWindow: true } : { nonce: value }
  })(dialect)

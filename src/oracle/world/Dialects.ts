/**
 * The differences between the two dialects on the wire. The oracle has its own tables, because it checks the codecs of
 * client and sandbox.
 */
import type { Dialect } from "../../protocol/Dialect.ts"

type PerDialect<A> = { readonly [K in Dialect["name"]]: A }

const of = <A>(table: PerDialect<A>) => ({ name }: Pick<Dialect, "name">): A => table[name]

/** The keys of an order in responses, and the key of the client order id in requests. */
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

/** The keys of an order's id: this dialect's key first, then the other dialect's. */
export const orderIdKeys = of<ReadonlyArray<string>>({
  document: ["order_id", "orderId"],
  live: ["orderId", "order_id"]
})

/** Order statuses in responses, keyed by their names in the document. */
export const statuses = of({
  document: {
    NEW: "NEW",
    FILLED: "FILLED",
    CANCELED: "CANCELED",
    PARTIAL_FILLED: "PARTIAL_FILLED",
    PARTIAL_CANCELED: "PARTIAL_CANCELED",
    CANCELED_TAKER_BAND: "CANCELED_TAKER_BAND",
    AUTO_CANCELED_REDUCE_ONLY: "AUTO_CANCELED_REDUCE_ONLY",
    AUTO_CANCELED_LIQUIDATION: "AUTO_CANCELED_LIQUIDATION"
  },
  live: {
    NEW: "OPEN",
    FILLED: "FILLED",
    CANCELED: "CANCELED",
    PARTIAL_FILLED: "PARTIALLY_FILLED",
    PARTIAL_CANCELED: "CANCELED",
    CANCELED_TAKER_BAND: "CANCELED_TAKER_BAND",
    AUTO_CANCELED_REDUCE_ONLY: "AUTO_CANCELED_REDUCE_ONLY",
    AUTO_CANCELED_LIQUIDATION: "AUTO_CANCELED_LIQUIDATION"
  }
})

/** Self-trade prevention modes in responses. */
export const modes = of({
  document: { no: "no", cancel_both: "cancel_both", cancel_new: "cancel_new", cancel_old: "cancel_old" },
  live: { no: "no", cancel_both: "cb", cancel_new: "cn", cancel_old: "co" }
})

/** How a call is refused. */
export interface Refusal {
  /** The HTTP status. */
  readonly status: number
  /** The codes that the body may have. The live exchange uses a different code per field. */
  readonly codes: ReadonlyArray<number>
}

/** The refusal of orders and cancel-all calls with invalid fields. */
export const orderValidation = of<Refusal>({
  document: { status: 400, codes: [30] },
  live: { status: 422, codes: [30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43] }
})

/** The refusal of calls with invalid fields, except orders and cancel-all calls. */
export const fieldValidation = of<Refusal>({
  document: { status: 400, codes: [0] },
  live: { status: 400, codes: [0] }
})

/** The refusal of a reduce-only order. */
export const reduceOnly = of<Refusal>({
  document: { status: 400, codes: [116] },
  live: { status: 422, codes: [116] }
})

/** The HTTP status of a successful code application. */
export const applied = of<number>({ document: 200, live: 201 })

/** When a client order id may be used again: never, or once its order has closed. */
export const clientOrderIds = of<"never" | "closed">({ document: "never", live: "closed" })

/**
 * Returns a nonce as envelope fields. With an acceptance window, the nonce must be near the target's clock, but need
 * not be the greatest so far.
 */
export const nonce = (
  dialect: Pick<Dialect, "name">,
  value: number,
  isWindowed: boolean
): Readonly<Record<string, unknown>> =>
  of<Readonly<Record<string, unknown>>>({
    document: { nonce: value.toString() },
    live: isWindowed ? { nonce: value, nonceWindow: true } : { nonce: value }
  })(dialect)

/** Changes of the collateral account's balances, which back margin orders and positions. */
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import { Decimal } from "../domain/Decimal.ts"
import { Ticker, ticker } from "../domain/Identifiers.ts"
import * as Channel from "../protocol/Channel.ts"
import * as Wire from "../protocol/Wire.ts"
import * as forms from "./forms.ts"
import * as topics from "./topics.ts"

export type { AnyAsset as Topic } from "./topics.ts"

/**
 * The collateral balance of one asset, in units of the asset.
 *
 * @category models
 */
export interface MarginBalance {
  /** The whole balance. */
  readonly balance: Decimal
  /** The borrowed amount. */
  readonly borrow: Decimal
  /** The amount that can be transferred from the account without borrowing. */
  readonly availableWithoutBorrow: Decimal
  /** The amount that can be transferred from the account if the rest is borrowed. */
  readonly availableWithBorrow: Decimal
}

/**
 * Collateral balances by asset.
 *
 * @category models
 */
export type MarginBalances = ReadonlyMap<Ticker, MarginBalance>

const balances: Schema.Codec<MarginBalances, unknown> = Wire.keyed(
  Ticker,
  Wire.answer<MarginBalance>({
    balance: Decimal,
    borrow: Decimal,
    availableWithoutBorrow: Decimal,
    availableWithBorrow: Decimal
  }, {
    keys: { availableWithoutBorrow: "available_without_borrow", availableWithBorrow: "available_with_borrow" }
  }).schema
)

interface PushedBalance extends MarginBalance {
  /** The asset, such as `USDT`. */
  readonly ticker: Ticker
}

/** `B` is the balance and `b` the borrowed amount. */
const pushed = Wire.answer<PushedBalance>({
  ticker: Ticker,
  balance: Decimal,
  borrow: Decimal,
  availableWithoutBorrow: Decimal,
  availableWithBorrow: Decimal
}, {
  keys: { ticker: "a", balance: "B", borrow: "b", availableWithoutBorrow: "av", availableWithBorrow: "ab" }
}).schema

const update: Schema.Codec<MarginBalances, unknown> = Schema.Array(pushed).pipe(
  Schema.decodeTo(Schema.toType(balances), {
    decode: SchemaGetter.transform((changed): MarginBalances =>
      new Map(changed.map(({ ticker, ...balance }) => [ticker, balance]))
    ),
    encode: SchemaGetter.transform((changed: MarginBalances) =>
      [...changed].map(([ticker, balance]) => ({ ticker, ...balance }))
    )
  })
)

/**
 * `balanceMargin_subscribe`. Source: the live exchange's documentation, WebSocket, "Balance margin".
 *
 * @category channels
 */
export const channel = Channel.make({
  name: "MarginBalanceChannel",
  wire: "balanceMargin",
  access: "private",
  sharing: "set",
  topic: topics.anyAsset,
  topics: topics.anyAssets,
  keyOf: ({ ticker = "" }) => ticker,
  update,
  about: ({ ticker }, changed) => forms.entry(ticker, changed),
  first: "nothing",
  continuity: "changed",
  pushes: { when: "changed", everyMillis: 1500 },
  queries: {
    all: Channel.query({
      method: "balanceMargin_request",
      params: topics.assetsAsked,
      result: balances,
      example: [ticker("USDT")]
    })
  },
  source: "WebSocket, \"Balance margin\"",
  example: { ticker: ticker("USDT") }
})

/** Changes of the trade account's balances, which back spot orders. */
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import { Ticker, ticker } from "../domain/Identifiers.ts"
import { Balance, type Balances } from "../endpoints/TradeBalance.ts"
import * as Channel from "../protocol/Channel.ts"
import * as Wire from "../protocol/Wire.ts"
import * as forms from "./forms.ts"
import * as topics from "./topics.ts"

export type { AnyAsset as Topic } from "./topics.ts"

const balances: Schema.Codec<Balances, unknown> = Wire.keyed(Ticker, Balance)

/** `[{ "BTC": …, "USDT": … }]`: one object with the changed assets, or several. */
const update: Schema.Codec<Balances, unknown> = Schema.Array(balances).pipe(
  Schema.decodeTo(Schema.toType(balances), {
    decode: SchemaGetter.transform((parts): Balances => new Map(parts.flatMap((part) => [...part]))),
    encode: SchemaGetter.transform((changed: Balances) => [changed])
  })
)

/**
 * `balanceSpot_subscribe`. Source: the live exchange's documentation, WebSocket, "Balance spot".
 *
 * @category channels
 */
export const channel = Channel.make({
  name: "SpotBalanceChannel",
  wire: "balanceSpot",
  access: "private",
  sharing: "set",
  topic: topics.anyAsset,
  topics: topics.anyAssets,
  keyOf: ({ ticker = "" }) => ticker,
  update,
  about: ({ ticker }, changed) => forms.entry(ticker, changed),
  first: "nothing",
  continuity: "changed",
  pushes: { when: "changed", everyMillis: 1000 },
  queries: {
    all: Channel.query({
      method: "balanceSpot_request",
      params: topics.assetsAsked,
      result: balances,
      example: [ticker("USDT")]
    })
  },
  source: "WebSocket, \"Balance spot\"",
  example: { ticker: ticker("USDT") }
})

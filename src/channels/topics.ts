/** The topics that a subscriber can choose, and the parameters that subscribe to them. */
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import { MarketName, Ticker } from "../domain/Identifiers.ts"
import * as Wire from "../protocol/Wire.ts"

/**
 * One market.
 *
 * @category models
 */
export interface Market {
  /** The market, such as `BTC_USDT`. */
  readonly market: MarketName
}

/**
 * One market, or all markets.
 *
 * @category models
 */
export interface AnyMarket {
  /** The market, such as `BTC_USDT`. Default: all markets. */
  readonly market?: MarketName
}

/**
 * One asset, or all assets.
 *
 * @category models
 */
export interface AnyAsset {
  /** The asset, such as `USDT`. Default: all assets. */
  readonly ticker?: Ticker
}

/**
 * The only topic of a channel without parameters. It covers all of the channel's messages.
 *
 * @category models
 */
export interface Everything {
  /** Never present. Without this field, the type would accept any value. */
  readonly _?: never
}

export const market: Schema.Codec<Market, unknown> = Wire.struct<Market>({ market: MarketName }).schema

export const anyMarket: Schema.Codec<AnyMarket, unknown> = Wire.struct<AnyMarket>({
  market: Schema.optionalKey(MarketName)
}).schema

export const anyAsset: Schema.Codec<AnyAsset, unknown> = Wire.struct<AnyAsset>({
  ticker: Schema.optionalKey(Ticker)
}).schema

export const everything: Schema.Codec<Everything, unknown> = Wire.struct<Everything>({ _: Wire.none }).schema

const unique = <A>(values: ReadonlyArray<A>): ReadonlyArray<A> => [...new Set(values)]

/** The parameters `["BTC_USDT", "ETH_USDT"]`: the set of markets. */
export const markets: Schema.Codec<ReadonlyArray<Market>, ReadonlyArray<unknown>> = Schema.Array(MarketName).pipe(
  Schema.decodeTo(Schema.Array(Schema.toType(market)), {
    decode: SchemaGetter.transform((names) => unique(names).map((market) => ({ market }))),
    encode: SchemaGetter.transform((topics) => unique(topics.map(({ market }) => market)))
  })
)

/** Returns the distinct names of topics. Returns `[]`, which means all, if a name is `undefined`. */
const namesOf = <Name>(names: ReadonlyArray<Name | undefined>): ReadonlyArray<Name> =>
  names.includes(undefined) ? [] : unique(names.flatMap((name) => name === undefined ? [] : [name]))

/** The parameters `["BTC_USDT"]`: the set of markets. `[]` means all markets. */
export const anyMarkets: Schema.Codec<ReadonlyArray<AnyMarket>, ReadonlyArray<unknown>> = Schema.Array(MarketName).pipe(
  Schema.decodeTo(Schema.Array(Schema.toType(anyMarket)), {
    decode: SchemaGetter.transform((names): ReadonlyArray<AnyMarket> =>
      names.length === 0 ? [{}] : unique(names).map((market) => ({ market }))
    ),
    encode: SchemaGetter.transform((topics) => namesOf(topics.map(({ market }) => market)))
  })
)

/**
 * The parameters `["BTC_USDT"]`: one market. `[]` means all markets. To follow several markets, the client subscribes
 * to all markets, because the documentation does not show a subscription to several markets.
 */
export const oneOrAllMarkets: Schema.Codec<ReadonlyArray<AnyMarket>, ReadonlyArray<unknown>> = anyMarkets.pipe(
  Schema.decodeTo(Schema.Array(Schema.toType(anyMarket)), {
    decode: SchemaGetter.transform((topics) => topics),
    encode: SchemaGetter.transform((topics): ReadonlyArray<AnyMarket> =>
      namesOf(topics.map(({ market }) => market)).length === 1 ? topics : [{}]
    )
  })
)

/** The parameters `["BTC", "USDT"]`: the set of assets. `[]` means all assets. */
export const anyAssets: Schema.Codec<ReadonlyArray<AnyAsset>, ReadonlyArray<unknown>> = Schema.Array(Ticker).pipe(
  Schema.decodeTo(Schema.Array(Schema.toType(anyAsset)), {
    decode: SchemaGetter.transform((names): ReadonlyArray<AnyAsset> =>
      names.length === 0 ? [{}] : unique(names).map((ticker) => ({ ticker }))
    ),
    encode: SchemaGetter.transform((topics) => namesOf(topics.map(({ ticker }) => ticker)))
  })
)

/** The parameters `[]`, for a channel without parameters. */
export const all: Schema.Codec<ReadonlyArray<Everything>, ReadonlyArray<unknown>> = Schema.Tuple([]).pipe(
  Schema.decodeTo(Schema.Array(Schema.toType(everything)), {
    decode: SchemaGetter.transform((): ReadonlyArray<Everything> => [{}]),
    encode: SchemaGetter.transform((): readonly [] => [])
  })
)

/** The parameters `["BTC", "USDT"]`: the assets to read. `[]` means all assets. */
export const assetsAsked: Schema.Codec<ReadonlyArray<Ticker>, ReadonlyArray<unknown>> = Schema.Array(Ticker)

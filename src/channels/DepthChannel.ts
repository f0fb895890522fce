/**
 * A market's order book, as a snapshot followed by changes. Public.
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 * import { DepthChannel, Identifiers } from "effect-txc"
 *
 * const book = Effect.gen(function*() {
 *   const { stream } = yield* DepthChannel.DepthChannel
 *   yield* Stream.runForEach(stream({ market: Identifiers.marketName("BTC_USDT"), limit: 20, priceStep: "0" }), (item) =>
 *     item._tag === "Snapshot" ? Effect.log(item.state.bids?.[0]) : Effect.void)
 * })
 * ```
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import type * as Stream from "effect/Stream"
import * as ChannelService from "../client/make/ChannelService.ts"
import * as Continuity from "../client/session/Continuity.ts"
import type * as Item from "../client/session/Item.ts"
import type * as Session from "../client/session/Session.ts"
import type * as StreamErrors from "../client/session/StreamErrors.ts"
import * as Constraint from "../domain/Constraint.ts"
import { Decimal, isZero, normalize } from "../domain/Decimal.ts"
import { MarketName, marketName } from "../domain/Identifiers.ts"
import { UnixTime } from "../domain/Time.ts"
import * as Channel from "../protocol/Channel.ts"
import * as Compiled from "../protocol/Compiled.ts"
import { positional } from "../protocol/Positional.ts"
import * as Wire from "../protocol/Wire.ts"

/**
 * The allowed numbers of levels per side.
 *
 * @category constants
 */
export const limits = [1, 5, 10, 20, 30, 50, 100] as const

/**
 * The allowed price steps, in the quote currency. All levels within a step are merged into one level; `"0"` means no
 * merging.
 *
 * @category constants
 */
export const priceSteps = [
  "0",
  "0.00000001",
  "0.0000001",
  "0.000001",
  "0.00001",
  "0.0001",
  "0.001",
  "0.01",
  "0.1"
] as const

/**
 * The order book to subscribe to or to query.
 *
 * @category models
 */
export interface Topic {
  /** The market, such as `BTC_USDT`. */
  readonly market: MarketName
  /** The maximum number of levels on each side: one of {@link limits}. */
  readonly limit: (typeof limits)[number]
  /** The price step, in the quote currency: one of {@link priceSteps}. */
  readonly priceStep: (typeof priceSteps)[number]
}

/**
 * A level of an order book.
 *
 * @category models
 */
export interface Level {
  /** The price, in the quote currency. */
  readonly price: Decimal
  /** The amount at this price, in the base currency. In a change, zero means that the level no longer exists. */
  readonly amount: Decimal
}

/**
 * An order book, or a change to an order book.
 *
 * @category models
 */
export interface DepthMessage {
  /** The market, such as `BTC_USDT`. */
  readonly market: MarketName
  /** Whether the message contains the complete book. If not, it contains only the levels that have changed. */
  readonly isSnapshot: boolean
  /** The time of the book's last change, in Unix seconds with a fraction. */
  readonly timestamp: UnixTime
  /** The time when the exchange sent the message, in Unix seconds with a fraction. */
  readonly eventTime?: UnixTime
  /** The sequence number of this state of the book. It never decreases. */
  readonly updateId: number
  /** In a change, the sequence number of the book to which the change applies. */
  readonly pastUpdateId?: number
  /** The asks, lowest price first. Absent when no ask has changed. */
  readonly asks?: ReadonlyArray<Level>
  /** The bids, highest price first. Absent when no bid has changed. */
  readonly bids?: ReadonlyArray<Level>
}

/**
 * An order book in the response to a query.
 *
 * @category models
 */
export interface Depth {
  /** The time of the book's last change, in Unix seconds with a fraction. */
  readonly timestamp: UnixTime
  /** The asks, lowest price first. */
  readonly asks: ReadonlyArray<Level>
  /** The bids, highest price first. */
  readonly bids: ReadonlyArray<Level>
}

const Limit = Schema.Literals(limits).annotate(Constraint.annotation({ kind: "oneOf", values: limits.map(String) }))
const PriceStep = Schema.Literals(priceSteps).annotate(Constraint.annotation({ kind: "oneOf", values: priceSteps }))

const topic = Wire.struct<Topic>({ market: MarketName, limit: Limit, priceStep: PriceStep })

interface Parameters extends Topic {
  /** Whether the market is added to the markets that the connection already follows. If not, it replaces them. */
  readonly adds?: boolean
}

const asked = positional<Topic>(topic.fields as Wire.Fields<Topic>)

const parameters = positional<Parameters>({
  ...topic.fields as Wire.Fields<Topic>,
  adds: Schema.optionalKey(Schema.Boolean)
})

/** Converts between a topic and the parameters that add the topic's market to the connection's markets. */
const asTopics: Schema.Codec<ReadonlyArray<Topic>, ReadonlyArray<unknown>> = parameters.pipe(
  Schema.decodeTo(Schema.Tuple([Schema.toType(topic.schema)]), {
    decode: SchemaGetter.transform(({ limit, market, priceStep }) => [{ market, limit, priceStep }] as const),
    encode: SchemaGetter.transform(([asked]) => ({ ...asked, adds: true }))
  })
)

const level = positional<Level>({ price: Decimal, amount: Decimal })

type Body = Omit<DepthMessage, "market" | "isSnapshot">

const body = Wire.answer<Body>({
  timestamp: UnixTime,
  asks: Schema.optionalKey(Schema.Array(level)),
  bids: Schema.optionalKey(Schema.Array(level)),
  updateId: Schema.Int,
  pastUpdateId: Schema.optionalKey(Schema.Int),
  eventTime: Schema.optionalKey(UnixTime)
}, { keys: { updateId: "update_id", pastUpdateId: "past_update_id", eventTime: "event_time" } })

const update = positional<{ readonly isSnapshot: boolean; readonly body: Body; readonly market: MarketName }>({
  isSnapshot: Schema.Boolean,
  body: body.schema,
  market: MarketName
})

// The cast is safe: the message has the market, the flag and the fields of the body.
const DepthMessage = Schema.Struct({ market: MarketName, isSnapshot: Schema.Boolean, ...body.fields }) as never

const message: Schema.Codec<DepthMessage, unknown> = update.pipe(
  Schema.decodeTo(Schema.toType<Schema.Codec<DepthMessage>>(DepthMessage), {
    decode: SchemaGetter.transform(
      Compiled.rearranged(({ body, isSnapshot, market }): DepthMessage => ({ market, isSnapshot, ...body }))
    ),
    encode: SchemaGetter.transform(({ isSnapshot, market, ...body }: DepthMessage) => ({ isSnapshot, body, market }))
  })
)

const depth = Wire.answer<Depth>({
  timestamp: UnixTime,
  asks: Schema.Array(level),
  bids: Schema.Array(level)
}).schema

const example: Topic = { market: marketName("BTC_USDT"), limit: 100, priceStep: "0" }

/**
 * The channel that `depth_subscribe` subscribes to. Source: the live exchange's documentation, WebSocket, "Depth".
 *
 * @category channels
 */
export const channel = Channel.make({
  name: "DepthChannel",
  wire: "depth",
  access: "public",
  sharing: "added",
  topic: topic.schema,
  topics: asTopics,
  replaces: ({ 3: adds }) => adds === false,
  keyOf: ({ market }) => market,
  leave: ({ market }) => [market],
  update: message,
  about: ({ market }, message) => message.market === market ? message : undefined,
  first: "snapshot",
  continuity: "chained",
  pushes: { when: "changed", everyMillis: 100, repeatsAfterMillis: 10_000 },
  queries: {
    /** Reads the order book once. */
    get: Channel.query({ method: "depth_request", params: asked, result: depth, example })
  },
  source: "WebSocket, \"Depth\"",
  example
})

/** A book's levels, keyed by normalized price. Amounts are normalized only when they are compared, which is rare. */
class Levels {
  readonly #amounts = new Map<Decimal, Decimal>()

  begin(levels: ReadonlyArray<Level> = []): void {
    this.#amounts.clear()
    this.change(levels)
  }

  change(levels: ReadonlyArray<Level> = []): void {
    for (const { amount, price } of levels) {
      if (isZero(amount)) this.#amounts.delete(normalize(price))
      else this.#amounts.set(normalize(price), amount)
    }
  }

  equals(levels: ReadonlyArray<Level> = []): boolean {
    return levels.length === this.#amounts.size
      && levels.every(({ amount, price }) => {
        const known = this.#amounts.get(normalize(price))
        return known !== undefined && normalize(known) === normalize(amount)
      })
  }
}

/** Tracks the book: the snapshot with all changes received so far. */
const tracked = (): Continuity.Tracked<DepthMessage> => {
  const asks = new Levels()
  const bids = new Levels()
  return {
    begin: (book) => {
      asks.begin(book.asks)
      bids.begin(book.bids)
    },
    change: (book) => {
      asks.change(book.asks)
      bids.change(book.bids)
    },
    equals: (book) => asks.equals(book.asks) && bids.equals(book.bids)
  }
}

/**
 * A market's order book, as a stream (a snapshot followed by changes) or from a query.
 *
 * @category services
 */
export class DepthChannel extends Context.Service<DepthChannel, {
  /**
   * Emits the complete book as a `Snapshot`, and then each change, at most ten per second. Each change contains the
   * sequence number of the book to which the change applies. If a change is missing, the stream is interrupted, and a
   * new `Snapshot` follows.
   *
   * A subscription with a different `limit` or `priceStep` for the same market needs its own connection.
   */
  readonly stream: (
    topic: Topic
  ) => Stream.Stream<Item.Item<DepthMessage, DepthMessage>, StreamErrors.PublicFailure>
  /** Reads the order book once. The result has no sequence number, so the stream's changes can't be applied to it. */
  readonly get: (request: Topic) => Effect.Effect<Depth, StreamErrors.QueryFailure<"public">>
}>()("effect-txc/channels/DepthChannel") {
  /** Provides this service. Requires a `PublicSession`. */
  static readonly layer: Layer.Layer<DepthChannel, never, Session.PublicSession> = ChannelService.layerPublic(
    DepthChannel,
    channel,
    ({ queries, streaming }) => ({ ...queries, stream: streaming(() => Continuity.chained(tracked)) })
  )
}

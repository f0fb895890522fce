/**
 * The control plane operations that the page uses in addition to those in `ControlApi`, such as those for markets,
 * orders, margin, history and single calls. `Control` documents the behavior of each operation.
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { all } from "../../channels/all.ts"
import { MarketName, OrderId } from "../../domain/Identifiers.ts"
import type { Dialect } from "../../protocol/Dialect.ts"
import type { Any, Places } from "../../protocol/Endpoint.ts"
import * as JsonSchema from "../../protocol/JsonSchema.ts"
import { Shown } from "../gateway/Traffic.ts"
import { routes } from "../handlers/Routes.ts"
import { FeedGone, Page } from "../venue/Feed.ts"
import * as Calls from "./Calls.ts"
import { Candle, intervals } from "./CandleView.ts"
import * as Control from "./Control.ts"
import { Account, described, error, Nothing, Unavailable } from "./Operations.ts"

/** An endpoint of the exchange. */
export interface EndpointSummary {
  /** The name of the endpoint, such as `StopLimitOrders.create`. */
  readonly name: string
  /** The HTTP method, `GET` or `POST`. */
  readonly method: string
  /** The path, such as `/api/v4/order/new`. */
  readonly path: string
  /** `private` if calls must be signed, otherwise `public`. */
  readonly access: "public" | "private"
  /** Whether a call changes anything on the exchange. */
  readonly mutates: boolean
  /** Which orders a call places: one order, an OCO pair, several, or none. */
  readonly places: Places
  /** The fields of a request, except `request` and `nonce`. */
  readonly fields: ReadonlyArray<FieldSummary>
}

/** A field of an endpoint's request. */
export interface FieldSummary {
  /** The field's name, such as `activationPrice`. */
  readonly name: string
  /** The field's name on the wire, such as `activation_price`. */
  readonly key: string
  /** The values that the field can have on the wire, if there are only a few. */
  readonly values?: ReadonlyArray<string | number | boolean>
}

/** The schema of {@link FieldSummary}. */
const FieldSummary: Schema.Codec<FieldSummary, unknown> = Schema.Struct({
  name: Schema.String,
  key: Schema.String,
  values: Schema.optionalKey(Schema.Array(Schema.Union([Schema.String, Schema.Finite, Schema.Boolean])))
})

/** The schema of {@link EndpointSummary}. */
export const EndpointSummary: Schema.Codec<EndpointSummary, unknown> = Schema.Struct({
  name: Schema.String,
  method: Schema.String,
  path: Schema.String,
  access: Schema.Literals(["public", "private"]),
  mutates: Schema.Boolean,
  places: Schema.Literals(["nothing", "order", "pair", "orders"]),
  fields: Schema.Array(FieldSummary)
})

/** The values that a field can have on the wire; `undefined` if there are too many to list. */
const valuesOf = (field: Schema.Constraint): FieldSummary["values"] => {
  const { definitions, wire } = JsonSchema.writer("")
  const written = wire(field)
  const { enum: names, type } = definitions[String(written["$ref"])] ?? written
  return Array.isArray(names) ? names : type === "boolean" ? [true, false] : undefined
}

const fieldsOf = ({ request }: Any, dialect: Dialect): ReadonlyArray<FieldSummary> => {
  const { fields, keys } = request(dialect)
  return Object.entries(keys).map(([name, key]) => {
    const values = fields[name] && valuesOf(fields[name])
    return { name, key, ...(values === undefined ? {} : { values }) }
  })
}

/** All endpoints of the exchange, as a dialect defines them. */
export const endpoints = (dialect: Dialect): ReadonlyArray<EndpointSummary> =>
  routes.map(({ endpoint }) => {
    const { access, method, mutates, name, path, places } = endpoint
    return { name, method, path, access, mutates, places, fields: fieldsOf(endpoint, dialect) }
  })

/** A channel of the WebSocket. */
export interface ChannelSummary {
  /** The channel's name on the wire, such as `depth`. */
  readonly channel: string
  /** `private` if a connection must be authorized to subscribe to the channel, otherwise `public`. */
  readonly access: "public" | "private"
}

/** The schema of {@link ChannelSummary}. */
export const ChannelSummary: Schema.Codec<ChannelSummary, unknown> = Schema.Struct({
  channel: Schema.String,
  access: Schema.Literals(["public", "private"])
})

/** All channels of the WebSocket. */
export const channels: ReadonlyArray<ChannelSummary> = all.map(({ access, wire }) => ({ channel: wire, access }))

const Integer = Schema.FiniteFromString.check(Schema.isInt())

const BooleanText = Schema.Literals(["true", "false"])

const Seconds = Schema.FiniteFromString.pipe(Schema.decodeTo(Schema.Literals(intervals)))

/** The group of these additional operations. */
export const group = HttpApiGroup.make("views", { topLevel: true }).add(
  HttpApiEndpoint.get("endpoints", "/Endpoints", { success: Schema.Array(EndpointSummary) }).annotateMerge(
    described("All endpoints of the exchange.")
  ),
  HttpApiEndpoint.get("channels", "/Channels", { success: Schema.Array(ChannelSummary) }).annotateMerge(
    described("All channels of the WebSocket.")
  ),
  HttpApiEndpoint.get("markets", "/Markets", { success: Schema.Array(Control.MarketSummary), error: Unavailable })
    .annotateMerge(described("All markets and their prices.")),
  HttpApiEndpoint.get("depth", "/Depth", {
    query: Schema.Struct({ market: MarketName }),
    success: Control.Depth,
    error
  }).annotateMerge(described("The best price levels of a market's order book, and the market's latest trades.")),
  HttpApiEndpoint.get("candles", "/Candles", {
    query: Schema.Struct({ market: MarketName, seconds: Seconds }),
    success: Schema.Array(Candle),
    error: Unavailable
  }).annotateMerge(described(
    "A market's latest candles, oldest first; at most 500. An interval without a trade or price move has no candle."
  )),
  HttpApiEndpoint.get("countOfOpenOrders", "/CountOfOpenOrders", {
    query: Account,
    success: Schema.Struct({ count: Schema.Int }),
    error: Unavailable
  }).annotateMerge(described("The number of an account's open orders.")),
  HttpApiEndpoint.get("endedOrders", "/EndedOrders", {
    query: Account,
    success: Schema.Array(Control.EndedOrder),
    error: Unavailable
  }).annotateMerge(described("An account's closed orders, latest first; at most 100.")),
  HttpApiEndpoint.get("order", "/Order", {
    query: Schema.Struct({ account: Schema.String, id: OrderId }),
    success: Control.OrderLife,
    error
  }).annotateMerge(
    described("One order of an account, open or closed, with its fills and the commands that changed it.")
  ),
  HttpApiEndpoint.post("callAs", "/CallAs", {
    payload: Calls.CallOptions,
    success: Calls.Called,
    error
  }).annotateMerge(described(
    "Makes a private call as an account, signed with the account's first enabled key. `fields` has the request's " +
      "fields, keyed by their names on the wire. The call is subject to rate limits and faults, and is logged."
  )),
  HttpApiEndpoint.post("cancelOrder", "/CancelOrder", {
    payload: Calls.CancelOptions,
    success: Nothing,
    error
  }).annotateMerge(described("Cancels an order on behalf of its account.")),
  HttpApiEndpoint.get("fills", "/Fills", {
    query: Account,
    success: Schema.Array(Control.AccountFill),
    error: Unavailable
  }).annotateMerge(described("An account's fills, latest first; at most 100.")),
  HttpApiEndpoint.get("margin", "/Margin", {
    query: Account,
    success: Control.AccountMargin,
    error: Unavailable
  }).annotateMerge(described(
    "An account's margin at the current mark prices, and whether it has a margin call or is in liquidation."
  )),
  HttpApiEndpoint.get("marginEvents", "/MarginEvents", {
    query: Schema.Struct({ account: Schema.String, upTo: Schema.optionalKey(Integer) }),
    success: Schema.Array(Control.MarginEvent),
    error: Unavailable
  }).annotateMerge(described(
    "The events that concern an account's margin, latest first: at most 100, up to the command with the number `upTo`. Events " +
      "that a restore has undone, or that the feed no longer stores, are left out."
  )),
  HttpApiEndpoint.get("venueMargin", "/VenueMargin", { success: Control.VenueMargin, error: Unavailable })
    .annotateMerge(
      described("The venue's margin policy, the weights of collateral assets, and the insurance account.")
    ),
  HttpApiEndpoint.get("nextDue", "/NextDue", {
    success: Schema.Struct({ at: Schema.optionalKey(Schema.Int) }),
    error: Unavailable
  }).annotateMerge(
    described("The time at which the next event is due, in Unix microseconds; absent if no event is scheduled.")
  ),
  HttpApiEndpoint.get("look", "/Requests/:number", {
    params: { number: Integer },
    success: Shown,
    error
  }).annotateMerge(described(
    "A call's request and response, without secrets. The latest 1000 calls are stored."
  )),
  HttpApiEndpoint.post("again", "/Requests/:number/Again", {
    params: { number: Integer },
    payload: Nothing,
    success: Nothing,
    error
  }).annotateMerge(
    described("Repeats a call. A signed call gets a new nonce and signature. The latest 1000 calls are stored.")
  ),
  HttpApiEndpoint.get("eventsSoFar", "/EventsSoFar", {
    query: Schema.Struct({ after: Schema.optionalKey(Schema.String) }),
    success: Page,
    error: [FeedGone, Unavailable]
  }).annotateMerge(described(
    "The events so far, a page at a time: at most 100 events after the position `after`. Without `after`, the page " +
      "has no events. The result has the position to continue from. Unlike Events, the operation keeps no connection " +
      "open."
  )),
  HttpApiEndpoint.get("past", "/Past", {
    query: Schema.Struct({ sequence: Integer, market: MarketName, seconds: Seconds, account: Schema.String }),
    success: Control.Past,
    error
  }).annotateMerge(described(
    "Part of the exchange as it was after `sequence` commands: a market's book, trades and candles, and an account's " +
      "orders and balances. The venue's state does not change."
  )),
  HttpApiEndpoint.get("saved", "/Saved", { success: Schema.Array(Control.SavedState), error: Unavailable })
    .annotateMerge(
      described(
        "The saved states, oldest first: snapshots and restored states; at most 16. Restoring a saved state applies " +
          "no commands."
      )
    ),
  HttpApiEndpoint.get("commands", "/Commands", {
    query: Schema.Struct({
      before: Schema.optionalKey(Integer),
      limit: Schema.optionalKey(Integer),
      onlyChanges: Schema.optionalKey(BooleanText)
    }),
    success: Schema.Array(Control.CommandSummary),
    error: Unavailable
  }).annotateMerge(described(
    "The commands before the number `before`, or the latest, newest first and without their secrets. At most `limit` " +
      "commands, which is 100 by default and 500 at most. `onlyChanges` leaves out calls that changed nothing; at " +
      "most 10000 commands are searched."
  ))
)

/**
 * The control plane operations that the page needs: markets, history and single calls. `Control` documents the
 * behaviour of each operation.
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { all } from "../../channels/all.ts"
import { MarketName } from "../../domain/Identifiers.ts"
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
  /** The HTTP method. */
  readonly method: string
  /** The path. */
  readonly path: string
  /** Whether a call must be signed. */
  readonly access: "public" | "private"
}

/** The schema of {@link EndpointSummary}. */
export const EndpointSummary: Schema.Codec<EndpointSummary, unknown> = Schema.Struct({
  name: Schema.String,
  method: Schema.String,
  path: Schema.String,
  access: Schema.Literals(["public", "private"])
})

/** All endpoints of the exchange. */
export const endpoints: ReadonlyArray<EndpointSummary> = routes.map(({ endpoint: { access, method, name, path } }) => ({
  name,
  method,
  path,
  access
}))

/** A channel of the WebSocket. */
export interface ChannelSummary {
  /** The channel, by its name on the wire, such as `depth`. */
  readonly channel: string
  /** Whether a connection must be authorised to subscribe to it. */
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

const Seconds = Schema.FiniteFromString.pipe(Schema.decodeTo(Schema.Literals(intervals)))

/** The operations that the page needs. */
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
  }).annotateMerge(described("The best prices in a market's order book, and its latest trades.")),
  HttpApiEndpoint.get("candles", "/Candles", {
    query: Schema.Struct({ market: MarketName, seconds: Seconds }),
    success: Schema.Array(Candle),
    error: Unavailable
  }).annotateMerge(described(
    "The latest candles of a market, oldest first; at most 500. Intervals in which the price did not move have no candle."
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
  }).annotateMerge(described("The ended orders of an account, latest first; at most 100.")),
  HttpApiEndpoint.post("cancelOrder", "/CancelOrder", {
    payload: Calls.CancelOptions,
    success: Nothing,
    error
  }).annotateMerge(described("Cancels an order on behalf of its account.")),
  HttpApiEndpoint.get("fills", "/Fills", {
    query: Account,
    success: Schema.Array(Control.AccountFill),
    error: Unavailable
  }).annotateMerge(described("The fills of an account's orders, latest first; at most 100.")),
  HttpApiEndpoint.get("nextDue", "/NextDue", {
    success: Schema.Struct({ at: Schema.optionalKey(Schema.Int) }),
    error: Unavailable
  }).annotateMerge(
    described("The time at which the next event is due, in Unix microseconds; absent when nothing is due.")
  ),
  HttpApiEndpoint.get("look", "/Requests/:number", {
    params: { number: Integer },
    success: Shown,
    error
  }).annotateMerge(described(
    "The request and the answer of a call, without secrets. The latest 1000 calls are kept."
  )),
  HttpApiEndpoint.post("again", "/Requests/:number/Again", {
    params: { number: Integer },
    payload: Nothing,
    success: Nothing,
    error
  }).annotateMerge(described("Repeats a call, with a new nonce and signature. The latest 1000 calls are kept.")),
  HttpApiEndpoint.get("eventsSoFar", "/EventsSoFar", {
    query: Schema.Struct({ after: Schema.optionalKey(Schema.String) }),
    success: Page,
    error: [FeedGone, Unavailable]
  }).annotateMerge(described(
    "The events so far, a page at a time: those after the position `after`, at most 100, or none. The answer has the " +
      "position to continue from. Unlike Events, it keeps no connection open."
  )),
  HttpApiEndpoint.get("saved", "/Saved", { success: Schema.Array(Control.SavedState), error: Unavailable })
    .annotateMerge(
      described(
        "The saved states, which can be restored without applying commands, oldest first: snapshots and restored states; at most 16."
      )
    ),
  HttpApiEndpoint.get("commands", "/Commands", {
    query: Schema.Struct({ before: Schema.optionalKey(Integer), limit: Schema.optionalKey(Integer) }),
    success: Schema.Array(Control.CommandSummary),
    error: Unavailable
  }).annotateMerge(described(
    "The commands before a number, or the latest, in descending order and without their secrets. At most `limit`, which is 100 " +
      "by default and at most 500."
  ))
)

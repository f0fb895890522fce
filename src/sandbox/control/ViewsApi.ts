/**
 * The part of the control over HTTP that a page needs: markets, the past, and a close look at calls. `Control` says what
 * each operation does.
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { MarketName } from "../../domain/Identifiers.ts"
import { Shown } from "../gateway/Traffic.ts"
import { routes } from "../handlers/Routes.ts"
import * as Calls from "./Calls.ts"
import * as Control from "./Control.ts"
import { Account, described, error, Nothing, Unavailable } from "./Operations.ts"
import { Candle, intervals } from "./Tape.ts"

/** An endpoint of the exchange. */
export interface EndpointSummary {
  /** Its name, such as `StopLimitOrders.create`. */
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

const Integer = Schema.FiniteFromString.check(Schema.isInt())

const Seconds = Schema.FiniteFromString.pipe(Schema.decodeTo(Schema.Literals(intervals)))

/** The operations. */
export const group = HttpApiGroup.make("views", { topLevel: true }).add(
  HttpApiEndpoint.get("endpoints", "/Endpoints", { success: Schema.Array(EndpointSummary) }).annotateMerge(
    described("All endpoints of the exchange.")
  ),
  HttpApiEndpoint.get("markets", "/Markets", { success: Schema.Array(Control.MarketSummary), error: Unavailable })
    .annotateMerge(described("All markets and their prices.")),
  HttpApiEndpoint.get("depth", "/Depth", {
    query: Schema.Struct({ market: MarketName }),
    success: Control.Depth,
    error
  }).annotateMerge(described("The best offers of a market and its latest trades.")),
  HttpApiEndpoint.get("candles", "/Candles", {
    query: Schema.Struct({ market: MarketName, seconds: Seconds }),
    success: Schema.Array(Candle),
    error: Unavailable
  }).annotateMerge(described(
    "The latest candles of a market, the oldest first; at most 500. Intervals in which the price did not move have none."
  )),
  HttpApiEndpoint.get("countOfOpenOrders", "/CountOfOpenOrders", {
    query: Account,
    success: Schema.Struct({ count: Schema.Int }),
    error: Unavailable
  }).annotateMerge(described("How many orders of an account can still trade.")),
  HttpApiEndpoint.post("cancelOrder", "/CancelOrder", {
    payload: Calls.CancelOptions,
    success: Nothing,
    error
  }).annotateMerge(described("Cancels an order as its account would.")),
  HttpApiEndpoint.get("fills", "/Fills", {
    query: Account,
    success: Schema.Array(Control.AccountFill),
    error: Unavailable
  }).annotateMerge(described("The latest fills of an account's orders, the latest first; at most 100.")),
  HttpApiEndpoint.get("nextDue", "/NextDue", {
    success: Schema.Struct({ at: Schema.optionalKey(Schema.Int) }),
    error: Unavailable
  }).annotateMerge(described("When something comes due by itself, in Unix microseconds; absent when nothing does.")),
  HttpApiEndpoint.get("look", "/Requests/:number", {
    params: { number: Integer },
    success: Shown,
    error
  }).annotateMerge(described(
    "What a call sent and what it was answered, without its secrets. The latest 1000 calls are kept."
  )),
  HttpApiEndpoint.post("again", "/Requests/:number/Again", {
    params: { number: Integer },
    payload: Nothing,
    success: Nothing,
    error
  }).annotateMerge(described("Makes a call again; it is signed anew. The latest 1000 calls are kept.")),
  HttpApiEndpoint.get("saved", "/Saved", { success: Schema.Array(Control.SavedState), error: Unavailable })
    .annotateMerge(
      described("The states that a restore goes back to at once, the latest last; at most 16.")
    ),
  HttpApiEndpoint.get("commands", "/Commands", {
    query: Schema.Struct({ before: Schema.optionalKey(Integer), limit: Schema.optionalKey(Integer) }),
    success: Schema.Array(Control.CommandSummary),
    error: Unavailable
  }).annotateMerge(described(
    "The commands before a number, or the latest, the latest first, without their secrets. At most `limit`, which is 100 " +
      "by default and at most 500."
  ))
)
